"""A run as a whole: what was asked, what was decided, what was published.

Owns the published answer, the fallback and the run's record. Invariant: only the four outcomes exist (S1-4.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from groundrules.records.claims import Claim
from groundrules.records.decisions import FallbackType, GatekeeperResult, Outcome, Verdict
from groundrules.records.evidence import ToolInvocation
from groundrules.records.exchange import ModelCall


@dataclass(frozen=True, slots=True)
class Judgement:
    """The Verifier's verdict after the ceiling was applied (S0-5.2)."""

    verdict: Verdict
    groundedness_score: float
    critical_fact_count: int
    claim_checks: tuple[Mapping[str, Any], ...]
    facts_checked: tuple[str, ...]
    rationale: str


@dataclass(frozen=True, slots=True)
class RecommendedAction:
    action_text: str
    reason: str

    def to_dict(self) -> dict[str, str]:
        return {"action_text": self.action_text, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class ComposedAnswer:
    """What the user reads; only released after the answer gate (S0-6.1)."""

    answer_summary: str
    recommended_actions: tuple[RecommendedAction, ...]
    user_facing_answer: str

    def to_dict(self) -> dict[str, Any]:
        """The document of contract `composer_output`."""
        return {
            "answer_summary": self.answer_summary,
            "recommended_actions": [action.to_dict() for action in self.recommended_actions],
            "user_facing_answer": self.user_facing_answer,
        }


@dataclass(frozen=True, slots=True)
class ObservedFact:
    """What was checked, where, and what came back: facts of the harness, not of the model (S1-6.4)."""

    tool_name: str
    scope: Mapping[str, str]
    evidence_status: str
    total_count: int
    message: str = ""
    """Why it failed; empty otherwise."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "tool_name": self.tool_name,
            "scope": dict(self.scope),
            "evidence_status": self.evidence_status,
            "total_count": self.total_count,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class SafeFallback:
    """An honest end without a conclusion (S1-4.1, S1-6.4)."""

    type: FallbackType
    observed_facts: tuple[ObservedFact, ...]
    limitations: tuple[str, ...]
    next_steps: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "type": self.type,
            "observed_facts": [fact.to_dict() for fact in self.observed_facts],
            "limitations": list(self.limitations),
            "next_steps": list(self.next_steps),
        }


@dataclass(frozen=True, slots=True)
class DiagnosisRun:
    """Everything that is kept of one run; `to_dict` is contract `diagnosis_run`."""

    run_id: str
    session_id: str
    pipeline: str
    query: str
    locale: str
    narrow: bool
    started_at: datetime
    finished_at: datetime
    outcome: Outcome
    stop_reason: str
    failure: str
    """What broke, for outcome FAILED; no secret, no payload."""
    verdict: Verdict | None
    """None when no Verifier spoke."""
    answer: ComposedAnswer | None
    fallback: SafeFallback | None
    claims: tuple[Claim, ...]
    """The claims that were published."""
    gatekeeper_result: GatekeeperResult | None
    verifier_evaluation: Mapping[str, Any]
    """What S0-7.1 persists under `self_evaluation`."""
    planner_plan: Mapping[str, Any]
    orchestration_trace: tuple[Mapping[str, Any], ...]
    """Edges taken: {from, to, condition, round} (S0-7.2)."""
    tool_invocations: tuple[ToolInvocation, ...]
    model_calls: tuple[ModelCall, ...]
    lock: Mapping[str, Any]
    """Versions and hashes of rule sets, prompts, contracts, cards and model (DESIGN §8)."""

    def to_dict(self) -> dict[str, Any]:
        """The document of contract `diagnosis_run` (S0-7.1): equal runs give equal documents, key order included."""
        gatekeeper = self.gatekeeper_result
        return {
            "run_id": self.run_id,
            "session_id": self.session_id,
            "pipeline": self.pipeline,
            "query": self.query,
            "locale": self.locale,
            "narrow": self.narrow,
            "started_at": self.started_at.isoformat(),
            "finished_at": self.finished_at.isoformat(),
            "outcome": self.outcome,
            "stop_reason": self.stop_reason,
            "failure": self.failure,
            "verdict": self.verdict,
            "answer": self.answer.to_dict() if self.answer else None,
            "fallback": self.fallback.to_dict() if self.fallback else None,
            "claims": [claim.to_dict() for claim in self.claims],
            "planner_plan": dict(self.planner_plan),
            "gatekeeper_result": gatekeeper.to_dict() if gatekeeper else None,
            "self_evaluation": {"verifier_evaluation": dict(self.verifier_evaluation)},
            "orchestration_trace": [dict(edge) for edge in self.orchestration_trace],
            "tool_invocations": [invocation.to_dict() for invocation in self.tool_invocations],
            "model_calls": [call.to_dict() for call in self.model_calls],
            "lock": dict(self.lock),
        }
