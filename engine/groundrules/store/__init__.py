"""Runs at rest: the journal while a run goes on, DuckDB afterwards, SQL for readers (C-4, DESIGN §8)."""

from __future__ import annotations

from groundrules.store.connect import Patience
from groundrules.store.ingest import IngestReport
from groundrules.store.journal import FileJournal
from groundrules.store.query import QueryResult, query
from groundrules.store.result import write_parquet, write_result
from groundrules.store.runs import RunRow, RunStore
from groundrules.store.sql_docs import render_sql_docs

__all__ = [
    "FileJournal",
    "IngestReport",
    "Patience",
    "QueryResult",
    "RunRow",
    "RunStore",
    "query",
    "render_sql_docs",
    "write_parquet",
    "write_result",
]
