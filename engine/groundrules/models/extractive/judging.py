"""The extractive verifier: whether a claim can be read off its evidence word for word.

Owns the lexical judgement. Refuses to infer: what needs more than reading is not supported here. Invariant: the verdict
is never above the ceiling, and a claim that nothing was found stands on an empty result or not at all (S0-5.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import re2

from groundrules.excerpts import things_missing
from groundrules.models.extractive import words
from groundrules.models.extractive.picking import folded, stands_in
from groundrules.models.extractive.wording import say
from groundrules.records.claims import NEGATIVE
from groundrules.records.evidence import NO_EVIDENCE_PATH

VERDICTS = ("REJECT", "LOW_CONFID", "PASS")
_LATIN: Any = re2.compile(r"[a-z]+")
MAX_NAMED = 5


def judge(inputs: Mapping[str, Any], locale: str) -> dict[str, Any]:
    """The verifier's output for the verifier's input."""
    evidence = _listed(inputs.get("verified_evidence"))
    output = inputs.get("verified_executor_output")
    claims = _listed(output.get("claims")) if isinstance(output, Mapping) else []
    checks = [_check(claim, [one for one in evidence if _same_claim(one, claim)], locale) for claim in claims]
    supported = sum(bool(check["supported"]) for check in checks)
    return {
        "verdict": _verdict(supported, len(checks), str(inputs.get("verdict_ceiling", "PASS"))),
        "groundedness_score": round(supported / len(checks), 4) if checks else 0.0,
        "critical_fact_count": len(checks),
        "claim_checks": checks,
        "facts_checked": [_text(claim, "claim_text") for claim in claims],
        "rationale": say(_rationale(supported, len(checks)), locale),
    }


def _verdict(supported: int, total: int, ceiling: str) -> str:
    reached = "REJECT" if not supported else "PASS" if supported == total else "LOW_CONFID"
    allowed = ceiling if ceiling in VERDICTS else "REJECT"
    return min(reached, allowed, key=VERDICTS.index)


def _rationale(supported: int, total: int) -> str:
    if not supported:
        return "rationale_none"
    return "rationale_all" if supported == total else "rationale_some"


def _check(claim: Mapping[str, Any], evidence: Sequence[Mapping[str, Any]], locale: str) -> dict[str, Any]:
    supported, reason = _supported(claim, evidence, locale)
    return {"claim_id": _text(claim, "claim_id"), "supported": supported, "reason": reason}


def _supported(claim: Mapping[str, Any], evidence: Sequence[Mapping[str, Any]], locale: str) -> tuple[bool, str]:
    sources = [_text(one, "text") for one in evidence if _text(one, "text").strip()]
    if not sources:
        return False, say("check_no_evidence_text", locale)
    empty = [_text(one, "raw_path") == NO_EVIDENCE_PATH for one in evidence]
    negative = claim.get("claim_type") == NEGATIVE
    if (negative and not all(empty)) or (not negative and any(empty)):
        return False, say("check_negative", locale)
    missing = missing_words(_text(claim, "claim_text"), sources)
    if missing:
        return False, say("check_missing", locale, missing=", ".join(missing[:MAX_NAMED]))
    return True, say("check_supported", locale)


def missing_words(statement: str, sources: Sequence[str]) -> tuple[str, ...]:
    """What a statement says that no source does: exact things first, then words that judge."""
    things = [thing.text for thing in things_missing(statement, sources)]
    said, texts = folded(statement), [folded(source) for source in sources]
    latin = [word for word in _LATIN.findall(said) if word in words.JUDGEMENTS]
    judged = [word for word in latin if not any(stands_in(word, text) for text in texts)]
    judged += [word for word in words.JUDGEMENTS_ZH if word in said and not _said_in(word, texts)]
    return tuple(dict.fromkeys([*things, *judged]))


def _said_in(word: str, texts: Sequence[str]) -> bool:
    alike = (word, *words.SAME_AS.get(word, ()))
    return any(one in text for one in alike for text in texts)


def _same_claim(evidence: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    return evidence.get("claim_id") == claim.get("claim_id")


def _listed(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, (list, tuple)) else []


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    return value if isinstance(value, str) else ""
