"""What a run needs, as one frozen value that the wiring makes.

Owns no behaviour. Invariant: a run reads its rule sets, prompts and cards from here alone, so versions never mix
within a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from groundrules.config.project import Limits
from groundrules.config.skills import Skill
from groundrules.facts.lexicon import Lexicon
from groundrules.policies.judging import Judge
from groundrules.ports import Clock, ModelClient, NewId, Stopwatch, Transport
from groundrules.projection import ProjectionSpec, ScopeSpec
from groundrules.prompts import PromptRegistry
from groundrules.records.exchange import ToolDefinition


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a run may call."""

    definitions: Mapping[str, ToolDefinition]
    """How it is registered, by locale."""
    projection: ProjectionSpec
    scope: ScopeSpec
    transport: Transport
    timeout_s: float
    poll_allowed: bool
    collection: str


@dataclass(frozen=True, slots=True)
class Judges:
    """The active rule set of each policy."""

    gatekeeper: Judge
    stop: Judge
    answer: Judge
    release: Judge


@dataclass(frozen=True, slots=True)
class Engine:
    """Everything that a run uses."""

    model: ModelClient
    tools: Mapping[str, Tool]
    skills: Mapping[str, Skill]
    prompts: PromptRegistry
    judges: Judges
    lexicon: Lexicon
    limits: Limits
    clock: Clock
    stopwatch: Stopwatch
    new_id: NewId
    lock: Callable[[], Mapping[str, Any]]
    """Versions and hashes of everything above, for the run's record."""

    @property
    def collections(self) -> dict[str, str]:
        """Tool name → the collection that its raw_paths name."""
        return {name: tool.collection for name, tool in self.tools.items()}
