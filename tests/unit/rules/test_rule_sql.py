"""The SQL reader over stored facts: the same rules fire on a row as fired live (G-1, C-4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import duckdb
import pytest
from tests.unit.rules.rule_files import V1, write

from groundrules.conditions import All, AnyOf, Leaf, Not, Scalar
from groundrules.facts.catalogue import fact_types, resting_facts
from groundrules.rules import RuleRuntime, RuleSet, condition_sql, evaluate, load_policy, rules_sql
from groundrules.rules.model import RuleException
from groundrules.rules.sql import COLUMN_TYPES, identifier, literal

TODAY = date(2026, 12, 1)


@pytest.fixture(scope="module")
def rule_set(tmp_path_factory: pytest.TempPathFactory) -> RuleSet:
    root: Path = tmp_path_factory.mktemp("rules")
    loaded, issues = load_policy(write(root, "gatekeeper", "v1", V1), "gatekeeper", "v1", layer="project")
    assert issues == ()
    assert loaded is not None
    return loaded


def fired(rule_set: RuleSet, rows: list[dict[str, Scalar]], today: date = TODAY) -> list[tuple[str, ...]]:
    types = fact_types("binding")
    with duckdb.connect() as connection:
        columns = ", ".join(f"{identifier(name)} {COLUMN_TYPES[kind.kind]}" for name, kind in types.items())
        connection.execute(f"CREATE TABLE facts (row_number BIGINT, {columns})")
        for number, row in enumerate(rows):
            marks = ", ".join("?" for _ in range(len(types) + 1))
            connection.execute(f"INSERT INTO facts VALUES ({marks})", [number, *(row[name] for name in types)])
        query = f"SELECT fired FROM ({rules_sql(rule_set, 'binding', today)}) ORDER BY row_number"
        return [tuple(row[0]) for row in connection.execute(query).fetchall()]


def test_a_condition_is_rendered_readably() -> None:
    tree = All((Leaf("a", "eq", True), AnyOf((Leaf("b", "lt", 0.8), Not(Leaf("c", "in", ("it's", "x")))))))

    assert condition_sql(tree, identifier) == (
        """("a" = TRUE AND ("b" < CAST('0.8' AS DOUBLE) OR (NOT ("c" IN ('it''s', 'x')))))"""
    )


def test_empty_parts_are_their_neutral_element() -> None:
    assert condition_sql(All(()), identifier) == "TRUE"
    assert condition_sql(AnyOf(()), identifier) == "FALSE"


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        0,
        -(2**63),
        2**63 - 1,
        0.1,
        -0.0,
        1.7976931348623157e308,
        5e-324,
        "",
        "it's",
        "a\0b",
        "'; --",
        "未找到",
    ],
)
def test_a_literal_is_read_back_as_itself(value: Scalar) -> None:
    with duckdb.connect() as connection:
        row = connection.execute(f"SELECT {literal(value)}").fetchone()

    assert row == (value,)
    assert row is not None
    assert type(row[0]) is type(value)


def test_stored_facts_fire_what_live_facts_fired(rule_set: RuleSet) -> None:
    rows = [
        resting_facts("binding") | {"raw_path_present": present, "raw_path_found": found, "excerpt_coverage": coverage}
        for present in (True, False)
        for found in (True, False)
        for coverage in (0.0, 0.7999999999999999, 0.8, 1.0)
    ]
    live = [evaluate(rule_set, "binding", row, RuleRuntime.both(), TODAY).fired for row in rows]

    assert fired(rule_set, rows) == live
    assert {rule_id for row in live for rule_id in row} == {"evidence.raw_path", "evidence.excerpt"}


def test_only_enabled_rules_are_rendered(rule_set: RuleSet) -> None:
    shadowed = replace(rule_set, rules=tuple(replace(rule, status="shadow") for rule in rule_set.rules))

    assert fired(shadowed, [resting_facts("binding") | {"raw_path_present": True}]) == [()]


def test_an_exception_holds_until_its_day(rule_set: RuleSet) -> None:
    given = RuleException("old import", TODAY, Leaf("evidence_status", "eq", "deduped"))
    excepting = replace(rule_set, rules=tuple(replace(rule, exceptions=(given,)) for rule in rule_set.rules))
    rows = [
        resting_facts("binding") | {"raw_path_present": True, "evidence_status": status}
        for status in ("deduped", "supported")
    ]

    assert fired(excepting, rows) == [(), ("evidence.raw_path",)]
    assert fired(excepting, rows, date(2026, 12, 2)) == [("evidence.raw_path",), ("evidence.raw_path",)]
