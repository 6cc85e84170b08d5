"""What a card says about scopes and projection, compiled: plain values that the pure functions read.

Owns the shapes. Refuses nothing: `config.cards` checked it. Invariant: a spec holds compiled paths, patterns and
conditions only, so that a call parses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import re2

from groundrules.conditions import Condition
from groundrules.projection.paths import JsonPath
from groundrules.records.evidence import SourceKind

Shape = Literal["items", "lines", "blocks"]
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ScopeSpec:
    """Which arguments make two calls ask the same, and how they are folded (DESIGN §4)."""

    fields: tuple[str, ...] = ()
    """Empty: every argument counts."""
    fold_case: frozenset[str] = frozenset()
    unordered_words: frozenset[str] = frozenset()
    """Fields whose words may come in any order."""
    round_s: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    """Seconds that a time is rounded down to."""
    defaults: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Value of an argument that was not given."""


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One part of a ref's text: `key=value`."""

    key: str
    path: JsonPath


@dataclass(frozen=True, slots=True)
class RelevanceSpec:
    """REFERENCE or DIRECT by rule (S1-5.1): DIRECT needs the score and, where hints are declared, the hint hits."""

    score: JsonPath
    direct_from: float
    hints: JsonPath | None = None
    min_hints: int = 1


@dataclass(frozen=True, slots=True)
class ProjectionSpec:
    """How a tool's answer becomes evidence."""

    collection: str
    shape: Shape = "items"
    items: JsonPath | None = None
    """Where items stand; always there when the shape is `items`."""
    where: Condition | None = None
    unique: JsonPath | None = None
    """Items with the same value here are one; the first is kept."""
    skip: tuple[Any, ...] = ()
    """Patterns of lines or blocks that are no evidence, such as a table's head."""
    fields: tuple[FieldSpec, ...] = ()
    text: JsonPath | None = None
    relevance: RelevanceSpec | None = None
    total: JsonPath | None = None
    no_evidence: tuple[Any, ...] = ()
    """Patterns of a whole output that says *nothing found*."""
    failed: tuple[Any, ...] = ()
    """Patterns that make an output a failure wherever they stand in it."""
    failed_when: Condition | None = None
    """Over the answer's top-level fields."""
    max_items: int = 20
    max_text_chars: int = 600
    max_bytes: int = 1_048_576
    source_kind: SourceKind = "environment"

    @property
    def hidden(self) -> frozenset[str]:
        """Fields of an item that only the harness reads: a score is no evidence, and no model sees one (S1-5.2)."""
        rule = self.relevance
        paths = (rule.score, rule.hints) if rule is not None else ()
        return frozenset(path.text.removeprefix("$.") for path in paths if path is not None)


def compile_patterns(texts: Iterable[str]) -> tuple[Any, ...]:
    """Compiled RE2 patterns. Raises `re2.error` for a text that RE2 refuses."""
    options = re2.Options()
    options.log_errors = False
    return tuple(re2.compile(text, options) for text in texts)
