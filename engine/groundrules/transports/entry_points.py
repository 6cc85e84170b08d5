"""The Python functions that cards may name.

Owns the look-up: what ships with groundrules by a literal table, so that it works from a checkout, and the rest by the
installed entry points of the group `groundrules.tools`. Invariant: a card can only name what somebody installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from groundrules.transports.places import PlaceError

GROUP = "groundrules.tools"
ToolFunction = Callable[[Mapping[str, Any], Mapping[str, Any], Path], Any]
"""(arguments, settings, project folder) → RawResult or a JSON-able value."""


def find_callable(name: str) -> ToolFunction:
    """The function of that name. Raises PlaceError when there is none or it cannot be imported."""
    if name == "knowledge_search":
        from groundrules.transports.knowledge import search

        return search
    found = metadata.entry_points(group=GROUP, name=name)
    if not found:
        raise PlaceError(f"no installed entry point `{name}` in the group {GROUP}")
    try:
        loaded = next(iter(found)).load()
    except (ImportError, AttributeError) as error:
        raise PlaceError(f"the entry point `{name}` cannot be imported: {type(error).__name__}") from error
    if not callable(loaded):
        raise PlaceError(f"the entry point `{name}` is not callable")
    function: ToolFunction = loaded
    return function
