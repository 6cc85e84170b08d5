"""Owns how a segment of an excerpt is laid over a passage: every token in order, and nothing skipped that matters.

A step from one covered token to the next may skip light words inside a clause, or whole fields and clauses; it never
skips a negation, the value of a covered key, or from one label to another's number. Words that say something and do
not stand in the passage are never made up for by those that do. Invariant: work is bounded by `STEPS_MAX`; what
would need more is not supported.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from groundrules.excerpts.kinds import is_camel, stands_for
from groundrules.excerpts.nesting import nested_places
from groundrules.excerpts.passage import Passage
from groundrules.excerpts.words import ADDABLE, LEVELS, STATES

STEPS_MAX = 40_000
NEAR = 4
"""How many earlier places of the token before are tried, nearest first."""
REPEATS_MAX = 16
GAP_MAX = 24
"""Tokens that one step may skip."""

SKIPPED_FALSE = frozenset(("false", "null", "none"))
"""Values whose loss turns a statement round, in a column of their own too."""


@dataclass(frozen=True, slots=True)
class Path:
    """An alignment: which tokens of the passage are covered."""

    places: tuple[int, ...]
    matched: int


@dataclass(frozen=True, slots=True)
class _Step:
    """The best way to reach a place: how many tokens are covered, and the step before."""

    matched: int
    previous: tuple[int, _Step] | None


def places_of(segment: Passage, at: int, passage: Passage) -> list[int]:
    """Where token `at` of the segment stands in the passage, as a whole or honestly cut."""
    key, text = segment.keys[at], segment.tokens[at].text
    if _can_be_cut(key, text):
        found = [place for place, other in enumerate(passage.keys) if other == key or stands_for(key, other, text)]
    else:
        found = [place for place, other in enumerate(passage.keys) if other == key]
    is_dotted_key = "." in key and at + 1 < len(segment.keys) and segment.assigned[at + 1]
    return found or (list(nested_places(key, passage)) if is_dotted_key else [])


def _can_be_cut(key: str, text: str) -> bool:
    return ":" in key or "-" in key or key.count(".") == 3 or is_camel(text) or "_" in key


def paths(segment: Passage, passage: Passage, where: list[list[int]]) -> list[Path]:
    """The alignments that hold, one per place where the last covered token can stand."""
    budget = STEPS_MAX
    lead = _added_at_front(segment)
    reached: dict[int, _Step] = {}
    for at, places in enumerate(where):
        fresh: dict[int, _Step] = {}
        order = sorted(reached)
        for place in places:
            step, spent = _best_step(segment, passage, at, place, reached, order)
            budget -= spent
            if step or at <= lead:
                fresh[place] = step or _Step(1, None)
        if budget < 0:
            return []
        reached = _with_added(segment, at, fresh, reached)
        if not reached and at >= lead:
            return []
    return [_path(place, step) for place, step in sorted(reached.items())]


def _added_at_front(segment: Passage) -> int:
    """How many light words the segment begins with: an alignment may start after any of them."""
    return next((at for at, key in enumerate(segment.keys) if key not in ADDABLE), 0)


def _with_added(segment: Passage, at: int, fresh: dict[int, _Step], reached: dict[int, _Step]) -> dict[int, _Step]:
    """A light word may be the excerpt's own addition: the alignment then stays where it was."""
    if at and segment.keys[at] in ADDABLE and not segment.assigned[at]:
        return {**reached, **fresh}
    return fresh


def _best_step(
    segment: Passage, passage: Passage, at: int, place: int, reached: dict[int, _Step], order: list[int]
) -> tuple[_Step | None, int]:
    last = bisect_left(order, place)
    earlier = [other for other in order[max(0, last - NEAR) : last] if other >= place - GAP_MAX]
    best: _Step | None = None
    for other in reversed(earlier):
        step = reached[other]
        if (best is None or step.matched >= best.matched) and joined(passage, other, place, segment.assigned[at]):
            best = _Step(step.matched + 1, (other, step))
    return best, len(earlier) + 1


def _path(place: int, step: _Step) -> Path:
    places = [place]
    current = step
    while current.previous:
        earlier, current = current.previous
        places.append(earlier)
    return Path(tuple(reversed(places)), step.matched)


def joined(passage: Passage, left: int, right: int, assigned: bool) -> bool:
    """Whether an excerpt may write the token at `right` directly after the one at `left`."""
    if assigned:
        return right == left + 1 and (passage.assigned[right] or _is_plain_value(passage, right))
    if right == left + 1 and not passage.borders[right]:
        return True
    if right > left + 1 and passage.assigned[left + 1]:
        return False
    if _denies(passage, left + 1, right):
        return False
    if not any(passage.borders[left + 1 : right + 1]):
        return all(passage.light[left + 1 : right])
    return _leaves_whole(passage, left, right) and _lands_whole(passage, left, right)


def _is_plain_value(passage: Passage, at: int) -> bool:
    """A colon before plain words need not stand in the passage: 'ERROR: connection' for 'ERROR connection'."""
    return not passage.borders[at] and passage.kinds[at] == "word" and passage.keys[at] not in STATES


def _leaves_whole(passage: Passage, left: int, right: int) -> bool:
    """A step across clauses leaves at the end of one; across fields, also after a name, time or level."""
    borders = passage.borders[left + 1 : right + 1]
    if "line" in borders and not _lines_continue(passage, left, right):
        return False
    if borders[0]:
        return True
    is_exact = passage.kinds[left] != "word" or passage.keys[left] in STATES
    return is_exact and "clause" not in borders and "line" not in borders


def _lines_continue(passage: Passage, left: int, right: int) -> bool:
    """Line ends inside a JSON document separate no more than its commas do."""
    ends = (passage.tokens[at].before for at in range(left + 1, right + 1) if passage.borders[at] == "line")
    return all("," in end or "{" in end or "[" in end for end in ends)


def _lands_whole(passage: Passage, left: int, right: int) -> bool:
    """A step across a border lands at the start of a field, or on its value; a number only where it is the field."""
    value = passage.assigned[right] and right - 1 > left
    if not (passage.borders[right] or (value and passage.borders[right - 1])):
        return False
    if _starts_record(passage, left, right):
        return False
    if passage.kinds[right] == "number":
        last = right + 1 == len(passage.keys)
        return (last or bool(passage.borders[right + 1])) and _skips_no_rival(passage, left, right)
    return passage.keys[right] not in STATES - LEVELS or _skips_no_rival(passage, left, right)


def _denies(passage: Passage, start: int, end: int) -> bool:
    return any(passage.negative[start:end]) or not SKIPPED_FALSE.isdisjoint(passage.keys[start:end])


def _starts_record(passage: Passage, left: int, right: int) -> bool:
    """The key that the covered value belongs to comes again: what follows is about something else."""
    if not left or not passage.assigned[left]:
        return False
    return passage.keys[left - 1] in passage.keys[left + 1 : right]


def _skips_no_rival(passage: Passage, left: int, right: int) -> bool:
    """Nothing skipped could be what the value really belongs to, or the value that really belongs here."""
    return not any(_rivals(passage, at, right) for at in range(left + 1, right))


def _rivals(passage: Passage, at: int, right: int) -> bool:
    if passage.kinds[at] == "number":
        return passage.kinds[right] == "number"
    if passage.keys[at] in STATES:
        return passage.keys[right] in STATES and not (passage.assigned[at] and passage.assigned[right])
    return passage.kinds[at] != "word" and not passage.assigned[at] and not passage.assigned[at + 1]


def longest_common(where: list[list[int]]) -> list[int]:
    """Places of a longest in-order match of the tokens, for the share covered and the span it lies in.

    Where tokens repeat beyond measure, only the first places of each are looked at.
    """
    bound = STEPS_MAX if sum(map(len, where)) <= STEPS_MAX else REPEATS_MAX
    tails: list[int] = []
    chains: list[_Chain] = []
    for places in where:
        for place in reversed(places[:bound]):
            index = bisect_left(tails, place)
            tails[index : index + 1] = [place]
            chains[index : index + 1] = [_Chain(place, chains[index - 1] if index else None)]
    return list(chains[-1].places())[::-1] if chains else []


@dataclass(frozen=True, slots=True)
class _Chain:
    """A match by its last place, and the match before it."""

    place: int
    before: _Chain | None

    def places(self) -> Iterator[int]:
        chain: _Chain | None = self
        while chain:
            yield chain.place
            chain = chain.before
