"""The conformance corpus of conditions, and what each reader says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundrules.conditions import Condition, FactType, Scalar, catalogue_types, holds, parse_condition
from groundrules.config.strict_yaml import read_yaml
from groundrules.rules.plan import OpenReader, Plan
from groundrules.rules.sql import COLUMN_TYPES, condition_sql, identifier

FOLDER = Path(__file__).parents[2] / "data" / "conditions"
Facts = dict[str, Scalar]


@dataclass(frozen=True)
class Case:
    """One condition with the rows of facts that it holds for, and those it fails for."""

    name: str
    condition: Condition
    holds: tuple[Facts, ...]
    fails: tuple[Facts, ...]


def load(path: Path) -> Any:
    document, issues = read_yaml(path.read_text(encoding="utf-8"), path.name)
    assert issues == ()
    return document.value


def fact_types() -> dict[str, FactType]:
    facts = load(FOLDER / "facts.yaml")
    return {name: FactType(fact["kind"], tuple(fact.get("words", ()))) for name, fact in facts.items()}


def resting() -> Facts:
    return {name: fact["rests"] for name, fact in load(FOLDER / "facts.yaml").items()}


def cases() -> tuple[Case, ...]:
    files = [path for path in sorted(FOLDER.glob("*.yaml")) if path.name != "facts.yaml"]
    return tuple(case for path in files for case in _cases(path))


def _cases(path: Path) -> list[Case]:
    source = load(path)
    found = []
    for given in source["cases"]:
        condition, issues = parse_condition(
            given["when"], type_of=catalogue_types(fact_types()), params=source.get("params", {})
        )
        assert issues == (), (path.name, given["name"])
        rows = [tuple(resting() | row for row in given[key]) for key in ("holds", "fails")]
        found.append(Case(f"{path.stem}: {given['name']}", condition, rows[0], rows[1]))
    return found


def plan(conditions: Mapping[str, Condition]) -> Plan:
    return Plan("corpus", "row", conditions, fact_types())


def said_by(opener: OpenReader, conditions: Mapping[str, Condition], rows: Sequence[Facts]) -> list[frozenset[str]]:
    read = opener(plan(conditions))
    return [read(row) for row in rows]


def said_by_holds(conditions: Mapping[str, Condition], rows: Sequence[Facts]) -> list[frozenset[str]]:
    return [frozenset(key for key, tree in conditions.items() if holds(tree, row)) for row in rows]


def said_by_sql(conditions: Mapping[str, Condition], rows: Sequence[Facts]) -> list[frozenset[str]]:
    """One query over all rows, with a column for each condition."""
    import duckdb

    types = fact_types()
    with duckdb.connect() as connection:
        columns = ", ".join(f"{identifier(name)} {COLUMN_TYPES[kind.kind]} NOT NULL" for name, kind in types.items())
        connection.execute(f"CREATE TABLE facts (row_number BIGINT, {columns})")
        marks = ", ".join("?" for _ in range(len(types) + 1))
        connection.executemany(
            f"INSERT INTO facts VALUES ({marks})",
            [[number, *(row[name] for name in types)] for number, row in enumerate(rows)],
        )
        tests = ", ".join(condition_sql(tree, identifier) for tree in conditions.values())
        answers = connection.execute(f"SELECT {tests} FROM facts ORDER BY row_number").fetchall()
    return [frozenset(key for key, told in zip(conditions, answer, strict=True) if told) for answer in answers]
