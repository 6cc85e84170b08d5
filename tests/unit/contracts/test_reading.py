"""Reading JSON from outside: strict for documents, lenient for models, bounded for both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.contracts import Contracts, ReadLimits, check, read_json, read_model_json
from groundrules.errors import ConfigurationError

LIMITS = ReadLimits(max_bytes=1000, max_depth=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 2}', "given twice"),
        ("[NaN]", "NaN is no JSON number"),
        ("[-Infinity]", "-Infinity is no JSON number"),
        ("[1e999]", "too large"),
        ("[" * 100_000, "1000 are read"),
        ("[" * 9 + "]" * 9, "nests deeper than 8"),
        ('{"a": "\\ud800"}', "lone surrogate"),
        (b"\xff\xfe", "no UTF-8"),
        ('{"a": 1,\n "b" 2}', "line 2, column 6"),
        ("9" * 600, "digits"),
        ("", "line 1, column 1"),
    ],
)
def test_what_is_no_document_is_an_issue_with_its_place(text: str | bytes, message: str) -> None:
    value, issues = read_json(text, limits=LIMITS)
    assert value is None
    assert message in str(issues[0])


def test_brackets_inside_strings_do_not_count_as_depth() -> None:
    text = json.dumps({"a": "[" * 50 + '"' + "{" * 50})
    assert read_json(text, limits=LIMITS)[1] == ()


@given(JSON)
def test_a_document_comes_back_as_it_was(value: Any) -> None:
    text = json.dumps(value)
    read, issues = read_json(text, limits=ReadLimits(100_000, 64))
    assert issues == () or "surrogate" in str(issues[0]) or "digits" in str(issues[0])
    assert issues or read == value


@given(st.binary(max_size=300))
@settings(max_examples=300)
def test_any_bytes_give_a_value_or_an_issue(data: bytes) -> None:
    value, issues = read_json(data, limits=LIMITS)
    assert value is None or issues == ()


@pytest.mark.parametrize(
    ("text", "status", "repairs"),
    [
        ('{"a": [1, 2]}', "strict", ()),
        ('```json\n{"a": [1, 2]}\n```', "repaired", ("code_fence",)),
        ('Here it is:\n{"a": [1, 2]}\nDone.', "repaired", ("surrounding_text",)),
        ('{"a": [1, 2,],}', "repaired", ("surrounding_text", "trailing_comma")),
        ('I think {not json} but {"a": [1, 2]}', "repaired", ("surrounding_text",)),
        ('an open { brace, then {"a": [1, 2]}', "repaired", ("surrounding_text",)),
    ],
)
def test_a_models_wrapping_is_forgiven_and_recorded(text: str, status: str, repairs: tuple[str, ...]) -> None:
    """S0-7.1: executor_output_parse_status."""
    reading = read_model_json(text)
    assert reading.value == {"a": [1, 2]}
    assert (reading.status, reading.repairs) == (status, repairs)


@pytest.mark.parametrize("text", ["", "no json", "{", '{"a": 1', '{"a": 1, "a": 2}', "{" * 100_000, '{"a": NaN}'])
def test_what_cannot_be_read_is_said(text: str) -> None:
    reading = read_model_json(text)
    assert (reading.value, reading.status) == (None, "failed")
    assert reading.error


def test_commas_in_strings_stay() -> None:
    assert read_model_json('x {"a": "1,]", "b": [1,],}').value == {"a": "1,]", "b": [1]}


def test_a_corrupted_contract_file_is_named_and_never_an_empty_check(tmp_path: Path) -> None:
    """DESIGN §7."""
    (tmp_path / "planner_plan.schema.json").write_text('{"type": ', encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"planner_plan\.schema\.json"):
        Contracts(tmp_path)
    (tmp_path / "planner_plan.schema.json").write_text('{"type": "objekt"}', encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"planner_plan\.schema\.json"):
        Contracts(tmp_path).check("planner_plan", {})


def test_an_unknown_contract_is_a_configuration_error_with_a_hint() -> None:
    with pytest.raises(ConfigurationError, match="did you mean `planner_plan`"):
        check("planer_plan", {})
