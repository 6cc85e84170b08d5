"""Stores for the tests: an empty one is made once and copied, because making the schema is the slow part."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from groundrules.store import Patience, RunStore


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    RunStore(folder).ingest()
    return folder / "runs.duckdb"


@pytest.fixture
def folder(tmp_path: Path, empty_database: Path) -> Path:
    """A folder with a store in which nothing is."""
    shutil.copy(empty_database, tmp_path / "runs.duckdb")
    return tmp_path


@pytest.fixture
def store(folder: Path) -> RunStore:
    """A store that tries twice and does not rest between."""
    return RunStore(folder, Patience(attempts=2, rest=lambda _: None))
