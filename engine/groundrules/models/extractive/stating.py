"""What the extractive executor states: claims made of quotations, and what is missing.

Owns the output document `executor_evidence_v2`. Refuses to infer: the only claims are that something was found, quoted
word for word, and that a query found no match. Invariants: every number and name of a claim stands in the items that it
cites, or in the scope of an empty result; an instruction inside an item is at most quoted (S0-2, S1-5.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundrules.models.extractive import words
from groundrules.models.extractive.observing import Seen
from groundrules.models.extractive.picking import Picked, folded, pick, quotation, stands_in
from groundrules.models.extractive.question import Question, stem
from groundrules.models.extractive.wording import say
from groundrules.records.evidence import NO_EVIDENCE_PATH

MAX_CLAIMS = 3
MAX_ITEMS = 5
EXCERPT_CHARS = 480
CLAIM_CHARS = 480


@dataclass(frozen=True, slots=True)
class Brief:
    """What the executor works under."""

    question: Question
    narrow: bool
    locale: str
    references: frozenset[str]
    """Names of the tools that look at what is written down."""


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
        claim, gap = _outcome(brief, one)
        claims += [claim] if claim else []
        gaps += [say(gap, brief.locale)] if gap else []
    claims.sort(key=lambda claim: claim["claim_type"] == "negative_observation")
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


def _outcome(brief: Brief, seen: Seen) -> tuple[dict[str, Any] | None, str]:
    """A claim, or the key of the gap that is left."""
    reference = seen.request.tool_name in brief.references or seen.relevance == "REFERENCE"
    if seen.invocation_id is None:
        return None, "gap_refused"
    if seen.status == "failed":
        return None, "gap_failed"
    if reference and brief.narrow:
        return None, "gap_unrelated"
    if seen.status == "no_evidence":
        return _negative(brief, seen)
    picked = pick(brief.question, seen, reference=reference)
    return _positive(brief, seen, picked, reference=reference) if picked else (None, "gap_unrelated")


def _negative(brief: Brief, seen: Seen) -> tuple[dict[str, Any] | None, str]:
    empty = next((ref.text for ref in seen.evidence if ref.raw_path == NO_EVIDENCE_PATH and ref.text.strip()), "")
    if not empty:
        return None, "gap_unrelated"
    subject = _looked_for(brief, seen, empty)
    text = say("not_found", brief.locale, subject=subject) if subject else say("not_found_bare", brief.locale)
    binding = _binding(seen, NO_EVIDENCE_PATH, empty)
    return _claim("negative_observation", text, [binding]), ""


def _looked_for(brief: Brief, seen: Seen, empty: str) -> str:
    """The scope of an empty result in words, only as far as the result's own text has it."""
    text, asked = folded(empty), seen.request.arguments
    known = {name: str(value) for name, value in asked.items() if name in seen.scope and _covered(str(value), text)}
    search = known.pop("query", "")
    times = {name: seen.scope[name] for name in known if name in _time_names(asked)}
    owner = " ".join(value for name, value in known.items() if name not in times)
    noun = _noun(brief) or say("no_match_noun", brief.locale)
    thing = _spaced(search, noun)
    subject = say("of", brief.locale, owner=owner, thing=thing) if owner and thing else owner or thing
    limits = ", ".join(f"{name}={value}" for name, value in times.items() if folded(value) in text)
    return subject + (say("limits", brief.locale, limits=limits) if subject and limits else "")


def _time_names(arguments: Mapping[str, Any]) -> set[str]:
    return {name for name, value in arguments.items() if isinstance(value, str) and value[4:5] == "-" and "T" in value}


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
    text = _found(brief, quoted, more=len(picked) > len(quoted), reference=reference)
    return _claim("observation", text, bindings), ""


def _quotations(brief: Brief, picked: Sequence[Picked]) -> list[_Quoted]:
    """As many items as the claim has room for, each quoted once."""
    quoted: list[_Quoted] = []
    room = CLAIM_CHARS
    terms = brief.question.content
    for one in picked:
        excerpt = quotation(one.ref.text, terms, EXCERPT_CHARS)
        told = quotation(excerpt, terms, CLAIM_CHARS)
        fresh = all(one.ref.raw_path != other.path for other in quoted)
        if excerpt and told and fresh and (len(told) <= room or not quoted):
            quoted.append(_Quoted(one.ref.raw_path, excerpt, " ".join(told.split())))
            room -= len(told)
    return quoted


def _found(brief: Brief, quoted: Sequence[_Quoted], *, more: bool, reference: bool) -> str:
    told = [one.told.rstrip("。.;；,， ") for one in quoted]
    if reference:
        return say("written", brief.locale, quoted=told[0])
    names = _named(brief.question, quoted)
    noun = _noun(brief) or say("noun", brief.locale)
    subject = _subject(names, noun, brief.locale)
    if len(told) == 1 and told[0].count("=") > 1 and ", " in told[0]:
        return say("found", brief.locale, subject=subject, quoted=_without(told[0], names))
    joined = say("separator", brief.locale).join(told)
    return say("found_some" if more else "found_text", brief.locale, subject=subject, quoted=joined)


def _subject(names: Sequence[str], noun: str, locale: str) -> str:
    if locale == "en" or not names:
        return " ".join((*names, noun))
    return say("of", locale, owner=names[0], thing=" ".join((*names[1:], noun)))


def _named(question: Question, quoted: Sequence[_Quoted]) -> list[str]:
    """Names of the question that every quoted item has as a whole."""
    texts = [folded(one.excerpt) for one in quoted]
    return [name for name in question.of("name") if all(stands_in(folded(name), text) for text in texts)]


def _without(told: str, names: Sequence[str]) -> str:
    """The fields that the subject does not already say."""
    said = {folded(name) for name in names}
    fields = [field for field in told.split(", ") if folded(field.partition("=")[2]) not in said]
    return ", ".join(fields) or told


def _noun(brief: Brief) -> str:
    """What kind of thing the question asks about, in its own word."""
    vague = {"信息", "内容", "列表", "条目", "服务", "实例", "service", "instance"}
    kinds = [kind for kind in brief.question.of("kind") if kind not in words.LEVELS and stem(kind) not in vague]
    return next((kind for kind in kinds if kind.isascii() == (brief.locale == "en")), next(iter(kinds), ""))


def _spaced(search: str, noun: str) -> str:
    joint = "" if search and noun and not search[-1].isascii() and not noun[0].isascii() else " "
    return f"{search}{joint}{noun}".strip()


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
