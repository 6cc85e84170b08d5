"""Owns the text that an excerpt is checked against: found fast where it is long, read token by token where it matters.

A short text is read whole. In a long one, a segment's places are found by plain string search, and only the lines
around them are cut into tokens. Invariant: the number of places looked at is bounded, whatever the text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter

from groundrules.excerpts.charclass import is_ideograph
from groundrules.excerpts.fold import caseless, fold, single_spaced
from groundrules.excerpts.passage import Passage, read_passage

WHOLE_MAX = 3_000
"""Characters up to which a text is read whole."""
BEFORE, AFTER = 160, 80
"""Characters read around a place for what the cut leaves out."""
OCCURRENCES_MAX = 24
READ_MAX = 16_000
"""Characters cut into tokens for the verbatim places of one segment."""
NEEDLES_MAX = 24
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
        passage = self._passage(self.spaced[offset:slice_end])
        first = bisect_left(passage.tokens, start - offset, key=attrgetter("start"))
        last = bisect_left(passage.tokens, end - offset, key=attrgetter("end"))
        if last >= len(passage.tokens) or first > last:
            return None
        whole = passage.tokens[first].start == start - offset and passage.tokens[last].end == end - offset
        return Occurrence(passage, first, last) if whole else None

    def windows(self, needles: list[str], length: int) -> list[Passage]:
        """The passages most likely to hold a segment of that length with those needles."""
        if len(self.lines) <= WHOLE_MAX:
            return [self._passage(self.lines)]
        spans = {_line_span(self.lines, place, 2 * length + 200) for place in self._places(needles)}
        ranked = sorted(spans, key=lambda span: (-_held(self.lines[span[0] : span[1]], needles), span))
        return [self._passage(self.lines[start:end]) for start, end in ranked[:WINDOWS_MAX]]

    def _places(self, needles: list[str]) -> Iterator[int]:
        """Places of the two rarest needles that the text has."""
        counts = sorted((count, needle) for needle in needles if (count := self.lines.count(needle)))
        for _, needle in counts[:2]:
            at = self.lines.find(needle)
            for _ in range(PLACES_MAX):
                if at < 0:
                    break
                yield at
                at = self.lines.find(needle, at + len(needle))

    def _passage(self, text: str) -> Passage:
        if text not in self._read:
            self._read[text] = read_passage(text)
        return self._read[text]


def read_source(text: str) -> Source:
    """The text, folded once."""
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
