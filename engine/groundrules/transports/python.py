"""The `python` transport: a function of an installed package.

Owns the call and the reading of what comes back. Invariant: whatever the function does (raises, hangs, returns
something odd), the caller gets a RawResult in time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from groundrules.config.cards import PythonTransport
from groundrules.records.evidence import RawResult
from groundrules.transports.blocking import run_blocking
from groundrules.transports.entry_points import ToolFunction
from groundrules.transports.places import PlaceError, Places


@dataclass(frozen=True, slots=True)
class Python:
    """Calls the card's entry point in a thread of its own."""

    settings: PythonTransport
    places: Places
    max_bytes: int
    find: Callable[[str], ToolFunction]

    async def call(self, arguments: Mapping[str, Any]) -> RawResult:
        given = dict(arguments)
        return await run_blocking(lambda: self._call(given), self.settings.timeout_s)

    def _call(self, arguments: Mapping[str, Any]) -> RawResult:
        try:
            function = self.find(self.settings.entry_point)
            paths = {name: self.places.resolve(text) for name, text in self.settings.paths.items()}
            answer = function(arguments, {**self.settings.settings, **paths}, self.places.root)
        except PlaceError as error:
            return RawResult(failure=str(error))
        if isinstance(answer, RawResult):
            return self._bounded(answer)
        return self._bounded(_as_json(answer, self.settings.entry_point))

    def _bounded(self, result: RawResult) -> RawResult:
        if len(result.body) > self.max_bytes:
            return RawResult(failure=f"the answer is larger than {self.max_bytes:,} bytes", source=result.source)
        return result


def _as_json(answer: object, source: str) -> RawResult:
    try:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
        return RawResult(body=text.encode("utf-8", "surrogatepass"), source=source)
    except (TypeError, ValueError, RecursionError) as error:
        return RawResult(failure=f"the tool returned no JSON value: {type(error).__name__}", source=source)
