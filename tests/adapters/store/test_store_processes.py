"""Several processes, some of which are killed (issue: kill -9 at any event; one writer and several readers)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.store.store_samples import events, run, subjects

from groundrules.errors import StoreBusyError
from groundrules.store import FileJournal, Patience, RunStore

EVENTS = len(events("run-1"))


def process(script: str) -> subprocess.Popen[bytes]:
    """A Python process that sees what we see, with pipes."""
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ.get("PATH", "")}
    return subprocess.Popen(  # noqa: S603 -- our own scripts
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )


def line(child: subprocess.Popen[bytes]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().decode().strip()


def end(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.communicate()


WRITER = """
import os, signal, sys
from pathlib import Path
from groundrules.store.journal import FileJournal
from tests.unit.store.store_samples import events
folder, torn_at = Path({folder!r}), {torn_at}
def write(descriptor, data):
    global count
    count += 1
    if count == torn_at:
        os.write(descriptor, data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    return os.write(descriptor, data)
count = 0
journal = FileJournal(folder, write=write)
for event in events("run-1"):
    journal.append(event)
    print(event.sequence, flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize("last", range(1, EVENTS + 1))
def test_nothing_acknowledged_is_lost_when_the_process_is_killed_after_an_event(folder: Path, last: int) -> None:
    """Issue: a kill -9 at any event; the store opens and the run is closed as FAILED."""
    child = process(WRITER.format(folder=str(folder), torn_at=0))
    for number in range(1, last + 1):
        assert line(child) == str(number)
        if number < last:
            assert child.stdin is not None
            child.stdin.write(b"\n")
            child.stdin.flush()
    store = RunStore(folder)
    assert store.ingest().running == ("run-1",)
    end(child)
    report = store.ingest()
    assert (report.stored, report.died, report.issues) == (("run-1",), ("run-1",), ())
    assert store.trace("run-1") == [event.to_dict() for event in events("run-1")[:last]]
    record = store.get_run("run-1") or {}
    assert (record["outcome"], record["stop_reason"], record["claims"]) == ("FAILED", "PROCESS_DIED", [])


@pytest.mark.parametrize("torn", range(1, EVENTS + 1))
def test_a_kill_in_the_middle_of_a_line_loses_only_that_line(folder: Path, torn: int) -> None:
    child = process(WRITER.format(folder=str(folder), torn_at=torn))
    child.communicate(b"\n" * EVENTS)
    store = RunStore(folder)
    assert store.ingest().issues == ()
    assert [event["sequence"] for event in store.trace("run-1")] == list(range(1, torn))


INGEST_KILLED = """
import os, signal
from pathlib import Path
from groundrules.store.connect import Patience, open_writer
from groundrules.store.schema import migrate
with open_writer(Path({folder!r}), Patience()) as connection:
    migrate(connection)
    connection.begin()
    connection.execute("INSERT INTO trace_events VALUES ('run-1', 1, 'PLAN', now()::TIMESTAMP, '{{}}')")
    {commit}
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(("commit", "left"), [("pass", 0), ("connection.commit()", 1)])
def test_an_ingest_that_is_killed_leaves_whole_transactions(folder: Path, commit: str, left: int) -> None:
    child = process(INGEST_KILLED.format(folder=str(folder), commit=commit))
    child.communicate()
    store = RunStore(folder)
    with_reader = store.open_reader()
    assert with_reader.execute("SELECT count(*) FROM trace_events").fetchall() == [(left,)]
    with_reader.close()
    write(folder, "run-2")
    assert store.ingest().stored == ("run-2",)


HOLDER = """
import sys
from pathlib import Path
from groundrules.store.connect import Patience, open_reader, open_writer
folder = Path({folder!r})
{opened}
print("open", flush=True)
sys.stdin.readline()
"""
HELD_BY_WRITER = "holder = open_writer(folder, Patience()); holder.__enter__()"
HELD_BY_READER = "holder = open_reader(folder, Patience())"


def write(folder: Path, run_id: str) -> None:
    journal = FileJournal(folder)
    for event in events(run_id):
        journal.append(event)
    journal.write_run(run(run_id), subjects())


@pytest.mark.parametrize("opened", [HELD_BY_WRITER, HELD_BY_READER])
def test_a_store_held_by_another_process_is_busy_and_loses_nothing(folder: Path, opened: str) -> None:
    """DESIGN §7: a store that is locked."""
    child = process(HOLDER.format(folder=str(folder), opened=opened))
    assert line(child) == "open"
    write(folder, "run-1")
    rests: list[float] = []
    store = RunStore(folder, Patience(attempts=3, pause_s=0.01, rest=rests.append))
    with pytest.raises(StoreBusyError):
        store.ingest()
    assert rests == [0.01, 0.01]
    end(child)
    assert store.ingest().stored == ("run-1",)


FULL = """
import resource
from pathlib import Path
from groundrules.errors import StoreError
from groundrules.store import Patience, RunStore
resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
try:
    RunStore(Path({folder!r}), Patience(attempts=1)).ingest()
except StoreError as error:
    print(type(error).__name__, flush=True)
"""


def test_a_disk_that_is_full_at_ingest_keeps_the_run_in_the_journal(folder: Path) -> None:
    """DESIGN §7: a store that is full. The operating system refuses, DuckDB fails, the journal stays."""
    write(folder, "run-1")
    child = process(FULL.format(folder=str(folder)))
    assert line(child) == "StoreError"
    end(child)
    store = RunStore(folder)
    assert store.get_run("run-1") == run("run-1").to_dict()
    assert store.ingest().stored == ("run-1",)


READER = """
import sys
from pathlib import Path
from groundrules.errors import StoreBusyError
from groundrules.store import RunStore
store = RunStore(Path({folder!r}))
seen = 0
while seen < {runs}:
    try:
        found = len(store.list_runs(limit=1000))
    except StoreBusyError:
        continue
    assert found >= seen, (found, seen)
    seen = found
print(seen, flush=True)
"""
BUSY_WRITER = """
from pathlib import Path
from groundrules.errors import StoreBusyError
from groundrules.store import RunStore
from tests.adapters.store.test_store_processes import write
folder = Path({folder!r})
for number in range({runs}):
    write(folder, f"run-{{number}}")
    try:
        RunStore(folder).ingest()
    except StoreBusyError:
        pass
print("done", flush=True)
"""


def test_one_writer_and_several_readers_get_along(folder: Path) -> None:
    """Each reader sees the number of runs grow and never shrink, ingested or waiting."""
    runs = 6
    readers = [process(READER.format(folder=str(folder), runs=runs)) for _ in range(2)]
    writer = process(BUSY_WRITER.format(folder=str(folder), runs=runs))
    assert line(writer) == "done"
    assert [line(reader) for reader in readers] == [str(runs), str(runs)]
    for child in (*readers, writer):
        end(child)
    store = RunStore(folder)
    store.ingest()
    assert sorted(row.run_id for row in store.list_runs(limit=1000)) == sorted(f"run-{n}" for n in range(runs))


MIGRATOR = """
from pathlib import Path
from groundrules.store import RunStore
print(RunStore(Path({folder!r})).ingest().issues, flush=True)
"""


def test_two_processes_may_make_the_store_at_once(tmp_path: Path) -> None:
    children = [process(MIGRATOR.format(folder=str(tmp_path))) for _ in range(2)]
    assert [line(child) for child in children] == ["()", "()"]
    for child in children:
        end(child)
