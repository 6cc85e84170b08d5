"""Which part of a run goes to which row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.store.store_samples import CLAIM, REFUSED, events, run, subjects

from groundrules.records.decisions import SubjectFacts
from groundrules.store.rows import Rows, run_rows


def rows_of(record: dict[str, Any], facts: tuple[SubjectFacts, ...] = ()) -> Rows:
    given_facts = [{"kind": item.kind, "subject": item.subject, "facts": dict(item.facts)} for item in facts]
    return run_rows(record, given_facts, [event.to_dict() for event in events("run-1")], "hash")


def with_stated(claims: object) -> dict[str, Any]:
    return run("run-1", verifier_evaluation={"executor_structured_output": {"claims": claims}}).to_dict()


def test_refused_claims_are_kept_beside_published_ones() -> None:
    found = rows_of(run("run-1").to_dict())["claims"]
    assert [(row["claim_id"], row["published"]) for row in found] == [("claim-1", True), ("claim-2", False)]


def test_each_citation_has_its_own_check() -> None:
    found = rows_of(run("run-1").to_dict())["bindings"]
    assert [(row["subject"], row["status"]) for row in found] == [("claim-1[0]", "pass"), ("claim-2[0]", "fail")]


def test_claims_that_share_an_id_stay_apart() -> None:
    """S0-2.1: ids come from a model, which may repeat them."""
    twin = replace(REFUSED, claim_id="claim-1")
    found = rows_of(with_stated([CLAIM.to_dict(), twin.to_dict()]))
    assert [(row["claim_id"], row["occurrence"], row["published"]) for row in found["claims"]] == [
        ("claim-1", 0, True),
        ("claim-1", 1, False),
    ]
    assert [(row["subject"], row["occurrence"]) for row in found["bindings"]] == [("claim-1[0]", 0), ("claim-1[0]", 1)]


def test_a_fact_that_an_old_run_lacks_rests() -> None:
    facts = (SubjectFacts("binding", "claim-1[0]", {"excerpt_verbatim": True}),)
    (row,) = rows_of(run("run-1").to_dict(), facts)["binding_facts"]
    assert (row["excerpt_verbatim"], row["excerpt_too_short"], row["evidence_status"]) == (True, True, "unknown")


@pytest.mark.parametrize(
    "facts",
    [{"excerpt_verbatim": 1}, {"numbers_missing": True}, {"numbers_missing": 2**70}, {"excerpt_coverage": "0.9"}],
)
def test_a_fact_of_another_type_is_refused(facts: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is not a"):
        rows_of(run("run-1").to_dict(), (SubjectFacts("binding", "x", facts),))


def test_facts_of_an_unknown_kind_are_refused() -> None:
    with pytest.raises(ValueError, match="no facts of kind"):
        rows_of(run("run-1").to_dict(), (SubjectFacts("weather", "x", {}),))


def test_a_refused_request_has_its_reason_beside_its_facts() -> None:
    """S1-2.2: a refused request is a step of the stop policy, never an invocation."""
    found = rows_of(run("run-1").to_dict(), subjects())
    assert [(row["subject"], row["decision"], row["reason"]) for row in found["stop_steps"]] == [
        ("query_metrics", "allow", ""),
        ("query_metrics", "reject", "DUPLICATE_SCOPE"),
    ]
    assert len(found["tool_invocations"]) == 1


def test_hits_of_every_policy_are_kept() -> None:
    found = rows_of(run("run-1").to_dict())["rule_hits"]
    assert [(row["policy"], row["rule_set_version"], row["rule_id"]) for row in found] == [
        ("gatekeeper", "gatekeeper-rules-v1", "evidence.excerpt"),
        ("stop", "", "request.duplicate_scope"),
        ("answer", "", "answer.uncovered_things"),
        ("release", "release-rules-v2", "release.success"),
    ]


@pytest.mark.parametrize("part", ["run_id", "outcome", "started_at", "tool_invocations", "self_evaluation", "lock"])
def test_a_record_whose_own_parts_are_wrong_is_refused(part: str) -> None:
    with pytest.raises((KeyError, ValueError)):
        rows_of(run("run-1").to_dict() | {part: 7})


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
_CLAIM = st.dictionaries(
    st.sampled_from(["claim_id", "claim_type", "claim_text", "support_level", "evidence_bindings"]), _JSON, max_size=5
)


@given(st.lists(_CLAIM | _JSON, max_size=4) | _JSON)
def test_whatever_a_model_stated_becomes_rows(claims: object) -> None:
    """Model output is foreign: any shape of it is stored, none is an error."""
    found = rows_of(with_stated(claims))
    assert all(isinstance(row["claim_id"], str) and isinstance(row["published"], bool) for row in found["claims"])
