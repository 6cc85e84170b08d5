"""Owns what a cut leaves out at its two ends: a negation, a condition, a comparison, the word that made another key.

'available' stands in 'is not available' and says the opposite; 'recovery' stands in 'recovery failed'. Scope ends at
the clause, and at an assignment. Invariant: only what stands within a few tokens of the cut counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from groundrules.excerpts.passage import Passage
from groundrules.excerpts.words import (
    CJK_CONDITIONS,
    CJK_DENIED_AFTER,
    CJK_OTHER_KEY,
    CONDITIONS,
    DENIED_AFTER,
    FALSE_VALUES,
    OTHER_KEY,
    SCOPE_ENDS,
)

REACH = 6
"""How many tokens a negation before the cut reaches; an ideograph counts as one."""

WORD_TOKENS_MAX = 4
"""The longest Chinese word of the lists that are looked for before a cut, in tokens."""
SEEN_AFTER = 2
"""How many tokens after the cut count."""

COMPARISONS = frozenset((">", "<", ">=", "<=", "~", "≥", "≤", "≈", "≠"))


def cut_denies(passage: Passage, first: int, last: int) -> bool:
    """Whether the tokens `first` to `last` say something else without what stands around them."""
    return (
        _negated_before(passage, first, last)
        or _compared_before(passage, first)
        or _conditional_before(passage, first)
        or _other_key_before(passage, first)
        or _denied_after(passage, last)
    )


def seen_from(passage: Passage, first: int) -> int:
    """The earliest place that `cut_denies` looks at; below 0 when it would look on past the passage's front.

    The words that are put together from several tokens are Chinese: one that ends in Latin letters is none of them.
    """
    earliest = _looked_from(passage, first)
    if earliest < 0 or passage.borders[first] or passage.assigned[first]:
        return min(earliest, first - 1)
    nearest = min(earliest, first - 1)
    plain = all(key.isascii() for key in passage.keys[max(nearest, 0) : first])
    return nearest if plain else nearest - WORD_TOKENS_MAX


def _looked_from(passage: Passage, first: int) -> int:
    """Where the walk back for negations and conditions ends; -1 when only the passage's front ends it."""
    earliest, weighed = first, False
    for distance, earliest in enumerate(_clause_before(passage, first), 1):
        weighed = weighed or not passage.light[earliest]
        if weighed and distance >= REACH:
            return earliest
    return earliest if _ends_clause(passage, earliest) else -1


def _negated_before(passage: Passage, first: int, last: int) -> bool:
    """A name alone asserts nothing: only a negation directly before it counts."""
    name_alone = first == last and passage.kinds[first] != "word"
    for distance, at in enumerate(_clause_before(passage, first)):
        if passage.negative[at]:
            return True
        if distance + 1 >= REACH or (name_alone and not passage.light[at]):
            return False
    return False


def _clause_before(passage: Passage, first: int) -> Iterator[int]:
    """The places before `first` in its clause, nearest first; the clause also ends at an assignment."""
    at = first
    while at > 0 and not _ends_clause(passage, at):
        at -= 1
        yield at


def _ends_clause(passage: Passage, at: int) -> bool:
    return bool(passage.borders[at]) or passage.assigned[at] or passage.keys[at] in SCOPE_ENDS


def _compared_before(passage: Passage, first: int) -> bool:
    return passage.kinds[first] == "number" and first > 0 and passage.keys[first - 1] in COMPARISONS


def _conditional_before(passage: Passage, first: int) -> bool:
    """A number after a condition is let through: it may be the 8 of May 8."""
    nearest = next((at for at in _clause_before(passage, first) if not passage.light[at]), None)
    if nearest is None or passage.kinds[first] != "word":
        return False
    return passage.keys[nearest] in CONDITIONS or _text_before(passage, nearest + 1).endswith(CJK_CONDITIONS)


def _other_key_before(passage: Passage, first: int) -> bool:
    """Last State: Terminated is not State: Terminated."""
    is_key = first + 1 < len(passage.keys) and passage.assigned[first + 1]
    if not is_key or first == 0 or passage.borders[first] or passage.assigned[first]:
        return False
    return passage.keys[first - 1] in OTHER_KEY or _text_before(passage, first).endswith(CJK_OTHER_KEY)


def _text_before(passage: Passage, end: int) -> str:
    return "".join(passage.keys[max(0, end - WORD_TOKENS_MAX) : end])


def _denied_after(passage: Passage, last: int) -> bool:
    """Recovery failed, 恢复失败, ready=false; and the words that a negation is about to be said of."""
    after = last + 1
    if after >= len(passage.keys) or passage.borders[after]:
        return False
    if passage.assigned[after]:
        return passage.keys[after] in FALSE_VALUES
    if passage.kinds[last] != "word":
        return False
    return (
        passage.negative[after]
        or passage.keys[after] in DENIED_AFTER
        or "".join(passage.keys[after : after + SEEN_AFTER]).startswith(CJK_DENIED_AFTER)
    )
