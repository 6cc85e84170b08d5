"""What a prompt file says about itself, and the labels that say which version is in use.

Owns the models of the front matter and of `index.yaml`. Refuses unknown keys and malformed names. Invariant: the
header declares every variable of the text, as the JSON Schema of one object.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

PromptName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
VersionName = Annotated[str, StringConstraints(pattern=r"^v[1-9][0-9]{0,5}$")]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
Sentence = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PromptHeader(_Frozen):
    """The front matter of a prompt file (contract `prompt_header`)."""

    id: PromptName
    """The component that it speaks to: planner, executor …"""
    version: VersionName
    language: Language
    description: Sentence
    output_contract: PromptName
    """Kind of the contract that the reply must satisfy."""
    inputs: dict[str, Any]
    """JSON Schema of the variables: an object, each of its properties required, nothing besides."""
    plain: list[str] = []
    """Inputs written as they are, because they come from files of the project; all others are written as JSON."""
    changelog: list[Sentence] = Field(min_length=1)
    """What each version changed, oldest first."""


class PromptIndex(_Frozen):
    """`prompts/index.yaml`: labels that point at versions."""

    format: Literal[1]
    labels: dict[PromptName, dict[PromptName, VersionName]] = {}
    """Label to prompt to version. Runs use the label `production`."""


def version_number(version: str) -> int:
    """The order of versions: v10 comes after v9."""
    return int(version.removeprefix("v"))
