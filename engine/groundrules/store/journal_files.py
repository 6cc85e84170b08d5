"""Journals at rest: which there are, whether their run lives, what stands in them.

Owns reading. Refuses nothing: a line that cannot be read is an `Issue` and every other line still counts. Invariant:
a torn last line, which nobody was ever told was kept, is passed over; any other damage is reported.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundrules.errors import Issue
from groundrules.store.journal import JOURNAL_FOLDER, SUFFIX

QUARANTINE_FOLDER = "quarantine"


@dataclass(frozen=True, slots=True)
class JournalContent:
    """What one journal says."""

    path: Path
    content_hash: str
    events: tuple[Mapping[str, Any], ...]
    record: Mapping[str, Any] | None
    """The run's document; none while it runs, or when it died."""
    subjects: tuple[Mapping[str, Any], ...]
    issues: tuple[Issue, ...]
    """Damaged lines."""

    @property
    def run_id(self) -> str:
        return self.path.name.removesuffix(SUFFIX)


def journal_files(store_folder: Path) -> tuple[Path, ...]:
    """Every journal that waits, by name."""
    folder = store_folder / JOURNAL_FOLDER
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(SUFFIX) and entry.is_file())
    except FileNotFoundError:
        return ()
    return tuple(folder / name for name in names)


def is_held(path: Path) -> bool:
    """Whether a living process writes this journal."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def read_journal(path: Path) -> JournalContent:
    """What stands in the journal. Raises only OSError."""
    return parse_journal(path, path.read_bytes())


def parse_journal(path: Path, content: bytes) -> JournalContent:
    """The lines of a journal: events in order, then the record if there is one."""
    events: list[Mapping[str, Any]] = []
    issues: list[Issue] = []
    record: Mapping[str, Any] | None = None
    subjects: tuple[Mapping[str, Any], ...] = ()
    *whole, torn = content.split(b"\n")
    for number, line in enumerate([*whole, torn], start=1):
        document = _read_line(line)
        if document is not None and "record" in document:
            record, subjects, found = _read_record(path, number, document)
            issues.extend(found)
        elif document is not None and _is_event(path, document):
            events.append(document)
        elif number <= len(whole):
            issues.append(Issue(str(path), number, "$", "this line is not a trace event of the run", _HINT, "journal"))
    issues.extend(_gap(path, events))
    digest = hashlib.sha256(content).hexdigest()
    return JournalContent(path, digest, tuple(events), record, subjects, tuple(issues))


_HINT = "the journal is kept under journal/quarantine as it was found"


def _read_line(line: bytes) -> Mapping[str, Any] | None:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _is_event(path: Path, document: Mapping[str, Any]) -> bool:
    return (
        document.get("run_id") == path.name.removesuffix(SUFFIX)
        and type(document.get("sequence")) is int
        and isinstance(document.get("type"), str)
        and isinstance(document.get("at"), str)
        and isinstance(document.get("data"), dict)
    )


def _read_record(
    path: Path, number: int, document: Mapping[str, Any]
) -> tuple[Mapping[str, Any] | None, tuple[Mapping[str, Any], ...], tuple[Issue, ...]]:
    record, subjects = document["record"], document.get("subjects", [])
    if not isinstance(record, dict) or record.get("run_id") != path.name.removesuffix(SUFFIX):
        return None, (), (Issue(str(path), number, "$.record", "it is not the record of this run", _HINT, "journal"),)
    if not isinstance(subjects, list) or not all(isinstance(subject, dict) for subject in subjects):
        return record, (), (Issue(str(path), number, "$.subjects", "it is not a list of facts", _HINT, "journal"),)
    return record, tuple(subjects), ()


def _gap(path: Path, events: list[Mapping[str, Any]]) -> tuple[Issue, ...]:
    numbers = [event["sequence"] for event in events]
    if numbers == list(range(1, len(numbers) + 1)):
        return ()
    return (Issue(str(path), 0, "$", "the events are not numbered 1..n without a gap", _HINT, "journal"),)
