"""The answer gate: may this text be published (S0-6.2, G-5).

A pure function from a composer's document and the allowed material to a decision. Invariant: whoever wrote the
text, model or our own plain rendering, passes the same rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundrules.errors import Issue
from groundrules.facts.answers import AllowedMaterial, answer_facts, read_answer
from groundrules.facts.lexicon import Lexicon
from groundrules.policies.judging import Judge
from groundrules.records.decisions import RuleHit, SubjectFacts


@dataclass(frozen=True, slots=True)
class AnswerDecision:
    """Whether the answer may be published, with everything that speaks against it."""

    hits: tuple[RuleHit, ...]
    findings: tuple[str, ...]
    """What exactly stands in no allowed claim."""
    subject: SubjectFacts

    @property
    def passed(self) -> bool:
        return all(hit.severity == "none" for hit in self.hits)

    def to_dict(self) -> dict[str, Any]:
        return {"passed": self.passed, "errors": [hit.to_dict() for hit in self.hits], "findings": list(self.findings)}


def decide(
    document: Mapping[str, Any],
    allowed: AllowedMaterial,
    *,
    contract_issues: Sequence[Issue],
    judge: Judge,
    lexicon: Lexicon,
) -> AnswerDecision:
    """Judge a composer output of any shape."""
    answer = read_answer(document)
    facts, findings = answer_facts(answer, allowed, contract_valid=not contract_issues, lexicon=lexicon)
    context = {"missing": "; ".join(findings[:5] or tuple(str(issue) for issue in contract_issues[:5]))}
    hits = judge.hits("answer", facts, subject="answer", path="$.user_facing_answer", context=context)
    return AnswerDecision(hits, findings, SubjectFacts("answer", "answer", facts))
