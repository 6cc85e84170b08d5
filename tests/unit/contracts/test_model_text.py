"""The JSON object in what a model wrote: its wrapping is forgiven and recorded (S0-7.1)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.contracts import ReadLimits, read_model_json

SURROUNDED = ("surrounding_text",)


@pytest.mark.parametrize(
    ("text", "status", "repairs"),
    [
        ('{"a": [1, 2]}', "strict", ()),
        (' \n{"a": [1, 2]}\r\n', "strict", ()),
        ('\ufeff{"a": [1, 2]}', "repaired", ("byte_order_mark",)),
        ('\ufeff{"a": [1, 2,]}', "repaired", ("byte_order_mark", "trailing_comma")),
        ('```json\n{"a": [1, 2]}\n```', "repaired", ("code_fence",)),
        ('结论如下：\n\n```\r\n{"a": [1, 2]}\r\n```\r\n以上。', "repaired", ("code_fence",)),
        ('  ```JSON5\n// the answer\n{"a": [1, 2],}\n  ```', "repaired", ("code_fence", *SURROUNDED, "trailing_comma")),
        ('```json\n{"a": [1, 2]}', "repaired", SURROUNDED),
        ('```json\n{"a": [1, 2]}```', "repaired", SURROUNDED),
        ('```yaml\na: 1\n```\nor\n```json\n{"a": [1, 2]}\n```', "repaired", ("code_fence",)),
        ('Here it is:\n{"a": [1, 2]}\nDone.', "repaired", SURROUNDED),
        ('这是结果：{"a": [1, 2]}。', "repaired", SURROUNDED),
        ('{"a": [1, 2,],}', "repaired", ("trailing_comma",)),
        ('{"a": [1, 2 , \n ]}', "repaired", ("trailing_comma",)),
        ('I think {not json} but {"a": [1, 2]}', "repaired", SURROUNDED),
        ('an open { brace, then {"a": [1, 2]}', "repaired", SURROUNDED),
        ('a 5" disk, "quoted: {"a": [1, 2]}', "repaired", SURROUNDED),
        ('like {"x": ...}, so {"a": [1, 2]}', "repaired", SURROUNDED),
        ('{"a": [1, 2]} and then {"a": [3]}', "repaired", SURROUNDED),
        ('}} {"a": [1, 2]} {{', "repaired", SURROUNDED),
    ],
)
def test_a_models_wrapping_is_forgiven_and_recorded(text: str, status: str, repairs: tuple[str, ...]) -> None:
    """S0-7.1: executor_output_parse_status."""
    reading = read_model_json(text)
    assert reading.value == {"a": [1, 2]}
    assert reading.parse_status == {"status": status, "repairs": list(repairs), "error": ""}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "line 1, column 1"),
        ("no json", "line 1, column 1"),
        ("我无法回答。", "line 1, column 1"),
        ("{", "line 1"),
        ('{"a": 1', "line 1"),
        ('{"a": 1, "a": 2}', "given twice"),
        ('The answer: {"verdict": "PASS", "verdict": "REJECT"}', "given twice"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ("{" * 100_000, "nests deeper"),
        ('{"a": "\\ud800"}', "lone surrogate"),
        ("x" * 2_000_000, "2,000,000 bytes"),
        ("状" * 400_000, "1,200,000 bytes"),
        ('prose {"a": [,]}', "line 1"),
        ('prose {"a": [1,,]}', "line 1"),
        ("[1, 2,]", "line 1"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, error: str) -> None:
    reading = read_model_json(text)
    assert (reading.value, reading.status, reading.repairs) == (None, "failed", ())
    assert error in reading.error


@pytest.mark.parametrize(
    "text",
    [
        '{"answer_version": "executor_evidence_v2", "claims": [{"claim_id": "c1"}, {"claim_id',
        'Sure:\n```json\n{"claims": [{"claim_id": "c1"}, {"claim_id": "c2"}\n```',
        '{"claims": [{"claim_id": "c1"}], {"claim_id": "c2"}',
    ],
)
def test_no_part_of_an_object_that_never_ends_is_taken_for_the_answer(text: str) -> None:
    """DESIGN §7: a reply that was cut off is no reply."""
    assert read_model_json(text).status == "failed"


@pytest.mark.parametrize(
    "text",
    [
        'x {"verdict": "PASS", "verdict": "REJECT"} y {"verdict": "PASS"}',
        'x {"score": NaN} y {"verdict": "PASS"}',
        'x {"n": 1e999, } y {"verdict": "PASS"}',
    ],
)
def test_the_first_object_decides_also_when_it_is_refused(text: str) -> None:
    reading = read_model_json(text)
    assert (reading.value, reading.status) == (None, "failed")


def test_a_fence_inside_of_a_text_is_no_fence() -> None:
    document = {"user_facing_answer": "```json\n{}\n```", "b": [1]}
    assert read_model_json(f"Here: {json.dumps(document)}").value == document


@pytest.mark.parametrize("inside", ["1,]", "a, }", '\\",]', "\\\\", "},{", "```", "\n,\n]"])
def test_what_stands_in_strings_stays(inside: str) -> None:
    document = {"a": inside, inside: [inside]}
    written = json.dumps(document)
    assert read_model_json(f"so {written[:-1]}, }} it is").value == document


@pytest.mark.parametrize(
    "text",
    [
        "{}" * 200_000,
        "x {" * 200_000,
        '{"' * 200_000,
        "x {\\" * 100_000,
        "```\n" * 100_000,
        "x {" + ", " * 200_000 + "}",
    ],
)
def test_hostile_texts_of_full_length_are_read_to_an_end(text: str) -> None:
    """A scan that is not linear would take hours here."""
    assert read_model_json(text).status in ("repaired", "failed")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(st.sampled_from('{}[],:"\\`状 \n'), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), VALUES, max_size=3)
PROSE = st.text(st.characters(codec="utf-8", exclude_characters="{}`\ufeff"), max_size=20)


@given(OBJECTS, PROSE, PROSE)
def test_any_object_in_any_prose_comes_back(document: dict[str, Any], before: str, after: str) -> None:
    assert read_model_json(f"a{before}{json.dumps(document)}{after}").value == document
    assert read_model_json(f"{before}\n```json\n{json.dumps(document, indent=1)}\n```\n{after}").value == document


@given(st.lists(st.sampled_from(["{", "}", "[", "]", ",", ":", '"', "\\", '"a"', "1", "```", "\n", "状"]), max_size=60))
@settings(max_examples=400)
def test_any_text_gives_a_reading(tokens: list[str]) -> None:
    reading = read_model_json("".join(tokens), ReadLimits(200, 8))
    assert (reading.status == "failed") == (reading.error != "")
    assert reading.value is None or reading.status != "failed"
