"""Tool cards: `adapters/tools/NAME.yaml`, one file per tool, no code (G-3).

Owns the card's models and loading. Refuses unknown keys, a JSONPath outside the plain subset, a pattern that RE2
refuses, a name that the input schema does not have. Invariant: a loaded card is compiled; calls parse nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import re2
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from groundrules.conditions import All, Condition, literal_types, parse_condition
from groundrules.config.card_checks import card_issues
from groundrules.config.parsing import parse_model
from groundrules.errors import Issue
from groundrules.projection import (
    FieldSpec,
    JsonPath,
    ProjectionSpec,
    RelevanceSpec,
    ScopeSpec,
    compile_patterns,
    lint_path,
    parse_path,
)
from groundrules.records.evidence import SourceKind
from groundrules.records.exchange import ToolDefinition


def _plain_path(text: str) -> str:
    problem = lint_path(text)
    if problem:
        raise ValueError(problem)
    return text


def _re2_pattern(text: str) -> str:
    try:
        compile_patterns((text,))
    except re2.error as error:
        reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else error
        message = f"the pattern is refused by RE2: {reason}"
        raise ValueError(message) from error
    return text


PathText = Annotated[str, AfterValidator(_plain_path)]
PatternText = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(_re2_pattern)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
Seconds = Annotated[float, Field(gt=0, le=600)]


class CardModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Description(CardModel):
    """What can be asked, and which words of a question point to it."""

    zh: Annotated[str, Field(min_length=1, max_length=2000)]
    en: Annotated[str, Field(min_length=1, max_length=2000)]


class Match(CardModel):
    """How an argument selects items of a file."""

    path: PathText | None = None
    """The item's field; none for the whole line of a text."""
    how: Literal["equals", "contains", "words", "since", "until"] = "equals"


class FilesTransport(CardModel):
    kind: Literal["files"]
    path: Annotated[str, Field(min_length=1)]
    """From the project's folder, or from `${NAME}/…`, a folder that an environment variable names."""
    format: Literal["json", "jsonl", "text"]
    items: PathText | None = None
    match: dict[str, Match] = Field(default_factory=dict)
    timeout_s: Seconds = 10.0


class SqlTransport(CardModel):
    kind: Literal["sql"]
    query: Annotated[str, Field(min_length=1)]
    """One SELECT; `$name` is the argument of that name, NULL when it was not given."""
    files: Annotated[dict[Name, str | tuple[str, ...]], Field(min_length=1)]
    """Table name to file, glob or several of them: CSV, JSON lines, JSON or Parquet."""
    max_rows: Annotated[int, Field(ge=1, le=10_000)] = 200
    timeout_s: Seconds = 10.0


class PythonTransport(CardModel):
    kind: Literal["python"]
    entry_point: Annotated[str, Field(min_length=1)]
    """A name of the entry-point group `groundrules.tools`."""
    settings: dict[str, Any] = Field(default_factory=dict)
    paths: dict[Name, str] = Field(default_factory=dict)
    """Files and folders of the tool; it gets them resolved, as settings of these names."""
    timeout_s: Seconds = 10.0


Transport = Annotated[FilesTransport | SqlTransport | PythonTransport, Field(discriminator="kind")]


class ScopeCard(CardModel):
    fields: tuple[str, ...] = ()
    fold_case: tuple[str, ...] = ()
    unordered_words: tuple[str, ...] = ()
    round_s: dict[str, Annotated[int, Field(ge=1, le=86_400)]] = Field(default_factory=dict)
    defaults: dict[str, Annotated[str, Field(min_length=1)]] = Field(default_factory=dict)


class Poll(CardModel):
    """Whether asking the same again is lawful, because the answer may change."""

    allowed: bool = False
    min_interval_s: Annotated[float, Field(ge=0, le=86_400)] = 0.0


class RefField(CardModel):
    key: Annotated[str, Field(min_length=1)]
    path: PathText


class Relevance(CardModel):
    score: PathText
    direct_from: Annotated[float, Field(ge=0, le=1)]
    hints: PathText | None = None
    min_hints: Annotated[int, Field(ge=0, le=100)] = 1


class NoEvidence(CardModel):
    patterns: tuple[PatternText, ...] = ()
    """Each must match the whole output, outer white space aside."""
    total: PathText | None = None


class Failed(CardModel):
    patterns: tuple[PatternText, ...] = ()
    """One found anywhere in the output makes it a failure: anchor it, as in `(?m)^Error from server`."""
    when: dict[str, Any] | None = None
    """A condition over the answer's top-level fields."""


class Projection(CardModel):
    items: PathText | None = None
    lines: Literal[True] | None = None
    blocks: Literal[True] | None = None
    collection: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=64)] | None = None
    where: dict[str, Any] | None = None
    unique: PathText | None = None
    skip: tuple[PatternText, ...] = ()
    fields: tuple[RefField, ...] = ()
    text: PathText | None = None
    relevance: Relevance | None = None
    no_evidence: NoEvidence = NoEvidence()
    failed: Failed = Failed()


class Limits(CardModel):
    max_items: Annotated[int, Field(ge=1, le=200)] = 20
    max_text_chars: Annotated[int, Field(ge=40, le=20_000)] = 600
    max_bytes: Annotated[int, Field(ge=1, le=64 * 1024 * 1024)] = 1_048_576


class CardFile(CardModel):
    """`adapters/tools/NAME.yaml`."""

    format: Literal[1]
    name: Name
    version: Annotated[str, Field(min_length=1, max_length=40)]
    description: Description
    source_kind: SourceKind = "environment"
    input: dict[str, Any]
    """JSON Schema of the arguments, registered through native tool calling (S1-5.1)."""
    transport: Transport
    scope: ScopeCard = ScopeCard()
    poll: Poll = Poll()
    projection: Projection
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class ToolCard:
    """A card, compiled."""

    card: CardFile
    file: str
    content_hash: str
    """Over the card's meaning: comments and the order of keys do not count."""
    compiled: ProjectionSpec

    @property
    def name(self) -> str:
        return self.card.name

    @property
    def version(self) -> str:
        return self.card.version

    @property
    def transport(self) -> FilesTransport | SqlTransport | PythonTransport:
        return self.card.transport

    @property
    def poll(self) -> Poll:
        return self.card.poll

    @property
    def limits(self) -> Limits:
        return self.card.limits

    @property
    def collection(self) -> str:
        return self.compiled.collection

    def projection(self) -> ProjectionSpec:
        """How its answers become evidence."""
        return self.compiled

    def scope_spec(self) -> ScopeSpec:
        """Which arguments make two calls ask the same; all of them when the card names none."""
        scope = self.card.scope
        return ScopeSpec(
            fields=scope.fields or tuple(self.card.input.get("properties", {})),
            fold_case=frozenset(scope.fold_case),
            unordered_words=frozenset(scope.unordered_words),
            round_s=dict(scope.round_s),
            defaults=dict(scope.defaults),
        )

    def definition(self, locale: str) -> ToolDefinition:
        """How it is registered with a model; English for a locale that the card does not have."""
        text = self.card.description.zh if locale == "zh" else self.card.description.en
        return ToolDefinition(self.card.name, text, self.card.input)


def load_card(path: Path) -> tuple[ToolCard | None, tuple[Issue, ...]]:
    """The card of a file, or every issue that keeps it from being one."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return None, (Issue(str(path), 0, "$", f"cannot be read: {type(error).__name__}", "check the path"),)
    read, issues = parse_model(text, str(path), CardFile)
    if read is None:
        return None, issues
    card, document = read
    where, problems = _condition(card.projection.where, "$.projection.where")
    when, more = _condition(card.projection.failed.when, "$.projection.failed.when")
    plain = document.value if isinstance(document.value, Mapping) else {}
    found = (*problems, *more, *card_issues(plain, str(path)))
    if found:
        placed = (document.issue(issue.path, issue.message, issue.hint, issue.keyword or "card") for issue in found)
        return None, tuple(sorted(placed, key=lambda issue: (issue.line, issue.path)))
    canonical = json.dumps(document.value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    return ToolCard(card, str(path), digest, _projection(card, where, when)), ()


def _condition(source: Mapping[str, Any] | None, path: str) -> tuple[Condition | None, tuple[Issue, ...]]:
    if source is None:
        return None, ()
    condition, issues = parse_condition(source, type_of=literal_types, params={}, path=path)
    return (None if condition == All(()) else condition), issues


def _projection(card: CardFile, where: Condition | None, when: Condition | None) -> ProjectionSpec:
    given, limits = card.projection, card.limits
    shape: Literal["items", "lines", "blocks"] = "items" if given.items else "lines" if given.lines else "blocks"
    return ProjectionSpec(
        collection=given.collection or shape,
        shape=shape,
        items=_path(given.items),
        where=where,
        unique=_path(given.unique),
        skip=compile_patterns(given.skip),
        fields=tuple(FieldSpec(field.key, parse_path(field.path)) for field in given.fields),
        text=_path(given.text),
        relevance=_relevance(given.relevance),
        total=_path(given.no_evidence.total),
        no_evidence=compile_patterns(given.no_evidence.patterns),
        failed=compile_patterns(given.failed.patterns),
        failed_when=when,
        max_items=limits.max_items,
        max_text_chars=limits.max_text_chars,
        max_bytes=limits.max_bytes,
        source_kind=card.source_kind,
    )


def _relevance(given: Relevance | None) -> RelevanceSpec | None:
    if given is None:
        return None
    return RelevanceSpec(parse_path(given.score), given.direct_from, _path(given.hints), given.min_hints)


def _path(text: str | None) -> JsonPath | None:
    return parse_path(text) if text is not None else None
