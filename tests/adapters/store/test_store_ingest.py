"""From journals to DuckDB: once, whole, and nothing acknowledged lost (C-4, DESIGN §7, §8)."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.unit.store.store_samples import START, events, run, subjects

from groundrules.errors import StoreBusyError, StoreError, UsageError
from groundrules.facts.catalogue import CATALOGUE
from groundrules.records.decisions import SubjectFacts
from groundrules.records.run import DiagnosisRun
from groundrules.store import FileJournal, Patience, RunStore
from groundrules.store.connect import open_writer
from groundrules.store.schema import FACT_TABLES, migrate, table_columns

IMPATIENT = Patience(attempts=2, rest=lambda _: None)


def write(folder: Path, sample: DiagnosisRun, facts: tuple[SubjectFacts, ...] = subjects()) -> Path:
    journal = FileJournal(folder)
    for event in events(sample.run_id):
        journal.append(event)
    journal.write_run(sample, facts)
    return folder / "journal" / f"{sample.run_id}.jsonl"


def rows(store: RunStore, sql: str) -> list[tuple[Any, ...]]:
    connection = store.open_reader()
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def everything(store: RunStore) -> dict[str, list[str]]:
    """Every row of every table, as text."""
    connection = store.open_reader()
    tables = [row[0] for row in connection.execute("SHOW TABLES").fetchall() if not row[0].startswith("v_")]
    found = {table: sorted(map(repr, connection.execute(f"FROM {table}").fetchall())) for table in tables}
    connection.close()
    return found


def test_a_run_comes_back_as_the_document_it_was(store: RunStore) -> None:
    write(store.folder, run("run-1"))
    assert store.ingest().stored == ("run-1",)
    assert store.get_run("run-1") == run("run-1").to_dict()


def test_the_journal_goes_only_after_the_run_is_stored(store: RunStore) -> None:
    path = write(store.folder, run("run-1"))
    store.ingest()
    assert not path.exists()


def test_a_run_is_in_every_table(store: RunStore) -> None:
    write(store.folder, run("run-1"))
    store.ingest()
    empty = [name for name, found in everything(store).items() if not found]
    assert empty == []


def test_ingesting_twice_changes_nothing(store: RunStore, tmp_path: Path) -> None:
    """As after a crash between the commit and the removal of the journal."""
    path = write(store.folder, run("run-1"))
    kept = shutil.copy(path, tmp_path / "kept")
    store.ingest()
    before = everything(store)
    shutil.copy(kept, path)
    report = store.ingest()
    assert (report.stored, report.already_stored, report.issues) == ((), ("run-1",), ())
    assert everything(store) == before
    assert not path.exists()


def test_another_run_under_a_stored_id_is_put_aside(store: RunStore) -> None:
    write(store.folder, run("run-1"))
    store.ingest()
    write(store.folder, run("run-1", outcome="FAILED"))
    report = store.ingest()
    assert [issue.message for issue in report.issues] == ["another run of that id is stored"]
    assert (store.folder / "journal" / "quarantine" / "run-1.jsonl").exists()
    assert store.get_run("run-1") == run("run-1").to_dict()


def test_a_running_run_is_left_alone(store: RunStore) -> None:
    journal = FileJournal(store.folder)
    journal.append(events("run-1")[0])
    assert store.ingest().running == ("run-1",)
    assert store.get_run("run-1") is None
    assert [event["type"] for event in store.trace("run-1")] == ["RUN_STARTED"]
    for event in events("run-1")[1:]:
        journal.append(event)
    journal.write_run(run("run-1"))
    assert store.ingest().stored == ("run-1",)


def test_a_journal_that_was_let_go_is_closed_as_failed_with_its_evidence(store: RunStore) -> None:
    journal = FileJournal(store.folder)
    for event in events("run-1")[:4]:
        journal.append(event)
    journal.close()
    report = store.ingest()
    assert (report.stored, report.died) == (("run-1",), ("run-1",))
    assert rows(store, "SELECT outcome, stop_reason, tool_calls, claims_published FROM v_runs") == [
        ("FAILED", "PROCESS_DIED", 1, 0)
    ]
    assert rows(store, "SELECT raw_path FROM evidence_refs ORDER BY ordinal") == [("$.alerts[0]",), ("$.alerts[1]",)]


def test_an_empty_journal_of_a_dead_process_is_taken_away(store: RunStore) -> None:
    path = store.folder / "journal" / "run-1.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    assert store.ingest().running == ()
    assert not path.exists()


def test_a_run_with_a_damaged_line_is_stored_and_its_journal_kept(store: RunStore) -> None:
    path = write(store.folder, run("run-1"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"\xff\xfe rubbish\n", *lines[2:]]))
    report = store.ingest()
    assert report.stored == ("run-1",)
    assert [(issue.line, issue.message) for issue in report.issues] == [
        (2, "this line is not a trace event of the run"),
        (0, "the events are not numbered 1..n without a gap"),
    ]
    assert b"rubbish" in (store.folder / "journal" / "quarantine" / "run-1.jsonl").read_bytes()


def test_a_journal_of_nothing_but_rubbish_is_put_aside(store: RunStore) -> None:
    path = store.folder / "journal" / "run-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\x00\x01\n{}\n[]\n")
    report = store.ingest()
    assert (report.stored, len(report.issues)) == ((), 3)
    assert (store.folder / "journal" / "quarantine" / "run-1.jsonl").read_bytes() == b"\x00\x01\n{}\n[]\n"


def test_one_run_that_does_not_fit_spoils_no_other(store: RunStore) -> None:
    """A round beyond 32 bits fits no column: that run is put aside, its neighbours are stored."""
    for name in ("run-1", "run-2", "run-3", "run-4", "run-5"):
        write(store.folder, run(name))
    call = replace(run("run-3").model_calls[0], round=2**40)
    (store.folder / "journal" / "run-3.jsonl").unlink()
    write(store.folder, run("run-3", model_calls=(call,)))
    report = store.ingest()
    assert sorted(report.stored) == ["run-1", "run-2", "run-4", "run-5"]
    assert [issue.file.rpartition("/")[2] for issue in report.issues] == ["run-3.jsonl"]
    assert rows(store, "SELECT count(*) FROM model_calls") == [(4,)]


def test_hostile_texts_are_stored(store: RunStore) -> None:
    query = '\'; DROP TABLE runs; -- \u2028 \0 \ud800 中文 ＡＢＣ \U0001f600 {"a":1}\n'
    write(store.folder, run("run-1", query=query))
    assert store.ingest().issues == ()
    assert rows(store, "SELECT query FROM v_runs") == [(query.replace("\ud800", "?"),)]


def test_a_large_run_is_stored(store: RunStore) -> None:
    write(store.folder, run("run-1", query="长" * 1_000_000))
    assert store.ingest().issues == ()
    assert rows(store, "SELECT length(query) FROM v_runs") == [(1_000_000,)]


def test_a_locked_database_keeps_every_run_in_the_journal(store: RunStore) -> None:
    """DESIGN §7: a store that is locked fails closed; the run is found all the same."""
    path = write(store.folder, run("run-1"))
    reader = store.open_reader()
    with pytest.raises(StoreBusyError, match="none is lost"):
        store.ingest()
    reader.close()
    assert path.exists()
    assert store.get_run("run-1") == run("run-1").to_dict()
    assert store.ingest().stored == ("run-1",)


def test_an_ingest_without_runs_does_not_wait_for_readers(store: RunStore) -> None:
    reader = store.open_reader()
    assert store.ingest().stored == ()
    reader.close()


def test_two_ingests_never_hold_the_database_at_once(store: RunStore) -> None:
    write(store.folder, run("run-1"))
    with open_writer(store.folder, IMPATIENT), pytest.raises(StoreBusyError):
        store.ingest()


def test_a_database_that_is_none_is_a_store_error_and_keeps_the_journal(store: RunStore) -> None:
    path = write(store.folder, run("run-1"))
    (store.folder / "runs.duckdb").write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError, match="cannot be opened"):
        store.ingest()
    assert path.exists()


def test_runs_are_found_by_the_beginning_of_their_id(store: RunStore) -> None:
    write(store.folder, run("abc-1"))
    store.ingest()
    write(store.folder, run("abd-1"))
    assert (store.get_run("abc") or {})["run_id"] == "abc-1"
    assert (store.get_run("abd") or {})["run_id"] == "abd-1"
    with pytest.raises(UsageError, match="several runs begin with 'ab': abc-1, abd-1"):
        store.get_run("ab")
    assert store.get_run("zzz") is None
    assert store.get_run("") is None
    assert store.get_run("%") is None


def test_a_trace_is_the_same_before_and_after_the_ingest(store: RunStore) -> None:
    """S0-7.2: what is replayed does not depend on where it lies."""
    write(store.folder, run("run-1"))
    before = store.trace("run-1")
    store.ingest()
    assert store.trace("run-1") == before == [event.to_dict() for event in events("run-1")]


def test_the_list_holds_ingested_and_waiting_runs_latest_first(store: RunStore) -> None:
    write(store.folder, run("run-1"))
    store.ingest()
    later = START.replace(hour=13)
    write(store.folder, run("run-2", started_at=later, finished_at=later, outcome="FALLBACK"))
    assert [(row.run_id, row.outcome) for row in store.list_runs()] == [("run-2", "FALLBACK"), ("run-1", "SUCCESS")]
    assert [row.run_id for row in store.list_runs(outcome="SUCCESS")] == ["run-1"]
    assert [row.run_id for row in store.list_runs(since=later)] == ["run-2"]
    assert [row.run_id for row in store.list_runs(limit=1)] == ["run-2"]


def test_nothing_stored_yet_is_an_empty_list(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    assert (store.list_runs(), store.trace("run-1"), store.get_run("run-1")) == ((), [], None)
    assert list(tmp_path.iterdir()) == []


def test_migrating_twice_changes_nothing(store: RunStore) -> None:
    write(store.folder, run("run-1"))
    store.ingest()
    before = everything(store)
    with open_writer(store.folder, IMPATIENT) as connection:
        connection.execute("DELETE FROM schema_state")
        migrate(connection)
        migrate(connection)
    assert everything(store) == before


def test_a_store_of_a_newer_version_is_refused(store: RunStore) -> None:
    store.ingest()
    with open_writer(store.folder, IMPATIENT) as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (9999, 'later')")
        connection.execute("DELETE FROM schema_state")
    with pytest.raises(StoreError, match="newer groundrules"):
        store.ingest()


def test_every_fact_of_the_catalogue_is_a_typed_column(store: RunStore) -> None:
    """DESIGN §8: facts are typed columns, never JSON, never null."""
    store.ingest()
    connection = store.open_reader()
    columns = table_columns(connection)
    connection.close()
    for kind, table in FACT_TABLES.items():
        assert set(CATALOGUE[kind]) <= set(columns[table])
        assert "JSON" not in columns[table].values()


def test_a_new_fact_rests_in_every_old_row(store: RunStore) -> None:
    write(store.folder, run("run-1"))
    store.ingest()
    with open_writer(store.folder, IMPATIENT) as connection:
        # As if these facts had come into the catalogue after the run was stored.
        connection.execute("ALTER TABLE binding_facts DROP COLUMN excerpt_too_short")
        connection.execute("ALTER TABLE binding_facts DROP COLUMN evidence_status")
        connection.execute("DELETE FROM schema_state")
        migrate(connection)
        found = connection.execute("SELECT excerpt_too_short, evidence_status FROM binding_facts").fetchall()
    assert found == [(True, "unknown"), (True, "unknown")]


def test_a_fact_that_changes_its_type_is_refused(store: RunStore) -> None:
    store.ingest()
    with open_writer(store.folder, IMPATIENT) as connection:
        connection.execute("ALTER TABLE binding_facts ALTER numbers_missing TYPE VARCHAR")
        connection.execute("DELETE FROM schema_state")
    with pytest.raises(StoreError, match="give the fact a new name"):
        store.ingest()


def test_citations_carry_the_facts_they_were_judged_on(store: RunStore) -> None:
    write(store.folder, run("run-1"))
    store.ingest()
    sql = "SELECT claim_id, status, published, fact_excerpt_verbatim, fact_excerpt_coverage FROM v_bindings ORDER BY 1"
    assert rows(store, sql) == [("claim-1", "pass", True, True, 1.0), ("claim-2", "fail", False, False, 0.25)]


def test_views_join_without_repeating_rows(store: RunStore) -> None:
    for name in ("run-1", "run-2"):
        write(store.folder, run(name))
    store.ingest()
    counts = {
        view: rows(store, f"SELECT count(*) FROM {view}")[0][0]
        for view in ("v_runs", "v_claims", "v_bindings", "v_rule_hits", "v_tool_calls", "v_model_calls", "v_releases")
    }
    assert counts == {
        "v_runs": 2,
        "v_claims": 4,
        "v_bindings": 4,
        "v_rule_hits": 8,
        "v_tool_calls": 2,
        "v_model_calls": 2,
        "v_releases": 2,
    }


def test_prompt_versions_are_counted_over_runs(store: RunStore) -> None:
    """S0-9.3, C-3: which prompt versions ran, since when, at what cost."""
    write(store.folder, run("run-2", started_at=START.replace(hour=13)))
    store.ingest()
    write(store.folder, run("run-1"))
    store.ingest()
    sql = "SELECT prompt_id, version, hash, first_used_at, model_calls, total_tokens FROM v_prompt_versions"
    assert rows(store, sql) == [("executor", "v1", "p-hash", START.replace(tzinfo=None), 2, 240)]
    assert rows(store, "SELECT policy, version, hash FROM v_rule_sets ORDER BY policy") == [
        ("gatekeeper", "gatekeeper-rules-v1", "abc"),
        ("release", "release-rules-v2", "def"),
    ]


def test_times_are_stored_in_utc(store: RunStore) -> None:
    path = write(store.folder, run("run-1"))
    path.write_text(path.read_text("utf-8").replace("2026-03-01T12:00:00+00:00", "2026-03-01T20:00:00+08:00"), "utf-8")
    store.ingest()
    assert rows(store, "SELECT started_at FROM v_runs") == [(START.replace(tzinfo=None),)]


def test_a_torn_record_makes_a_dead_run(store: RunStore) -> None:
    path = write(store.folder, run("run-1"))
    path.write_bytes(path.read_bytes()[:-20])
    assert store.ingest().died == ("run-1",)


def test_a_foreign_file_in_the_journal_folder_is_not_touched(store: RunStore) -> None:
    path = write(store.folder, run("run-1"))
    note = path.with_name("note.txt")
    note.write_text(json.dumps({"a": 1}))
    store.ingest()
    assert note.exists()


def test_a_store_in_use_reads_while_others_read(store: RunStore) -> None:
    write(store.folder, run("run-1"))
    store.ingest()
    first, second = store.open_reader(), store.open_reader()
    assert first.execute("SELECT count(*) FROM v_runs").fetchall() == [(1,)]
    assert second.execute("SELECT count(*) FROM v_runs").fetchall() == [(1,)]
    with pytest.raises(duckdb.InvalidInputException):
        first.execute("DELETE FROM store.runs")
    first.close()
    second.close()
