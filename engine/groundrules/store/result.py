"""A query's rows as text or as a Parquet file.

Owns the formats. Invariant: files are written here, by us, at the place that the caller names; SQL itself reaches none.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Literal, TextIO

from groundrules.errors import UsageError
from groundrules.store.connect import sql_text
from groundrules.store.query import Cell, QueryResult

_PLAIN_TYPES = frozenset(
    (
        "BOOLEAN",
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
        "HUGEINT",
        "FLOAT",
        "DOUBLE",
        "DECIMAL",
        "VARCHAR",
        "BLOB",
        "DATE",
        "TIMESTAMP",
    )
) | {"TIMESTAMP WITH TIME ZONE"}

TextFormat = Literal["csv", "json"]


def write_result(result: QueryResult, text_format: TextFormat, destination: TextIO) -> None:
    """The rows as CSV with a head line, or as a JSON array of objects, one a line."""
    destination.write(_csv(result) if text_format == "csv" else _json(result))


def _csv(result: QueryResult) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(result.columns)
    writer.writerows([_csv_cell(cell) for cell in row] for row in result.rows)
    return buffer.getvalue()


def _csv_cell(cell: Cell) -> Cell:
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, list | dict | bool) else cell


def _json(result: QueryResult) -> str:
    names = unique_names(result.columns)
    lines = (json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in result.rows)
    return "[" + ",\n ".join(lines) + "]\n"


def unique_names(columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns with repeated names numbered, so that no value is lost: n, n_1."""
    names: list[str] = []
    for name in columns:
        candidate, number = name, 0
        while candidate.lower() in (taken.lower() for taken in names):
            number += 1
            candidate = f"{name}_{number}"
        names.append(candidate)
    return tuple(names)


def write_parquet(result: QueryResult, destination: Path) -> None:
    """The rows as a Parquet file. Plain columns keep their types; nested and rare ones become JSON or plain text."""
    import duckdb

    names = unique_names(result.columns)
    types = tuple(kind if kind.partition("(")[0] in _PLAIN_TYPES else "VARCHAR" for kind in result.types)
    columns = ", ".join(_quoted(name) + " " + kind for name, kind in zip(names, types, strict=True))
    rows = json.dumps([dict(zip(names, map(_parquet_cell, row), strict=True)) for row in result.rows])
    shape = sql_text(json.dumps([dict(zip(names, types, strict=True))]))
    try:
        with duckdb.connect(":memory:") as connection:
            connection.execute(f"CREATE TABLE result ({columns})")
            connection.execute(f"INSERT INTO result SELECT unnest(from_json(?::JSON, {shape}), max_depth := 2)", [rows])
            connection.execute(f"COPY result TO {sql_text(str(destination))} (FORMAT parquet)")
    except duckdb.IOException as error:
        message = f"{destination} cannot be written: {error}"
        raise UsageError(message) from error


def _parquet_cell(cell: Cell) -> Cell:
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, list | dict) else cell


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
