"""The body of a chat completion as a ModelReply.

Owns the reading. Refuses what is no JSON of the protocol's shape, what is larger than its bounds, and tool calls whose
arguments are no JSON object. Invariant: a reply or a ModelError whose message quotes nothing of the body.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from groundrules.contracts import MODEL_OUTPUT, ReadLimits, read_json
from groundrules.errors import ModelError
from groundrules.records.evidence import ToolRequest
from groundrules.records.exchange import ModelReply, ModelRequest, Usage

BODY_LIMITS = ReadLimits(max_bytes=8_000_000, max_depth=64)
"""A text of `TEXT_LIMIT_BYTES` in Chinese takes twice as much in a body that escapes it."""
TEXT_LIMIT_BYTES = 2_000_000
CALLS_LIMIT = 64
NAME_LIMIT = 200
CHARS_PER_TOKEN = 4
MAX_TOKENS = 1_000_000_000
"""More tokens than that is no count."""


def read_reply(body: bytes, request: ModelRequest, model: str) -> ModelReply:
    """The reply that a body holds. `model` stands in when the server does not say which model answered."""
    document, issues = read_json(body, limits=BODY_LIMITS)
    if issues or not isinstance(document, Mapping):
        raise ModelError("the server's answer is no JSON object")
    choice = _choice(document)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise ModelError("the server's answer holds no message")
    text, calls = _text(message), _calls(message.get("tool_calls"), request)
    if not text.strip() and not calls:
        raise ModelError("the model said nothing")
    return ModelReply(
        text=text,
        tool_calls=calls,
        usage=_usage(document.get("usage")) or estimated_usage(request, text, calls),
        model=_short(document.get("model")) or model,
        finish_reason=_short(choice.get("finish_reason")) or ("tool_calls" if calls else "stop"),
    )


def estimated_usage(request: ModelRequest, text: str, calls: Sequence[ToolRequest]) -> Usage:
    """Tokens by the length of what was said, for servers that count none."""
    asked = sum(len(one.content) + sum(_call_length(call) for call in one.tool_calls) for one in request.messages)
    asked += sum(len(tool.description) + len(str(tool.parameters)) for tool in request.tools)
    said = len(text) + sum(_call_length(call) for call in calls)
    return Usage(-(-asked // CHARS_PER_TOKEN), -(-said // CHARS_PER_TOKEN), estimated=True)


def _call_length(call: ToolRequest) -> int:
    return len(call.tool_name) + len(str(call.arguments))


def _choice(document: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ModelError("the server's answer holds no choice")
    if not isinstance(choices[0], Mapping):
        raise ModelError("the server's answer holds a choice that is no object")
    return choices[0]


def _text(message: Mapping[str, Any]) -> str:
    text = message.get("content")
    if text is None:
        return ""
    if not isinstance(text, str):
        raise ModelError("the content of the server's message is no text")
    size = len(text.encode())
    if size > TEXT_LIMIT_BYTES:
        raise ModelError(f"the model's text has {size} bytes, at most {TEXT_LIMIT_BYTES} are read")
    return text


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    asked, said = _count(value.get("prompt_tokens")), _count(value.get("completion_tokens"))
    return Usage(asked, said) if asked is not None and said is not None else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS else None


def _short(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= NAME_LIMIT else ""


def _calls(value: object, request: ModelRequest) -> tuple[ToolRequest, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > CALLS_LIMIT:
        raise ModelError(f"the tool calls of the server's message are no list of at most {CALLS_LIMIT}")
    taken = {call.tool_call_id for message in request.messages for call in message.tool_calls}
    calls: list[ToolRequest] = []
    for number, item in enumerate(value, 1):
        call = _call(item, number, request, taken)
        taken.add(call.tool_call_id)
        calls.append(call)
    return tuple(calls)


def _call(item: object, number: int, request: ModelRequest, taken: set[str]) -> ToolRequest:
    function = item.get("function") if isinstance(item, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(function, Mapping) or not isinstance(name, str) or not name:
        raise ModelError(f"tool call {number} names no function")
    if len(name) > NAME_LIMIT:
        raise ModelError(f"the function's name of tool call {number} has {len(name)} characters")
    known = any(name == tool.name for tool in request.tools)
    place = f"tool call {number} ({name})" if known else f"tool call {number}"
    return ToolRequest(
        _call_id(item.get("id"), number, request, taken), name, _arguments(function.get("arguments"), place)
    )


def _call_id(given: object, number: int, request: ModelRequest, taken: set[str]) -> str:
    """The server's id if it has a usable one. Ours counts the messages so far, so it is new in the conversation."""
    if isinstance(given, str) and 0 < len(given) <= NAME_LIMIT and given not in taken:
        return given
    made = f"call-{len(request.messages)}-{number}"
    while made in taken:
        made += "x"
    return made


def _arguments(value: object, place: str) -> Mapping[str, Any]:
    """The arguments. A call without any is written as an empty text by some servers, and as an object by others."""
    text = json.dumps(value) if isinstance(value, Mapping) else value
    if text is None or (isinstance(text, str) and not text.strip()):
        return {}
    arguments, issues = read_json(text, limits=MODEL_OUTPUT) if isinstance(text, str) else (None, ())
    if issues or not isinstance(arguments, dict):
        raise ModelError(f"the arguments of {place} are no JSON object")
    return arguments
