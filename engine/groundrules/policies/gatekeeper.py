"""The Gatekeeper: are the citations real (S0-4).

A pure function from an executor's document, the run's invocations and a rule set to a `GatekeeperResult`.
Invariant: a claim survives only when no rule above `none` hit it, and each kept binding passed by itself; taking
evidence away never turns a refusal into a pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from groundrules.errors import Issue
from groundrules.facts.bindings import Citation, binding_facts
from groundrules.facts.claims import StatedClaim, claim_facts, output_facts, read_claims
from groundrules.facts.invocations import InvocationIndex
from groundrules.facts.lexicon import Lexicon
from groundrules.policies.judging import Judge
from groundrules.records.claims import Binding, Claim
from groundrules.records.decisions import CheckedBinding, GatekeeperResult, RuleHit, Scalar, SubjectFacts, worst
from groundrules.rules import RuleSet

COVERAGE_PARAM = "excerpt_min_coverage"


def decide(
    output: object,
    index: InvocationIndex,
    *,
    narrow: bool,
    contract_issues: Sequence[Issue],
    judge: Judge,
    lexicon: Lexicon,
) -> GatekeeperResult:
    """Judge every subject of the output and keep what survives."""
    claims = read_claims(output, index, min_coverage=float(judge.rule_set.params[COVERAGE_PARAM]))
    top = output_facts(output, claims, narrow=narrow, contract_valid=not contract_issues)
    context = {"missing": "; ".join(str(issue) for issue in contract_issues[:5]), "claim_id": "output"}
    output_hits = judge.hits("output", top, subject="output", path="$", context=context)
    judged = [_judge_claim(claim, narrow=narrow, index=index, judge=judge, lexicon=lexicon) for claim in claims]
    hits = [*output_hits, *(hit for one in judged for hit in one.hits)]
    severity = worst(*(hit.severity for hit in hits))
    return GatekeeperResult(
        severity=severity,
        rule_set_version=judge.rule_set.version,
        rules=rule_summaries(judge.rule_set),
        checked_bindings=tuple(binding for one in judged for binding in one.checked),
        errors=tuple(hit for hit in hits if hit.severity != "none"),
        warnings=tuple(warning for claim in claims for warning in _backfills(claim)),
        verified=() if _refuses_whole(output_hits) else tuple(one.claim for one in judged if one.claim is not None),
        subjects=(SubjectFacts("output", "output", top), *(subject for one in judged for subject in one.subjects)),
    )


def rule_summaries(rule_set: RuleSet) -> tuple[Mapping[str, Any], ...]:
    """The loaded rules as S0-4.2 lists them."""
    enabled = rule_set.enabled
    return tuple(
        {
            "id": rule.id,
            "description": rule.title,
            "enabled": rule in enabled,
            "default_severity": rule.severity or "none",
        }
        for rule in rule_set.rules
    )


class _Judged:
    """One claim after judgement."""

    __slots__ = ("checked", "claim", "hits", "subjects")

    def __init__(
        self,
        hits: tuple[RuleHit, ...],
        checked: tuple[CheckedBinding, ...],
        subjects: tuple[SubjectFacts, ...],
        claim: Claim | None,
    ) -> None:
        self.hits, self.checked, self.subjects, self.claim = hits, checked, subjects, claim


def _judge_claim(
    claim: StatedClaim, *, narrow: bool, index: InvocationIndex, judge: Judge, lexicon: Lexicon
) -> _Judged:
    facts, beyond = claim_facts(claim, narrow=narrow, lexicon=lexicon)
    context: dict[str, Scalar] = {"claim_id": claim.claim_id, "missing": ", ".join(beyond[:5])}
    own = judge.hits("claim", facts, subject=claim.claim_id, path=claim.path, context=context)
    hits, checked, kept = list(own), [], []
    subjects = [SubjectFacts("claim", claim.claim_id, facts)]
    for position, citation in enumerate(claim.citations):
        subject = f"{claim.claim_id}[{position}]"
        seen, missing = binding_facts(citation, claim_type=claim.claim_type, narrow=narrow, index=index)
        path = f"{claim.path}.evidence_bindings[{position}]"
        found = judge.hits("binding", seen, subject=subject, path=path, context=_context(claim, citation, missing))
        hits += found
        subjects.append(SubjectFacts("binding", subject, seen))
        passed = all(hit.severity == "none" for hit in found)
        checked.append(_checked(claim, citation, passed=passed))
        if passed and citation.citable is not None and citation.text is not None:
            kept.append(_binding(citation, citation.citable.id, citation.text))
    survives = bool(kept) and all(hit.severity == "none" for hit in own)
    if survives and len(kept) < len(claim.citations):
        # What a refused citation says must not carry the claim any more.
        left = replace(
            claim, citations=tuple(c for c, one in zip(claim.citations, checked, strict=True) if one.status == "pass")
        )
        again, _beyond = claim_facts(left, narrow=narrow, lexicon=lexicon)
        rejudged = judge.hits("claim", again, subject=claim.claim_id, path=claim.path, context=context)
        survives = all(hit.severity == "none" for hit in rejudged)
    return _Judged(tuple(hits), tuple(checked), tuple(subjects), _claim(claim, kept) if survives else None)


def _context(claim: StatedClaim, citation: Citation, missing: Sequence[str]) -> dict[str, Scalar]:
    shown = "null" if citation.invocation_id is None else str(citation.invocation_id)
    shown = citation.stated_id if citation.invocation_id == -1 else shown
    return {
        "claim_id": claim.claim_id,
        "tool_name": citation.tool_name,
        "source_invocation_id": shown,
        "raw_path": citation.raw_path,
        "actual_tool": citation.citable.tool_name if citation.citable else "none",
        "missing": "; ".join(missing[:5]) or "support for the excerpt as a whole",
    }


def _checked(claim: StatedClaim, citation: Citation, *, passed: bool) -> CheckedBinding:
    return CheckedBinding(
        claim_id=claim.claim_id,
        tool_name=citation.tool_name,
        source_invocation_id=citation.invocation_id,
        raw_path=citation.raw_path,
        matched_text=citation.text or "",
        status="pass" if passed else "fail",
    )


def _binding(citation: Citation, invocation_id: int, text: str) -> Binding:
    return Binding(
        tool_name=citation.tool_name,
        source_invocation_id=invocation_id,
        raw_path=citation.raw_path,
        evidence_excerpt=citation.excerpt,
        matched_text=text,
        source_type=citation.source_type,
        source_id=citation.source_id,
    )


def _claim(claim: StatedClaim, kept: Sequence[Binding]) -> Claim:
    return Claim(claim.claim_id, claim.claim_type, claim.claim_text, claim.support_level, tuple(kept))


def _backfills(claim: StatedClaim) -> list[str]:
    """A line for each thing that was filled in (S0-4.4)."""
    filled = []
    for position, citation in enumerate(claim.citations):
        where = f"{claim.claim_id}[{position}]"
        if citation.id_filled:
            filled.append(f"{where}: source_invocation_id filled with {citation.invocation_id}, the only match")
        if citation.path_filled:
            filled.append(f"{where}: raw_path filled with {citation.raw_path}, the only match")
    return filled


def _refuses_whole(hits: Sequence[RuleHit]) -> bool:
    return any(hit.severity == "reject" for hit in hits)
