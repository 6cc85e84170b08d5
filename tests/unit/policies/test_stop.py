"""The stop policy at the moment of a request (S0-2.5, S1-6.1, DESIGN §4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from groundrules.policies import stop
from groundrules.policies.judging import Judge
from groundrules.rules import RuleRuntime
from groundrules.wiring.project import embedded_project

EXACT = (("query", "hikaricp"), ("service", "inventory-service"))
CALL = stop.AskedCall("query_logs", EXACT, tool_known=True, arguments_valid=True, poll_allowed=False)
EMPTY = stop.Checked("query_logs", EXACT, "no_evidence", 1)


def decide(progress: stop.Progress, call: stop.AskedCall = CALL) -> tuple[str, str]:
    rule_set = embedded_project().policies["stop"]
    decision = stop.decide(progress, call, Judge(rule_set, RuleRuntime.native_only(), date(2026, 7, 8)))
    return decision.effect, decision.reason


@pytest.mark.parametrize("narrow", [True, False])
def test_a_first_valid_call_is_allowed(narrow: bool) -> None:
    assert decide(stop.Progress(narrow=narrow)) == ("allow", "")


def test_an_unknown_tool_is_rejected() -> None:
    assert decide(stop.Progress(narrow=False), replace(CALL, tool_known=False))[1] == "TOOL_UNKNOWN"


def test_arguments_that_break_the_schema_are_rejected() -> None:
    assert decide(stop.Progress(narrow=False), replace(CALL, arguments_valid=False))[1] == "ARGUMENTS_INVALID"


def test_the_same_scope_again_is_answered_from_the_first_call() -> None:
    """S1-6.1."""
    assert decide(stop.Progress(narrow=False, checked=(EMPTY,)))[0] == "dedupe"


def test_the_same_scope_again_is_allowed_when_the_card_allows_polling() -> None:
    """DESIGN §4."""
    assert decide(stop.Progress(narrow=False, checked=(EMPTY,)), replace(CALL, poll_allowed=True))[0] == "allow"


def test_the_same_scope_after_a_failure_may_be_asked_again() -> None:
    """A failure is no answer: nothing was checked."""
    failed = replace(EMPTY, evidence_status="failed")
    assert decide(stop.Progress(narrow=False, checked=(failed,)))[0] == "allow"


@pytest.mark.parametrize("scope", [(("service", "inventory-service"),), (("query", "hikaricp"),), ()])
def test_a_narrow_run_may_not_widen_what_found_nothing(scope: tuple[tuple[str, str], ...]) -> None:
    """S0-2.5: keyword dropped, service removed."""
    wider = replace(CALL, scope=scope)
    assert decide(stop.Progress(narrow=True, checked=(EMPTY,)), wider) == ("reject", "SCOPE_WIDENED")
    assert decide(stop.Progress(narrow=False, checked=(EMPTY,)), wider)[0] == "allow"


@pytest.mark.parametrize(
    ("progress", "reason"),
    [
        (stop.Progress(narrow=False, tool_calls=8), "BUDGET_LIMIT_REACHED"),
        (stop.Progress(narrow=False, model_calls=17), "BUDGET_LIMIT_REACHED"),
        (stop.Progress(narrow=False, total_tokens=10**6), "BUDGET_LIMIT_REACHED"),
        (stop.Progress(narrow=False, observation_bytes=10**7), "BUDGET_LIMIT_REACHED"),
        (stop.Progress(narrow=False, elapsed_s=10_000.0), "BUDGET_LIMIT_REACHED"),
        (stop.Progress(narrow=False, consecutive_rejections=3), "PROTOCOL_REJECTIONS_EXHAUSTED"),
    ],
)
def test_a_budget_that_is_used_up_stops_the_run(progress: stop.Progress, reason: str) -> None:
    """DESIGN §4, S1-2.3."""
    assert decide(progress) == ("stop", reason)


def test_progress_counts_what_happened() -> None:
    progress = stop.Progress(narrow=True).after_model(120, 1.0).after_rejection(40).after_tool(EMPTY, 60, 2.0)
    assert progress == stop.Progress(
        narrow=True,
        checked=(EMPTY,),
        tool_calls=1,
        model_calls=1,
        total_tokens=120,
        observation_bytes=100,
        consecutive_rejections=0,
        elapsed_s=2.0,
    )
