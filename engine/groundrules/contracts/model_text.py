"""The JSON object in what a model wrote: lenient about its wrapping, strict about its meaning.

Owns `read_model_json` and its account, `executor_output_parse_status` (S0-7.1). Forgives a byte order mark, code
fences, prose around the object and trailing commas, and says so. Refuses to choose: the first object that is JSON
decides, and what lies inside of an object that never ends is no answer. Invariant: any text gives a reading, in linear
time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from groundrules.contracts.reading import BOM, MODEL_OUTPUT, SYNTAX, ReadLimits, read_json
from groundrules.errors import Issue

MAX_CANDIDATES = 64
_FENCE = "```"
_SPACE = " \t\r\n"


@dataclass(frozen=True, slots=True)
class ModelReading:
    """What a model's text holds, and what it took to read it (`executor_output_parse_status`)."""

    value: Any
    status: str
    """strict | repaired | failed."""
    repairs: tuple[str, ...] = ()
    """byte_order_mark, code_fence, surrounding_text, trailing_comma."""
    error: str = ""

    @property
    def parse_status(self) -> Mapping[str, Any]:
        return {"status": self.status, "repairs": list(self.repairs), "error": self.error}


def read_model_json(text: str, limits: ReadLimits = MODEL_OUTPUT) -> ModelReading:
    """The first JSON object of a model's text, with its wrapping forgiven and recorded."""
    value, issues = read_json(text, limits=limits)
    if not issues and not text.startswith(BOM):
        return ModelReading(value, "strict")
    if not issues:
        return ModelReading(value, "repaired", ("byte_order_mark",))
    if issues[0].keyword in ("size", "encoding"):
        return _failed(issues[0])
    for count, (candidate, repairs) in enumerate(_candidates(text)):
        value, found, mended = _read_candidate(candidate, limits)
        if not found:
            return ModelReading(value, "repaired", (*repairs, *mended))
        # Another object may follow what only looks like one; what is JSON but refused was the answer.
        if found[0].keyword != SYNTAX:
            return _failed(found[0])
        if count + 1 == MAX_CANDIDATES:
            break
    return _failed(issues[0])


def _failed(issue: Issue) -> ModelReading:
    return ModelReading(None, "failed", (), str(issue))


def _read_candidate(candidate: str, limits: ReadLimits) -> tuple[Any, tuple[Issue, ...], tuple[str, ...]]:
    value, issues = read_json(candidate, limits=limits)
    if not issues or issues[0].keyword != SYNTAX:
        return value, issues, ()
    value, issues = read_json(_without_trailing_commas(candidate), limits=limits)
    return value, issues, ("trailing_comma",)


def _candidates(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Parts of the text that may be the object: those of fenced blocks first, then those of the whole text."""
    for block in _fenced(text):
        whole = block.strip(_SPACE)
        for found in _objects(block):
            yield found, ("code_fence",) if found == whole else ("code_fence", "surrounding_text")
    whole = text.removeprefix(BOM).strip(_SPACE)
    mark = ("byte_order_mark",) if text.startswith(BOM) else ()
    for found in _objects(text):
        yield found, mark if found == whole else (*mark, "surrounding_text")


def _fenced(text: str) -> Iterator[str]:
    """What stands between fences. A fence begins its line: inside of a JSON text no line can."""
    block: list[str] | None = None
    for line in text.split("\n"):
        if line.lstrip(_SPACE).startswith(_FENCE):
            if block is not None:
                yield "\n".join(block)
            block = [] if block is None else None
        elif block is not None:
            block.append(line)


def _objects(text: str) -> Iterator[str]:
    """Balanced `{…}` parts that lie in no other and look like objects, from the left."""
    opened, balanced = _balanced(text)
    torn = next((start for start in opened if _begins_object(text, start)), len(text))
    for start, end in balanced:
        if start < torn and _begins_object(text, start):
            yield text[start:end]


def _balanced(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Where braces open that never close, and where balanced parts begin and end, the outermost only."""
    opened: list[int] = []
    balanced: list[tuple[int, int]] = []
    position = 0
    while position < len(text):
        char = text[position]
        position += 1
        if char == "{":
            opened.append(position - 1)
        elif char == "}" and opened:
            start = opened.pop()
            while balanced and balanced[-1][0] > start:
                balanced.pop()
            balanced.append((start, position))
        elif char == '"' and opened:
            # Outside of braces a quotation mark is prose: it may be alone.
            position = _string_end(text, position)
    return opened, balanced


def _begins_object(text: str, start: int) -> bool:
    """Whether what follows the brace is a key or the end: `{not this}` is prose."""
    position = start + 1
    while position < len(text) and text[position] in _SPACE:
        position += 1
    return text[position : position + 1] in ('"', "}")


def _string_end(text: str, position: int) -> int:
    """The place behind the quotation mark that ends a string whose inside begins at a place."""
    while (found := text.find('"', position)) >= 0:
        escapes = found
        while escapes > position and text[escapes - 1] == "\\":
            escapes -= 1
        if (found - escapes) % 2 == 0:
            return found + 1
        position = found + 1
    return len(text)


def _without_trailing_commas(text: str) -> str:
    """The text of an object without commas before a closing bracket, outside of strings."""
    parts: list[str] = []
    kept = position = 0
    comma, before = -1, ""
    while position < len(text):
        char = text[position]
        if char in "]}" and comma >= 0:
            parts.append(text[kept:comma])
            kept = comma + 1
        if char not in _SPACE:
            # A comma without a value before it is no trailing comma.
            comma = position if char == "," and before not in ("", "[", "{", ",") else -1
            before = char
        position = _string_end(text, position + 1) if char == '"' else position + 1
    return "".join((*parts, text[kept:]))
