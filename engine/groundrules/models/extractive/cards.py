"""A tool as the extractive model sees it: its description's words and the parameters that a question can fill.

Owns the reading of a tool definition. Refuses to guess: a parameter whose shape says nothing (no pattern, no listed
values, no known type) is never filled. Invariant: any definition gives a card, whatever its schema holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import re2

from groundrules.models.extractive import words
from groundrules.models.extractive.question import stem
from groundrules.records.exchange import ToolDefinition

SlotKind = Literal["pattern", "enum", "time", "integer", "text"]
FREE_TEXT = "query"
_WORD: Any = re2.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Slot:
    """A parameter that a term of a question may fill."""

    name: str
    kind: SlotKind
    description: str
    pattern: Any = None
    values: tuple[str, ...] = ()
    """Listed values, or examples of a pattern."""


@dataclass(frozen=True, slots=True)
class Card:
    """A tool, read."""

    name: str
    description: str
    """In lower case."""
    stems: frozenset[str]
    slots: tuple[Slot, ...]
    required: frozenset[str]
    is_reference: bool
    """It looks at what is written down, not at the environment."""

    def has(self, term: str) -> bool:
        """Whether the description uses a word: latin words by stem, Chinese as part of the text."""
        return stem(term) in self.stems if term.isascii() else term.casefold() in self.description

    def slot(self, name: str) -> Slot | None:
        return next((slot for slot in self.slots if slot.name == name), None)


def read_card(tool: ToolDefinition) -> Card:
    """The card of a tool definition."""
    described = f"{tool.name.replace('_', ' ')} {tool.description}".casefold()
    properties = tool.parameters.get("properties")
    listed = properties if isinstance(properties, Mapping) else {}
    slots = (_slot(str(name), schema) for name, schema in listed.items() if isinstance(schema, Mapping))
    required = tool.parameters.get("required")
    return Card(
        name=tool.name,
        description=described,
        stems=frozenset(stem(word) for word in _WORD.findall(described)),
        slots=tuple(slot for slot in slots if slot is not None),
        required=frozenset(str(name) for name in required) if isinstance(required, (list, tuple)) else frozenset(),
        is_reference=any(word in described for word in words.REFERENCE_SOURCES),
    )


def _slot(name: str, schema: Mapping[str, Any]) -> Slot | None:
    description = f"{name.replace('_', ' ')} {schema.get('description', '')}".casefold()
    types = schema.get("type")
    kinds = types if isinstance(types, (list, tuple)) else (types,)
    values = tuple(value for value in schema.get("enum", ()) if isinstance(value, str))
    if values:
        return Slot(name, "enum", description, values=values)
    if "integer" in kinds:
        return Slot(name, "integer", description)
    if "string" not in kinds:
        return None
    if schema.get("format") == "date-time":
        return Slot(name, "time", description)
    pattern = _compiled(schema.get("pattern"))
    if pattern is not None:
        return Slot(name, "pattern", description, pattern, _examples(schema))
    return Slot(name, "text", description) if name == FREE_TEXT else None


def _examples(schema: Mapping[str, Any]) -> tuple[str, ...]:
    examples = schema.get("examples")
    return tuple(str(value) for value in examples) if isinstance(examples, (list, tuple)) else ()


def _compiled(pattern: object) -> Any:
    if not isinstance(pattern, str):
        return None
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None
