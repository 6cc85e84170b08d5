"""Limits that hold before a parser runs."""

from __future__ import annotations

import pytest

from groundrules.projection.documents import DEPTH_LIMIT, BadDocument, read_json


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "' + "[" * 500 + '"}',
        '{"a": "\\"' + "[" * 500 + '"}',
        '{"a": "\\\\", "b": "' + "{" * 500 + '"}',
        "[" * DEPTH_LIMIT + "]" * DEPTH_LIMIT,
        "[" + "[1]," * 500 + "[2]]",
    ],
)
def test_brackets_in_strings_and_side_by_side_are_no_depth(text: str) -> None:
    assert not isinstance(read_json(text), BadDocument)


@pytest.mark.parametrize(
    "text",
    [
        "[" * (DEPTH_LIMIT + 1) + "]" * (DEPTH_LIMIT + 1),
        '{"a": "\\\\", "b": ' + "[" * 70 + "]" * 70 + "}",
        '{"a": "' + "]" * 500 + '", "b": ' + "[" * 70 + "]" * 70 + "}",
    ],
)
def test_depth_is_seen_behind_escapes_and_closing_brackets_in_strings(text: str) -> None:
    assert read_json(text) == BadDocument(f"the answer nests deeper than {DEPTH_LIMIT}")
