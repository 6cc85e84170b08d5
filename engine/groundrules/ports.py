"""The seams between the core and the world: one Protocol each, as small as it can be.

Everything that waits, reads a clock or makes an id comes through here, so that a test or a replay can stand in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

from groundrules.records.evidence import RawResult
from groundrules.records.exchange import ModelReply, ModelRequest
from groundrules.trace import TraceEvent

Clock = Callable[[], datetime]
"""The present time, aware, in UTC."""
NewId = Callable[[], str]
"""A fresh id, never given before."""
Stopwatch = Callable[[], float]
"""Seconds of a monotonic clock, for durations."""


class ModelClient(Protocol):
    """A model behind one method. Raises ModelError when there is no usable reply; nothing else."""

    async def complete(self, request: ModelRequest) -> ModelReply: ...


class Transport(Protocol):
    """Carries a tool call out. A failure comes back as `RawResult.failure`; it never raises."""

    async def call(self, arguments: Mapping[str, Any]) -> RawResult: ...


class Journal(Protocol):
    """Keeps trace events durably, in order, before the run's next step (DESIGN §8)."""

    def append(self, event: TraceEvent) -> None: ...
