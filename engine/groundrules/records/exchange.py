"""What is said to a model and what it says back.

Owns the request, the reply and the usage. Invariant: a request carries everything that a model may know;
an adapter adds nothing to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from groundrules.records.evidence import ToolRequest

Component = Literal["planner", "executor", "verifier", "composer"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation in the OpenAI shape."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolRequest, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as it is registered through native tool calling (S1-5.1)."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments."""


@dataclass(frozen=True, slots=True)
class PromptStamp:
    """Which prompt made a request (S0-9.3, C-3)."""

    prompt_id: str
    version: str
    locale: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model is given for one reply."""

    component: Component
    round: int
    messages: tuple[Message, ...]
    inputs: Mapping[str, Any]
    """What the prompt was rendered from: the same knowledge as `messages`, before it became text."""
    prompt: PromptStamp
    tools: tuple[ToolDefinition, ...] = ()
    response_schema: Mapping[str, Any] | None = None
    """JSON Schema that the reply's text must satisfy; none for free text or tool calls."""
    locale: str = "zh"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply; `estimated` when the server sent none."""

    input_tokens: int
    output_tokens: int
    estimated: bool = False

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model said: text, or tool calls, with its cost."""

    text: str
    tool_calls: tuple[ToolRequest, ...]
    usage: Usage
    model: str
    finish_reason: str = "stop"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """The account of one model call, as it is stored: no prompt text, no reply text (S1-2.2, S1-8.1)."""

    component: Component
    round: int
    prompt: PromptStamp
    model: str
    usage: Usage
    latency_ms: float
    outcome: Literal["ok", "failed"]
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """One entry of `diagnosis_run.model_calls`."""
        return {
            "component": self.component,
            "round": self.round,
            "prompt": {
                "id": self.prompt.prompt_id,
                "version": self.prompt.version,
                "locale": self.prompt.locale,
                "hash": self.prompt.content_hash,
            },
            "model": self.model,
            "input_tokens": self.usage.input_tokens,
            "output_tokens": self.usage.output_tokens,
            "total_tokens": self.usage.total_tokens,
            "tokens_estimated": self.usage.estimated,
            "latency_ms": self.latency_ms,
            "outcome": self.outcome,
            "error": self.error,
        }
