"""Which prompt a run uses, and the messages that it makes.

Owns the choice by name, language and version or label, and rendering. Refuses unknown names and inputs that the
header does not describe. Invariant: a rendered prompt is a function of its file and the inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Template, TemplateError

from groundrules.conditions import did_you_mean
from groundrules.contracts import check_against
from groundrules.errors import UsageError
from groundrules.prompts.header import version_number
from groundrules.prompts.templates import render_part
from groundrules.records.exchange import Message, PromptStamp

PRODUCTION = "production"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One version of one prompt in one language."""

    name: str
    version: str
    locale: str
    description: str
    output_contract: str
    """Kind of the contract that the reply must satisfy."""
    input_schema: Mapping[str, Any]
    changelog: tuple[str, ...]
    file: str
    content_hash: str
    """SHA-256 of the file's text with plain line ends."""
    system: Template
    user: Template

    @property
    def stamp(self) -> PromptStamp:
        """What is stored with each model call (S0-9.3)."""
        return PromptStamp(self.name, self.version, self.locale, self.content_hash)


@dataclass(frozen=True, slots=True)
class PromptRegistry:
    """Every usable prompt of a project."""

    prompts: tuple[Prompt, ...]
    labels: Mapping[str, Mapping[str, str]]
    """Label to prompt to version."""

    def get(self, name: str, locale: str, version: str | None = None) -> Prompt:
        """The prompt of a version or label; by default the one in production, else the newest.

        Raises UsageError for what does not exist, naming what does.
        """
        named = [prompt for prompt in self.prompts if prompt.name == name]
        if not named:
            raise UsageError(_unknown("prompt", name, (prompt.name for prompt in self.prompts)))
        spoken = [prompt for prompt in named if prompt.locale == locale]
        if not spoken:
            raise UsageError(_unknown(f"language of prompt `{name}`", locale, (prompt.locale for prompt in named)))
        if version is None and name not in self.labels.get(PRODUCTION, {}):
            return max(spoken, key=lambda prompt: version_number(prompt.version))
        return self._exact(spoken, name, PRODUCTION if version is None else version)

    def _exact(self, spoken: list[Prompt], name: str, version: str) -> Prompt:
        wanted = self.labels.get(version, {}).get(name, version)
        for prompt in spoken:
            if prompt.version == wanted:
                return prompt
        raise UsageError(_unknown(f"version of prompt `{name}`", wanted, (prompt.version for prompt in spoken)))

    def versions(self, name: str) -> tuple[str, ...]:
        """The versions of a prompt, oldest first."""
        found = {prompt.version for prompt in self.prompts if prompt.name == name}
        return tuple(sorted(found, key=version_number))


def render(prompt: Prompt, inputs: Mapping[str, Any]) -> tuple[Message, ...]:
    """A system and a user message. Raises UsageError when the inputs are not what the header declares."""
    _check_inputs(prompt, inputs)
    try:
        system, user = render_part(prompt.system, inputs), render_part(prompt.user, inputs)
    except (TemplateError, TypeError, ValueError) as error:
        raise UsageError(f"{prompt.file} cannot be rendered: {error}") from error
    return Message("system", system), Message("user", user)


def _check_inputs(prompt: Prompt, inputs: Mapping[str, Any]) -> None:
    issues = check_against(prompt.input_schema, dict(inputs))
    if issues:
        reason = "; ".join(str(issue) for issue in issues[:3])
        raise UsageError(f"the inputs of {prompt.file} are not what its header declares: {reason}")


def _unknown(what: str, name: str, known: Any) -> str:
    hint = did_you_mean(name, tuple(dict.fromkeys(known)))
    return f"there is no {what} `{name}`" + (f"; {hint}" if hint else "")
