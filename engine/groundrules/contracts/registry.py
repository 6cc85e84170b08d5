"""The registry of contracts: JSON Schemas loaded once, and checks that find everything at once.

Owns `check`. jsonschema-rs does the checking, behind a fence: documents that nest too deep, patterns that need
backtracking and references to anything outside of the schema never reach it. Invariant: a document gives the same
issues in the same order each time, at most `MAX_ISSUES` of them, and a corrupted contract file is never an empty check
but a ConfigurationError.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from groundrules.bundled import bundled_project
from groundrules.contracts.bounds import document_problem
from groundrules.contracts.hints import did_you_mean, hint_for
from groundrules.contracts.paths import json_path, real_parts
from groundrules.contracts.reading import ReadLimits, read_json
from groundrules.errors import ConfigurationError, Issue

SUFFIX = ".schema.json"
MAX_ISSUES = 200
MAX_ERRORS = 2000
"""More than this many errors of one document are not even looked at."""
MAX_INPUT_SCHEMAS = 256
SHOWN = 160
_FILE_LIMITS = ReadLimits(max_bytes=2_000_000, max_depth=64)


class Contracts:
    """The contracts of one folder, each compiled when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._validators: dict[str, Any] = {}
        self.schemas: Mapping[str, Mapping[str, Any]] = {
            file.name.removesuffix(SUFFIX): _read_schema(file) for file in sorted(folder.glob(f"*{SUFFIX}"))
        }
        if not self.schemas:
            raise ConfigurationError([Issue(str(folder), 0, "$", "holds no contract", f"files end in {SUFFIX}")])

    def check(self, kind: str, document: object) -> tuple[Issue, ...]:
        """Everything that is wrong with a document of that kind."""
        if kind not in self._validators:
            self._validators[kind] = _validator(self._schema(kind), self._folder / f"{kind}{SUFFIX}")
        return _issues(self._validators[kind], self.schemas[kind], document)

    def _schema(self, kind: str) -> Mapping[str, Any]:
        if kind not in self.schemas:
            hint = did_you_mean(kind, self.schemas)
            raise ConfigurationError([Issue(str(self._folder), 0, "$", f"there is no contract `{kind}`", hint)])
        return self.schemas[kind]

    def schema(self, kind: str) -> Mapping[str, Any]:
        """The JSON Schema of a kind."""
        return self._schema(kind)

    def hashes(self) -> Mapping[str, str]:
        """SHA-256 of each schema's content; the order of its keys does not count."""
        return {kind: _digest(found) for kind, found in self.schemas.items()}


@cache
def _shipped() -> Contracts:
    return Contracts(bundled_project() / "contracts")


def check(kind: str, document: object) -> tuple[Issue, ...]:
    """Everything that is wrong with a document of one of the shipped kinds; none when it satisfies its contract."""
    return _shipped().check(kind, document)


def schema(kind: str) -> Mapping[str, Any]:
    """The JSON Schema of a shipped kind."""
    return _shipped().schema(kind)


def kinds() -> tuple[str, ...]:
    """Every shipped kind."""
    return tuple(_shipped().schemas)


@cache
def contract_hashes() -> Mapping[str, str]:
    """SHA-256 of each shipped schema's content, for the lock of a run."""
    return MappingProxyType(dict(_shipped().hashes()))


def check_against(given: Mapping[str, Any], document: object) -> tuple[Issue, ...]:
    """Everything wrong with a document by a schema that is no shipped kind: a tool card's input."""
    return _issues(_compiled(json.dumps(given, sort_keys=True)), given, document)


def schema_problem(given: Mapping[str, Any]) -> str:
    """Why documents cannot be checked against a schema; empty when they can. Fetches nothing that it refers to."""
    try:
        _validator(given, Path("input schema"))
    except ConfigurationError as error:
        return error.issues[0].message
    return ""


@lru_cache(maxsize=MAX_INPUT_SCHEMAS)
def _compiled(text: str) -> Any:
    return _validator(json.loads(text), Path("input schema"))


def _digest(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _read_schema(file: Path) -> Mapping[str, Any]:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigurationError([Issue(str(file), 0, "$", f"cannot be read: {error.strerror}")]) from error
    value, issues = read_json(data, limits=_FILE_LIMITS)
    if issues:
        raise ConfigurationError(
            [Issue(str(file), issue.line, issue.path, issue.message, "restore the file") for issue in issues]
        )
    if not isinstance(value, Mapping):
        raise ConfigurationError([Issue(str(file), 0, "$", "is no JSON Schema", "restore the file")])
    return value


def _validator(document: Mapping[str, Any], file: Path) -> Any:
    import jsonschema_rs

    try:
        return jsonschema_rs.Draft202012Validator(
            dict(document),
            validate_formats=True,
            retriever=_retrieve_nothing,
            # The engine that takes linear time; patterns with look-around are refused when they are compiled.
            pattern_options=jsonschema_rs.RegexOptions(),
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        message = f"is no valid JSON Schema: {str(error).splitlines()[0][:SHOWN]}"
        raise ConfigurationError([Issue(str(file), 0, "$", message, "restore the file")]) from error


def _retrieve_nothing(uri: str) -> Any:
    """Without this the validator would fetch a foreign `$ref` from network or disk."""
    message = f"a contract refers to nothing outside of itself, not to {uri[:SHOWN]}"
    raise ValueError(message)


def _issues(validator: Any, given: Mapping[str, Any], document: object) -> tuple[Issue, ...]:
    problem = document_problem(document)
    if problem:
        return (problem,)
    try:
        if validator.is_valid(document):
            return ()
        errors = tuple(islice(validator.iter_errors(document), MAX_ERRORS))
    except (ValueError, TypeError, OverflowError) as error:
        return (Issue("", 0, "$", f"is no JSON document: {str(error)[:SHOWN]}", "", "type"),)
    return _bounded([_issue(error, given, document) for error in errors])


def _bounded(found: Sequence[tuple[Sequence[str | int], Issue]]) -> tuple[Issue, ...]:
    """The issues in the order of their places in the document, each once; the last says when more are left out."""
    issues = list(dict.fromkeys(issue for _parts, issue in sorted(found, key=_order)))
    if len(issues) <= MAX_ISSUES:
        return tuple(issues)
    more = f"{'at least ' if len(found) == MAX_ERRORS else ''}{len(issues) - MAX_ISSUES + 1} more issues are not shown"
    return (*issues[: MAX_ISSUES - 1], Issue("", 0, "$", more, "", "more"))


def _order(item: tuple[Sequence[str | int], Issue]) -> tuple[Any, ...]:
    parts, issue = item
    places = tuple((0, part, "") if isinstance(part, int) else (1, 0, part) for part in parts)
    return places, issue.keyword, issue.message


def _issue(error: Any, given: Mapping[str, Any], document: object) -> tuple[Sequence[str | int], Issue]:
    parts = real_parts(document, error.instance_path)
    keyword = error.kind.name if error.kind.name == "falseSchema" else str(error.schema_path[-1])
    return parts, Issue("", 0, json_path(parts), _message(error), hint_for(error, given), keyword)


def _message(error: Any) -> str:
    text = " ".join(str(error.message).split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
