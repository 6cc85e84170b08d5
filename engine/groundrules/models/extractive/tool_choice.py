"""Which tools a question is put to, with which arguments, and in which order.

Owns the scoring, which is plain addition. For each tool: 4 for every kind of thing (log, alert, order …) that both the
question and the tool's description name, divided by the number of tools that name it; 2 for every term that fills a
parameter made for it; 0.5 for every name and 0.25 for every other word that goes to the free text; 1 off for every name
without a place; 1 for every other word of the question in the description, divided likewise; 0.5 for a kind that the
skill speaks of; 6 for a question of how to do something, put to what is written down. Ties go to the tool listed first.

Refuses to ask for show: a question that names nothing and uses no tool's words is put to no tool (S1-5.5). Invariant:
a narrow question goes to one tool of the environment, with its words as given, and is never widened (S0-2.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundrules.models.extractive.cards import Card
from groundrules.models.extractive.placing import Placement, place
from groundrules.models.extractive.question import Question

MAX_TOOLS = 3
MAX_NARROW_CALLS = 2
KEPT_SHARE = 0.7
"""A further tool is asked when it scores at least this share of the best."""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    tool_name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Candidate:
    card: Card
    placement: Placement
    score: float
    adds: bool
    """It shares more with the question than a name, or the question names no kind of thing to tell tools apart by."""


def planned_calls(
    question: Question, cards: Sequence[Card], *, narrow: bool, hinted: Sequence[str]
) -> tuple[PlannedCall, ...]:
    """The calls that the question is worth, best first; none when nothing in it can be placed.

    `hinted` are the kinds of things that the skill speaks of.
    """
    found = [_candidate(question, card, cards, hinted) for card in cards]
    usable = sorted((one for one in found if one is not None), key=lambda one: -one.score)
    if narrow:
        environment = [one for one in usable if not one.card.is_reference]
        return tuple(_calls(environment[:1]))[:MAX_NARROW_CALLS]
    written = [one for one in usable if one.card.is_reference]
    chosen = written if question.how_to and written else usable
    near = chosen[:1] + [one for one in chosen[1:] if one.adds and one.score >= KEPT_SHARE * chosen[0].score]
    return tuple(_calls(near[:MAX_TOOLS]))


def _calls(candidates: Iterable[_Candidate]) -> Iterable[PlannedCall]:
    for one in candidates:
        yield from (PlannedCall(one.card.name, arguments) for arguments in one.placement.calls)


def _candidate(question: Question, card: Card, cards: Sequence[Card], hinted: Sequence[str]) -> _Candidate | None:
    placement = place(question, card)
    kinds = _weight(question.of("kind"), card, cards)
    said = _weight(question.of("word", "han"), card, cards)
    wanted = 6.0 if question.how_to and card.is_reference else 0.0
    names = set(question.names)
    if not placement.complete or (names and not any(placement.calls)):
        return None
    if not (kinds or wanted or _concerns(question, card, placement)):
        return None
    free = sum(0.5 if term in names else 0.25 for term in placement.free)
    hint = _weight(hinted, card, cards)
    score = 4 * kinds + 2 * len(placement.exact) + free - len(placement.left) + said + wanted + 0.5 * hint
    adds = bool(kinds or said or hint or _searches(question, card, placement))
    return _Candidate(card, placement, score, adds or bool(placement.exact and not question.of("kind")))


def _concerns(question: Question, card: Card, placement: Placement) -> bool:
    """Whether a name has a place in the tool, or most words of the question are the description's own."""
    names = set(question.names)
    if names & {*placement.exact, *placement.free}:
        return True
    asked = question.of("word", "han")
    return bool(asked) and sum(card.has(word) for word in asked) > len(asked) / 2


def _searches(question: Question, card: Card, placement: Placement) -> bool:
    """Whether there is something to search for; what is written down is not searched for a name alone."""
    return bool(
        set(question.of("word", "han", "phrase")) & set(placement.free) if card.is_reference else placement.free
    )


def _weight(terms: Sequence[str], card: Card, cards: Sequence[Card]) -> float:
    """How many of the terms the description has; a term that many tools have says less."""
    return sum(1 / max(1, sum(other.has(term) for other in cards)) for term in dict.fromkeys(terms) if card.has(term))
