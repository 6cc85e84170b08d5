"""The shape of the files under `rules/`: rule, rule set and index, as pydantic models.

Owns which keys exist, their types and their order. Refuses unknown keys and coercion. What a value means (facts,
parameters, words of a policy) is checked in `load`; these models also generate the JSON Schemas that editors use.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from groundrules.rules.model import HitPolicy, Status

Text = Annotated[str, StringConstraints(min_length=1, max_length=2000, strip_whitespace=True)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
RuleId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$", max_length=100)]
Folder = Annotated[str, StringConstraints(pattern=r"^v[0-9]{1,6}$")]
Scalar = bool | int | float | str


def _day(value: object) -> object:
    """Reads `2030-01-31` and nothing else; lax reading would take 17 as a day of 1970."""
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value) if len(value) == len("2030-01-31") else value
    except ValueError:
        return value


Day = Annotated[date, BeforeValidator(_day)]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ExampleFile(_File):
    """Facts on which the rule must fire, or must not; facts not given rest."""

    name: Text
    given: dict[str, Scalar]
    fires: bool


class ExceptionFile(_File):
    """A case in which the rule is let go, until the end of a day."""

    reason: Text
    expires: Day
    when: dict[str, Any]


class RuleFile(_File):
    """One rule: `rules/POLICY/VERSION/RULE.ID.yaml`."""

    id: RuleId
    title: Text
    why: Text
    status: Status
    on: str
    """The kind of subject; it fixes which facts exist."""
    severity: Literal["low_confid", "reject"] | None = None
    """Under hit policy `collect`."""
    then: dict[Name, Text] = {}
    """What the rule assigns, under hit policy `first`."""
    when: dict[str, Any]
    """The condition under which the rule fires."""
    message: Text
    """What is said when it fires; `{name}` stands for a fact, a parameter or a name of the subject."""
    examples: list[ExampleFile]
    exceptions: list[ExceptionFile] = []


class ParamFile(_File):
    """A number or word that the rules of a set read as `$name`."""

    type: Literal["number", "integer", "boolean", "word"]
    value: Scalar
    min: float | None = None
    max: float | None = None
    words: list[str] = []
    meaning: Text


class ParamChange(_File):
    """Another value for a parameter of the extended version."""

    value: Scalar


class RuleSetFile(_File):
    """The head of a rule set: `rules/POLICY/VERSION/ruleset.yaml`."""

    format: Literal[1]
    policy: Name
    version: Text
    description: Text
    extends: Folder | None = None
    """The folder of an earlier version of this policy; this one then holds only what is different."""
    hit_policy: HitPolicy | None = None
    on_error: Literal["low_confid", "reject"] | dict[Name, Text] | None = None
    """What a rule that cannot be evaluated counts as."""
    params: dict[Name, ParamFile | ParamChange] = {}
    order: list[RuleId] = []
    disable: dict[RuleId, Text] = {}
    """Rules of the extended version that are switched off, each with the reason."""


class PointerFile(_File):
    """Which version of a policy an environment uses."""

    active: Folder
    shadow: list[Folder] = []


class ChangeFile(_File):
    """One entry of the history, which only grows."""

    at: Day
    who: Text
    environment: Name
    policy: Name
    change: Text
    why: Text


class IndexFile(_File):
    """`rules/index.yaml`: environments are pointers to versions, so that going back moves a pointer (S0-9.2)."""

    format: Literal[1]
    environments: dict[Name, dict[Name, PointerFile]]
    history: list[ChangeFile]


class LockFile(_File):
    """`rules/lock.json`: the hash of each released version."""

    format: Literal[1]
    rule_sets: Mapping[str, Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]]
