"""The subset of JSONPath that cards may use (DESIGN, "Other libraries, measured")."""

from __future__ import annotations

import pytest

from groundrules.projection import lint_path, parse_path

DOCUMENT = {"a": [{"b": 1, "告警": 2}, {"b": 3}], "where": {"x y": 5}, "n": 7, "a-b": 8}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("$", [DOCUMENT]),
        ("$.a[*].b", [1, 3]),
        ("$.a[0].b", [1]),
        ("$.a[-1].b", [3]),
        ("$.a[1:].b", [3]),
        ("$.a[0:2:2].b", [1]),
        ("$..b", [1, 3]),
        ("$.a[0].告警", [2]),
        ("$.where['x y']", [5]),
        ("$['where'][\"x y\"]", [5]),
        ("$.a-b", [8]),
        ("$.missing.b", []),
        ("$.n.b", []),
        ("$.n[0]", []),
        ("$.where[0]", []),
    ],
)
def test_the_subset_reads_as_rfc_9535_does(path: str, values: list[object]) -> None:
    assert lint_path(path) == ""
    assert parse_path(path).find(DOCUMENT) == values


@pytest.mark.parametrize(
    "path",
    [
        "",
        "a",
        "$.",
        "$.a[",
        "$.a[?(@.b>1)]",
        "$.a[?@.b]",
        "$.a[0,1]",
        "$.a|$.b",
        "$.`len`",
        "$.a[*].`sorted`",
        "$.a.b + 1",
        "$['a\\'b']",
        "$.a[0:5:0]",
        "$.a[0:5:-1]",
        "$.a[(@.length-1)]",
        "$.a[99999999999]",
        "$.1a",
        "$.a\n",
        "$" + ".a" * 200,
        7,
        None,
    ],
)
def test_what_engines_read_differently_is_refused(path: object) -> None:
    assert lint_path(path) != ""


@pytest.mark.parametrize(
    ("document", "missing"),
    [
        ({"a": []}, False),
        ({"a": [{"b": []}]}, False),
        ({"a": [{"b": []}, {}]}, False),
        ({}, True),
        ({"a": None}, True),
        ({"a": {}}, True),
        ({"a": [{}]}, True),
        ({"a": [{"b": None}]}, True),
        ({"a": [{"b": []}, {"b": 1}]}, True),
        ([], True),
        (None, True),
    ],
)
def test_an_array_that_is_not_there_is_told_from_an_empty_one(document: object, missing: bool) -> None:
    assert parse_path("$.a[*].b[*]").missing_array(document) is missing
