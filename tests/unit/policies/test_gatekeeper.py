"""The Gatekeeper, case by case (S0-4). Each expectation is written by hand from the requirement."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gate_samples import (
    ALERT,
    OTHER_ALERT,
    alerts,
    binding,
    claim,
    invocation,
    negative_claim,
    no_evidence_binding,
    no_logs,
    output,
)

import groundrules


def gate(document: object, *invocations: dict[str, Any], narrow: bool = False) -> groundrules.GatekeeperResult:
    return groundrules.gate(document, invocations or (alerts(), no_logs()), narrow=narrow)


def test_a_true_claim_passes_with_its_matched_text() -> None:
    """S0-4.2, S0-4.3."""
    result = gate(output())
    assert (result.status, result.severity, result.failed_rules) == ("pass", "none", ())
    assert result.to_dict()["checked_bindings"] == [
        {
            "claim_id": "claim-1",
            "tool_name": "query_metrics",
            "source_invocation_id": 517,
            "raw_path": "$.alerts[0]",
            "matched_text": ALERT,
            "status": "pass",
        }
    ]
    assert [kept.claim_id for kept in result.verified] == ["claim-1"]


def test_a_claim_of_absence_passes_at_no_evidence() -> None:
    """S0-2.4, S0-8.1."""
    result = gate(output(negative_claim()))
    assert (result.severity, result.failed_rules) == ("none", ())


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    # S0-4.5: what it is, the output, the severity, the rule that says so
    ("an id that no invocation has", output(claim(binding(source_invocation_id=999))), "reject", "evidence.invocation_id"),
    ("another tool's name", output(claim(binding(tool_name="query_logs"))), "reject", "evidence.tool_name"),
    ("a path that was not returned", output(claim(binding(raw_path="$.alerts[7]"))), "reject", "evidence.raw_path"),
    ("a field below an item", output(claim(binding(raw_path="$.alerts[0].state"))), "reject", "evidence.raw_path_shape"),
    ("a wrong number", output(claim(binding(evidence_excerpt="current=29%"))), "reject", "evidence.excerpt"),
    ("a neighbour's path", output(claim(binding(raw_path="$.alerts[1]"))), "reject", "evidence.excerpt"),
    ("an empty excerpt", output(claim(binding(evidence_excerpt=" "))), "reject", "evidence.excerpt"),
    ("absence at a positive path", output(negative_claim(binding())), "reject", "claim.negative_only_no_evidence"),
    ("presence at no evidence", output(claim(no_evidence_binding())), "reject", "claim.no_evidence_only_negative"),
    ("no bindings", output(claim(evidence_bindings=[])), "reject", "claim.bindings_present"),
    ("an unknown claim type", output(claim(claim_type="verdict")), "reject", "claim.type_known"),
    ("the wrong version", output(answer_version="v1"), "reject", "output.answer_version"),
    ("a diagnosis summary", output(diagnosis_summary="x"), "reject", "output.forbidden_fields"),
    ("a user-facing answer", output(user_facing_answer="x"), "reject", "output.forbidden_fields"),
    ("a list of ids", output(claim(binding(source_invocation_ids=[517]))), "reject", "output.forbidden_fields"),
    ("one item twice", output(claim(binding(), binding(evidence_excerpt="state=firing"))), "reject", "evidence.duplicate_item"),
    ("an invented number", output(claim(claim_text="payment-service CPU 97%。")), "low_confid", "claim.identifiers_covered"),
    ("another service's absence", output(negative_claim(claim_text="当前查询未检索到 order-service 的 HikariCP 日志。")), "reject", "claim.absence_scope"),
    ("an overclaim", output(negative_claim(claim_text="inventory-service 已排除 HikariCP 问题。")), "reject", "claim.overclaim"),
    ("an English overclaim", output(negative_claim(claim_text="HikariCP errors have been ruled out on inventory-service.")), "reject", "claim.overclaim"),
    ("presence on an empty result", output(negative_claim(claim_text="inventory-service 存在 HikariCP 日志。")), "reject", "claim.negative_states_absence"),
    ("health beside an absence", output(negative_claim(claim_text="当前查询未检索到 inventory-service 的 HikariCP 日志。inventory-service 很稳定。")), "reject", "claim.negative_states_absence"),
    ("a cause in an observation", output(claim(claim_text="payment-service 的 HighCPUUsage 告警由于内存泄漏导致。")), "reject", "claim.cause_needs_root_cause"),
    ("a denial of what fires", output(claim(claim_text="payment-service 的 HighCPUUsage 告警没有触发。")), "low_confid", "claim.negation_covered"),
    ("an English denial of what fires", output(claim(claim_text="HighCPUUsage of payment-service is not firing.")), "low_confid", "claim.negation_covered"),
]  # fmt: skip


@pytest.mark.parametrize(("_what", "document", "severity", "rule"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_is_refused(_what: str, document: dict[str, Any], severity: str, rule: str) -> None:
    """S0-2.2, S0-2.3, S0-2.4, S0-4.3, S0-4.5, S0-6.2."""
    result = gate(document)
    assert rule in result.failed_rules
    assert result.severity == severity
    assert result.status == "fail"
    assert result.verified == ()


def test_a_missing_id_is_filled_from_the_only_match() -> None:
    """S0-4.4."""
    result = gate(output(claim(binding(source_invocation_id=None))))
    assert result.severity == "none"
    assert result.warnings == ("claim-1[0]: source_invocation_id filled with 517, the only match",)
    assert result.verified[0].evidence_bindings[0].source_invocation_id == 517


def test_a_missing_id_that_two_invocations_fit_is_not_filled() -> None:
    """S0-4.4, S0-4.5."""
    result = gate(output(claim(binding(source_invocation_id=None))), alerts(1), alerts(2))
    assert (result.severity, result.warnings) == ("low_confid", ())
    assert "evidence.invocation_missing" in result.failed_rules


def test_a_missing_path_is_filled_from_the_only_match() -> None:
    """S0-4.4."""
    result = gate(output(claim(binding(raw_path=...))))
    assert result.severity == "none"
    assert result.warnings == ("claim-1[0]: raw_path filled with $.alerts[0], the only match",)


def test_a_missing_path_that_two_items_fit_is_not_filled() -> None:
    """S0-4.4, S0-4.5."""
    twice = invocation(517, "query_metrics", {"$.alerts[0]": ALERT, "$.alerts[1]": ALERT}, service="payment-service")
    result = gate(output(claim(binding(raw_path=...))), twice)
    assert result.severity == "low_confid"
    assert "evidence.raw_path_missing" in result.failed_rules


def test_a_path_is_never_filled_from_another_tools_invocation() -> None:
    """S0-4.4: tool, id and excerpt must match."""
    result = gate(output(claim(binding(raw_path=..., tool_name="query_logs"))))
    assert result.severity == "reject"
    assert result.warnings == ()


def test_an_old_invocation_without_refs_is_low_confidence() -> None:
    """S0-4.5."""
    result = gate(output(), invocation(517, "query_metrics", {}))
    assert result.severity == "low_confid"
    assert "evidence.refs_missing" in result.failed_rules


def test_an_invocation_of_another_run_is_a_forged_id() -> None:
    """S0-4.1."""
    other = alerts() | {"run_id": "run-2"}
    result = groundrules.gate(output(), [other, no_logs()], run_id="run-1")
    assert "evidence.invocation_id" in result.failed_rules
    assert result.severity == "reject"


def test_absence_from_a_tool_that_failed_is_refused() -> None:
    """DESIGN §5: checked and empty, not checked, and failed stay three things."""
    failed = invocation(518, "query_logs", {}, "failed", service="inventory-service", query="HikariCP")
    result = gate(output(negative_claim()), failed)
    assert "evidence.failed_tool" in result.failed_rules
    assert result.severity == "reject"


def test_one_bad_claim_does_not_take_a_good_one_with_it() -> None:
    """S0-5.1: the projection keeps what passed, the severity is the worst."""
    forged = claim(binding(source_invocation_id=999), claim_id="claim-2")
    result = gate(output(claim(), forged))
    assert result.severity == "reject"
    assert [kept.claim_id for kept in result.verified] == ["claim-1"]


def test_text_of_two_items_supports_no_excerpt_together() -> None:
    """DESIGN §6: one ref per binding."""
    spliced = f"{ALERT.split(', ')[0]}, {OTHER_ALERT.split(', ')[1]}"
    result = gate(output(claim(binding(evidence_excerpt=spliced))))
    assert "evidence.excerpt" in result.failed_rules


def test_a_refused_citation_carries_no_claim() -> None:
    """S0-5.1: what is left must carry the text by itself."""
    refused = binding(raw_path="$.alerts[1]", evidence_excerpt="not there at all")
    stated = claim(binding(), refused, claim_text="mysql-primary 的 SlowQueries 告警存在。")
    assert gate(output(stated)).verified == ()


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        (output(claim(claim_type="root_cause")), "scope.narrow_claim_types"),
        (output(*(claim(claim_id=f"claim-{n}") for n in range(3))), "scope.narrow_claim_count"),
    ],
)
def test_a_narrow_task_is_held_to_observations_and_two_claims(document: dict[str, Any], rule: str) -> None:
    """S0-2.5."""
    assert rule in gate(document, narrow=True).failed_rules
    assert rule not in gate(document).failed_rules


def test_a_runbook_is_no_fact_of_the_environment_in_a_narrow_task() -> None:
    """S0-2.5."""
    text = "连接池耗尽时先检查慢查询"
    book = invocation(517, "lookup_knowledge", {"$.evidence_blocks[0]": text})
    book["retrieval_details"]["relevance_level"] = "REFERENCE"
    cited = binding(tool_name="lookup_knowledge", raw_path="$.evidence_blocks[0]", evidence_excerpt=text)
    stated = output(claim(cited, claim_text="连接池耗尽时先检查慢查询"))
    assert "scope.reference_as_environment" in gate(stated, book, narrow=True).failed_rules
    assert gate(stated, book).severity == "none"


def test_the_loaded_rules_are_listed() -> None:
    """S0-4.2."""
    document = gate(output()).to_dict()
    listed = {rule["id"]: rule for rule in document["rules"]}
    assert document["rule_set_version"] == "gatekeeper-rules-v1"
    assert listed["evidence.raw_path"]["enabled"] is True
    assert listed["evidence.raw_path"]["default_severity"] == "reject"
    assert set(document) == {
        "status",
        "severity",
        "rule_set_version",
        "rules",
        "checked_bindings",
        "failed_rules",
        "warnings",
        "errors",
    }


@pytest.mark.parametrize("document", [None, [], "x", 7, {"claims": {}}, {"claims": [None, 3, {}]}, {"claims": [[]]}, {1: 2}, {"a": {1, 2}}, float("nan")])  # fmt: skip
def test_a_document_of_any_shape_is_a_finding_and_no_exception(document: object) -> None:
    """S0-4.3, DESIGN §7."""
    result = gate(document)
    assert (result.severity, result.verified) == ("reject", ())


@pytest.mark.parametrize("wrong", [None, 7, "text", b"bytes", {"id": 1}])
def test_invocations_of_the_wrong_kind_raise_a_named_error(wrong: Any) -> None:
    """A wrong argument is the caller's mistake, not a finding."""
    with pytest.raises(groundrules.UsageError, match="sequence of tool_invocation"):
        groundrules.gate(output(), wrong)


def test_an_unusable_invocation_refuses_everything() -> None:
    """With half the evidence unread, nothing passes."""
    result = gate(output(), alerts(), {"id": "seven"})
    assert result.failed_rules[0] == "input.invocations"
    assert (result.severity, result.verified) == ("reject", ())
