"""The release policy: which of the four outcomes (S1-4.1, DESIGN §7)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import product

from groundrules.policies import release
from groundrules.policies.judging import Judge
from groundrules.rules import RuleRuntime
from groundrules.wiring.project import embedded_project

GOOD = release.Closing(
    gatekeeper_severity="none",
    verdict="PASS",
    surviving_claims=1,
    answer_gate_passed=True,
    output_valid=True,
    missing_context=False,
    evidence_collected=True,
    technical_failure=False,
    cancelled=False,
)


def decide(closing: release.Closing) -> tuple[str, str]:
    rule_set = embedded_project().policies["release"]
    decision = release.decide(closing, Judge(rule_set, RuleRuntime.native_only(), date(2026, 7, 8)))
    return decision.outcome, decision.fallback_type


def test_a_supported_answer_is_published() -> None:
    assert decide(GOOD) == ("SUCCESS", "NONE")


def test_nothing_less_than_all_of_it_is_a_success() -> None:
    """S0-5.2, DESIGN §7: of every combination of closing facts exactly one is a SUCCESS."""
    successes = set()
    for combination in product(
        ("none", "low_confid", "reject"),
        (None, "PASS", "LOW_CONFID", "REJECT"),
        (0, 1),
        *([(True, False)] * 6),
    ):
        closing = release.Closing(*combination)
        outcome, kind = decide(closing)
        assert (kind == "NONE") is (outcome != "FALLBACK")
        if outcome == "SUCCESS":
            successes.add(replace(closing, missing_context=False, output_valid=True, evidence_collected=True))
    assert successes == {GOOD}


def test_cancellation_wins_over_everything() -> None:
    assert decide(replace(GOOD, cancelled=True, technical_failure=True)) == ("CANCELLED", "NONE")


def test_a_technical_fault_is_a_failure_not_a_lack_of_evidence() -> None:
    """S1-4.1, S1-6.4."""
    assert decide(replace(GOOD, technical_failure=True)) == ("FAILED", "NONE")


def test_missing_context_wins_over_insufficient_evidence() -> None:
    """S1-8.2."""
    closing = replace(GOOD, verdict=None, surviving_claims=0, answer_gate_passed=False, missing_context=True)
    assert decide(closing) == ("FALLBACK", "MISSING_REQUIRED_CONTEXT")
    assert decide(replace(closing, missing_context=False)) == ("FALLBACK", "INSUFFICIENT_EVIDENCE")


def test_an_unreadable_output_without_evidence_is_a_failure() -> None:
    """S1-6.3: with something that was checked it is a bounded result, without it is none."""
    closing = replace(GOOD, verdict=None, surviving_claims=0, answer_gate_passed=False, output_valid=False)
    assert decide(closing) == ("FALLBACK", "INSUFFICIENT_EVIDENCE")
    assert decide(replace(closing, evidence_collected=False)) == ("FAILED", "NONE")


def test_the_ceiling_is_the_worse_of_both() -> None:
    """S0-5.2."""
    assert release.under_ceiling("PASS", release.verdict_ceiling("none")) == "PASS"
    assert release.under_ceiling("PASS", release.verdict_ceiling("low_confid")) == "LOW_CONFID"
    assert release.under_ceiling("PASS", release.verdict_ceiling("reject")) == "REJECT"
    assert release.under_ceiling("REJECT", release.verdict_ceiling("none")) == "REJECT"
