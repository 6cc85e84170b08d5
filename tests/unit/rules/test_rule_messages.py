"""Messages are filled by names alone, into one printable line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules.rules import fill_message
from groundrules.rules.messages import VALUE_LIMIT, bind_message, placeholders


def test_names_are_replaced_and_unknown_ones_show() -> None:
    values = {"claim_id": "claim-1", "raw_path": "$.logs[0]", "source_invocation_id": None}

    assert fill_message("{claim_id}: #{source_invocation_id} has no {raw_path} ({mood})", values) == (
        "claim-1: #? has no $.logs[0] (?)"
    )


def test_braces_can_be_written() -> None:
    assert fill_message("{{{claim_id}}}", {"claim_id": "c"}) == "{c}"


@pytest.mark.parametrize(
    "template",
    ["{a.b}", "{a.__class__.__mro__}", "{a[0]}", "{a!r}", "{a:>10}", "{a:{b}}", "{0}", "{}", "{ a }", "{a", "a}"],
)
def test_anything_but_a_name_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        placeholders(template)


def test_bound_names_are_gone_and_their_braces_are_text() -> None:
    bound = bind_message("{limit}: {claim_id} {{x}}", {"limit": "{claim_id}"})

    assert placeholders(bound) == ("claim_id",)
    assert fill_message(bound, {"claim_id": "c"}) == "{claim_id}: c {x}"


def test_a_value_becomes_a_short_printable_line() -> None:
    shown = fill_message("{text}", {"text": "一行\n\x1b[31m" + "长" * 500})

    assert shown.startswith("一行 ·[31m长")
    assert len(shown) == VALUE_LIMIT + 1


@given(st.text())
def test_whatever_the_value_the_message_is_one_printable_line(value: str) -> None:
    shown = fill_message("<{value}>", {"value": value})

    assert shown.isprintable()
    assert shown.startswith("<")
    assert shown.endswith(">")
