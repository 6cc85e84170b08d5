"""A question read into terms: names, numbers, quoted phrases, times, kinds of things, and the words that are left.

Owns the reading. Refuses to understand: it knows no grammar, only the shapes of tokens and the closed lists of `words`.
Invariant: a pure function of the text, bounded in its length; every term is a piece of the question as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import re2

from groundrules.models.extractive import words

TermKind = Literal["name", "word", "number", "phrase", "time", "kind", "han"]
MAX_QUESTION = 2_000

_TOKEN: Any = re2.compile(
    r'"(?P<q1>[^"]{1,200})"|“(?P<q2>[^”]{1,200})”|「(?P<q3>[^」]{1,200})」|『(?P<q4>[^』]{1,200})』|`(?P<q5>[^`]{1,200})`'
    r"|(?P<time>\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?)"
    r"|(?P<latin>[A-Za-z0-9_][A-Za-z0-9_./:%@+-]*)"
    r"|(?P<han>\p{Han}+)"
)
_NUMBER: Any = re2.compile(r"\d+(?:\.\d+)?%?")
_INNER_CAPITAL: Any = re2.compile(r".*[a-z].*[A-Z].*|[A-Z]{2,}[a-z]+.*|[A-Z][a-z]+[A-Z].*")
_NAME_MARK: Any = re2.compile(r".*[0-9_./:-].*")
_WORD: Any = re2.compile(r"[A-Za-z]+")
_LONGEST = 6


@dataclass(frozen=True, slots=True)
class Term:
    """A piece of the question."""

    text: str
    kind: TermKind
    before: str = ""
    """What stands right before it: the latin word or the Chinese run, in lower case."""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read."""

    text: str
    terms: tuple[Term, ...]
    how_to: bool
    """It asks what is written down, not what is the case."""

    def of(self, *kinds: TermKind) -> tuple[str, ...]:
        """The texts of its terms of these kinds, in order."""
        return tuple(term.text for term in self.terms if term.kind in kinds)

    @property
    def names(self) -> tuple[str, ...]:
        """What an answer must be about: names, numbers and quoted phrases."""
        return self.of("name", "number", "phrase")

    @property
    def content(self) -> tuple[str, ...]:
        """Everything that it asks about, names included, without kinds and times."""
        return self.of("name", "number", "phrase", "word", "han")


def read_question(text: str) -> Question:
    """The terms of a question, in the order of the text."""
    bounded = text[:MAX_QUESTION]
    pieces = [(name, value) for match in _TOKEN.finditer(bounded) for name, value in _group(match)]
    terms: list[Term] = []
    for at, (name, value) in enumerate(pieces):
        before = pieces[at - 1][1].casefold() if at else ""
        after = pieces[at + 1][1].casefold() if at + 1 < len(pieces) else ""
        terms += _terms(name, value, before, after, first=at == 0)
    folded = " ".join(bounded.casefold().split())
    return Question(text, tuple(terms), any(phrase in folded for phrase in words.HOW_TO))


def kinds_in(text: str) -> tuple[str, ...]:
    """The kinds of things that a longer text speaks of, each once, without reading it as a question."""
    stems = {stem(word) for word in _WORD.findall(text)}
    return (*(kind for kind in sorted(words.KINDS_ZH) if kind in text), *sorted(words.KINDS_EN & stems))


def is_han(text: str) -> bool:
    """Whether a text begins with a Chinese character."""
    return bool(text) and "\u3400" <= text[0] <= "\u9fff"


def stem(word: str) -> str:
    """A latin word in lower case without its plural s."""
    low = word.casefold()
    return low[:-1] if len(low) > 3 and low.endswith("s") and not low.endswith("ss") else low


def _group(match: Any) -> Iterator[tuple[str, str]]:
    for name, value in match.groupdict().items():
        if value:
            yield name, value


def _terms(name: str, value: str, before: str, after: str, *, first: bool) -> Iterator[Term]:
    if name.startswith("q"):
        yield Term(value.strip(), "phrase", before, after)
    elif name == "time":
        yield Term(value, "time", before, after)
    elif name == "latin":
        yield from _latin(value.rstrip("./:-+@"), before, after)
    else:
        yield from _han(_without_imperative(value) if first else value)


def _latin(token: str, before: str, after: str) -> Iterator[Term]:
    low = token.casefold()
    if _NUMBER.fullmatch(token):
        yield Term(token, "number", before, after)
    elif _INNER_CAPITAL.fullmatch(token) or _NAME_MARK.fullmatch(token):
        yield Term(token, "name", before, after)
    elif stem(token) in words.KINDS_EN or low in words.KINDS_EN:
        yield Term(token, "kind", before, after)
    elif low not in words.ASKING_EN and len(token) > 1:
        yield Term(token, "word", before, after)


def _without_imperative(run: str) -> str:
    for verb in words.IMPERATIVES_ZH:
        if run.startswith(verb):
            return run.removeprefix(verb)
    return run


def _han(run: str) -> Iterator[Term]:
    """Cuts a run at asking words and kinds of things, the longest first; what is left are its pieces."""
    piece, at = "", 0
    while at < len(run):
        known = _known_word(run, at)
        if not known:
            piece += run[at]
            at += 1
            continue
        yield from _piece(piece)
        piece, at = "", at + len(known)
        if known in words.KINDS_ZH:
            yield Term(known, "kind")
    yield from _piece(piece)


def _known_word(run: str, at: int) -> str:
    for length in range(min(_LONGEST, len(run) - at), 0, -1):
        word = run[at : at + length]
        if word in words.KINDS_ZH or word in words.ASKING_ZH:
            return word
    return ""


def _piece(piece: str) -> Iterator[Term]:
    while piece and piece[-1] in words.EDGES_ZH:
        piece = piece[:-1]
    while piece and piece[0] in words.LEADING_ZH:
        piece = piece[1:]
    if len(piece) > 1:
        yield Term(piece, "han")
