"""Owns the cut of an excerpt into segments: at , ; | 、 。 an ellipsis and line ends, never inside a number or time.

Invariant: every token of the excerpt is in exactly one segment, in the excerpt's order.
"""

from __future__ import annotations

from dataclasses import dataclass

from groundrules.excerpts.fold import caseless, single_spaced
from groundrules.excerpts.passage import Passage, read_passage

EXCERPT_MAX = 8_192
"""Characters; a longer excerpt is not checked, and so not supported."""
SEGMENTS_MAX = 64

SPLITTERS = (",", ";", "|", "、", "。", "\n", "...")


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of an excerpt that is judged by itself."""

    passage: Passage
    text: str
    """From its first token to its last, caseless and single-spaced."""


def segments_of(folded: str) -> tuple[Segment, ...]:
    """The segments of a folded excerpt. Punctuation alone makes none."""
    passage = read_passage(folded)
    starts = [at for at, token in enumerate(passage.tokens) if at == 0 or _splits(token.before)]
    ends = [*starts[1:], len(passage.tokens)]
    return tuple(_segment(folded, passage.part(start, end)) for start, end in zip(starts, ends, strict=False) if end)


def whole_text(folded: str, segments: tuple[Segment, ...]) -> str:
    """The excerpt from its first token to its last, caseless and single-spaced."""
    if len(segments) == 1:
        return segments[0].text
    return _plain(folded, segments[0].passage.tokens[0].start, segments[-1].passage.tokens[-1].end)


def says_something(segments: tuple[Segment, ...]) -> bool:
    """More than one character of words that are not mere grammar."""
    said = 0
    for segment in segments:
        for at, key in enumerate(segment.passage.keys):
            if not segment.passage.light[at] and not segment.passage.negative[at]:
                said += len(key)
            if said > 1:
                return True
    return False


def _splits(before: str) -> bool:
    return any(mark in before for mark in SPLITTERS)


def _segment(folded: str, passage: Passage) -> Segment:
    return Segment(passage, _plain(folded, passage.tokens[0].start, passage.tokens[-1].end))


def _plain(folded: str, start: int, end: int) -> str:
    return single_spaced(caseless(folded[start:end]))
