"""One model call, guarded: rendered, bounded in time, counted, and traced.

Owns the runner's guard around a model. Invariant: whatever an adapter does, the caller gets a reply or a
ModelError, and the call is on record either way, without prompt or reply text (S1-2.2, S1-8.1).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from groundrules.errors import ModelError, UsageError
from groundrules.pipelines.engine import Engine
from groundrules.prompts import render
from groundrules.records.exchange import (
    Component,
    Message,
    ModelCall,
    ModelReply,
    ModelRequest,
    PromptStamp,
    ToolDefinition,
    Usage,
)
from groundrules.trace import Tracer

NO_USAGE = Usage(0, 0, estimated=True)


class Asker:
    """Asks the model on behalf of one run and keeps the account of its calls."""

    def __init__(self, engine: Engine, tracer: Tracer, locale: str) -> None:
        self._engine, self._tracer, self._locale = engine, tracer, locale
        self.calls: list[ModelCall] = []

    @property
    def total_tokens(self) -> int:
        return sum(call.usage.total_tokens for call in self.calls)

    async def ask(
        self,
        component: Component,
        round_number: int,
        inputs: Mapping[str, Any],
        *,
        history: tuple[Message, ...] = (),
        tools: tuple[ToolDefinition, ...] = (),
        response_schema: Mapping[str, Any] | None = None,
    ) -> ModelReply:
        """One reply. Raises ModelError when there is none in time, whatever the adapter did."""
        prompt = self._engine.prompts.get(component, self._locale)
        try:
            rendered = render(prompt, inputs)
        except UsageError as error:
            raise ModelError(str(error)) from error
        request = ModelRequest(
            component=component,
            round=round_number,
            messages=(*rendered, *history),
            inputs=inputs,
            prompt=prompt.stamp,
            tools=tools,
            response_schema=response_schema,
            locale=self._locale,
        )
        began = self._engine.stopwatch()
        try:
            # Not wait_for: on Python 3.11 it swallows a cancellation that comes while the reply is ready.
            async with asyncio.timeout(self._engine.limits.model_timeout_s):
                reply = await self._engine.model.complete(request)
        except ModelError as error:
            self._keep(request, prompt.stamp, None, began, str(error))
            raise
        except TimeoutError as error:
            message = f"no reply of the {component} within {self._engine.limits.model_timeout_s:g} s"
            self._keep(request, prompt.stamp, None, began, message)
            raise ModelError(message) from error
        except Exception as error:  # an adapter's defect is a failed call, not the end of the process
            message = f"the model adapter failed: {type(error).__name__}"
            self._keep(request, prompt.stamp, None, began, message)
            raise ModelError(message) from error
        self._keep(request, prompt.stamp, reply, began, "")
        return reply

    def _keep(
        self, request: ModelRequest, stamp: PromptStamp, reply: ModelReply | None, began: float, error: str
    ) -> None:
        call = ModelCall(
            component=request.component,
            round=request.round,
            prompt=stamp,
            model=reply.model if reply else "",
            usage=reply.usage if reply else NO_USAGE,
            latency_ms=round((self._engine.stopwatch() - began) * 1000, 3),
            outcome="ok" if reply else "failed",
            error=error,
        )
        self.calls.append(call)
        self._tracer.emit("MODEL_CALL", call.to_dict())
