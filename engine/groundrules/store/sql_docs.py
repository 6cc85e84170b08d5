"""docs/sql.md: the analyst views as a page, from the comments that the views carry themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_HEAD = """# The views for SQL

`groundrules sql "SELECT …"` reads them. They are a stable interface: columns are added, never renamed or
removed without a major version; tables without `v_` may change. Times are UTC. Made from the comments of the views; a
test keeps it in step.

Read-only: one SELECT (or EXPLAIN) at a time; no files, no network, no settings; time, rows and memory are limited.
"""


def render_sql_docs(connection: DuckDBPyConnection) -> str:
    """The page as markdown. `connection` is a reader of a migrated store."""
    views = connection.execute(
        "SELECT view_name, comment FROM duckdb_views() WHERE starts_with(view_name, 'v_') ORDER BY view_name"
    ).fetchall()
    return "\n".join([_HEAD, *(_section(connection, str(name), str(comment)) for name, comment in views)])


def _section(connection: DuckDBPyConnection, view: str, comment: str) -> str:
    columns = connection.execute(
        "SELECT column_name, data_type, comment FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index",
        [view],
    ).fetchall()
    rows = [f"| `{name}` | {kind} | {_cell(text)} |" for name, kind, text in columns]
    return "\n".join([f"## {view}", "", comment, "", "| column | type | meaning |", "|---|---|---|", *rows, ""])


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")
