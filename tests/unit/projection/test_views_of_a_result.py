"""The two views (S1-5.2) and the fingerprint (S1-6.1)."""

from __future__ import annotations

from groundrules.projection import control, observe
from groundrules.records.evidence import CanonicalToolResult, EvidenceRef

RESULT = CanonicalToolResult(
    tool_name="query_logs",
    evidence_status="supported",
    scope=(("service", "a"),),
    evidence_refs=(EvidenceRef("$.logs[0]", "first entry"), EvidenceRef("$.logs[1]", "second entry")),
    total_count=2,
    relevance_level="DIRECT",
    top_score=0.8,
    source="logs",
)
FAILED = CanonicalToolResult("query_logs", "failed", (), (), 0, "NONE", message="no answer within 5 s")


def test_the_observation_shows_whole_refs_up_to_the_limit_and_says_what_is_left_out() -> None:
    whole = observe(RESULT, "c1", 3, 100)
    assert (whole.evidence, whole.truncated, whole.source_invocation_id) == (RESULT.evidence_refs, False, 3)
    shortened = observe(RESULT, "c1", 3, 15)
    assert (shortened.evidence, shortened.truncated) == (RESULT.evidence_refs[:1], True)


def test_a_first_ref_beyond_the_limit_is_cut_and_not_dropped() -> None:
    shown = observe(RESULT, "c1", 3, 9)
    assert (shown.evidence, shown.truncated) == ((EvidenceRef("$.logs[0]", "first …"),), True)


def test_a_failure_tells_the_model_why() -> None:
    assert observe(FAILED, "c1", 3, 100).note == "no answer within 5 s"
    assert observe(RESULT, "c1", 3, 100).note == ""


def test_the_fingerprint_is_of_tool_and_scope_alone() -> None:
    """S1-6.1."""
    empty = CanonicalToolResult("query_logs", "no_evidence", (("service", "a"),), (), 0, "NONE")
    other = CanonicalToolResult("query_logs", "no_evidence", (("service", "b"),), (), 0, "NONE")
    assert control(RESULT).fingerprint == control(empty).fingerprint
    assert control(RESULT).fingerprint != control(other).fingerprint
    assert len(control(RESULT).fingerprint) == 64


def test_the_control_view_has_what_the_harness_needs() -> None:
    view = control(RESULT)
    assert (view.total_count, view.top_score, view.observation_bytes) == (2, 0.8, 41)
