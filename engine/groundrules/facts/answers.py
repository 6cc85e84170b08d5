"""The facts of a text that is about to be published: what in it stands in no allowed claim (G-5, S0-6).

Pure. Invariant: the question is never a source; what the user asked does not become true by being repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import re2

from groundrules.excerpts import things_missing
from groundrules.facts.catalogue import resting_facts
from groundrules.facts.fields import list_of, text_of
from groundrules.facts.lexicon import Lexicon, plain
from groundrules.records.decisions import Scalar

_CLAUSE_END = re2.compile(r"[。！？!?;；，\n]+|[.,](?:\s|$)")
_WORD = re2.compile(r"[\p{Han}]+|[\p{L}\p{N}_]{2,}")
MAX_CLAUSES = 400


@dataclass(frozen=True, slots=True)
class AllowedMaterial:
    """What an answer may be made of."""

    positive: tuple[str, ...]
    """Texts of allowed claims that state something found."""
    negative: tuple[str, ...]
    """Texts of allowed claims of absence."""
    other: tuple[str, ...] = ()
    """Allowed hypotheses, missing information and actions."""
    actions: tuple[tuple[str, str], ...] = ()
    """The actions that may be recommended, each with its reason."""
    frames: tuple[str, ...] = ()
    """Fixed wording of the house, which states nothing."""

    @property
    def claims(self) -> tuple[str, ...]:
        return self.positive + self.negative

    @property
    def texts(self) -> tuple[str, ...]:
        return self.claims + self.other


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """The texts that a user would read."""

    summary: str
    body: str
    actions: tuple[tuple[str, str], ...]
    """(action_text, reason) pairs."""

    @property
    def text(self) -> str:
        return "\n".join((self.summary, self.body, *(part for action in self.actions for part in action)))


def answer_facts(
    answer: StatedAnswer, allowed: AllowedMaterial, *, contract_valid: bool, lexicon: Lexicon
) -> tuple[dict[str, Scalar], tuple[str, ...]]:
    """All facts of catalogue kind `answer`, and in words what stands in no allowed claim; at most 20.

    The words are for the second asking and for the trace.
    """
    text = answer.text
    missing = things_missing(text, allowed.texts)
    overclaims = lexicon.overclaim.found(text, quoted=allowed.positive)
    causes = lexicon.cause.found(text, quoted=allowed.texts)
    negations = lexicon.negation.found(text, quoted=allowed.texts + allowed.frames)
    advice = lexicon.advice.found(text, quoted=allowed.texts)
    says_absent = lexicon.absence.found(text, quoted=allowed.positive + allowed.other)
    facts = resting_facts("answer") | {
        "contract_valid": contract_valid,
        "empty": not answer.body.strip(),
        "overclaims": len(overclaims),
        "uncovered_things": sum(thing.kind != "state" for thing in missing),
        "unclaimed_states": sum(thing.kind == "state" for thing in missing),
        "unclaimed_negations": len(negations),
        "unclaimed_advice": len(advice),
        "unclaimed_causes": len(causes),
        "least_sentence_overlap": least_overlap(text, allowed.texts + allowed.frames),
        "cites_negative": bool(allowed.negative),
        "says_absence_bounded": bool(lexicon.bounded_absence.found(answer.body)),
        "polarity_contradicted": bool(says_absent) and not allowed.negative,
        "disallowed_actions": sum(action not in allowed.actions for action in answer.actions),
    }
    found = (*(thing.text for thing in missing), *overclaims, *causes, *negations, *advice)
    return facts, tuple(dict.fromkeys(found))[:20]


def least_overlap(text: str, sources: Sequence[str]) -> float:
    """The worst clause's share of words that stand in a source; 1.0 for a text without words."""
    known = {word for source in sources for word in words(source)}
    shares = [
        sum(word in known for word in told) / len(told)
        for clause in _CLAUSE_END.split(text)[:MAX_CLAUSES]
        if (told := tuple(words(clause)))
    ]
    return min(shares, default=1.0)


def words(text: str) -> Iterator[str]:
    """Words of a text: letters and digits together, Chinese as pairs of neighbours."""
    for match in _WORD.finditer(plain(text)):
        word = match.group(0)
        if _is_han(word[0]):
            yield from (word[n : n + 2] for n in range(max(1, len(word) - 1)))
        else:
            yield word


def unsupported_text(text: str, *, evidence: Sequence[str], query: str, lexicon: Lexicon) -> bool:
    """Whether a hypothesis, action or gap says what no evidence says.

    Names may come from the question, for a gap must name what was asked; numbers and times may not.
    """
    asked = {thing.canonical for thing in things_missing(query, ()) if thing.kind in ("identifier", "key_value")}
    missing = [thing for thing in things_missing(text, evidence) if thing.canonical not in asked]
    return bool(missing) or bool(lexicon.overclaim.found(text, quoted=evidence))


def read_answer(document: Mapping[str, object]) -> StatedAnswer:
    """Read a composer output of any shape; what is missing is empty."""
    listed = [action for action in list_of(document.get("recommended_actions")) if isinstance(action, Mapping)]
    return StatedAnswer(
        summary=text_of(document.get("answer_summary")),
        body=text_of(document.get("user_facing_answer")),
        actions=tuple((text_of(action.get("action_text")), text_of(action.get("reason"))) for action in listed),
    )


def _is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0003ffff"
