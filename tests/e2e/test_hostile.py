"""Generated documents through the gate, a sample of what `benchmarks/hostile.py` does at length (DESIGN §7)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from benchmarks import hostile
from hypothesis import given, settings
from hypothesis import strategies as st

import groundrules
from groundrules.records.claims import Binding, Claim
from groundrules.records.decisions import GatekeeperResult


@pytest.mark.parametrize("seed", range(3))
def test_no_generated_document_crashes_the_gate_or_gets_an_unsupported_claim_through(seed: int) -> None:
    severities, wrong = hostile.run(400, seed)
    assert wrong == []
    assert severities["none"] > 0
    assert severities["reject"] > 0


@given(seed=st.integers(0, 2**32), removed=st.integers(0, 20))
@settings(max_examples=60, deadline=None)
def test_taking_evidence_away_never_turns_a_refusal_into_a_pass(seed: int, removed: int) -> None:
    """The gate is monotone: fewer refs never make a claim survive that did not before."""
    document = hostile.generated(random.Random(seed))  # noqa: S311  # reproducible documents, no secrets
    calls = hostile.invocations()
    before = groundrules.gate(document, calls, run_id="run-1")
    refs = [refs for call in calls for refs in [call["retrieval_details"]["evidence_refs"]] if refs]
    chosen = refs[removed % len(refs)]
    del chosen[removed % len(chosen)]
    after = groundrules.gate(document, calls, run_id="run-1")
    filled = {warning.partition(":")[0].partition("[")[0] for warning in after.warnings}
    assert {claim.claim_id for claim in after.verified} - filled <= {claim.claim_id for claim in before.verified}


def test_gating_twice_gives_the_same() -> None:
    """Replay is identity."""
    rng = random.Random(1)  # noqa: S311  # reproducible documents, no secrets
    for _ in range(100):
        document = hostile.generated(rng)
        first = groundrules.gate(document, hostile.invocations(), run_id="run-1").to_dict()
        assert groundrules.gate(document, hostile.invocations(), run_id="run-1").to_dict() == first


@pytest.mark.parametrize(
    ("changed", "caught"),
    [
        ({}, False),
        (
            {"evidence_excerpt": "payment-service 的 CPU 使用率持续高于 80%当前为 92%。", "raw_path": "$.alerts[3]"},
            False,
        ),
        ({"evidence_excerpt": "current=97%"}, True),
        ({"evidence_excerpt": "当前为97%。", "raw_path": "$.alerts[3]"}, True),
        ({"evidence_excerpt": "service=order-service"}, True),
        ({"raw_path": "$.alerts[99]"}, True),
        ({"source_invocation_id": 5}, True),
        ({"tool_name": "query_logs"}, True),
    ],
)
def test_the_check_itself_catches_what_should_not_have_been_kept(changed: dict[str, object], caught: bool) -> None:
    """A check that finds nothing proves nothing unless it can find something."""
    bound = Binding("query_metrics", 1, "$.alerts[0]", hostile.TEXTS[0], hostile.TEXTS[0])
    kept = Claim("c0", "observation", "x", "direct", (replace(bound, **changed),))  # type: ignore[arg-type]
    result = GatekeeperResult("none", "v", (), (), (), (), (kept,))
    assert bool(hostile.untrue(result, hostile.invocations())) is caught
