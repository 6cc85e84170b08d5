"""The embedded model, `extractive-1`: no weights, no network, deterministic.

Owns the port's one method. It is no language model: it takes the words of a question literally, puts them to the tools
whose cards fit, and states only what it can quote. Refuses components that it does not know. Invariant: the same
request gives the same reply.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import re2

from groundrules.errors import ModelError
from groundrules.models.extractive.cards import Card, read_card
from groundrules.models.extractive.composing import compose
from groundrules.models.extractive.judging import judge
from groundrules.models.extractive.observing import Seen, read_observations
from groundrules.models.extractive.planning import plan
from groundrules.models.extractive.question import Question, kinds_in, read_question
from groundrules.models.extractive.stating import Brief, state
from groundrules.models.extractive.tool_choice import PlannedCall, planned_calls
from groundrules.records.evidence import ToolRequest
from groundrules.records.exchange import ModelReply, ModelRequest, Usage

MODEL_NAME = "extractive-1"
CHARS_PER_TOKEN = 4
MAX_SKILL = 20_000
_CLAIM_ID: Any = re2.compile(r"claim-[0-9]{1,4}")


class ExtractiveClient:
    """A ModelClient that only extracts."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request: a document as JSON text, or one tool call of the executor."""
        if request.component == "planner":
            return _document(request, plan(request.inputs, request.locale))
        if request.component == "executor":
            return _execute(request)
        if request.component == "verifier":
            return _document(request, judge(request.inputs, request.locale))
        if request.component == "composer":
            return _document(request, compose(request.inputs, request.locale))
        raise ModelError(f"{MODEL_NAME} does not know the component `{request.component}`")


def _execute(request: ModelRequest) -> ModelReply:
    inputs = request.inputs
    question = read_question(str(inputs.get("query", "")))
    narrow = inputs.get("narrow") is True
    cards = [read_card(tool) for tool in request.tools]
    seen = read_observations(request.messages)
    call = _next_call(question, cards, seen, inputs, narrow=narrow)
    if call is not None:
        made = ToolRequest(f"call-{len(seen) + 1}", call.tool_name, dict(call.arguments))
        return ModelReply("", (made,), _usage(request, str(call.arguments)), MODEL_NAME, "tool_calls")
    brief = Brief(question, narrow, request.locale, {card.name: card for card in cards})
    return _document(request, state(brief, seen, _dropped(inputs.get("retry_context"))))


def _next_call(
    question: Question, cards: Sequence[Card], seen: Sequence[Seen], inputs: Mapping[str, Any], *, narrow: bool
) -> PlannedCall | None:
    """The first planned call that was not made yet; none when looking further would be for show."""
    if _is_done(seen, narrow=narrow):
        return None
    made = [(one.request.tool_name, dict(one.request.arguments)) for one in seen]
    for call in planned_calls(
        question, cards, narrow=narrow, hinted=kinds_in(str(inputs.get("skill", ""))[:MAX_SKILL])
    ):
        if (call.tool_name, dict(call.arguments)) not in made:
            return call
    return None


def _is_done(seen: Sequence[Seen], *, narrow: bool) -> bool:
    """A refused call means stop; an empty result ends a narrow question (S0-2.5), and two in a row any other."""
    if any(one.invocation_id is None for one in seen):
        return True
    recent = [one.status for one in seen[-1 if narrow else -2 :]]
    return len(recent) == (1 if narrow else 2) and all(status != "supported" for status in recent)


def _dropped(retry: object) -> frozenset[str]:
    """Claims that the last round's findings name; `*`, all of them, when it was rejected without a name."""
    if not isinstance(retry, Mapping):
        return frozenset()
    findings = retry.get("findings")
    texts = [str(finding) for finding in findings] if isinstance(findings, (list, tuple)) else []
    named = frozenset(name for text in texts for name in _CLAIM_ID.findall(text))
    return named or (frozenset({"*"}) if retry.get("verdict") == "REJECT" else frozenset())


def _document(request: ModelRequest, document: Mapping[str, Any]) -> ModelReply:
    text = json.dumps(document, ensure_ascii=False)
    return ModelReply(text, (), _usage(request, text), MODEL_NAME)


def _usage(request: ModelRequest, reply: str) -> Usage:
    """Tokens as they would be counted roughly; no tokeniser runs here."""
    read = sum(len(message.content) for message in request.messages)
    read += sum(len(tool.description) + len(str(tool.parameters)) for tool in request.tools)
    return Usage(read // CHARS_PER_TOKEN, len(reply) // CHARS_PER_TOKEN, estimated=True)
