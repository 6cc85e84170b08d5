"""How fast finished runs get from the journal into DuckDB, against DuckDB reading the same lines by itself.

Run from the repository root: `PYTHONPATH=engine python -m benchmarks.store [--runs N] [--json]`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from tests.unit.store.store_samples import events, run, subjects

from groundrules.store.journal import FileJournal
from groundrules.store.runs import RunStore


def write_journals(folder: Path, runs: int) -> float:
    """Seconds to journal that many runs, 8 events and a record each, without a sync for each line."""
    journal = FileJournal(folder, sync=lambda _: None)
    started = time.perf_counter()
    for number in range(runs):
        run_id = f"run-{number:06d}"
        for event in events(run_id):
            journal.append(event)
        journal.write_run(run(run_id), subjects())
    return time.perf_counter() - started


def plain_read_s(folder: Path) -> float:
    """Seconds for DuckDB to read the same lines, in one file, into one table of the same outer columns."""
    import duckdb

    lines = folder / "lines.jsonl"
    lines.write_bytes(b"".join(path.read_bytes() for path in sorted((folder / "journal").glob("*.jsonl"))))
    names = {"record": "JSON", "subjects": "JSON", "run_id": "VARCHAR", "sequence": "INTEGER", "type": "VARCHAR"}
    columns = names | {"at": "VARCHAR", "data": "JSON"}
    started = time.perf_counter()
    with duckdb.connect(str(folder / "plain.duckdb")) as connection:
        source = f"read_json('{lines}', format = 'newline_delimited', columns = {columns})"
        connection.execute(f"CREATE TABLE lines AS SELECT * FROM {source}")
    return time.perf_counter() - started


def measure(runs: int) -> dict[str, float]:
    """Ingest speed and its ratio to the yardstick."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        journal_s = write_journals(folder, runs)
        plain_s = plain_read_s(folder)
        store = RunStore(folder)
        started = time.perf_counter()
        report = store.ingest()
        ingest_s = time.perf_counter() - started
        assert len(report.stored) == runs, report.issues[:3]
        return {
            "runs": runs,
            "ingest_runs_per_s": runs / ingest_s,
            "journal_runs_per_s": runs / journal_s,
            "plain_read_runs_per_s": runs / plain_s,
            "ingest_to_plain_ratio": ingest_s / plain_s,
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = measure(arguments.runs)
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:24} {value:12,.2f}")


if __name__ == "__main__":
    main()
