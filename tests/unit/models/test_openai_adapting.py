"""What the `openai` adapter does about a server's tastes and wishes: pure decisions (DESIGN, models)."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_fake_server import SCHEMA, request

from groundrules.config.model_cards import ModelCard
from groundrules.models.openai.client import wait_s
from groundrules.models.openai.dialect import Dialect, chat_body, weaker_dialect
from groundrules.models.openai.server import retry_after_s
from groundrules.records.exchange import ToolDefinition

CARD = ModelCard(
    format=1, name="house", kind="openai", model="m", base_url="http://127.0.0.1:9/v1", max_output_tokens=9
)
DATE = "Wed, 08 Jul 2026 23:30:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "5"}, 5.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 08 Jul 2026 23:30:07 GMT", "date": DATE}, 7.0),
        ({"retry-after": "Wed, 08 Jul 2026 23:29:00 GMT", "date": DATE}, 0.0),
        ({"retry-after": "Wed, 08 Jul 2026 23:30:07 GMT"}, None),
        ({"retry-after": "Wed, 08 Jul 2026 23:30:07 GMT", "date": "yesterday"}, None),
        ({"retry-after": "Wed, 08 Jul 2026 23:30:07 -0000", "date": DATE}, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_against_the_servers_own_clock(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after_s(headers) == seconds


@given(st.text(max_size=40), st.text(max_size=40))
def test_whatever_the_headers_the_wait_is_finite_or_unknown(retry_after: str, date: str) -> None:
    seconds = retry_after_s({"retry-after": retry_after, "date": date})

    assert seconds is None or 0 <= wait_s(1, seconds) <= 60


def test_waiting_grows_to_its_bound() -> None:
    assert [wait_s(number, None) for number in range(1, 8)] == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


@pytest.mark.parametrize("words", ["response_format is not supported", "unknown JSON_SCHEMA", "不支持 json_object"])
def test_a_refused_format_gives_way_step_by_step(words: str) -> None:
    first = Dialect("json_schema")
    second = weaker_dialect(first, chat_body(request(response_schema=SCHEMA), CARD, first), words)
    assert second == Dialect("json_object")
    third = weaker_dialect(second, chat_body(request(response_schema=SCHEMA), CARD, second), words)
    assert third == Dialect("none")
    assert weaker_dialect(third, chat_body(request(response_schema=SCHEMA), CARD, third), words) is None


def test_a_refusal_of_what_was_not_sent_changes_nothing() -> None:
    dialect = Dialect("json_schema")

    assert weaker_dialect(dialect, chat_body(request(), CARD, dialect), "response_format") is None


def test_no_words_change_nothing() -> None:
    dialect = Dialect("json_schema")

    assert weaker_dialect(dialect, chat_body(request(response_schema=SCHEMA), CARD, dialect), "") is None


@given(st.lists(st.sampled_from(["response_format", "use max_completion_tokens", "json_object max_completion_tokens"])))
def test_adapting_ends_whatever_the_server_says(refusals: list[str]) -> None:
    """Two formats and one name can be given up: never more than three steps."""
    dialect, steps = Dialect("json_schema"), 0
    for refusal in refusals:
        weaker = weaker_dialect(dialect, chat_body(request(response_schema=SCHEMA), CARD, dialect), refusal)
        dialect, steps = weaker or dialect, steps + (weaker is not None)

    assert steps <= 3


def test_schemas_of_any_mapping_are_sent_as_plain_json() -> None:
    frozen = MappingProxyType({"type": "object", "properties": MappingProxyType({"a": MappingProxyType({})})})
    body = chat_body(request(tools=(ToolDefinition("t", "", frozen),)), CARD, Dialect("json_schema"))

    assert body["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {"a": {}}}
    assert type(body["tools"][0]["function"]["parameters"]["properties"]) is dict
