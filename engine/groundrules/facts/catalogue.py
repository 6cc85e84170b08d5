"""The fact catalogue: every fact that rules may read, with its type, meaning and resting value.

Facts are booleans, integers, numbers or words of a closed list, never null (DESIGN §3): that is what makes the
readers of a condition agree. A fact's resting value is what it has when nothing is known, chosen so that no
permissive conclusion follows from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from groundrules.conditions import FactType, Scalar
from groundrules.records.claims import CLAIM_TYPES

SubjectKind = Literal["output", "claim", "binding", "request", "answer", "release"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: what it is called, what it may be, what it says."""

    name: str
    type: FactType
    resting: Scalar
    meaning: str


def _flag(name: str, meaning: str, *, resting: bool = False) -> Fact:
    return Fact(name, FactType("boolean"), resting, meaning)


def _count(name: str, meaning: str, resting: int = 0) -> Fact:
    return Fact(name, FactType("integer"), resting, meaning)


def _share(name: str, meaning: str) -> Fact:
    return Fact(name, FactType("number"), 0.0, meaning)


def _word(name: str, meaning: str, words: tuple[str, ...]) -> Fact:
    return Fact(name, FactType("word", words), words[0], meaning)


STATUS_WORDS = ("unknown", "supported", "no_evidence", "deduped", "failed")
CLAIM_TYPE_WORDS = ("unknown", *CLAIM_TYPES)

_OUTPUT = (
    _flag("narrow", "the user asked only to confirm one thing (S0-2.5)"),
    _flag("contract_valid", "the document satisfies contract executor_evidence_v2"),
    _flag("answer_version_valid", "answer_version is executor_evidence_v2"),
    _count("forbidden_fields", "fields that an executor may not write: diagnosis_summary and the like (S0-2.2)"),
    _count("claims", "claims in the output"),
    _count("duplicate_claim_ids", "claims whose id another claim has too"),
    _count("narrow_forbidden_claims", "claims of a type other than observation and negative_observation"),
)
_CLAIM = (
    _flag("narrow", "the user asked only to confirm one thing (S0-2.5)"),
    _word("claim_type", "the claim's type; unknown when it is none of the known ones", CLAIM_TYPE_WORDS),
    _flag("text_present", "claim_text says something"),
    _count("bindings", "evidence bindings of the claim"),
    _count("bindings_no_evidence", "bindings at $.no_evidence"),
    _count("bindings_positive", "bindings at anything else"),
    _count("duplicate_items", "bindings whose item another binding of the claim has too (S0-2.3)"),
    _count(
        "uncovered_things", "numbers, times and identifiers of the text that stand in no evidence or scope it cites"
    ),
    _count("absence_words", "words of the text that say something is not there, was ruled out or is healthy"),
    _count("overclaims", "phrases of the text that say more than a search can: ruled out, does not exist (S0-6.2)"),
    _count("cause_words", "phrases of the text that name a cause, which stand in no text it cites"),
    _count("uncovered_negations", "denials of the text that stand in no text it cites: is not firing, 没有触发"),
    _count("sentences_without_absence", "sentences of a claim of absence that say something else"),
    _count(
        "uncovered_scope_words", "what a claim of absence says was searched, but the cited call's scope does not name"
    ),
)
_BINDING = (
    _word("claim_type", "the type of the claim that binds it", CLAIM_TYPE_WORDS),
    _flag("invocation_id_present", "a source_invocation_id is given or was filled in (S0-4.4)"),
    _flag("invocation_id_filled", "it was missing and filled from the only match"),
    _flag("invocation_found", "this run has an invocation of that id"),
    _flag("tool_name_matches", "tool_name is the invocation's"),
    _flag("refs_present", "the invocation has evidence refs"),
    _word("evidence_status", "what the invocation's tool said", STATUS_WORDS),
    _flag("narrow", "the user asked only to confirm one thing (S0-2.5)"),
    _flag("source_is_reference", "the tool looks at general knowledge, not at the environment"),
    _flag("raw_path_present", "a raw_path is given or was filled in"),
    _flag("raw_path_filled", "it was missing and filled from the only match"),
    _flag("raw_path_well_formed", "it names an array item of the tool's collection, or $.no_evidence (S0-2.3)"),
    _flag("raw_path_found", "the invocation returned that path"),
    _flag("raw_path_is_no_evidence", "it is $.no_evidence"),
    _flag("excerpt_verbatim", "each segment of the excerpt stands in the text as it is"),
    _share("excerpt_coverage", "share of the excerpt's tokens found in order, of its worst segment, 0 to 1"),
    _flag("excerpt_too_short", "the excerpt is empty or says nothing", resting=True),
    _count("segments_unsupported", "segments of the excerpt that the text does not support"),
    _count("numbers_missing", "numbers of the excerpt, with unit and sign, that the text does not have"),
    _count("times_missing", "times of the excerpt that the text does not have"),
    _count("versions_missing", "versions of the excerpt that the text does not have"),
    _count("identifiers_missing", "names and ids of the excerpt that the text does not have"),
    _count("key_values_missing", "key=value pairs of the excerpt that the text does not have"),
    _count("states_missing", "log levels and states of the excerpt that the text does not have"),
    _flag("negation_differs", "the excerpt says no where the text says yes, or the other way round"),
)
_REQUEST = (
    _flag("narrow", "the user asked only to confirm one thing (S0-2.5)"),
    _flag("tool_known", "a tool of that name is registered"),
    _flag("arguments_valid", "the arguments satisfy the tool's input schema"),
    _flag("duplicate_scope", "the same tool was asked the same normalised scope before (S1-6.1)"),
    _flag("poll_allowed", "the tool's card allows asking again"),
    _flag("scope_widened", "after an exact query found nothing, this one drops or loosens a constraint of it"),
    _count("tool_calls", "tool calls that ran so far"),
    _count("model_calls", "model calls so far"),
    _count("total_tokens", "tokens so far"),
    _count("observation_bytes", "bytes of observations shown to the model so far"),
    _count("consecutive_rejections", "requests refused in a row"),
    _count("elapsed_s", "seconds since the run began"),
)
_ANSWER = (
    _count("overclaims", "phrases that say more than a search can: ruled out, does not exist (S0-6.2)"),
    _count("uncovered_things", "numbers, times and identifiers that stand in no allowed claim (G-5)"),
    _count("unclaimed_states", "states and levels that stand in no allowed claim"),
    _flag("empty", "there is no text to publish", resting=True),
    _flag("contract_valid", "the document satisfies contract composer_output"),
    _flag("cites_negative", "a claim of absence is among the allowed ones"),
    _flag("says_absence_bounded", "it says that this query found no match, and no more"),
    _count("unclaimed_negations", "denials that stand in no allowed text: no longer firing, 没有触发"),
    _count("unclaimed_advice", "words that tell to change something, or that nothing need be done, in no allowed text"),
    _count("unclaimed_causes", "phrases that name a cause, which stand in no allowed claim or hypothesis (S0-6.1)"),
    _share(
        "least_sentence_overlap", "share of a sentence's words that stand in the allowed texts, of its worst sentence"
    ),
    _flag("polarity_contradicted", "it says found where the claims say not found, or the other way round"),
    _count("disallowed_actions", "recommended actions that were not among the allowed ones"),
)
_RELEASE = (
    _word("gatekeeper_severity", "the Gatekeeper's severity", ("reject", "none", "low_confid")),
    _word("verdict", "the Verifier's verdict under the ceiling", ("NONE", "PASS", "LOW_CONFID", "REJECT")),
    _count("surviving_claims", "claims that the Gatekeeper and the Verifier left"),
    _flag("answer_gate_passed", "the answer passed the answer gate"),
    _flag("output_valid", "the executor's output could be read and satisfies its contract"),
    _flag("missing_context", "the question lacks what a query needs"),
    _flag("evidence_collected", "at least one tool answered, empty or not"),
    _flag("technical_failure", "a model, tool or store broke so that no bounded result is left", resting=True),
    _flag("cancelled", "the caller cancelled"),
)


def _by_name(facts: tuple[Fact, ...]) -> dict[str, Fact]:
    return {fact.name: fact for fact in facts}


CATALOGUE: Mapping[SubjectKind, Mapping[str, Fact]] = {
    "output": _by_name(_OUTPUT),
    "claim": _by_name(_CLAIM),
    "binding": _by_name(_BINDING),
    "request": _by_name(_REQUEST),
    "answer": _by_name(_ANSWER),
    "release": _by_name(_RELEASE),
}


def resting_facts(kind: SubjectKind) -> dict[str, Scalar]:
    """Every fact of the kind at its resting value."""
    return {name: fact.resting for name, fact in CATALOGUE[kind].items()}


def fact_types(kind: SubjectKind) -> dict[str, FactType]:
    """Every fact of the kind with its type."""
    return {name: fact.type for name, fact in CATALOGUE[kind].items()}
