"""JSON paths of places in a document, as messages show them.

Owns the writing of a path. Invariant: equal to what the second validator, jsonschema, writes for the same place.
Exceptions: names with a lone surrogate, which no output could carry, or with a line feed at their end, and members
named by the empty text, which jsonschema-rs leaves out of the places that it gives: the path is then their object's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def json_path(parts: Iterable[str | int]) -> str:
    """`$.claims[0].claim_id`; names that are no plain words stand in brackets: `$.scope['a b']`."""
    return "$" + "".join(_part(part) for part in parts)


def real_parts(document: object, parts: Iterable[str | int]) -> tuple[str | int, ...]:
    """The parts with names as names: the validator gives an index for a name that is written in digits."""
    found: list[str | int] = []
    place: Any = document
    for part in parts:
        key = _name(place, part) if isinstance(place, Mapping) else part
        found.append(key)
        place = _member(place, key)
    return tuple(found)


def _part(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    if part.isascii() and part[:1].isalpha() and part.replace("_", "a").isalnum():
        return f".{part}"
    shown = part.encode("utf-8", "replace").decode()
    return "['" + shown.replace("\\", "\\\\").replace("'", "\\'") + "']"


def _name(members: Mapping[str, Any], part: str | int) -> str:
    name = str(part)
    if name in members:
        return name
    # `05` and `+5` come back as 5 too.
    return next((key for key in members if key.lstrip("+0") == name.lstrip("0")), name)


def _member(place: object, key: str | int) -> Any:
    if isinstance(place, Mapping):
        return place.get(key)
    if isinstance(place, list | tuple) and isinstance(key, int) and key < len(place):
        return place[key]
    return None
