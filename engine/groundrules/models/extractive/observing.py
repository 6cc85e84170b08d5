"""What tools returned so far, read back from the conversation.

Owns the pairing of tool messages with the calls that they answer. Refuses nothing: a message that cannot be read is an
observation that failed. Invariant: texts are data; nothing in them is looked at here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from groundrules.records.evidence import EvidenceRef, ToolRequest
from groundrules.records.exchange import Message

MAX_REFS = 200
_STATUSES = ("supported", "no_evidence", "deduped", "failed")


@dataclass(frozen=True, slots=True)
class Seen:
    """One tool call with what came back."""

    request: ToolRequest
    status: str
    invocation_id: int | None
    """None for a call that was refused: nothing of it can be cited."""
    evidence: tuple[EvidenceRef, ...]
    scope: Mapping[str, str]
    relevance: str


def read_observations(messages: Iterable[Message]) -> tuple[Seen, ...]:
    """Each answered call of the conversation, in order."""
    asked: dict[str, ToolRequest] = {}
    seen: list[Seen] = []
    for message in messages:
        asked |= {call.tool_call_id: call for call in message.tool_calls}
        if message.role == "tool" and message.tool_call_id in asked:
            seen.append(_seen(asked[message.tool_call_id], message.content))
    return tuple(seen)


def _seen(request: ToolRequest, content: str) -> Seen:
    document = _document(content)
    status, identity, scope = (document.get(name) for name in ("evidence_status", "source_invocation_id", "scope"))
    return Seen(
        request=request,
        status=status if isinstance(status, str) and status in _STATUSES else "failed",
        invocation_id=identity if isinstance(identity, int) and not isinstance(identity, bool) else None,
        evidence=_refs(document.get("evidence")),
        scope={str(name): str(value) for name, value in scope.items()} if isinstance(scope, Mapping) else {},
        relevance=str(document.get("relevance_level", "NONE")),
    )


def _document(content: str) -> Mapping[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _refs(listed: object) -> tuple[EvidenceRef, ...]:
    items = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    pairs = ((item.get("raw_path"), item.get("text")) for item in items[:MAX_REFS])
    return tuple(EvidenceRef(path, text) for path, text in pairs if isinstance(path, str) and isinstance(text, str))
