"""A request as the body of a chat-completions call, in the dialect that the server understands.

Owns the body and the dialect. Refuses nothing. Invariants: a body holds nothing that neither the request nor the card
says, and a dialect only ever becomes weaker, so adapting to a server ends.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from groundrules.config.model_cards import ModelCard, ResponseFormat
from groundrules.records.evidence import ToolRequest
from groundrules.records.exchange import Message, ModelRequest, ToolDefinition

_WEAKER: Mapping[ResponseFormat, ResponseFormat] = {"json_schema": "json_object", "json_object": "none"}
_FORMAT_WORDS = ("response_format", "response format", "json_schema", "json_object")


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where servers differ."""

    response_format: ResponseFormat
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """Older and local servers know the first name, newer hosted models only the second."""


def chat_body(request: ModelRequest, card: ModelCard, dialect: Dialect) -> dict[str, Any]:
    """The body. A format is asked for only without tools: with both, servers differ in which of them they drop."""
    body: dict[str, Any] = {"model": card.model, "messages": [_message(one) for one in request.messages]}
    if card.temperature is not None:
        body["temperature"] = card.temperature
    if card.seed is not None:
        body["seed"] = card.seed
    if card.max_output_tokens is not None:
        body[dialect.limit_name] = card.max_output_tokens
    if request.tools:
        body["tools"] = [_tool(one) for one in request.tools]
    elif request.response_schema is not None and dialect.response_format != "none":
        body["response_format"] = _format(request.component, request.response_schema, dialect.response_format)
    return body


def weaker_dialect(dialect: Dialect, body: Mapping[str, Any], refusal: str) -> Dialect | None:
    """The dialect to try after a refusal in the server's words; none when they point to nothing that can be dropped."""
    words = refusal.lower()
    if "response_format" in body and any(word in words for word in _FORMAT_WORDS):
        return replace(dialect, response_format=_WEAKER[dialect.response_format])
    if "max_tokens" in body and "max_completion_tokens" in words:
        return replace(dialect, limit_name="max_completion_tokens")
    return None


def _message(message: Message) -> dict[str, Any]:
    content = _sendable(message.content)
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": content}
    if message.tool_calls:
        calls = [_call(one) for one in message.tool_calls]
        return {"role": message.role, "content": content or None, "tool_calls": calls}
    return {"role": message.role, "content": content}


def _call(call: ToolRequest) -> dict[str, Any]:
    arguments = _sendable(json.dumps(dict(call.arguments), ensure_ascii=False, default=dict))
    return {"id": call.tool_call_id, "type": "function", "function": {"name": call.tool_name, "arguments": arguments}}


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": _plain(tool.parameters)}
    return {"type": "function", "function": function}


def _format(name: str, schema: Mapping[str, Any], wanted: ResponseFormat) -> dict[str, Any]:
    if wanted == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": name, "schema": _plain(schema)}}


def _plain(schema: Mapping[str, Any]) -> Any:
    """The schema as dicts and lists all through: the SDK encodes no other mapping."""
    return json.loads(json.dumps(dict(schema), default=dict))


def _sendable(text: str) -> str:
    """The text with each lone surrogate replaced: UTF-8 has no bytes for one."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
