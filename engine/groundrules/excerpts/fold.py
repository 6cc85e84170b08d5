"""Owns how text is folded before anything is compared: Unicode NFKC, invisible characters, escapes, case, white space.

Refuses to guess: characters that merely look alike (Cyrillic а for Latin a) stay different. Invariant: `fold` costs
linear time on any string, lone surrogates and endless combining marks included, and folding twice changes nothing
that a comparison could see.
"""

from __future__ import annotations

import unicodedata

from groundrules.excerpts.escapes import unescape, without_colour

CHUNK = 256
"""NFKC sorts a run of combining marks in quadratic time (32,000 marks: over a second), so it is fed short pieces."""

CUT_SLACK = 64

WIDE = tuple(zip("，：；（）！？．", ",:;()!?.", strict=True))
"""What NFKC would do with the commonest full-width marks; done first, most Chinese text then needs no NFKC at all."""

ALIKE = (
    *zip("−‐‑﹣’‘“”│┃║", "----''\"\"|||", strict=True),
    *zip("\u2028\u2029\x85\u1680", "\n\n\n ", strict=True),
)

INVISIBLE = (
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u034f\ufe0e\ufe0f"
    "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""Zero-width, variation and direction marks: a reader does not see them, so no comparison does."""


def fold(text: str) -> str:
    """The text with forms folded, its case and white space still its own."""
    plain = without_colour(unescape(text))
    if plain.isascii():
        return plain.replace("\r\n", "\n").replace("\r", "\n")
    for given, meant in WIDE:
        plain = plain.replace(given, meant)
    return _one_form(plain).replace("\r\n", "\n").replace("\r", "\n")


def caseless(folded: str) -> str:
    """The folded text without case."""
    return folded.casefold()


def single_spaced(folded: str) -> str:
    """The folded text with each run of blanks as one space and each run with a line end as one line end."""
    if folded.isprintable() and "  " not in folded:
        return folded.strip(" ")
    text = folded
    for blank in "\t\x0b\x0c\x1c\x1d\x1e\x1f":
        text = text.replace(blank, " ")
    lines = _collapsed(text, "  ", " ").split("\n")
    return "\n".join([bare for line in lines if (bare := line.strip(" "))])


def _collapsed(text: str, run: str, single: str) -> str:
    while run in text:
        text = text.replace(run, single)
    return text


def _one_form(text: str) -> str:
    text = "".join(_nfkc(piece) for piece in _pieces(text))
    for mark in INVISIBLE:
        if mark in text:
            text = text.replace(mark, "")
    for given, meant in ALIKE:
        text = text.replace(given, meant)
    return text


def _nfkc(piece: str) -> str:
    return piece if piece.isascii() else unicodedata.normalize("NFKC", piece)


def _pieces(text: str) -> list[str]:
    """Cuts before an ASCII character where one is near: nothing composes across such a cut."""
    pieces: list[str] = []
    start = 0
    while start < len(text):
        cut = min(start + CHUNK, len(text))
        limit = min(cut + CUT_SLACK, len(text))
        while cut < limit and not text[cut].isascii():
            cut += 1
        pieces.append(text[start:cut])
        start = cut
    return pieces
