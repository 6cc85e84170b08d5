"""One run as rows: from its journal to what each table gets. Pure.

Owns which part of a `diagnosis_run` goes to which column. Refuses a record whose own parts are wrong (KeyError,
ValueError); what a model wrote inside it may be anything. Invariant: claims and citations are matched to their
checks and facts by the subject's name and its n-th occurrence, because ids that a model chose may repeat.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any

from groundrules.facts.catalogue import CATALOGUE
from groundrules.store.cells import (
    fact_value,
    own_flag,
    own_integer,
    own_list,
    own_number,
    own_object,
    own_text,
    own_text_or_none,
    own_texts,
    own_time,
    said,
    said_integer,
    said_objects,
    stamp,
)
from groundrules.store.schema import FACT_TABLES

Row = dict[str, Any]
Rows = dict[str, list[Row]]
_DECIDED = {"TOOL_INVOCATION": "allow", "TOOL_REQUEST_REJECTED": "reject"}
_POLICY_OF_EVENT = {"TOOL_REQUEST_REJECTED": "stop", "ANSWER_GATE": "answer", "RELEASE_DECISION": "release"}


def run_rows(
    record: Mapping[str, Any],
    subjects: Sequence[Mapping[str, Any]],
    events: Sequence[Mapping[str, Any]],
    content_hash: str,
) -> Rows:
    """What each table gets of one run."""
    run_id = own_text(record, "run_id")
    claims, bindings = _claims(record)
    rows: Rows = {
        "runs": [_run(record, claims, content_hash)],
        "tool_invocations": [_invocation(item) for item in own_list(record, "tool_invocations")],
        "evidence_refs": list(chain.from_iterable(map(_refs, own_list(record, "tool_invocations")))),
        "claims": claims,
        "bindings": bindings,
        "gate_results": _gate_results(record),
        "rule_hits": _rule_hits(record, events),
        "releases": [_release(record, events)],
        "model_calls": [_model_call(number, item) for number, item in enumerate(own_list(record, "model_calls"))],
        "trace_events": [_event(event) for event in events],
        "rule_sets": list(_rule_sets(record)),
    }
    for table, found in _facts(subjects, events).items():
        rows[table] = found
    for row in chain.from_iterable(rows.values()):
        row["run_id"] = run_id
    return rows


def _run(record: Mapping[str, Any], claims: Sequence[Row], content_hash: str) -> Row:
    started, finished = own_time(record, "started_at"), own_time(record, "finished_at")
    calls = own_list(record, "model_calls")
    gate, fallback = record["gatekeeper_result"], record["fallback"]
    texts = ("session_id", "pipeline", "query", "locale", "outcome", "stop_reason", "failure")
    return {
        **{name: own_text(record, name) for name in texts},
        "narrow": own_flag(record, "narrow"),
        "started_at": stamp(started),
        "finished_at": stamp(finished),
        "duration_ms": (finished - started).total_seconds() * 1000,
        "verdict": own_text_or_none(record, "verdict"),
        "groundedness_score": _score(record),
        "gatekeeper_severity": own_text(gate, "severity") if gate else None,
        "fallback_type": own_text(fallback, "type") if fallback else None,
        "claims_stated": len(claims),
        "claims_published": len(own_list(record, "claims")),
        "tool_calls": len(own_list(record, "tool_invocations")),
        "model_calls": len(calls),
        "total_tokens": sum(own_integer(call, "total_tokens") for call in calls),
        "lock": own_object(record, "lock"),
        "journal_hash": content_hash,
        "document": json.dumps(record, ensure_ascii=False),
    }


def _evaluation(record: Mapping[str, Any]) -> Mapping[str, Any]:
    evaluation = own_object(record, "self_evaluation").get("verifier_evaluation")
    return evaluation if isinstance(evaluation, dict) else {}


def _score(record: Mapping[str, Any]) -> float | None:
    value = _evaluation(record).get("groundedness_score") if record["verdict"] else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None


def _invocation(item: Mapping[str, Any]) -> Row:
    details = own_object(item, "retrieval_details")
    texts = ("evidence_status", "relevance_level", "source_kind", "source", "message")
    return {
        **{name: own_text(details, name) for name in texts},
        "invocation_id": own_integer(item, "id"),
        "tool_call_id": own_text(item, "tool_call_id"),
        "tool_name": own_text(item, "tool_name"),
        "scope": own_object(item, "scope"),
        "total_count": own_integer(details, "total_count"),
        "evidence_refs": len(own_list(details, "evidence_refs")),
        "truncated": own_flag(details, "truncated"),
        "top_score": own_number(details, "top_score"),
        "started_at": stamp(own_time(item, "started_at")),
        "duration_ms": own_number(item, "duration_ms"),
    }


def _refs(item: Mapping[str, Any]) -> Iterator[Row]:
    for number, ref in enumerate(own_list(own_object(item, "retrieval_details"), "evidence_refs")):
        yield {
            "invocation_id": own_integer(item, "id"),
            "ordinal": number,
            "raw_path": own_text(ref, "raw_path"),
            "text": own_text(ref, "text"),
        }


def _stated(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The executor's claims; those published when its output could not be read or was not kept."""
    output = _evaluation(record).get("executor_structured_output")
    stated = said_objects(output, "claims") if isinstance(output, dict) else []
    return stated or own_list(record, "claims")


def _claims(record: Mapping[str, Any]) -> tuple[list[Row], list[Row]]:
    published = {(said(claim, "claim_id"), said(claim, "claim_text")) for claim in own_list(record, "claims")}
    checks = _checks_by_claim(record)
    claims: list[Row] = []
    bindings: list[Row] = []
    seen_claims: Counter[str] = Counter()
    seen_bindings: Counter[str] = Counter()
    for ordinal, claim in enumerate(_stated(record)):
        claim_id, cited = said(claim, "claim_id"), said_objects(claim, "evidence_bindings")
        kept = (claim_id, said(claim, "claim_text")) in published
        claims.append(_claim(claim, ordinal, seen_claims[claim_id], len(cited), kept))
        seen_claims[claim_id] += 1
        for number, binding in enumerate(cited):
            subject = f"{claim_id}[{number}]"
            row = _binding(binding, next(checks.get(claim_id, iter(())), {}))
            place = {"claim_ordinal": ordinal, "ordinal": number, "claim_id": claim_id, "subject": subject}
            bindings.append(row | place | {"occurrence": seen_bindings[subject], "published": kept})
            seen_bindings[subject] += 1
    return claims, bindings


def _claim(claim: Mapping[str, Any], ordinal: int, occurrence: int, bindings: int, published: bool) -> Row:
    texts = {name: said(claim, name) for name in ("claim_id", "claim_type", "claim_text", "support_level")}
    return texts | {"ordinal": ordinal, "occurrence": occurrence, "bindings": bindings, "published": published}


def _checks_by_claim(record: Mapping[str, Any]) -> dict[str, Iterator[Mapping[str, Any]]]:
    gate = record["gatekeeper_result"]
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for check in own_list(gate, "checked_bindings") if gate else []:
        grouped.setdefault(said(check, "claim_id"), []).append(check)
    return {claim_id: iter(checks) for claim_id, checks in grouped.items()}


def _binding(binding: Mapping[str, Any], check: Mapping[str, Any]) -> Row:
    checked_id = said_integer(check, "source_invocation_id")
    stated_id = said_integer(binding, "source_invocation_id")
    return {
        "tool_name": said(binding, "tool_name"),
        "source_invocation_id": stated_id if checked_id is None else checked_id,
        "raw_path": said(check, "raw_path") or said(binding, "raw_path"),
        "evidence_excerpt": said(binding, "evidence_excerpt"),
        "status": said(check, "status"),
        "matched_text": said(check, "matched_text"),
    }


def _gate_results(record: Mapping[str, Any]) -> list[Row]:
    gate = record["gatekeeper_result"]
    if gate is None:
        return []
    checks = own_list(gate, "checked_bindings")
    return [
        {
            **{name: own_text(gate, name) for name in ("rule_set_version", "status", "severity")},
            "checked_bindings": len(checks),
            "failed_bindings": sum(check.get("status") == "fail" for check in checks),
            "failed_rules": own_texts(gate, "failed_rules"),
            "warnings": own_texts(gate, "warnings"),
        }
    ]


def _rule_hits(record: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> list[Row]:
    """The Gatekeeper's from the record; those of the other policies as their events carry them."""
    found: list[Row] = []
    if gate := record["gatekeeper_result"]:
        found.extend(_hit("gatekeeper", own_text(gate, "rule_set_version"), hit) for hit in own_list(gate, "errors"))
    versions = {row["policy"]: row["version"] for row in _rule_sets(record)}
    for event in events:
        policy = _POLICY_OF_EVENT.get(event["type"], "")
        hits = said_objects(event["data"], "hits") if policy else ()
        found += (_hit(policy, versions.get(policy, ""), hit) for hit in hits)
    return [row | {"ordinal": number} for number, row in enumerate(found)]


def _hit(policy: str, version: str, hit: Mapping[str, Any]) -> Row:
    texts = {name: said(hit, name) for name in ("rule_id", "severity", "subject", "path", "message", "fault")}
    return texts | {"policy": policy, "rule_set_version": version}


def _release(record: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> Row:
    decisions = [event["data"] for event in events if event["type"] == "RELEASE_DECISION"]
    answer, fallback = record["answer"] or {}, record["fallback"] or {}
    return {
        "outcome": own_text(record, "outcome"),
        "stop_reason": own_text(record, "stop_reason"),
        "rule_id": said(decisions[-1], "rule_id") if decisions else "",
        "fallback_type": own_text(fallback, "type") if fallback else None,
        "answer_summary": said(answer, "answer_summary"),
        "user_facing_answer": said(answer, "user_facing_answer"),
        "recommended_actions": len(said_objects(answer, "recommended_actions")),
        "observed_facts": len(said_objects(fallback, "observed_facts")),
        "limitations": own_texts(fallback, "limitations") if fallback else [],
        "next_steps": own_texts(fallback, "next_steps") if fallback else [],
    }


def _model_call(number: int, call: Mapping[str, Any]) -> Row:
    prompt = own_object(call, "prompt")
    return {
        **{name: own_text(call, name) for name in ("component", "model", "outcome", "error")},
        **{f"prompt_{name}": own_text(prompt, name) for name in ("id", "version", "locale", "hash")},
        **{name: own_integer(call, name) for name in ("round", "input_tokens", "output_tokens")},
        "ordinal": number,
        "tokens_estimated": own_flag(call, "tokens_estimated"),
        "latency_ms": own_number(call, "latency_ms"),
    }


def _event(event: Mapping[str, Any]) -> Row:
    at = stamp(own_time(event, "at"))
    return {"sequence": event["sequence"], "type": event["type"], "happened_at": at, "data": event["data"]}


def _rule_sets(record: Mapping[str, Any]) -> Iterator[Row]:
    """From `lock.rule_sets`: {policy: {version, hash}}."""
    stamped = own_object(record, "lock").get("rule_sets")
    for policy, rule_set in stamped.items() if isinstance(stamped, dict) else ():
        if isinstance(rule_set, dict):
            yield {"policy": policy, "version": said(rule_set, "version"), "hash": said(rule_set, "hash")}


def _facts(subjects: Iterable[Mapping[str, Any]], events: Sequence[Mapping[str, Any]]) -> Rows:
    rows: Rows = {table: [] for table in FACT_TABLES.values()}
    seen: Counter[tuple[str, str]] = Counter()
    for item in subjects:
        kind, subject, facts = own_text(item, "kind"), own_text(item, "subject"), own_object(item, "facts")
        if kind not in FACT_TABLES:
            raise ValueError(f"there are no facts of kind {kind!r}")
        table = rows[FACT_TABLES[kind]]  # type: ignore[index]
        values = {fact.name: fact_value(facts, fact) for fact in CATALOGUE[kind].values()}  # type: ignore[index]
        table.append(values | {"ordinal": len(table), "subject": subject, "occurrence": seen[kind, subject]})
        seen[kind, subject] += 1
    for row, decision in zip_longest(rows["stop_steps"], _decisions(events)):
        if row is not None:
            row.update(decision or {"decision": "", "reason": ""})
    return rows


def _decisions(events: Sequence[Mapping[str, Any]]) -> list[Row]:
    """What came of each tool request, in the order in which they were judged: each leaves one of two events."""
    return [
        {"decision": decision, "reason": said(event["data"], "reason")}
        for event in events
        if (decision := _DECIDED.get(event["type"]))
    ]
