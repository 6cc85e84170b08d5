"""Trace events: the one stream that the CLI, the store, replay and readers all read.

Owns the event and its numbering. Invariant: the events of a run are numbered 1..n without a gap, and no event
carries a prompt, a thought, a raw payload or a credential (S1-8.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

EventType = Literal[
    "RUN_STARTED",
    "MODEL_CALL",
    "PLAN",
    "ROUTING_DECISION",
    "TOOL_INVOCATION",
    "TOOL_REQUEST_REJECTED",
    "EXECUTOR_OUTPUT",
    "GATEKEEPER_RESULT",
    "VERIFIED_PROJECTION",
    "VERIFIER_RESULT",
    "EDGE",
    "COMPOSER_RESULT",
    "ANSWER_GATE",
    "RELEASE_DECISION",
    "RUN_FINISHED",
]
EVENT_TYPES: tuple[EventType, ...] = EventType.__args__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One step of a run."""

    run_id: str
    sequence: int
    type: EventType
    at: datetime
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The document of contract `trace_event`."""
        return {
            "run_id": self.run_id,
            "sequence": self.sequence,
            "type": self.type,
            "at": self.at.isoformat(),
            "data": dict(self.data),
        }


class Tracer:
    """Numbers the events of one run and hands each to its sinks before it returns."""

    def __init__(
        self, run_id: str, clock: Callable[[], datetime], sinks: tuple[Callable[[TraceEvent], None], ...]
    ) -> None:
        self._run_id, self._clock, self._sinks = run_id, clock, sinks
        self._count = 0

    def emit(self, kind: EventType, data: Mapping[str, Any]) -> TraceEvent:
        """Record one step. A sink that raises stops the run: an event that is not kept did not happen."""
        self._count += 1
        event = TraceEvent(self._run_id, self._count, kind, self._clock(), data)
        for sink in self._sinks:
            sink(event)
        return event
