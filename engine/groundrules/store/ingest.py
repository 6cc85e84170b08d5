"""From journals to the database: each finished run once, whole, or not yet.

Owns the order of things: read, store in one short transaction, and only after the commit let the journal go. Refuses
nothing that a run acknowledged: a journal that cannot be stored is moved to `journal/quarantine` and said in the
report. Invariants: ingesting a run twice changes nothing; a run whose process died is closed as FAILED with its
evidence (DESIGN §8); a running run is left alone.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundrules.errors import Issue, StoreError
from groundrules.store.bulk import insert_runs, present_hashes
from groundrules.store.connect import DATABASE, Patience, open_writer, reading
from groundrules.store.journal import SUFFIX
from groundrules.store.journal_files import QUARANTINE_FOLDER, JournalContent, is_held, journal_files, read_journal
from groundrules.store.recover import died_run
from groundrules.store.rows import run_rows
from groundrules.store.schema import is_current, migrate

_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_BATCH_RUNS = 500
_BATCH_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of the journals that were found."""

    stored: tuple[str, ...] = ()
    """Run ids that are new in the database."""
    died: tuple[str, ...] = ()
    """Those of them that were closed as FAILED because their process had ended."""
    already_stored: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()
    """Damage, with the journal that was put into quarantine for it."""

    def plus(self, other: IngestReport) -> IngestReport:
        """Both reports as one."""
        return IngestReport(
            self.stored + other.stored,
            self.died + other.died,
            self.already_stored + other.already_stored,
            self.running + other.running,
            self.issues + other.issues,
        )


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A run as it goes to the database: rows by table, encoded already so that the transaction is short."""

    content: JournalContent
    died: bool
    rows: Mapping[str, str]
    columns: Mapping[str, tuple[str, ...]]

    @property
    def run_id(self) -> str:
        return self.content.run_id


def ingest_journals(store_folder: Path, patience: Patience) -> IngestReport:
    """Store every finished run that waits. StoreBusyError and StoreError leave every journal that is not stored."""
    report = IngestReport()
    batches = list(_batches(journal_files(store_folder))) or [()]
    for batch in batches:
        try:
            report = report.plus(_ingest_batch(store_folder, batch, patience))
        except OSError as error:
            message = f"the journals in {store_folder} cannot be read or moved: {error}"
            raise StoreError(message) from error
    return report


def _batches(paths: Iterable[Path]) -> Iterator[tuple[Path, ...]]:
    batch: list[Path] = []
    size_bytes = 0
    for path in paths:
        batch.append(path)
        size_bytes += path.stat().st_size if path.exists() else 0
        if len(batch) >= _BATCH_RUNS or size_bytes >= _BATCH_BYTES:
            yield tuple(batch)
            batch, size_bytes = [], 0
    if batch:
        yield tuple(batch)


def _ingest_batch(store_folder: Path, paths: tuple[Path, ...], patience: Patience) -> IngestReport:
    running: list[str] = []
    prepared: list[PreparedRun] = []
    issues: list[Issue] = []
    for path in paths:
        match _prepare(path):
            case PreparedRun() as run:
                prepared.append(run)
            case JournalContent() as unusable:
                issues.extend(unusable.issues)
                _quarantine(path)
            case str() as run_id:
                running.append(run_id)
    report = _store(store_folder, prepared, patience)
    return report.plus(IngestReport(running=tuple(running), issues=tuple(issues)))


def pending_record(path: Path) -> JournalContent | None:
    """The content of a journal whose run has ended or died; none while it lives, or when nothing stands in it."""
    content = read_journal(path)
    if content.record is not None:
        return content
    if is_held(path) or not (content.events or content.issues):
        return None
    # The record may have come between the first look and the lock being let go.
    return read_journal(path)


def _prepare(path: Path) -> PreparedRun | JournalContent | str | None:
    """The run; or what is unusable; or the id of a run that lives; or nothing, when there is nothing to keep."""
    try:
        content = pending_record(path)
        if content is None:
            return None if _clear_unused(path) else path.name.removesuffix(SUFFIX)
    except FileNotFoundError:
        return None
    return prepare_run(content)


def prepare_run(content: JournalContent) -> PreparedRun | JournalContent:
    """The run ready to store; or its content with the reason why it cannot be."""
    if content.record is None and not content.events:
        return content
    record = content.record or died_run(content.run_id, content.events)
    try:
        rows = run_rows(record, content.subjects, content.events, content.content_hash)
        encoded = {table: _encode(found) for table, found in rows.items() if found}
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        return _unusable(content, f"the record cannot be stored: {type(error).__name__}: {error}")
    return PreparedRun(content, content.record is None, encoded, {table: tuple(rows[table][0]) for table in encoded})


def _encode(rows: Sequence[Mapping[str, object]]) -> str:
    """The rows as JSON objects with commas between."""
    # DuckDB takes no lone surrogates; in its columns they become '?'.
    return _ENCODE(rows)[1:-1].encode("utf-8", "replace").decode()


def _unusable(content: JournalContent, message: str) -> JournalContent:
    hint = "the journal is kept under journal/quarantine as it was found"
    issue = Issue(str(content.path), 0, "$.record", message, hint, "journal")
    return JournalContent(content.path, content.content_hash, content.events, None, (), (*content.issues, issue))


def _store(store_folder: Path, prepared: list[PreparedRun], patience: Patience) -> IngestReport:
    if not prepared and _is_ready(store_folder, patience):
        return IngestReport()
    with open_writer(store_folder, patience) as connection:
        migrate(connection)
        hashes = present_hashes(connection, [run.run_id for run in prepared])
        fresh = [run for run in prepared if run.run_id not in hashes]
        refused = dict(insert_runs(connection, store_folder, fresh))
    report = IngestReport()
    for run in prepared:
        present = hashes.get(run.run_id)
        clash = present is not None and present != run.content.content_hash
        reason = "another run of that id is stored" if clash else refused.get(run.run_id, "")
        report = _let_go(report, run, reason, present is not None)
    return report


def _is_ready(store_folder: Path, patience: Patience) -> bool:
    """Whether the database is there and of this version: then an ingest without runs keeps out of readers' way."""
    if not (store_folder / DATABASE).exists():
        return False
    with reading(store_folder, patience) as connection:
        return is_current(connection)


def _let_go(report: IngestReport, run: PreparedRun, reason: str, present: bool) -> IngestReport:
    content = _unusable(run.content, reason) if reason else run.content
    if content.issues:
        _quarantine(content.path)
    else:
        content.path.unlink(missing_ok=True)
    name = (run.run_id,)
    if reason:
        return report.plus(IngestReport(issues=content.issues))
    if present:
        return report.plus(IngestReport(already_stored=name, issues=content.issues))
    return report.plus(IngestReport(stored=name, died=name if run.died else (), issues=content.issues))


def _quarantine(path: Path) -> None:
    folder = path.parent / QUARANTINE_FOLDER
    folder.mkdir(exist_ok=True)
    target, number = folder / path.name, 0
    while target.exists():
        number += 1
        target = folder / f"{path.name}.{number}"
    if path.exists():
        path.rename(target)


def _clear_unused(path: Path) -> bool:
    """Take away a journal in which no event was ever kept, unless its run lives; whether it is gone."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_size:
            _quarantine(path)
        else:
            path.unlink()
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
