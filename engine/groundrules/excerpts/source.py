"""Owns the text that an excerpt is checked against: found fast where it is long, read token by token where it matters.

A segment's places are found by plain string search, and only what stands around them is cut into tokens; a text is
read whole only where it is short and the surroundings of a place do not settle what it says. Invariant: the number
of places looked at is bounded, whatever the text, and a stretch judges as its whole would.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter

from groundrules.excerpts.charclass import is_ideograph
from groundrules.excerpts.fold import caseless, fold, single_spaced
from groundrules.excerpts.passage import Passage, read_passage
from groundrules.excerpts.scope import SEEN_AFTER, seen_from
from groundrules.excerpts.stretch import Stretch, read_stretch

WHOLE_MAX = 3_000
"""Characters up to which a text may be read whole."""
REACHES = ((24, 32), (160, 80))
"""Characters read before and after a verbatim place, at first and where these do not settle it."""
BEFORE, AFTER = 160, 80
"""Characters read around a place for what the cut leaves out."""
OCCURRENCES_MAX = 24
READ_MAX = 16_000
"""Characters cut into tokens for the verbatim places of one segment."""
NEEDLES_MAX = 24
COMMON = 8
"""A needle that the text has as often as this is no rare one while there are two that it has less often."""
PLACES_MAX = 48
WINDOWS_MAX = 3
NEEDLE_LENGTH_MAX = 64


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A verbatim place of a segment: the passage around it, and its first and last token there."""

    passage: Passage
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Source:
    """A text made ready for checking."""

    cased: str
    """Folded, case kept."""
    lines: str
    """Folded and caseless, white space as it was: columns and lines can still be told."""
    spaced: str
    """The same, single-spaced: what a verbatim segment is searched in."""
    _read: dict[str, Passage] = field(default_factory=dict)

    def occurrences(self, segment: str) -> Iterator[Occurrence]:
        """Where the single-spaced segment stands at token boundaries."""
        at = self.spaced.find(segment)
        for _ in range(max(2, min(OCCURRENCES_MAX, READ_MAX // (len(segment) + BEFORE + AFTER)))):
            if at < 0:
                return
            found = None if self._is_inside_word(at, len(segment)) else self._occurrence(at, at + len(segment))
            if found:
                yield found
            at = self.spaced.find(segment, at + 1)

    def _is_inside_word(self, at: int, length: int) -> bool:
        """A cheap look at the neighbours, before anything is cut into tokens; ideographs are words by themselves."""
        around = (self.spaced[max(0, at - 1) : at + 1], self.spaced[at + length - 1 : at + length + 1])
        return any(len(pair) == 2 and pair.isascii() and pair.isalnum() for pair in around)

    def _occurrence(self, start: int, end: int) -> Occurrence | None:
        offset, slice_end = 0, len(self.spaced)
        if slice_end > WHOLE_MAX:
            offset, slice_end = _safe_start(self.spaced, start), min(slice_end, end + AFTER)
        if offset < 0:
            return None
        around = self.spaced[offset:slice_end]
        for before, after in REACHES:
            settled, found = _nearby(around, (start - offset, end - offset), before, after)
            if settled:
                return found
        return _at(self._passage(around), start - offset, end - offset)

    def windows(self, needles: list[str], length: int) -> list[Passage]:
        """The passages most likely to hold a segment of that length with those needles."""
        if len(self.lines) <= WHOLE_MAX:
            return [self._passage(self.lines)]
        spans = {_line_span(self.lines, place, 2 * length + 200) for place in self._places(needles)}
        ranked = sorted(spans, key=lambda span: (-_held(self.lines[span[0] : span[1]], needles), span))
        return [self._passage(self.lines[start:end]) for start, end in ranked[:WINDOWS_MAX]]

    def _places(self, needles: list[str]) -> Iterator[int]:
        """Places of the two rarest needles that the text has."""
        for needle in _rarest(self.lines, needles):
            at = self.lines.find(needle)
            for _ in range(PLACES_MAX):
                if at < 0:
                    break
                yield at
                at = self.lines.find(needle, at + len(needle))

    def whole(self) -> Passage:
        """The folded text with its case, read from end to end."""
        return self._passage(self.cased)

    def _passage(self, text: str) -> Passage:
        if text not in self._read:
            self._read[text] = read_passage(text)
        return self._read[text]


def _nearby(text: str, span: tuple[int, int], before: int, after: int) -> tuple[bool, Occurrence | None]:
    """Whether so much around the span settles it, and then the occurrence, if tokens begin and end with the span.

    Settled: more of the text would change neither the tokens nor what `cut_denies` sees around them.
    """
    start, end = span
    stretch = read_stretch(text, start - before, end + after)
    if stretch is None or not _spans(stretch, start, end):
        return False, None
    found = _at(stretch.passage, start - stretch.offset, end - stretch.offset)
    return found is None or stretch.opens or seen_from(found.passage, found.first) >= 0, found


def _spans(stretch: Stretch, start: int, end: int) -> bool:
    """Whether the stretch has a token before the place, and after it all those that are looked at, flags included."""
    tokens = stretch.passage.tokens
    opened = stretch.opens or (bool(tokens) and tokens[0].end + stretch.offset <= start)
    closed = stretch.closes or (len(tokens) >= SEEN_AFTER and tokens[-SEEN_AFTER].start + stretch.offset >= end)
    return opened and closed


def _at(passage: Passage, start: int, end: int) -> Occurrence | None:
    first = bisect_left(passage.tokens, start, key=attrgetter("start"))
    last = bisect_left(passage.tokens, end, key=attrgetter("end"))
    if last >= len(passage.tokens) or first > last:
        return None
    whole = passage.tokens[first].start == start and passage.tokens[last].end == end
    return Occurrence(passage, first, last) if whole else None


def _rarest(text: str, needles: list[str]) -> list[str]:
    """The two needles that the text has fewest of, and has; common ones are not counted to the end."""
    counts = {needle: _count_to(text, needle, COMMON) for needle in needles}
    few = sorted((count, needle) for needle, count in counts.items() if 0 < count < COMMON)
    if len(few) < 2:
        few = sorted((text.count(needle), needle) for needle, count in counts.items() if count)
    return [needle for _, needle in few[:2]]


def _count_to(text: str, needle: str, limit: int) -> int:
    """How often the needle stands in the text, counted up to the limit."""
    at, found = text.find(needle), 0
    while at >= 0 and found < limit:
        found += 1
        at = text.find(needle, at + len(needle))
    return found


def read_source(text: str) -> Source:
    """The text, folded once; short texts are remembered, since several checks in a row read the same ones."""
    return _remembered(text) if len(text) <= WHOLE_MAX else _folded(text)


@lru_cache(maxsize=32)
def _remembered(text: str) -> Source:
    return _folded(text)


def _folded(text: str) -> Source:
    cased = fold(text)
    lines = caseless(cased)
    return Source(cased, lines, single_spaced(lines))


def needles_of(segment: Passage) -> list[str]:
    """Strings that any place of the segment is likely to hold: its longer tokens, and pairs of ideographs."""
    found: dict[str, None] = {}
    for at, token in enumerate(segment.tokens):
        text = token.text.casefold()
        if not is_ideograph(ord(text[0])):
            found[text.split(" ")[0][:NEEDLE_LENGTH_MAX]] = None
        elif at and not token.before and is_ideograph(ord(segment.keys[at - 1][0])):
            found[segment.keys[at - 1] + text] = None
    return sorted(found, key=lambda needle: (-len(needle), needle))[:NEEDLES_MAX]


def _safe_start(text: str, start: int) -> int:
    """A place before `start` that cuts no token; -1 where none is near (a token without end)."""
    earliest = max(0, start - BEFORE)
    if not earliest:
        return 0
    for at in range(earliest, start + 1):
        if text[at - 1] in " \n" or is_ideograph(ord(text[at - 1])):
            return at
    return -1


def _line_span(text: str, place: int, margin: int) -> tuple[int, int]:
    """The lines around a place, no further than the margin; a blank, where one is near, keeps tokens whole."""
    start, end = max(0, place - margin), min(len(text), place + margin)
    line_start = text.rfind("\n", start, place) + 1
    line_end = text.find("\n", place, end)
    blank = text.find(" ", start, place) + 1
    return line_start or (blank if start else 0), line_end if line_end >= 0 else end


def _held(window: str, needles: list[str]) -> int:
    return sum(needle in window for needle in needles)
