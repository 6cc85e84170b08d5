"""What a run gathers on its way, and how it is closed into a record.

Owns the mutable state of one run; nothing outlives it but the frozen record. Invariant: `finish` gives a record
for every way a run can end, and asks the release policy, never the caller, for the outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundrules.pipelines import wording
from groundrules.pipelines.engine import Engine
from groundrules.pipelines.projecting import lawful_gaps
from groundrules.policies import release
from groundrules.records.claims import Claim
from groundrules.records.decisions import GatekeeperResult, SubjectFacts
from groundrules.records.evidence import ToolInvocation
from groundrules.records.exchange import ModelCall
from groundrules.records.run import ComposedAnswer, DiagnosisRun, Judgement, ObservedFact, SafeFallback
from groundrules.trace import EventType, Tracer


@dataclass(frozen=True, slots=True)
class Ending:
    """How the stages ended, before the release policy speaks."""

    judgement: Judgement | None = None
    claims: tuple[Claim, ...] = ()
    answer: ComposedAnswer | None = None
    output_valid: bool = True
    technical_failure: str = ""
    cancelled: bool = False


class Journey:
    """The run so far."""

    def __init__(
        self, engine: Engine, tracer: Tracer, *, run_id: str, session_id: str, query: str, locale: str
    ) -> None:
        self._engine, self._tracer = engine, tracer
        self.run_id, self.session_id, self.query, self.locale = run_id, session_id, query, locale
        self.started_at = engine.clock()
        self.narrow = False
        self.round = 1
        self.plan: Mapping[str, Any] = {}
        self.output: Mapping[str, Any] = {}
        self.parse_status: Mapping[str, Any] = {}
        self.gate: GatekeeperResult | None = None
        self.verified_evidence: Sequence[Mapping[str, Any]] = ()
        self.stop_reason = ""
        self.calls: list[ModelCall] = []
        self.invocations: list[ToolInvocation] = []
        self.request_subjects: list[SubjectFacts] = []
        self.answer_subjects: list[SubjectFacts] = []
        self.edges: list[Mapping[str, Any]] = []
        self.release_subjects: list[SubjectFacts] = []

    def emit(self, kind: EventType, data: Mapping[str, Any]) -> None:
        """Record a step."""
        self._tracer.emit(kind, data)

    def edge(self, source: str, target: str, condition: str) -> None:
        """Record an edge that was taken (S0-7.2)."""
        taken = {"from": source, "to": target, "condition": condition, "round": self.round}
        self.edges.append(taken)
        self._tracer.emit("EDGE", taken)

    @property
    def subjects(self) -> tuple[SubjectFacts, ...]:
        """The facts of everything that was judged, in the order of judgement."""
        gated = self.gate.subjects if self.gate else ()
        return (*self.request_subjects, *gated, *self.answer_subjects, *self.release_subjects)

    def finish(self, ending: Ending) -> DiagnosisRun:
        """Ask the release policy and close the run."""
        decision = release.decide(self._closing(ending), self._engine.judges.release)
        self.release_subjects.append(decision.subject)
        self._tracer.emit("RELEASE_DECISION", decision.to_dict())
        published = decision.outcome == "SUCCESS"
        run = DiagnosisRun(
            run_id=self.run_id,
            session_id=self.session_id,
            pipeline="evidence",
            query=self.query,
            locale=self.locale,
            narrow=self.narrow,
            started_at=self.started_at,
            finished_at=self._engine.clock(),
            outcome=decision.outcome,
            stop_reason=self._stop_reason(ending),
            failure=ending.technical_failure,
            verdict=ending.judgement.verdict if ending.judgement else None,
            answer=ending.answer if published else None,
            fallback=self._fallback(ending, decision) if decision.outcome == "FALLBACK" else None,
            claims=ending.claims if published else (),
            gatekeeper_result=self.gate,
            verifier_evaluation=self._evaluation(ending, published=published),
            planner_plan=self.plan,
            orchestration_trace=tuple(self.edges),
            tool_invocations=tuple(self.invocations),
            model_calls=tuple(self.calls),
            lock=self._engine.lock(),
        )
        self._tracer.emit(
            "RUN_FINISHED",
            {
                "outcome": run.outcome,
                "stop_reason": run.stop_reason,
                "failure": run.failure,
                "tool_calls": len(self.invocations),
                "model_calls": len(self.calls),
                "total_tokens": sum(call.usage.total_tokens for call in self.calls),
            },
        )
        return run

    def _stop_reason(self, ending: Ending) -> str:
        if ending.cancelled:
            return "CANCELLED"
        return "TECHNICAL_FAILURE" if ending.technical_failure else self.stop_reason

    def _closing(self, ending: Ending) -> release.Closing:
        return release.Closing(
            gatekeeper_severity=self.gate.severity if self.gate else "reject",
            verdict=ending.judgement.verdict if ending.judgement else None,
            surviving_claims=len(ending.claims),
            answer_gate_passed=ending.answer is not None,
            output_valid=ending.output_valid,
            missing_context=not self.invocations and bool(self.output.get("missing_info")),
            evidence_collected=any(found.result.evidence_status != "failed" for found in self.invocations),
            technical_failure=bool(ending.technical_failure),
            cancelled=ending.cancelled,
        )

    def _evaluation(self, ending: Ending, *, published: bool) -> dict[str, Any]:
        """Contract `verifier_evaluation` (S0-7.1)."""
        judgement = ending.judgement
        return {
            "verdict": judgement.verdict if judgement else None,
            "groundedness_score": judgement.groundedness_score if judgement else 0.0,
            "critical_fact_count": judgement.critical_fact_count if judgement else 0,
            "claim_checks": [dict(check) for check in judgement.claim_checks] if judgement else [],
            "facts_checked": list(judgement.facts_checked) if judgement else [],
            "rationale": judgement.rationale if judgement else "",
            "round": self.round,
            "traceability_version": "v1",
            "executor_output_parse_status": dict(self.parse_status),
            "executor_structured_output": dict(self.output),
            "gatekeeper_result": self.gate.to_dict() if self.gate else None,
            "composer_output": ending.answer.to_dict() if ending.answer and published else None,
            "verified_evidence": [dict(item) for item in self.verified_evidence],
        }

    def _fallback(self, ending: Ending, decision: release.ReleaseDecision) -> SafeFallback:
        words = wording.FRAMES[self.locale]
        gaps = lawful_gaps(self.output, self.query, (), self._engine.lexicon)
        missing = decision.fallback_type == "MISSING_REQUIRED_CONTEXT"
        return SafeFallback(
            type=decision.fallback_type,
            observed_facts=tuple(_observed(invocation) for invocation in self.invocations),
            limitations=(*wording.reasons(self._limits(ending), self.locale, stop_reason=self.stop_reason), *gaps),
            next_steps=(words[self._next(missing=missing)],),
        )

    def _next(self, *, missing: bool) -> str:
        """The key of what to do next."""
        if any(found.result.evidence_status == "failed" for found in self.invocations):
            return "next_mend"
        return "next_context" if missing else "next_look"

    def _limits(self, ending: Ending) -> list[str]:
        """Which of the house's reasons hold, by the key of their wording."""
        held = {
            "stopped": self.stop_reason not in ("", "MODEL_FINISHED"),
            "unreadable": not ending.output_valid and self.stop_reason == "MODEL_FINISHED",
            "refused_claims": self.gate is not None and self.gate.severity != "none",
            "not_passed": ending.judgement is not None and ending.judgement.verdict != "PASS",
            "answer_refused": ending.judgement is not None
            and ending.judgement.verdict == "PASS"
            and ending.answer is None
            and bool(ending.claims),
        }
        return [key for key, holds in held.items() if holds]


def _observed(invocation: ToolInvocation) -> ObservedFact:
    result = invocation.result
    reason = result.message if result.evidence_status == "failed" else ""
    return ObservedFact(invocation.tool_name, dict(result.scope), result.evidence_status, result.total_count, reason)
