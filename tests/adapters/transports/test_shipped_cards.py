"""The shipped cards against the files of the incident lab, and the real-data cards against data nobody here wrote.

Expectations were read from the files by hand. The real data lies outside the repository: absent, its tests skip.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from groundrules.bundled import bundled_project
from groundrules.config.cards import ToolCard, load_card
from groundrules.projection import normalise_scope, project
from groundrules.records.evidence import CanonicalToolResult
from groundrules.transports import open_transport

REPOSITORY = Path(__file__).parents[3]
REAL_PROJECT = REPOSITORY / "examples" / "real-data"
REAL_DATA = Path(os.environ.get("GROUNDRULES_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
needs_real_data = pytest.mark.skipif(not (REAL_DATA / "nezha").is_dir(), reason="the real data is not here")


def card_of(root: Path, name: str) -> ToolCard:
    card, issues = load_card(root / "adapters" / "tools" / f"{name}.yaml")
    assert issues == ()
    assert card is not None
    return card


def ask(root: Path, name: str, arguments: Mapping[str, Any], environ: Mapping[str, str]) -> CanonicalToolResult:
    card = card_of(root, name)
    raw = asyncio.run(open_transport(card, root, environ).call(arguments))
    return project(card.projection(), name, normalise_scope(card.scope_spec(), arguments), raw)


def lab(name: str, **arguments: Any) -> CanonicalToolResult:
    return ask(bundled_project(), name, arguments, {})


def real(name: str, **arguments: Any) -> CanonicalToolResult:
    return ask(REAL_PROJECT, name, arguments, {"GROUNDRULES_REAL_DATA": str(REAL_DATA)})


def test_the_high_cpu_alert_of_payment_service_is_one_item() -> None:
    """S0-8.1, first sample."""
    result = lab("query_metrics", service="payment-service", alert_name="HighCPUUsage")
    assert (result.evidence_status, result.total_count) == ("supported", 1)
    assert result.evidence_refs[0].raw_path == "$.alerts[0]"
    assert result.evidence_refs[0].text.startswith(
        "alert_name=HighCPUUsage, service=payment-service, severity=critical, state=firing, current=92%, threshold=80%"
    )


def test_inventory_service_has_no_pool_lines_and_the_ref_says_what_was_asked() -> None:
    """S0-8.1, second sample."""
    result = lab("query_logs", service="inventory-service", query="HikariCP 连接池耗尽")
    said = (
        "query_logs returned no evidence; evidence_status=no_evidence; query=HikariCP 连接池耗尽; "
        "service=inventory-service; topic=application-logs; total=0; message=the result set is empty"
    )
    assert [(ref.raw_path, ref.text) for ref in result.evidence_refs] == [("$.no_evidence", said)]


def test_order_service_has_six_pool_lines_newest_first() -> None:
    result = lab("query_logs", service="order-service", query="HikariCP 连接池耗尽")
    assert (result.total_count, result.truncated) == (6, False)
    assert result.evidence_refs[0].text.startswith(
        "timestamp=2026-07-08T23:27:55.474Z, level=ERROR, service=order-service"
    )
    assert "active=10, idle=0, waiting=43" in result.evidence_refs[0].text


def test_the_planted_secret_is_found_and_not_shown() -> None:
    result = lab("query_logs", service="user-service", query="password")
    assert result.evidence_status == "supported"
    assert all("hunter2" not in ref.text for ref in result.evidence_refs)


def test_more_lines_than_shown_are_said() -> None:
    result = lab("query_logs", service="order-service")
    assert (len(result.evidence_refs), result.truncated, result.total_count > 20) == (20, True, True)


def test_a_time_that_is_none_is_a_failure() -> None:
    assert lab("query_logs", since="yesterday").evidence_status == "failed"


def test_an_order_id_is_matched_as_a_whole() -> None:
    long, short = lab("query_orders", order_id="ORD-48210"), lab("query_orders", order_id="ORD-4821")
    assert "order_id=ORD-48210, status=PAID, amount=486.50" in long.evidence_refs[0].text
    assert "order_id=ORD-4821, status=FAILED, amount=268.00" in short.evidence_refs[0].text
    assert (long.total_count, short.total_count) == (1, 1)
    assert lab("query_orders", order_id="ORD-9999").evidence_status == "no_evidence"


def test_pods_are_lines_of_a_table_without_its_head() -> None:
    assert lab("list_pods").total_count == 25
    result = lab("list_pods", service="notification-service")
    assert [ref.raw_path for ref in result.evidence_refs] == ["$.pods[0]", "$.pods[1]"]
    assert "CrashLoopBackOff   15 (14s ago)" in result.evidence_refs[1].text


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("HikariCP 连接池耗尽", "mysql-connection-pool.zh.md"),
        ("切换企业失败", "tenant-switch-failure.zh.md"),
        ("roll back bad deployment", "deploy-rollback.en.md"),
        ("CrashLoopBackOff pod", "pod-crashloop.en.md"),
        ("磁盘满了", "disk-full.en.md"),
        ("Redis 延迟", "redis-latency.en.md"),
    ],
)
def test_a_runbook_is_found_by_its_subject_in_both_languages(query: str, source: str) -> None:
    result = lab("lookup_knowledge", query=query)
    assert (result.evidence_status, result.source_kind) == ("supported", "reference")
    assert f"source={source}" in result.evidence_refs[0].text
    assert 0 < result.top_score <= 1


@pytest.mark.parametrize("query", ["今天天气怎么样", "meaning of life", "kafka consumer lag", "量子计算机散热"])
def test_runbooks_hold_nothing_on_another_subject(query: str) -> None:
    assert lab("lookup_knowledge", query=query).evidence_status == "no_evidence"


def test_real_data_without_its_folder_is_failed_never_empty() -> None:
    for name in ("query_logs", "query_metrics", "query_alerts", "lookup_knowledge"):
        result = ask(REAL_PROJECT, name, {"query": "x"}, {})
        assert result.evidence_status == "failed"
        assert result.message == "the environment variable GROUNDRULES_REAL_DATA is not set"


@needs_real_data
def test_real_alerts_are_listed_once_although_the_api_lists_them_twice() -> None:
    assert real("query_alerts").total_count == 12
    prod = real("query_alerts", alert_name="Host_Down", cluster="prod")
    assert [ref.text.split(", ")[3] for ref in prod.evidence_refs] == ["instance=server1", "instance=server2"]
    assert "state=suppressed" in real("query_alerts", instance="server6").evidence_refs[0].text
    assert real("query_alerts", alert_name="Disk_Broken").evidence_status == "no_evidence"


@needs_real_data
def test_real_logs_are_read_out_of_json_inside_csv() -> None:
    result = real("query_logs", service="ts-contacts-service", query="contacts according")
    assert (result.evidence_status, result.total_count) == ("supported", 17)
    assert "[No contacts according to contactsId]" in result.evidence_refs[0].text
    assert real("query_logs", service="ts-order-service").evidence_status == "no_evidence"
    early = real("query_logs", level="ERROR", until="2023-01-29T08:44:00Z")
    assert early.total_count == 2


@needs_real_data
def test_real_metrics_keep_every_digit_of_the_file() -> None:
    result = real("query_metrics", service="ts-contacts-service", until="2023-01-29T08:42:00Z")
    assert result.total_count == 1
    assert "CpuUsage(m)=14.375037069352116, CpuUsageRate(%)=2.8750074138704234" in result.evidence_refs[0].text


@needs_real_data
def test_real_runbooks_are_found_by_alert_name_and_by_words() -> None:
    for query in ("KubePodCrashLooping", "pod crash looping"):
        assert "source=kubernetes/KubePodCrashLooping.md" in real("lookup_knowledge", query=query).evidence_refs[0].text
    assert real("lookup_knowledge", query="kafka consumer lag").evidence_status == "no_evidence"
    assert real("lookup_knowledge", query="payment refunds").evidence_status == "no_evidence"
