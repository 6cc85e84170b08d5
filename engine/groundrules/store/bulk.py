"""Many runs into the tables at once, as one JSON text for each table that DuckDB takes apart itself.

Owns the insert. Refuses single runs that a column does not take, and stores the rest: the batch is halved until the
run that is wrong stands alone. Invariant: a run is in all its tables or in none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from groundrules.errors import StoreError
from groundrules.store.connect import sql_text
from groundrules.store.schema import table_columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PROMPTS = """
INSERT INTO prompt_versions
SELECT prompt_id, prompt_version, prompt_locale, prompt_hash, min(r.started_at)
FROM model_calls m JOIN runs r USING (run_id) WHERE run_id IN (SELECT unnest(?)) GROUP BY ALL
ON CONFLICT DO UPDATE SET first_used_at = least(first_used_at, excluded.first_used_at)
"""
_RULE_SETS = """
INSERT INTO rule_sets
SELECT policy, version, hash, min(r.started_at) FROM ({source}) s JOIN runs r USING (run_id) GROUP BY ALL
ON CONFLICT DO UPDATE SET first_used_at = least(first_used_at, excluded.first_used_at)
"""


class EncodedRun(Protocol):
    """A run with its rows, as JSON objects with commas between, by table."""

    @property
    def run_id(self) -> str: ...
    @property
    def rows(self) -> Mapping[str, str]: ...
    @property
    def columns(self) -> Mapping[str, tuple[str, ...]]: ...


def present_hashes(connection: DuckDBPyConnection, run_ids: Sequence[str]) -> dict[str, str]:
    """Which of the runs are stored already, with the hash of the journal that each came from."""
    found = connection.execute("SELECT run_id, journal_hash FROM runs WHERE run_id IN (SELECT unnest(?))", [run_ids])
    return {str(run_id): str(digest) for run_id, digest in found.fetchall()}


def insert_runs(
    connection: DuckDBPyConnection, store_folder: Path, runs: Sequence[EncodedRun]
) -> Iterator[tuple[str, str]]:
    """Store the runs; those that cannot be stored come back with the reason."""
    import duckdb

    if not runs:
        return
    try:
        _insert_all(connection, runs)
    except (duckdb.DataError, duckdb.IntegrityError, duckdb.ProgrammingError) as error:
        if len(runs) == 1:
            yield runs[0].run_id, f"the database refuses the record: {error}"
            return
        middle = len(runs) // 2
        yield from insert_runs(connection, store_folder, runs[:middle])
        yield from insert_runs(connection, store_folder, runs[middle:])
    except duckdb.Error as error:
        message = f"the store {store_folder} cannot be written, the runs stay in the journal: {error}"
        raise StoreError(message) from error


def _insert_all(connection: DuckDBPyConnection, runs: Sequence[EncodedRun]) -> None:
    connection.begin()
    try:
        types = table_columns(connection)
        for table in dict.fromkeys(table for run in runs for table in run.rows):
            _insert_table(connection, table, types[table], [run for run in runs if table in run.rows])
        connection.execute(_PROMPTS, [[run.run_id for run in runs]])
        connection.commit()
    except BaseException:
        _roll_back(connection)
        raise


def _roll_back(connection: DuckDBPyConnection) -> None:
    import duckdb

    try:
        connection.rollback()
    except duckdb.Error:
        # A failed commit has ended the transaction already.
        return


def _insert_table(
    connection: DuckDBPyConnection, table: str, types: Mapping[str, str], runs: Sequence[EncodedRun]
) -> None:
    shape = json.dumps([{name: types.get(name, "VARCHAR") for name in runs[0].columns[table]}])
    source = f"SELECT unnest(from_json_strict(?::JSON, {sql_text(shape)}), max_depth := 2)"
    insert = _RULE_SETS.format(source=source) if table == "rule_sets" else f"INSERT INTO {table} BY NAME {source}"
    connection.execute(insert, ["[" + ",".join(run.rows[table] for run in runs) + "]"])
