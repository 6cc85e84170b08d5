"""What policies decide, with the rules that decided it.

Owns rule hits, the Gatekeeper's result and the outcome words. Invariant: a decision names every rule that
determined it, and what could not be evaluated stands in it as an error, never as silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from groundrules.records.claims import Claim

Scalar = bool | int | float | str
Facts = Mapping[str, Scalar]
Severity = Literal["none", "low_confid", "reject"]
Verdict = Literal["PASS", "LOW_CONFID", "REJECT"]
Outcome = Literal["SUCCESS", "FALLBACK", "FAILED", "CANCELLED"]
FallbackType = Literal["NONE", "INSUFFICIENT_EVIDENCE", "MISSING_REQUIRED_CONTEXT"]

SEVERITIES: tuple[Severity, ...] = ("none", "low_confid", "reject")


def worst(*severities: Severity) -> Severity:
    """The severest of them; `none` for none."""
    return max(severities, key=SEVERITIES.index, default="none")


@dataclass(frozen=True, slots=True)
class RuleHit:
    """A rule that fired on a subject, or could not be evaluated on it."""

    rule_id: str
    severity: Severity
    subject: str
    """Which subject: `output`, a claim id, `claim-1[0]` for its first binding."""
    path: str
    """JSON path into the judged document."""
    message: str
    then: Mapping[str, str]
    """What the rule assigns, under hit policy `first`."""
    fault: str = ""
    """Why it could not be evaluated; it then counts as the rule set's `on_error`."""

    def to_dict(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "rule_id": self.rule_id,
            "severity": self.severity,
            "subject": self.subject,
            "path": self.path,
            "message": self.message,
        }
        return document | ({"fault": self.fault} if self.fault else {})


@dataclass(frozen=True, slots=True)
class CheckedBinding:
    """One binding after the check, in the order of the output (S0-4.2)."""

    claim_id: str
    tool_name: str
    source_invocation_id: int | None
    raw_path: str
    matched_text: str
    status: Literal["pass", "fail"]

    def to_dict(self) -> dict[str, Any]:
        return {
            "claim_id": self.claim_id,
            "tool_name": self.tool_name,
            "source_invocation_id": self.source_invocation_id,
            "raw_path": self.raw_path,
            "matched_text": self.matched_text,
            "status": self.status,
        }


@dataclass(frozen=True, slots=True)
class SubjectFacts:
    """The facts of one judged subject, kept so that other rule sets can be tried on them later (DESIGN §3)."""

    kind: str
    subject: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class GatekeeperResult:
    """Whether the citations are real, and what is left when the others are taken away."""

    severity: Severity
    rule_set_version: str
    rules: tuple[Mapping[str, Any], ...]
    checked_bindings: tuple[CheckedBinding, ...]
    errors: tuple[RuleHit, ...]
    warnings: tuple[str, ...]
    verified: tuple[Claim, ...]
    """Claims that survive, with the bindings that passed (S0-5.1)."""
    subjects: tuple[SubjectFacts, ...] = ()

    @property
    def status(self) -> Literal["pass", "fail"]:
        return "pass" if self.severity == "none" else "fail"

    @property
    def failed_rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(hit.rule_id for hit in self.errors))

    def to_dict(self) -> dict[str, Any]:
        """The document of contract `gatekeeper_result` (S0-4.2)."""
        return {
            "status": self.status,
            "severity": self.severity,
            "rule_set_version": self.rule_set_version,
            "rules": [dict(rule) for rule in self.rules],
            "checked_bindings": [binding.to_dict() for binding in self.checked_bindings],
            "failed_rules": list(self.failed_rules),
            "warnings": list(self.warnings),
            "errors": [hit.to_dict() for hit in self.errors],
        }
