"""The release policy: how a run ends (S1-4.1, S1-6.2, DESIGN §7).

A pure function from the run's closing facts to one of four outcomes. Invariant: whatever the rule set says, a
SUCCESS without a surviving claim, a PASS and a passed answer gate is not to be had: the ceiling is code too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from groundrules.facts.catalogue import resting_facts
from groundrules.policies.judging import Judge
from groundrules.records.decisions import (
    FallbackType,
    Outcome,
    RuleHit,
    Severity,
    SubjectFacts,
    Verdict,
)

CEILING: dict[Severity, Verdict] = {"none": "PASS", "low_confid": "LOW_CONFID", "reject": "REJECT"}
_VERDICTS: tuple[Verdict, ...] = ("PASS", "LOW_CONFID", "REJECT")


@dataclass(frozen=True, slots=True)
class Closing:
    """What is known at the end of a run."""

    gatekeeper_severity: Severity
    verdict: Verdict | None
    surviving_claims: int
    answer_gate_passed: bool
    output_valid: bool
    missing_context: bool
    evidence_collected: bool
    technical_failure: bool
    cancelled: bool


@dataclass(frozen=True, slots=True)
class ReleaseDecision:
    """How the run ends, and the rule that says so."""

    outcome: Outcome
    fallback_type: FallbackType
    rule_id: str
    hits: tuple[RuleHit, ...]
    subject: SubjectFacts

    def to_dict(self) -> dict[str, Any]:
        return {
            "outcome": self.outcome,
            "fallback_type": self.fallback_type,
            "rule_id": self.rule_id,
            "hits": [hit.to_dict() for hit in self.hits],
        }


def verdict_ceiling(severity: Severity) -> Verdict:
    """The best verdict that the Gatekeeper's severity leaves (S0-5.2)."""
    return CEILING[severity]


def under_ceiling(verdict: Verdict, ceiling: Verdict) -> Verdict:
    """The worse of both."""
    return max(verdict, ceiling, key=_VERDICTS.index)


def decide(closing: Closing, judge: Judge) -> ReleaseDecision:
    """The first rule that matches decides; none, a faulty one or an unknown word ends FAILED."""
    facts = resting_facts("release") | {
        "gatekeeper_severity": closing.gatekeeper_severity,
        "verdict": closing.verdict or "NONE",
        "surviving_claims": closing.surviving_claims,
        "answer_gate_passed": closing.answer_gate_passed,
        "output_valid": closing.output_valid,
        "missing_context": closing.missing_context,
        "evidence_collected": closing.evidence_collected,
        "technical_failure": closing.technical_failure,
        "cancelled": closing.cancelled,
    }
    hits = judge.hits("release", facts, subject="run", path="$", context={})
    first = hits[0] if hits and not hits[0].fault else None
    outcome = _word(first, "outcome", Outcome, "FAILED")
    fallback = _word(first, "fallback_type", FallbackType, "NONE")
    if outcome == "SUCCESS" and not _may_succeed(closing):
        outcome, fallback = "FAILED", "NONE"
    return ReleaseDecision(
        outcome=outcome,  # type: ignore[arg-type]  # _word returns only words of the literal
        fallback_type=fallback,  # type: ignore[arg-type]  # the same
        rule_id=first.rule_id if first else "",
        hits=hits[:1],
        subject=SubjectFacts("release", "run", facts),
    )


def _may_succeed(closing: Closing) -> bool:
    return (
        closing.verdict == "PASS"
        and closing.gatekeeper_severity == "none"
        and closing.surviving_claims > 0
        and closing.answer_gate_passed
        and not closing.technical_failure
        and not closing.cancelled
    )


def _word(hit: RuleHit | None, key: str, words: object, otherwise: str) -> str:
    word = hit.then.get(key, otherwise) if hit else otherwise
    return word if word in get_args(words) else otherwise
