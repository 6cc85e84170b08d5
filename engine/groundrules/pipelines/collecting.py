"""The executor's loop: the model asks tools until it writes its output, or the stop policy ends it.

Owns the order of one exchange: request → stop policy → transport → projector → observation. Invariant: a tool
result is on record before the model sees it; a refused request never becomes an invocation (S1-2.2).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from groundrules.contracts import check_against
from groundrules.pipelines.asking import Asker
from groundrules.pipelines.engine import Engine, Tool
from groundrules.policies import stop
from groundrules.projection import normalise_scope, observe, project
from groundrules.records.decisions import SubjectFacts
from groundrules.records.evidence import ModelObservation, RawResult, ToolInvocation, ToolRequest
from groundrules.records.exchange import Message, ModelReply
from groundrules.trace import Tracer

NO_SCOPE = ()


@dataclass(frozen=True, slots=True)
class Collected:
    """What came of one round of the executor."""

    text: str | None
    """The executor's output; None when it was stopped before it wrote one."""
    stop_reason: str


class Collector:
    """Runs the executor's exchanges of one run; keeps invocations, progress and what was said."""

    def __init__(
        self, engine: Engine, tracer: Tracer, asker: Asker, *, run_id: str, session_id: str, locale: str, narrow: bool
    ) -> None:
        self._engine, self._tracer, self._asker = engine, tracer, asker
        self._run_id, self._session_id, self._locale = run_id, session_id, locale
        self._began = engine.stopwatch()
        self._progress = stop.Progress(narrow=narrow)
        self._history: tuple[Message, ...] = ()
        self.invocations: list[ToolInvocation] = []
        self.subjects: list[SubjectFacts] = []

    async def collect(self, inputs: Mapping[str, Any], round_number: int, schema: Mapping[str, Any]) -> Collected:
        """Exchange with the model until it writes its output. Raises ModelError when the model is down."""
        definitions = tuple(tool.definitions[self._locale] for tool in self._engine.tools.values())
        while True:
            reply = await self._asker.ask(
                "executor",
                round_number,
                inputs,
                history=self._history,
                tools=definitions,
                response_schema=schema,
            )
            self._progress = self._progress.after_model(reply.usage.total_tokens, self._elapsed())
            if not reply.tool_calls:
                return Collected(reply.text, "MODEL_FINISHED")
            stopped = await self._exchange(reply)
            if stopped:
                return Collected(None, stopped)

    async def _exchange(self, reply: ModelReply) -> str:
        """Answer every call of one message, in order. Returns the reason when the run must stop."""
        self._history = (*self._history, Message("assistant", reply.text, reply.tool_calls))
        for request in reply.tool_calls:
            decision = self._decide(request)
            if decision.effect == "stop":
                self._refused(request, decision)
                return decision.reason
            observation = await self._answer(request, decision)
            content = json.dumps(observation.to_dict(), ensure_ascii=False)
            self._history = (*self._history, Message("tool", content, tool_call_id=request.tool_call_id))
        return ""

    def _decide(self, request: ToolRequest) -> stop.RequestDecision:
        tool = self._engine.tools.get(request.tool_name)
        valid = tool is not None and not check_against(
            tool.definitions[self._locale].parameters, dict(request.arguments)
        )
        call = stop.AskedCall(
            tool_name=request.tool_name if tool else "unknown",
            scope=normalise_scope(tool.scope, request.arguments) if tool and valid else NO_SCOPE,
            tool_known=tool is not None,
            arguments_valid=valid,
            poll_allowed=tool is not None and tool.poll_allowed,
        )
        decision = stop.decide(self._progress, call, self._engine.judges.stop)
        self.subjects.append(decision.subject)
        return decision

    async def _answer(self, request: ToolRequest, decision: stop.RequestDecision) -> ModelObservation:
        if decision.effect == "allow":
            return await self._invoke(request, self._engine.tools[request.tool_name])
        self._refused(request, decision)
        first = decision.first_asked if decision.effect == "dedupe" else None
        observation = ModelObservation(
            tool_call_id=request.tool_call_id,
            scope=first.scope if first else NO_SCOPE,
            evidence=(),
            evidence_status="deduped" if first else "failed",
            relevance_level="NONE",
            truncated=False,
            source_invocation_id=first.invocation_id if first else None,
            note=decision.hits[0].message if decision.hits else decision.reason,
        )
        self._progress = self._progress.after_rejection(_size(observation))
        return observation

    def _refused(self, request: ToolRequest, decision: stop.RequestDecision) -> None:
        name = request.tool_name if request.tool_name in self._engine.tools else "unknown"
        hits = [hit.to_dict() for hit in decision.hits]
        self._tracer.emit("TOOL_REQUEST_REJECTED", {"tool_name": name, "reason": decision.reason, "hits": hits})

    async def _invoke(self, request: ToolRequest, tool: Tool) -> ModelObservation:
        scope = normalise_scope(tool.scope, request.arguments)
        started_at, began = self._engine.clock(), self._engine.stopwatch()
        raw = await call_transport(tool, request.arguments)
        invocation = ToolInvocation(
            id=len(self.invocations) + 1,
            run_id=self._run_id,
            session_id=self._session_id,
            tool_call_id=request.tool_call_id,
            tool_name=request.tool_name,
            result=project(tool.projection, request.tool_name, scope, raw),
            started_at=started_at,
            duration_ms=round((self._engine.stopwatch() - began) * 1000, 3),
        )
        self.invocations.append(invocation)
        self._tracer.emit("TOOL_INVOCATION", {"invocation": invocation.to_dict()})
        observation = observe(
            invocation.result, request.tool_call_id, invocation.id, self._engine.limits.observation_max_chars
        )
        seen = stop.Checked(request.tool_name, scope, invocation.result.evidence_status, invocation.id)
        self._progress = self._progress.after_tool(seen, _size(observation), self._elapsed())
        return observation

    def _elapsed(self) -> float:
        return self._engine.stopwatch() - self._began


async def call_transport(tool: Tool, arguments: Mapping[str, Any]) -> RawResult:
    """Call a tool within its time. A failure of any kind is a failed result."""
    try:
        async with asyncio.timeout(tool.timeout_s):
            return await tool.transport.call(arguments)
    except TimeoutError:
        return RawResult(failure=f"no answer within {tool.timeout_s:g} s")
    except Exception as error:  # noqa: BLE001  # a transport's defect is a failed call, and its text may hold a secret
        return RawResult(failure=f"the transport failed: {type(error).__name__}")


def _size(observation: ModelObservation) -> int:
    return len(json.dumps(observation.to_dict(), ensure_ascii=False).encode("utf-8", "replace"))
