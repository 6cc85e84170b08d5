"""Recorded replies: what was recorded comes back, and nothing else does (STYLE: replay gives the same decisions)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_fake_server import SCHEMA, TOOL, request

from groundrules.config.model_cards import ModelCard
from groundrules.errors import ConfigurationError, ModelError, UsageError
from groundrules.models.replay import (
    Recorded,
    RecordingClient,
    ReplayClient,
    open_replay,
    read_recording,
    render_record,
    request_key,
)
from groundrules.records.evidence import ToolRequest
from groundrules.records.exchange import Message, ModelReply, ModelRequest, Usage
from groundrules.testing import ScriptedModel

REPLY = ModelReply(
    "结论：触发中\u2028第二行",
    (ToolRequest("a1", "query_logs", {"service": "订单"}),),
    Usage(11, 7, estimated=True),
    "served-model",
    "tool_calls",
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
REPLIES = st.builds(
    ModelReply,
    text=TEXT,
    tool_calls=st.lists(st.builds(ToolRequest, TEXT, TEXT, st.dictionaries(TEXT, VALUES, max_size=3)), max_size=3).map(
        tuple
    ),
    usage=st.builds(Usage, st.integers(0, 10**9), st.integers(0, 10**9), st.booleans()),
    model=TEXT,
    finish_reason=TEXT,
)


def card(recording: str = "runs/lab.jsonl") -> ModelCard:
    return ModelCard(format=1, name="lab", kind="replay", recording=recording)


def record(asked: ModelRequest, reply: ModelReply) -> str:
    """The line that a recording client keeps."""
    lines: list[str] = []
    client = RecordingClient(ScriptedModel(planner=[reply]), lines.append)
    assert asyncio.run(client.complete(asked)) == reply
    return lines[0]


def recording(folder: Path, *lines: str) -> Path:
    file = folder / "runs" / "lab.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


def replayed(client: ReplayClient, asked: ModelRequest) -> ModelReply:
    return asyncio.run(client.complete(asked))


def test_a_recorded_reply_comes_back_whole(tmp_path: Path) -> None:
    root = recording(tmp_path, record(request(), REPLY))

    assert replayed(open_replay(card(), root), request()) == REPLY


def test_the_recording_holds_a_hash_of_what_was_asked_and_not_its_text() -> None:
    """S1-8.1: what was asked is not kept."""
    document = json.loads(record(request(), REPLY))

    assert list(document) == ["key", "component", "round", "reply"]
    assert document["key"] == request_key(request())
    assert "你是规划者" not in json.dumps(document, ensure_ascii=False)


@given(REPLIES)
def test_record_to_line_to_record_is_identity(reply: ModelReply) -> None:
    kept = Recorded(request_key(request()), "planner", 1, reply)

    assert read_recording(render_record(kept).encode(), "f") == ((kept,), ())


@given(st.lists(st.tuples(TEXT, REPLIES), min_size=1, max_size=3, unique_by=lambda pair: pair[0]))
def test_each_request_gets_its_own_reply_back(pairs: list[tuple[str, ModelReply]]) -> None:
    asked = [(request(messages=(Message("user", text),)), reply) for text, reply in pairs]
    content = "\n".join(record(one, reply) for one, reply in asked)
    client = ReplayClient(read_recording(content.encode(), "f")[0], "f")

    assert [replayed(client, one) for one, _reply in asked] == [reply for _one, reply in asked]


@pytest.mark.parametrize(
    "other",
    [
        request(messages=(Message("user", "另一个问题"),)),
        request(messages=(*request().messages, Message("user", ""))),
        request(tools=(TOOL,)),
        request(response_schema=SCHEMA),
    ],
)
def test_another_request_has_no_reply(other: ModelRequest) -> None:
    client = ReplayClient([Recorded(request_key(request()), "planner", 1, REPLY)], "runs/lab.jsonl")

    with pytest.raises(ModelError) as caught:
        replayed(client, other)
    assert str(caught.value).startswith("runs/lab.jsonl holds no reply for this request of the planner in round 1.")


def test_the_key_does_not_depend_on_the_order_or_kind_of_mappings() -> None:
    def key(schema: Mapping[str, Any]) -> str:
        return request_key(request(response_schema=schema))

    assert key({"type": "object", "required": ["plan"]}) == key({"required": ("plan",), "type": "object"})


def test_the_last_reply_recorded_for_a_request_counts(tmp_path: Path) -> None:
    newer = ModelReply("更新", (), Usage(1, 1), "m")
    root = recording(tmp_path, record(request(), REPLY), record(request(), newer))

    assert replayed(open_replay(card(), root), request()) == newer


def test_a_failed_call_is_not_recorded() -> None:
    lines: list[str] = []
    client = RecordingClient(ScriptedModel(planner=[ModelError("down")]), lines.append)

    with pytest.raises(ModelError, match="down"):
        asyncio.run(client.complete(request()))
    assert lines == []


@pytest.mark.parametrize(
    "reply",
    [
        ModelReply("半个字 \ud800", (), Usage(1, 1), "m"),
        ModelReply("", (ToolRequest("a1", "t", {"x": float("nan")}),), Usage(1, 1), "m"),
    ],
)
def test_a_reply_that_could_not_be_read_back_is_refused_when_it_is_recorded(reply: ModelReply) -> None:
    lines: list[str] = []
    client = RecordingClient(ScriptedModel(planner=[reply]), lines.append)

    with pytest.raises(ModelError, match="the reply of the planner in round 1 cannot be recorded"):
        asyncio.run(client.complete(request()))
    assert lines == []


def test_every_bad_line_is_said_with_its_number(tmp_path: Path) -> None:
    good = record(request(), REPLY)
    with_more = json.dumps({**json.loads(good), "prompt": "x"})
    without_round = json.dumps({name: value for name, value in json.loads(good).items() if name != "round"})
    root = recording(tmp_path, good, "{", "", with_more, without_round, '{"key": 1, "key": 2}')

    with pytest.raises(ConfigurationError) as caught:
        open_replay(card(), root)
    assert [(issue.file, issue.line) for issue in caught.value.issues] == [
        ("runs/lab.jsonl", 2),
        ("runs/lab.jsonl", 4),
        ("runs/lab.jsonl", 5),
        ("runs/lab.jsonl", 6),
    ]
    assert "prompt" in caught.value.issues[1].message
    assert "round" in caught.value.issues[2].message


@given(st.binary(max_size=80))
def test_whatever_the_bytes_a_recording_is_records_and_issues(content: bytes) -> None:
    records, issues = read_recording(content, "f")

    assert len(records) + len(issues) == len([line for line in content.split(b"\n") if line.strip()])


def test_a_recording_that_is_not_there_is_said() -> None:
    with pytest.raises(UsageError, match=r"there is no recording runs/none\.jsonl for model `lab`"):
        open_replay(card("runs/none.jsonl"), Path(__file__).parent)


def test_a_link_that_leads_out_of_the_project_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text("", encoding="utf-8")
    root = tmp_path / "project"
    root.mkdir()
    (root / "lab.jsonl").symlink_to(outside)

    with pytest.raises(UsageError, match="lies outside the project"):
        open_replay(card("lab.jsonl"), root)


def test_a_card_of_another_kind_has_no_recording(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="of kind extractive, not replay"):
        open_replay(ModelCard(format=1, name="lab", kind="extractive"), tmp_path)
