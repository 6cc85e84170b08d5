"""One condition, four readings: `holds`, closures, durable-rules and DuckDB say the same (C-2, G-1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.rules.corpus import Facts, cases, fact_types, said_by, said_by_holds, said_by_sql

from groundrules.conditions import ORDER_OPS, All, AnyOf, Condition, FactType, Leaf, Not
from groundrules.errors import RuleError
from groundrules.rules.branches import branches
from groundrules.rules.durable_reader import open_durable
from groundrules.rules.native import open_native

Told = Callable[[Mapping[str, Condition], Sequence[Facts]], list[frozenset[str]]]
READERS: dict[str, Told] = {
    "holds": said_by_holds,
    "native": lambda conditions, rows: said_by(open_native, conditions, rows),
    "durable": lambda conditions, rows: said_by(open_durable, conditions, rows),
    "sql": said_by_sql,
}


def test_the_corpus_has_at_least_sixty_conditions() -> None:
    names = [case.name for case in cases()]

    assert len(names) >= 60
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_says_what_the_corpus_expects(reader: str) -> None:
    """G-1: hand-written truths, the same for every reader."""
    corpus = cases()
    conditions = {case.name: case.condition for case in corpus}
    rows = [row for case in corpus for row in (*case.holds, *case.fails)]
    expected = [
        (case.name, told) for case in corpus for told in (*(True for _ in case.holds), *(False for _ in case.fails))
    ]

    said = READERS[reader](conditions, rows)

    wrong = [
        (name, row) for (name, told), row, keys in zip(expected, rows, said, strict=True) if (name in keys) is not told
    ]
    assert wrong == []


INTEGERS = st.one_of(
    st.integers(-3, 3), st.sampled_from([-(2**63), 2**63 - 1, 2**53, 2**53 + 1]), st.integers(-(2**63), 2**63 - 1)
)
NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 0.1, 0.3, 0.1 + 0.2, 0.8, 0.7999999999999999, 0.8000000000000002, 1.0, -1.0]),
    st.floats(allow_nan=False, allow_infinity=False),
)


def values(declared: FactType) -> st.SearchStrategy[bool | int | float | str]:
    match declared.kind:
        case "boolean":
            return st.booleans()
        case "integer":
            return INTEGERS
        case "number":
            return NUMBERS
        case "word":
            return st.sampled_from(declared.words)


@st.composite
def leaves(draw: st.DrawFn) -> Leaf:
    fact, declared = draw(st.sampled_from(sorted(fact_types().items())))
    ordered = ORDER_OPS if declared.kind in ("integer", "number") else ()
    op = draw(st.sampled_from(("eq", "ne", "in", "not_in", *ordered)))
    if op in ("in", "not_in"):
        return Leaf(fact, op, tuple(draw(st.lists(values(declared), min_size=1, max_size=3))))
    return Leaf(fact, op, draw(values(declared)))


def trees(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    parts = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(parts.map(All), parts.map(AnyOf), inner.map(Not))


def few_branches(condition: Condition) -> bool:
    try:
        return len(branches(condition)) <= 64
    except RuleError:
        return False


CONDITIONS = st.recursive(leaves(), trees, max_leaves=6).filter(few_branches)
ROWS = st.fixed_dictionaries({name: values(declared) for name, declared in fact_types().items()})


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(CONDITIONS, min_size=10, max_size=12), st.lists(ROWS, min_size=12, max_size=15))
def test_all_readers_agree_on_any_typed_condition_and_facts(trees: list[Condition], rows: list[Facts]) -> None:
    """G-1: at least 60 x 10 x 12 = 7,200 cases; boundaries and neighbouring doubles included."""
    conditions = {f"c{number}": tree for number, tree in enumerate(trees)}

    said = {name: told(conditions, rows) for name, told in READERS.items()}

    assert said["native"] == said["holds"]
    assert said["durable"] == said["holds"]
    assert said["sql"] == said["holds"]


@pytest.mark.parametrize("reader", READERS)
def test_neither_the_order_of_facts_nor_of_rules_matters(reader: str) -> None:
    corpus = cases()
    conditions = {case.name: case.condition for case in corpus}
    rows = [row for case in corpus for row in case.holds][:40]
    pairs = list(conditions.items())
    shuffled = [*reversed(pairs[1::2]), *pairs[::2]]

    turned = READERS[reader](dict(shuffled), [dict(reversed(row.items())) for row in rows])

    assert turned == READERS[reader](conditions, rows)


def test_durable_reads_more_than_64_true_rules_at_once() -> None:
    """DESIGN §3, fence point 3: 65 true rules in one of its rule sets fire nothing, so they are split."""
    conditions: dict[str, Condition] = {f"c{number}": Leaf("count", "gte", -number) for number in range(200)}
    row: Facts = {"count": 0}

    assert said_by(open_durable, conditions, [row, row]) == [frozenset(conditions)] * 2


def test_durable_sees_no_difference_between_names_of_one_hash() -> None:
    """DESIGN §3, fence point 5: by name, a rule on `liquid` fires on `costarring`; our field names keep them apart."""
    from groundrules.rules.encoding import fnv1a_32
    from groundrules.rules.plan import Plan

    assert fnv1a_32("liquid") == fnv1a_32("costarring")
    types = {"liquid": FactType("boolean"), "costarring": FactType("boolean")}
    read = open_durable(
        Plan("hash", "row", {"a": Leaf("liquid", "eq", True), "b": Leaf("costarring", "eq", True)}, types)
    )

    assert read({"liquid": True, "costarring": False}) == frozenset({"a"})
    assert read({"liquid": False, "costarring": True}) == frozenset({"b"})
