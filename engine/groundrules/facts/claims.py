"""The facts of a claim and of a whole output.

Pure. Reads the executor's document as it came, valid or not. Invariant: a claim's text is held only against the
texts that it cites and the scopes that were really searched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import re2

from groundrules.excerpts import things_missing
from groundrules.facts.bindings import Citation, known_word, read_citation
from groundrules.facts.catalogue import CLAIM_TYPE_WORDS, resting_facts
from groundrules.facts.fields import list_of, mapping_of, text_of
from groundrules.facts.invocations import InvocationIndex
from groundrules.facts.lexicon import Lexicon
from groundrules.records.claims import NEGATIVE
from groundrules.records.decisions import Scalar
from groundrules.records.evidence import NO_EVIDENCE_PATH

ANSWER_VERSION = "executor_evidence_v2"
FORBIDDEN_FIELDS = ("diagnosis_summary", "user_facing_answer", "source_invocation_ids")
NARROW_TYPES = ("observation", NEGATIVE)
_SENTENCE_END = re2.compile(r"[。！？!?;；\n]+|\.\s")


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim as the executor wrote it, with its citations looked up."""

    claim_id: str
    claim_type: str
    claim_text: str
    support_level: str
    citations: tuple[Citation, ...]
    path: str
    """JSON path of the claim in the output."""


def read_claims(output: object, index: InvocationIndex, *, min_coverage: float) -> tuple[StatedClaim, ...]:
    """Every claim of the document that has any shape at all; one without an id is named by its place."""
    listed = list_of(mapping_of(output).get("claims"))
    return tuple(_claim(claim, n, index, min_coverage) for n, claim in enumerate(listed))


def _claim(claim: object, position: int, index: InvocationIndex, min_coverage: float) -> StatedClaim:
    source = mapping_of(claim)
    listed = list_of(source.get("evidence_bindings"))
    return StatedClaim(
        claim_id=text_of(source.get("claim_id")) or f"#{position}",
        claim_type=text_of(source.get("claim_type")),
        claim_text=text_of(source.get("claim_text")),
        support_level=text_of(source.get("support_level")),
        citations=tuple(read_citation(binding, index, min_coverage=min_coverage) for binding in listed),
        path=f"$.claims[{position}]",
    )


def output_facts(
    output: object, claims: Sequence[StatedClaim], *, narrow: bool, contract_valid: bool
) -> dict[str, Scalar]:
    """All facts of catalogue kind `output`."""
    document = mapping_of(output)
    ids = [claim.claim_id for claim in claims]
    return resting_facts("output") | {
        "narrow": narrow,
        "contract_valid": contract_valid,
        "answer_version_valid": document.get("answer_version") == ANSWER_VERSION,
        "forbidden_fields": forbidden_fields(document),
        "claims": len(claims),
        "duplicate_claim_ids": len(ids) - len(set(ids)),
        "narrow_forbidden_claims": sum(claim.claim_type not in NARROW_TYPES for claim in claims),
    }


def forbidden_fields(document: Mapping[str, Any]) -> int:
    """How many fields stand where S0-2.2 forbids them: at the top, and `source_invocation_ids` in a binding."""
    top = sum(field in document for field in FORBIDDEN_FIELDS)
    inside = 0
    for claim in list_of(document.get("claims")):
        places = [claim, *list_of(mapping_of(claim).get("evidence_bindings"))]
        inside += sum("source_invocation_ids" in mapping_of(place) for place in places)
    return top + inside


def claim_facts(claim: StatedClaim, *, narrow: bool, lexicon: Lexicon) -> tuple[dict[str, Scalar], tuple[str, ...]]:
    """All facts of catalogue kind `claim`, and in words what the claim says beyond its evidence."""
    negative = claim.claim_type == NEGATIVE
    quoted = [citation.text for citation in claim.citations if citation.text is not None]
    searched = [_searched(citation) for citation in claim.citations if citation.citable is not None]
    items = [(citation.invocation_id, citation.raw_path) for citation in claim.citations if citation.raw_path]
    none_found = sum(citation.raw_path == NO_EVIDENCE_PATH for citation in claim.citations)
    uncovered = tuple(thing.text for thing in things_missing(claim.claim_text, [*quoted, *searched]))
    overclaims = lexicon.overclaim.found(claim.claim_text, quoted=() if negative else quoted)
    unsearched = _unsearched(claim) if negative else ()
    facts = resting_facts("claim") | {
        "narrow": narrow,
        "claim_type": known_word(claim.claim_type, CLAIM_TYPE_WORDS),
        "text_present": bool(claim.claim_text.strip()),
        "bindings": len(claim.citations),
        "bindings_no_evidence": none_found,
        "bindings_positive": len(claim.citations) - none_found,
        "duplicate_items": len(items) - len(set(items)),
        "uncovered_things": len(uncovered),
        "absence_words": len(lexicon.absence.found(claim.claim_text, quoted=quoted)),
        "overclaims": len(overclaims),
        "cause_words": len(lexicon.cause.found(claim.claim_text, quoted=quoted)),
        "uncovered_negations": 0 if negative else len(lexicon.negation.found(claim.claim_text, quoted=quoted)),
        "sentences_without_absence": _without_absence(claim.claim_text, lexicon) if negative else 0,
        "uncovered_scope_words": len(unsearched),
    }
    return facts, tuple(dict.fromkeys((*overclaims, *unsearched, *uncovered)))


def _without_absence(text: str, lexicon: Lexicon) -> int:
    """Sentences of a claim of absence that do not say that something was not found."""
    sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
    return sum(not lexicon.absence.found(sentence) for sentence in sentences)


def _searched(citation: Citation) -> str:
    """What the cited call asked, as a text that names and numbers can stand in."""
    assert citation.citable is not None  # noqa: S101  # the callers ask only for citations that were found
    scope = ", ".join(f"{name}={value}" for name, value in citation.citable.scope.items())
    return f"{citation.citable.tool_name}, {scope}"


def _unsearched(claim: StatedClaim) -> tuple[str, ...]:
    """Things that a claim of absence names, of its call that covers them worst: each must have been searched."""
    uncovered = [
        tuple(thing.text for thing in things_missing(claim.claim_text, [_searched(citation), citation.text or ""]))
        for citation in claim.citations
        if citation.citable is not None
    ]
    return max(uncovered, key=len, default=())
