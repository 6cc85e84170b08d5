"""SQL that anybody may ask of the stored runs: reading only, and never longer or larger than said (C-4).

Owns the call and its answer; the fence itself is `sandbox`. Refuses everything but one SELECT or EXPLAIN. Invariant:
no query changes the store, reaches a file, the network or an environment variable, or outlives its time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundrules.errors import StoreBusyError, StoreError, UsageError
from groundrules.store.connect import DATABASE
from groundrules.store.runs import RunStore

Cell = Any
"""A value as JSON has it: times, decimals and blobs are text."""

_SQL_LENGTH_MAX = 100_000
_ATTEMPTS = 3
_GRACE_S = 2.0
"""Time on top of the query's own, for the process to start and end."""
_KEPT_ENVIRONMENT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "SYSTEMROOT")


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows of an answer, as far as they were asked for."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    """DuckDB's type of each column."""
    rows: tuple[tuple[Cell, ...], ...]
    truncated: bool
    """Whether there are more rows than these."""


def query(
    store: RunStore, sql: str, *, timeout_s: float = 10.0, max_rows: int = 1000, memory_mb: int = 512
) -> QueryResult:
    """The answer to one SELECT or EXPLAIN. UsageError says what is wrong with the query, StoreError with the store."""
    if len(sql) > _SQL_LENGTH_MAX:
        message = f"the query has {len(sql)} characters; {_SQL_LENGTH_MAX} is the most"
        raise UsageError(message)
    if timeout_s <= 0 or max_rows < 0 or memory_mb < 32:
        message = "timeout_s must be above 0, max_rows not below 0 and memory_mb at least 32"
        raise UsageError(message)
    request = {
        "database": str(store.folder / DATABASE),
        "sql": sql,
        "timeout_s": timeout_s,
        "max_rows": max_rows,
        "memory_mb": memory_mb,
    }
    answer = _ask_when_free(store, request, timeout_s)
    if "kind" in answer:
        raise _error(answer, timeout_s, memory_mb)
    return QueryResult(
        tuple(answer["columns"]), tuple(answer["types"]), tuple(map(tuple, answer["rows"])), answer["truncated"]
    )


def _ask_when_free(store: RunStore, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    for _ in range(_ATTEMPTS):
        # Makes the database when there is none, and waits while somebody writes to it.
        store.open_reader().close()
        answer = _ask(request, timeout_s)
        if answer.get("kind") != "busy":
            return answer
    return answer


def _ask(request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
    # -P: the folder of the script must not come before the standard library.
    command = [sys.executable, "-P", str(Path(__file__).with_name("sandbox.py"))]
    environment = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    try:
        done = subprocess.run(  # noqa: S603 -- our own script, the query goes through standard input
            command,
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=timeout_s + _GRACE_S,
            env=environment,
            check=False,
        )
        answer: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {"error": "", "kind": "timeout"}
    except ValueError:
        return {"error": done.stderr.decode(errors="replace")[-300:], "kind": "died"}
    return answer


def _error(answer: dict[str, Any], timeout_s: float, memory_mb: int) -> UsageError | StoreError:
    text = str(answer["error"])
    match answer["kind"]:
        case "timeout":
            return UsageError(f"the query took longer than {timeout_s:g} s and was stopped; ask for less or allow more")
        case "memory":
            return UsageError(f"the query needs more than {memory_mb} MB and was stopped; ask for less, or allow more")
        case "died":
            return UsageError(f"the query ended its process, most likely for want of memory; ask for less. {text}")
        case "catalog":
            return UsageError(f"{text}\nThe views are {', '.join(answer['views'])}")
        case "refused":
            return UsageError(f"refused: {text}. SQL here only reads what is stored")
        case "busy":
            return StoreBusyError(f"the store is held by another process; try again: {text}")
        case "store":
            return StoreError(f"the store cannot be opened: {text}")
        case _:
            return UsageError(text)
