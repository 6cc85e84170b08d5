"""Owns a passage: tokens with what is needed to judge an alignment in constant time per step.

Invariant: every sequence is as long as `tokens`; a flag at i speaks about token i and what stands before it.
"""

from __future__ import annotations

from dataclasses import dataclass
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
        return Passage(
            self.tokens[start:end],
            self.keys[start:end],
            self.kinds[start:end],
            self.borders[start:end],
            self.assigned[start:end],
            self.negative[start:end],
            self.light[start:end],
        )


def read_passage(folded: str) -> Passage:
    """The passage of a folded text."""
    tokens = tokenise(folded)
    keys = tuple(key_of(token.text) for token in tokens)
    return Passage(
        tokens=tuple(tokens),
        keys=keys,
        kinds=tuple(kind_of(token.text) for token in tokens),
        borders=tuple(_border(token.before) for token in tokens),
        assigned=tuple(_assigns(token.before) for token in tokens),
        negative=_negations(tokens, keys),
        light=tuple(key in SKIPPABLE for key in keys),
    )


def _border(before: str) -> Border:
    if len(before) <= 1 and before in ("", " "):
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
    last = len(keys) - 1
    return tuple(
        _denies(key, keys[at + 1] if at < last else "")
        and not (tokens[at + 1].before.startswith(".") if key == "no" and at < last else False)
        for at, key in enumerate(keys)
    )


def _denies(key: str, following: str) -> bool:
    if key in CJK_NEGATIONS:
        return key + following not in CJK_NOT_NEGATIONS
    if key in NEGATIONS or key.endswith("n't"):
        return True
    return key in NEGATIONS_BEFORE.get(following, ())
