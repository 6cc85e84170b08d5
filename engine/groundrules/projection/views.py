"""The two views of a Canonical Tool Result (S1-5.2).

Owns what the model may see and what the harness reads. Invariant: the observation is built from the whitelist alone;
scores, counts, fingerprints and sources have no way into it.
"""

from __future__ import annotations

import hashlib
import json

from groundrules.projection.texts import cut
from groundrules.records.evidence import CanonicalToolResult, ControlView, EvidenceRef, ModelObservation, Scope


def observe(
    result: CanonicalToolResult, tool_call_id: str, invocation_id: int | None, max_chars: int
) -> ModelObservation:
    """What the model is shown: whole refs, in order, up to `max_chars` characters of evidence; the rest is said."""
    shown, shortened = _within(result.evidence_refs, max_chars)
    return ModelObservation(
        tool_call_id=tool_call_id,
        scope=result.scope,
        evidence=shown,
        evidence_status=result.evidence_status,
        relevance_level=result.relevance_level,
        truncated=result.truncated or shortened,
        source_invocation_id=invocation_id,
        note=result.message if result.evidence_status == "failed" else "",
    )


def control(result: CanonicalToolResult) -> ControlView:
    """What the harness reads."""
    texts = (ref.raw_path + ref.text for ref in result.evidence_refs)
    return ControlView(
        tool_name=result.tool_name,
        scope=result.scope,
        evidence_status=result.evidence_status,
        total_count=result.total_count,
        relevance_level=result.relevance_level,
        top_score=result.top_score,
        truncated=result.truncated,
        fingerprint=fingerprint(result.tool_name, result.scope),
        observation_bytes=sum(len(text.encode()) for text in texts),
    )


def fingerprint(tool_name: str, scope: Scope) -> str:
    """SHA-256 of tool name and normalised scope, and of nothing else (S1-6.1)."""
    canonical = json.dumps([tool_name, [list(pair) for pair in scope]], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _within(refs: tuple[EvidenceRef, ...], max_chars: int) -> tuple[tuple[EvidenceRef, ...], bool]:
    shown: list[EvidenceRef] = []
    left = max_chars
    for ref in refs:
        if len(ref.text) > left:
            if not shown:
                shown.append(EvidenceRef(ref.raw_path, cut(ref.text, max_chars)[0]))
            return tuple(shown), True
        shown.append(ref)
        left -= len(ref.text)
    return tuple(shown), False
