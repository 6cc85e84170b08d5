"""Strict reading of JSON that a tool returned.

Owns the limits and what is refused: invalid UTF-8, duplicate keys, NaN and infinities, nesting beyond DEPTH_LIMIT (seen
before the parser runs, so that no input reaches its recursion). Invariant: any bytes give a value or a `BadDocument`;
a number keeps the digits that the tool wrote.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from groundrules.contracts.bounds import nesting

DEPTH_LIMIT = 64
MAX_LINES = 100_000


class WrittenFloat(float):
    """A float that remembers how it was written: 92.50 stays 92.50 in evidence."""

    __slots__ = ("written",)
    written: str


@dataclass(frozen=True, slots=True)
class BadDocument:
    """Why there is no value; it quotes nothing of the body."""

    reason: str


class _RefusedError(ValueError):
    """Ends the parse; becomes a BadDocument at once."""


def decode(body: bytes) -> str | BadDocument:
    """The text of a body, without a byte order mark."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return BadDocument(f"the answer is not UTF-8 at byte {error.start}")


def read_json(text: str) -> Any | BadDocument:
    """The value of one JSON document."""
    if nesting(text.encode("utf-8", "surrogatepass")) > DEPTH_LIMIT:
        return BadDocument(f"the answer nests deeper than {DEPTH_LIMIT}")
    try:
        return json.loads(text, parse_float=_float, parse_constant=_constant, object_pairs_hook=_members)
    except _RefusedError as error:
        return BadDocument(str(error))
    except json.JSONDecodeError as error:
        return BadDocument(f"the answer is not JSON: {error.msg} at line {error.lineno} column {error.colno}")
    except (ValueError, RecursionError) as error:
        return BadDocument(f"the answer is not JSON: {type(error).__name__}")


def read_json_lines(text: str) -> list[Any] | BadDocument:
    """The values of a JSON-lines document; blank lines are skipped."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > MAX_LINES:
        return BadDocument(f"the answer has more than {MAX_LINES:,} lines")
    values = []
    for number, line in lines:
        value = read_json(line)
        if isinstance(value, BadDocument):
            return BadDocument(f"line {number}: {value.reason}")
        values.append(value)
    return values


def _float(written: str) -> float:
    value = WrittenFloat(written)
    if value in (float("inf"), float("-inf")):
        raise _RefusedError("the answer holds a number beyond every float")
    value.written = written
    return value


def _constant(name: str) -> float:
    message = f"the answer holds {name}, which is no JSON"
    raise _RefusedError(message)


def _members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _RefusedError("the answer gives a key twice in one object")
    return members
