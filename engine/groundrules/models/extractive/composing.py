"""The extractive composer: allowed claims, gaps and actions, as they are, in a row.

Owns the answer document. Refuses to add anything. Invariant: each sentence is an allowed text, or a frame that states
nothing; of a negative observation it says only that this query found no match (S0-6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from groundrules.models.extractive.wording import say
from groundrules.records.claims import NEGATIVE

BOUNDED_ABSENCE = ("未检索到", "found no match")
_ENDS = "。.！!？?"


def compose(inputs: Mapping[str, Any], locale: str) -> dict[str, Any]:
    """The composer's output for the composer's input; plainer when the last draft had findings."""
    claims = [_told(claim, locale) for claim in _mappings(inputs.get("allowed_claims"))]
    claims = [claim for claim in claims if claim]
    actions = [] if inputs.get("findings") else [_action(one) for one in _mappings(inputs.get("recommended_actions"))]
    lines = claims if inputs.get("findings") and claims else list(_lines(inputs, claims, actions, locale))
    return {
        "answer_summary": claims[0] if claims else say("answer_none", locale),
        "recommended_actions": actions,
        "user_facing_answer": "\n".join(lines),
    }


def _lines(
    inputs: Mapping[str, Any], claims: Sequence[str], actions: Sequence[Mapping[str, str]], locale: str
) -> Iterator[str]:
    if not claims:
        yield say("answer_none", locale)
    elif inputs.get("verdict") != "PASS":
        yield say("answer_unsure", locale)
    yield from claims
    for hypothesis in _texts(inputs.get("allowed_hypotheses")):
        yield say("answer_hypothesis", locale, hypothesis=hypothesis)
    for missing in _texts(inputs.get("missing_info")):
        yield say("answer_missing", locale, missing=missing.rstrip(_ENDS))
    for action in actions:
        key = "answer_action" if action["reason"] else "answer_action_bare"
        yield say(key, locale, action=action["action_text"].rstrip(_ENDS), reason=action["reason"].rstrip(_ENDS))


def _told(claim: Mapping[str, Any], locale: str) -> str:
    text = claim.get("claim_text")
    said = text.strip() if isinstance(text, str) else ""
    absent = claim.get("claim_type") == NEGATIVE
    if absent and not any(phrase in said for phrase in BOUNDED_ABSENCE):
        return say("not_found_bare", locale)
    return said


def _action(action: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(action.get(name, "")) for name in ("action_text", "reason")}


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, (list, tuple)) else []


def _texts(value: object) -> list[str]:
    """Texts of a list of texts, or of documents that carry one."""
    items = value if isinstance(value, (list, tuple)) else ()
    found = (item.get("text", item.get("hypothesis")) if isinstance(item, Mapping) else item for item in items)
    return [item for item in found if isinstance(item, str) and item.strip()]
