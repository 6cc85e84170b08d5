"""JSON from outside: bounded before it is parsed, strict about what it means.

Owns `read_json`. Refuses, before parsing, what is too large or nests too deep, and afterwards duplicate keys, NaN and
infinities, integers beyond 128 bits and lone surrogates. Invariant: any bytes give a value or an issue with its place,
never an exception, in time linear in their length.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isinf
from typing import Any, AnyStr

from groundrules.contracts.bounds import document_problem, nesting
from groundrules.errors import Issue

BOM = "\ufeff"
PARSER_DEPTH = 90
"""Deeper limits count as this: the parser recurses, and what is checked afterwards may not nest much deeper."""
INTEGER_BOUND = 2**127
"""Unsigned ids of 64 bits are read; the widest integer of the store has 128."""
SYNTAX = "syntax"
"""Keyword of the issues about text that is no JSON at all; all others refuse what it means."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """How large and how deep a text may be before it is parsed."""

    max_bytes: int
    max_depth: int


MODEL_OUTPUT = ReadLimits(max_bytes=1_000_000, max_depth=64)
"""What a model may write."""


class _RefusedError(ValueError):
    """What the parser met and JSON, or we, do not allow. Carries the keyword."""

    def __init__(self, keyword: str, message: str) -> None:
        self.keyword = keyword
        super().__init__(message)


def read_json(text: str | bytes, *, limits: ReadLimits) -> tuple[Any, tuple[Issue, ...]]:
    """The value of a JSON text, or None and why there is none, with byte, line and column where it has one."""
    if len(text) > limits.max_bytes:
        return None, (_too_large(len(text), limits),)
    if isinstance(text, str):
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            return None, (_encoding_issue("the text holds a lone surrogate", text, error.start, "\n"),)
        decoded = text
    else:
        data = text
        try:
            decoded = text.decode()
        except UnicodeDecodeError as error:
            message = f"byte {error.start} is no UTF-8"
            return None, (_encoding_issue(message, text, error.start, b"\n"),)
    return _read(data, decoded.removeprefix(BOM), limits)


def _read(data: bytes, decoded: str, limits: ReadLimits) -> tuple[Any, tuple[Issue, ...]]:
    if len(data) > limits.max_bytes:
        return None, (_too_large(len(data), limits),)
    depth = min(limits.max_depth, PARSER_DEPTH)
    if nesting(data) > depth:
        return None, (Issue("", 0, "$", f"nests deeper than {depth}", "", "depth"),)
    try:
        value = json.loads(
            decoded, object_pairs_hook=_members, parse_constant=_constant, parse_float=_float, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        message = f"{error.msg} at line {error.lineno}, column {error.colno}"
        return None, (Issue("", error.lineno, "$", message, "", SYNTAX),)
    except _RefusedError as error:
        return None, (Issue("", 0, "$", str(error), "", error.keyword),)
    problem = document_problem(value)
    return (None, (problem,)) if problem else (value, ())


def _too_large(size: int, limits: ReadLimits) -> Issue:
    return Issue("", 0, "$", f"{size:,} bytes, at most {limits.max_bytes:,} are read", "", "size")


def _encoding_issue(message: str, text: AnyStr, position: int, newline: AnyStr) -> Issue:
    line = text.count(newline, 0, position) + 1
    column = position - text.rfind(newline, 0, position)
    return Issue("", line, "$", f"{message} at line {line}, column {column}", "", "encoding")


def _members(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for key, _value in pairs:
            if key in seen:
                raise _RefusedError("duplicate_key", f"the key {ascii(key)[:80]} is given twice in one object")
            seen.add(key)
    return members


def _constant(word: str) -> float:
    raise _RefusedError("number", f"{word} is no JSON number")


def _float(written: str) -> float:
    value = float(written)
    if isinf(value):
        raise _RefusedError("number", f"the number {written[:40]} is too large")
    return value


def _integer(written: str) -> int:
    # Length first: reading digits takes time quadratic in their number.
    value = int(written) if len(written) <= len(str(-INTEGER_BOUND)) else INTEGER_BOUND
    if not -INTEGER_BOUND <= value < INTEGER_BOUND:
        raise _RefusedError("number", f"the integer {written[:40]} has {len(written)} digits and does not fit 128 bits")
    return value
