"""The `files` transport: one JSON, JSON-lines or text file, reduced to what the arguments select.

Owns the reduction. The answer keeps the file's own envelope with only the matching items in it, so that the projection
of a card is the same for a file and for the service that wrote it. Invariant: no item is altered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from groundrules.config.cards import FilesTransport
from groundrules.projection import parse_path
from groundrules.projection.documents import BadDocument, WrittenFloat, decode, read_json
from groundrules.records.evidence import RawResult
from groundrules.transports.blocking import run_blocking
from groundrules.transports.matching import Selection, select
from groundrules.transports.places import PlaceError, Places
from groundrules.transports.reading import read_lines, read_whole


@dataclass(frozen=True, slots=True)
class Files:
    """Reads the card's file at every call: it may have changed."""

    settings: FilesTransport
    places: Places
    max_bytes: int

    async def call(self, arguments: Mapping[str, Any]) -> RawResult:
        given = dict(arguments)
        return await run_blocking(lambda: self._call(given), self.settings.timeout_s)

    def _call(self, arguments: Mapping[str, Any]) -> RawResult:
        name = self.settings.path
        try:
            selection = select(self.settings.match, arguments)
            path = self.places.resolve(name)
            if self.settings.format == "json":
                body = read_whole(path, name, self.max_bytes)
                return RawResult(body=_reduced(body, self.settings, selection), media="json", source=name)
            body, more = read_lines(path, name, self.max_bytes)
            kept, torn = _lines(body, self.settings.format, selection)
            return RawResult(body=kept, media=self.settings.format, source=name, truncated=more or torn)
        except PlaceError as error:
            return RawResult(failure=str(error), source=name)


def _reduced(body: bytes, settings: FilesTransport, selection: Selection) -> bytes:
    """The document with only the selected items; unchanged when nothing selects or it is no such document."""
    if not selection.tests or settings.items is None:
        return body
    document = _value(body)
    items = parse_path(settings.items)
    if items.missing_array(document):
        return body
    for array in items.last_arrays(document):
        array[:] = [item for item in array if selection.keeps(item)]
    return _written(document).encode("utf-8", "surrogatepass")


def _value(body: bytes) -> Any:
    text = decode(body)
    value = text if isinstance(text, BadDocument) else read_json(text)
    if isinstance(value, BadDocument):
        raise PlaceError(value.reason)
    return value


def _lines(body: bytes, format_: str, selection: Selection) -> tuple[bytes, bool]:
    """The selected lines, and whether the last one was still being written."""
    text = decode(body)
    if isinstance(text, BadDocument):
        raise PlaceError(text.reason)
    lines = text.split("\n")
    if format_ == "text":
        return "\n".join(line for line in lines if selection.keeps(line)).encode(), False
    torn = bool(lines[-1].strip()) and isinstance(read_json(lines[-1]), BadDocument)
    whole = [(at, line) for at, line in enumerate(lines[:-1] if torn else lines, 1) if line.strip()]
    return "\n".join(line for at, line in whole if selection.keeps(_line(line, at))).encode(), torn


def _line(line: str, number: int) -> Any:
    value = read_json(line)
    if isinstance(value, BadDocument):
        raise PlaceError(f"line {number}: {value.reason}")
    return value


def _written(value: Any) -> str:
    """The value as JSON, each number with the digits of the file."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{_written(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_written(member) for member in value) + "]"
    return value.written if isinstance(value, WrittenFloat) else json.dumps(value)
