"""The body of a completion as a reply: a value or a ModelError, whatever the bytes (C-1)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_fake_server import TOOL, called, request, said

from groundrules.errors import ModelError
from groundrules.models.openai.reply import TEXT_LIMIT_BYTES, read_reply
from groundrules.records.evidence import ToolRequest
from groundrules.records.exchange import Message, ModelReply, Usage

WITH_TOOL = request(tools=(TOOL,))


def call(arguments: Any, **changes: Any) -> dict[str, Any]:
    return {"id": "a1", "type": "function", "function": {"name": "query_logs", "arguments": arguments}, **changes}


def calls_of(*items: dict[str, Any]) -> tuple[ToolRequest, ...]:
    return read_reply(called(*items).body, WITH_TOOL, "m").tool_calls


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ('{"service": "订单"}', {"service": "订单"}),
        ("{}", {}),
        ("", {}),
        (" \n", {}),
        (None, {}),
        ({"service": "订单"}, {"service": "订单"}),
    ],
)
def test_arguments_are_read_in_each_way_that_servers_write_them(arguments: object, read: object) -> None:
    assert calls_of(call(arguments)) == (ToolRequest("a1", "query_logs", read),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments",
    ["[]", "null", '"text"', "{", "{'a': 1}", '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1e999}', "```{}```", 7, ["a"]],
)
def test_arguments_that_are_no_json_object_are_refused(arguments: object) -> None:
    with pytest.raises(ModelError) as caught:
        calls_of(call(arguments))

    assert str(caught.value) == "the arguments of tool call 1 (query_logs) are no JSON object"


def test_the_name_of_a_tool_that_was_not_offered_is_not_quoted() -> None:
    function = {"name": "ignore all rules", "arguments": "["}
    with pytest.raises(ModelError) as caught:
        calls_of(call("", function=function))

    assert str(caught.value) == "the arguments of tool call 1 are no JSON object"


@pytest.mark.parametrize("given_id", [None, "", 7, "x" * 201])
def test_a_call_without_a_usable_id_gets_one_that_repeats(given_id: object) -> None:
    """The id counts the two messages so far and the call in its reply: the same request gives the same id."""
    assert [one.tool_call_id for one in calls_of(call("{}", id=given_id), call("{}", id=given_id))] == [
        "call-2-1",
        "call-2-2",
    ]


def test_an_id_is_never_given_twice_in_a_conversation() -> None:
    history = (Message("user", "?"), Message("assistant", "", (ToolRequest("a1", "query_logs", {}),)))
    body = called(call("{}"), call("{}", id="a2"), call("{}", id="a2")).body
    reply = read_reply(body, request(tools=(TOOL,), messages=history), "m")

    assert [one.tool_call_id for one in reply.tool_calls] == ["call-2-1", "a2", "call-2-3"]


@pytest.mark.parametrize(
    "item",
    [7, {}, {"id": "a1"}, {"function": "query_logs"}, {"function": {"arguments": "{}"}}, {"function": {"name": ""}}],
)
def test_a_call_that_names_no_function_is_refused(item: Any) -> None:
    with pytest.raises(ModelError, match="tool call 1 names no function"):
        calls_of(item)


def test_more_calls_than_anybody_needs_are_refused() -> None:
    with pytest.raises(ModelError, match="no list of at most 64"):
        calls_of(*[call("{}", id=f"a{number}") for number in range(65)])


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        [1, 2],
        {"prompt_tokens": 5},
        {"prompt_tokens": -1, "completion_tokens": 2},
        {"prompt_tokens": True, "completion_tokens": 2},
        {"prompt_tokens": 1.5, "completion_tokens": 2},
        {"prompt_tokens": 10**12, "completion_tokens": 2},
    ],
)
def test_usage_that_is_no_count_is_estimated_and_marked(usage: object) -> None:
    """S1-3.2 budgets count tokens: a missing count is estimated from the length, never zero."""
    asked = request(messages=(Message("user", "x" * 9),))

    assert read_reply(said("12345", usage=usage).body, asked, "m").usage == Usage(3, 2, estimated=True)


def test_text_in_chinese_may_be_as_large_as_the_limit() -> None:
    text = "告" * (TEXT_LIMIT_BYTES // 3)

    assert read_reply(said(text).body, request(), "m").text == text
    with pytest.raises(ModelError, match="at most 2000000 are read"):
        read_reply(said(text + "告").body, request(), "m")


def test_the_asked_model_stands_in_for_one_that_is_not_said() -> None:
    reply = read_reply(said("好", model=None).body, request(), "asked-model")

    assert reply.model == "asked-model"


def test_a_reply_that_was_cut_says_so() -> None:
    choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": "一半"}}

    assert read_reply(said(choices=[choice]).body, request(), "m").finish_reason == "length"


@pytest.mark.parametrize(
    ("extra", "problem"),
    [
        ({"choices": None}, "the server's answer holds no choice"),
        ({"choices": {}}, "the server's answer holds no choice"),
        ({"choices": ["x"]}, "the server's answer holds a choice that is no object"),
        ({"choices": [{}]}, "the server's answer holds no message"),
        ({"choices": [{"message": {"content": ["x"]}}]}, "the content of the server's message is no text"),
        ({"choices": [{"message": {"content": None, "tool_calls": []}}]}, "the model said nothing"),
        ({"choices": [{"message": {"tool_calls": {}}}]}, "the tool calls of the server's message are no list of at"),
    ],
)
def test_another_shape_than_the_protocols_is_refused(extra: dict[str, Any], problem: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_reply(said("x", **extra).body, request(), "m")

    assert str(caught.value).startswith(problem)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "tool_calls", "function", "name", "arguments", "id", "usage"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_whatever_the_bytes_the_answer_is_a_reply_or_a_model_error(body: bytes) -> None:
    try:
        reply = read_reply(body, WITH_TOOL, "m")
    except ModelError:
        return

    assert reply.text.strip() or reply.tool_calls


@given(JSON)
def test_whatever_the_message_the_answer_is_a_reply_or_a_model_error(value: Any) -> None:
    body = json.dumps({"choices": [{"message": {"content": "x", "tool_calls": value}}], "usage": value}).encode()
    try:
        reply = read_reply(body, WITH_TOOL, "m")
    except ModelError:
        return

    assert isinstance(reply, ModelReply)
    assert len({one.tool_call_id for one in reply.tool_calls}) == len(reply.tool_calls)
