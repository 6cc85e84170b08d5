"""Faults of the world behind a transport: each becomes a failed result, none an exception (DESIGN §2)."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from groundrules.config.cards import FilesTransport, PythonTransport, SqlTransport
from groundrules.records.evidence import RawResult
from groundrules.transports.entry_points import find_callable
from groundrules.transports.files import Files
from groundrules.transports.places import PlaceError, Places
from groundrules.transports.python import Python
from groundrules.transports.sql import Sql

BY_SERVICE = {"service": {"path": "$.service", "how": "equals"}}


def read_file(root: Path, body: bytes, form: str, arguments: Mapping[str, Any], max_bytes: int = 100_000) -> RawResult:
    (root / "data").write_bytes(body)
    items = "$.rows[*]" if form == "json" else None
    match = {"service": {"how": "contains"}} if form == "text" else BY_SERVICE
    settings = FilesTransport.model_validate(
        {"kind": "files", "path": "data", "format": form, "items": items, "match": match, "timeout_s": 20}
    )
    return asyncio.run(Files(settings, Places(root, {}), max_bytes).call(arguments))


def query(root: Path, sql: str, arguments: Mapping[str, Any] | None = None, **settings: Any) -> RawResult:
    given = SqlTransport.model_validate(
        {"kind": "sql", "query": sql, "files": {"logs": "logs.csv"}, "timeout_s": 20, **settings}
    )
    return asyncio.run(Sql(given, Places(root, {}), 100_000).call(arguments or {}))


def call(function: Callable[..., Any], root: Path, timeout_s: float = 20.0, max_bytes: int = 1000) -> RawResult:
    settings = PythonTransport(kind="python", entry_point="it", timeout_s=timeout_s)
    return asyncio.run(Python(settings, Places(root, {}), max_bytes, lambda _name: function).call({"a": 1}))


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs.csv").write_text("service,amount\na,1.50\nb,2.00\nc,3.00\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("body", "form", "reason"),
    [
        (b"{not json", "json", "the answer is not JSON"),
        (b"\xff\xfe", "json", "the answer is not UTF-8 at byte 0"),
        (b"\xff\xfe", "jsonl", "the answer is not UTF-8 at byte 0"),
        (b"\xff\xfe", "text", "the answer is not UTF-8 at byte 0"),
        (b"[" * 100_000, "json", "the answer nests deeper than 64"),
        (b"{}\n" + b"[" * 99_000 + b"\n{}\n", "jsonl", "line 2: the answer nests deeper than 64"),
        (b'{"rows": [' + b"1," * 100_000 + b"1]}", "json", "data is larger than 100,000 bytes"),
        (b'{"service": "a"}\nrubbish\n', "jsonl", "line 2: the answer is not JSON"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_failure_with_its_reason(
    tmp_path: Path, body: bytes, form: str, reason: str
) -> None:
    assert read_file(tmp_path, body, form, {"service": "a"}).failure.startswith(reason)


def test_a_large_text_is_read_up_to_whole_lines_and_said_to_be_cut(tmp_path: Path) -> None:
    result = read_file(tmp_path, b"service a 1\nservice a 2\nservice a 3\n", "text", {"service": "a"}, max_bytes=30)
    assert (result.body.strip(), result.truncated) == (b"service a 1\nservice a 2", True)


def test_a_last_line_that_is_still_being_written_is_left_out_and_said(tmp_path: Path) -> None:
    result = read_file(tmp_path, b'{"service": "a"}\n{"servi', "jsonl", {})
    assert (result.body, result.truncated) == (b'{"service": "a"}', True)


def test_a_filtered_document_keeps_its_envelope_and_its_digits(tmp_path: Path) -> None:
    body = '{"status": "success", "rows": [{"service": "a", "v": 92.50, "名": "连"}, {"service": "b"}]}'.encode()
    expected = rb'{"status":"success","rows":[{"service":"a","v":92.50,"\u540d":"\u8fde"}]}'
    assert read_file(tmp_path, body, "json", {"service": "A"}).body == expected


def test_an_item_without_a_readable_time_makes_a_time_window_uncheckable(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b'{"at": "soon"}\n')
    settings = FilesTransport.model_validate(
        {"kind": "files", "path": "data", "format": "jsonl", "match": {"since": {"path": "$.at", "how": "since"}}}
    )
    result = asyncio.run(Files(settings, Places(tmp_path, {}), 1000).call({"since": "2026-07-08T23:00:00Z"}))
    assert result.failure == "an item holds no readable time, so the time window cannot be checked"


def test_times_are_compared_as_moments_and_words_in_any_order(tmp_path: Path) -> None:
    early = '{"at": "2026-07-08T22:59:00Z", "m": "连接池 timeout"}'
    late = '{"at": "2026-07-09T07:30:00+08:00", "m": "Timeout 连接池"}'
    (tmp_path / "data").write_text(f"{early}\n{late}\n", "utf-8")
    match = {"since": {"path": "$.at", "how": "since"}, "query": {"path": "$.m", "how": "words"}}
    settings = FilesTransport.model_validate({"kind": "files", "path": "data", "format": "jsonl", "match": match})
    transport = Files(settings, Places(tmp_path, {}), 1000)
    both = asyncio.run(transport.call({"query": "timeout 连接池"}))
    since = asyncio.run(transport.call({"query": "timeout 连接池", "since": "2026-07-08T23:00:00Z"}))
    assert both.body.decode() == f"{early}\n{late}"
    assert since.body.decode() == late


def test_a_named_pipe_is_refused_before_it_can_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "data")
    settings = FilesTransport(kind="files", path="data", format="text")
    result = asyncio.run(Files(settings, Places(tmp_path, {}), 1000).call({}))
    assert result.failure == "data is not a regular file"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd', header = false)",
        "SELECT * FROM read_text('/proc/self/environ')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM read_csv('other.csv')",
    ],
)
def test_sql_reads_the_cards_own_files_and_nothing_else(logs: Path, sql: str) -> None:
    (logs / "other.csv").write_text("x\n1\n", "utf-8")
    assert query(logs, sql).failure.startswith("the query failed: ")


@pytest.mark.parametrize(
    "sql",
    [
        "SET enable_external_access = true",
        "COPY (SELECT 1) TO 'out.csv'",
        "ATTACH 'x.db'",
        "INSTALL httpfs",
        "DROP VIEW logs",
        "SELECT 1; SELECT 2",
        "CREATE TABLE t AS SELECT 1",
    ],
)
def test_a_cards_query_is_one_select(logs: Path, sql: str) -> None:
    assert query(logs, sql).failure == "the card's query is not one SELECT"
    assert not (logs / "out.csv").exists()


def test_csv_values_come_back_as_they_are_written(logs: Path) -> None:
    assert query(logs, "SELECT amount FROM logs ORDER BY 1 LIMIT 1").body == b'{"rows": [{"amount": "1.50"}]}'


def test_rows_beyond_the_limit_are_cut_and_said(logs: Path) -> None:
    result = query(logs, "SELECT service FROM logs ORDER BY 1", max_rows=2)
    assert (result.body, result.truncated) == (b'{"rows": [{"service": "a"}, {"service": "b"}]}', True)


def test_a_query_without_end_is_stopped(logs: Path) -> None:
    endless = "SELECT count(*) FROM range(100000000) a, range(1000000) b, logs"
    assert query(logs, endless, timeout_s=0.3).failure == "no answer within 0.3 s"


def test_a_wrong_query_says_what_is_wrong_and_a_wrong_value_does_not_quote_it(logs: Path) -> None:
    assert "servce" in query(logs, "SELECT servce FROM logs").failure
    wrong = query(logs, "SELECT 1 WHERE CAST($since AS TIMESTAMPTZ) IS NOT NULL", {"since": "hunter2"})
    assert wrong.failure == "the query failed: ConversionException"


def test_a_number_that_json_does_not_have_is_not_given(logs: Path) -> None:
    assert query(logs, "SELECT 'nan'::DOUBLE AS a, 'inf'::DOUBLE AS b").body == b'{"rows": [{"a": null, "b": null}]}'


def test_a_callable_that_raises_is_a_failure_without_its_text(tmp_path: Path) -> None:
    def raising(*_: Any) -> None:
        message = "password=hunter2"
        raise ValueError(message)

    def leaving(*_: Any) -> None:
        raise SystemExit(1)

    assert call(raising, tmp_path).failure == "the tool raised ValueError"
    assert call(leaving, tmp_path).failure == "the tool raised SystemExit"


def test_a_callable_that_hangs_is_left_behind_in_time(tmp_path: Path) -> None:
    never = threading.Event()
    result = call(lambda *_: never.wait(), tmp_path, timeout_s=0.05)
    never.set()
    assert result.failure == "no answer within 0.05 s"


@pytest.mark.parametrize("answer", [object(), {1, 2}, float("nan"), {"a": b"x"}])
def test_an_answer_that_is_no_json_is_a_failure(tmp_path: Path, answer: object) -> None:
    assert call(lambda *_: answer, tmp_path).failure.startswith("the tool returned no JSON value: ")


def test_an_endless_answer_is_a_failure(tmp_path: Path) -> None:
    assert call(lambda *_: ["x" * 2000], tmp_path).failure == "the answer is larger than 1,000 bytes"


def test_a_callable_may_return_a_raw_result_of_its_own(tmp_path: Path) -> None:
    assert call(lambda *_: RawResult(failure="offline"), tmp_path).failure == "offline"


def test_an_entry_point_that_nobody_installed_is_a_failure(tmp_path: Path) -> None:
    settings = PythonTransport(kind="python", entry_point="nobody_installed_this")
    result = asyncio.run(Python(settings, Places(tmp_path, {}), 1000, find_callable).call({}))
    assert result.failure == "no installed entry point `nobody_installed_this` in the group groundrules.tools"


def test_places_stay_inside_the_project(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("x", "utf-8")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "loop").symlink_to(root / "loop")
    places = Places(root, {"DATA": str(tmp_path / "project"), "EMPTY": ""})
    for text in (
        "../secret.txt",
        "/etc/passwd",
        "link.txt",
        "${DATA}/../secret.txt",
        "${DATA}//etc/../../secret.txt",
        "loop",
    ):
        with pytest.raises(PlaceError):
            places.expand(text)
    for text in ("link*.txt", "${EMPTY}/x", "${UNSET}/x"):
        with pytest.raises(PlaceError):
            places.expand(text)


def test_a_folder_named_by_the_environment_is_a_base_and_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", "utf-8")
    places = Places(tmp_path / "elsewhere", {"DATA": str(tmp_path)})
    assert places.resolve("${DATA}/a.txt") == (tmp_path / "a.txt").resolve()
    with pytest.raises(PlaceError) as refused:
        places.expand("${DATA}/missing.txt")
    assert str(refused.value) == "there is no file ${DATA}/missing.txt"
