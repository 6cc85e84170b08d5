"""The answer gate, case by case (S0-6.1, S0-6.2, G-5)."""

from __future__ import annotations

from datetime import date

import pytest

from groundrules.facts.answers import AllowedMaterial
from groundrules.policies import answer_gate
from groundrules.policies.judging import Judge
from groundrules.rules import RuleRuntime
from groundrules.wiring.project import embedded_project

FIRING = "payment-service 当前存在 HighCPUUsage 告警，state=firing，CPU 使用率为 92%，已持续 25 分钟。"
FIRING_EN = "payment-service has a HighCPUUsage alert, state=firing, CPU at 92% for 25 minutes."
NOT_FOUND = "当前查询未检索到 inventory-service 的 HikariCP 连接池耗尽日志。"
NOT_FOUND_EN = "This query found no HikariCP pool exhaustion logs of inventory-service."

POSITIVE = AllowedMaterial(positive=(FIRING, FIRING_EN), negative=())
NEGATIVE = AllowedMaterial(positive=(), negative=(NOT_FOUND, NOT_FOUND_EN))


def decide(body: str, allowed: AllowedMaterial, actions: tuple[str, ...] = ()) -> answer_gate.AnswerDecision:
    project = embedded_project()
    document = {
        "answer_summary": body,
        "user_facing_answer": body,
        "recommended_actions": [{"action_text": text, "reason": ""} for text in actions],
    }
    judge = Judge(project.policies["answer"], RuleRuntime.native_only(), date(2026, 7, 8))
    return answer_gate.decide(document, allowed, contract_issues=(), judge=judge, lexicon=project.lexicon)


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        (FIRING, POSITIVE),
        ("payment-service 的 HighCPUUsage 告警仍在触发（state=firing），CPU 使用率为 92%。", POSITIVE),
        (FIRING_EN, POSITIVE),
        (NOT_FOUND, NEGATIVE),
        ("本次检索未发现 inventory-service 的 HikariCP 连接池耗尽日志。", NEGATIVE),
        (NOT_FOUND_EN, NEGATIVE),
    ],
)
def test_an_answer_made_of_its_claims_passes(body: str, allowed: AllowedMaterial) -> None:
    """S0-6.1, S0-6.2, G-5."""
    decision = decide(body, allowed)
    assert [hit.rule_id for hit in decision.hits] == []
    assert decision.passed


REFUSED = [
    (FIRING.replace("92%", "97%"), POSITIVE, "answer.uncovered_things"),
    (FIRING.replace("payment-service", "order-service"), POSITIVE, "answer.uncovered_things"),
    (FIRING.replace("firing", "resolved"), POSITIVE, "answer.unclaimed_states"),
    (FIRING_EN + " The alert began at 23:05.", POSITIVE, "answer.uncovered_things"),
    (FIRING + "这是由于内存泄漏导致的。", POSITIVE, "answer.unclaimed_causes"),
    (FIRING_EN + " This is caused by a memory leak.", POSITIVE, "answer.unclaimed_causes"),
    (FIRING + "磁盘空间也快要写满了。", POSITIVE, "answer.sentence_unrelated"),
    ("inventory-service 的 HikariCP 连接池耗尽问题不存在。", NEGATIVE, "answer.overclaim"),
    ("已排除 inventory-service 的 HikariCP 连接池耗尽。", NEGATIVE, "answer.overclaim"),
    ("确认没有 inventory-service 的 HikariCP 日志。", NEGATIVE, "answer.overclaim"),
    ("日志层面已排除 HikariCP 连接池耗尽。", NEGATIVE, "answer.overclaim"),
    (NOT_FOUND + "服务运行正常。", NEGATIVE, "answer.overclaim"),
    ("HikariCP exhaustion on inventory-service has been ruled out.", NEGATIVE, "answer.overclaim"),
    (NOT_FOUND_EN + " The service is healthy.", NEGATIVE, "answer.overclaim"),
    ("HikariCP pool exhaustion does not exist on inventory-service.", NEGATIVE, "answer.overclaim"),
    ("inventory-service 有 HikariCP 连接池耗尽日志。", NEGATIVE, "answer.absence_unbounded"),
    ("payment-service：未检索到 HighCPUUsage 告警。", POSITIVE, "answer.polarity"),
    ("", POSITIVE, "answer.empty"),
    ("payment-service 的 HighCPUUsage 告警没有触发，CPU 使用率为 92%。", POSITIVE, "answer.unclaimed_negation"),
    ("The HighCPUUsage alert of payment-service is no longer firing.", POSITIVE, "answer.unclaimed_negation"),
    ("The HighCPUUsage alert of payment-service is not firing.", POSITIVE, "answer.unclaimed_negation"),
    (FIRING + "建议重启 payment-service。", POSITIVE, "answer.unclaimed_advice"),
    (FIRING_EN + " Restart payment-service.", POSITIVE, "answer.unclaimed_advice"),
    (FIRING_EN + " No action is needed.", POSITIVE, "answer.unclaimed_advice"),
    ("payment-service 的 HighCPUUsage 告警仍在触发，redis 已宕机。", POSITIVE, "answer.sentence_unrelated"),
]


@pytest.mark.parametrize(("body", "allowed", "rule"), REFUSED, ids=[f"{c[2]}: {c[0][:30]}" for c in REFUSED])
def test_what_no_answer_may_say(body: str, allowed: AllowedMaterial, rule: str) -> None:
    """S0-6.1, S0-6.2, G-5."""
    decision = decide(body, allowed)
    assert rule in [hit.rule_id for hit in decision.hits]
    assert not decision.passed


def test_an_action_that_was_not_allowed_is_refused() -> None:
    """S0-6.1."""
    assert "answer.disallowed_actions" in [hit.rule_id for hit in decide(FIRING, POSITIVE, ("重启服务",)).hits]
