"""Which items of a file an argument selects.

Owns the five comparisons: equals, contains, words, since, until. Text is compared after NFKC and without case. Refuses
to guess a time: an item whose time cannot be read is neither in nor out, so the call fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from groundrules.config.cards import Match
from groundrules.projection import JsonPath, parse_path
from groundrules.projection.scope import fold_text, read_time
from groundrules.projection.texts import scalar_text
from groundrules.transports.places import PlaceError


@dataclass(frozen=True, slots=True)
class Selection:
    """The given arguments of one call against the items of one file."""

    tests: tuple[tuple[JsonPath | None, Callable[[Any], bool]], ...]

    def keeps(self, item: Any) -> bool:
        """Whether the item satisfies every argument. Raises PlaceError for a time that cannot be read."""
        return all(any(test(value) for value in _values(path, item)) for path, test in self.tests)


def select(matches: Mapping[str, Match], arguments: Mapping[str, Any]) -> Selection:
    """The selection of the arguments that were given. Raises PlaceError for a time that cannot be read."""
    given = {name: value for name, value in arguments.items() if name in matches and value not in (None, "", [])}
    return Selection(
        tuple(
            (parse_path(path) if (path := matches[name].path) is not None else None, _test(matches[name].how, value))
            for name, value in given.items()
        )
    )


def _values(path: JsonPath | None, item: Any) -> Sequence[Any]:
    return (item,) if path is None else path.find(item)


def _test(how: str, argument: Any) -> Callable[[Any], bool]:
    if how in ("since", "until"):
        limit = _moment(argument, "the argument")
        if how == "since":
            return lambda value: _moment(value, "an item") >= limit
        return lambda value: _moment(value, "an item") <= limit
    wanted = [_folded(part) for part in (argument if isinstance(argument, list) else [argument])]
    if how == "equals":
        return lambda value: _folded(value) in wanted
    if how == "contains":
        return lambda value: any(part in _folded(value) for part in wanted)
    return lambda value: any(all(word in _folded(value) for word in part.split()) for part in wanted)


def _folded(value: Any) -> str:
    return fold_text(scalar_text(value)).casefold()


def _moment(value: Any, whose: str) -> datetime:
    moment = read_time(value) if isinstance(value, str) else None
    if moment is None:
        raise PlaceError(f"{whose} holds no readable time, so the time window cannot be checked")
    return moment
