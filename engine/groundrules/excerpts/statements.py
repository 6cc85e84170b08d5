"""Owns the exact things of free prose (a claim's text, the final answer) and which of them no source has (G-5).

Prose is not an excerpt: '92%' answers to 'current=92%', 25 分钟 to 25m, 23:05 to 23:05:28. Refuses what no single
source gives: a time is never put together from two. Invariant: a thing that stands in a source word for word is
never missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from groundrules.excerpts.amounts import canonical_number, in_unit
from groundrules.excerpts.fold import fold
from groundrules.excerpts.kinds import stands_for
from groundrules.excerpts.moments import covers
from groundrules.excerpts.passage import Passage, read_passage
from groundrules.excerpts.things import ExactThing, any_state, located_things, prose_state
from groundrules.excerpts.words import UNITS

PART_MARKS = str.maketrans(dict.fromkeys("/:@?&=#", " "))


@dataclass(frozen=True, slots=True)
class _Held:
    """What the sources hold, by canonical form."""

    words: frozenset[str]
    numbers: frozenset[str]
    times: frozenset[str]
    pairs: frozenset[str]


def exact_things(text: str) -> tuple[ExactThing, ...]:
    """The exact things of a text in free prose, Chinese or English."""
    return tuple(located.thing for located in located_things(read_passage(fold(text)), prose_state))


def things_missing(statement: str, sources: Sequence[str]) -> tuple[ExactThing, ...]:
    """The exact things of the statement that stand in none of the sources (G-5)."""
    wanted = exact_things(statement)
    if not wanted:
        return ()
    held = _held(read_passage(fold(source)) for source in sources)
    return tuple(thing for thing in wanted if not _is_held(thing, held))


def _held(passages: Iterable[Passage]) -> _Held:
    words: set[str] = set()
    numbers: set[str] = set()
    times: set[str] = set()
    pairs: set[str] = set()
    for passage in passages:
        words.update(part for key in passage.keys for part in _parts(key))
        things = [located.thing for located in located_things(passage, any_state)]
        numbers.update(thing.canonical for thing in things if thing.kind == "number")
        numbers.update(_numbers_by_key(passage))
        times.update(thing.canonical for thing in things if thing.kind == "time")
        pairs.update(_pairs(passage))
    return _Held(frozenset(words), frozenset(numbers), frozenset(times), frozenset(pairs))


def _parts(key: str) -> Iterator[str]:
    """A name's own parts count as names: payment-service of http://payment-service:8080/health, web-0 of pod/web-0."""
    yield key
    if not key[0].isdigit():
        yield from key.translate(PART_MARKS).split()


def _pairs(passage: Passage) -> Iterator[str]:
    return (f"{passage.keys[at - 1]}={passage.keys[at]}" for at in range(1, len(passage.keys)) if passage.assigned[at])


def _numbers_by_key(passage: Passage) -> Iterator[str]:
    """latency_ms=1200 holds 1200 ms."""
    for at in range(1, len(passage.keys)):
        unit = passage.keys[at - 1].rpartition("_")[2]
        if passage.assigned[at] and passage.kinds[at] == "number" and unit in UNITS and passage.keys[at][-1].isdigit():
            yield in_unit(passage.keys[at], unit)


def _is_held(thing: ExactThing, held: _Held) -> bool:
    if thing.kind == "number":
        return thing.canonical in held.numbers or _is_held_ratio(thing.canonical, held)
    if thing.kind == "time":
        return any(covers(whole, thing.canonical) for whole in held.times)
    if thing.kind == "key_value":
        return thing.canonical in held.pairs
    if thing.kind == "version":
        return thing.canonical in held.words or f"v{thing.canonical}" in held.words
    if thing.kind == "state":
        return thing.canonical in held.words or (thing.canonical == "warn" and "warning" in held.words)
    return thing.canonical in held.words or any(stands_for(thing.canonical, word, thing.text) for word in held.words)


def _is_held_ratio(canonical: str, held: _Held) -> bool:
    """10/10 connections: both numbers stand in the sources."""
    halves = canonical.split("/")
    return len(halves) == 2 and all(canonical_number(half) in held.numbers for half in halves)
