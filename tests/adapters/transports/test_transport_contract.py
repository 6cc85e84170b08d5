"""One suite for every transport, the fake included: what a pipeline may rely on (STYLE, habit 9)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from groundrules.config.cards import FilesTransport, Match, PythonTransport, SqlTransport
from groundrules.ports import Transport
from groundrules.projection import ProjectionSpec, parse_path, project
from groundrules.records.evidence import CanonicalToolResult, RawResult
from groundrules.transports.files import Files
from groundrules.transports.places import Places
from groundrules.transports.python import Python
from groundrules.transports.sql import Sql

ROWS = [
    {"service": "order-service", "message": "连接池耗尽 active=10", "at": "2026-07-08T23:05:28Z"},
    {"service": "payment-service", "message": "CPU 92%", "at": "2026-07-08T23:06:00Z"},
]
ITEMS = ProjectionSpec(collection="logs", items=parse_path("$.rows[*]"), text=parse_path("$.message"))
JSON_LINES = ProjectionSpec(collection="logs", items=parse_path("$[*]"), text=parse_path("$.message"))
LINES = ProjectionSpec(collection="logs", shape="lines")
BY_SERVICE = {"service": Match(path="$.service")}
SELECT = "SELECT message FROM logs WHERE $service IS NULL OR service = $service ORDER BY message DESC"
MAX_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class FakeTransport:
    """Answers from memory, as the real ones do from files."""

    rows: tuple[Mapping[str, Any], ...]
    broken: bool = False

    async def call(self, arguments: Mapping[str, Any]) -> RawResult:
        if self.broken:
            return RawResult(failure="there is no file rows")
        kept = [row for row in self.rows if arguments.get("service") in (None, "", row["service"])]
        return RawResult(body=json.dumps({"rows": kept}).encode())


Opened = tuple[Transport, ProjectionSpec]


def fake(root: Path) -> Opened:
    return FakeTransport(tuple(ROWS), not (root / "rows").exists()), ITEMS


def files_json(root: Path) -> Opened:
    settings = FilesTransport(kind="files", path="rows.json", format="json", items="$.rows[*]", match=BY_SERVICE)
    return Files(settings, Places(root, {}), MAX_BYTES), ITEMS


def files_jsonl(root: Path) -> Opened:
    settings = FilesTransport(kind="files", path="rows.jsonl", format="jsonl", match=BY_SERVICE)
    return Files(settings, Places(root, {}), MAX_BYTES), JSON_LINES


def files_text(root: Path) -> Opened:
    settings = FilesTransport(kind="files", path="rows.txt", format="text", match={"service": Match(how="contains")})
    return Files(settings, Places(root, {}), MAX_BYTES), LINES


def sql_over(name: str) -> Callable[[Path], Opened]:
    def opened(root: Path) -> Opened:
        settings = SqlTransport(kind="sql", query=SELECT, files={"logs": name})
        return Sql(settings, Places(root, {}), MAX_BYTES), ITEMS

    return opened


def python(root: Path) -> Opened:
    def tool(arguments: Mapping[str, Any], settings: Mapping[str, Any], folder: Path) -> object:
        rows = json.loads(Path(settings["rows"]).read_text(encoding="utf-8"))["rows"]
        return {"rows": [row for row in rows if arguments.get("service") in (None, "", row["service"])]}

    settings = PythonTransport(kind="python", entry_point="rows", paths={"rows": "rows.json"})
    return Python(settings, Places(root, {}), MAX_BYTES, lambda _name: tool), ITEMS


ADAPTERS = {
    "fake": fake,
    "files json": files_json,
    "files jsonl": files_jsonl,
    "files text": files_text,
    "sql csv": sql_over("rows.csv"),
    "sql jsonl": sql_over("rows.jsonl"),
    "sql json": sql_over("array.json"),
    "sql parquet": sql_over("rows.parquet"),
    "sql glob": sql_over("row*.jsonl"),
    "python": python,
}


@pytest.fixture(params=sorted(ADAPTERS))
def open_adapter(request: pytest.FixtureRequest) -> Callable[[Path], Opened]:
    opened: Callable[[Path], Opened] = ADAPTERS[request.param]
    return opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project's folder with the same two rows in every form."""
    import duckdb

    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "rows").touch()
    (folder / "rows.json").write_text(json.dumps({"status": "success", "rows": ROWS}, ensure_ascii=False), "utf-8")
    (folder / "array.json").write_text(json.dumps(ROWS, ensure_ascii=False), "utf-8")
    (folder / "rows.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS), "utf-8")
    (folder / "rows.txt").write_text("".join(f"{row['service']} {row['message']}\n" for row in ROWS), "utf-8")
    table = "".join(f"{row['service']},{row['message']},{row['at']}\n" for row in ROWS)
    (folder / "rows.csv").write_text("service,message,at\n" + table, "utf-8")
    target = str(folder / "rows.parquet")
    duckdb.sql(f"COPY (SELECT * FROM read_csv('{folder / 'rows.csv'}')) TO '{target}' (FORMAT parquet)")
    return folder


def answer(opened: Opened, arguments: Mapping[str, Any]) -> CanonicalToolResult:
    transport, spec = opened
    return project(spec, "query_logs", (), asyncio.run(transport.call(arguments)))


def test_what_matches_comes_back_as_evidence(open_adapter: Callable[[Path], Opened], root: Path) -> None:
    result = answer(open_adapter(root), {"service": "order-service"})
    assert (result.evidence_status, result.total_count) == ("supported", 1)
    assert "连接池耗尽 active=10" in result.evidence_refs[0].text


def test_an_argument_that_is_not_given_does_not_filter(open_adapter: Callable[[Path], Opened], root: Path) -> None:
    for arguments in ({}, {"service": None}, {"service": ""}):
        assert answer(open_adapter(root), arguments).total_count == 2


def test_nothing_found_is_no_evidence(open_adapter: Callable[[Path], Opened], root: Path) -> None:
    """S0-2.4: this tool returned nothing for this query."""
    assert answer(open_adapter(root), {"service": "inventory-service"}).evidence_status == "no_evidence"


def test_an_argument_is_data_never_a_command(open_adapter: Callable[[Path], Opened], root: Path) -> None:
    for hostile in (
        "x' OR '1'='1",
        "x'; DROP TABLE logs; --",
        "../../etc/passwd",
        "$(id)",
        "%%",
        "*",
        "\x00",
        "\ud800",
    ):
        assert answer(open_adapter(root), {"service": hostile}).evidence_status in ("no_evidence", "failed")


def test_a_missing_source_is_failed_and_says_so_without_its_full_path(
    open_adapter: Callable[[Path], Opened], tmp_path: Path
) -> None:
    """DESIGN §5: not checked is not empty."""
    result = answer(open_adapter(tmp_path), {"service": "order-service"})
    assert (result.evidence_status, result.evidence_refs) == ("failed", ())
    assert (
        "there is no file " in result.message
        or "raised FileNotFoundError" in result.message
        or "no file matches" in result.message
    )
    assert str(tmp_path) not in result.message
