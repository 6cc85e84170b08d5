"""The store of runs: what was asked and decided, found again by id, by list and by trace.

Owns `<store>/runs.duckdb` and the journals beside it. Refuses an id prefix that several runs share. Invariant: a run
that has finished is found whether it was ingested yet or not: the journals are looked at before the database, since
a run moves from the one to the other and never back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundrules.errors import UsageError
from groundrules.store.connect import DATABASE, Patience, open_reader, open_writer, reading
from groundrules.store.ingest import IngestReport, ingest_journals, pending_record
from groundrules.store.journal import SUFFIX
from groundrules.store.journal_files import JournalContent, journal_files, read_journal
from groundrules.store.recover import died_run
from groundrules.store.schema import migrate

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LIST = """
SELECT run_id, pipeline, query, started_at, finished_at, outcome, stop_reason, verdict, claims_published
FROM runs WHERE ($outcome IS NULL OR outcome = $outcome) AND ($since IS NULL OR started_at >= $since::TIMESTAMP)
ORDER BY started_at DESC, run_id LIMIT $limit
"""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a list."""

    run_id: str
    pipeline: str
    query: str
    started_at: datetime
    finished_at: datetime
    outcome: str
    stop_reason: str
    verdict: str | None
    claims_published: int


class RunStore:
    """Runs of one project, in one folder."""

    def __init__(self, folder: Path, patience: Patience | None = None) -> None:
        self.folder = folder
        self.patience = patience or Patience()

    def waiting(self) -> int:
        """Journals that are not in the database yet, those of running runs among them."""
        return len(journal_files(self.folder))

    def ingest(self) -> IngestReport:
        """Store every finished run that waits in the journal. StoreBusyError leaves them there."""
        return ingest_journals(self.folder, self.patience)

    def open_reader(self) -> DuckDBPyConnection:
        """A read-only connection for code of the project; close it soon, it keeps writers out."""
        if not (self.folder / DATABASE).exists():
            with open_writer(self.folder, self.patience) as connection:
                migrate(connection)
        return open_reader(self.folder, self.patience)

    def get_run(self, run_id: str) -> dict[str, Any] | None:
        """The `diagnosis_run` document of the run with that id, or whose id alone begins so."""
        full = self._full_id(run_id)
        if full is None:
            return None
        content = self._pending(full)
        stored = self._fetch("SELECT document FROM runs WHERE run_id = ?", [full])
        if stored:
            return _object(stored[0][0])
        return dict(_record(content)) if content and _has_ended(content) else None

    def list_runs(
        self, limit: int = 50, outcome: str | None = None, since: datetime | None = None
    ) -> tuple[RunRow, ...]:
        """The latest runs first, those that are not ingested yet among them."""
        start = since.astimezone(UTC).replace(tzinfo=None) if since else None
        waiting = [_journal_row(content) for content in self._ended()]
        stored = self._fetch(_LIST, {"outcome": outcome, "since": start, "limit": max(limit, 0)})
        rows = {
            row.run_id: row
            for row in waiting
            if (outcome is None or row.outcome == outcome) and (since is None or row.started_at >= since)
        }
        rows |= {row.run_id: row for row in map(_stored_row, stored)}
        return tuple(sorted(rows.values(), key=lambda row: (-row.started_at.timestamp(), row.run_id))[: max(limit, 0)])

    def trace(self, run_id: str) -> list[dict[str, Any]]:
        """The run's trace events in order, also while it runs; none when there is no such run."""
        full = self._full_id(run_id)
        if full is None:
            return []
        content = self._journal_content(full)
        stored = self._fetch(
            "SELECT sequence, type, happened_at, data FROM trace_events WHERE run_id = ? ORDER BY sequence", [full]
        )
        if stored:
            return [_event(full, *row) for row in stored]
        return [dict(event) for event in content.events] if content else []

    def _full_id(self, prefix: str) -> str | None:
        if not prefix:
            return None
        waiting = [path.name.removesuffix(SUFFIX) for path in journal_files(self.folder)]
        stored = self._fetch(
            "SELECT run_id FROM runs WHERE starts_with(run_id, ?) ORDER BY length(run_id), run_id LIMIT 10", [prefix]
        )
        found = sorted({str(row[0]) for row in stored} | {name for name in waiting if name.startswith(prefix)})
        if prefix in found or len(found) == 1:
            return prefix if prefix in found else found[0]
        if found:
            message = f"several runs begin with {prefix!r}: {', '.join(found[:5])}; give more of the id"
            raise UsageError(message)
        return None

    def _fetch(self, sql: str, parameters: list[Any] | dict[str, Any]) -> list[tuple[Any, ...]]:
        if not (self.folder / DATABASE).exists():
            return []
        with reading(self.folder, self.patience) as connection:
            return connection.execute(sql, parameters).fetchall()

    def _journal_content(self, run_id: str) -> JournalContent | None:
        for path in journal_files(self.folder):
            if path.name == run_id + SUFFIX:
                try:
                    return read_journal(path)
                except FileNotFoundError:
                    return None
        return None

    def _pending(self, run_id: str) -> JournalContent | None:
        found = self._journal_content(run_id)
        return _ended_content(found.path) if found else None

    def _ended(self) -> Iterator[JournalContent]:
        for path in journal_files(self.folder):
            content = _ended_content(path)
            if content and _has_ended(content):
                yield content


def _ended_content(path: Path) -> JournalContent | None:
    try:
        return pending_record(path)
    except FileNotFoundError:
        return None


def _has_ended(content: JournalContent) -> bool:
    return content.record is not None or bool(content.events)


def _record(content: JournalContent) -> Mapping[str, Any]:
    return content.record or died_run(content.run_id, content.events)


def _object(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    return document


def _utc(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC)


def _stored_row(row: tuple[Any, ...]) -> RunRow:
    run_id, pipeline, query, started, finished, *rest = row
    return RunRow(run_id, pipeline, query, _utc(started), _utc(finished), *rest)


def _journal_row(content: JournalContent) -> RunRow:
    record = _record(content)
    return RunRow(
        content.run_id,
        str(record.get("pipeline", "")),
        str(record.get("query", "")),
        _time(record.get("started_at")),
        _time(record.get("finished_at")),
        str(record.get("outcome", "FAILED")),
        str(record.get("stop_reason", "")),
        record.get("verdict"),
        len(record.get("claims") or ()),
    )


def _time(value: object) -> datetime:
    try:
        time = datetime.fromisoformat(str(value))
    except ValueError:
        return datetime.fromtimestamp(0, UTC)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _event(run_id: str, sequence: int, kind: str, at: datetime, data: str) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "sequence": sequence,
        "type": kind,
        "at": _utc(at).isoformat(),
        "data": json.loads(data),
    }
