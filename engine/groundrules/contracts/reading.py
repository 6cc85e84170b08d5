"""JSON from outside: bounded before it is parsed, strict about what it means.

Owns the two readers: `read_json` for documents and `read_model_json` for what models write. Refuses, before parsing,
what is too large or nests too deep, and afterwards duplicate keys, NaN, infinities and lone surrogates. Invariant: any
bytes give a value or an issue with its place, never an exception.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import re2

from groundrules.errors import Issue

_FENCE = re2.compile(r"(?s)```[a-zA-Z]*[ \t]*\r?\n(.*?)```")
_STRUCTURE = re2.compile(rb'"|[\[\]{}]')
_QUOTE_OR_ESCAPE = re2.compile(rb'["\\]')
_TRAILING_COMMA = re2.compile(r",(\s*[}\]])")
_MARKS = re2.compile(r'"(?:[^"\\]|\\.)*"|[{}]')
_STRINGS = re2.compile(r'"(?:[^"\\]|\\.)*"')
MAX_CANDIDATES = 64


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """How large and how deep a text may be before it is parsed."""

    max_bytes: int
    max_depth: int


MODEL_OUTPUT = ReadLimits(max_bytes=1_000_000, max_depth=64)
"""What a model may write."""


@dataclass(frozen=True, slots=True)
class ModelReading:
    """What a model's text holds, and what it took to read it (`executor_output_parse_status`)."""

    value: Any
    status: str
    """strict | repaired | failed."""
    repairs: tuple[str, ...] = ()
    error: str = ""

    @property
    def parse_status(self) -> Mapping[str, Any]:
        return {"status": self.status, "repairs": list(self.repairs), "error": self.error}


def read_json(text: str | bytes, *, limits: ReadLimits) -> tuple[Any, tuple[Issue, ...]]:
    """The value of a JSON text, or None and why there is none, with line and column."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    problem = _too_much(data, limits)
    if problem:
        return None, (Issue("", 0, "$", problem),)
    try:
        decoded = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        return None, (Issue("", 0, "$", f"byte {error.start} is no UTF-8"),)
    try:
        value = json.loads(
            decoded, object_pairs_hook=_members, parse_constant=_constant, parse_float=_float, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        return None, (Issue("", error.lineno, "$", f"{error.msg} at line {error.lineno}, column {error.colno}"),)
    except ValueError as error:
        return None, (Issue("", 0, "$", str(error)),)
    surrogate = first_surrogate(value)
    return (None, (Issue("", 0, surrogate, "the text holds a lone surrogate"),)) if surrogate else (value, ())


def read_model_json(text: str, limits: ReadLimits = MODEL_OUTPUT) -> ModelReading:
    """The first JSON object of a model's text, with code fences, prose around it and trailing commas forgiven."""
    value, issues = read_json(text, limits=limits)
    if not issues:
        return ModelReading(value, "strict")
    first_error = str(issues[0])
    if len(text) > limits.max_bytes:
        return ModelReading(None, "failed", (), first_error)
    for candidate, repairs in _candidates(text):
        for attempt, repair in ((candidate, ()), (_without_trailing_commas(candidate), ("trailing_comma",))):
            value, issues = read_json(attempt, limits=limits)
            if not issues and isinstance(value, dict):
                return ModelReading(value, "repaired", (*repairs, *repair))
    return ModelReading(None, "failed", (), first_error)


def first_surrogate(value: Any, path: str = "$") -> str:
    """The path of the first text with a lone surrogate; empty when there is none."""
    pending = [(value, path)]
    while pending:
        item, place = pending.pop()
        if isinstance(item, str) and not item.isascii() and any("\ud800" <= char <= "\udfff" for char in item):
            return place
        if isinstance(item, dict):
            pending += [(key, place) for key in item if isinstance(key, str)]
            pending += [(member, f"{place}.{key}".encode("utf-8", "replace").decode()) for key, member in item.items()]
        elif isinstance(item, list):
            pending += [(member, f"{place}[{n}]") for n, member in enumerate(item)]
    return ""


def _too_much(data: bytes, limits: ReadLimits) -> str:
    if len(data) > limits.max_bytes:
        return f"{len(data)} bytes, at most {limits.max_bytes} are read"
    return f"nests deeper than {limits.max_depth}" if _depth(data, limits.max_depth) > limits.max_depth else ""


def _depth(data: bytes, limit: int) -> int:
    """How deep brackets nest outside of strings; stops counting past the limit."""
    depth = deepest = position = 0
    while deepest <= limit and (found := _STRUCTURE.search(data, position)):
        mark, position = found.group(), found.end()
        if mark == b'"':
            position = _string_end(data, position)
        else:
            depth += 1 if mark in b"[{" else -1
            deepest = max(deepest, depth)
    return deepest


def _string_end(data: bytes, position: int) -> int:
    while found := _QUOTE_OR_ESCAPE.search(data, position):
        if found.group() == b'"':
            return int(found.end())
        position = found.end() + 1
    return len(data)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _value in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        message = f"the key {twice[:80]!r} is given twice in one object"
        raise ValueError(message)
    return members


def _constant(word: str) -> float:
    message = f"{word} is no JSON number"
    raise ValueError(message)


def _float(written: str) -> float:
    value = float(written)
    if value in (float("inf"), float("-inf")):
        message = f"the number {written[:40]} is too large"
        raise ValueError(message)
    return value


def _integer(written: str) -> int:
    if len(written) > 400:
        message = f"the number {written[:40]}… has {len(written)} digits"
        raise ValueError(message)
    return int(written)


def _candidates(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Parts of the text that may be the object: fenced blocks first, then whatever balances from a brace on."""
    for block in _FENCE.finditer(text):
        yield block.group(1).strip(), ("code_fence",)
        for inner in _objects(block.group(1)):
            yield inner, ("code_fence", "surrounding_text")
    for found in _objects(text):
        yield found, ("surrounding_text",)


def _objects(text: str) -> Iterator[str]:
    """Balanced `{…}` parts that lie in no other, from the left; found in one pass."""
    opened: list[int] = []
    balanced: list[tuple[int, int]] = []
    for mark in _MARKS.finditer(text):
        if mark.group() == "{":
            opened.append(mark.start())
        elif mark.group() == "}" and opened:
            start = opened.pop()
            while balanced and balanced[-1][0] > start:
                balanced.pop()
            balanced.append((start, mark.end()))
    yield from (text[start:end] for start, end in balanced[:MAX_CANDIDATES])


def _without_trailing_commas(text: str) -> str:
    """Commas before a closing bracket removed, outside of strings."""
    parts, position = [], 0
    for string in _STRINGS.finditer(text):
        parts += [_TRAILING_COMMA.sub(r"\1", text[position : string.start()]), string.group()]
        position = string.end()
    return "".join((*parts, _TRAILING_COMMA.sub(r"\1", text[position:])))
