"""Runs and events to store, small and made by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from groundrules.facts.catalogue import resting_facts
from groundrules.records.claims import Binding, Claim
from groundrules.records.decisions import CheckedBinding, GatekeeperResult, RuleHit, SubjectFacts
from groundrules.records.evidence import CanonicalToolResult, EvidenceRef, ToolInvocation
from groundrules.records.exchange import ModelCall, PromptStamp, Usage
from groundrules.records.run import ComposedAnswer, DiagnosisRun, RecommendedAction
from groundrules.trace import TraceEvent

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TEXT = "alert_name=HighCPUUsage, service=payment-service, state=firing"
FORGED = "alert_name=HighCPUUsage, state=resolved"


def invocation(run_id: str) -> ToolInvocation:
    """The only tool call of a sample run."""
    result = CanonicalToolResult(
        tool_name="query_metrics",
        evidence_status="supported",
        scope=(("service", "payment-service"), ("alert_name", "HighCPUUsage")),
        evidence_refs=(EvidenceRef("$.alerts[0]", TEXT), EvidenceRef("$.alerts[1]", "第二条 alert")),
        total_count=2,
        relevance_level="DIRECT",
        source="alerts.json",
    )
    return ToolInvocation(1, run_id, "s-1", "call-1", "query_metrics", result, START, 12.5)


def binding(excerpt: str = TEXT) -> Binding:
    return Binding("query_metrics", 1, "$.alerts[0]", excerpt, TEXT)


CLAIM = Claim("claim-1", "observation", "payment-service 的 HighCPUUsage 仍在触发", "direct", (binding(),))
REFUSED = Claim("claim-2", "observation", "the alert is resolved", "direct", (binding(FORGED),))


def gatekeeper_result() -> GatekeeperResult:
    return GatekeeperResult(
        severity="reject",
        rule_set_version="gatekeeper-rules-v1",
        rules=({"id": "evidence.excerpt", "description": "真", "enabled": True, "default_severity": "reject"},),
        checked_bindings=(
            CheckedBinding("claim-1", "query_metrics", 1, "$.alerts[0]", TEXT, "pass"),
            CheckedBinding("claim-2", "query_metrics", 1, "$.alerts[0]", "", "fail"),
        ),
        errors=(RuleHit("evidence.excerpt", "reject", "claim-2[0]", "$.claims[1]", "not in the evidence", {}),),
        warnings=("claim-1: source_invocation_id filled in",),
        verified=(CLAIM,),
    )


def run(run_id: str, **changes: Any) -> DiagnosisRun:
    """A run with one claim published and one refused."""
    evaluation = {
        "verdict": "LOW_CONFID",
        "groundedness_score": 0.75,
        "critical_fact_count": 1,
        "claim_checks": [],
        "facts_checked": ["the alert fires"],
        "rationale": "one claim follows",
        "round": 1,
        "traceability_version": "v1",
        "executor_output_parse_status": {"status": "strict"},
        "executor_structured_output": {"claims": [CLAIM.to_dict(), REFUSED.to_dict()]},
        "gatekeeper_result": gatekeeper_result().to_dict(),
        "composer_output": None,
        "verified_evidence": [],
    }
    sample = DiagnosisRun(
        run_id=run_id,
        session_id="s-1",
        pipeline="evidence",
        query="payment-service 的 HighCPUUsage 告警是否还在触发？",
        locale="zh",
        narrow=True,
        started_at=START,
        finished_at=START + timedelta(seconds=2),
        outcome="SUCCESS",
        stop_reason="MODEL_FINISHED",
        failure="",
        verdict="LOW_CONFID",
        answer=ComposedAnswer("仍在触发", (RecommendedAction("look at it", "it fires"),), "HighCPUUsage 仍在触发"),
        fallback=None,
        claims=(CLAIM,),
        gatekeeper_result=gatekeeper_result(),
        verifier_evaluation=evaluation,
        planner_plan={"plan": []},
        orchestration_trace=({"from": "planner", "to": "executor", "condition": "always", "round": 1},),
        tool_invocations=(invocation(run_id),),
        model_calls=(model_call(),),
        lock={
            "rule_sets": {
                "gatekeeper": {"version": "gatekeeper-rules-v1", "hash": "abc"},
                "release": {"version": "release-rules-v2", "hash": "def"},
            }
        },
    )
    return replace(sample, **changes)


def model_call() -> ModelCall:
    prompt = PromptStamp("executor", "v1", "zh", "p-hash")
    return ModelCall("executor", 1, prompt, "extractive", Usage(100, 20), 3.5, "ok")


def subjects() -> tuple[SubjectFacts, ...]:
    """Facts of every kind, most of them resting."""
    excerpt = {"excerpt_verbatim": True, "excerpt_coverage": 1.0, "excerpt_too_short": False}
    return (
        SubjectFacts("output", "output", resting_facts("output") | {"claims": 2, "contract_valid": True}),
        SubjectFacts("claim", "claim-1", resting_facts("claim") | {"claim_type": "observation", "bindings": 1}),
        SubjectFacts("claim", "claim-2", resting_facts("claim") | {"claim_type": "observation", "bindings": 1}),
        SubjectFacts("binding", "claim-1[0]", resting_facts("binding") | excerpt),
        SubjectFacts("binding", "claim-2[0]", resting_facts("binding") | {"excerpt_coverage": 0.25}),
        SubjectFacts("request", "query_metrics", resting_facts("request") | {"tool_known": True}),
        SubjectFacts("request", "query_metrics", resting_facts("request") | {"duplicate_scope": True}),
        SubjectFacts("answer", "answer", resting_facts("answer") | {"empty": False}),
        SubjectFacts("release", "release", resting_facts("release") | {"surviving_claims": 1}),
    )


def hit(rule_id: str, severity: str = "none") -> dict[str, Any]:
    """A rule hit as an event carries it."""
    return {"rule_id": rule_id, "severity": severity, "subject": "run", "path": "$", "message": "because"}


def events(run_id: str) -> tuple[TraceEvent, ...]:
    """What happened in a sample run."""
    steps: tuple[tuple[Any, dict[str, Any]], ...] = (
        ("RUN_STARTED", {"session_id": "s-1", "pipeline": "evidence", "query": "还在触发吗？", "locale": "zh"}),
        ("MODEL_CALL", model_call().to_dict()),
        ("PLAN", {"selected_skill": "confirm-alert", "narrow": True}),
        ("TOOL_INVOCATION", {"invocation": invocation(run_id).to_dict()}),
        (
            "TOOL_REQUEST_REJECTED",
            {"tool_name": "query_metrics", "reason": "DUPLICATE_SCOPE", "hits": [hit("request.duplicate_scope")]},
        ),
        ("EDGE", {"from": "planner", "to": "executor", "condition": "always", "round": 1}),
        ("ANSWER_GATE", {"author": "composer", "passed": False, "hits": [hit("answer.uncovered_things", "reject")]}),
        (
            "RELEASE_DECISION",
            {
                "outcome": "SUCCESS",
                "fallback_type": "NONE",
                "rule_id": "release.success",
                "hits": [hit("release.success")],
            },
        ),
        ("RUN_FINISHED", {"outcome": "SUCCESS"}),
    )
    return tuple(
        TraceEvent(run_id, number, kind, START + timedelta(milliseconds=number), data)
        for number, (kind, data) in enumerate(steps, start=1)
    )
