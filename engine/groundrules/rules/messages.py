"""Templates of rule messages: `{name}` and nothing else.

Owns the reading and the filling of templates. Refuses attribute access, indexing, formats and conversions, which
`str.format` would allow. Invariant: a filled message is one line of printable text, whatever a tool or model wrote.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping

VALUE_LIMIT = 400
ABSENT = "?"


def fill_message(template: str, values: Mapping[str, object]) -> str:
    """The template with its names replaced; a name without a value shows as `?`."""
    return "".join(text + (_shown(values, name) if name else "") for text, name in _parts(template))


def placeholders(template: str) -> tuple[str, ...]:
    """The names in a template; ValueError says what is wrong with it."""
    return tuple(dict.fromkeys(name for _, name in _parts(template) if name))


def bind_message(template: str, values: Mapping[str, object]) -> str:
    """The template with some names replaced for good, the others left to fill."""
    return "".join(
        _escaped(text) + ((_escaped(_shown(values, name)) if name in values else f"{{{name}}}") if name else "")
        for text, name in _parts(template)
    )


def _parts(template: str) -> Iterator[tuple[str, str]]:
    for text, name, spec, conversion in string.Formatter().parse(template):
        if name is not None and (not name.isidentifier() or spec or conversion):
            raise ValueError(f"`{{{name}}}` is not a plain name in braces")
        yield text, name or ""


def _shown(values: Mapping[str, object], name: str) -> str:
    if name not in values or values[name] is None:
        return ABSENT
    line = " ".join(str(values[name]).split())
    line = line if len(line) <= VALUE_LIMIT else line[:VALUE_LIMIT] + "…"
    return "".join(letter if letter.isprintable() else "·" for letter in line)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
