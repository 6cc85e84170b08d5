"""A small invented world for the extractive model: five tool cards, hand-written observations, a conversation."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from groundrules.models.extractive import ExtractiveClient
from groundrules.records.exchange import (
    Component,
    Message,
    ModelReply,
    ModelRequest,
    PromptStamp,
    ToolDefinition,
    ToolRequest,
)

STAMP = PromptStamp("executor", "v1", "zh", "0" * 64)
SERVICE = {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)+$", "description": "服务名 service"}
TEXT = {"type": "string", "description": "关键字 keywords"}


def tool(name: str, description: str, **properties: Mapping[str, Any]) -> ToolDefinition:
    schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return ToolDefinition(name, description, schema)


ALERTS = tool(
    "list_alarms",
    "查询告警及其状态：告警、报警、触发。Alerts and their state: alert, alarm, firing.",
    service=SERVICE,
    alert_name={"type": "string", "pattern": "^[A-Z][A-Za-z0-9]+$", "description": "告警名 alert name"},
    state={"type": "string", "enum": ["firing", "resolved"]},
)
LOGS = tool(
    "search_journal",
    "查询应用日志：日志、报错。Application logs: log, logs, error.",
    service=SERVICE,
    query=TEXT,
    level={"type": "string", "enum": ["INFO", "WARN", "ERROR"]},
    since={"type": "string", "format": "date-time"},
    until={"type": "string", "format": "date-time"},
)
ORDERS = tool(
    "find_orders",
    "查询订单。Orders: order status.",
    order_id={"type": "string", "pattern": "^ORD-[0-9]+$", "description": "订单号 order id"},
)
TICKETS = tool("find_tickets", "查询工单。Tickets.", ticket={"type": "integer", "description": "工单号 ticket number"})
RUNBOOKS = tool("search_runbooks", "检索处理手册。Runbooks: how to handle, what to check.", query=TEXT)
TOOLS = (ALERTS, LOGS, ORDERS, TICKETS, RUNBOOKS)


def ask(
    component: Component,
    inputs: Mapping[str, Any],
    *,
    messages: Sequence[Message] = (),
    tools: Sequence[ToolDefinition] = (),
    locale: str = "zh",
) -> ModelReply:
    """One reply of the embedded model."""
    request = ModelRequest(component, 1, tuple(messages), inputs, STAMP, tuple(tools), None, locale)
    return asyncio.run(ExtractiveClient().complete(request))


def executor_inputs(query: str, *, narrow: bool, retry: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"query": query, "plan": [], "skill": "", "narrow": narrow, "retry_context": retry}


def observation(
    texts: Sequence[str],
    *,
    collection: str = "logs",
    status: str = "supported",
    scope: Mapping[str, str] | None = None,
    invocation: int | None = 517,
    relevance: str = "DIRECT",
) -> str:
    """The content of a tool message; for no_evidence the one text stands at $.no_evidence."""
    paths = ["$.no_evidence"] if status == "no_evidence" else [f"$.{collection}[{at}]" for at in range(len(texts))]
    return json.dumps(
        {
            "tool_call_id": "call-1",
            "source_invocation_id": invocation,
            "scope": scope or {},
            "evidence": [{"raw_path": path, "text": text} for path, text in zip(paths, texts, strict=True)],
            "evidence_status": status,
            "relevance_level": relevance,
            "truncated": False,
            "note": "",
        },
        ensure_ascii=False,
    )


def exchange(tool_name: str, arguments: Mapping[str, Any], content: str, call_id: str = "call-1") -> list[Message]:
    """An answered tool call."""
    call = ToolRequest(call_id, tool_name, arguments)
    return [Message("assistant", "", (call,)), Message("tool", content, tool_call_id=call_id)]


def first_call(query: str, *, narrow: bool = True, locale: str = "zh") -> tuple[str, dict[str, Any]] | None:
    """The tool and arguments that a question is put to first; None when it is put to none."""
    reply = ask("executor", executor_inputs(query, narrow=narrow), tools=TOOLS, locale=locale)
    return next(((call.tool_name, dict(call.arguments)) for call in reply.tool_calls), None)


def output(
    query: str,
    messages: Sequence[Message],
    *,
    narrow: bool = True,
    locale: str = "zh",
    retry: Mapping[str, Any] | None = None,
    tools: Sequence[ToolDefinition] = TOOLS,
) -> dict[str, Any]:
    """The executor's document; the conversation must be at its end."""
    inputs = executor_inputs(query, narrow=narrow, retry=retry)
    reply = ask("executor", inputs, messages=messages, tools=tools, locale=locale)
    assert reply.tool_calls == ()
    document: dict[str, Any] = json.loads(reply.text)
    return document
