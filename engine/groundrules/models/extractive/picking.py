"""Which of the returned items answer the question, and which words of them to quote.

Owns relevance by words in common, and the cutting of quotations. Refuses items that lack what identifies the question,
and texts that have no border to be cut at. Invariant: a quotation is a piece of the text as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import re2

from groundrules.excerpts.fold import caseless, fold
from groundrules.models.extractive import words
from groundrules.models.extractive.observing import Seen
from groundrules.models.extractive.question import Question, is_han
from groundrules.records.evidence import NO_EVIDENCE_PATH, EvidenceRef

READ_LIMIT = 8_000
"""Characters of an item that are looked at."""
REFERENCE_SHARE = 0.34
"""A passage of a runbook answers when it has at least this share of the words asked about."""
HEAD_CHARS = 120
_SEGMENT: Any = re2.compile(r"(?s).*?(?:[。；！？\n|]|[,;!?] |[^0-9\s]\. |$)")
_FILE_ENDINGS = (".md", ".txt", ".log", ".yaml", ".yml", ".json")
"""A file's name ends here: KubePodCrashLooping.md is about KubePodCrashLooping."""
_SEPARATORS = " \t\r\n,;|，；"


@dataclass(frozen=True, slots=True)
class Picked:
    """An item that answers, and how well."""

    ref: EvidenceRef
    score: float


def pick(question: Question, seen: Seen, names: Sequence[str], *, reference: bool) -> tuple[Picked, ...]:
    """The items that answer the question, best first, the tool's order among equals.

    `names` are those of the question that this call was to look up.
    """
    scope = _exact_scope(seen)
    picked: list[Picked] = []
    for ref in seen.evidence:
        text = folded(ref.text[:READ_LIMIT])
        if ref.raw_path == NO_EVIDENCE_PATH or not text.strip():
            continue
        share = overlap(question.content, text)
        if reference:
            share += _handling(question, text) if share >= REFERENCE_SHARE else 0
        if share >= REFERENCE_SHARE if reference else _identified(question, names, text, scope):
            picked.append(Picked(ref, share))
    return tuple(sorted(picked, key=lambda one: -one.score))


def _exact_scope(seen: Seen) -> str:
    """What the tool filtered by exactly. A free text only says what was looked for."""
    used = seen.request.arguments
    return folded(" ; ".join(value for name, value in seen.scope.items() if name in used and name != "query"))


def _identified(question: Question, names: Sequence[str], text: str, scope: str) -> bool:
    """Whether the item is about every name, or, without names, about some word of the question."""
    if names:
        return all(stands_in(folded(name), text) or stands_in(folded(name), scope) for name in names)
    return not question.content or overlap(question.content, text) > 0 or bool(scope)


def _handling(question: Question, text: str) -> float:
    """A passage that begins with how to check or handle comes before one about symptoms, when that was asked."""
    head, asked = text[:HEAD_CHARS], folded(question.text)
    doing = sum(min(2, head.count(word)) for word in words.DOING) if question.how_to else 0
    looking = sum(word in head and word in asked for word in words.LOOKING)
    return 0.1 * doing + 0.25 * looking


def overlap(terms: Sequence[str], text: str) -> float:
    """The share of the terms that stand in a folded text; a Chinese term counts by its pairs of characters."""
    return sum(_share(folded(term), text) for term in terms) / len(terms) if terms else 0.0


def _share(term: str, text: str) -> float:
    if not is_han(term):
        return float(stands_in(term, text) or (term.endswith("s") and stands_in(term[:-1], text)))
    pairs = [term[at : at + 2] for at in range(max(1, len(term) - 1))]
    return sum(pair in text for pair in pairs) / len(pairs)


def stands_in(term: str, text: str) -> bool:
    """Whether a folded term stands in a folded text as a whole: 4821 does not stand in 48210."""
    at = text.find(term)
    while term and at >= 0:
        if not _joined(text, at - 1, at, step=-1) and not _joined(text, at + len(term), at + len(term) - 1, step=1):
            return True
        at = text.find(term, at + 1)
    return False


def _joined(text: str, outer: int, inner: int, *, step: int) -> bool:
    """Whether a token goes on beyond the place: through letters and digits, or a mark between them."""
    if not (0 <= outer < len(text)) or not _is_token(text[inner]):
        return False
    if step > 0 and text.startswith(_FILE_ENDINGS, outer):
        return False
    beyond = outer + step
    return _is_token(text[outer]) or (text[outer] in "-." and 0 <= beyond < len(text) and _is_token(text[beyond]))


def _is_token(character: str) -> bool:
    return character == "_" or (character.isascii() and character.isalnum())


def quotation(text: str, terms: Iterable[str], limit: int) -> str:
    """The piece of a text, cut at borders of its segments, that holds most of the terms; empty when there is none."""
    bounded = text[:READ_LIMIT]
    if len(text) <= limit:
        return text.strip()
    segments = [piece for piece in _SEGMENT.findall(bounded) if piece]
    if len(text) > READ_LIMIT:
        segments = segments[:-1]
    wanted = [folded(term) for term in terms]
    best, most = "", -1
    for start in range(len(segments)):
        piece = _run(segments, start, limit)
        held = sum(_share(term, folded(piece)) > 0 for term in wanted)
        if piece.strip(_SEPARATORS) and held > most:
            best, most = piece, held
    return best.strip(_SEPARATORS)


def _run(segments: Sequence[str], start: int, limit: int) -> str:
    length, end = 0, start
    while end < len(segments) and length + len(segments[end]) <= limit:
        length += len(segments[end])
        end += 1
    return "".join(segments[start:end])


def folded(text: str) -> str:
    """A text for comparison: width and case folded."""
    return caseless(fold(text))
