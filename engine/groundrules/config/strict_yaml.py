"""Strict YAML for the project's own files, with the line of everything in them.

Owns the reading of text into plain values by the core types of YAML 1.2: `on`, `yes` and `no` are text, `12:30` is
text, `1e3` is a number. Refuses what a reader of the file could misread: a key given twice, anchors, aliases, tags,
merge keys, keys that are not text, more than one document, numbers outside 64 bits. Invariant: whatever the text, the
answer is a document and every issue that was found, never an exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from groundrules.conditions import INT_LIMIT, did_you_mean
from groundrules.errors import Issue

SIZE_LIMIT_BYTES = 1_000_000
DEPTH_LIMIT = 32
KEYWORD = "yaml"

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_ENDLESS = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A read file: its plain value, and the line that each part of it stands on."""

    file: str
    value: Any
    """Mappings, lists, text, numbers, booleans and None; None for an unreadable file."""
    lines: Mapping[str, int]
    """JSON path to line, from 1. A member's line is that of its key."""

    def line(self, path: str) -> int:
        """The line of a path, or of the nearest part around it that is known; 0 for an unreadable file."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines.get(path, self.lines.get("$", 0))

    def issue(self, path: str, message: str, hint: str = "", keyword: str = "") -> Issue:
        """An issue at a path of this file."""
        return Issue(self.file, self.line(path), path, message, hint, keyword)


def child(path: str, key: str | int) -> str:
    """The JSON path of a member: `$.a`, `$.a[0]`, `$['a.b']`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f"{path}[{key!r}]"


def read_yaml(text: str, file: str) -> tuple[YamlDocument, tuple[Issue, ...]]:
    """The document of a text, and everything that is wrong with it. Use its value only when nothing is."""
    refusal = _unreadable(text, file)
    if refusal is not None:
        return YamlDocument(file, None, MappingProxyType({})), (refusal,)
    reader = _Reader(text, file)
    value = reader.read()
    issues = tuple(sorted(reader.issues, key=lambda issue: issue.line))
    return YamlDocument(file, value, MappingProxyType(reader.lines)), issues


def _unreadable(text: str, file: str) -> Issue | None:
    """Why a text is not even handed to the parser."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        return Issue(file, line, "$", "the file holds a lone surrogate", "save it as UTF-8", KEYWORD)
    if size > SIZE_LIMIT_BYTES:
        return Issue(file, 0, "$", f"the file is larger than {SIZE_LIMIT_BYTES:,} bytes", "split it", KEYWORD)
    return None


class _TooDeepError(Exception):
    """Ends the walk; its issue is already recorded."""


class _Reader:
    """Walks the parser's events once. Recursion is bounded by DEPTH_LIMIT, whatever the text."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.events: Iterator[Event] = iter(yaml.parse(text, Loader=_LOADER))
        self.issues: list[Issue] = []
        self.lines: dict[str, int] = {}

    def bad(self, line: int, path: str, message: str, hint: str = "") -> None:
        self.issues.append(Issue(self.file, line, path, message, hint, KEYWORD))

    def read(self) -> Any:
        try:
            return self.documents()
        except _TooDeepError:
            return None
        except yaml.YAMLError as error:
            self.issues.append(_syntax_issue(error, self.text, self.file))
            return None

    def documents(self) -> Any:
        value: Any = None
        starts = 0
        for event in self.events:
            if isinstance(event, DocumentStartEvent):
                starts += 1
                if starts > 1:
                    self.bad(_line(event), "$", "the file holds a second document", "keep one, without `---` lines")
                    return value
                if event.tags:
                    self.bad(_line(event), "$", "a %TAG directive is not allowed")
            elif isinstance(event, NodeEvent):
                self.lines["$"] = _line(event)
                value = self.node(event, "$", 0)
        if value is None and not self.issues:
            self.bad(1, "$", "the file is empty")
        return value

    def node(self, event: Event, path: str, depth: int) -> Any:
        if depth > DEPTH_LIMIT:
            self.bad(_line(event), path, f"the file nests deeper than {DEPTH_LIMIT}")
            raise _TooDeepError
        if isinstance(event, AliasEvent):
            self.bad(_line(event), path, f"an alias (`*{event.anchor}`) is not allowed", "write the value out")
            return None
        if isinstance(event, NodeEvent):
            self.no_extras(event, path)
        if isinstance(event, MappingStartEvent):
            return self.mapping(path, depth)
        if isinstance(event, SequenceStartEvent):
            return self.sequence(path, depth)
        return self.scalar(event, path)

    def no_extras(self, event: NodeEvent, path: str) -> None:
        if event.anchor:
            self.bad(_line(event), path, f"an anchor (`&{event.anchor}`) is not allowed", "write the value out")
        tag = getattr(event, "tag", None)
        if tag:
            self.bad(_line(event), path, f"a tag (`{tag}`) is not allowed", "quote the value if it is text")

    def mapping(self, path: str, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for event in self.events:
            if isinstance(event, MappingEndEvent):
                break
            key = self.key(event, path, depth)
            value_path = child(path, key) if key is not None else path
            known = key is not None and key in members
            if key is not None and known:
                first = self.lines[value_path]
                self.bad(_line(event), value_path, f"`{key}` is given twice, on lines {first} and {_line(event)}")
            elif key is not None:
                self.lines[value_path] = _line(event)
            value = self.node(next(self.events), value_path, depth + 1)
            if key is not None and not known:
                members[key] = value
        return members

    def key(self, event: Event, path: str, depth: int) -> str | None:
        """The text of a key; None when it is refused."""
        value = self.node(event, path, depth + 1)
        if isinstance(value, str) and not (value == "<<" and _is_plain(event)):
            return value
        if isinstance(event, AliasEvent):
            return None
        if value == "<<":
            self.bad(_line(event), path, "a merge key (`<<`) is not allowed", "write the members out")
        elif isinstance(event, ScalarEvent):
            self.bad(_line(event), path, f"the key `{event.value}` is not text", f'write "{event.value}" with quotes')
        else:
            self.bad(_line(event), path, "a key must be text, not a list or mapping")
        return None

    def sequence(self, path: str, depth: int) -> list[Any]:
        items: list[Any] = []
        for event in self.events:
            if isinstance(event, SequenceEndEvent):
                break
            item_path = child(path, len(items))
            self.lines[item_path] = _line(event)
            items.append(self.node(event, item_path, depth + 1))
        return items

    def scalar(self, event: Event, path: str) -> Any:
        assert isinstance(event, ScalarEvent)  # noqa: S101  # the three other node events were handled before
        if not _is_plain(event):
            return event.value
        value = core_value(event.value)
        if value is not _REFUSED:
            return value
        reason = f"`{event.value[:40]}` is not a finite number within 64 bits"
        self.bad(_line(event), path, reason, "write a smaller number, or quotes if it is text")
        return None


_REFUSED = object()


def core_value(text: str) -> Any:
    """The value of a plain scalar by YAML 1.2 core."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if abs(number) != float("inf") else _REFUSED
    return _REFUSED if _ENDLESS.fullmatch(text) else text


def _integer(text: str) -> Any:
    if len(text) > 80:
        return _REFUSED
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    number = int(text[2:] if base != 10 else text, base)
    return number if -INT_LIMIT <= number < INT_LIMIT else _REFUSED


def _is_plain(event: Event) -> bool:
    return isinstance(event, ScalarEvent) and not event.style


def _line(event: Event) -> int:
    mark = event.start_mark
    return int(mark.line) + 1 if mark else 0


def _syntax_issue(error: yaml.YAMLError, text: str, file: str) -> Issue:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)
    if mark is not None:
        line = int(mark.line) + 1
    else:
        line = text.count("\n", 0, position) + 1 if isinstance(position, int) else 0
    problem = str(getattr(error, "problem", "") or getattr(error, "reason", "") or "it cannot be read")
    hint = "text that holds `: ` or ` #`, or begins with one of { [ * & ! % @ `, needs quotes"
    return Issue(file, line, "$", f"this is not YAML: {problem}", hint, KEYWORD)


# --- findings of a pydantic model, in the words of the file ------------------------------------------------------

_WANTED = {
    "string_type": "text",
    "int_type": "an integer",
    "int_parsing": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "model_type": "a mapping",
    "date_type": "a date like 2030-01-31",
    "date_parsing": "a date like 2030-01-31",
    "date_from_datetime_parsing": "a date like 2030-01-31",
    "none_required": "empty",
}
_MUST_BE = "must be "


def model_issues(
    error: ValidationError, document: YamlDocument, model: type[BaseModel] | None = None
) -> tuple[Issue, ...]:
    """Each finding of a model with its line, its JSON path and a plain message. `model` gives the keys to suggest."""
    found: dict[str, list[tuple[str, str]]] = {}
    for item in error.errors(include_url=False):
        path = _document_path(item["loc"], document.value)
        found.setdefault(path, []).append(_plain(dict(item), model))
    issues = [document.issue(path, *_merged(texts), keyword="model") for path, texts in found.items()]
    return tuple(sorted(issues, key=lambda issue: (issue.line, issue.path)))


def _document_path(loc: Sequence[int | str], value: Any) -> str:
    """The path of a finding. Parts of `loc` that the document does not have name branches of a union: left out."""
    path = "$"
    for place, part in enumerate(loc):
        if _has(value, part):
            path, value = child(path, part), value[part]
        elif place == len(loc) - 1 and isinstance(value, Mapping) and isinstance(part, str) and part != "[key]":
            path = child(path, part)
    return path


def _has(value: Any, part: int | str) -> bool:
    if isinstance(value, list):
        return isinstance(part, int) and part < len(value)
    return isinstance(value, Mapping) and part in value


def _plain(item: Mapping[str, Any], model: type[BaseModel] | None) -> tuple[str, str]:
    """Message and hint of one finding."""
    kind, loc = str(item["type"]), item["loc"]
    last = str(loc[-1]) if loc else ""
    if kind == "missing":
        return f"`{last}` is missing", ""
    if kind == "extra_forbidden":
        return f"unknown key `{last}`", did_you_mean(last, _known_keys(model, loc[:-1]) if model else ())
    if kind == "literal_error":
        expected = str(item["ctx"]["expected"])
        words = tuple(re.findall(r"'([^']*)'", expected)) or (expected,)
        choice = f"one of {', '.join(words)}" if len(words) > 1 else words[0]
        return f"{_MUST_BE}{choice}, not {item['input']!r}", did_you_mean(str(item["input"]), words)
    if kind in _WANTED:
        return f"{_MUST_BE}{_WANTED[kind]}", ""
    message = str(item["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return message[:1].lower() + message[1:], ""


def _merged(texts: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """One message for a place: the branches of a union each complain, which reads as one wish."""
    unique = tuple(dict.fromkeys(texts))
    hint = next((hint for _, hint in unique if hint), "")
    messages = [message for message, _ in unique]
    if all(message.startswith(_MUST_BE) for message in messages):
        return _MUST_BE + " or ".join(message.removeprefix(_MUST_BE) for message in messages), hint
    return "; ".join(messages), hint


def _known_keys(model: type[BaseModel], loc: Sequence[int | str]) -> tuple[str, ...]:
    """The keys that the model knows at a place."""
    models: list[type[BaseModel]] = [model]
    for part in loc:
        fields = [one.model_fields[part] for one in models if isinstance(part, str) and part in one.model_fields]
        models = [found for field in fields for found in _models_in(field.annotation)] or models
    return tuple(dict.fromkeys(field.alias or name for one in models for name, field in one.model_fields.items()))


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
