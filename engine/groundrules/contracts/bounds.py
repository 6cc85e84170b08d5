"""How deep a text nests before it is parsed, and what a document must be before it is checked.

Owns the bounds that keep parser and validator out of trouble: the validator's own recursion ends the process on
documents that nest without end. Invariant: both run in time linear in what they are given, and never recurse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import isfinite
from typing import Any

from groundrules.contracts.paths import json_path
from groundrules.errors import Issue

MAX_DOCUMENT_DEPTH = 100
MAX_DOCUMENT_VALUES = 5_000_000
_NAMES = frozenset({str})
_OPENS, _CLOSES = b"[{", b"]}"
_STEPS = bytes.maketrans(_OPENS + _CLOSES, b"\x02\x02\x00\x00")
_NO_BRACKETS = bytes(set(range(256)) - set(_OPENS + _CLOSES))


def nesting(text: bytes) -> int:
    """How deep brackets nest outside of strings, up to the first place where the text is no JSON."""
    # Escaped backslashes go first: what is left before a quote then says whether it ends its string.
    outside = b"".join(text.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2])
    steps = outside.translate(_STEPS, _NO_BRACKETS)
    return max(accumulate(steps, lambda depth, step: depth + step - 1, initial=0))


def document_problem(document: object) -> Issue | None:
    """Why a document cannot be checked at all: it nests too deep, is too large, or holds what JSON cannot."""
    level: list[Any] = [document]
    values = 0
    for _depth in range(MAX_DOCUMENT_DEPTH + 1):
        inner: list[Any] = []
        for item in level:
            if _unwritable(item):
                return _unwritable_issue(document)
            if isinstance(item, dict):
                inner += item
                inner += item.values()
            elif isinstance(item, list | tuple):
                inner += item
            if values + len(inner) > MAX_DOCUMENT_VALUES:
                return Issue("", 0, "$", f"holds more than {MAX_DOCUMENT_VALUES:,} values", "", "size")
        if not inner:
            return None
        level, values = inner, values + len(inner)
    return Issue("", 0, "$", f"nests deeper than {MAX_DOCUMENT_DEPTH}", "", "depth")


def _unwritable(item: object) -> tuple[str, str] | None:
    """Message and keyword for what JSON, or UTF-8, have no form for, not looking inside."""
    if isinstance(item, str):
        return None if item.isascii() or _encodes(item) else ("the text holds a lone surrogate", "encoding")
    if isinstance(item, float):
        return None if isfinite(item) else (f"{item} is no JSON number", "number")
    if isinstance(item, dict):
        return None if {*map(type, item)} <= _NAMES else ("an object has a name that is no text", "type")
    if item is None or isinstance(item, int | list | tuple):
        return None
    return f"a Python {type(item).__name__} is no JSON value", "type"


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unwritable_issue(document: object) -> Issue:
    """The first such place, level by level: the search above has shown that there is one within the bounds."""
    level: Sequence[tuple[Any, tuple[str | int, ...]]] = [(document, ())]
    while level:
        for item, path in level:
            problem = _unwritable(item)
            if problem:
                return Issue("", 0, json_path(path), problem[0], "", problem[1])
        level = [found for item, path in level for found in _members(item, path)]
    raise AssertionError("a place was seen before")


def _members(item: object, path: tuple[str | int, ...]) -> Iterator[tuple[Any, tuple[str | int, ...]]]:
    if isinstance(item, dict):
        for key, value in item.items():
            yield key, path
            yield value, (*path, str(key))
    elif isinstance(item, list | tuple):
        for index, value in enumerate(item):
            yield value, (*path, index)
