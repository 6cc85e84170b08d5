"""Owns a stretch: the tokens around one place of a text, the very ones that reading the whole text would give.

Reading begins at a cut, a place that no token can span, and what is read near the far end, where a token may still
go on, is thrown away. Refuses a stretch where no cut is near: the caller then reads the whole. Invariant: each token
of a stretch, and each flag of it, equals that of the whole text.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase

from groundrules.excerpts.charclass import is_ideograph
from groundrules.excerpts.passage import Passage, read_passage
from groundrules.excerpts.words import CJK_NUMERALS, CJK_UNITS, SPACED_UNITS, UNITS

CUTS = frozenset(' \n\t,;|"()[]{}。、')
"""No token holds one of these but after a digit: the blank before a unit, the comma before three digits."""
CUT_SEARCH = 48
"""Characters that a cut is searched in, backwards."""
LOOKS_BACK = 48
"""The tokeniser looks back at most this far (for the < of a tag)."""
LOOKS_AHEAD = 32
"""It decides on a token from at most this much of what follows it (the :// of an address, a unit)."""


def _letters(text: str) -> str:
    """The Latin letters that the text begins with."""
    return text[: len(text) - len(text.lstrip(ascii_lowercase))]


IN_UNITS = CJK_NUMERALS | frozenset("".join(CJK_UNITS))
UNIT_WORDS = frozenset(_letters(unit) for unit in SPACED_UNITS) - {""}
"""What a unit begins with, as far as it is of Latin letters: req of req/s."""
UNIT_MAX = 1 + max(map(len, SPACED_UNITS))
UNIT_MARKS = frozenset(unit[0] for unit in UNITS if not _letters(unit)) | frozenset("%‰°/")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some tokens of a text in a row."""

    passage: Passage
    offset: int
    """Where the text's piece begins that the tokens' places count from."""
    opens: bool
    """Its first token is the text's first."""
    closes: bool
    """Its last token is the text's last."""


def read_stretch(text: str, start: int, end: int) -> Stretch | None:
    """The tokens from about `start` to about `end`; None where no cut is near."""
    begin = cut_before(text, start)
    if begin < 0:
        return None
    offset = max(0, begin - LOOKS_BACK)
    stop = min(len(text), end)
    piece = text[offset : stop + LOOKS_AHEAD]
    read = read_passage(piece, begin - offset, stop - offset)
    closes = stop == len(text)
    size = len(read.tokens) if closes else _decided(read, len(piece))
    return Stretch(read.part(1 if begin else 0, size), offset, not begin, closes)


def _decided(read: Passage, size: int) -> int:
    """How many tokens nothing beyond the piece can change.

    The last of them is left out: a unit may follow that belongs to it, and its flags look ahead.
    """
    count = len(read.tokens)
    while count and read.tokens[count - 1].end > size - LOOKS_AHEAD:
        count -= 1
    return max(0, count - 1)


def cut_before(text: str, place: int) -> int:
    """The nearest cut at or before the place, 0 at the start of the text; -1 where none is near."""
    place = min(place, len(text))
    for at in range(place, max(place - CUT_SEARCH, 0), -1):
        if _is_cut(text, at):
            return at
    return 0 if place <= CUT_SEARCH else -1


def _is_cut(text: str, at: int) -> bool:
    """Whether a token can neither end after `at` when it began before, nor take a unit that begins here."""
    mark = text[at - 1]
    if mark not in CUTS:
        return is_ideograph(ord(mark)) and mark not in IN_UNITS
    if mark == " ":
        return not text[at - 2 : at - 1].isdigit() or not _may_be_unit(text[at : at + UNIT_MAX])
    return mark != "," or not (text[at - 2 : at - 1].isdigit() and text[at : at + 1].isdigit())


def _may_be_unit(head: str) -> bool:
    folded = head.casefold()
    word = _letters(folded)
    return word in UNIT_WORDS if word else folded[:1] in UNIT_MARKS
