"""Owns the verdict on an excerpt: whether each of its segments stands in one text, and what exactly is missing.

Refuses what is like the text but says something else; says nothing about whether the claim follows from the excerpt
(S0-4.3). Invariant: a segment is supported either as it stands, at token boundaries and with no negation cut off, or
by an alignment that covers every word that says something. Nothing is supported by two texts together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

from groundrules.excerpts.fold import fold
from groundrules.excerpts.rows import of_another_row
from groundrules.excerpts.scope import cut_denies
from groundrules.excerpts.segment import (
    EXCERPT_MAX,
    SEGMENTS_MAX,
    Segment,
    says_something,
    segments_of,
    whole_text,
)
from groundrules.excerpts.source import Source, read_source
from groundrules.excerpts.unitcase import recased_amounts
from groundrules.excerpts.verdict import SegmentVerdict, judge, mislabelled

MISSING_MAX = 20
MISSING_LENGTH_MAX = 120


@dataclass(frozen=True, slots=True)
class ExcerptSupport:
    """What a check of one excerpt against one text found; each field is a fact of its own."""

    verbatim: bool
    """Every segment stands in the text at token boundaries, after folding."""
    coverage: float
    """Share of the worst segment's tokens that the text covers in order, 0 to 1; 0 for an empty excerpt."""
    segments: int
    segments_unsupported: int
    numbers_missing: int
    """Numbers, with unit and sign, that do not stand in the text as wholes."""
    identifiers_missing: int
    """Names, ids, paths and addresses."""
    times_missing: int
    versions_missing: int
    key_values_missing: int
    """Pairs whose key does not have that value in the text."""
    states_missing: int
    """Log levels and states."""
    negation_differs: bool
    """The excerpt says no where the text says yes, or the other way round; a condition cut off counts too."""
    too_short: bool
    """Empty, one character, or nothing of substance."""
    missing: tuple[str, ...]
    """What is missing, for people."""


def excerpt_support(excerpt: str, text: str, *, min_coverage: float) -> ExcerptSupport:
    """Judges each segment of the excerpt by itself against the one text (S0-4.3)."""
    if len(excerpt) > EXCERPT_MAX:
        return _unchecked(1, "the excerpt is too long to be checked")
    folded = fold(excerpt)
    segments = segments_of(folded)
    if not says_something(segments):
        return _too_short(len(segments))
    source = read_source(text)
    if _stands_whole(folded, segments, source):
        return _verbatim(len(segments))
    if len(segments) > SEGMENTS_MAX:
        return _unchecked(len(segments), "the excerpt has too many segments to be checked")
    verdicts = [judge(segment, source, min_coverage) for segment in segments]
    misplaced = {*_mislabelled(segments, source), *of_another_row(segments, source.lines)}
    return _summary(segments, verdicts, frozenset(misplaced))


def is_supported(support: ExcerptSupport, *, min_coverage: float) -> bool:
    """The conjunction that the gatekeeper's rules express over the same facts; backfill uses it (S0-4.4)."""
    nothing_missing = not (
        support.numbers_missing
        or support.identifiers_missing
        or support.times_missing
        or support.versions_missing
        or support.key_values_missing
        or support.states_missing
    )
    return (
        nothing_missing
        and not support.too_short
        and not support.negation_differs
        and support.segments > 0
        and support.segments_unsupported == 0
        and support.coverage >= min_coverage
    )


def _stands_whole(folded: str, segments: tuple[Segment, ...], source: Source) -> bool:
    if any(recased_amounts(segment.passage, source.cased) for segment in segments):
        return False
    places = source.occurrences(whole_text(folded, segments))
    return any(not cut_denies(place.passage, place.first, place.last) for place in places)


def _mislabelled(segments: tuple[Segment, ...], source: Source) -> Iterator[int]:
    """Places of bare values that the text gives to another label than the segment before."""
    for at, (label, value) in enumerate(pairwise(segments)):
        if mislabelled(label, value, source):
            yield at + 1


def _summary(
    segments: tuple[Segment, ...], verdicts: list[SegmentVerdict], misplaced: frozenset[int]
) -> ExcerptSupport:
    kinds = Counter(thing.kind for verdict in verdicts for thing in verdict.things_missing)
    unsupported = {at for at, verdict in enumerate(verdicts) if not verdict.supported} | misplaced
    return ExcerptSupport(
        verbatim=all(verdict.verbatim for verdict in verdicts),
        coverage=min(verdict.coverage for verdict in verdicts),
        segments=len(verdicts),
        segments_unsupported=len(unsupported),
        numbers_missing=kinds["number"],
        identifiers_missing=kinds["identifier"],
        times_missing=kinds["time"],
        versions_missing=kinds["version"],
        key_values_missing=kinds["key_value"],
        states_missing=kinds["state"],
        negation_differs=any(verdict.negation_differs for verdict in verdicts),
        too_short=False,
        missing=_said(segments, verdicts, misplaced),
    )


def _said(segments: tuple[Segment, ...], verdicts: list[SegmentVerdict], misplaced: frozenset[int]) -> tuple[str, ...]:
    lines = (
        line
        for at, (segment, verdict) in enumerate(zip(segments, verdicts, strict=True))
        for line in _lines(segment, verdict, at in misplaced)
    )
    return tuple(line[:MISSING_LENGTH_MAX] for line in islice(dict.fromkeys(lines), MISSING_MAX))


def _lines(segment: Segment, verdict: SegmentVerdict, is_misplaced: bool) -> Iterator[str]:
    if is_misplaced:
        yield f"belongs to something else: {segment.text}"
    if verdict.supported:
        return
    yield from (f"{thing.kind} {thing.text}" for thing in verdict.things_missing)
    yield from (f"word {word}" for word in verdict.words_missing)
    if verdict.negation_differs:
        yield f"negation differs: {segment.text}"
    elif not verdict.things_missing and not verdict.words_missing:
        yield f"does not stand together: {segment.text}"


@lru_cache(maxsize=SEGMENTS_MAX)
def _verbatim(segments: int) -> ExcerptSupport:
    return ExcerptSupport(True, 1.0, segments, 0, 0, 0, 0, 0, 0, 0, False, False, ())


def _too_short(segments: int) -> ExcerptSupport:
    return ExcerptSupport(False, 0.0, segments, segments, 0, 0, 0, 0, 0, 0, False, True, ("anything of substance",))


def _unchecked(segments: int, why: str) -> ExcerptSupport:
    return ExcerptSupport(False, 0.0, segments, segments, 0, 0, 0, 0, 0, 0, False, False, (why,))
