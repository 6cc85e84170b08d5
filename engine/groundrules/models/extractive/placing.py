"""What of a question goes where in a tool's parameters.

Owns the filling of arguments. Refuses to invent: every argument is a piece of the question, or the period that a date
in it names. Invariant: a term fills at most one parameter; what fills none goes to the free-text one, if there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import re2

from groundrules.models.extractive import words
from groundrules.models.extractive.cards import FREE_TEXT, Card, Slot
from groundrules.models.extractive.question import Question, Term, stem

_ID: Any = re2.compile(r".*[-_#]?\d{3,}")
_DIGIT: Any = re2.compile(r"\d")
MAX_ALTERNATIVES = 3


@dataclass(frozen=True, slots=True)
class Placement:
    """The calls that a tool could be asked with, and how well the question fits it."""

    calls: tuple[Mapping[str, Any], ...]
    """One, or one for each of several names of the same kind."""
    exact: tuple[str, ...]
    """Terms that fill a parameter made for them."""
    free: tuple[str, ...]
    """Terms that go to the free text."""
    left: tuple[str, ...]
    """Names that the tool has no place for."""
    complete: bool
    """Every required parameter is filled."""


NOT_NAMES = frozenset({"call", "duty", "fire", "time", "top", "average"})
"""Words that follow `on` in English without naming anything."""


def place(question: Question, card: Card) -> Placement:
    """The question's terms in the tool's parameters, in the order in which they stand."""
    chosen: dict[str, list[Any]] = {}
    exact: list[Term] = []
    rest: list[Term] = []
    for term in question.terms:
        slot = _slot_for(term, card, chosen)
        if slot is not None:
            chosen.setdefault(slot.name, []).append(_value(term, slot))
            exact.append(term)
        elif term.kind not in ("kind", "time"):
            rest.append(term)
    chosen |= {name: [value] for name, value in _period(question, card).items()}
    if not chosen:
        chosen |= _state_asked(question, card)
    free = tuple(term.text for term in rest)
    if free and card.slot(FREE_TEXT) is not None:
        searched = [term.text for term in _searched(question, card, exact, rest)]
        chosen[FREE_TEXT] = [" ".join(searched)]
        return _placement(card, chosen, exact, free, ())
    return _placement(card, chosen, exact, (), tuple(term.text for term in rest if term.kind in ("name", "number")))


def _searched(question: Question, card: Card, exact: Iterable[Term], rest: Iterable[Term]) -> list[Term]:
    """The words of the search. A tool with only a free text is searched for names as well."""
    kept = {id(term) for term in rest} | ({id(term) for term in exact} if card.is_reference else set())
    return [term for term in question.terms if id(term) in kept]


def _placement(
    card: Card, chosen: Mapping[str, list[Any]], exact: Iterable[Term], free: tuple[str, ...], left: tuple[str, ...]
) -> Placement:
    calls: list[dict[str, Any]] = [{}]
    for slot in card.slots:
        values = chosen.get(slot.name, [])
        if values:
            calls = [call | {slot.name: value} for call in calls for value in dict.fromkeys(values)]
    return Placement(
        calls=tuple(calls[:MAX_ALTERNATIVES]),
        exact=tuple(term.text for term in exact),
        free=free,
        left=left,
        complete=card.required <= chosen.keys(),
    )


def _slot_for(term: Term, card: Card, chosen: Mapping[str, Any]) -> Slot | None:
    fitting = [slot for slot in card.slots if _fits(term, slot)]
    empty = [slot for slot in fitting if slot.name not in chosen]
    return next(iter(empty or fitting), None)


def _fits(term: Term, slot: Slot) -> bool:
    if slot.kind == "enum":
        return _listed_value(term, slot) is not None and stem(term.text) not in words.STATE_WORDS
    if slot.kind == "integer":
        return term.kind == "number" and term.text.isdigit() and _spoken_of(term.before, slot)
    if slot.kind == "pattern" and slot.pattern.fullmatch(term.text):
        named = term.kind == "name" and not _is_id_elsewhere(term.text, slot)
        return named or (term.kind in ("number", "word") and _introduced(term, slot))
    return False


def _is_id_elsewhere(name: str, slot: Slot) -> bool:
    """Whether a name that ends in digits (u-3021) only fits because the pattern takes any word at all."""
    if not _ID.fullmatch(name) or name in slot.values:
        return False
    return slot.pattern.fullmatch(_DIGIT.sub("a", name)) is not None


def _introduced(term: Term, slot: Slot) -> bool:
    """Whether the words around a plain word make it a name: `from gateway`, `gateway 的`."""
    if term.text in slot.values:
        return True
    if term.kind == "number":
        return _spoken_of(term.before, slot)
    owned = (
        term.after.startswith(("的", "服务"))
        or term.after == "service"
        or (term.before in ("from", "on", "service") and term.text.lower() not in NOT_NAMES)
    )
    return owned and term.text.islower()


def _spoken_of(before: str, slot: Slot) -> bool:
    """Whether the word before a number names the parameter: `order 4821`, `订单 4821`."""
    if before.isascii():
        return bool(before) and stem(before) in slot.description.split()
    return len(before) > 1 and before[-2:] in slot.description


def _listed_value(term: Term, slot: Slot) -> str | None:
    said = words.LEVELS.get(term.text.casefold(), term.text.casefold())
    return next((value for value in slot.values if value.casefold() in (said, stem(said))), None)


def _value(term: Term, slot: Slot) -> Any:
    if slot.kind == "enum":
        return _listed_value(term, slot)
    return int(term.text) if slot.kind == "integer" else term.text


def _state_asked(question: Question, card: Card) -> dict[str, list[Any]]:
    """`which alerts are firing`: the state narrows the search when nothing else does."""
    spoken = {token.strip("?？.,。").casefold() for token in question.text.split()}
    for slot in card.slots:
        found = [value for value in slot.values if slot.kind == "enum" and value.casefold() in spoken]
        if found:
            return {slot.name: list(found[:1])}
    return {}


def _period(question: Question, card: Card) -> dict[str, str]:
    """The period that dates of the question name, for the tool's time parameters. Relative days name none."""
    starts, ends = _bounds([term for term in question.terms if term.kind == "time"])
    period: dict[str, str] = {}
    for slot in card.slots:
        if slot.kind == "time":
            bound = ends if slot.name.casefold() in words.UNTIL_NAMES else starts
            if bound is not None:
                period[slot.name] = bound.strftime("%Y-%m-%dT%H:%M:%SZ")
    return period


def _bounds(times: list[Term]) -> tuple[datetime | None, datetime | None]:
    spans = [(term, span) for term in times if (span := _span(term.text)) is not None]
    if not spans:
        return None, None
    (first, (start, end)), (_, (_, last)) = spans[0], spans[-1]
    if len(spans) > 1:
        return start, last
    if first.before.endswith(words.SINCE_CUES):
        return start, None
    return (None, start) if first.before.endswith(words.UNTIL_CUES) else (start, end)


def _span(text: str) -> tuple[datetime, datetime] | None:
    """A date is its day, a time to the minute its minute."""
    try:
        start = datetime.fromisoformat(text.replace(" ", "T"))
    except ValueError:
        return None
    start = start.replace(tzinfo=UTC) if start.tzinfo is None else start.astimezone(UTC)
    if len(text) == len("2026-07-08"):
        return start, start + timedelta(days=1)
    clock = text[len("2026-07-08T") :].replace("-", "+").partition("+")[0]
    return start, start + (timedelta(seconds=1) if clock.count(":") > 1 else timedelta(minutes=1))
