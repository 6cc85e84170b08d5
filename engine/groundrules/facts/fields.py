"""Fields of documents that models wrote, whatever they hold: a value of another shape counts as missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def text_of(value: object) -> str:
    """The text, or the empty one."""
    return value if isinstance(value, str) else ""


def list_of(value: object) -> list[Any]:
    """The list, or the empty one."""
    return value if isinstance(value, list) else []


def mapping_of(value: object) -> Mapping[str, Any]:
    """The mapping, or the empty one."""
    return value if isinstance(value, Mapping) else {}
