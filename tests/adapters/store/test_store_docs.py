"""docs/sql.md is made from the views' own comments and stays in step with them."""

from __future__ import annotations

from pathlib import Path

from groundrules.store import RunStore, render_sql_docs

PAGE = Path(__file__).parents[3] / "docs" / "sql.md"
HOW = "write it again: render_sql_docs(RunStore(folder).open_reader())"


def test_the_page_is_in_step_with_the_views(store: RunStore) -> None:
    connection = store.open_reader()
    rendered = render_sql_docs(connection)
    connection.close()
    assert PAGE.read_text(encoding="utf-8") == rendered, HOW


def test_every_view_and_column_says_what_it_is(store: RunStore) -> None:
    """DESIGN §8: COMMENT ON every column."""
    connection = store.open_reader()
    silent = connection.execute(
        "SELECT table_name || '.' || column_name FROM duckdb_columns() WHERE starts_with(table_name, 'v_') AND"
        " coalesce(comment, '') = '' UNION ALL"
        " SELECT view_name FROM duckdb_views() WHERE starts_with(view_name, 'v_') AND coalesce(comment, '') = ''"
    ).fetchall()
    connection.close()
    assert silent == []
