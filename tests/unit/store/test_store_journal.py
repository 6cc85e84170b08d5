"""The journal: what is kept, what is refused, what happens when the disk says no (DESIGN §8, issue: fail closed)."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.store.store_samples import events, run, subjects

from groundrules.errors import StoreError, UsageError
from groundrules.store.journal import FileJournal, journal_path
from groundrules.store.journal_files import is_held, journal_files, read_journal


class Disk:
    """A disk with room for so many bytes more; then it takes half of what is given and fails."""

    def __init__(self, room_bytes: int) -> None:
        self.room_bytes = room_bytes

    def write(self, descriptor: int, data: bytes) -> int:
        if self.room_bytes <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = os.write(descriptor, data[: self.room_bytes])
        self.room_bytes -= taken
        return taken


def test_each_event_is_one_json_line_as_soon_as_append_returns(tmp_path: Path) -> None:
    """DESIGN §8: a tool result is durable before the model sees it."""
    journal = FileJournal(tmp_path)
    for number, event in enumerate(events("run-1"), start=1):
        journal.append(event)
        lines = (tmp_path / "journal" / "run-1.jsonl").read_text(encoding="utf-8").splitlines()
        assert len(lines) == number
        assert json.loads(lines[-1]) == event.to_dict()


def test_every_event_is_synced_before_append_returns(tmp_path: Path) -> None:
    synced: list[int] = []
    journal = FileJournal(tmp_path, sync=synced.append)
    for event in events("run-1")[:3]:
        journal.append(event)
    assert len(synced) == 3


def test_a_finished_journal_alone_holds_the_whole_run(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path)
    for event in events("run-1"):
        journal.append(event)
    journal.write_run(run("run-1"), subjects())
    content = read_journal(journal_path(tmp_path, "run-1"))
    assert content.record == run("run-1").to_dict()
    assert [event["sequence"] for event in content.events] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert [(item["kind"], item["subject"]) for item in content.subjects][:2] == [
        ("output", "output"),
        ("claim", "claim-1"),
    ]
    assert content.issues == ()


@pytest.mark.parametrize(
    "run_id",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "/etc/passwd",
        "a\\b",
        "a\0b",
        ".hidden",
        "-rf",
        "x" * 129,
        "run 1",
        "运行",
        "a\nb",
        "a:b",
    ],
)
def test_a_run_id_that_is_no_plain_file_name_is_refused(tmp_path: Path, run_id: str) -> None:
    """A hostile run id reaches no other place of the disk."""
    with pytest.raises(UsageError, match="cannot name a journal"):
        FileJournal(tmp_path).append(events(run_id)[0])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("run_id", ["r", "0198f3c2-7d1e-7000-8000-000000000000", "A.b_c-9", "x" * 128])
def test_an_ordinary_run_id_is_taken(tmp_path: Path, run_id: str) -> None:
    FileJournal(tmp_path).append(events(run_id)[0])
    assert [path.name for path in journal_files(tmp_path)] == [run_id + ".jsonl"]


def test_a_second_run_with_the_same_id_is_refused_and_the_first_stays_whole(tmp_path: Path) -> None:
    first = FileJournal(tmp_path)
    first.append(events("run-1")[0])
    with pytest.raises(StoreError, match="has a journal already"):
        FileJournal(tmp_path).append(events("run-1")[0])
    assert len(read_journal(journal_path(tmp_path, "run-1")).events) == 1


def test_a_full_disk_stops_the_run_and_leaves_no_half_line(tmp_path: Path) -> None:
    """DESIGN §7: a store that is full fails closed."""
    one, two, three, *_ = events("run-1")
    size = len(json.dumps(one.to_dict(), ensure_ascii=False, separators=(",", ":")).encode()) + 1
    disk = Disk(size + 40)
    journal = FileJournal(tmp_path, write=disk.write)
    journal.append(one)
    with pytest.raises(StoreError, match="could not be written"):
        journal.append(two)
    assert (tmp_path / "journal" / "run-1.jsonl").stat().st_size == size
    disk.room_bytes = 10**6
    with pytest.raises(StoreError, match="later ones are refused"):
        journal.append(three)
    assert len(read_journal(journal_path(tmp_path, "run-1")).events) == 1


def test_a_sync_that_fails_stops_the_run(tmp_path: Path) -> None:
    def broken(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(StoreError, match="Input/output error"):
        FileJournal(tmp_path, sync=broken).append(events("run-1")[0])


def test_a_real_file_size_limit_is_a_store_error(tmp_path: Path) -> None:
    """The same with the operating system's own refusal, in a process whose files may not grow."""
    script = f"""
import resource
from pathlib import Path
from groundrules.errors import StoreError
from groundrules.store.journal import FileJournal
from tests.unit.store.store_samples import events
journal = FileJournal(Path({str(tmp_path)!r}))
first, second, *_ = events("run-1")
journal.append(first)
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
try:
    journal.append(second)
except StoreError:
    print("refused")
"""
    done = subprocess.run(  # noqa: S603 -- our own script
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=_environment()
    )
    assert done.stdout == "refused\n"
    assert len(read_journal(journal_path(tmp_path, "run-1")).events) == 1


def _environment() -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ.get("PATH", "")}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
def test_what_json_does_not_have_is_a_store_error(tmp_path: Path, value: object) -> None:
    event = events("run-1")[0]
    with pytest.raises(StoreError):
        FileJournal(tmp_path).append(type(event)("run-1", 1, "PLAN", event.at, {"value": value}))


def test_any_text_comes_back_as_it_was(tmp_path: Path) -> None:
    """Line separators, NUL, full-width forms and a lone surrogate are text like any other."""
    text = "a\u2028b\nc\0d ＡＢＣ 中文 \ud800 \U0001f600"
    event = events("run-1")[0]
    FileJournal(tmp_path).append(type(event)("run-1", 1, "PLAN", event.at, {"text": text}))
    (read,) = read_journal(journal_path(tmp_path, "run-1")).events
    assert read["data"]["text"] == text


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    path = journal_path(tmp_path, "run-1")
    path.parent.mkdir()
    first, second, *_ = (json.dumps(event.to_dict()) for event in events("run-1"))
    path.write_text(first + "\n" + second[:50])
    content = read_journal(path)
    assert (len(content.events), content.issues) == (1, ())


def test_every_other_damage_is_an_issue_with_its_line(tmp_path: Path) -> None:
    path = journal_path(tmp_path, "run-1")
    path.parent.mkdir()
    first, second, third, *_ = (json.dumps(event.to_dict()) for event in events("run-1"))
    path.write_text("\n".join([first, "}{", second, "[1]", third, '{"record": {"run_id": "other"}}', ""]))
    content = read_journal(path)
    assert len(content.events) == 3
    assert content.record is None
    assert [issue.line for issue in content.issues] == [2, 4, 6]


def test_a_lost_line_in_the_middle_is_an_issue(tmp_path: Path) -> None:
    path = journal_path(tmp_path, "run-1")
    path.parent.mkdir()
    first, _, third, *_ = (json.dumps(event.to_dict()) for event in events("run-1"))
    path.write_text(first + "\n" + third + "\n")
    assert [issue.message for issue in read_journal(path).issues] == ["the events are not numbered 1..n without a gap"]


def test_a_journal_is_held_until_its_record_is_written(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path)
    journal.append(events("run-1")[0])
    path = journal_path(tmp_path, "run-1")
    assert is_held(path) is True
    journal.write_run(run("run-1"))
    assert is_held(path) is False
