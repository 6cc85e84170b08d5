"""One query in a process of its own, with nothing else in reach. Run as a script; reads and writes one JSON document.

Owns the fence around SQL that anybody may write: the database is attached read-only, then files, network, extensions,
Python variables and settings are shut for good, and the process itself may write no file and take no more memory than
it was given. Invariant: the fence stands before the first word of the query is parsed. Imports nothing of groundrules,
so that it starts fast.

A process, because DuckDB neither counts nor interrupts inside one scalar function (measured on 2.0.1:
`lpad('x', 2000000000, 'y')` took 4 GB and 30 s under a memory limit of 128 MB and an interrupt after 3 s).
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
import threading
from typing import Any

import duckdb

_OVERHEAD_BYTES = 1 << 30
"""Address space that Python and DuckDB take before the first row."""
_RESULT_BYTES_MAX = 256 * 2**20
TABLE_FUNCTIONS = frozenset(
    (
        "duckdb_columns",
        "duckdb_functions",
        "duckdb_tables",
        "duckdb_types",
        "duckdb_views",
        "generate_series",
        "json_each",
        "json_tree",
        "range",
        "repeat",
        "repeat_row",
        "unnest",
    )
)
"""Functions that may stand where a table does. Others reach files, settings or other processes."""
FORBIDDEN_FUNCTIONS = frozenset(["getenv", "nextval", "setseed", "setval", "sleep_ms", "write_log", "getvariable"])
_SETTINGS = (
    "SET temp_directory = ''",
    "SET enable_external_access = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET allow_persistent_secrets = false",
    "SET python_enable_replacements = false",
    "SET enable_progress_bar = false",
    "SET threads = 2",
)


class RefusedError(Exception):
    """The query asks for what is not allowed; the message says what."""


def open_fenced(database: str, memory_mb: int) -> duckdb.DuckDBPyConnection:
    """The database read-only, with every door shut and the configuration locked."""
    connection = duckdb.connect(":memory:")
    connection.execute("ATTACH '" + database.replace("'", "''") + "' AS store (READ_ONLY)")
    connection.execute("USE store")
    for setting in _SETTINGS:
        connection.execute(setting)
    connection.execute(f"SET memory_limit = '{memory_mb}MB'")
    connection.execute("SET lock_configuration = true")
    return connection


def check(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise RefusedError unless the text is one statement that only reads tables."""
    try:
        kinds = [statement.type.name for statement in connection.extract_statements(sql)]
    except ValueError as error:
        # A statement type that this client does not know: `UPDATE EXTENSIONS`.
        raise RefusedError("only SELECT and EXPLAIN are allowed here") from error
    if len(kinds) != 1:
        raise RefusedError(f"one statement at a time, these are {len(kinds)}")
    (kind,) = kinds
    if kind == "EXPLAIN":
        check(connection, _explained(sql))
    elif kind != "SELECT":
        raise RefusedError(f"only SELECT and EXPLAIN are allowed here, this is {kind}")
    else:
        _check_tree(connection, sql)


def _explained(sql: str) -> str:
    """The statement behind EXPLAIN; only the plain form, whose first word it is."""
    words = sql.split(None, 1)
    if len(words) != 2 or words[0].upper() != "EXPLAIN":
        raise RefusedError("EXPLAIN must be the first word, without comments before it")
    rest = words[1].split(None, 1)
    return rest[1] if rest[0].upper() == "ANALYZE" and len(rest) == 2 else words[1]


def _check_tree(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
    tree = json.loads(row[0]) if row else {"error": True}
    if tree.get("error"):
        raise RefusedError(str(tree.get("error_message") or "it is not a plain SELECT"))
    nodes: list[Any] = [tree["statements"]]
    while nodes:
        node = nodes.pop()
        if isinstance(node, dict):
            _check_node(node)
            nodes.extend(node.values())
        elif isinstance(node, list):
            nodes.extend(node)


def _check_node(node: dict[str, Any]) -> None:
    if node.get("type") == "TABLE_FUNCTION":
        name = str(node["function"]["function_name"]).lower()
        if name not in TABLE_FUNCTIONS:
            raise RefusedError(f"{name}() cannot be read from here; only the views, tables and {_listed()}")
    name = str(node.get("function_name", "")).lower()
    if name in FORBIDDEN_FUNCTIONS:
        raise RefusedError(f"{name}() is not allowed here")


def _listed() -> str:
    return ", ".join(sorted(TABLE_FUNCTIONS))


def run(request: dict[str, Any]) -> dict[str, Any]:
    """The result, or what went wrong: {columns, types, rows, truncated} or {error, kind}."""
    try:
        connection = open_fenced(request["database"], request["memory_mb"])
    except duckdb.Error as error:
        return {"error": str(error), "kind": "busy" if "set lock" in str(error).lower() else "store"}
    timer = threading.Timer(request["timeout_s"], connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        check(connection, request["sql"])
        return _fetch(connection, request["sql"], request["max_rows"])
    except RefusedError as error:
        return {"error": str(error), "kind": "refused"}
    except RecursionError:
        return {"error": "the query is nested too deeply", "kind": "refused"}
    except duckdb.InterruptException:
        return {"error": "", "kind": "timeout"}
    except (duckdb.OutOfMemoryException, MemoryError):
        return {"error": "", "kind": "memory"}
    except duckdb.PermissionException as error:
        return {"error": str(error).split("\n")[0], "kind": "refused"}
    except duckdb.CatalogException as error:
        return {"error": str(error), "kind": "catalog", "views": _views(connection)}
    except duckdb.Error as error:
        return {"error": str(error), "kind": "sql"}
    finally:
        timer.cancel()


def _fetch(connection: duckdb.DuckDBPyConnection, sql: str, max_rows: int) -> dict[str, Any]:
    cursor = connection.execute(sql)
    described = cursor.description or []
    rows: list[list[Any]] = []
    size_bytes = 0
    while len(rows) <= max_rows and (row := cursor.fetchone()) is not None:
        rows.append([plain(value) for value in row])
        size_bytes += sum(len(value) for value in rows[-1] if isinstance(value, str))
        if size_bytes > _RESULT_BYTES_MAX:
            raise MemoryError
    return {
        "columns": [item[0] for item in described],
        "types": [str(item[1]) for item in described],
        "rows": rows[:max_rows],
        "truncated": len(rows) > max_rows,
    }


def plain(value: Any) -> Any:
    """The value as JSON has it; what JSON does not have becomes text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(plain(name)): plain(item) for name, item in value.items()}
    if isinstance(value, bytes):
        return "".join(f"\\x{byte:02X}" for byte in value)
    return value.isoformat(sep=" ") if hasattr(value, "hour") and hasattr(value, "year") else str(value)


def _views(connection: duckdb.DuckDBPyConnection) -> list[str]:
    found = connection.execute("SELECT view_name FROM duckdb_views() WHERE starts_with(view_name, 'v_') ORDER BY 1")
    return [str(row[0]) for row in found.fetchall()]


def _confine(memory_mb: int, timeout_s: float) -> None:
    """Limits that hold whatever the query does; the parent's own clock is the last resort."""
    limit = memory_mb * 2**20 * 2 + _OVERHEAD_BYTES
    # Not every system can limit address space; DuckDB's own limit and the clock stand there too.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    seconds = int(timeout_s * 2) + 10
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Answer the request on standard input."""
    request = json.loads(sys.stdin.buffer.read())
    _confine(request["memory_mb"], request["timeout_s"])
    answer = json.dumps(run(request))
    sys.stdout.write(answer)


if __name__ == "__main__":
    main()
