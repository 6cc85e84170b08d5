"""Every contract's own examples, on both validators (C-1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.bundled import bundled_project
from groundrules.contracts import check, contract_hashes, kinds, schema

EXAMPLES = bundled_project() / "contracts" / "examples"
VALID = sorted(EXAMPLES.glob("*/valid-*.json"))
INVALID = sorted(EXAMPLES.glob("*/invalid-*.json"))
OUTPUT = json.loads((EXAMPLES / "executor_evidence_v2" / "valid-observation.json").read_text(encoding="utf-8"))


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def second_opinion(kind: str, document: Any) -> set[tuple[str, str]]:
    """The same (path, keyword) set from the validator that people read."""
    errors = jsonschema.Draft202012Validator(schema(kind)).iter_errors(document)
    return {(error.json_path, str(error.validator)) for error in errors}


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
JUNK = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A valid output with one place replaced or removed."""
    document = json.loads(json.dumps(OUTPUT))
    places: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                walk(node[key])

    walk(document)
    parent, key = draw(st.sampled_from(places))
    if isinstance(parent, dict) and draw(st.booleans()):
        del parent[key]
    else:
        parent[key] = draw(JUNK)
    return document


@given(mutated())
@settings(max_examples=300, deadline=None)
def test_both_validators_find_the_same(document: Any) -> None:
    assert first_opinion("executor_evidence_v2", document) == second_opinion("executor_evidence_v2", document)


def test_every_schema_is_a_valid_schema_with_its_own_hash() -> None:
    for kind in kinds():
        jsonschema.Draft202012Validator.check_schema(schema(kind))
    assert len(set(contract_hashes().values())) == len(kinds())
