"""The record of a run whose process died, made from its events.

Owns what is said about such a run: FAILED, `PROCESS_DIED`, nothing published, every tool result that was kept.
Invariant: it never ends in anything but FAILED, and it never holds a claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

PROCESS_DIED = "PROCESS_DIED"
_NOTHING_EVALUATED: Mapping[str, Any] = {
    "verdict": None,
    "groundedness_score": 0.0,
    "critical_fact_count": 0,
    "claim_checks": [],
    "facts_checked": [],
    "rationale": "",
    "round": 1,
    "traceability_version": "v1",
    "executor_output_parse_status": {},
    "executor_structured_output": {},
    "gatekeeper_result": None,
    "composer_output": None,
    "verified_evidence": [],
}
"""Contract `verifier_evaluation` of a run that nobody judged."""
_FAILURE = "the process ended before the run did; the tool results that it had are kept"


def died_run(run_id: str, events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The `diagnosis_run` document of a run that left at least one event and no record."""
    start: Mapping[str, Any] = next((event["data"] for event in events if event["type"] == "RUN_STARTED"), {})
    plan: Mapping[str, Any] = next((event["data"] for event in events if event["type"] == "PLAN"), {})
    return {
        "run_id": run_id,
        "session_id": _text(start, "session_id"),
        "pipeline": _text(start, "pipeline") or "unknown",
        "query": _text(start, "query"),
        "locale": _text(start, "locale") or "zh",
        "narrow": plan.get("narrow") is True,
        "started_at": events[0]["at"],
        "finished_at": events[-1]["at"],
        "outcome": "FAILED",
        "stop_reason": PROCESS_DIED,
        "failure": _FAILURE,
        "verdict": None,
        "answer": None,
        "fallback": None,
        "claims": [],
        "planner_plan": {},
        "gatekeeper_result": None,
        "self_evaluation": {"verifier_evaluation": dict(_NOTHING_EVALUATED)},
        "orchestration_trace": [dict(event["data"]) for event in events if event["type"] == "EDGE"],
        "tool_invocations": list(_invocations(events)),
        "model_calls": [dict(event["data"]) for event in events if event["type"] == "MODEL_CALL"],
        "lock": {},
    }


def _invocations(events: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for event in events:
        invocation = event["data"].get("invocation")
        if event["type"] == "TOOL_INVOCATION" and isinstance(invocation, dict):
            yield invocation


def _text(document: Mapping[str, Any], key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""
