"""Rules and rule sets as the rest of the engine sees them: parsed, typed, their parameters filled in.

Owns the nouns; how files become them is `load`. Invariant: a rule in a rule set was checked against the fact
catalogue, so that its condition can be read by every reader without coercion (DESIGN §3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal

from groundrules.conditions import Condition, Scalar
from groundrules.facts.catalogue import SubjectKind
from groundrules.records.decisions import Severity

Status = Literal["draft", "shadow", "stable", "deprecated", "disabled"]
HitPolicy = Literal["collect", "first"]
RuleSeverity = Severity | Literal[""]


@dataclass(frozen=True, slots=True)
class Example:
    """Facts on which a rule must fire, or must not. Facts that it does not give rest."""

    name: str
    given: Mapping[str, Scalar]
    fires: bool


@dataclass(frozen=True, slots=True)
class RuleException:
    """A case in which a rule that would fire is let go, until the end of a day."""

    reason: str
    expires: date
    when: Condition


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: when it fires, on what, and what that counts as."""

    id: str
    title: str
    why: str
    status: Status
    on: SubjectKind
    severity: RuleSeverity
    """Under hit policy `collect`; empty under `first`."""
    then: Mapping[str, str]
    """What the rule assigns under hit policy `first`; empty under `collect`."""
    when: Condition
    message: str
    """A template for `fill_message`; parameters are already filled in."""
    examples: tuple[Example, ...]
    exceptions: tuple[RuleException, ...]
    layer: str
    """Where the rule comes from: `built in`, `project` …"""
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one version of a policy, in the order that decides under hit policy `first`."""

    policy: str
    version: str
    """The full version id, `gatekeeper-rules-v1`."""
    folder: str
    """The name of its folder, `v1`."""
    description: str
    hit_policy: HitPolicy
    on_error: Severity
    """What a rule that cannot be evaluated counts as. `reject` under hit policy `first`."""
    on_error_then: Mapping[str, str]
    """What a rule that cannot be evaluated assigns under hit policy `first`."""
    params: Mapping[str, Scalar]
    rules: tuple[Rule, ...]
    hash: str
    """SHA-256 over the content after `extends`; comments and the order of keys don't count."""
    file: str

    @property
    def enabled(self) -> tuple[Rule, ...]:
        """The rules that decide: stable ones, and deprecated ones until they are disabled."""
        return tuple(rule for rule in self.rules if rule.status in ("stable", "deprecated"))

    @property
    def shadow(self) -> tuple[Rule, ...]:
        """The rules that are evaluated and traced but decide nothing."""
        return tuple(rule for rule in self.rules if rule.status == "shadow")
