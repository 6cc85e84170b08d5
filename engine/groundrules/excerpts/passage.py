"""Owns a passage: tokens with what is needed to judge an alignment in constant time per step.

Invariant: every sequence is as long as `tokens`; a flag at i speaks about token i and what stands before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from groundrules.excerpts.kinds import Kind, key_of, kind_of
from groundrules.excerpts.tokens import Token, tokenise
from groundrules.excerpts.words import (
    CJK_NEGATIONS,
    CJK_NOT_NEGATIONS,
    NEGATIONS,
    NEGATIONS_BEFORE,
    SKIPPABLE,
)

Border = Literal["", "field", "clause", "line"]
"""What stands between a token and the one before it: nothing that separates, or a separator of rising strength."""

CLAUSE_MARKS = frozenset(",;。、!?")
FIELD_MARKS = frozenset("|()[]{}<>\t")
PLAIN_GAPS = frozenset(("", " "))
NO_GAP: tuple[Border, bool] = ("", False)
GAP_MAX = 8
"""A longer gap is read anew each time: what is remembered stays small."""
DENYING = NEGATIONS | CJK_NEGATIONS


@dataclass(frozen=True, slots=True)
class Passage:
    """The tokens of a text or excerpt, and what each is."""

    tokens: tuple[Token, ...]
    keys: tuple[str, ...]
    kinds: tuple[Kind, ...]
    borders: tuple[Border, ...]
    assigned: tuple[bool, ...]
    """The token is the value of the one before: an = or : stands between."""
    negative: tuple[bool, ...]
    light: tuple[bool, ...]
    """The word may be left out without changing what is said."""

    def part(self, start: int, end: int) -> Passage:
        """The tokens from `start` up to `end`, as a passage."""
        if not start and end == len(self.tokens):
            return self
        return Passage(
            self.tokens[start:end],
            self.keys[start:end],
            self.kinds[start:end],
            self.borders[start:end],
            self.assigned[start:end],
            self.negative[start:end],
            self.light[start:end],
        )


def read_passage(folded: str, start: int = 0, stop: int | None = None) -> Passage:
    """The passage of a folded text: its tokens that begin between `start`, no place inside one, and `stop`."""
    tokens = tokenise(folded, start, stop)
    texts = [token.text for token in tokens]
    keys = tuple(map(key_of, texts))
    gaps = [NO_GAP if token.before in PLAIN_GAPS else _gap(token.before) for token in tokens]
    return Passage(
        tokens=tuple(tokens),
        keys=keys,
        kinds=tuple(map(kind_of, texts)),
        borders=tuple([border for border, _ in gaps]),
        assigned=tuple([assigns for _, assigns in gaps]),
        negative=_negations(tokens, keys),
        light=tuple([key in SKIPPABLE for key in keys]),
    )


def _gap(before: str) -> tuple[Border, bool]:
    return _remembered_gap(before) if len(before) <= GAP_MAX else (_border(before), _assigns(before))


@lru_cache(maxsize=1024)
def _remembered_gap(before: str) -> tuple[Border, bool]:
    return _border(before), _assigns(before)


def _border(before: str) -> Border:
    if before in PLAIN_GAPS:
        return ""
    if "\n" in before:
        return "line"
    if before[0] == "." or any(char in CLAUSE_MARKS for char in before):
        return "clause"
    if any(char in FIELD_MARKS for char in before) or "  " in before or " - " in before or "->" in before:
        return "field"
    return ""


def _assigns(before: str) -> bool:
    return ("=" in before or ":" in before) and "," not in before and ";" not in before and "|" not in before


def _negations(tokens: list[Token], keys: tuple[str, ...]) -> tuple[bool, ...]:
    """A negation is one of the closed lists; 'no.' before a word is short for number."""
    flags = [
        (key in DENYING or following in NEGATIONS_BEFORE or key.endswith("n't")) and _denies(key, following)
        for key, following in pairwise((*keys, ""))
    ]
    for at in range(len(keys) - 1) if "no" in keys else ():
        if keys[at] == "no" and tokens[at + 1].before.startswith("."):
            flags[at] = False
    return tuple(flags)


def _denies(key: str, following: str) -> bool:
    if key in CJK_NEGATIONS:
        return key + following not in CJK_NOT_NEGATIONS
    if key in NEGATIONS or key.endswith("n't"):
        return True
    return key in NEGATIONS_BEFORE.get(following, ())
