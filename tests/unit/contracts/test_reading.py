"""Reading JSON from outside: bounded before it is parsed, strict about what it means."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.contracts import ReadLimits, read_json

LIMITS = ReadLimits(max_bytes=1000, max_depth=8)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**127), 2**127 - 1)
    | st.text(st.characters(codec="utf-8"))
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "keyword", "message"),
    [
        ('{"a": 1, "a": 2}', "duplicate_key", "the key 'a' is given twice"),
        ('{"b": {"\\u72b6": 1, "状": 2}}', "duplicate_key", "the key '\\u72b6' is given twice"),
        ("[NaN]", "number", "NaN is no JSON number"),
        ("[-Infinity]", "number", "-Infinity is no JSON number"),
        ("[1e999]", "number", "1e999 is too large"),
        ("[-1e309]", "number", "-1e309 is too large"),
        (str(2**127), "number", "does not fit 128 bits"),
        (f"[{-(2**127) - 1}]", "number", "does not fit 128 bits"),
        ("9" * 600, "number", "600 digits"),
        ("[" * 100_000, "size", "100,000 bytes, at most 1,000 are read"),
        ("状态" * 200, "size", "1,200 bytes"),
        ("[" * 9 + "]" * 9, "depth", "nests deeper than 8"),
        ('{"a": "\\ud800"}', "encoding", "lone surrogate"),
        ('{"\\udfff": 1}', "encoding", "lone surrogate"),
        ('{"a":\n "\ud800"}', "encoding", "lone surrogate at line 2, column 3"),
        (b"\xff\xfe", "encoding", "byte 0 is no UTF-8 at line 1, column 1"),
        (b'{\n"a": "\xc3("}', "encoding", "byte 8 is no UTF-8 at line 2, column 7"),
        ('{"a": 1,\n "b" 2}', "syntax", "line 2, column 6"),
        ("", "syntax", "line 1, column 1"),
        ("{'a': 1}", "syntax", "line 1, column 2"),
        ("[1, 2,]", "syntax", "line 1"),
        ("[] []", "syntax", "Extra data"),
    ],
)
def test_what_is_no_document_is_an_issue_with_its_place(text: str | bytes, keyword: str, message: str) -> None:
    """C-1: duplicate keys, NaN, infinities, size and depth are refused."""
    value, issues = read_json(text, limits=LIMITS)
    assert value is None
    assert [issue.keyword for issue in issues] == [keyword]
    assert message in issues[0].message


def test_the_place_of_a_lone_surrogate_is_its_json_path() -> None:
    _value, issues = read_json('{"claims": [{"a": "x"}, {"状态 1": "\\udc00"}]}', limits=LIMITS)
    assert [issue.path for issue in issues] == ["$.claims[1]['状态 1']"]


def test_integers_of_128_bits_are_read() -> None:
    """Unsigned ids of 64 bits among them."""
    numbers = [2**64 - 1, 2**127 - 1, -(2**127)]
    assert read_json(json.dumps(numbers), limits=LIMITS) == (numbers, ())


def test_a_byte_order_mark_is_no_part_of_the_document() -> None:
    assert read_json(b'\xef\xbb\xbf{"a": 1}', limits=LIMITS) == ({"a": 1}, ())


@pytest.mark.parametrize(
    "text",
    ["[" * 50 + '"' + "{" * 50, "\\", '\\"[[', '\\\\"' + "[" * 50, '"\\' + "{[" * 30],
)
def test_brackets_inside_strings_do_not_count_as_depth(text: str) -> None:
    document = {"a": text, "b": [text]}
    assert read_json(json.dumps(document), limits=LIMITS) == (document, ())


@pytest.mark.parametrize("before", ["", '"\\\\", ', '"\\"[", ', '"\\\\\\"", ', '"]]]]", '])
def test_depth_counts_behind_every_kind_of_string(before: str) -> None:
    limits = ReadLimits(max_bytes=1000, max_depth=4)
    assert read_json(f"[{before}[[[]]]]", limits=limits)[1] == ()
    assert [issue.keyword for issue in read_json(f"[{before}[[[[]]]]]", limits=limits)[1]] == ["depth"]


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":[', ' \n["x",'])
def test_no_depth_limit_lets_the_parser_recurse_without_end(opening: str) -> None:
    value, issues = read_json(opening * 200_000, limits=ReadLimits(max_bytes=10_000_000, max_depth=1_000_000))
    assert value is None
    assert [issue.keyword for issue in issues] == ["depth"]


@given(JSON)
def test_a_document_comes_back_as_it_was(value: Any) -> None:
    assert read_json(json.dumps(value), limits=ReadLimits(100_000, 64)) == (value, ())
    assert read_json(json.dumps(value, ensure_ascii=False).encode(), limits=ReadLimits(100_000, 64)) == (value, ())


TOKENS = ["{", "}", "[", "]", ",", ":", '"', "\\", '"a"', "1", "-", "1e9", "null", "NaN", " ", "\n", "状", "\\ud800"]


@given(st.binary(max_size=300) | st.lists(st.sampled_from(TOKENS), max_size=60).map("".join))
@settings(max_examples=400)
def test_any_text_gives_a_value_or_an_issue(text: bytes | str) -> None:
    value, issues = read_json(text, limits=LIMITS)
    assert value is None or issues == ()
    assert len(issues) <= 1
