"""Exact things of claims and answers, and which of them no source has (G-5)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.excerpts import exact_things, things_missing

ALERT = "alertname=HighCPUUsage, service=payment-service, state=firing, current=92%, duration=25m"
LOG = (
    "2026-07-08 23:05:28 ERROR order-service HikariPool-1 - Connection is not available, "
    "request timed out after 30000ms (total=10, active=10, idle=0, waiting=37)"
)


def missing(statement: str, *sources: str) -> list[str]:
    return [thing.text for thing in things_missing(statement, sources)]


@pytest.mark.parametrize(
    "statement",
    [
        "HighCPUUsage is firing for payment-service: CPU is at 92% for 25 minutes.",
        "payment-service 的 HighCPUUsage 告警处于 firing 状态，当前 92%，已持续 25 分钟。",
        "At 23:05 order-service logged an ERROR: the request timed out after 30 seconds.",
        "7月8日 23:05:28，order-service 报 ERROR，请求在 30 秒后超时，10/10 个连接都在使用。",
        "On July 8, 2026 37 requests were waiting for HikariPool-1.",
        "2026年7月8日23点05分 HikariPool-1 有 37 个线程在等待。",
        "state=firing, current = 92%",
        "payment-service's CPU load needs a long-running, well-known fix.",
        "1. Check payment-service.\n2. Restart nothing.\n3) Wait.",
        "The service is degraded and no cause is known.",
        "服务异常，原因未知。",
    ],
)
def test_what_the_sources_say_in_other_words_is_not_missing(statement: str) -> None:
    """G-5: prose may say 92% for current=92%, and 25 分钟 for 25m."""
    assert missing(statement, ALERT, LOG) == []


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("CPU is at 93%.", ["93%"]),
        ("CPU 使用率为 29%", ["29%"]),
        ("It lasted 25 seconds.", ["25 seconds"]),
        ("已持续 25 小时", ["25 小时"]),
        ("It timed out after 30000 s.", ["30000 s"]),
        ("order-services failed", ["order-services"]),
        ("inventory-service 报错", ["inventory-service"]),
        ("HighMemoryUsage is firing", ["HighMemoryUsage"]),
        ("HighCPUUsage is resolved", ["resolved"]),
        ("order-service logged a WARN", ["WARN"]),
        ("at 23:06 it failed", ["23:06"]),
        ("7月9日 23:05", ["7月9日 23:05"]),
        ("On Jul 9 it failed", ["Jul 9"]),
        ("state=resolved", ["resolved", "state=resolved"]),
        ("after the upgrade to v2.14.1", ["v2.14.1"]),
        ("the pod was OOMKilled", ["OOMKilled"]),
        ("connect failed with ECONNREFUSED", ["ECONNREFUSED"]),
        ("see /var/log/app.log on 10.0.0.7", ["/var/log/app.log", "10.0.0.7"]),
        ("amount -10", ["-10"]),
    ],
)
def test_what_no_source_says_is_missing(statement: str, expected: list[str]) -> None:
    """G-5: every number, identifier and time must stand in an allowed claim."""
    assert sorted(missing(statement, ALERT, LOG)) == sorted(expected)


def test_a_time_is_never_put_together_from_two_sources() -> None:
    """G-5: a date of one and a clock time of another make a third moment."""
    sources = ("failed on 2026-07-08 at noon", "2026-07-09 23:05:28 ok")
    assert missing("2026-07-08 23:05:28", *sources) == ["2026-07-08 23:05:28"]


def test_a_unit_in_the_key_counts() -> None:
    """G-5."""
    assert missing("latency was 1200 ms", '{"latency_ms": 1200}') == []
    assert missing("latency was 1.2 s", "latency_ms=1200") == []
    assert missing("latency was 1200 s", "latency_ms=1200") == ["1200 s"]


def test_a_name_inside_an_address_counts() -> None:
    """G-5."""
    assert missing("payment-service is unreachable", "GET http://payment-service:8080/health failed") == []
    assert missing("web-0 restarts", "Warning BackOff pod/web-0") == []


def test_each_kind_of_exact_thing_is_told() -> None:
    """G-5."""
    text = "At 23:05 payment-service v1.2.3 had current=92% and ERROR"
    assert {(thing.kind, thing.text) for thing in exact_things(text)} == {
        ("time", "23:05"),
        ("identifier", "payment-service"),
        ("version", "v1.2.3"),
        ("number", "92%"),
        ("key_value", "current=92%"),
        ("state", "ERROR"),
    }


@pytest.mark.parametrize(
    "text", ["Service restarted. Please wait.", "请稍后重试", "The CPU, JVM and API are fine", "read-only e.g."]
)
def test_ordinary_words_are_no_exact_things(text: str) -> None:
    """G-5: only what can be exactly wrong."""
    assert exact_things(text) == ()


@given(st.text(max_size=200))
@settings(deadline=None)
def test_nothing_of_a_text_is_missing_from_itself(text: str) -> None:
    """G-5."""
    assert things_missing(text, [text]) == ()


def test_long_integers_are_compared_digit_by_digit() -> None:
    """G-5: no rounding makes two ids one."""
    one, other = "id 1234567890123456789012345678901", "id 1234567890123456789012345678902"
    assert missing(one, other) == ["1234567890123456789012345678901"]
