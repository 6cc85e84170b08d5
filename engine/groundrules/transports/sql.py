"""The `sql` transport: one SELECT over files, in a DuckDB of its own that can read nothing else.

Owns the fence: only the card's files are readable, the configuration is locked, arguments are bound and never become
text, rows and time are bounded. Invariant: a value comes back as the file has it: CSV fields and
dates of JSON stay text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundrules.config.cards import SqlTransport
from groundrules.records.evidence import RawResult
from groundrules.transports.blocking import run_blocking
from groundrules.transports.places import PlaceError, Places

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY = "512MB"
_AS_WRITTEN = ("DATE", "TIME", "TIMESTAMP", "UUID", "INTERVAL")
_ABOUT_THE_QUERY = frozenset({"ParserException", "BinderException", "CatalogException"})


@dataclass(frozen=True, slots=True)
class Sql:
    """Opens a fresh database for every call: no call can leave something for the next."""

    settings: SqlTransport
    places: Places
    max_bytes: int

    async def call(self, arguments: Mapping[str, Any]) -> RawResult:
        given = dict(arguments)
        running = _Running()
        return await run_blocking(lambda: self._call(given, running), self.settings.timeout_s, running.interrupt)

    def _call(self, arguments: Mapping[str, Any], running: _Running) -> RawResult:
        import duckdb

        source = ", ".join(self.settings.files)
        try:
            tables = {name: self._files(given) for name, given in self.settings.files.items()}
            with duckdb.connect(":memory:") as database:
                running.database = database
                _fence(database, [file for files in tables.values() for file in files])
                for name, files in tables.items():
                    _register(database, name, files)
                database.execute("SET lock_configuration = true")
                return self._answer(database, arguments, source)
        except PlaceError as error:
            return RawResult(failure=str(error), source=source)
        except duckdb.Error as error:
            return RawResult(failure=_why(error), source=source)

    def _files(self, given: str | Sequence[str]) -> list[Path]:
        places = (given,) if isinstance(given, str) else given
        return [file for place in places for file in self.places.expand(place)]

    def _answer(self, database: DuckDBPyConnection, arguments: Mapping[str, Any], source: str) -> RawResult:
        rows = _rows(database, self.settings.query, arguments, self.settings.max_rows + 1)
        more = len(rows) > self.settings.max_rows
        kept = rows[: self.settings.max_rows]
        body = json.dumps({"rows": kept}, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")
        if len(body) > self.max_bytes:
            return RawResult(failure=f"the rows are larger than {self.max_bytes:,} bytes", source=source)
        return RawResult(body=body, source=source, truncated=more)


@dataclass(slots=True)
class _Running:
    """The database of a call under way, so that the waiting side can stop it."""

    database: DuckDBPyConnection | None = field(default=None)

    def interrupt(self) -> None:
        if self.database is not None:
            self.database.interrupt()


def _fence(database: DuckDBPyConnection, files: Sequence[Path]) -> None:
    database.execute(f"SET allowed_paths = [{', '.join(_quoted(file) for file in files)}]")
    database.execute("SET enable_external_access = false")
    database.execute(f"SET memory_limit = '{MEMORY}'")
    database.execute("SET TimeZone = 'UTC'")
    database.execute("SET threads = 2")


def _register(database: DuckDBPyConnection, table: str, files: Sequence[Path]) -> None:
    """A view of the card's name over its files."""
    listed = f"[{', '.join(_quoted(file) for file in files)}]"
    kinds = {file.suffix for file in files}
    if kinds <= {".csv", ".tsv"}:
        reader = f"read_csv({listed}, all_varchar = true, header = true, union_by_name = true)"
    elif kinds == {".parquet"}:
        reader = f"read_parquet({listed}, union_by_name = true)"
    elif kinds <= {".json", ".jsonl", ".ndjson"}:
        reader = _json_reader(database, listed, "array" if kinds == {".json"} else "newline_delimited")
    else:
        raise PlaceError(f"the files of `{table}` are of several kinds")
    database.execute(f'CREATE VIEW "{table}" AS SELECT * FROM {reader}')


def _json_reader(database: DuckDBPyConnection, listed: str, form: str) -> str:
    """Reads twice: the first time for the columns, so that what looks like a date can be kept as the text it is."""
    options = f"format = '{form}', union_by_name = true"
    described = database.execute(f"DESCRIBE SELECT * FROM read_json({listed}, {options}, sample_size = -1)").fetchall()
    columns = ", ".join(f"{_text(name)}: {_text(_column_type(str(kind)))}" for name, kind, *_ in described)
    return f"read_json({listed}, {options}, columns = {{{columns}}})"


def _column_type(kind: str) -> str:
    return "VARCHAR" if kind.startswith(_AS_WRITTEN) else kind


def _rows(database: DuckDBPyConnection, query: str, arguments: Mapping[str, Any], limit: int) -> list[dict[str, Any]]:
    from duckdb import StatementType

    statements = database.extract_statements(query)
    if len(statements) != 1 or statements[0].type != StatementType.SELECT:
        raise PlaceError("the card's query is not one SELECT")
    bound = {name: _given(arguments.get(name)) for name in statements[0].named_parameters}
    database.execute(statements[0], bound)
    names = [str(column[0]) for column in database.description or ()]
    return [dict(zip(names, map(_plain, row), strict=True)) for row in database.fetchmany(limit)]


def _why(error: Exception) -> str:
    """The kind of a failure; the words of those only that speak of the query. Others quote rows and resolved paths."""
    kind = type(error).__name__
    told = str(error).splitlines()[0] if kind in _ABOUT_THE_QUERY else kind
    return f"the query failed: {told}"


def _given(value: Any) -> Any:
    return None if value in ("", []) else value


def _plain(value: Any) -> Any:
    """NaN and infinities are no JSON: what is no number is not given."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _quoted(path: Path) -> str:
    return _text(str(path))


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
