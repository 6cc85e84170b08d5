"""JSONPath expressions of cards: a plain subset, compiled once by jsonpath-ng.

Owns the subset: member names, indices, slices with a positive step, wildcards, descendants. Refuses filters, unions,
functions, arithmetic and escapes, where engines disagree (DESIGN, "Other libraries, measured"). Invariant: what this
module compiles, RFC 9535 reads the same way on every document of objects and arrays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

_SEGMENT = re.compile(
    r"""(?P<deep>\.\.)(?P<deep_name>[^\W\d][\w-]*)
      | \.(?P<name>[^\W\d][\w-]*)
      | \[\s*(?:'(?P<single>[^'\\]+)'|"(?P<double>[^"\\]+)")\s*\]
      | \[\s*(?P<index>-?\d{1,9})\s*\]
      | \[\s*(?P<slice>-?\d{0,9}\s*:\s*-?\d{0,9}(?:\s*:\s*[1-9]\d{0,8})?)\s*\]
      | (?P<every>\[\s*\*\s*\]|\.\*)""",
    re.VERBOSE,
)
MAX_LENGTH = 300
SUBSET = "names, [0], [1:3], [*] and .. are allowed; filter items with `where:`"


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A compiled expression. Equal when the text is equal."""

    text: str
    compiled: Any = field(compare=False, repr=False)
    arrays: tuple[Any, ...] = field(compare=False, repr=False)
    """The compiled prefix before each `[*]` or slice: what must be an array for the expression to make sense."""

    def find(self, document: Any) -> list[Any]:
        """Every value that the expression names, in document order."""
        return [match.value for match in self.compiled.find(document)]

    def first(self, document: Any) -> Any:
        """The first value that it names; None when it names none."""
        return next(iter(self.find(document)), None)

    def missing_array(self, document: Any) -> bool:
        """Whether a place that must be an array is absent or something else: then nothing was checked.

        An outer array that is empty ends the search: what would stand in its items need not exist.
        """
        for prefix in self.arrays:
            found = [match.value for match in prefix.find(document)]
            arrays = [value for value in found if isinstance(value, list)]
            if not arrays or len(arrays) < len(found):
                return True
            if not any(arrays):
                return False
        return False

    def last_arrays(self, document: Any) -> list[list[Any]]:
        """The arrays that the last `[*]` or slice ranges over."""
        found = [match.value for match in self.arrays[-1].find(document)] if self.arrays else []
        return [value for value in found if isinstance(value, list)]

    @property
    def names_array_items(self) -> bool:
        return bool(self.arrays)


def lint_path(text: object) -> str:
    """Why the text is no expression of the subset; empty when it is one."""
    if not isinstance(text, str) or not text.startswith("$"):
        return "a JSONPath begins with `$`"
    if len(text) > MAX_LENGTH:
        return f"the expression is longer than {MAX_LENGTH} characters"
    at = 1
    while at < len(text):
        found = _SEGMENT.match(text, at)
        if found is None:
            return f"`{text[at : at + 20]}` is outside the plain subset: {SUBSET}"
        at = found.end()
    return ""


@lru_cache(maxsize=1024)
def parse_path(text: str) -> JsonPath:
    """Compile an expression that `lint_path` has nothing against."""
    segments = [_canonical(found) for found in _SEGMENT.finditer(text, 1)]
    arrays = [at for at, segment in enumerate(segments) if segment == "[*]" or ":" in segment.partition("'")[0]]
    return JsonPath(text, _compile(segments), tuple(_compile(segments[:at]) for at in arrays))


def _canonical(found: re.Match[str]) -> str:
    """The segment with its name in quotes, so that no word of jsonpath-ng's own grammar can be met."""
    if found["every"]:
        return "[*]"
    if found["index"] is not None:
        return f"[{int(found['index'])}]"
    if found["slice"] is not None:
        return f"[{''.join(found['slice'].split())}]"
    name = found["name"] or found["deep_name"] or found["single"] or found["double"]
    quoted = f'"{name}"' if "'" in name else f"'{name}'"
    return f"..{quoted}" if found["deep"] else f".{quoted}"


def _compile(segments: Sequence[str]) -> Any:
    # jsonpath-ng takes 60 ms to import, and only projects with JSON cards need it.
    from jsonpath_ng.parser import parse

    return parse("$" + "".join(segments))
