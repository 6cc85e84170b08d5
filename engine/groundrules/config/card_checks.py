"""What must agree between the parts of a tool card, beyond the shape of each.

Owns the cross-checks, over the card as plain values. Invariant: every finding names the place in the file, and all are
found at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import re2

from groundrules.conditions import did_you_mean
from groundrules.contracts import schema_problem
from groundrules.errors import Issue
from groundrules.projection import compile_patterns

_ARGUMENT = re.compile(r"\$([A-Za-z_]\w*)")
_PLACE = re.compile(r"(?:\$\{[A-Za-z_][A-Za-z0-9_]*\}/)?(?P<rest>[^$]*)")
SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet")
NO_VALUE_HINT = "write `${NAME}/…` and set NAME in the environment"


def card_issues(card: Mapping[str, Any], file: str) -> tuple[Issue, ...]:
    """Every disagreement within a card whose shape is right."""
    found = (
        *_name(card, file),
        *_input(card["input"]),
        *_scope(card.get("scope") or {}, _properties(card)),
        *_TRANSPORTS[card["transport"]["kind"]](card["transport"], _properties(card)),
        *_projection(card["projection"]),
    )
    return tuple(found)


def _issue(path: str, message: str, hint: str = "") -> Issue:
    return Issue("", 0, path, message, hint, "card")


def _properties(card: Mapping[str, Any]) -> tuple[str, ...]:
    properties = card["input"].get("properties")
    return tuple(properties) if isinstance(properties, Mapping) else ()


def _name(card: Mapping[str, Any], file: str) -> Iterator[Issue]:
    if card["name"] != Path(file).stem:
        yield _issue("$.name", f"the tool `{card['name']}` stands in {Path(file).name}", "name the file after the tool")


def _input(schema: Mapping[str, Any]) -> Iterator[Issue]:
    if schema.get("type") != "object":
        yield _issue("$.input.type", "arguments are an object", "write `type: object`")
    if schema.get("additionalProperties") is not False:
        yield _issue("$.input", "other arguments must be refused", "write `additionalProperties: false`")
    problem = schema_problem(schema)
    if problem:
        yield _issue("$.input", f"this is not a JSON Schema: {problem}")
    properties = schema.get("properties")
    for name, given in (properties if isinstance(properties, Mapping) else {}).items():
        pattern = given.get("pattern") if isinstance(given, Mapping) else None
        if isinstance(pattern, str) and not _compiles(pattern):
            yield _issue(
                f"$.input.properties.{name}.pattern",
                "the pattern is refused by RE2",
                "no look-around, no back-reference",
            )


def _compiles(pattern: str) -> bool:
    try:
        compile_patterns((pattern,))
    except re2.error:
        return False
    return True


def _scope(scope: Mapping[str, Any], properties: tuple[str, ...]) -> Iterator[Issue]:
    fields = tuple(scope.get("fields") or ())
    for at, name in enumerate(fields):
        yield from _known(f"$.scope.fields[{at}]", name, (*properties, *(scope.get("defaults") or {})))
    for key in ("fold_case", "unordered_words", "round_s"):
        for name in scope.get(key) or ():
            yield from _known(f"$.scope.{key}", name, fields or properties)


def _known(path: str, name: str, names: Iterable[str]) -> Iterator[Issue]:
    known = tuple(names)
    if name not in known:
        yield _issue(path, f"no argument `{name}`", did_you_mean(name, known))


def _files(transport: Mapping[str, Any], properties: tuple[str, ...]) -> Iterator[Issue]:
    yield from _place("$.transport.path", transport["path"])
    if (transport["format"] == "json") != (transport.get("items") is not None):
        yield _issue("$.transport.items", "`items` says where items stand in JSON, and only there")
    if transport.get("match") and not str(transport.get("items") or "[*]").endswith("[*]"):
        yield _issue("$.transport.items", "what arguments select are array items", "end the path with `[*]`")
    for name, match in (transport.get("match") or {}).items():
        yield from _known(f"$.transport.match.{name}", name, properties)
        if transport["format"] != "text" and match.get("path") is None:
            yield _issue(f"$.transport.match.{name}", "the field's `path` is missing")
    yield from _unapplied(properties, tuple(transport.get("match") or {}), "give it an entry in `transport.match`")


def _sql(transport: Mapping[str, Any], properties: tuple[str, ...]) -> Iterator[Issue]:
    for table, places in transport["files"].items():
        for place in places if isinstance(places, list) else [places]:
            yield from _place(f"$.transport.files.{table}", place)
            if not place.endswith(SUFFIXES):
                yield _issue(f"$.transport.files.{table}", f"`{place}` is none of {', '.join(SUFFIXES)}")
    used = tuple(dict.fromkeys(_ARGUMENT.findall(transport["query"])))
    for name in used:
        yield from _known("$.transport.query", name, properties)
    yield from _unapplied(properties, used, "use it in `transport.query` as `$name`")


def _unapplied(properties: tuple[str, ...], used: tuple[str, ...], hint: str) -> Iterator[Issue]:
    """An argument that selects nothing would stand in the scope of an answer that it did not narrow."""
    for name in properties:
        if name not in used:
            yield _issue(
                f"$.input.properties.{name}", f"nothing applies the argument `{name}`", f"{hint}, or remove it"
            )


def _python(transport: Mapping[str, Any], _properties: tuple[str, ...]) -> Iterator[Issue]:
    for name, place in (transport.get("paths") or {}).items():
        yield from _place(f"$.transport.paths.{name}", place)
        if name in (transport.get("settings") or {}):
            yield _issue(f"$.transport.paths.{name}", f"`{name}` is a setting as well")


_TRANSPORTS = {"files": _files, "sql": _sql, "python": _python}


def _place(path: str, text: str) -> Iterator[Issue]:
    """A place is inside the project, or inside a folder that the environment names."""
    found = _PLACE.fullmatch(text)
    rest = Path(found["rest"]) if found else None
    if rest is None:
        yield _issue(path, f"`{text}` uses the environment elsewhere than at its beginning", NO_VALUE_HINT)
    elif rest.is_absolute() or ".." in rest.parts or "\\" in text:
        yield _issue(path, f"`{text}` leaves the project's folder", NO_VALUE_HINT)


def _projection(projection: Mapping[str, Any]) -> Iterator[Issue]:
    shapes = [shape for shape in ("items", "lines", "blocks") if projection.get(shape)]
    if len(shapes) != 1:
        yield _issue("$.projection", "exactly one of `items`, `lines` and `blocks` says what is evidence")
    if projection.get("collection") == "no_evidence":
        yield _issue("$.projection.collection", "`no_evidence` is taken by the empty result")
    if shapes == ["items"] and not projection.get("collection"):
        yield _issue("$.projection.collection", "items need a collection, which their addresses begin with")
    relevance = projection.get("relevance") or {}
    told = {relevance.get("score"), relevance.get("hints")} - {None}
    for at, field in enumerate(projection.get("fields") or ()):
        if field["path"] in told:
            yield _issue(f"$.projection.fields[{at}]", "a score is no evidence: no model may see it (S1-5.2)")
    for key in ("unique", "text", "fields", "relevance"):
        if projection.get(key) and shapes != ["items"]:
            yield _issue(f"$.projection.{key}", f"`{key}` reads fields of JSON items; text has none")
    if projection.get("skip") and shapes == ["items"]:
        yield _issue("$.projection.skip", "`skip` drops lines or blocks of text; items are filtered with `where`")
