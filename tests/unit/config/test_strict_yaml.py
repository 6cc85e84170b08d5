"""Strict YAML: YAML 1.2 core values, every issue with its line, never an exception (DESIGN §3, C-1)."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, ValidationError

from groundrules.config.strict_yaml import (
    DEPTH_LIMIT,
    SIZE_LIMIT_BYTES,
    YamlDocument,
    core_value,
    model_issues,
    read_yaml,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("yes", "yes"),
        ("No", "No"),
        ("off", "off"),
        ("12:30", "12:30"),
        ("2030-01-31", "2030-01-31"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("017", 17),
        ("0o17", 15),
        ("0x1F", 31),
        ("-7", -7),
        ("+7", 7),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("2.", 2.0),
        ("1.5e-3", 0.0015),
        ("1.2.3", "1.2.3"),
        ("告警", "告警"),
    ],
)
def test_plain_scalars_have_their_yaml_1_2_value(text: str, value: object) -> None:
    document, issues = read_yaml(f"a: {text}\n", "f.yaml")

    assert issues == ()
    assert document.value == {"a": value}
    assert type(document.value["a"]) is type(value)


def test_quoted_scalars_are_text() -> None:
    document, issues = read_yaml("a: 'true'\nb: \"1\"\nc: |\n  2\n", "f.yaml")

    assert issues == ()
    assert document.value == {"a": "true", "b": "1", "c": "2\n"}


def test_the_key_on_stays_text() -> None:
    document, issues = read_yaml("on: binding\n", "f.yaml")

    assert issues == ()
    assert document.value == {"on": "binding"}


def test_each_part_knows_its_line() -> None:
    document, _ = read_yaml("a: 1\nb:\n  - c: 2\n  - evidence.raw_path: 3\n", "f.yaml")

    assert document.line("$.b") == 2
    assert document.line("$.b[0].c") == 3
    assert document.line("$.b[1]['evidence.raw_path']") == 4
    assert document.line("$.b[1].absent.deeper") == 4
    assert document.line("$.absent") == 1


def test_a_key_given_twice_is_refused_with_both_lines() -> None:
    document, issues = read_yaml("a: 1\nb: 2\na: 3\n", "f.yaml")

    assert [(issue.line, issue.path, issue.message) for issue in issues] == [
        (3, "$.a", "`a` is given twice, on lines 1 and 3")
    ]
    assert document.value == {"a": 1, "b": 2}


def test_all_issues_come_at_once() -> None:
    text = "a: &x 1\nb: *x\n<<: {c: 1}\n1: 2\n[1]: 3\nt: !!str 3\nn: .nan\nh: 9223372036854775808\n"

    _, issues = read_yaml(text, "f.yaml")

    assert [(issue.line, issue.message) for issue in issues] == [
        (1, "an anchor (`&x`) is not allowed"),
        (2, "an alias (`*x`) is not allowed"),
        (3, "a merge key (`<<`) is not allowed"),
        (4, "the key `1` is not text"),
        (5, "a key must be text, not a list or mapping"),
        (6, "a tag (`tag:yaml.org,2002:str`) is not allowed"),
        (7, "`.nan` is not a finite number within 64 bits"),
        (8, "`9223372036854775808` is not a finite number within 64 bits"),
    ]


@pytest.mark.parametrize("key", ["true", "null", "12", "1.5"])
def test_keys_that_are_not_text_are_refused(key: str) -> None:
    _, issues = read_yaml(f"{key}: 1\n", "f.yaml")

    assert [issue.hint for issue in issues] == [f'write "{key}" with quotes']


def test_a_quoted_merge_key_is_plain_text() -> None:
    document, issues = read_yaml("'<<': 1\n", "f.yaml")

    assert issues == ()
    assert document.value == {"<<": 1}


def test_a_syntax_error_has_its_line_and_a_hint() -> None:
    _, issues = read_yaml("id: x\nmessage: {claim_id}: nothing\n", "f.yaml")

    assert [issue.line for issue in issues] == [2]
    assert issues[0].message.startswith("this is not YAML: ")
    assert "needs quotes" in issues[0].hint


@pytest.mark.parametrize("text", ["", "# a comment\n", "~\n"])
def test_an_empty_file_is_an_issue(text: str) -> None:
    document, issues = read_yaml(text, "f.yaml")

    assert document.value is None
    assert [issue.message for issue in issues] == ["the file is empty"]


def test_a_second_document_is_refused() -> None:
    _, issues = read_yaml("a: 1\n---\nb: 2\n", "f.yaml")

    assert [(issue.line, issue.message) for issue in issues] == [(2, "the file holds a second document")]


def test_nesting_is_limited() -> None:
    deep = "[" * DEPTH_LIMIT + "]" * DEPTH_LIMIT
    _, fits = read_yaml(f"a: {deep[1:-1]}\n", "f.yaml")
    _, too_deep = read_yaml(f"a: [{deep}]\n", "f.yaml")
    _, hostile = read_yaml("[" * 400_000, "f.yaml")

    assert fits == ()
    assert [issue.message for issue in too_deep] == [f"the file nests deeper than {DEPTH_LIMIT}"]
    assert len(hostile) == 1


def test_size_is_limited() -> None:
    _, issues = read_yaml("a: " + "x" * SIZE_LIMIT_BYTES, "f.yaml")

    assert [issue.message for issue in issues] == ["the file is larger than 1,000,000 bytes"]


def test_a_lone_surrogate_and_control_characters_are_issues() -> None:
    _, surrogate = read_yaml("a: 1\nb: \ud800\n", "f.yaml")
    _, control = read_yaml("a: \x07\n", "f.yaml")

    assert [(issue.line, issue.message) for issue in surrogate] == [(2, "the file holds a lone surrogate")]
    assert len(control) == 1


@given(st.text(alphabet=st.one_of(st.sampled_from("ab: -[]{},\n'\"#&*!|>%@`~?\t0.e"), st.characters()), max_size=80))
def test_any_text_gives_a_value_or_an_issue(text: str) -> None:
    document, issues = read_yaml(text, "f.yaml")

    assert isinstance(document, YamlDocument)
    assert document.value is not None or issues
    assert all(issue.file == "f.yaml" for issue in issues)


@given(st.from_regex(r"[-+]?[0-9]{1,18}", fullmatch=True))
def test_decimal_digits_are_the_integer_they_write(text: str) -> None:
    assert core_value(text) == int(text)


class _Param(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    type: Literal["number", "integer"]
    value: bool | int | float | str
    meaning: str


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    id: str
    count: int
    params: dict[str, _Param]


def _findings(text: str) -> list[tuple[int, str, str, str]]:
    document, issues = read_yaml(text, "f.yaml")
    assert issues == ()
    with pytest.raises(ValidationError) as caught:
        _File.model_validate(document.value)
    return [
        (issue.line, issue.path, issue.message, issue.hint) for issue in model_issues(caught.value, document, _File)
    ]


def test_findings_of_a_model_have_line_path_and_plain_words() -> None:
    found = _findings("id: 3\ncount: '4'\nparams:\n  x:\n    type: numbr\n    value: [1]\n")

    assert found == [
        (1, "$.id", "must be text", ""),
        (2, "$.count", "must be an integer", ""),
        (4, "$.params.x.meaning", "`meaning` is missing", ""),
        (5, "$.params.x.type", "must be one of number, integer, not 'numbr'", "did you mean `number`?"),
        (6, "$.params.x.value", "must be true or false or an integer or a number or text", ""),
    ]


def test_an_unknown_key_is_met_with_the_key_that_was_meant() -> None:
    found = _findings("id: a\ncount: 1\nparms: {}\nparams: {x: {type: number, value: 1, mening: m, meaning: m}}\n")

    assert found == [
        (3, "$.parms", "unknown key `parms`", "did you mean `params`?"),
        (4, "$.params.x.mening", "unknown key `mening`", "did you mean `meaning`?"),
    ]


def test_a_document_that_is_no_mapping_is_a_finding() -> None:
    assert _findings("- 1\n") == [(1, "$", "must be a mapping", "")]
