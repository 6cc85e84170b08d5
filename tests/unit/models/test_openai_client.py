"""The `openai` adapter against a server that speaks the protocol, faults included (DESIGN models, S1-5.1, G-5)."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
import traceback
from typing import Any

import pytest
from openai_fake_server import KEY, SCHEMA, TOOL, Script, Step, called, refused, request, said, serving

from groundrules.config.model_cards import ModelCard
from groundrules.errors import ModelError, UsageError
from groundrules.models.openai import OpenAIClient, open_openai
from groundrules.records.evidence import ToolRequest
from groundrules.records.exchange import Message, ModelReply, ModelRequest, Usage

ENVIRON = {"HOUSE_KEY": KEY}
RUBBISH = [b"<html>busy</html>", b"", b"[1]", b'{"choices": [', b'{"choices": NaN}', b"\xff\xfe", b"[" * 100_000]


@pytest.fixture(autouse=True)
def _nothing_ambient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def waits() -> list[float]:
    """Seconds that the client would have slept."""
    return []


def card(base_url: str, **changes: Any) -> ModelCard:
    settings = {"model": "house-model", "base_url": base_url, "key_env": "HOUSE_KEY", "temperature": None, **changes}
    return ModelCard(format=1, name="house", kind="openai", **settings)


def client_of(script: Script, waits: list[float], **changes: Any) -> OpenAIClient:
    async def note(seconds: float) -> None:
        waits.append(seconds)

    return open_openai(card(script.base_url, **changes), ENVIRON, sleep=note)


def complete(client: OpenAIClient, asked: ModelRequest) -> ModelReply:
    return asyncio.run(client.complete(asked))


def failure(client: OpenAIClient, asked: ModelRequest) -> str:
    """The message of the ModelError, after a look for the key in everything that could be logged."""
    with pytest.raises(ModelError) as caught:
        complete(client, asked)
    everything = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(client)
    assert KEY not in everything
    return str(caught.value)


def test_a_text_comes_back_with_its_cost(waits: list[float]) -> None:
    with serving(said("触发中")) as script:
        reply = complete(client_of(script, waits), request())

    assert reply == ModelReply("触发中", (), Usage(11, 7), "served-model", "stop")
    assert waits == []


def test_the_request_goes_out_as_it_stands_and_nothing_is_added() -> None:
    """The adapter adds nothing to a request: no ambient organisation, no parameter that the card leaves out."""
    with serving(said()) as script:
        complete(client_of(script, []), request())

    assert script.paths == ["/v1/chat/completions"]
    assert script.bodies == [
        {
            "model": "house-model",
            "messages": [
                {"role": "system", "content": "你是规划者。"},
                {"role": "user", "content": "payment-service 告警吗？"},
            ],
        }
    ]
    assert script.headers[0]["authorization"] == f"Bearer {KEY}"


def test_keys_and_organisations_of_the_sdks_own_variables_stay_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """G-5: a card without `key_env` sends no key, whatever stands in the environment."""
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "ambient")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with serving(said()) as script:
        complete(client_of(script, [], key_env=None), request())

    assert "authorization" not in script.headers[0]
    assert "ambient" not in json.dumps(script.headers[0])


def test_the_cards_settings_are_sent() -> None:
    with serving(said()) as script:
        complete(client_of(script, [], temperature=0.0, seed=7, max_output_tokens=100), request())

    assert {name: script.bodies[0][name] for name in ("temperature", "seed", "max_tokens")} == {
        "temperature": 0.0,
        "seed": 7,
        "max_tokens": 100,
    }


def test_a_tool_call_comes_back_with_its_arguments(waits: list[float]) -> None:
    """S1-5.1: tools go and come through the native channel."""
    function = {"name": "query_logs", "arguments": '{"service": "inventory-service", "关键字": "HikariCP"}'}
    with serving(called({"id": "a1", "type": "function", "function": function})) as script:
        reply = complete(client_of(script, waits), request(tools=(TOOL,)))

    arguments = {"service": "inventory-service", "关键字": "HikariCP"}
    assert reply.tool_calls == (ToolRequest("a1", "query_logs", arguments),)
    assert (reply.text, reply.finish_reason) == ("", "tool_calls")
    assert script.bodies[0]["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "query_logs",
                "description": "查日志",
                "parameters": {"type": "object", "properties": {"service": {"type": "string"}}},
            },
        }
    ]


def test_an_exchange_is_sent_back_in_the_protocols_shape() -> None:
    history = (
        Message("user", "?"),
        Message("assistant", "", (ToolRequest("a1", "query_logs", {"service": "订单"}),)),
        Message("tool", "无结果", tool_call_id="a1"),
    )
    with serving(said()) as script:
        complete(client_of(script, []), request(messages=history))

    assert script.bodies[0]["messages"] == [
        {"role": "user", "content": "?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "a1",
                    "type": "function",
                    "function": {"name": "query_logs", "arguments": '{"service": "订单"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "a1", "content": "无结果"},
    ]


def test_a_lone_surrogate_in_a_tools_text_does_not_end_the_run() -> None:
    with serving(said()) as script:
        complete(client_of(script, []), request(messages=(Message("user", "日志 \ud800 😀"),)))

    assert script.bodies[0]["messages"][0]["content"] == "日志 \ufffd 😀"


def test_after_429_it_waits_as_long_as_the_server_asks(waits: list[float]) -> None:
    with serving(refused(429, Retry_After="3"), said()) as script:
        complete(client_of(script, waits), request())

    assert waits == [3.0]
    assert len(script.bodies) == 2


def test_it_never_waits_longer_than_a_minute(waits: list[float]) -> None:
    with serving(refused(429, Retry_After="86400"), said()) as script:
        complete(client_of(script, waits), request())

    assert waits == [60.0]


def test_without_a_word_of_the_server_each_wait_is_twice_the_last(waits: list[float]) -> None:
    with serving(refused(429), refused(500), refused(503), said()) as script:
        complete(client_of(script, waits, max_retries=3), request())

    assert waits == [0.5, 1.0, 2.0]


def test_after_500_it_tries_again(waits: list[float]) -> None:
    with serving(refused(500), said("好了")) as script:
        reply = complete(client_of(script, waits), request())

    assert reply.text == "好了"


def test_a_server_that_stays_down_ends_in_an_error_with_the_count(waits: list[float]) -> None:
    with serving(refused(500, f"internal {KEY} 你是规划者")) as script:
        message = failure(client_of(script, waits), request())

    assert message == "model `house`: the server answered HTTP 500 (tried 3 times)"
    assert len(script.bodies) == 3


@pytest.mark.parametrize("fault", ["cut_body", "no_answer"])
def test_a_cut_connection_is_tried_again(waits: list[float], fault: Any) -> None:
    with serving(Step(body=b'{"choices"', fault=fault), said("好了")) as script:
        reply = complete(client_of(script, waits), request())

    assert reply.text == "好了"
    assert waits == [0.5]


def test_a_connection_that_is_always_cut_ends_in_an_error(waits: list[float]) -> None:
    with serving(Step(body=b'{"choices"', fault="cut_body")) as script:
        message = failure(client_of(script, waits, max_retries=1), request())

    assert re.sub(r":\d+", "", message) == (
        "model `house`: the connection to 127.0.0.1 failed or was cut; `groundrules doctor` tries it (tried 2 times)"
    )


def test_a_server_that_is_not_there_ends_in_an_error(waits: list[float]) -> None:
    with serving() as script:
        gone = client_of(script, waits)
    message = failure(gone, request())

    assert "the connection to 127.0.0.1:" in message
    assert message.endswith("(tried 3 times)")


def test_a_slow_server_ends_in_an_error_in_time(waits: list[float]) -> None:
    with serving(Step(fault="hang")) as script:
        message = failure(client_of(script, waits, timeout_s=0.05, max_retries=1), request())

    assert message == "model `house`: no answer within 0.05 s (tried 2 times)"


@pytest.mark.parametrize("body", RUBBISH)
def test_rubbish_is_an_error_that_quotes_nothing(waits: list[float], body: bytes) -> None:
    with serving(Step(body=body)) as script:
        message = failure(client_of(script, waits), request())

    assert message == "model `house`: the server's answer is no JSON object"
    assert len(script.bodies) == 1


def test_a_reply_without_choices_is_an_error(waits: list[float]) -> None:
    with serving(said(choices=[])) as script:
        assert failure(client_of(script, waits), request()) == "model `house`: the server's answer holds no choice"


def test_a_reply_that_says_nothing_is_an_error(waits: list[float]) -> None:
    with serving(said("  ")) as script:
        assert failure(client_of(script, waits), request()) == "model `house`: the model said nothing"


def test_arguments_that_are_no_json_are_an_error_that_names_the_call(waits: list[float]) -> None:
    calls = [
        {"id": "a1", "type": "function", "function": {"name": "query_logs", "arguments": "{}"}},
        {"id": "a2", "type": "function", "function": {"name": "query_logs", "arguments": f"service={KEY}"}},
    ]
    with serving(called(*calls)) as script:
        message = failure(client_of(script, waits), request(tools=(TOOL,)))

    assert message == "model `house`: the arguments of tool call 2 (query_logs) are no JSON object"


def test_a_text_of_five_megabytes_is_refused(waits: list[float]) -> None:
    with serving(said("x" * 5_000_000)) as script:
        message = failure(client_of(script, waits), request())

    assert message == "model `house`: the model's text has 5000000 bytes, at most 2000000 are read"


def test_a_body_without_end_is_not_read_to_its_end(waits: list[float]) -> None:
    with serving(Step(body=b" " * 9_000_000)) as script:
        message = failure(client_of(script, waits), request())

    assert message == "model `house`: the answer is larger than 8000000 bytes"


def test_usage_is_estimated_when_the_server_counts_none(waits: list[float]) -> None:
    """6 + 20 characters asked and 8 said, four to a token, rounded up."""
    with serving(said("12345678", usage=None)) as script:
        reply = complete(client_of(script, waits), request())

    assert reply.usage == Usage(7, 2, estimated=True)


@pytest.mark.parametrize(("status", "advice"), [(401, "the key is missing or refused"), (403, "the key may not use")])
def test_a_refused_key_is_said_with_the_name_of_its_variable(waits: list[float], status: int, advice: str) -> None:
    with serving(refused(status, f"Incorrect API key provided: {KEY}")) as script:
        message = failure(client_of(script, waits), request())

    assert message.startswith(f"model `house`: the server answered HTTP {status}: {advice}")
    assert message.endswith(". Its key comes from HOUSE_KEY")
    assert len(script.bodies) == 1


def test_a_redirect_is_not_followed(waits: list[float]) -> None:
    """G-5: key and request are meant for the server of the card, and for no other."""
    with serving(said()) as other, serving(Step(307, headers={"Location": f"{other.base_url}/x"})) as script:
        message = failure(client_of(script, waits), request())

    assert message == "model `house`: the server answered HTTP 307"
    assert other.bodies == []


def test_a_schema_is_asked_for_only_without_tools() -> None:
    with serving(said()) as script:
        client = client_of(script, [])
        complete(client, request(response_schema=SCHEMA))
        complete(client, request(response_schema=SCHEMA, tools=(TOOL,)))

    assert script.bodies[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "planner", "schema": SCHEMA},
    }
    assert "response_format" not in script.bodies[1]


def test_a_refused_format_falls_back_and_is_remembered(waits: list[float]) -> None:
    """The fallback is no retry: it takes nothing from them and waits for nothing."""
    refusal = refused(400, "'response_format.type' must be 'text'")
    with serving(refusal, refusal, said(), said()) as script:
        client = client_of(script, waits, max_retries=0)
        complete(client, request(response_schema=SCHEMA))
        complete(client, request(response_schema=SCHEMA))

    sent = [body.get("response_format", {}).get("type") for body in script.bodies]
    assert sent == ["json_schema", "json_object", None, None]
    assert waits == []


def test_each_client_learns_for_itself(waits: list[float]) -> None:
    with serving(refused(400, "response_format"), said()) as script:
        complete(client_of(script, waits), request(response_schema=SCHEMA))
        complete(client_of(script, waits), request(response_schema=SCHEMA))

    sent = [body["response_format"]["type"] for body in script.bodies]
    assert sent == ["json_schema", "json_object", "json_schema"]


def test_a_server_that_knows_only_the_newer_limit_is_asked_with_it(waits: list[float]) -> None:
    refusal = refused(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    with serving(refusal, said()) as script:
        complete(client_of(script, waits, max_output_tokens=50), request())

    assert [(body.get("max_tokens"), body.get("max_completion_tokens")) for body in script.bodies] == [
        (50, None),
        (None, 50),
    ]


def test_another_refusal_is_an_error_at_once(waits: list[float]) -> None:
    with serving(refused(400, "context length exceeded: 你是规划者")) as script:
        message = failure(client_of(script, waits), request(response_schema=SCHEMA))

    assert message == "model `house`: the server answered HTTP 400"
    assert len(script.bodies) == 1


def test_a_client_outlives_the_event_loop_it_was_first_used_in(waits: list[float]) -> None:
    with serving(said("一"), said("二")) as script:
        client = client_of(script, waits)
        texts = [complete(client, request()).text, complete(client, request()).text]

    assert texts == ["一", "二"]


def test_a_cancelled_call_is_cancelled_at_once() -> None:
    async def cancelled(client: OpenAIClient) -> None:
        await asyncio.wait_for(client.complete(request()), 0.05)

    with serving(Step(fault="hang")) as script, pytest.raises(TimeoutError):
        asyncio.run(cancelled(client_of(script, [], timeout_s=60)))


@pytest.mark.parametrize("environ", [{}, {"HOUSE_KEY": ""}, {"HOUSE_KEY": " \n"}])
def test_a_missing_key_is_said_by_the_name_of_its_variable(environ: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="the environment variable HOUSE_KEY is not set"):
        open_openai(card("http://127.0.0.1:9/v1"), environ)


def test_a_key_that_no_header_can_carry_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError) as caught:
        open_openai(card("http://127.0.0.1:9/v1"), {"HOUSE_KEY": f"{KEY}\nX-Other: 1"})

    assert str(caught.value) == "the environment variable HOUSE_KEY holds characters that no key has"


def test_a_line_end_after_the_key_is_no_part_of_it() -> None:
    with serving(said()) as script:
        complete(open_openai(card(script.base_url), {"HOUSE_KEY": f"{KEY}\n"}), request())

    assert script.headers[0]["authorization"] == f"Bearer {KEY}"


def test_the_key_stands_in_no_repr_and_no_log(caplog: pytest.LogCaptureFixture, waits: list[float]) -> None:
    """G-5, with every logger wide open."""
    with caplog.at_level(logging.DEBUG), serving(refused(500), said()) as script:
        client = client_of(script, waits)
        reply = complete(client, request())

    assert "HTTP Request: POST" in caplog.text, "the SDK logs what it sends: the test looks in the right place"
    held = [repr(value) for part in (client, client._server) for value in vars(part).values()]
    assert KEY not in "".join([repr(client), repr(reply), caplog.text, *held])


def test_without_the_sdk_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)

    with pytest.raises(ModelError) as caught:
        open_openai(card("http://127.0.0.1:9/v1"), ENVIRON)

    assert "pip install groundrules[openai]" in str(caught.value)


def test_a_card_of_another_kind_is_refused() -> None:
    extractive = ModelCard(format=1, name="extractive", kind="extractive")

    with pytest.raises(UsageError, match="model `extractive` is of kind extractive, not openai"):
        open_openai(extractive, ENVIRON)
