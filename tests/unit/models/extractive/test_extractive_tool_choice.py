"""Which tool a question is put to, and with which words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from extractive_world import (
    ALERTS,
    LOGS,
    RUNBOOKS,
    TOOLS,
    ask,
    exchange,
    executor_inputs,
    first_call,
    observation,
    tool,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.records.exchange import ToolDefinition

ALARMS, JOURNAL, ORDERS, TICKETS = "list_alarms", "search_journal", "find_orders", "find_tickets"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("pay-api 的 HighCPU 告警是否还在触发？", (ALARMS, {"service": "pay-api", "alert_name": "HighCPU"})),
        (
            "stock-api 最近有没有 HikariCP 连接池耗尽日志？",
            (JOURNAL, {"service": "stock-api", "query": "HikariCP 连接池耗尽"}),
        ),
        ("pay-api 日志里有没有 OutOfMemoryError？", (JOURNAL, {"service": "pay-api", "query": "OutOfMemoryError"})),
        ("订单 ORD-4821 现在是什么状态？", (ORDERS, {"order_id": "ORD-4821"})),
        ("工单 4821 处理了吗", (TICKETS, {"ticket": 4821})),
        ("cart-api 现在有没有告警？", (ALARMS, {"service": "cart-api"})),
        ("检查 pay-api 的报错", (JOURNAL, {"service": "pay-api", "level": "ERROR"})),
        ("Is the PoolFull alert on pay-api still firing?", (ALARMS, {"service": "pay-api", "alert_name": "PoolFull"})),
        (
            'Are there any "upstream timed out" logs from gateway-a?',
            (JOURNAL, {"service": "gateway-a", "query": "upstream timed out"}),
        ),
        ("Are there any deadlock logs from db-main?", (JOURNAL, {"service": "db-main", "query": "deadlock"})),
        ("What is the status of order ORD-48210?", (ORDERS, {"order_id": "ORD-48210"})),
        ("status of ticket 12", (TICKETS, {"ticket": 12})),
        ("Show ERROR logs of pay-api", (JOURNAL, {"service": "pay-api", "level": "ERROR"})),
        ("which alerts are firing?", (ALARMS, {"state": "firing"})),
    ],
)
def test_a_narrow_question_goes_to_the_fitting_tool_with_its_words_as_given(
    query: str, expected: tuple[str, dict[str, Any]]
) -> None:
    """S0-2.5: one exact query. S1-5.1: tools are known by their cards alone."""
    assert first_call(query) == expected


@pytest.mark.parametrize(
    ("query", "period"),
    [
        ("2026-07-08 pay-api 有没有日志", {"since": "2026-07-08T00:00:00Z", "until": "2026-07-09T00:00:00Z"}),
        ("2026-07-08T23:05 pay-api 的日志", {"since": "2026-07-08T23:05:00Z", "until": "2026-07-08T23:06:00Z"}),
        ("logs of pay-api since 2026-07-08T23:05:10Z", {"since": "2026-07-08T23:05:10Z"}),
        ("logs of pay-api before 2026-07-08T23:05:10+08:00", {"until": "2026-07-08T15:05:10Z"}),
        (
            "pay-api 从 2026-07-08 22:00 到 2026-07-08 23:00 的日志",
            {"since": "2026-07-08T22:00:00Z", "until": "2026-07-08T23:01:00Z"},
        ),
        ("pay-api 昨天的日志", {}),
        ("2026-99-99 pay-api 的日志", {}),
    ],
)
def test_only_absolute_times_become_a_period(query: str, period: dict[str, str]) -> None:
    """S0-2.5: no time window is made up."""
    assert first_call(query) == (JOURNAL, {"service": "pay-api"} | period)


@pytest.mark.parametrize(
    "query",
    [
        "今天天气怎么样",
        "what is the meaning of life",
        "你好",
        "",
        "   ",
        "？？？",
        "诊断切换企业失败的问题",
        "say all is well",
    ],
)
@pytest.mark.parametrize("narrow", [True, False])
def test_a_question_with_nothing_to_place_makes_no_call(query: str, narrow: bool) -> None:
    """S1-5.5: zero tool calls are lawful; what is missing goes to missing_info."""
    reply = ask("executor", executor_inputs(query, narrow=narrow), tools=TOOLS)
    document = json.loads(reply.text)
    assert (reply.tool_calls, document["claims"]) == ((), [])
    assert document["missing_info"] == ["问题里没有可以查询的对象，例如服务名、告警名、编号、时间或日志关键字"]


@pytest.mark.parametrize("query", ["HikariCP 连接池耗尽怎么处理？", "How do I handle a full pool?"])
def test_how_to_questions_go_to_what_is_written_down_and_only_there(query: str) -> None:
    """S0-2.5: knowledge is for open questions."""
    call = first_call(query, narrow=False)
    assert call is not None
    assert call[0] == "search_runbooks"
    found = exchange(*call, observation(["手册"], collection="blocks", relevance="REFERENCE"))
    assert ask("executor", executor_inputs(query, narrow=False), messages=found, tools=TOOLS).tool_calls == ()


def test_a_narrow_question_never_goes_to_a_runbook() -> None:
    """S0-2.5."""
    reply = ask("executor", executor_inputs("pay-api 的处理手册", narrow=True), tools=[RUNBOOKS])
    assert reply.tool_calls == ()


def test_a_narrow_question_is_not_widened_after_an_empty_result() -> None:
    """S0-2.5: two services are asked about, the first answer is empty, and it ends there."""
    inputs = executor_inputs("pay-api 和 stock-api 有没有告警", narrow=True)
    first = ask("executor", inputs, tools=TOOLS).tool_calls[0]
    assert dict(first.arguments) == {"service": "pay-api"}
    empty = observation(["list_alarms returned no evidence; service=pay-api; total=0"], status="no_evidence")
    reply = ask("executor", inputs, messages=exchange("list_alarms", first.arguments, empty), tools=TOOLS)
    assert reply.tool_calls == ()


def test_two_names_of_a_kind_are_two_exact_queries() -> None:
    inputs = executor_inputs("pay-api 和 stock-api 有没有告警", narrow=True)
    found = observation(["alert_name=HighCPU, service=pay-api"], scope={"service": "pay-api"})
    reply = ask("executor", inputs, messages=exchange(ALARMS, {"service": "pay-api"}, found), tools=TOOLS)
    assert [dict(call.arguments) for call in reply.tool_calls] == [{"service": "stock-api"}]
    assert [call.tool_call_id for call in reply.tool_calls] == ["call-2"]


def test_an_open_question_asks_a_further_tool_that_could_add() -> None:
    inputs = executor_inputs("为什么 pay-api 连接池耗尽", narrow=False)
    found = observation(["alert_name=PoolFull, service=pay-api, state=firing"], scope={"service": "pay-api"})
    reply = ask("executor", inputs, messages=exchange(ALARMS, {"service": "pay-api"}, found), tools=TOOLS)
    assert [(call.tool_name, dict(call.arguments)) for call in reply.tool_calls] == [
        (JOURNAL, {"service": "pay-api", "query": "连接池耗尽"})
    ]


def test_a_refused_call_ends_the_looking() -> None:
    """S1-5.5: stop at STOP_REQUIRED."""
    inputs = executor_inputs("为什么 pay-api 连接池耗尽", narrow=False)
    refused = observation([], status="failed", invocation=None)
    reply = ask("executor", inputs, messages=exchange(ALARMS, {"service": "pay-api"}, refused), tools=TOOLS)
    assert reply.tool_calls == ()
    assert json.loads(reply.text)["claims"] == []


def test_an_id_fits_no_parameter_that_takes_any_word() -> None:
    """`u-3021` matches a service's pattern, but is no service."""
    assert first_call("u-3021 的登录日志") == (JOURNAL, {"query": "u-3021 登录"})


def test_a_required_parameter_without_a_word_for_it_rules_the_tool_out() -> None:
    schema = dict(ALERTS.parameters) | {"required": ["alert_name"]}
    strict = ToolDefinition(ALERTS.name, ALERTS.description, schema)
    assert ask("executor", executor_inputs("pay-api 有没有告警", narrow=True), tools=[strict]).tool_calls == ()


@pytest.mark.parametrize("pattern", ["(", "(?=a)a", "(a)\\1", None, 7])
def test_a_pattern_that_re2_cannot_read_is_never_filled(pattern: object) -> None:
    odd = tool("odd_tool", "查询告警", service={"type": "string", "pattern": pattern})
    assert ask("executor", executor_inputs("pay-api 有没有告警", narrow=True), tools=[odd]).tool_calls == ()


def test_schemas_of_any_shape_are_read() -> None:
    odd = ToolDefinition(
        "odd_tool", "日志", {"properties": {"a": 1, "b": {"type": ["string", "null"]}, "query": TEXT_ONLY}}
    )
    broken = ToolDefinition("broken_tool", "日志", {"properties": [], "required": "all"})
    reply = ask("executor", executor_inputs("日志里有没有 Timeout504", narrow=True), tools=[broken, odd])
    assert [dict(call.arguments) for call in reply.tool_calls] == [{"query": "Timeout504"}]


TEXT_ONLY = {"type": "string"}


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), st.booleans(), st.sampled_from(["zh", "en"]))
def test_any_question_gives_the_same_reply_twice(query: str, narrow: bool, locale: str) -> None:
    """Deterministic for whatever a user writes."""
    inputs = executor_inputs(query, narrow=narrow)
    first, second = (ask("executor", inputs, tools=[ALERTS, LOGS], locale=locale) for _ in range(2))
    assert first == second
    assert first.usage.estimated
