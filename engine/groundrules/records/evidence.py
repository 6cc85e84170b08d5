"""What tools were asked and what they returned: the only ground that a claim may stand on.

Owns the tool call, its Canonical Tool Result and the two views of it. Refuses nothing: it is data. Invariant:
`evidence_status` keeps *found*, *checked and empty* and *failed* apart from the projector to the last reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

EvidenceStatus = Literal["supported", "no_evidence", "deduped", "failed"]
RelevanceLevel = Literal["DIRECT", "REFERENCE", "NONE"]
SourceKind = Literal["environment", "reference"]
"""Whether a tool looks at the environment, or at general knowledge such as runbooks (S0-2.5)."""
Scope = tuple[tuple[str, str], ...]
"""Normalised scope: (name, value) pairs in the order of their names. Two calls ask the same when these are equal."""

NO_EVIDENCE_PATH = "$.no_evidence"


def scope_text(scope: Scope) -> str:
    """The scope as `name=value; name=value`, as evidence texts and traces show it."""
    return "; ".join(f"{name}={value}" for name, value in scope)


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A tool call that a model asks for."""

    tool_call_id: str
    tool_name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EvidenceRef:
    """One item that a tool returned, at a stable place, as text that can be quoted (S0-3.1)."""

    raw_path: str
    text: str


@dataclass(frozen=True, slots=True)
class RawResult:
    """What a transport brought back, before anybody judged it."""

    body: bytes = b""
    exit_code: int = 0
    """Exit code of a command or HTTP status outside 2xx; 0 when neither says failure."""
    failure: str = ""
    """Why there is no body (unreachable, timed out, refused); empty when there is one."""
    media: Literal["json", "jsonl", "text"] = "json"
    source: str = ""
    """Where it came from, without secrets: a file's name, a table."""
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class CanonicalToolResult:
    """One tool answer in the form that everything else reads (S1-5.2)."""

    tool_name: str
    evidence_status: EvidenceStatus
    scope: Scope
    evidence_refs: tuple[EvidenceRef, ...]
    total_count: int
    """Items that the tool found; may exceed the refs kept."""
    relevance_level: RelevanceLevel
    truncated: bool = False
    top_score: float = 0.0
    """Best normalised similarity, 0..1; 0 where the tool has none."""
    source: str = ""
    message: str = ""
    """Why it failed, or what the tool said when it found nothing."""
    source_kind: SourceKind = "environment"

    def to_dict(self) -> dict[str, Any]:
        """The document of contract `canonical_tool_result`."""
        return {
            "tool_name": self.tool_name,
            "evidence_status": self.evidence_status,
            "scope": dict(self.scope),
            "evidence_refs": [{"raw_path": ref.raw_path, "text": ref.text} for ref in self.evidence_refs],
            "total_count": self.total_count,
            "relevance_level": self.relevance_level,
            "truncated": self.truncated,
            "top_score": self.top_score,
            "source": self.source,
            "source_kind": self.source_kind,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class ToolInvocation:
    """A tool call that really ran, with its result. Ids are unique within the run."""

    id: int
    run_id: str
    session_id: str
    tool_call_id: str
    tool_name: str
    result: CanonicalToolResult
    started_at: datetime
    duration_ms: float

    def to_dict(self) -> dict[str, Any]:
        """The document of contract `tool_invocation`; `retrieval_details` is what the Gatekeeper reads (S0-3.1)."""
        result = self.result
        return {
            "id": self.id,
            "run_id": self.run_id,
            "session_id": self.session_id,
            "tool_call_id": self.tool_call_id,
            "tool_name": self.tool_name,
            "scope": dict(result.scope),
            "started_at": self.started_at.isoformat(),
            "duration_ms": self.duration_ms,
            "retrieval_details": {
                "evidence_status": result.evidence_status,
                "evidence_refs": [{"raw_path": ref.raw_path, "text": ref.text} for ref in result.evidence_refs],
                "total_count": result.total_count,
                "relevance_level": result.relevance_level,
                "truncated": result.truncated,
                "top_score": result.top_score,
                "source": result.source,
                "source_kind": result.source_kind,
                "message": result.message,
            },
        }


@dataclass(frozen=True, slots=True)
class ModelObservation:
    """The whitelist that a model may see of a tool result (S1-5.2)."""

    tool_call_id: str
    scope: Scope
    evidence: tuple[EvidenceRef, ...]
    evidence_status: EvidenceStatus
    relevance_level: RelevanceLevel
    truncated: bool
    source_invocation_id: int | None
    """What a claim cites; none for a call that did not run."""
    note: str = ""
    """Why the call was refused or failed, in a sentence."""

    def to_dict(self) -> dict[str, Any]:
        """The document of contract `model_observation`."""
        return {
            "tool_call_id": self.tool_call_id,
            "source_invocation_id": self.source_invocation_id,
            "scope": dict(self.scope),
            "evidence": [{"raw_path": ref.raw_path, "text": ref.text} for ref in self.evidence],
            "evidence_status": self.evidence_status,
            "relevance_level": self.relevance_level,
            "truncated": self.truncated,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class ControlView:
    """What the harness reads of a tool result and the model never sees (S1-5.2)."""

    tool_name: str
    scope: Scope
    evidence_status: EvidenceStatus
    total_count: int
    relevance_level: RelevanceLevel
    top_score: float
    truncated: bool
    fingerprint: str
    """Hash of tool name and normalised scope: equal fingerprints ask the same (S1-6.1)."""
    observation_bytes: int

    def to_dict(self) -> dict[str, Any]:
        """The document of contract `control_view`."""
        return {
            "tool_name": self.tool_name,
            "scope": dict(self.scope),
            "evidence_status": self.evidence_status,
            "total_count": self.total_count,
            "relevance_level": self.relevance_level,
            "top_score": self.top_score,
            "truncated": self.truncated,
            "fingerprint": self.fingerprint,
            "observation_bytes": self.observation_bytes,
        }
