"""Stand-ins for the ports, for tests of groundrules and of projects that use it.

Owns a scripted model, a scripted transport, a clock and ids that repeat. Each does what it was told and nothing else,
and raises when it is asked for more.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from groundrules.errors import ModelError
from groundrules.records.evidence import RawResult, ToolRequest
from groundrules.records.exchange import ModelReply, ModelRequest, Usage

START = datetime(2026, 7, 8, 23, 30, tzinfo=UTC)
USAGE = Usage(100, 20)
Answer = ModelReply | Exception | Callable[[ModelRequest], "ModelReply | Exception"]


def says(document: object) -> ModelReply:
    """A reply that is this text, or this document as JSON."""
    text = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    return ModelReply(text, (), USAGE, "scripted")


def calls(tool_name: str, **arguments: Any) -> ModelReply:
    """A reply that asks for one tool call."""
    request = ToolRequest(f"call-{tool_name}-{len(json.dumps(arguments))}", tool_name, arguments)
    return ModelReply("", (request,), USAGE, "scripted", "tool_calls")


class ScriptedModel:
    """Answers each component from its own list, in order; keeps every request."""

    def __init__(self, **answers: Iterable[Answer]) -> None:
        self._answers: Mapping[str, Iterator[Answer]] = {name: iter(found) for name, found in answers.items()}
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The next answer of the component. Raises ModelError when there is none left."""
        self.requests.append(request)
        answer = next(self._answers.get(request.component, iter(())), None)
        if answer is None:
            message = f"nothing is scripted for the {request.component}"
            raise ModelError(message)
        given = answer(request) if callable(answer) else answer
        if isinstance(given, Exception):
            raise given
        return given


class HangingModel:
    """Never answers."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        await asyncio.Event().wait()
        raise ModelError(request.component)


class ScriptedTransport:
    """Answers each call with the next result; keeps the arguments of each."""

    def __init__(self, results: Iterable[RawResult | Exception]) -> None:
        self._results = iter(results)
        self.arguments: list[Mapping[str, Any]] = []

    async def call(self, arguments: Mapping[str, Any]) -> RawResult:
        self.arguments.append(arguments)
        result = next(self._results, RawResult(failure="nothing is scripted"))
        if isinstance(result, Exception):
            raise result
        return result


def json_result(document: object) -> RawResult:
    """A transport's answer that is this JSON document."""
    return RawResult(body=json.dumps(document, ensure_ascii=False).encode())


class FixedClock:
    """Tells the same start and moves on a second with each look."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start - timedelta(seconds=1)

    def __call__(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


class SequentialIds:
    """run-1, run-2, …"""

    def __init__(self, prefix: str = "run") -> None:
        self._prefix, self._count = prefix, 0

    def __call__(self) -> str:
        self._count += 1
        return f"{self._prefix}-{self._count}"
