"""The file `rules/lexicon.yaml`: phrases in two languages, compiled for the facts."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Literal

import re2
from pydantic import BaseModel, ConfigDict, Field

from groundrules.config.parsing import parse_model
from groundrules.config.strict_yaml import YamlDocument
from groundrules.errors import ConfigurationError, Issue
from groundrules.facts.lexicon import Lexicon, Phrases, compile_phrases

LISTS = ("overclaim", "absence", "bounded_absence", "cause", "negation", "advice", "inspection")


class PhraseList(BaseModel):
    """One list: why it is there, and its RE2 patterns by language, over folded text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    why: Annotated[str, Field(min_length=1)]
    zh: Annotated[tuple[str, ...], Field(min_length=1)]
    en: Annotated[tuple[str, ...], Field(min_length=1)]


class LexiconFile(BaseModel):
    """`rules/lexicon.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1]
    overclaim: PhraseList
    absence: PhraseList
    bounded_absence: PhraseList
    cause: PhraseList
    negation: PhraseList
    advice: PhraseList
    inspection: PhraseList


def load_lexicon(file: Path) -> Lexicon:
    """Read and compile the lexicon. Raises ConfigurationError with every issue."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError([Issue(str(file), 0, "$", f"cannot be read: {error}")]) from error
    read, issues = parse_model(text, str(file), LexiconFile)
    if read is None:
        raise ConfigurationError(issues)
    lists, document = read
    refused = [issue for name in LISTS for issue in _refused(getattr(lists, name), name, document)]
    if refused:
        raise ConfigurationError(refused)
    return Lexicon(
        overclaim=_compiled(lists.overclaim),
        absence=_compiled(lists.absence),
        bounded_absence=_compiled(lists.bounded_absence),
        cause=_compiled(lists.cause),
        negation=_compiled(lists.negation),
        advice=_compiled(lists.advice),
        inspection=_compiled(lists.inspection),
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
    )


def _compiled(phrases: PhraseList) -> Phrases:
    return compile_phrases((*phrases.zh, *phrases.en))


def _refused(phrases: PhraseList, name: str, document: YamlDocument) -> list[Issue]:
    issues = []
    for language, patterns in (("zh", phrases.zh), ("en", phrases.en)):
        for position, pattern in enumerate(patterns):
            path = f"$.{name}.{language}[{position}]"
            try:
                matches_nothing = re2.fullmatch(pattern, "") is None
            except re2.error as error:
                issues.append(Issue(document.file, document.line(path), path, f"RE2 refuses the pattern: {error}"))
                continue
            if not matches_nothing:
                issues.append(Issue(document.file, document.line(path), path, "the pattern matches the empty text"))
    return issues
