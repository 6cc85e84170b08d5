"""Many runs into the tables at once, through JSON lines that DuckDB reads itself.

Owns the insert. Refuses single runs that a column does not take, and stores the rest: the batch is halved until the
run that is wrong stands alone. Invariant: a run is in all its tables or in none.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from groundrules.errors import StoreError
from groundrules.store.connect import sql_text
from groundrules.store.schema import table_columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_STAGING = "ingest.tmp"
_PROMPTS = """
INSERT INTO prompt_versions
SELECT prompt_id, prompt_version, prompt_locale, prompt_hash, min(r.started_at)
FROM model_calls m JOIN runs r USING (run_id) WHERE run_id IN (SELECT unnest(?)) GROUP BY ALL
ON CONFLICT DO UPDATE SET first_used_at = least(first_used_at, excluded.first_used_at)
"""
_RULE_SETS = """
INSERT INTO rule_sets
SELECT policy, version, hash, min(r.started_at) FROM {source} s JOIN runs r USING (run_id) GROUP BY ALL
ON CONFLICT DO UPDATE SET first_used_at = least(first_used_at, excluded.first_used_at)
"""


class EncodedRun(Protocol):
    """A run with its rows as JSON lines."""

    @property
    def run_id(self) -> str: ...
    @property
    def lines(self) -> Mapping[str, bytes]: ...
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
        _insert_all(connection, store_folder / _STAGING, runs)
    except (duckdb.DataError, duckdb.IntegrityError, duckdb.ProgrammingError) as error:
        if len(runs) == 1:
            yield runs[0].run_id, f"the database refuses the record: {error}"
            return
        middle = len(runs) // 2
        yield from insert_runs(connection, store_folder, runs[:middle])
        yield from insert_runs(connection, store_folder, runs[middle:])
    except (duckdb.Error, OSError) as error:
        message = f"the store {store_folder} cannot be written, the runs stay in the journal: {error}"
        raise StoreError(message) from error


def _insert_all(connection: DuckDBPyConnection, staging: Path, runs: Sequence[EncodedRun]) -> None:
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir()
    connection.begin()
    try:
        for table in dict.fromkeys(table for run in runs for table in run.lines):
            _insert_table(connection, staging, table, runs)
        connection.execute(_PROMPTS, [[run.run_id for run in runs]])
        connection.commit()
    except BaseException:
        _roll_back(connection)
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _roll_back(connection: DuckDBPyConnection) -> None:
    import duckdb

    try:
        connection.rollback()
    except duckdb.Error:
        # A failed commit has ended the transaction already.
        return


def _insert_table(connection: DuckDBPyConnection, staging: Path, table: str, runs: Sequence[EncodedRun]) -> None:
    holders = [run for run in runs if table in run.lines]
    file = staging / f"{table}.jsonl"
    file.write_bytes(b"".join(run.lines[table] for run in holders))
    longest = max(len(run.lines[table]) for run in holders)
    columns = holders[0].columns[table]
    types = table_columns(connection, table)
    typed = ", ".join(f"{sql_text(name)}: {sql_text(types.get(name, 'VARCHAR'))}" for name in columns)
    source = (
        f"read_json({sql_text(str(file))}, format = 'newline_delimited', columns = {{{typed}}}, "
        f"maximum_object_size = {max(longest, 2**20) + 1})"
    )
    if table == "rule_sets":
        connection.execute(_RULE_SETS.format(source=source))
    else:
        connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM {source}")
