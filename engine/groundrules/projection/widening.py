"""Whether a second query asks wider than a first one (S0-2.5).

Owns the comparison of two normal scopes of one tool. Refuses to compare what cannot be ordered: another service is
another question, not a wider one. Invariant: a scope is never wider than itself.
"""

from __future__ import annotations

from collections.abc import Callable

from groundrules.projection.scope import read_time
from groundrules.records.evidence import Scope

LOWER_BOUNDS = frozenset({"since", "start", "from", "after", "begin", "start_time", "from_time", "starttime"})
UPPER_BOUNDS = frozenset({"until", "end", "to", "before", "end_time", "to_time", "endtime"})
EVERYTHING = frozenset({"*", ".*", "all", "any", "%", "全部", "所有", "任意"})
SEPARATORS = ",，、|;"
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def scope_widened(previous: Scope, new: Scope) -> bool:
    """Whether `new` drops a constraint of `previous` or loosens one.

    Loosened is: fewer words, a part of the word, more names in a list, everything, an earlier start, a later end, a
    longer duration.
    """
    asked = dict(new)
    return any(name not in asked or _loosened(name, value, asked[name]) for name, value in previous)


def _loosened(name: str, old: str, new: str) -> bool:
    if old == new:
        return False
    if new.casefold() in EVERYTHING:
        return True
    return next((verdict for test in _TESTS if (verdict := test(name, old, new)) is not None), False)


def _by_time(name: str, old: str, new: str) -> bool | None:
    before, after = read_time(old), read_time(new)
    if before is None or after is None:
        return None
    if name.casefold() in LOWER_BOUNDS:
        return after < before
    return after > before if name.casefold() in UPPER_BOUNDS else False


def _by_duration(_name: str, old: str, new: str) -> bool | None:
    before, after = _duration_s(old), _duration_s(new)
    return None if before is None or after is None else after > before


def _by_list(_name: str, old: str, new: str) -> bool | None:
    before, after = _listed(old), _listed(new)
    return before < after if len(after) > 1 or len(before) > 1 else None


def _by_words(_name: str, old: str, new: str) -> bool | None:
    before, after = old.casefold(), new.casefold()
    return set(after.split()) < set(before.split()) or (after != before and after in before)


_TESTS: tuple[Callable[[str, str, str], bool | None], ...] = (_by_time, _by_duration, _by_list, _by_words)


def _listed(text: str) -> frozenset[str]:
    for mark in SEPARATORS:
        text = text.replace(mark, ",")
    return frozenset(part.strip().casefold() for part in text.split(",") if part.strip())


def _duration_s(text: str) -> int | None:
    number, unit = text[:-1], text[-1:]
    plain = number.isascii() and number.isdigit() and len(number) <= 9
    return int(number) * _SECONDS[unit] if plain and unit in _SECONDS else None
