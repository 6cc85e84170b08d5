"""A chat-completions server on the loopback address that answers what a test scripts, faults included."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from groundrules.records.exchange import Message, ModelRequest, PromptStamp, ToolDefinition

KEY = "sk-sentinel-4711"
Fault = Literal["none", "cut_body", "no_answer", "hang"]


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of the server."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Fault = "none"


def said(text: str | None = "好", **extra: Any) -> Step:
    """A usual completion; `extra` replaces its parts."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    document: dict[str, Any] = {
        "id": "c-1",
        "object": "chat.completion",
        "model": "served-model",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }
    return Step(body=json.dumps({**document, **extra}, ensure_ascii=False).encode())


def called(*calls: Mapping[str, Any]) -> Step:
    """A completion that asks for tools."""
    message = {"role": "assistant", "content": None, "tool_calls": list(calls)}
    return said(None, choices=[{"index": 0, "finish_reason": "tool_calls", "message": message}])


def refused(status: int, message: str = "no", **headers: str) -> Step:
    """An error in the protocol's shape."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return Step(status, json.dumps({"error": {"message": message, "type": "some_error"}}).encode(), sent)


@dataclass(slots=True)
class Script:
    """What the server will answer, and what it was asked."""

    steps: Sequence[Step]
    base_url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextmanager
def serving(*steps: Step) -> Iterator[Script]:
    """Serve the steps in order, the last one for ever."""
    script, released = Script(steps), threading.Event()
    server = _Server(("127.0.0.1", 0), _handler(script, released))
    script.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield script
    finally:
        released.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is part of the tests."""


def _handler(script: Script, released: threading.Event) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            script.paths.append(self.path)
            script.headers.append({name.lower(): value for name, value in self.headers.items()})
            script.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            step = script.steps[min(len(script.bodies), len(script.steps)) - 1]
            if step.fault == "hang":
                released.wait(30)
            elif step.fault != "no_answer":
                self._answer(step)

        def _answer(self, step: Step) -> None:
            missing = 100 if step.fault == "cut_body" else 0
            self.send_response(step.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(step.body) + missing))
            for name, value in step.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(step.body)

        def log_message(self, *said: Any) -> None:
            """Say nothing."""

    return Handler


TOOL = ToolDefinition("query_logs", "查日志", {"type": "object", "properties": {"service": {"type": "string"}}})
SCHEMA = {"type": "object", "required": ["plan"]}


def request(
    *,
    tools: tuple[ToolDefinition, ...] = (),
    response_schema: Mapping[str, Any] | None = None,
    messages: tuple[Message, ...] = (Message("system", "你是规划者。"), Message("user", "payment-service 告警吗？")),
) -> ModelRequest:
    """What a stage asks."""
    return ModelRequest(
        component="planner",
        round=1,
        messages=messages,
        inputs={},
        prompt=PromptStamp("planner", "1", "zh", "0" * 64),
        tools=tools,
        response_schema=response_schema,
    )
