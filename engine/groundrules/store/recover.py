"""The record of a run whose process died, made from its events.

Owns what is said about such a run: FAILED, `PROCESS_DIED`, nothing published, every tool result that was kept.
Invariant: it never ends in anything but FAILED, and it never holds a claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

PROCESS_DIED = "PROCESS_DIED"
_FAILURE = "the process ended before the run did; the tool results that it had are kept"


def died_run(run_id: str, events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The `diagnosis_run` document of a run that left at least one event and no record."""
    start: Mapping[str, Any] = next((event["data"] for event in events if event["type"] == "RUN_STARTED"), {})
    gates = [gate for gate in _documents(events, "GATEKEEPER_RESULT", "gatekeeper_result") if "severity" in gate]
    return {
        "run_id": run_id,
        "session_id": _text(start, "session_id"),
        "pipeline": _text(start, "pipeline"),
        "query": _text(start, "query"),
        "locale": _text(start, "locale"),
        "narrow": start.get("narrow") is True,
        "started_at": events[0]["at"],
        "finished_at": events[-1]["at"],
        "outcome": "FAILED",
        "stop_reason": PROCESS_DIED,
        "failure": _FAILURE,
        "verdict": None,
        "answer": None,
        "fallback": None,
        "claims": [],
        "planner_plan": next(_documents(events, "PLAN", "planner_plan"), {}),
        "gatekeeper_result": gates[-1] if gates else None,
        "self_evaluation": {"verifier_evaluation": {}},
        "orchestration_trace": [dict(event["data"]) for event in events if event["type"] == "EDGE"],
        "tool_invocations": list(_documents(events, "TOOL_INVOCATION", "invocation")),
        "model_calls": list(_documents(events, "MODEL_CALL", "model_call")),
        "lock": start["lock"] if isinstance(start.get("lock"), dict) else {},
    }


def _documents(events: Sequence[Mapping[str, Any]], kind: str, key: str) -> Iterator[Mapping[str, Any]]:
    for event in events:
        document = event["data"].get(key)
        if event["type"] == kind and isinstance(document, dict):
            yield document


def _text(document: Mapping[str, Any], key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""
