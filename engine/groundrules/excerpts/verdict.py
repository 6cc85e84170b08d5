"""Owns the verdict on one segment against one source: as it stands, by alignment, or not at all.

Invariant: a verdict that supports has nothing missing, covers at least the share asked for, and cuts off no negation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from groundrules.excerpts.align import longest_common, paths, places_of
from groundrules.excerpts.amounts import canonical_number
from groundrules.excerpts.passage import Passage
from groundrules.excerpts.scope import cut_denies
from groundrules.excerpts.segment import Segment
from groundrules.excerpts.source import Source, needles_of
from groundrules.excerpts.things import ExactThing, LocatedThing, any_state, located_things
from groundrules.excerpts.unitcase import recased_amounts
from groundrules.excerpts.words import ADDABLE, STATES

ALIGNED_MAX = 256
"""Tokens up to which a segment is aligned; a longer one has to stand as it is."""
ALIKE_FROM = 0.5
"""Share covered from which a segment is taken to speak of the same thing, so that its negations can be compared."""


@dataclass(frozen=True, slots=True)
class SegmentVerdict:
    """Whether a segment is supported, and what of it is missing."""

    supported: bool
    verbatim: bool
    coverage: float
    things_missing: tuple[ExactThing, ...] = ()
    words_missing: tuple[str, ...] = ()
    negation_differs: bool = False


AS_IT_STANDS = SegmentVerdict(supported=True, verbatim=True, coverage=1.0)
DENIED = SegmentVerdict(supported=False, verbatim=True, coverage=1.0, negation_differs=True)
NOWHERE = SegmentVerdict(supported=False, verbatim=False, coverage=0.0)


def judge(segment: Segment, source: Source, min_coverage: float) -> SegmentVerdict:
    """The verdict on the segment, case folded but for units that another case makes others."""
    verdict = _caseless_verdict(segment, source, min_coverage)
    recased = recased_amounts(segment.passage, source.cased) if verdict.supported else ()
    if not recased:
        return verdict
    things = tuple(ExactThing("number", amount, canonical_number(amount)) for amount in recased)
    return replace(verdict, supported=False, verbatim=False, things_missing=things)


def _caseless_verdict(segment: Segment, source: Source, min_coverage: float) -> SegmentVerdict:
    """Verbatim first, then the best alignment in the likeliest places."""
    best = _as_it_stands(segment, source)
    if best.supported or len(segment.passage.keys) > ALIGNED_MAX:
        return best
    for passage in source.windows(needles_of(segment.passage), len(segment.text)):
        verdict = _laid_over(segment.passage, passage, min_coverage)
        if verdict.supported:
            return verdict
        best = max(best, verdict, key=lambda candidate: candidate.coverage)
    return best if best is not NOWHERE else _all_missing(segment.passage)


def _as_it_stands(segment: Segment, source: Source) -> SegmentVerdict:
    verdict = NOWHERE
    for place in source.occurrences(segment.text):
        if not cut_denies(place.passage, place.first, place.last):
            return AS_IT_STANDS
        verdict = DENIED
    return verdict


def _laid_over(segment: Passage, passage: Passage, min_coverage: float) -> SegmentVerdict:
    size = len(segment.tokens)
    where = [places_of(segment, at, passage) for at in range(size)]
    found = [path for path in paths(segment, passage, where) if path.matched / size >= min_coverage]
    for path in found:
        if not cut_denies(passage, path.places[0], path.places[-1]):
            return SegmentVerdict(supported=True, verbatim=False, coverage=path.matched / size)
    chain = longest_common(where)
    coverage = len(chain) / size
    words = longest_common([places for at, places in enumerate(where) if not segment.negative[at]])
    alike = bool(words) and coverage >= ALIKE_FROM
    differs = bool(found) or (alike and _negations_differ(segment, passage, words))
    missing = _missing(segment, passage, where)
    return SegmentVerdict(False, False, coverage, missing, _words_missing(segment, where), differs)


def _negations_differ(segment: Passage, passage: Passage, chain: list[int]) -> bool:
    """Compares the negations around the same words, so that the negations themselves must not choose the place."""
    words = [at for at in range(len(segment.keys)) if not segment.negative[at]]
    first, last = chain[0] - words[0], chain[-1] + len(segment.keys) - words[-1]
    return Counter(_negations(segment, 0, len(segment.keys))) != Counter(_negations(passage, max(first, 0), last))


def _negations(passage: Passage, start: int, end: int) -> Iterator[str]:
    return (passage.keys[at] for at in range(start, min(end, len(passage.keys))) if passage.negative[at])


def _missing(segment: Passage, passage: Passage, where: list[list[int]]) -> tuple[ExactThing, ...]:
    return tuple(
        located.thing for located in located_things(segment, any_state) if not _stands(located, passage, where)
    )


def _stands(located: LocatedThing, passage: Passage, where: list[list[int]]) -> bool:
    if located.thing.kind != "key_value":
        return all(where[at] for at in located.places)
    key, value = located.places
    values = set(where[value])
    return any(place + 1 in values and passage.assigned[place + 1] for place in where[key])


def _words_missing(segment: Passage, where: list[list[int]]) -> tuple[str, ...]:
    """Plain words that the passage does not have; exact things are reported as such."""
    return tuple(
        segment.tokens[at].text
        for at, key in enumerate(segment.keys)
        if not where[at] and segment.kinds[at] == "word" and key not in ADDABLE and key not in STATES
    )


def _all_missing(segment: Passage) -> SegmentVerdict:
    things = tuple(located.thing for located in located_things(segment, any_state))
    return replace(NOWHERE, things_missing=things, words_missing=_words_missing(segment, [[]] * len(segment.keys)))


def mislabelled(label: Segment, value: Segment, source: Source) -> bool:
    """Whether a label and the bare value written after it stand apart in the text, the label with another value.

    'memory, 92%' of 'cpu 92%, memory 40%': each part stands in the text, together they lie.
    """
    if not _is_label(label.passage) or not _is_bare_value(value.passage):
        return False
    own = [_value_after(place.passage, place.last + 1) for place in source.occurrences(label.text)]
    return bool(own) and all(held and held != value.passage.keys[0] for held in own)


def _is_label(passage: Passage) -> bool:
    plain = all(kind == "word" for kind in passage.kinds) and passage.keys[-1] not in STATES
    return plain and not any(passage.assigned[1:])


def _is_bare_value(passage: Passage) -> bool:
    alone = len(passage.keys) == 1
    return alone and (passage.kinds[0] in ("number", "time", "version") or passage.keys[0] in STATES)


def _value_after(passage: Passage, at: int) -> str:
    """The value that stands directly after a label; empty when none does."""
    if at >= len(passage.keys) or (passage.borders[at] and not passage.assigned[at]):
        return ""
    return passage.keys[at] if passage.assigned[at] or passage.kinds[at] == "number" else ""
