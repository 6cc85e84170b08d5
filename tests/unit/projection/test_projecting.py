"""Raw answers into Canonical Tool Results (S0-2.3, S0-2.4, S0-3.1, S1-5.1)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from groundrules.conditions import literal_types, parse_condition
from groundrules.projection import (
    FieldSpec,
    ProjectionSpec,
    RelevanceSpec,
    compile_patterns,
    parse_path,
    project,
    raw_path_well_formed,
    resolve,
)
from groundrules.records.evidence import CanonicalToolResult, RawResult

SCOPE = (("query", "HikariCP"), ("service", "inventory-service"))
ALERTS = ProjectionSpec(collection="alerts", items=parse_path("$.alerts[*]"))
LINES = ProjectionSpec(collection="lines", shape="lines")


def condition(source: dict[str, Any]) -> Any:
    parsed, issues = parse_condition(source, type_of=literal_types, params={})
    assert issues == ()
    return parsed


def shown(spec: ProjectionSpec, document: object) -> CanonicalToolResult:
    return project(spec, "query_metrics", SCOPE, RawResult(body=json.dumps(document, ensure_ascii=False).encode()))


def texts(result: CanonicalToolResult) -> list[tuple[str, str]]:
    return [(ref.raw_path, ref.text) for ref in result.evidence_refs]


def test_each_item_becomes_a_ref_at_its_place() -> None:
    """S0-2.3: the raw_path names an array item."""
    result = shown(ALERTS, {"alerts": [{"name": "A", "state": "firing"}, {"name": "B", "labels": {"env": "prod"}}]})
    assert texts(result) == [("$.alerts[0]", "name=A, state=firing"), ("$.alerts[1]", "name=B, labels.env=prod")]
    assert (result.evidence_status, result.total_count, result.relevance_level) == ("supported", 2, "DIRECT")


def test_an_empty_set_is_no_evidence_with_one_ref_that_tells_what_was_asked() -> None:
    """S0-3.1: tool, query, scope and total=0."""
    result = project(ALERTS, "query_logs", SCOPE, RawResult(body=b'{"alerts": []}'))
    said = (
        "query_logs returned no evidence; evidence_status=no_evidence; query=HikariCP; service=inventory-service; "
        "total=0; message=the result set is empty"
    )
    assert texts(result) == [("$.no_evidence", said)]
    assert (result.evidence_status, result.total_count, result.relevance_level) == ("no_evidence", 0, "NONE")


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (RawResult(failure="connection refused"), "connection refused"),
        (RawResult(body=b"boom", exit_code=3), "exit code 3: boom"),
        (RawResult(body=b""), "the answer is not JSON: Expecting value at line 1 column 1"),
        (RawResult(body=b"{"), "the answer is not JSON: Expecting property name enclosed in double quotes"),
        (RawResult(body=b'{"alerts": "\xff"}'), "the answer is not UTF-8 at byte 12"),
        (RawResult(body=b'{"alerts": [], "alerts": [1]}'), "the answer gives a key twice in one object"),
        (RawResult(body=b'{"alerts": [NaN]}'), "the answer holds NaN, which is no JSON"),
        (RawResult(body=b'{"alerts": [1e999]}'), "the answer holds a number beyond every float"),
        (RawResult(body=b"[" * 100_000), "the answer nests deeper than 64"),
        (RawResult(body=b'{"a":' * 100_000), "the answer nests deeper than 64"),
        (RawResult(body=b'{"alarms": []}'), "the answer has no array at $.alerts[*]"),
        (RawResult(body=b'{"alerts": null}'), "the answer has no array at $.alerts[*]"),
        (RawResult(body=b'{"alerts": {"a": 1}}'), "the answer has no array at $.alerts[*]"),
        (RawResult(body=b"[" + b"1," * 600_000 + b"1]"), "the answer is larger than 1,048,576 bytes"),
        (RawResult(body=b"1" * 5000), "the answer is not JSON: ValueError"),
        (RawResult(body=b'{"alerts": []}', truncated=True), "only a part of the source was read"),
    ],
)
def test_what_was_not_checked_is_failed_without_refs_never_empty(raw: RawResult, reason: str) -> None:
    """DESIGN §5: checked and empty, not checked and failed stay three different things."""
    result = project(ALERTS, "query_metrics", SCOPE, raw)
    assert (result.evidence_status, result.evidence_refs, result.relevance_level) == ("failed", (), "NONE")
    assert result.message.startswith(reason)


def test_an_error_envelope_is_a_failure() -> None:
    spec = ProjectionSpec(
        collection="alerts",
        items=parse_path("$.alerts[*]"),
        failed_when=condition({"status": "error"}),
    )
    result = shown(spec, {"status": "error", "error": "token=abcdef12 refused", "alerts": []})
    assert (result.evidence_status, result.evidence_refs) == ("failed", ())
    assert result.message == 'the tool reported a failure: {"status": "error", "error": "token=*** refused"}'
    assert shown(spec, {"status": "success", "alerts": []}).evidence_status == "no_evidence"


def test_a_reported_error_with_exit_code_0_is_a_failure_not_evidence() -> None:
    """DESIGN §5: "Error from server" with status 0."""
    spec = ProjectionSpec(
        collection="lines",
        shape="lines",
        failed=compile_patterns(["(?m)^Error from server"]),
        no_evidence=compile_patterns(["No resources found.*"]),
    )
    failed = project(spec, "list_pods", (), RawResult(body=b"Error from server (Forbidden): no\n", media="text"))
    empty = project(spec, "list_pods", (), RawResult(body=b"No resources found in shop namespace.\n", media="text"))
    quoted = project(spec, "list_pods", (), RawResult(body=b"pod-1 Running\nNo resources found\n", media="text"))
    assert failed.evidence_status == "failed"
    assert (empty.evidence_status, empty.message) == ("no_evidence", "No resources found in shop namespace.")
    assert quoted.evidence_status == "supported"


def test_text_becomes_lines_or_blocks_without_heads_and_blanks() -> None:
    body = b"NAME  READY\npod-1  1/1\r\n\n  pod-2  0/1  \n"
    lines = ProjectionSpec(collection="pods", shape="lines", skip=compile_patterns([r"^NAME\s"]))
    assert texts(project(lines, "list_pods", (), RawResult(body=body, media="text"))) == [
        ("$.pods[0]", "pod-1  1/1"),
        ("$.pods[1]", "pod-2  0/1"),
    ]
    blocks = ProjectionSpec(collection="blocks", shape="blocks")
    body = "java.lang.Error: 连接\n  at A\n\n\nnext\n".encode()
    assert texts(project(blocks, "traces", (), RawResult(body=body, media="text"))) == [
        ("$.blocks[0]", "java.lang.Error: 连接\n  at A"),
        ("$.blocks[1]", "next"),
    ]


def test_places_count_kept_items_only_and_duplicates_are_one() -> None:
    spec = ProjectionSpec(
        collection="alerts",
        items=parse_path("$[*].alerts[*]"),
        where=condition({"state": {"ne": "deleted"}}),
        unique=parse_path("$.fingerprint"),
        fields=(FieldSpec("name", parse_path("$.name")),),
    )
    group = [
        {"name": "A", "state": "deleted", "fingerprint": "1"},
        {"name": "B", "state": "active", "fingerprint": "2"},
        {"name": "C", "fingerprint": "3"},
        {"name": "D", "state": 5, "fingerprint": "4"},
    ]
    result = shown(spec, [{"alerts": group}, {"alerts": group}])
    assert texts(result) == [("$.alerts[0]", "name=B")]
    assert result.total_count == 1
    assert shown(spec, []).evidence_status == "no_evidence"
    assert shown(spec, [{"alert": []}]).evidence_status == "failed"


def test_a_total_that_contradicts_the_answer_is_a_failure_and_a_larger_one_is_truncation() -> None:
    spec = ProjectionSpec(collection="logs", items=parse_path("$.logs[*]"), total=parse_path("$.total"))
    assert shown(spec, {"total": 5, "logs": []}).message == "the answer says 5 items and holds none"
    partial = shown(spec, {"total": 5, "logs": [{"a": 1}]})
    assert (partial.total_count, partial.truncated) == (5, True)
    assert shown(spec, {"total": 0, "logs": []}).evidence_status == "no_evidence"


def test_cut_items_and_cut_texts_are_said() -> None:
    spec = ProjectionSpec(collection="logs", items=parse_path("$[*]"), max_items=2, max_text_chars=40)
    many = shown(spec, [1, 2, 3])
    assert (len(many.evidence_refs), many.total_count, many.truncated) == (2, 3, True)
    long = shown(spec, ["order 4821 waited for a connection, active=10 idle=0"])
    assert (long.truncated, long.evidence_refs[0].text) == (True, "order 4821 waited for a connection, …")
    assert not shown(spec, ["short"]).truncated


def test_a_cut_never_makes_another_number() -> None:
    """48210 cut to 482 would support what was never measured."""
    spec = ProjectionSpec(collection="logs", items=parse_path("$[*]"), max_text_chars=40)
    text = shown(spec, ["the id of the order is now ORD-123456789012345 and so on"]).evidence_refs[0].text
    assert text == "the id of the order is now …"


def test_numbers_are_quoted_as_the_tool_wrote_them() -> None:
    body = b'{"alerts": [{"cpu": 92.50, "big": 12345678901234567890, "small": 1e-3, "on": true, "none": null}]}'
    result = project(ALERTS, "query_metrics", (), RawResult(body=body))
    assert result.evidence_refs[0].text == "cpu=92.50, big=12345678901234567890, small=1e-3, on=true"


def test_colours_controls_and_lone_surrogates_leave_citable_text() -> None:
    body = rb'{"alerts": [{"m": "\u001b[31m92\u001b[0m% \ud800 4\u00008 \u0007", "\ud800k": 1}]}'
    text = project(ALERTS, "query_metrics", (), RawResult(body=body)).evidence_refs[0].text
    assert text == "m=92% \ufffd 4\ufffd8 \ufffd, \ufffdk=1"
    assert text.encode()


def test_secrets_do_not_reach_refs_messages_or_scopes() -> None:
    """S1-8.1."""
    result = shown(ALERTS, {"alerts": [{"url": "jdbc:x://u:p4ss@db/x", "password": "hunter2"}]})
    assert result.evidence_refs[0].text == "url=jdbc:x://***@db/x, password=***"
    failed = project(ALERTS, "t", (), RawResult(failure="401 for Authorization: Bearer abc123def456"))
    assert failed.message == "401 for Authorization: ***"


def test_a_secret_across_the_cut_is_masked_as_a_whole() -> None:
    spec = ProjectionSpec(collection="logs", items=parse_path("$[*]"), max_text_chars=100)
    for lead in (90, 97, 4_085, 4_190):
        text = shown(spec, ["x " * (lead // 2) + "AKIAABCDEFGHIJKLMNOP tail"]).evidence_refs[0].text
        assert "AKIA" not in text


@pytest.mark.parametrize(
    ("item", "level"),
    [
        ({"score": 0.7, "hint_hits": 1}, "DIRECT"),
        ({"score": 0.7, "hint_hits": 0}, "REFERENCE"),
        ({"score": 0.59, "hint_hits": 3}, "REFERENCE"),
        ({"score": 7, "hint_hits": 1}, "REFERENCE"),
        ({"score": "0.9", "hint_hits": 1}, "REFERENCE"),
        ({"hint_hits": 1}, "REFERENCE"),
        ({"score": 0.1, "relevanceLevel": "DIRECT"}, "DIRECT"),
        ({"score": 0.1, "relevance_level": "direct"}, "DIRECT"),
        ({"score": 0.9, "hint_hits": 1, "relevanceLevel": "REFERENCE"}, "REFERENCE"),
        ({"relevance_level": "DIRECT", "relevanceLevel": "REFERENCE"}, "REFERENCE"),
    ],
)
def test_relevance_is_set_by_rule_and_both_spellings_are_read(item: dict[str, Any], level: str) -> None:
    """S1-5.1."""
    spec = ProjectionSpec(
        collection="evidence_blocks",
        items=parse_path("$[*]"),
        relevance=RelevanceSpec(parse_path("$.score"), 0.6, parse_path("$.hint_hits")),
    )
    assert shown(spec, [item]).relevance_level == level


def test_json_lines_are_items_and_a_bad_line_is_a_failure() -> None:
    spec = ProjectionSpec(collection="logs", items=parse_path("$[*]"), text=parse_path("$.message"))
    good = project(
        spec, "query_logs", (), RawResult(body='{"message": "超时"}\n\n{"message": "b"}\n'.encode(), media="jsonl")
    )
    assert texts(good) == [("$.logs[0]", "超时"), ("$.logs[1]", "b")]
    bad = project(spec, "query_logs", (), RawResult(body=b'{"message": "a"}\n{"mess', media="jsonl"))
    assert bad.message.startswith("line 2: the answer is not JSON")
    assert project(spec, "query_logs", (), RawResult(body=b"", media="jsonl")).evidence_status == "no_evidence"


@pytest.mark.parametrize(
    ("raw_path", "collection", "well_formed"),
    [
        ("$.alerts[0]", "alerts", True),
        ("$.alerts[0]", None, True),
        ("$.no_evidence", "alerts", True),
        ("$.alerts[12]", "alerts", True),
        ("$.logs[0]", "alerts", False),
        ("$.alerts[0].state", "alerts", False),
        ("$.alerts[0].state", None, False),
        ("$.alerts[0][1]", None, False),
        ("$.alerts[-1]", "alerts", False),
        ("$.alerts[01]", "alerts", False),
        ("$.alerts[*]", "alerts", False),
        ("$.alerts[٣]", "alerts", False),
        ("$.alerts[]", "alerts", False),
        ("$.alerts", "alerts", False),
        ("$.no_evidence[0]", "alerts", False),
        ("alerts[0]", "alerts", False),
        ("", None, False),
        (None, None, False),
        (7, None, False),
    ],
)
def test_only_items_and_no_evidence_have_an_address(
    raw_path: object, collection: str | None, well_formed: bool
) -> None:
    """S0-2.3: field-level sub-paths are refused."""
    assert raw_path_well_formed(raw_path, collection) is well_formed


def test_an_address_resolves_to_its_ref_or_to_nothing() -> None:
    refs = shown(ALERTS, {"alerts": ["a", "b"]}).evidence_refs
    found = resolve("$.alerts[1]", refs)
    assert found is not None
    assert found.text == "b"
    assert resolve("$.alerts[2]", refs) is None
