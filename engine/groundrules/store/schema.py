"""The tables and views of the store: numbered migrations, then the fact columns, then the views.

Owns `migrations/*.sql` and how they are applied. Refuses a store that a newer groundrules made. Invariants: migrating
twice changes nothing; a fact that is new in the catalogue gets a column in which every old row rests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from groundrules.conditions import Scalar
from groundrules.errors import StoreError
from groundrules.facts.catalogue import CATALOGUE, Fact, SubjectKind

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FACT_TABLES: Mapping[SubjectKind, str] = {
    "output": "output_facts",
    "claim": "claim_facts",
    "binding": "binding_facts",
    "request": "stop_steps",
    "answer": "answer_facts",
    "release": "release_facts",
}
_MIGRATIONS = Path(__file__).with_name("migrations")
_VIEWS = "views.sql"
_SQL_TYPES = {"boolean": "BOOLEAN", "integer": "BIGINT", "number": "DOUBLE", "word": "VARCHAR"}


def migrate(connection: DuckDBPyConnection) -> None:
    """Bring the store to this version, in one transaction; nothing happens when it is there already."""
    if is_current(connection):
        return
    connection.begin()
    try:
        _apply_migrations(connection)
        _add_fact_columns(connection)
        # Made anew each time: DuckDB fixes the columns of a view for good.
        connection.execute(views_sql())
        connection.execute("DELETE FROM schema_state")
        connection.execute("INSERT INTO schema_state VALUES (?)", [_digest()])
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def is_current(connection: DuckDBPyConnection) -> bool:
    """Whether the store was brought to exactly this version."""
    import duckdb

    try:
        return bool(connection.execute("SELECT 1 FROM schema_state WHERE digest = ?", [_digest()]).fetchone())
    except duckdb.CatalogException:
        return False


def _digest() -> str:
    """Of everything that makes the schema: the migrations, the views and the catalogue."""
    facts = [f"{kind}.{fact!r}" for kind, found in CATALOGUE.items() for fact in found.values()]
    parts = [*(path.name for _, path in _numbered()), views_sql(), *facts]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _numbered() -> list[tuple[int, Path]]:
    return sorted((int(path.name.split("_")[0]), path) for path in _MIGRATIONS.glob("[0-9]*.sql"))


def _apply_migrations(connection: DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, name VARCHAR)")
    connection.execute("CREATE TABLE IF NOT EXISTS schema_state (digest VARCHAR)")
    row = connection.execute("SELECT coalesce(max(version), 0) FROM schema_migrations").fetchone()
    present, known = int(row[0]) if row else 0, _numbered()
    if present > known[-1][0]:
        message = f"the store has schema {present}, this groundrules knows {known[-1][0]}; use a newer groundrules"
        raise StoreError(message)
    for version, path in known:
        if version > present:
            connection.execute(path.read_text(encoding="utf-8"))
            connection.execute("INSERT INTO schema_migrations VALUES (?, ?)", [version, path.name])


def table_columns(connection: DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """The columns of each table, with their types, in order."""
    found = connection.execute(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY column_index"
    )
    columns: dict[str, dict[str, str]] = {}
    for table, name, data_type in found.fetchall():
        columns.setdefault(table, {})[name] = data_type
    return columns


def _add_fact_columns(connection: DuckDBPyConnection) -> None:
    columns = table_columns(connection)
    for kind, table in FACT_TABLES.items():
        for fact in CATALOGUE[kind].values():
            _add_fact_column(connection, table, fact, columns[table].get(fact.name))


def _add_fact_column(connection: DuckDBPyConnection, table: str, fact: Fact, present: str | None) -> None:
    wanted = _SQL_TYPES[fact.type.kind]
    if present is None:
        resting = _literal(fact.resting)
        connection.execute(f'ALTER TABLE {table} ADD COLUMN "{fact.name}" {wanted} DEFAULT {resting}')
    elif present != wanted:
        message = f"{table}.{fact.name} is {present}, but the fact is {wanted}; give the fact a new name"
        raise StoreError(message)


def _literal(value: Scalar) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def views_sql() -> str:
    """`views.sql` with the lines `--facts KIND VIEW` and `--comments KIND VIEW` written out from the catalogue."""
    lines = (_MIGRATIONS / _VIEWS).read_text(encoding="utf-8").splitlines()
    return "\n".join(written for line in lines for written in _written_out(line))


def _written_out(line: str) -> Iterator[str]:
    match line.split():
        case ["--facts", kind, alias]:
            yield from (f'    {alias}."{name}" AS fact_{name},' for name in CATALOGUE[kind])  # type: ignore[index]
        case ["--comments", kind, view]:
            for fact in CATALOGUE[kind].values():  # type: ignore[index]
                yield f"COMMENT ON COLUMN {view}.fact_{fact.name} IS {_literal('Fact: ' + fact.meaning)};"
        case _:
            yield line
