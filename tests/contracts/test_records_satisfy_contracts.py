"""What records write satisfies the contract that they name, and both know the same words (C-1)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.contracts import check, kinds, schema
from groundrules.records import decisions, evidence, exchange
from groundrules.records.claims import Binding, Claim
from groundrules.records.decisions import CheckedBinding, GatekeeperResult, RuleHit
from groundrules.records.evidence import (
    CanonicalToolResult,
    ControlView,
    EvidenceRef,
    ModelObservation,
    ToolInvocation,
)
from groundrules.records.run import ComposedAnswer, RecommendedAction
from groundrules.trace import EVENT_TYPES, TraceEvent

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
NAME = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
COUNT = st.integers(0, 2**40)
SHARE = st.floats(0, 1)
SCOPE = st.dictionaries(NAME, TEXT, max_size=3).map(lambda members: tuple(sorted(members.items())))
STATUS = st.sampled_from(get_args(evidence.EvidenceStatus))
RELEVANCE = st.sampled_from(get_args(evidence.RelevanceLevel))
SOURCE_KIND = st.sampled_from(get_args(evidence.SourceKind))
SEVERITY = st.sampled_from(get_args(decisions.Severity))
WHEN = st.datetimes(timezones=st.just(UTC))
REFS = st.lists(st.builds(EvidenceRef, NAME, TEXT), max_size=3).map(tuple)
RESULT = st.builds(
    CanonicalToolResult,
    tool_name=NAME,
    evidence_status=STATUS,
    scope=SCOPE,
    evidence_refs=REFS,
    total_count=COUNT,
    relevance_level=RELEVANCE,
    truncated=st.booleans(),
    top_score=SHARE,
    source=TEXT,
    message=TEXT,
    source_kind=SOURCE_KIND,
)
BINDING = st.builds(Binding, NAME, st.integers(1, 2**40), NAME, TEXT, TEXT, TEXT, TEXT)
HIT = st.builds(RuleHit, NAME, SEVERITY, TEXT, TEXT, TEXT, then=st.just({}), fault=TEXT)
CHECKED = st.builds(
    CheckedBinding, TEXT, TEXT, st.none() | st.integers(), TEXT, TEXT, st.sampled_from(["pass", "fail"])
)
GATED = st.builds(
    GatekeeperResult,
    severity=SEVERITY,
    rule_set_version=NAME,
    rules=st.lists(
        st.fixed_dictionaries(
            {"id": NAME, "description": TEXT, "enabled": st.booleans(), "default_severity": SEVERITY}
        ),
        max_size=2,
    ).map(tuple),
    checked_bindings=st.lists(CHECKED, max_size=3).map(tuple),
    errors=st.lists(HIT, max_size=3).map(tuple),
    warnings=st.lists(TEXT, max_size=2).map(tuple),
    verified=st.just(()),
)
RECORDS: dict[str, st.SearchStrategy[Any]] = {
    "canonical_tool_result": RESULT,
    "tool_invocation": st.builds(
        ToolInvocation, st.integers(1, 2**40), TEXT, TEXT, TEXT, NAME, RESULT, WHEN, st.floats(0, 1e9)
    ),
    "model_observation": st.builds(
        ModelObservation,
        NAME,
        SCOPE,
        REFS,
        STATUS,
        RELEVANCE,
        st.booleans(),
        st.none() | st.integers(1, 2**40),
        TEXT,
    ),
    "control_view": st.builds(
        ControlView,
        NAME,
        SCOPE,
        STATUS,
        COUNT,
        RELEVANCE,
        SHARE,
        st.booleans(),
        st.text("0123456789abcdef", min_size=64, max_size=64),
        COUNT,
    ),
    "gatekeeper_result": GATED,
    "composer_output": st.builds(
        ComposedAnswer, TEXT, st.lists(st.builds(RecommendedAction, NAME, TEXT), max_size=3).map(tuple), TEXT
    ),
    "trace_event": st.builds(
        TraceEvent, NAME, st.integers(1, 2**31), st.sampled_from(EVENT_TYPES), WHEN, st.dictionaries(NAME, TEXT)
    ),
}


@pytest.mark.parametrize("kind", RECORDS)
def test_what_a_record_writes_satisfies_its_contract(kind: str) -> None:
    @given(RECORDS[kind])
    @settings(max_examples=60, deadline=None)
    def satisfied(record: Any) -> None:
        assert check(kind, record.to_dict()) == ()

    satisfied()


@given(st.lists(BINDING, min_size=1, max_size=3).map(tuple), NAME, NAME, TEXT, st.sampled_from(["direct", "indirect"]))
def test_a_verified_claim_is_still_a_claim_of_an_output(
    bindings: tuple[Binding, ...], claim_id: str, claim_type: str, text: str, support: str
) -> None:
    """S0-5.1: the projection changes no shape."""
    claim = Claim(claim_id, claim_type, text, support, bindings).to_dict()
    output = {"answer_version": "executor_evidence_v2", "claims": [claim]}
    rest = {"hypotheses": [], "recommended_actions": [], "missing_info": []}
    assert check("executor_evidence_v2", output | rest) == ()


def words(node: Any, name: str) -> Iterator[frozenset[Any]]:
    """The words of every property of that name that has words."""
    if isinstance(node, dict):
        properties = node.get("properties")
        found = properties.get(name) if isinstance(properties, dict) else None
        if isinstance(found, dict) and "enum" in found:
            yield frozenset(found["enum"])
        for member in node.values():
            yield from words(member, name)
    elif isinstance(node, list):
        for member in node:
            yield from words(member, name)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("evidence_status", get_args(evidence.EvidenceStatus)),
        ("relevance_level", get_args(evidence.RelevanceLevel)),
        ("source_kind", get_args(evidence.SourceKind)),
        ("severity", get_args(decisions.Severity)),
        ("default_severity", get_args(decisions.Severity)),
        ("verdict", get_args(decisions.Verdict)),
        ("verdict_ceiling", get_args(decisions.Verdict)),
        ("outcome", (*get_args(decisions.Outcome), "ok", "failed")),
        ("component", get_args(exchange.Component)),
    ],
)
def test_contracts_and_records_know_the_same_words(name: str, known: tuple[str, ...]) -> None:
    generated = {"rule", "ruleset", "rules_index", "tool_card"}
    found = [set(one) - {None} for kind in kinds() if kind not in generated for one in words(schema(kind), name)]
    assert found, name
    assert set().union(*found) == set(known)


def test_the_trace_contract_knows_every_event() -> None:
    """S1-2.1, S0-7.2."""
    assert list(words(schema("trace_event"), "type")) == [frozenset(EVENT_TYPES)]


def test_the_fallback_contract_knows_every_type() -> None:
    """S1-4.1."""
    fallback = schema("diagnosis_run")["properties"]["fallback"]
    assert list(words(fallback, "type")) == [frozenset(get_args(decisions.FallbackType))]


@pytest.mark.parametrize("hidden", ["top_score", "fingerprint", "total_count", "observation_bytes", "source"])
def test_a_model_observation_is_a_whitelist(hidden: str) -> None:
    """S1-5.2: scores, fingerprints and counters never enter the model's context."""
    observation = ModelObservation("call-1", (), (), "supported", "DIRECT", False, 1).to_dict()
    assert [issue.keyword for issue in check("model_observation", observation | {hidden: 1})] == [
        "additionalProperties"
    ]


@pytest.mark.parametrize("hidden", ["tool_trace", "raw_answer", "tool_trace_summary"])
@pytest.mark.parametrize("kind", ["verifier_input", "verifier_evaluation", "composer_input"])
def test_no_stage_is_given_the_trace_or_the_raw_answer(kind: str, hidden: str) -> None:
    """S0-5.1, S0-7.1."""
    assert schema(kind)["additionalProperties"] is False
    assert hidden not in schema(kind)["properties"]
