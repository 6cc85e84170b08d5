"""The items in a tool's answer: from bytes to the values that become evidence.

Owns reading, envelope checks, filtering and deduplication. Refuses to take *not checked* for *empty*: an answer without
the declared array is a failure. Invariant: every kept item stands in the answer, in the answer's order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundrules.conditions import COMPARE, All, AnyOf, Condition, Leaf, Not, kind_of
from groundrules.projection.documents import BadDocument, decode, read_json, read_json_lines
from groundrules.projection.specs import ProjectionSpec
from groundrules.records.evidence import RawResult


@dataclass(frozen=True, slots=True)
class Found:
    """What an answer holds: a failure, or the kept items in order."""

    failure: str = ""
    items: tuple[Any, ...] = ()
    said_nothing: str = ""
    """The output that a no-evidence pattern recognised."""
    total: int = 0
    """How many items the tool says there are; at least those kept."""


def find_items(spec: ProjectionSpec, raw: RawResult) -> Found:
    """Read the answer as the card declares it."""
    if len(raw.body) > spec.max_bytes:
        return Found(f"the answer is larger than {spec.max_bytes:,} bytes")
    text = decode(raw.body)
    if isinstance(text, BadDocument):
        return Found(text.reason)
    if any(pattern.search(text) for pattern in spec.failed):
        return Found(f"the tool reported: {text}")
    if any(pattern.fullmatch(text.strip()) for pattern in spec.no_evidence):
        return Found(said_nothing=text)
    return _from_json(spec, raw, text) if spec.shape == "items" else _from_text(spec, text)


def matches(condition: Condition, item: Any) -> bool:
    """Whether a condition holds of an item. A field that is missing, or of another type, makes its leaf false."""
    match condition:
        case Leaf(fact, op, literal):
            value = field_value(item, fact)
            wanted = kind_of(literal[0] if isinstance(literal, tuple) else literal)
            return _kind(value) == ("number" if wanted == "integer" else wanted) and COMPARE[op](value, literal)
        case All(parts):
            return all(matches(part, item) for part in parts)
        case AnyOf(parts):
            return any(matches(part, item) for part in parts)
        case Not(part):
            return not matches(part, item)


def field_value(item: Any, name: str) -> Any:
    """A field by its name, or by names joined with dots; None when there is none."""
    if isinstance(item, Mapping) and name in item:
        return item[name]
    for part in name.split("."):
        if not isinstance(item, Mapping) or part not in item:
            return None
        item = item[part]
    return item


def _kind(value: Any) -> str | None:
    kind = kind_of(value)
    return "number" if kind == "integer" else kind


def _from_json(spec: ProjectionSpec, raw: RawResult, text: str) -> Found:
    document = read_json_lines(text) if raw.media == "jsonl" else read_json(text)
    if isinstance(document, BadDocument):
        return Found(document.reason)
    if spec.failed_when is not None and matches(spec.failed_when, document):
        return Found(f"the tool reported a failure: {_envelope(document)}")
    assert spec.items is not None  # noqa: S101  # the shape is `items`; the card's check says so
    if spec.items.missing_array(document):
        return Found(f"the answer has no array at {spec.items.text}")
    found = spec.items.find(document)
    if not found and not spec.items.names_array_items:
        return Found(f"the answer has nothing at {spec.items.text}")
    kept = tuple(_unique(spec, [item for item in found if spec.where is None or matches(spec.where, item)]))
    said = _said_total(spec, document)
    if said is not None and said > 0 and not found:
        return Found(f"the answer says {said} items and holds none")
    narrowed = spec.where is not None or spec.unique is not None
    return Found(items=kept, total=len(kept) if narrowed else max(said or 0, len(kept)))


def _from_text(spec: ProjectionSpec, text: str) -> Found:
    pieces = text.replace("\r\n", "\n").split("\n") if spec.shape == "lines" else _blocks(text)
    kept = tuple(
        piece.rstrip()
        for piece in pieces
        if piece.strip()
        and not any(pattern.search(piece) for pattern in spec.skip)
        and (spec.where is None or matches(spec.where, {"text": piece}))
    )
    return Found(items=kept, total=len(kept))


def _blocks(text: str) -> Iterator[str]:
    block: list[str] = []
    for line in (*text.replace("\r\n", "\n").split("\n"), ""):
        if line.strip():
            block.append(line)
        elif block:
            yield "\n".join(block)
            block = []


def _unique(spec: ProjectionSpec, items: Sequence[Any]) -> Iterator[Any]:
    seen: set[str] = set()
    for item in items:
        value = spec.unique.first(item) if spec.unique is not None else None
        key = "" if value is None else json.dumps(value, sort_keys=True)
        if key not in seen:
            yield item
        if key:
            seen.add(key)


def _said_total(spec: ProjectionSpec, document: Any) -> int | None:
    value = spec.total.first(document) if spec.total is not None else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _envelope(document: Any) -> str:
    scalars = {key: value for key, value in document.items() if kind_of(value)} if isinstance(document, dict) else {}
    return json.dumps(scalars, ensure_ascii=False)
