"""What reaches durable-rules: integers that compare as their values do, branches that hold as the condition does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules.conditions import All, AnyOf, FactType, Leaf, Not
from groundrules.errors import RuleError
from groundrules.rules.branches import branches
from groundrules.rules.encoding import encode, field_names, fnv1a_32, ordered_bits

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE)
def test_encoded_numbers_order_as_the_numbers_do(one: float, other: float) -> None:
    """DESIGN §3, fence point 4: nothing is rounded, so boundaries are the same for every reader."""
    assert (ordered_bits(one) < ordered_bits(other)) is (one < other)
    assert (ordered_bits(one) == ordered_bits(other)) is (one == other)
    assert -(2**63) <= ordered_bits(one) < 2**63


@pytest.mark.parametrize(
    ("below", "above"),
    [(0.7999999999999999, 0.8), (0.8, 0.8000000000000002), (-5e-324, 0.0), (0.0, 5e-324), (-1.0, -0.9999999999999999)],
)
def test_neighbouring_doubles_are_neighbouring_integers(below: float, above: float) -> None:
    assert ordered_bits(above) - ordered_bits(below) == 1


def test_each_type_has_its_integers() -> None:
    word = FactType("word", ("unknown", "failed"))

    assert [encode(FactType("boolean"), value) for value in (False, True)] == [0, 1]
    assert encode(FactType("integer"), -7) == -7
    assert encode(FactType("number"), -0.0) == encode(FactType("number"), 0) == 0
    assert [encode(word, value) for value in ("unknown", "failed")] == [0, 1]
    with pytest.raises(RuleError, match="closed list"):
        encode(word, "other")


def test_fnv1a_is_the_published_function() -> None:
    assert [fnv1a_32(text) for text in ("", "a", "foobar")] == [0x811C9DC5, 0xE40C292C, 0xBF9CF968]


def test_fields_are_safe_unique_and_few() -> None:
    names = field_names(["narrow", "a.b", "$s", "id", "narrow"])

    assert names == {"$s": "f0", "a.b": "f1", "id": "f2", "narrow": "f3"}
    many = field_names(f"fact{number}" for number in range(250))
    assert len({fnv1a_32(name) for name in many.values()} | {fnv1a_32(name) for name in ("kind", "id", "sid")}) == 253
    with pytest.raises(RuleError, match="more than 250"):
        field_names(f"fact{number}" for number in range(251))


A, B, C = (Leaf(name, "eq", True) for name in "abc")
NOT_A, NOT_B = (Leaf(name, "ne", True) for name in "ab")


def test_branches_are_the_ways_to_be_true() -> None:
    assert branches(A) == ((A,),)
    assert branches(All((A, AnyOf((B, C))))) == ((A, B), (A, C))
    assert branches(Not(All((A, B)))) == ((NOT_A,), (NOT_B,))
    assert branches(Not(AnyOf((A, B)))) == ((NOT_A, NOT_B),)
    assert branches(Not(Not(A))) == ((A,),)
    assert branches(AnyOf((A, A))) == ((A,),)


def test_lists_become_equalities() -> None:
    one, two = (Leaf("n", "eq", value) for value in (1, 2))

    assert branches(Leaf("n", "in", (1, 2))) == ((one,), (two,))
    assert branches(Leaf("n", "not_in", (1, 2))) == ((Leaf("n", "ne", 1), Leaf("n", "ne", 2)),)
    assert branches(Not(Leaf("n", "not_in", (1, 2)))) == ((one,), (two,))


def test_order_turns_round_under_negation() -> None:
    opposites = [branches(Not(Leaf("n", op, 1)))[0][0].op for op in ("lt", "lte", "gt", "gte")]

    assert opposites == ["gte", "gt", "lte", "lt"]


def test_a_condition_of_too_many_branches_is_refused_before_it_is_built() -> None:
    wide = All(tuple(AnyOf((Leaf(f"a{n}", "eq", True), Leaf(f"b{n}", "eq", True))) for n in range(64)))

    with pytest.raises(RuleError, match="more than 256 branches"):
        branches(wide)
