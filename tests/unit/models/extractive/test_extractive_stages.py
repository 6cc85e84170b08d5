"""The embedded planner, verifier and composer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from extractive_world import ask
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.errors import ModelError

SKILLS = [
    {"name": "check-logs", "description": "", "when_to_use": ["日志", "最近有没有", "logs"], "task_scope": "narrow"},
    {"name": "confirm-alert", "description": "", "when_to_use": ["告警", "还在触发", "alert"], "task_scope": "narrow"},
    {
        "name": "diagnose-pool",
        "description": "",
        "when_to_use": ["连接池耗尽", "HikariCP", "pool"],
        "task_scope": "open",
    },
    {"name": "read-runbook", "description": "", "when_to_use": ["怎么处理", "how do I"], "task_scope": "open"},
]


def reply(component: Any, inputs: dict[str, Any], locale: str = "zh") -> dict[str, Any]:
    document: dict[str, Any] = json.loads(ask(component, inputs, locale=locale).text)
    return document


@pytest.mark.parametrize(
    ("query", "skill"),
    [
        ("pay-api 的 HighCPU 告警是否还在触发？", "confirm-alert"),
        ("stock-api 最近有没有 HikariCP 连接池耗尽日志？", "check-logs"),
        ("HikariCP 连接池耗尽怎么处理？", "read-runbook"),
        ("为什么 pay-api 连接池耗尽", "diagnose-pool"),
        ("How do I roll back?", "read-runbook"),
        ("Any logs from pay-api?", "check-logs"),
        ("今天天气怎么样", None),
        ("blogs and whirlpools", None),
        ("", None),
    ],
)
def test_the_planner_picks_the_skill_whose_words_the_question_uses(query: str, skill: str | None) -> None:
    """S0-1.1: selected_skill, selection_reason, plan, reasoning, and no more."""
    plan = reply("planner", {"query": query, "skills": SKILLS})
    assert plan["selected_skill"] == skill
    assert set(plan) == {"selected_skill", "selection_reason", "plan", "reasoning"}


def judged(claims: list[dict[str, Any]], evidence: list[dict[str, Any]], ceiling: str = "PASS") -> dict[str, Any]:
    return reply(
        "verifier",
        {
            "diagnosis_context": {"query": "问题"},
            "verified_executor_output": {"answer_version": "executor_evidence_v2", "claims": claims},
            "verified_evidence": evidence,
            "gatekeeper_audit": {},
            "verdict_ceiling": ceiling,
            "retry_context": None,
        },
    )


def claim(text: str, name: str = "claim-1", kind: str = "observation") -> dict[str, Any]:
    return {"claim_id": name, "claim_type": kind, "claim_text": text}


def evidence(text: str, name: str = "claim-1", path: str = "$.alerts[0]") -> dict[str, Any]:
    return {"claim_id": name, "tool_name": "t", "source_invocation_id": 1, "raw_path": path, "text": text}


ALERT = "HighCPUUsage, service=payment-service, state=firing, current=92%, duration=25m"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("payment-service 当前存在 HighCPUUsage 告警，CPU 使用率为 92%。", "PASS"),
        ("The HighCPUUsage alert of payment-service is firing at 92%.", "PASS"),
        ("payment-service 的 CPU 使用率为 29%。", "REJECT"),
        ("order-service 当前存在 HighCPUUsage 告警。", "REJECT"),
        ("payment-service 的 HighCPUUsage 告警持续 25 小时。", "REJECT"),
        ("payment-service 的 HighCPUUsage 告警已恢复正常。", "REJECT"),
        ("发布导致 payment-service 的 HighCPUUsage 告警。", "REJECT"),
        ("payment-service is healthy.", "REJECT"),
    ],
)
def test_a_claim_stands_when_its_evidence_has_its_words(text: str, verdict: str) -> None:
    """S0-5.2: derivable from the checked evidence, or not."""
    assert judged([claim(text)], [evidence(ALERT)])["verdict"] == verdict


def test_the_judgement_has_the_whole_shape() -> None:
    """S0-5.2."""
    claims = [claim("HighCPUUsage 92%"), claim("HighCPUUsage 93%", "claim-2")]
    assert judged(claims, [evidence(ALERT), evidence(ALERT, "claim-2")]) == {
        "verdict": "LOW_CONFID",
        "groundedness_score": 0.5,
        "critical_fact_count": 2,
        "claim_checks": [
            {"claim_id": "claim-1", "supported": True, "reason": "断言中的数字、名称和状态都在所引证据里"},
            {"claim_id": "claim-2", "supported": False, "reason": "所引证据里没有：93%"},
        ],
        "facts_checked": ["HighCPUUsage 92%", "HighCPUUsage 93%"],
        "rationale": "部分断言不能由所引证据逐字推出",
    }


@pytest.mark.parametrize("ceiling", ["LOW_CONFID", "REJECT"])
def test_the_verdict_is_never_above_the_ceiling(ceiling: str) -> None:
    """S0-5.2."""
    assert judged([claim("HighCPUUsage 92%")], [evidence(ALERT)], ceiling)["verdict"] == ceiling


@pytest.mark.parametrize(
    ("kind", "path", "verdict"),
    [
        ("negative_observation", "$.no_evidence", "PASS"),
        ("negative_observation", "$.logs[0]", "REJECT"),
        ("observation", "$.no_evidence", "REJECT"),
    ],
)
def test_an_absence_needs_an_empty_result_and_nothing_else_may_use_one(kind: str, path: str, verdict: str) -> None:
    """S0-2.4."""
    claims = [claim("当前查询未检索到 stock-api 的日志。", kind=kind)]
    assert (
        judged(claims, [evidence("t returned no evidence; service=stock-api; total=0", path=path)])["verdict"]
        == verdict
    )


def test_another_claims_evidence_does_not_help() -> None:
    assert judged([claim("HighCPUUsage 92%")], [evidence(ALERT, "claim-2")])["verdict"] == "REJECT"


def test_nothing_to_judge_is_never_a_pass() -> None:
    """DESIGN §7."""
    assert judged([], [])["verdict"] == "REJECT"
    assert judged([claim("")], [])["verdict"] == "REJECT"


def composed(locale: str = "zh", **changes: Any) -> dict[str, Any]:
    inputs: dict[str, Any] = {
        "original_query": "问题 4711",
        "verdict": "PASS",
        "allowed_claims": [claim("查到 pay-api 的告警：current=92%。") | {"claim_type": "observation"}],
        "allowed_hypotheses": [],
        "missing_info": [],
        "recommended_actions": [],
        "rationale": "理由 4712",
        "findings": [],
    }
    return reply("composer", inputs | changes, locale)


def test_the_answer_is_the_allowed_claims_as_they_are() -> None:
    """S0-6.1: no new facts; the question and the rationale are no source."""
    assert composed() == {
        "answer_summary": "查到 pay-api 的告警：current=92%。",
        "recommended_actions": [],
        "user_facing_answer": "查到 pay-api 的告警：current=92%。",
    }


def test_gaps_and_actions_are_told_after_the_claims() -> None:
    action = {"action_text": "再查一次日志", "reason": "缺少时间"}
    answer = composed(missing_info=["发生时间"], recommended_actions=[action])
    assert answer["user_facing_answer"].splitlines() == [
        "查到 pay-api 的告警：current=92%。",
        "还缺少：发生时间。",
        "建议：再查一次日志（缺少时间）。",
    ]
    assert answer["recommended_actions"] == [action]


def test_with_findings_only_claims_are_left() -> None:
    """G-5: the second draft is plainer."""
    action = {"action_text": "再查一次日志", "reason": "缺少时间"}
    answer = composed(findings=["4711"], missing_info=["发生时间"], recommended_actions=[action])
    assert answer["user_facing_answer"] == "查到 pay-api 的告警：current=92%。"
    assert answer["recommended_actions"] == []


@pytest.mark.parametrize(
    ("locale", "text", "expected"),
    [
        ("zh", "stock-api 已排除连接池问题", "本次查询未检索到匹配证据。"),
        ("en", "the pool problem does not exist", "This query found no match."),
        ("zh", "当前查询未检索到 stock-api 的日志。", "当前查询未检索到 stock-api 的日志。"),
        ("en", "This query found no match for logs.", "This query found no match for logs."),
    ],
)
def test_an_absence_is_only_said_of_this_query(locale: str, text: str, expected: str) -> None:
    """S0-6.2."""
    claims = [{"claim_id": "claim-1", "claim_type": "negative_observation", "claim_text": text}]
    assert composed(locale, allowed_claims=claims)["user_facing_answer"] == expected


def test_no_claims_is_an_honest_answer() -> None:
    answer = composed("en", allowed_claims=[], verdict="REJECT", missing_info=["the order id"])
    assert answer["user_facing_answer"] == (
        "The evidence is not enough to answer this question.\nStill missing: the order id."
    )


def test_an_unknown_component_is_refused_by_name() -> None:
    unknown: Any = "router"
    with pytest.raises(ModelError, match="router"):
        ask(unknown, {})


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["planner", "executor", "verifier", "composer"]),
    st.dictionaries(
        st.sampled_from(
            [
                "query",
                "skills",
                "narrow",
                "retry_context",
                "verified_evidence",
                "verified_executor_output",
                "allowed_claims",
            ]
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=20),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
            max_leaves=8,
        ),
    ),
)
def test_inputs_of_any_shape_give_a_document(component: Any, inputs: dict[str, Any]) -> None:
    """A defect elsewhere never becomes an exception here."""
    assert isinstance(reply(component, inputs), dict)
