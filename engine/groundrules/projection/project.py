"""A raw tool answer into one Canonical Tool Result (S0-3.1, S1-5.1).

Owns the order of judgement: failure, declared failure, declared emptiness, items. Invariants: any bytes give a result,
never an exception; a failed result has no refs; an empty one has exactly `$.no_evidence`; item `i` of the collection is
the i-th item that was kept, in the tool's order, so an address means the same in every reading of one answer.
"""

from __future__ import annotations

from typing import Any

from groundrules.projection.documents import WrittenFloat
from groundrules.projection.items import Found, find_items
from groundrules.projection.raw_paths import item_path
from groundrules.projection.specs import ProjectionSpec, RelevanceSpec
from groundrules.projection.texts import flattened, one_line, presentable, scalar_text
from groundrules.records.evidence import (
    NO_EVIDENCE_PATH,
    CanonicalToolResult,
    EvidenceRef,
    EvidenceStatus,
    RawResult,
    RelevanceLevel,
    Scope,
    scope_text,
)

MAX_MESSAGE = 300
_HIDDEN = frozenset({"relevance_level", "relevanceLevel"})
EMPTY = "the result set is empty"
UNSEEN = "only a part of the source was read, and nothing in that part matches"


def project(spec: ProjectionSpec, tool_name: str, scope: Scope, raw: RawResult) -> CanonicalToolResult:
    """The answer as evidence. Never raises, whatever the answer holds."""
    if raw.failure:
        return _result(spec, tool_name, scope, raw, "failed", message=raw.failure)
    if raw.exit_code != 0:
        said = raw.body[: 4 * MAX_MESSAGE].decode("utf-8", "replace")
        return _result(spec, tool_name, scope, raw, "failed", message=f"exit code {raw.exit_code}: {said}")
    found = find_items(spec, raw)
    if not found.failure and not found.items and raw.truncated:
        found = Found(UNSEEN)
    if found.failure:
        return _result(spec, tool_name, scope, raw, "failed", message=found.failure)
    if not found.items:
        return _empty(spec, tool_name, scope, raw, found)
    return _supported(spec, tool_name, scope, raw, found)


def _supported(spec: ProjectionSpec, tool_name: str, scope: Scope, raw: RawResult, found: Found) -> CanonicalToolResult:
    kept = found.items[: spec.max_items]
    texts = [presentable(_ref_text(spec, item), spec.max_text_chars) for item in kept]
    refs = tuple(EvidenceRef(item_path(spec.collection, at), text) for at, (text, _) in enumerate(texts))
    scores = [_score(spec.relevance, item) for item in kept]
    return _result(
        spec,
        tool_name,
        scope,
        raw,
        "supported",
        refs=refs,
        total=found.total,
        relevance=_relevance(spec, kept, scores),
        truncated=found.total > len(refs) or any(shortened for _, shortened in texts),
        top_score=max(scores, default=0.0),
    )


def _empty(spec: ProjectionSpec, tool_name: str, scope: Scope, raw: RawResult, found: Found) -> CanonicalToolResult:
    message = one_line(found.said_nothing, MAX_MESSAGE) or EMPTY
    parts = (
        f"{tool_name} returned no evidence",
        "evidence_status=no_evidence",
        scope_text(scope),
        "total=0",
        f"message={message}",
    )
    ref = EvidenceRef(NO_EVIDENCE_PATH, "; ".join(part for part in parts if part))
    return _result(spec, tool_name, scope, raw, "no_evidence", refs=(ref,), message=message)


def _result(
    spec: ProjectionSpec,
    tool_name: str,
    scope: Scope,
    raw: RawResult,
    status: EvidenceStatus,
    *,
    refs: tuple[EvidenceRef, ...] = (),
    total: int = 0,
    relevance: RelevanceLevel = "NONE",
    truncated: bool = False,
    top_score: float = 0.0,
    message: str = "",
) -> CanonicalToolResult:
    return CanonicalToolResult(
        tool_name=tool_name,
        evidence_status=status,
        scope=scope,
        evidence_refs=refs,
        total_count=total,
        relevance_level=relevance,
        truncated=truncated or raw.truncated,
        top_score=top_score,
        source=one_line(raw.source, MAX_MESSAGE),
        message=one_line(message, MAX_MESSAGE),
        source_kind=spec.source_kind,
    )


def _ref_text(spec: ProjectionSpec, item: Any) -> str:
    if isinstance(item, str):
        return item
    if spec.text is not None:
        return "\n".join(scalar_text(value) for value in spec.text.find(item)) or flattened(item, _HIDDEN | spec.hidden)
    parts = [
        f"{field.key}={scalar_text(value)}"
        for field in spec.fields
        for value in field.path.find(item)
        if value is not None
    ]
    return ", ".join(parts) or flattened(item, _HIDDEN | spec.hidden)


def _score(spec: RelevanceSpec | None, item: Any) -> float:
    """A normalised score; one outside 0..1 is no similarity and counts as none."""
    value = spec.score.first(item) if spec is not None else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 <= value <= 1 else 0.0


def _relevance(spec: ProjectionSpec, items: tuple[Any, ...], scores: list[float]) -> RelevanceLevel:
    direct = any(_is_direct(spec.relevance, item, score) for item, score in zip(items, scores, strict=True))
    return "DIRECT" if direct else "REFERENCE"


def _is_direct(spec: RelevanceSpec | None, item: Any, score: float) -> bool:
    """What the item says of itself, in either spelling, else the card's rule. Of two words the weaker one counts."""
    said = [
        str(item[key]).upper()
        for key in ("relevance_level", "relevanceLevel")
        if isinstance(item, dict) and item.get(key)
    ]
    if said:
        return all(word == "DIRECT" for word in said)
    if spec is None:
        return True
    return score >= spec.direct_from and (spec.hints is None or _hits(spec.hints.first(item)) >= spec.min_hints)


def _hits(value: Any) -> float:
    if isinstance(value, list):
        return len(value)
    return float(value) if isinstance(value, int | WrittenFloat) and not isinstance(value, bool) else 0.0
