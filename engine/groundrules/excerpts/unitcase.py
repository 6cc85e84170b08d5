"""Owns the one thing that folding case would hide: 100m of CPU is not 100M, Mb is not MB.

Case is only looked at where the text's case was kept: in an excerpt written all in capitals nothing can be told, and
nothing is refused. Invariant: only numbers whose unit has two readings are ever named.
"""

from __future__ import annotations

from groundrules.excerpts.passage import Passage
from groundrules.excerpts.words import CASED_UNITS


def recased_amounts(segment: Passage, cased_text: str) -> tuple[str, ...]:
    """The amounts whose unit stands in the text only in another case, while the segment's words keep theirs."""
    amounts = [
        token.text for token, kind in zip(segment.tokens, segment.kinds, strict=True) if _can_differ(token.text, kind)
    ]
    if not amounts or not _keeps_case(segment, cased_text):
        return ()
    return tuple(amount for amount in amounts if not _stands(amount, cased_text))


def _can_differ(text: str, kind: str) -> bool:
    return kind == "number" and text.lstrip("+-0123456789.,/ ").casefold() in CASED_UNITS


def _keeps_case(segment: Passage, cased_text: str) -> bool:
    words = (token.text for token, kind in zip(segment.tokens, segment.kinds, strict=True) if kind != "number")
    return all(word in cased_text for word in words)


def _stands(amount: str, cased_text: str) -> bool:
    figure = amount.rstrip("bBgGkKmMpPstT ")
    unit = amount[len(figure) :].strip()
    return f"{figure}{unit}" in cased_text or f"{figure} {unit}" in cased_text
