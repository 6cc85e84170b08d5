"""Owns exact things: what a statement may not get even slightly wrong (numbers, times, versions, names, pairs, states).

Ordinary words are not exact things; nor are the numbers of a list. `canonical` makes equal what means the same: 25m,
25 minutes and 25 分钟; 7月8日 and 2026-07-08 share month and day. Invariant: each thing stands in the text it was read
from, and equal canonicals of one kind mean the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from groundrules.excerpts.amounts import canonical_number
from groundrules.excerpts.kinds import is_camel
from groundrules.excerpts.moments import read_moments
from groundrules.excerpts.passage import Passage
from groundrules.excerpts.words import ALERT_STATES, LEVELS, STATES

ThingKind = Literal["number", "time", "version", "identifier", "key_value", "state"]

ERROR_CODES = ("SIG", "ECONN", "ETIME", "ENO", "EACC", "EPIPE", "EMFILE", "EHOST", "EADDR", "EAGAIN", "EPERM")


@dataclass(frozen=True, slots=True)
class ExactThing:
    """One exact thing: its kind, as it was written, and the form it is compared in."""

    kind: ThingKind
    text: str
    canonical: str


WordKind = Callable[[Passage, int], bool]
"""Whether the plain word at a place is a state."""


@dataclass(frozen=True, slots=True)
class LocatedThing:
    """An exact thing and the tokens it was read from."""

    thing: ExactThing
    places: tuple[int, ...]


def located_things(passage: Passage, is_state: WordKind) -> tuple[LocatedThing, ...]:
    """The exact things of a passage, times first, then in order."""
    moments = read_moments(passage)
    taken = {at for moment in moments for at in moment.places}
    found = [LocatedThing(ExactThing("time", moment.text, moment.canonical), moment.places) for moment in moments]
    for at in range(len(passage.tokens)):
        thing = None if at in taken else _thing_at(passage, at, is_state)
        if thing:
            found.append(LocatedThing(thing, (at,)))
        if is_pair(passage, at):
            found.append(LocatedThing(_pair_at(passage, at), (at - 1, at)))
    return tuple(found)


def _thing_at(passage: Passage, at: int, is_state: WordKind) -> ExactThing | None:
    text, key, kind = passage.tokens[at].text, passage.keys[at], passage.kinds[at]
    if key in STATES:
        return ExactThing("state", text, _level(key)) if is_state(passage, at) else None
    if kind == "number":
        return None if _numbers_a_list(passage, at) else ExactThing("number", text, canonical_number(text))
    if kind == "version":
        return ExactThing("version", text, key.removeprefix("v"))
    if kind == "identifier" or (kind == "word" and text.startswith(ERROR_CODES) and text.isupper()):
        return ExactThing("identifier", text, key)
    return None


def _level(key: str) -> str:
    return {"warning": "warn", "critical": "critical"}.get(key, key)


def _numbers_a_list(passage: Passage, at: int) -> bool:
    """The 2 of '2. Restart the pod' counts items, it states nothing."""
    starts = at == 0 or passage.borders[at] == "line"
    if not starts or at + 1 >= len(passage.tokens) or not passage.keys[at].isdigit() or len(passage.keys[at]) > 2:
        return False
    return passage.tokens[at + 1].before[:1] in (".", ")", "、")


def is_pair(passage: Passage, at: int) -> bool:
    """Whether the token is the value of a written pair: key=value or "key": value."""
    if not at or not passage.assigned[at]:
        return False
    before = passage.tokens[at].before
    return "=" in before or '":' in before


def _pair_at(passage: Passage, at: int) -> ExactThing:
    """The pair whose value is the token."""
    key, value = passage.keys[at - 1], passage.keys[at]
    return ExactThing("key_value", f"{passage.tokens[at - 1].text}={passage.tokens[at].text}", f"{key}={value}")


def any_state(passage: Passage, at: int) -> bool:
    """In a record each word of the closed list is a state."""
    return passage.keys[at] in STATES


def prose_state(passage: Passage, at: int) -> bool:
    """In prose only what is written as one: ERROR, firing, CrashLoopBackOff, and Running inside a sentence."""
    text, key = passage.tokens[at].text, passage.keys[at]
    if key in ALERT_STATES or is_camel(text):
        return True
    if text.isupper() and len(text) > 2:
        return True
    capital = (
        text[0].isupper()
        and key not in LEVELS
        and key not in ("true", "false", "ok", "normal", "up", "down", "unknown")
    )
    return capital and not _starts_sentence(passage, at)


def _starts_sentence(passage: Passage, at: int) -> bool:
    return at == 0 or bool(passage.borders[at]) or ":" in passage.tokens[at].before or "*" in passage.tokens[at].before
