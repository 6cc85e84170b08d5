"""Opening the DuckDB file, for one writer or for readers, and waiting a little when somebody is in the way.

Owns the two ways in. Refuses to wait long: a second process cannot open a DuckDB file while another holds it for
writing (measured, DESIGN §8), so busy is said with StoreBusyError. Invariant: two ingests, of threads or of
processes, never hold the file at once.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from groundrules.errors import StoreBusyError, StoreError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

DATABASE = "runs.duckdb"
_WRITER_LOCK = "ingest.lock"
_BUSY_WORDS = ("could not set lock", "conflicting lock", "already attached", "different configuration")
_WRITER_SETTINGS = {"threads": "1"}
"""Measured: for one run a thread pool costs a quarter more than it saves, for hundreds it makes no difference."""
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to try again while the file is held, and how long to rest between."""

    attempts: int = 40
    pause_s: float = 0.05
    rest: Callable[[float], None] = time.sleep


@contextmanager
def open_writer(store_folder: Path, patience: Patience) -> Iterator[DuckDBPyConnection]:
    """The database for writing, made when there is none; StoreBusyError when it stays held."""
    import duckdb

    with _writer_lock(store_folder, patience):
        database = store_folder / DATABASE
        connection = _patiently(store_folder, patience, lambda: duckdb.connect(database, config=dict(_WRITER_SETTINGS)))
        with _as_store_errors(store_folder), closing(connection):
            yield connection


@contextmanager
def reading(store_folder: Path, patience: Patience) -> Iterator[DuckDBPyConnection]:
    """A reader for one look; what DuckDB cannot read is a StoreError."""
    with _as_store_errors(store_folder), closing(open_reader(store_folder, patience)) as connection:
        yield connection


@contextmanager
def _as_store_errors(store_folder: Path) -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        message = f"the store {store_folder} cannot be used: {error}"
        raise StoreError(message) from error


def open_reader(store_folder: Path, patience: Patience) -> DuckDBPyConnection:
    """A read-only connection of its own, whose tables need no prefix. Held open, it keeps writers out."""
    return _patiently(store_folder, patience, lambda: _attach(store_folder / DATABASE))


def _attach(database: Path) -> DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(":memory:")
    try:
        connection.execute(f"ATTACH {sql_text(str(database))} AS store (READ_ONLY)")
        connection.execute("USE store")
    except BaseException:
        connection.close()
        raise
    return connection


def sql_text(text: str) -> str:
    """The text as an SQL literal, where no parameter can be bound."""
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def _writer_lock(store_folder: Path, patience: Patience) -> Iterator[None]:
    try:
        store_folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(store_folder / _WRITER_LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        message = f"the store {store_folder} cannot be written: {error}"
        raise StoreError(message) from error
    try:
        _lock(store_folder, descriptor, patience)
        yield
    finally:
        os.close(descriptor)


def _lock(store_folder: Path, descriptor: int, patience: Patience) -> None:
    for attempt in range(patience.attempts):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if attempt + 1 < patience.attempts:
                patience.rest(patience.pause_s)
        else:
            return
    raise StoreBusyError(_busy(store_folder))


def _patiently(store_folder: Path, patience: Patience, opened: Callable[[], _Value]) -> _Value:
    import duckdb

    for attempt in range(patience.attempts):
        try:
            return opened()
        except duckdb.Error as error:
            if not any(words in str(error).lower() for words in _BUSY_WORDS):
                message = f"the store {store_folder / DATABASE} cannot be opened: {error}"
                raise StoreError(message) from error
            if attempt + 1 < patience.attempts:
                patience.rest(patience.pause_s)
    raise StoreBusyError(_busy(store_folder))


def _busy(store_folder: Path) -> str:
    return f"the store {store_folder} is held by another process; try again. Runs wait in its journal, none is lost"
