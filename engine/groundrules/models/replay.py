"""Recorded replies of a model: written beside any client, read back without one.

Owns the recording's format, one JSON line for each reply: a hash of what was asked, and what was answered. Refuses a
recording outside the project, and lines that are no record. Invariants: the same request gives the same reply, the last
one recorded for it; what was asked is stored as a hash only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from groundrules.config.model_cards import ModelCard
from groundrules.contracts import ReadLimits, read_json
from groundrules.errors import ConfigurationError, Issue, ModelError, UsageError
from groundrules.ports import ModelClient
from groundrules.records.evidence import ToolRequest
from groundrules.records.exchange import Component, Message, ModelReply, ModelRequest, Usage

LINE_LIMITS = ReadLimits(max_bytes=16_000_000, max_depth=80)
FILE_LIMIT_BYTES = 200_000_000
Sink = Callable[[str], None]
"""Keeps one line of a recording."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Call(_Part):
    tool_call_id: str
    tool_name: str
    arguments: dict[str, Any]


class _Usage(_Part):
    input_tokens: Annotated[int, Field(ge=0)]
    output_tokens: Annotated[int, Field(ge=0)]
    estimated: bool


class _Reply(_Part):
    text: str
    tool_calls: list[_Call]
    usage: _Usage
    model: str
    finish_reason: str


class _Line(_Part):
    key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    component: Component
    round: int
    reply: _Reply


@dataclass(frozen=True, slots=True)
class Recorded:
    """One reply with what it answers."""

    key: str
    component: Component
    round: int
    reply: ModelReply


class ReplayClient:
    """A ModelClient that repeats what was recorded and knows nothing else."""

    def __init__(self, records: Iterable[Recorded], source: str) -> None:
        self._replies = {record.key: record.reply for record in records}
        self._source = source

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply. Raises ModelError when this request was never recorded."""
        reply = self._replies.get(request_key(request))
        if reply is None:
            raise ModelError(
                f"{self._source} holds no reply for this request of the {request.component} in round {request.round}. "
                "Prompts, cards, data or the question have changed since: record again"
            )
        return reply


class RecordingClient:
    """A ModelClient that passes on to another and keeps each reply."""

    def __init__(self, inner: ModelClient, sink: Sink) -> None:
        self._inner, self._sink = inner, sink

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The inner client's reply, once it is kept. A ModelError passes through and is not kept.

        Raises ModelError for a reply that no recording can hold, such as one with a lone surrogate or a NaN.
        """
        reply = await self._inner.complete(request)
        line = render_record(Recorded(request_key(request), request.component, request.round, reply))
        _record, problem = _read_line(line.encode("utf-8", "surrogatepass"))
        if problem:
            raise ModelError(f"the reply of the {request.component} in round {request.round} cannot be recorded")
        self._sink(line)
        return reply


def open_replay(card: ModelCard, root: Path) -> ReplayClient:
    """The client of a card. Raises UsageError for a place outside the project, ConfigurationError for bad lines."""
    if card.recording is None:
        raise UsageError(f"model `{card.name}` is of kind {card.kind}, not replay")
    place = (root / card.recording).resolve()
    if not place.is_relative_to(root.resolve()):
        raise UsageError(f"the recording {card.recording} of model `{card.name}` lies outside the project")
    if not place.is_file():
        raise UsageError(f"there is no recording {card.recording} for model `{card.name}`")
    try:
        if place.stat().st_size > FILE_LIMIT_BYTES:
            raise UsageError(f"the recording {card.recording} is larger than {FILE_LIMIT_BYTES:,} bytes")
        content = place.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"the recording {card.recording} of model `{card.name}` cannot be read: {reason}") from error
    records, issues = read_recording(content, card.recording)
    if issues:
        raise ConfigurationError(issues)
    return ReplayClient(records, card.recording)


def read_recording(content: bytes, file: str) -> tuple[tuple[Recorded, ...], tuple[Issue, ...]]:
    """Every record of a recording, and every line that is none."""
    records: list[Recorded] = []
    issues: list[Issue] = []
    # Split at line feeds alone: a reply's text may hold the other characters that end a line for Python.
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            record, problem = _read_line(line)
            records += [record] if record else []
            issues += [Issue(file, number, "$", problem, "remove the line or record again")] if problem else []
    return tuple(records), tuple(issues)


def render_record(record: Recorded) -> str:
    """The record as one line, without the line feed at its end."""
    reply = record.reply
    document = {
        "key": record.key,
        "component": record.component,
        "round": record.round,
        "reply": {
            "text": reply.text,
            "tool_calls": [_call_document(call) for call in reply.tool_calls],
            "usage": {
                "input_tokens": reply.usage.input_tokens,
                "output_tokens": reply.usage.output_tokens,
                "estimated": reply.usage.estimated,
            },
            "model": reply.model,
            "finish_reason": reply.finish_reason,
        },
    }
    return json.dumps(document, ensure_ascii=False, default=dict)


def request_key(request: ModelRequest) -> str:
    """SHA-256 of what decides a reply: who asks, what is said, which tools are offered, what shape is wanted."""
    document = {
        "component": request.component,
        "messages": [_message_document(message) for message in request.messages],
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in request.tools
        ],
        "response_schema": request.response_schema,
    }
    canonical = json.dumps(document, ensure_ascii=True, sort_keys=True, separators=(",", ":"), default=dict)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _message_document(message: Message) -> dict[str, Any]:
    return {
        "role": message.role,
        "content": message.content,
        "tool_calls": [_call_document(call) for call in message.tool_calls],
        "tool_call_id": message.tool_call_id,
    }


def _call_document(call: ToolRequest) -> dict[str, Any]:
    return {"tool_call_id": call.tool_call_id, "tool_name": call.tool_name, "arguments": call.arguments}


def _read_line(line: bytes) -> tuple[Recorded | None, str]:
    """The record of a line, or why it is none."""
    document, issues = read_json(line, limits=LINE_LIMITS)
    if issues:
        return None, f"is no JSON: {issues[0].message}"
    try:
        read = _Line.model_validate(document)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in found["loc"]) or "the line"
        return None, f"is no record: {place}: {found['msg']}"
    return Recorded(read.key, read.component, read.round, _reply(read.reply)), ""


def _reply(read: _Reply) -> ModelReply:
    return ModelReply(
        text=read.text,
        tool_calls=tuple(ToolRequest(call.tool_call_id, call.tool_name, call.arguments) for call in read.tool_calls),
        usage=Usage(read.usage.input_tokens, read.usage.output_tokens, read.usage.estimated),
        model=read.model,
        finish_reason=read.finish_reason,
    )
