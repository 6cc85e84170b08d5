"""SQL for readers: what it answers, and everything that it must not reach (C-4; issue: command 4)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from tests.unit.store.store_samples import run as sample_run
from tests.unit.store.store_samples import subjects

from groundrules.errors import StoreBusyError, UsageError
from groundrules.store import FileJournal, QueryResult, RunStore, query, write_parquet, write_result
from groundrules.store.connect import open_writer
from groundrules.store.sandbox import check, open_fenced, run


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunStore]:
    """A store of two runs, which no test of this module changes."""
    folder = tmp_path_factory.mktemp("filled")
    journal = FileJournal(folder)
    for name in ("run-1", "run-2"):
        journal.write_run(sample_run(name), subjects())
    store = RunStore(folder)
    store.ingest()
    secret = folder / "secret.csv"
    secret.write_text("password\nhunter2\n")
    before = (folder / "runs.duckdb").read_bytes()
    yield store
    assert (folder / "runs.duckdb").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["ingest.lock", "journal", "runs.duckdb", "secret.csv"]


ATTEMPTS = [
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM read_blob('{secret}')",
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM read_csv_auto('{secret}')",
    "SELECT * FROM read_json('{secret}')",
    "SELECT * FROM read_ndjson_objects('{secret}')",
    "SELECT * FROM read_parquet('{secret}')",
    "SELECT * FROM parquet_metadata('{secret}')",
    "SELECT * FROM read_duckdb('{folder}/runs.duckdb')",
    "SELECT * FROM sniff_csv('{secret}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM glob('/*')",
    "FROM '{secret}'",
    'FROM "{secret}"',
    "FROM 'https://example.invalid/x.parquet'",
    "FROM 's3://bucket/x.parquet'",
    "SELECT (SELECT content FROM read_text('{secret}'))",
    "WITH a AS (SELECT * FROM read_text('{secret}')) SELECT * FROM a",
    "SELECT 1 WHERE EXISTS (FROM read_csv('{secret}'))",
    "SELECT * FROM query('SELECT * FROM read_text(''{secret}'')')",
    "SELECT * FROM query_table('{secret}')",
    "SELECT * FROM json_execute_serialized_sql('{{}}')",
    "EXPLAIN ANALYZE SELECT * FROM read_text('{secret}')",
    "EXPLAIN ANALYZE COPY runs TO '{folder}/out.csv'",
    "EXPLAIN ANALYZE DELETE FROM runs",
    "/* harmless */ EXPLAIN ANALYZE COPY runs TO '{folder}/out.csv'",
    "COPY runs TO '{folder}/out.csv'",
    "COPY (SELECT 1) TO '{folder}/out.parquet' (FORMAT parquet)",
    "COPY runs FROM '{secret}'",
    "/* SELECT */ COPY runs TO '{folder}/out.csv' -- SELECT",
    "EXPORT DATABASE '{folder}/out'",
    "IMPORT DATABASE '{folder}'",
    "ATTACH '{folder}/other.duckdb'",
    "ATTACH '{folder}/runs.duckdb' AS again",
    "DETACH store",
    "USE memory",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{secret}'",
    "UPDATE EXTENSIONS",
    "SET threads = 8",
    "SET enable_external_access = true",
    "RESET enable_external_access",
    "SET VARIABLE x = 1",
    "PRAGMA database_list",
    "PRAGMA enable_profiling",
    "SELECT * FROM pragma_database_list()",
    "CALL pragma_version()",
    "SELECT * FROM enable_logging(storage = 'file', storage_config = {{'path': '{folder}/log'}})",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM which_secret('s3://x', 's3')",
    "CREATE SECRET s (TYPE s3)",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_databases()",
    "SELECT * FROM duckdb_temporary_files()",
    "SELECT getenv('HOME')",
    "SELECT 'HOME'.getenv()",
    "SELECT getvariable('x')",
    "SELECT write_log('x')",
    "SELECT sleep_ms(1)",
    "SELECT sqrt(setseed(0.5)::INTEGER)",
    "CREATE TABLE t AS SELECT 1",
    "CREATE TEMP TABLE t AS SELECT 1",
    "CREATE TABLE memory.t AS SELECT 1",
    "CREATE VIEW v AS SELECT 1",
    "CREATE MACRO m() AS 1",
    "CREATE SEQUENCE s",
    "INSERT INTO runs SELECT * FROM runs",
    "WITH a AS (INSERT INTO prompt_versions VALUES ('a','b','c','d',now()) RETURNING *) SELECT * FROM a",
    "UPDATE runs SET outcome = 'SUCCESS'",
    "DELETE FROM runs",
    "TRUNCATE runs",
    "MERGE INTO runs USING runs r ON (runs.run_id = r.run_id) WHEN MATCHED THEN DELETE",
    "DROP TABLE runs",
    "ALTER TABLE runs ADD COLUMN x INTEGER",
    "COMMENT ON TABLE runs IS 'x'",
    "CHECKPOINT",
    "FORCE CHECKPOINT",
    "SELECT * FROM force_checkpoint()",
    "VACUUM",
    "ANALYZE",
    "BEGIN",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "SELECT 1; DROP TABLE runs",
    "SELECT 1; SELECT 2",
    "SELECT 1;;COPY runs TO '{folder}/out.csv'",
    "SELECT 1 /* ; */; -- \n DELETE FROM runs",
    "",
    ";",
    "-- SELECT 1",
    "SELECT * FROM python_variable_in_no_frame",
    "SELECT * FROM secret",
    "SELECT * FROM pandas_scan(1)",
    "SELECT * FROM arrow_scan(1::BIGINT, 2::BIGINT, 3::BIGINT)",
    "SELECT * FROM python_map_function()",
    "SELECT * FROM create_external_resource('x')",
    "SELECT * FROM import_database('{folder}')",
    "SELECT * FROM seq_scan()",
]


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_an_attempt_to_reach_out_is_refused(filled: RunStore, attempt: str) -> None:
    """Read-only is real: no file, no network, no setting, no variable, no second statement."""
    secret = filled.folder / "secret.csv"
    sql = attempt.format(secret=secret, folder=filled.folder)
    answer = run(
        {
            "database": str(filled.folder / "runs.duckdb"),
            "sql": sql,
            "timeout_s": 20.0,
            "max_rows": 10,
            "memory_mb": 256,
        }
    )
    assert answer["kind"] in ("refused", "catalog", "sql")
    assert "hunter2" not in json.dumps(answer)


BEHIND_THE_CHECK = [
    attempt for attempt in ATTEMPTS if attempt.startswith(("COPY", "ATTACH", "EXPORT", "LOAD", "SET t"))
]


@pytest.mark.parametrize("attempt", BEHIND_THE_CHECK)
def test_the_second_wall_holds_without_the_first(filled: RunStore, attempt: str) -> None:
    """Were a statement to slip past the check, DuckDB's own locked settings would refuse it."""
    connection = open_fenced(str(filled.folder / "runs.duckdb"), 256)
    with pytest.raises(duckdb.Error):
        connection.execute(attempt.format(secret=filled.folder / "secret.csv", folder=filled.folder))
    connection.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT outcome, count(*) FROM v_runs GROUP BY ALL",
        "FROM v_claims",
        "TABLE v_bindings",
        "VALUES (1), (2)",
        "DESCRIBE v_runs",
        "SHOW TABLES",
        "SUMMARIZE v_tool_calls",
        "EXPLAIN SELECT * FROM v_runs",
        "explain analyze SELECT count(*) FROM v_runs",
        "SELECT run_id, row_number() OVER (ORDER BY started_at) AS n FROM v_runs QUALIFY n = 1",
        "PIVOT v_tool_calls ON evidence_status IN ('supported', 'failed') USING count(*) GROUP BY tool_name",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT sum(n) FROM r",
        "SELECT t.value FROM v_tool_calls, json_each(scope) t",
        "SELECT lock->>'$.rule_sets.gatekeeper.version' FROM v_runs -- 注释；comment",
        "SELECT unnest(limitations) FROM v_releases",
        "SELECT regexp_matches(query, '告警'), list_transform([1, 2], lambda x: x + 1) FROM v_runs;",
        "SELECT date_trunc('day', started_at), quantile_cont(duration_ms, 0.95) FROM v_runs GROUP BY 1 ORDER BY ALL",
    ],
)
def test_what_an_analyst_asks_is_answered(filled: RunStore, sql: str) -> None:
    """C-4: analysts query outcomes with SQL."""
    connection = open_fenced(str(filled.folder / "runs.duckdb"), 256)
    check(connection, sql)
    assert connection.execute(sql).description
    connection.close()


def test_rows_come_back_with_their_columns_and_types(filled: RunStore) -> None:
    result = query(filled, "SELECT run_id, claims_published, narrow, started_at FROM v_runs ORDER BY run_id")
    assert result == QueryResult(
        columns=("run_id", "claims_published", "narrow", "started_at"),
        types=("VARCHAR", "INTEGER", "BOOLEAN", "TIMESTAMP"),
        rows=(("run-1", 1, True, "2026-03-01 12:00:00"), ("run-2", 1, True, "2026-03-01 12:00:00")),
        truncated=False,
    )


@pytest.mark.parametrize(("max_rows", "rows", "truncated"), [(0, 0, True), (1, 1, True), (2, 2, False), (3, 2, False)])
def test_rows_are_limited_and_it_is_said(filled: RunStore, max_rows: int, rows: int, truncated: bool) -> None:
    result = query(filled, "FROM v_runs", max_rows=max_rows)
    assert (len(result.rows), result.truncated) == (rows, truncated)


def test_a_million_million_rows_end_at_the_limit(filled: RunStore) -> None:
    result = query(filled, "FROM range(1000000000000)", max_rows=5)
    assert (result.rows, result.truncated) == (((0,), (1,), (2,), (3,), (4,)), True)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM range(1000000000000)",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
        "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range % 7 = b.range % 5",
    ],
)
def test_a_query_without_end_is_stopped(filled: RunStore, sql: str) -> None:
    with pytest.raises(UsageError, match=r"took longer than 0\.3 s"):
        query(filled, sql, timeout_s=0.3)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT list(range) FROM range(1000000000)",
        "SELECT repeat('x', 100000000) FROM range(3000)",
        "WITH RECURSIVE r AS (SELECT 'x' AS s UNION ALL SELECT s || s FROM r) SELECT max(length(s)) FROM r",
        "SELECT range(4000000000)",
    ],
)
def test_a_query_that_swallows_memory_is_stopped(filled: RunStore, sql: str) -> None:
    """DuckDB's own limit does not count what one function makes: the process's limit does."""
    with pytest.raises(UsageError, match=r"memory|MB and was stopped"):
        query(filled, sql, memory_mb=64, timeout_s=30)


@pytest.mark.parametrize("sql", ["SELECT " + "(" * 2_000 + "1" + ")" * 2_000, "SELECT " + "(" * 40_000, "+" * 90_000])
def test_deep_nesting_is_a_usage_error(filled: RunStore, sql: str) -> None:
    """Whatever it does to the parser, it does it in the process of the query."""
    with pytest.raises(UsageError):
        query(filled, sql, timeout_s=0.3)


def test_a_query_of_enormous_length_is_refused(filled: RunStore) -> None:
    with pytest.raises(UsageError, match="100000 is the most"):
        query(filled, "SELECT 1 --" + "x" * 100_000)


def test_a_secret_of_our_environment_is_not_in_reach(filled: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDRULES_TEST_KEY", "hunter2")
    with pytest.raises(UsageError):
        query(filled, "SELECT getenv('GROUNDRULES_TEST_KEY')")


def test_an_unknown_table_says_which_views_there_are(filled: RunStore) -> None:
    with pytest.raises(UsageError, match=r'Did you mean "v_runs"(.|\n)*LINE 1(.|\n)*v_bindings, v_claims'):
        query(filled, "SELECT * FROM v_run")


def test_an_unknown_column_says_where_and_what_comes_close(filled: RunStore) -> None:
    with pytest.raises(UsageError, match=r'"outcom"(.|\n)*"outcome"(.|\n)*LINE 1'):
        query(filled, "SELECT outcom FROM v_runs")


def test_a_query_before_any_run_finds_nothing(tmp_path: Path) -> None:
    assert query(RunStore(tmp_path), "SELECT * FROM v_runs").rows == ()


def test_a_query_while_somebody_writes_is_busy(store: RunStore, empty_database: Path) -> None:
    with open_writer(store.folder, store.patience), pytest.raises(StoreBusyError):
        query(store, "SELECT 1")


@pytest.mark.parametrize("limits", [{"timeout_s": 0}, {"max_rows": -1}, {"memory_mb": 1}])
def test_limits_out_of_range_are_refused(filled: RunStore, limits: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="must be above 0"):
        query(filled, "SELECT 1", **limits)


RESULT = QueryResult(
    ("name", "n", "name", "at", "parts", "price"),
    ("VARCHAR", "BIGINT", "VARCHAR", "TIMESTAMP", "VARCHAR[]", "DECIMAL(10,2)"),
    (('支付,\n"x"', 1, None, "2026-03-01 12:00:00", ["a", "b"], "1.50"), ("=1+1", None, "", None, None, None)),
    False,
)


def test_csv_is_read_back_as_it_was() -> None:
    text = io.StringIO()
    write_result(RESULT, "csv", text)
    assert text.getvalue() == (
        'name,n,name,at,parts,price\n"支付,\n""x""",1,,2026-03-01 12:00:00,"[""a"", ""b""]",1.50\n=1+1,,,,,\n'
    )


def test_json_keeps_every_column_even_of_one_name() -> None:
    text = io.StringIO()
    write_result(RESULT, "json", text)
    first, second = json.loads(text.getvalue())
    assert first == {
        "name": '支付,\n"x"',
        "n": 1,
        "name_1": None,
        "at": "2026-03-01 12:00:00",
        "parts": ["a", "b"],
        "price": "1.50",
    }
    assert second["name"] == "=1+1"


def test_json_of_no_rows_is_an_empty_array() -> None:
    text = io.StringIO()
    write_result(QueryResult(("a",), ("INTEGER",), (), False), "json", text)
    assert json.loads(text.getvalue()) == []


def test_parquet_keeps_types_and_values(tmp_path: Path) -> None:
    target = tmp_path / "it's.parquet"
    write_parquet(RESULT, target)
    with duckdb.connect() as connection:
        relation = connection.execute("SELECT * FROM read_parquet(?)", [str(target)])
        types = [str(column[1]) for column in relation.description or ()]
        rows = relation.fetchall()
    assert types == ["VARCHAR", "BIGINT", "VARCHAR", "TIMESTAMP", "VARCHAR", "DECIMAL(10,2)"]
    assert [str(value) for value in rows[0]] == ['支付,\n"x"', "1", "None", "2026-03-01 12:00:00", '["a", "b"]', "1.50"]


def test_every_plain_type_survives_parquet(filled: RunStore, tmp_path: Path) -> None:
    sql = (
        "SELECT 1::TINYINT a, 2::HUGEINT b, 'nan'::DOUBLE c, DATE '2026-01-02' d, '\\x00\\xFF'::BLOB e, true f, "
        "TIMESTAMPTZ '2026-01-02 03:04:05+08' g, INTERVAL 1 DAY h, {'k': [1, NULL]} i, 1e300 j, UUID '"
        "00000000-0000-0000-0000-000000000001' k"
    )
    target = tmp_path / "x.parquet"
    write_parquet(query(filled, sql), target)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        (row,) = connection.execute(
            "SELECT a, b, c::VARCHAR, d::VARCHAR, e, f, g::VARCHAR, i FROM read_parquet(?)", [str(target)]
        ).fetchall()
    assert row == (1, 2, "nan", "2026-01-02", b"\x00\xff", True, "2026-01-01 19:04:05+00", '{"k": [1, null]}')


def test_a_parquet_file_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write_parquet(RESULT, tmp_path / "missing" / "x.parquet")
