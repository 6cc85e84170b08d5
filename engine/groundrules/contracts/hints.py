"""What to do about a finding: the nearest name or word that the contract knows.

Owns the hints of a check. Refuses to guess from long texts: what a tool or a model wrote is compared only when it
could be a name.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

LONGEST_NAME = 60
MOST_NAMES = 3


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """The known name nearest to the written one, as a question; empty when none is near."""
    if len(written) > LONGEST_NAME:
        return ""
    near = difflib.get_close_matches(written, known, n=1)
    return f"did you mean `{near[0]}`?" if near else ""


def hint_for(error: Any, schema: Mapping[str, Any]) -> str:
    """The hint for an error of the validator."""
    kind = error.kind
    if kind.name == "additionalProperties":
        known = _properties(schema, error.schema_path[:-1])
        asked = [question for name in kind.unexpected[:MOST_NAMES] if (question := did_you_mean(name, known))]
        return " ".join(asked) or "remove what the contract does not name"
    if kind.name == "enum" and isinstance(error.instance, str):
        return did_you_mean(error.instance, [option for option in kind.options if isinstance(option, str)])
    return ""


def _properties(schema: Mapping[str, Any], path: Sequence[str | int]) -> Sequence[str]:
    """Names that the part of a schema at a path knows."""
    place: Any = schema
    for part in path:
        if isinstance(place, Mapping):
            place = place.get(part, place.get(str(part)))
        else:
            place = place[part] if isinstance(place, list) and isinstance(part, int) else None
    properties = place.get("properties") if isinstance(place, Mapping) else None
    return list(properties) if isinstance(properties, Mapping) else []
