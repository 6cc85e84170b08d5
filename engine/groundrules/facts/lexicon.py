"""Phrases that say more than evidence can, in Chinese and English, as patterns that a policy author edits.

Owns the compiled lexicon. Patterns are RE2 only: they run on hostile text. Invariant: a phrase that stands in
the evidence itself is quoting, not overclaiming, and is not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import re2

from groundrules.excerpts.fold import caseless, fold, single_spaced

MAX_TEXT = 200_000


def plain(text: str) -> str:
    """The text as patterns and words are compared: forms folded, without case, single-spaced, bounded."""
    return single_spaced(caseless(fold(text[:MAX_TEXT])))


@dataclass(frozen=True, slots=True)
class Phrases:
    """One list of the lexicon, compiled to a single pattern."""

    pattern: Any

    def found(self, text: str, *, quoted: Sequence[str] = ()) -> tuple[str, ...]:
        """Each phrase of the text that none of the `quoted` texts has, as it was written after folding."""
        hits = dict.fromkeys(match.group(0) for match in self.pattern.finditer(plain(text)))
        sources = [plain(source) for source in quoted] if hits else []
        return tuple(hit for hit in hits if hit and not any(hit in source for source in sources))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The phrase lists that facts are counted with."""

    overclaim: Phrases
    """Ruled out, does not exist, is healthy: never follows from a search (S0-6.2)."""
    absence: Phrases
    """Says that something was not found."""
    bounded_absence: Phrases
    """Says that this query found no match, and no more."""
    cause: Phrases
    """Names a cause."""
    negation: Phrases
    """Denies something, with the word that it denies."""
    advice: Phrases
    """Tells somebody to change something, or that nothing need be done."""
    inspection: Phrases
    """Tells somebody to look: the only kind of action that may be recommended."""
    content_hash: str


def compile_phrases(patterns: Iterable[str]) -> Phrases:
    """One pattern of all, case folded. Raises re2.error for a pattern that RE2 refuses."""
    return Phrases(re2.compile("|".join(f"(?:{pattern})" for pattern in patterns)))
