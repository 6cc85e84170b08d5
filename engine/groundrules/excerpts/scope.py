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
    while at > 0 and not passage.borders[at] and not passage.assigned[at] and passage.keys[at] not in SCOPE_ENDS:
        at -= 1
        yield at


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
    return "".join(passage.keys[max(0, end - 4) : end])


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
        or "".join(passage.keys[after : after + 2]).startswith(CJK_DENIED_AFTER)
    )
