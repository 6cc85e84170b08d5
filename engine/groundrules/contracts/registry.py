"""The registry of contracts: JSON Schemas loaded once, and checks that find everything at once.

Owns `check`. jsonschema-rs does the checking: it knows no regex or recursion hazard. Invariant: a document gives the
same issues in the same order each time, at most `MAX_ISSUES` of them, and a corrupted contract file is never an empty
check but a ConfigurationError.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from groundrules.bundled import bundled_project
from groundrules.contracts.reading import ReadLimits, first_surrogate, read_json
from groundrules.errors import ConfigurationError, Issue

SUFFIX = ".schema.json"
MAX_ISSUES = 200
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
        return _issues(self._validators[kind], document)

    def _schema(self, kind: str) -> Mapping[str, Any]:
        if kind not in self.schemas:
            near = difflib.get_close_matches(kind, self.schemas, n=1)
            hint = f"did you mean `{near[0]}`?" if near else ""
            raise ConfigurationError([Issue(str(self._folder), 0, "$", f"there is no contract `{kind}`", hint)])
        return self.schemas[kind]

    def schema(self, kind: str) -> Mapping[str, Any]:
        """The JSON Schema of a kind."""
        return self._schema(kind)


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
    return {kind: _digest(found) for kind, found in _shipped().schemas.items()}


def check_against(given: Mapping[str, Any], document: object) -> tuple[Issue, ...]:
    """Everything wrong with a document by a schema that is no shipped kind: a tool card's input."""
    return _issues(_compiled(json.dumps(given, sort_keys=True)), document)


@cache
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
        return jsonschema_rs.Draft202012Validator(dict(document), validate_formats=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        message = f"is no valid JSON Schema: {str(error).splitlines()[0][:SHOWN]}"
        raise ConfigurationError([Issue(str(file), 0, "$", message, "restore the file")]) from error


def _issues(validator: Any, document: object) -> tuple[Issue, ...]:
    surrogate = first_surrogate(document)
    if surrogate:
        return (Issue("", 0, surrogate, "the text holds a lone surrogate", "", "encoding"),)
    try:
        if validator.is_valid(document):
            return ()
        found = sorted(set(_read_errors(validator, document)))
    except (ValueError, TypeError, OverflowError) as error:
        return (Issue("", 0, "$", f"is no JSON document: {str(error)[:SHOWN]}", "", "type"),)
    return tuple(found[:MAX_ISSUES])


def _read_errors(validator: Any, document: object) -> Iterator[Issue]:
    for count, error in enumerate(validator.iter_errors(document)):
        if count >= MAX_ISSUES * 10:
            return
        keyword = str(error.schema_path[-1]) if error.schema_path else ""
        if keyword.isdigit() and len(error.schema_path) > 1:
            keyword = str(error.schema_path[-2])
        yield Issue("", 0, _json_path(error.instance_path), _message(error), _hint(error), keyword)


def _json_path(parts: Sequence[Any]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)


def _message(error: Any) -> str:
    text = " ".join(str(error.message).split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _hint(error: Any) -> str:
    """What the schema says the place is for; that is where the fix is written."""
    parts = list(error.schema_path)
    return (
        "" if not parts else {"additionalProperties": "remove what the contract does not name"}.get(str(parts[-1]), "")
    )
