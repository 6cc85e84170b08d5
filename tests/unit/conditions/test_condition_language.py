"""The condition language: what parses, what is refused, what holds (DESIGN §3)."""

from __future__ import annotations

import pytest

from groundrules.conditions import (
    All,
    AnyOf,
    FactType,
    Leaf,
    Not,
    atoms,
    catalogue_types,
    did_you_mean,
    holds,
    kind_of,
    literal_types,
    parse_condition,
)

TYPES = {
    "found": FactType("boolean"),
    "count": FactType("integer"),
    "share": FactType("number"),
    "status": FactType("word", ("unknown", "failed", "supported")),
}
PARAMS = {"coverage": 0.8, "ceiling": 3}


def parse(source: object) -> tuple[object, list[tuple[str, str, str]]]:
    tree, issues = parse_condition(source, type_of=catalogue_types(TYPES), params=PARAMS, known=tuple(TYPES))
    return tree, [(issue.path, issue.message, issue.hint) for issue in issues]


def test_a_mapping_is_a_conjunction_and_a_scalar_is_equality() -> None:
    assert parse({"found": True, "count": 2}) == (All((Leaf("found", "eq", True), Leaf("count", "eq", 2))), [])


def test_one_fact_needs_no_conjunction() -> None:
    assert parse({"found": True}) == (Leaf("found", "eq", True), [])


def test_several_comparisons_of_a_fact_are_a_conjunction() -> None:
    assert parse({"count": {"gte": 1, "lt": 3}}) == (All((Leaf("count", "gte", 1), Leaf("count", "lt", 3))), [])


def test_any_all_and_not_nest() -> None:
    tree, issues = parse({"any": [{"found": True}, {"not": {"all": [{"count": 1}, {"status": "failed"}]}}]})

    expected = AnyOf((Leaf("found", "eq", True), Not(All((Leaf("count", "eq", 1), Leaf("status", "eq", "failed"))))))
    assert (tree, issues) == (expected, [])


def test_a_parameter_leaves_its_name_in_the_atom() -> None:
    assert parse({"share": {"lt": "$coverage"}}) == (Leaf("share", "lt", 0.8, "coverage"), [])


def test_an_integer_compared_with_a_number_becomes_one() -> None:
    tree, issues = parse({"share": {"gt": 1}})

    assert (tree, issues) == (Leaf("share", "gt", 1.0), [])
    assert isinstance(tree, Leaf)
    assert type(tree.value) is float


@pytest.mark.parametrize(
    ("source", "path", "message"),
    [
        ({"fond": True}, "$.when", "unknown fact `fond`"),
        ({"found": 1}, "$.when", "`found` is boolean, compared with integer 1"),
        ({"count": True}, "$.when", "`count` is integer, compared with boolean True"),
        ({"count": 1.5}, "$.when", "`count` is integer, compared with number 1.5"),
        ({"count": "1"}, "$.when", "`count` is integer, compared with word '1'"),
        ({"status": "faild"}, "$.when", "`status` is never 'faild'"),
        ({"found": {"gt": True}}, "$.when", "`gt` needs a number; `found` is boolean"),
        ({"status": {"lt": "failed"}}, "$.when", "`lt` needs a number; `status` is word"),
        ({"count": {"above": 1}}, "$.when", "unknown comparison `above`"),
        ({"count": {"in": 1}}, "$.when", "`in` takes a list of values"),
        ({"count": {"gt": [1]}}, "$.when", "`gt` takes one value"),
        ({"count": {"in": []}}, "$.when", "a list of values must hold scalars, at least one"),
        ({"count": {}}, "$.when", "a comparison is missing"),
        ({"count": None}, "$.when", "a value must be a boolean, a number within 64 bits, or text"),
        ({"count": 2**63}, "$.when", "a value must be a boolean, a number within 64 bits, or text"),
        ({"share": {"lt": "$covrage"}}, "$.when", "unknown parameter `$covrage`"),
        ({"any": []}, "$.when", "`any` takes a non-empty list of conditions"),
        ({"all": {"found": True}}, "$.when", "`all` takes a non-empty list of conditions"),
        ({"not": []}, "$.when", "a condition is a non-empty mapping of facts"),
        ({}, "$.when", "a condition is a non-empty mapping of facts"),
        ("found == true", "$.when", "a condition is a non-empty mapping of facts"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(source: object, path: str, message: str) -> None:
    _, issues = parse(source)

    assert [found[1] for found in issues] == [message]
    assert issues[0][0].startswith(path)


def test_every_issue_is_found_at_once_with_its_path() -> None:
    _, issues = parse({"fond": True, "any": [{"count": "x"}, {"share": {"lt": "$nope"}}]})

    assert [path for path, _, _ in issues] == ["$.when.fond", "$.when.any[0].count", "$.when.any[1].share.lt"]


def test_a_misspelt_fact_is_met_with_the_one_that_was_meant() -> None:
    assert did_you_mean("fond", tuple(TYPES)) == "did you mean `found`?"


def test_nesting_is_limited() -> None:
    source: object = {"found": True}
    for _ in range(40):
        source = {"not": source}

    _, issues = parse(source)

    assert [message for _, message, _ in issues] == ["conditions nest deeper than 16"]


def test_a_missing_fact_is_an_error_not_a_falsehood() -> None:
    with pytest.raises(KeyError):
        holds(Leaf("found", "eq", True), {})


def test_atoms_are_the_leaves_from_left_to_right() -> None:
    tree = All((Leaf("a", "eq", 1), Not(AnyOf((Leaf("b", "eq", 2), Leaf("c", "eq", 3))))))

    assert [leaf.fact for leaf in atoms(tree)] == ["a", "b", "c"]


def test_a_literal_has_one_kind_and_infinities_have_none() -> None:
    assert [kind_of(value) for value in (True, 1, 1.5, "x")] == ["boolean", "integer", "number", "word"]
    assert [kind_of(value) for value in (float("nan"), float("inf"), 2**63, None, "x".split)] == [None] * 5


def test_a_card_takes_its_types_from_the_literals() -> None:
    """A card's `where:` speaks of fields that nobody declared (DESIGN §5)."""
    tree, issues = parse_condition({"state": "firing", "value": {"gt": 3}}, type_of=literal_types, params={})

    assert issues == ()
    assert tree == All((Leaf("state", "eq", "firing"), Leaf("value", "gt", 3.0)))
