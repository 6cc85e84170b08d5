"""Owns the classes that single characters fall into: letters, digits, ideographs, symbols and marks.

Invariant: `classes` returns a string as long as its argument, so that a position means the same in both.
"""

from __future__ import annotations

import unicodedata

LETTER = "a"
DIGIT = "9"
IDEOGRAPH = "c"
SYMBOL = "s"
BLANK = " "
MARK = "p"
WORD = frozenset((LETTER, DIGIT))

BLANKS = frozenset("\t\x0b\x0c\x1c\x1d\x1e\x1f")


REMEMBERED_MAX = 8_192


class _Table(dict[int, str]):
    """A table for `str.translate`: it asks once per distinct character, and remembers a bounded number of answers."""

    def __missing__(self, code: int) -> str:
        if len(self) >= REMEMBERED_MAX:
            self.clear()
        found = self[code] = _class_of(code)
        return found


_TABLE = _Table()


def classes(text: str) -> str:
    """The class of each character; ASCII punctuation and line ends stand for themselves."""
    return text.translate(_TABLE)


def _class_of(code: int) -> str:
    char = chr(code)
    if code < 128:
        return _ascii_class(char)
    if is_ideograph(code):
        return IDEOGRAPH
    if char.isspace():
        return BLANK
    if char.isalnum():
        return LETTER
    return _rare_class(unicodedata.category(char))


def _ascii_class(char: str) -> str:
    if char.isdigit():
        return DIGIT
    if char.isalpha() or char == "_":
        return LETTER
    return BLANK if char in BLANKS else char


def _rare_class(category: str) -> str:
    """A lone surrogate counts as a letter: dropped, it could hide a difference."""
    if category[0] == "M" or category in ("Cs", "Co", "Cn"):
        return LETTER
    return SYMBOL if category[0] == "S" else MARK


def is_ideograph(code: int) -> bool:
    """Han and kana: written without spaces, so that each character is a token of its own."""
    return (
        0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x3FFFF
    )
