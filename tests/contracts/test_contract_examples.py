"""Every contract's own examples, on both validators (C-1)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.bundled import bundled_project
from groundrules.contracts import check, contract_hashes, kinds, schema
from groundrules.contracts.bounds import document_problem

EXAMPLES = bundled_project() / "contracts" / "examples"
VALID = sorted(EXAMPLES.glob("*/valid-*.json"))
INVALID = sorted(EXAMPLES.glob("*/invalid-*.json"))


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


@cache
def second_validator(kind: str) -> jsonschema.Draft202012Validator:
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return jsonschema.Draft202012Validator(schema(kind), format_checker=checker)


def second_opinion(kind: str, document: Any) -> set[tuple[str, str]]:
    """The same (path, keyword) set from the validator that people read."""
    return {(error.json_path, str(error.validator)) for error in second_validator(kind).iter_errors(document)}


def first_opinion(kind: str, document: Any) -> set[tuple[str, str]]:
    return {(issue.path, issue.keyword) for issue in check(kind, document)}


def name(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


def test_every_contract_has_valid_and_invalid_examples() -> None:
    for kind in kinds():
        assert len(list((EXAMPLES / kind).glob("valid-*.json"))) >= 2, kind
        assert len(list((EXAMPLES / kind).glob("invalid-*.json"))) >= 3, kind


@pytest.mark.parametrize("file", VALID, ids=name)
def test_a_valid_example_has_no_issue(file: Path) -> None:
    assert check(file.parent.name, read(file)) == ()
    assert second_opinion(file.parent.name, read(file)) == set()


@pytest.mark.parametrize("file", INVALID, ids=name)
def test_an_invalid_example_has_exactly_the_issues_it_names(file: Path) -> None:
    example = read(file)
    expected = {(item["path"], item["keyword"]) for item in example["expect"]}
    assert first_opinion(file.parent.name, example["document"]) == expected
    assert second_opinion(file.parent.name, example["document"]) == expected


SCALARS = st.none() | st.booleans() | st.integers(-5, 600) | st.text(max_size=5) | st.floats(-2, 2, allow_nan=False)
NAMES = st.text(st.characters(exclude_characters="\n"), min_size=1, max_size=4) | st.sampled_from(
    ["5", "a b", "it's", "claims", "状态", "\\"]
)
JUNK = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)


def places(document: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document."""
    found = [(document, key) for key in (document if isinstance(document, dict) else range(len(document)))]
    return found + [place for node, key in found if isinstance(node[key], dict | list) for place in places(node[key])]


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, Any]:
    """A valid example of any kind with up to three places replaced, removed or added."""
    file = draw(st.sampled_from(VALID))
    document = read(file)
    for _ in range(draw(st.integers(1, 3))):
        parent, key = draw(st.sampled_from(places(document) or [(document, "added")]))
        action = draw(st.sampled_from(["replace", "remove", "add"]))
        if action == "remove" and isinstance(parent, dict):
            parent.pop(key, None)
        elif action == "add" and isinstance(parent, dict):
            parent[draw(NAMES)] = draw(JUNK)
        else:
            parent[key] = draw(JUNK)
    return file.parent.name, document


@given(mutated())
@settings(max_examples=200, deadline=None)
def test_both_validators_find_the_same(case: tuple[str, Any]) -> None:
    """DESIGN: the same (path, keyword) set, for every kind."""
    kind, document = case
    if document_problem(document) is None:
        assert first_opinion(kind, document) == second_opinion(kind, document)
    else:
        assert len(check(kind, document)) == 1


def test_every_schema_is_a_valid_schema_with_its_own_hash() -> None:
    for kind in kinds():
        jsonschema.Draft202012Validator.check_schema(schema(kind))
        assert schema(kind)["$id"] == f"groundrules:{kind}:1"
    assert len(set(contract_hashes().values())) == len(kinds())
