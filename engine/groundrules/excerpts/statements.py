"""Owns the exact things of free prose (a claim's text, the final answer) and which of them no source has (G-5).

Prose is not an excerpt: '92%' answers to 'current=92%', 25 分钟 to 25m, 23:05 to 23:05:28. Refuses what no single
source gives: a time is never put together from two. A thing is first looked for as it is written, and only what is
not found so makes a source be read whole. Invariant: a thing that stands in a source word for word is never missing;
what a place holds, the whole source holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from groundrules.excerpts.amounts import canonical_number, in_unit
from groundrules.excerpts.fold import fold
from groundrules.excerpts.kinds import stands_for
from groundrules.excerpts.moments import begins_anew, covers
from groundrules.excerpts.passage import Passage, read_passage
from groundrules.excerpts.source import Source, read_source
from groundrules.excerpts.stretch import Stretch, read_stretch
from groundrules.excerpts.things import ExactThing, any_state, located_things, prose_state
from groundrules.excerpts.words import UNITS

PLACES_MAX = 8
"""Places of a thing in one source that are looked at."""
LOOKS_MAX = 48
"""Places that are looked at for one statement: beyond, reading the sources whole is the lesser work."""
AMOUNTS = frozenset(("number", "time"))
FOREIGN_MAX = 16
NAMES = frozenset(("identifier", "version", "state"))
REACH = 32
"""Characters read on both sides of such a place; fewer for a name, which is all in its token."""
NAME_REACH = 16
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
    named = exact_things(statement)
    read = [read_source(source) for source in sources] if named else []
    unseen = _not_as_written(named, read)
    if not unseen or _are_foreign(unseen, read):
        return unseen
    held = _together(_held(passage, _things(passage)) for passage in (source.whole() for source in read))
    return tuple(thing for thing in unseen if not _is_held(thing, held))


def _not_as_written(named: Sequence[ExactThing], sources: Sequence[Source]) -> tuple[ExactThing, ...]:
    """The things that no place holds where the very letters of one of them stand; the longest tell places best.

    Holding grows with what is read: what the few tokens around a place hold, the sources hold.
    """
    left, looked = tuple(named), 0
    for thing in sorted(named, key=lambda thing: -len(thing.text)):
        needle = thing.text.casefold()
        reach = REACH if thing.kind in AMOUNTS else NAME_REACH
        for stretch in (place for source in sources for place in _places(source, needle, reach)):
            if thing not in left or looked == LOOKS_MAX:
                break
            looked += 1
            held = _held(stretch.passage, _settled_things(stretch) if thing.kind in AMOUNTS else ())
            left = tuple(other for other in left if not _is_held(other, held))
    return left


def _are_foreign(things: Sequence[ExactThing], sources: Sequence[Source]) -> bool:
    """Whether all are names whose letters no source has: then no key of a source is one of them, or ends in one.

    Keys lose the blanks of the text, and its commas or else get points for them: see `key_of`.
    """
    if len(things) > FOREIGN_MAX or not all(thing.kind in NAMES for thing in things):
        return False
    lines = [source.lines for source in sources]
    unspaced = [line.replace(" ", "") for line in lines]
    texts = (*lines, *(text.replace(",", "") for text in unspaced), *(text.replace(",", ".") for text in unspaced))
    return not any(thing.canonical in text for thing in things for text in texts)


def _places(source: Source, needle: str, reach: int) -> Iterator[Stretch]:
    """What stands around the first places of the needle that are not inside a word."""
    text = source.lines if len(source.lines) == len(source.cased) else source.cased
    at = text.find(needle)
    for _ in range(PLACES_MAX):
        if at < 0:
            return
        end = at + len(needle)
        stretch = None if _is_inside_word(text, at, end) else read_stretch(source.cased, at - reach, end + reach)
        if stretch:
            yield stretch
        at = text.find(needle, at + 1)


def _is_inside_word(text: str, start: int, end: int) -> bool:
    """A cheap look at the neighbours; ideographs are words by themselves."""
    return any(char.isascii() and char.isalnum() for char in (text[start - 1 : start], text[end : end + 1]))


def _settled_things(stretch: Stretch) -> list[ExactThing]:
    """The exact things of the stretch that what stands before and after it cannot change.

    A moment has ended where another token follows it that is no part of it; telling that takes one more.
    """
    size = len(stretch.passage.tokens)
    first = 0 if stretch.opens else next((at for at in range(1, size) if begins_anew(stretch.passage, at)), size)
    end = size if stretch.closes else size - 2
    found = located_things(stretch.passage, any_state)
    return [located.thing for located in found if located.places[0] >= first and located.places[-1] < end]


def _things(passage: Passage) -> list[ExactThing]:
    return [located.thing for located in located_things(passage, any_state)]


def _held(passage: Passage, things: Sequence[ExactThing]) -> _Held:
    """What a passage with those exact things holds."""
    numbers = {thing.canonical for thing in things if thing.kind == "number"}
    return _Held(
        words=frozenset(part for key in passage.keys for part in _parts(key)),
        numbers=frozenset((*numbers, *_numbers_by_key(passage))),
        times=frozenset(thing.canonical for thing in things if thing.kind == "time"),
        pairs=frozenset(_pairs(passage)),
    )


def _together(each: Iterable[_Held]) -> _Held:
    held = list(each)
    return _Held(
        words=frozenset().union(*(one.words for one in held)),
        numbers=frozenset().union(*(one.numbers for one in held)),
        times=frozenset().union(*(one.times for one in held)),
        pairs=frozenset().union(*(one.pairs for one in held)),
    )


def _parts(key: str) -> Iterator[str]:
    """A name's own parts count as names: payment-service of http://payment-service:8080/health, web-0 of pod/web-0."""
    yield key
    if not key[0].isdigit() and not key.isalpha():
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
