"""The verified projection: what the Verifier and the Composer may know (S0-5.1, S0-6.1).

Pure functions between the stages. Invariant: the Verifier never sees the executor's raw answer or the tool trace;
the Composer never sees a claim that was not allowed, nor a gap or action that says what no evidence says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from groundrules.facts.answers import AllowedMaterial, unsupported_text
from groundrules.facts.claims import ANSWER_VERSION
from groundrules.facts.fields import list_of
from groundrules.facts.lexicon import Lexicon
from groundrules.records.claims import NEGATIVE, Claim
from groundrules.records.decisions import GatekeeperResult, Verdict
from groundrules.records.run import Judgement

MAX_ITEMS = 10


def verified_evidence(claims: Sequence[Claim]) -> list[dict[str, Any]]:
    """Each kept citation with the whole text that it was found in."""
    return [
        {
            "claim_id": claim.claim_id,
            "tool_name": binding.tool_name,
            "source_invocation_id": binding.source_invocation_id,
            "raw_path": binding.raw_path,
            "text": binding.matched_text,
        }
        for claim in claims
        for binding in claim.evidence_bindings
    ]


def verifier_input(
    query: str, result: GatekeeperResult, ceiling: Verdict, retry_context: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The document of contract `verifier_input`."""
    return {
        "diagnosis_context": {"query": query},
        "verified_executor_output": {
            "answer_version": ANSWER_VERSION,
            "claims": [claim.to_dict() for claim in result.verified],
        },
        "verified_evidence": verified_evidence(result.verified),
        "gatekeeper_audit": {
            "status": result.status,
            "severity": result.severity,
            "rule_set_version": result.rule_set_version,
            "failed_rules": list(result.failed_rules),
            "warnings": list(result.warnings),
        },
        "verdict_ceiling": ceiling,
        "retry_context": dict(retry_context) if retry_context else None,
    }


def allowed_claims(claims: Sequence[Claim], judgement: Judgement) -> tuple[Claim, ...]:
    """The claims that the Verifier did not find unsupported."""
    refused = {str(check.get("claim_id")) for check in judgement.claim_checks if check.get("supported") is not True}
    return tuple(claim for claim in claims if claim.claim_id not in refused)


def composer_input(
    query: str,
    output: Mapping[str, Any],
    claims: Sequence[Claim],
    judgement: Judgement,
    lexicon: Lexicon,
    *,
    narrow: bool,
) -> dict[str, Any]:
    """The document of contract `composer_input`: only what may be expressed."""
    evidence = [claim.claim_text for claim in claims]
    evidence += [binding.matched_text for claim in claims for binding in claim.evidence_bindings]

    def lawful(text: str) -> bool:
        return bool(text.strip()) and not unsupported_text(text, evidence=evidence, query=query, lexicon=lexicon)

    def inspects(action: tuple[str, str]) -> bool:
        """Only to look further may be recommended, never to change something (S0-2.1)."""
        text = " ".join(action)
        return bool(lexicon.inspection.found(action[0])) and not lexicon.advice.found(text)

    offered = [] if narrow else [action for action in _actions(output) if inspects(action)]
    actions = [action for action in offered if all(map(lawful, filter(None, action)))]
    hypotheses = [] if narrow else [text for text in _texts(output, "hypotheses", "hypothesis_text") if lawful(text)]
    return {
        "original_query": query,
        "verdict": judgement.verdict,
        "allowed_claims": [
            {"claim_id": claim.claim_id, "claim_type": claim.claim_type, "claim_text": claim.claim_text}
            for claim in claims
        ],
        "allowed_hypotheses": hypotheses[:MAX_ITEMS],
        "missing_info": lawful_gaps(output, query, evidence, lexicon),
        "recommended_actions": [{"action_text": text, "reason": reason} for text, reason in actions][:MAX_ITEMS],
        "rationale": judgement.rationale if lawful(judgement.rationale) else "",
    }


def lawful_gaps(output: Mapping[str, Any], query: str, evidence: Sequence[str], lexicon: Lexicon) -> list[str]:
    """The executor's `missing_info` without the entries that claim something."""
    gaps = _texts(output, "missing_info", "text")
    kept = [gap for gap in gaps if not unsupported_text(gap, evidence=evidence, query=query, lexicon=lexicon)]
    return kept[:MAX_ITEMS]


def allowed_material(document: Mapping[str, Any], frames: Sequence[str]) -> AllowedMaterial:
    """What the answer gate holds an answer against: the composer's own input, and no more."""
    claims = document["allowed_claims"]
    actions = document["recommended_actions"]
    return AllowedMaterial(
        positive=tuple(claim["claim_text"] for claim in claims if claim["claim_type"] != NEGATIVE),
        negative=tuple(claim["claim_text"] for claim in claims if claim["claim_type"] == NEGATIVE),
        other=(
            *document["allowed_hypotheses"],
            *document["missing_info"],
            *(text for action in actions for text in (action["action_text"], action["reason"]) if text),
        ),
        actions=tuple((action["action_text"], action["reason"]) for action in actions),
        frames=tuple(frames),
    )


def _texts(output: Mapping[str, Any], field: str, key: str) -> list[str]:
    """A list of texts, or of mappings that hold one under `key`, as texts."""
    found = []
    for item in list_of(output.get(field)):
        text = item.get(key) if isinstance(item, Mapping) else item
        if isinstance(text, str) and text.strip():
            found.append(text)
    return found


def _actions(output: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = []
    for item in list_of(output.get("recommended_actions")):
        text = item.get("action_text") if isinstance(item, Mapping) else item
        reason = item.get("reason", "") if isinstance(item, Mapping) else ""
        if isinstance(text, str) and text.strip() and isinstance(reason, str):
            found.append((text, reason))
    return found
