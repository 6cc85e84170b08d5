"""What the extractive executor states: claims made of quotations, and what is missing.

Owns the output document `executor_evidence_v2`. Refuses to infer: the only claims are that something was found, quoted
word for word, and that a query found no match. Invariants: every number and name of a claim stands in the items that it
cites, or in the scope of an empty result; an instruction inside an item is at most quoted (S0-2, S1-5.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import re2

from groundrules.models.extractive.cards import Card
from groundrules.models.extractive.naming import after_verb, before_of, noun_of, subject
from groundrules.models.extractive.observing import Seen
from groundrules.models.extractive.picking import Picked, folded, pick, quotation, stands_in
from groundrules.models.extractive.question import Question, Term
from groundrules.models.extractive.wording import say
from groundrules.records.claims import NEGATIVE
from groundrules.records.evidence import NO_EVIDENCE_PATH

_SECRET: Any = re2.compile(r"(?i)(?:password|passwd|pwd|secret|token|api[_-]?key|authorization)\"?\s*[=:]\s*\S")
"""What looks like a credential is never quoted."""
_PROSE_KEY: Any = re2.compile(
    r"(^|, )(?:title|heading|section|text|content|body|source)=(?:(?:[-*+]|\d{1,2}[.)、])\s+)?"
)
_LIST_MARK: Any = re2.compile(r"^\s*(?:[-*+]|\d{1,2}[.)、])\s+")
_FIELDS: Any = re2.compile(r"\w+=[^=]*, \w+=")
_ENDS = "。.;；,， "
MAX_CLAIMS = 3
MAX_ITEMS = 5
EXCERPT_CHARS = 480
EMPTY_CHARS = 2_000
CLAIM_CHARS = 480


@dataclass(frozen=True, slots=True)
class Brief:
    """What the executor works under."""

    question: Question
    narrow: bool
    locale: str
    cards: Mapping[str, Card]
    """The tools by name."""

    def is_reference(self, seen: Seen) -> bool:
        """Whether it says what is written down, not what is the case."""
        card = self.cards.get(seen.request.tool_name)
        return seen.relevance == "REFERENCE" or (card is not None and card.is_reference)

    def noun(self, seen: Seen) -> Term | None:
        return noun_of(self.question, self.cards.get(seen.request.tool_name))


@dataclass(frozen=True, slots=True)
class _Quoted:
    path: str
    excerpt: str
    told: str
    """The part of the excerpt that the claim repeats."""


def state(brief: Brief, seen: Sequence[Seen], dropped: frozenset[str]) -> dict[str, Any]:
    """The executor's output. `dropped` are ids of claims that did not pass before."""
    claims: list[dict[str, Any]] = []
    gaps: list[str] = [] if seen else [say("gap_nothing_placed", brief.locale)]
    for one in seen:
        claim, gap = _outcome(brief, one, _names_of(brief.question, one, seen))
        claims += [claim] if claim else []
        gaps += [say(gap, brief.locale)] if gap else []
    found = [claim for claim in claims if claim["claim_type"] != NEGATIVE]
    # An open question asks several tools: that one has nothing is no answer once another has something.
    claims = found if found and not brief.narrow else [*found, *(claim for claim in claims if claim not in found)]
    kept = _numbered(claims[: 2 if brief.narrow else MAX_CLAIMS], dropped)
    if len(kept) < len(claims) and dropped:
        gaps.append(say("gap_dropped", brief.locale))
    return {
        "answer_version": "executor_evidence_v2",
        "claims": kept,
        "hypotheses": [],
        "recommended_actions": [],
        "missing_info": list(dict.fromkeys(gaps)),
    }


def _numbered(claims: Iterable[dict[str, Any]], dropped: frozenset[str]) -> list[dict[str, Any]]:
    numbered = ({"claim_id": f"claim-{number}"} | claim for number, claim in enumerate(claims, start=1))
    return [claim for claim in numbered if claim["claim_id"] not in dropped and "*" not in dropped]


def _names_of(question: Question, one: Seen, seen: Sequence[Seen]) -> list[str]:
    """The names that a call answers for: those that it asked about, and those that no call asked about."""
    asked = [folded(" ; ".join(str(value) for value in other.request.arguments.values())) for other in seen]
    own = asked[seen.index(one)]
    names = [(name, folded(name)) for name in question.names]
    return [name for name, low in names if stands_in(low, own) or not any(stands_in(low, text) for text in asked)]


def _outcome(brief: Brief, seen: Seen, names: Sequence[str]) -> tuple[dict[str, Any] | None, str]:
    """A claim, or the key of the gap that is left."""
    reference = brief.is_reference(seen)
    if seen.invocation_id is None:
        return None, "gap_refused"
    if seen.status == "failed":
        return None, "gap_failed"
    if reference and brief.narrow:
        return None, "gap_unrelated"
    if seen.status == "no_evidence":
        return _negative(brief, seen)
    picked = pick(brief.question, seen, names, reference=reference)
    return _positive(brief, seen, picked, reference=reference) if picked else (None, "gap_unrelated")


def _negative(brief: Brief, seen: Seen) -> tuple[dict[str, Any] | None, str]:
    empty = next((ref.text for ref in seen.evidence if ref.raw_path == NO_EVIDENCE_PATH and ref.text.strip()), "")
    if not empty:
        return None, "gap_unrelated"
    phrase = _looked_for(brief, seen, empty)
    phrase = after_verb(phrase if brief.noun(seen) else before_of(phrase, brief.locale), brief.locale)
    known = "not_found" if brief.noun(seen) else "not_found_of"
    text = say(known if phrase else "not_found_bare", brief.locale, subject=phrase)
    binding = _binding(seen, NO_EVIDENCE_PATH, quotation(empty, brief.question.content, EMPTY_CHARS) or empty)
    return _claim(NEGATIVE, text, [binding]), ""


def _looked_for(brief: Brief, seen: Seen, empty: str) -> str:
    """The scope of an empty result in the question's words, as far as the result's own text has them."""
    text, asked = folded(empty), seen.request.arguments
    noun = brief.noun(seen)
    spoken = [term for term in brief.question.terms if term is noun or _spoken(term, text)]
    told = folded(" ".join(term.text for term in spoken))
    unsaid = {name: value for name, value in seen.scope.items() if name in asked and not _covered(str(value), told)}
    limits = ", ".join(f"{name}={value}" for name, value in unsaid.items() if _covered(value, text))
    phrase = subject(spoken, brief.locale)
    return phrase + (say("limits", brief.locale, limits=limits) if phrase and limits else "")


def _spoken(term: Term, text: str) -> bool:
    return term.kind not in ("kind", "time") and stands_in(folded(term.text), text)


def _covered(value: str, text: str) -> bool:
    return all(word in text for word in folded(value).split())


def _positive(
    brief: Brief, seen: Seen, picked: Sequence[Picked], *, reference: bool
) -> tuple[dict[str, Any] | None, str]:
    most = 1 if reference else MAX_ITEMS
    quoted = _quotations(brief, picked[:most])
    if not quoted:
        return None, "gap_unquotable"
    bindings = [_binding(seen, one.path, one.excerpt) for one in quoted]
    more = len(picked) > len(quoted)
    text = _written(brief, quoted[0]) if reference else _found(brief, seen, quoted, more=more)
    return _claim("observation", text, bindings), ""


def _quotations(brief: Brief, picked: Sequence[Picked]) -> list[_Quoted]:
    """As many items as the claim has room for, each quoted once."""
    quoted: list[_Quoted] = []
    room = CLAIM_CHARS
    terms = brief.question.content
    for one in picked:
        excerpt = quotation(one.ref.text, terms, EXCERPT_CHARS)
        told = quotation(excerpt, terms, CLAIM_CHARS)
        fresh = not _SECRET.search(excerpt) and all(one.ref.raw_path != other.path for other in quoted)
        if excerpt and told and fresh and (len(told) <= room or not quoted):
            quoted.append(_Quoted(one.ref.raw_path, excerpt, _on_one_line(told)))
            room -= len(told)
    return quoted


def _on_one_line(told: str) -> str:
    """The lines in a row, without the marks of a list: its numbering is no fact."""
    return " ".join(" ".join(_LIST_MARK.sub("", line).split()) for line in told.splitlines() if line.strip())


def _written(brief: Brief, quoted: _Quoted) -> str:
    prose = _PROSE_KEY.sub("\\1", quoted.told)
    return say("written", brief.locale, quoted=prose.rstrip(_ENDS))


def _found(brief: Brief, seen: Seen, quoted: Sequence[_Quoted], *, more: bool) -> str:
    told = [one.told.rstrip(_ENDS) for one in quoted]
    noun, names = brief.noun(seen), _named(brief.question, quoted)
    spoken = [term for term in brief.question.terms if term is noun or term.text in names]
    phrase = after_verb(subject(spoken, brief.locale) or say("noun", brief.locale), brief.locale)
    if len(told) == 1 and _FIELDS.match(told[0]):
        return say("found", brief.locale, subject=phrase, quoted=_without(told[0], names))
    joined = say("separator", brief.locale).join(told)
    return say("found_some" if more else "found_text", brief.locale, subject=phrase, quoted=joined)


def _named(question: Question, quoted: Sequence[_Quoted]) -> list[str]:
    """Names of the question that every quoted item has as a whole."""
    texts = [folded(one.excerpt) for one in quoted]
    return [name for name in question.of("name") if all(stands_in(folded(name), text) for text in texts)]


def _without(told: str, names: Sequence[str]) -> str:
    """The fields that the subject does not already say."""
    said = {folded(name) for name in names}
    fields = [field for field in told.split(", ") if folded(field.partition("=")[2]) not in said]
    return ", ".join(fields) or told


def _binding(seen: Seen, path: str, excerpt: str) -> dict[str, Any]:
    return {
        "source_type": "tool_trace",
        "source_id": "",
        "tool_name": seen.request.tool_name,
        "source_invocation_id": seen.invocation_id,
        "raw_path": path,
        "evidence_excerpt": excerpt,
    }


def _claim(kind: str, text: str, bindings: list[dict[str, Any]]) -> dict[str, Any]:
    return {"claim_type": kind, "claim_text": text, "support_level": "direct", "evidence_bindings": bindings}
