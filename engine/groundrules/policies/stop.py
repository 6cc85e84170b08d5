"""The stop policy at the moment of a tool request: may this call run (S0-2.5, S1-6.1, DESIGN §4).

Pure: `(progress, request) -> decision`, and functions that carry the progress on. Invariant: a request is allowed
only by a rule that says so; where no rule decides, or one cannot be evaluated, the run stops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from groundrules.facts.catalogue import resting_facts
from groundrules.policies.judging import Judge
from groundrules.projection import scope_widened
from groundrules.records.decisions import RuleHit, Scalar, SubjectFacts
from groundrules.records.evidence import EvidenceStatus, Scope

Effect = Literal["allow", "reject", "dedupe", "stop"]


@dataclass(frozen=True, slots=True)
class Checked:
    """A scope that was asked, and what came back."""

    tool_name: str
    scope: Scope
    evidence_status: EvidenceStatus
    invocation_id: int


@dataclass(frozen=True, slots=True)
class Progress:
    """What the run has done so far. Times are seconds since it began."""

    narrow: bool
    checked: tuple[Checked, ...] = ()
    tool_calls: int = 0
    model_calls: int = 0
    total_tokens: int = 0
    observation_bytes: int = 0
    consecutive_rejections: int = 0
    elapsed_s: float = 0.0

    def after_model(self, tokens: int, elapsed_s: float) -> Progress:
        return replace(
            self, model_calls=self.model_calls + 1, total_tokens=self.total_tokens + tokens, elapsed_s=elapsed_s
        )

    def after_tool(self, checked: Checked, observed_bytes: int, elapsed_s: float) -> Progress:
        return replace(
            self,
            checked=(*self.checked, checked),
            tool_calls=self.tool_calls + 1,
            observation_bytes=self.observation_bytes + observed_bytes,
            consecutive_rejections=0,
            elapsed_s=elapsed_s,
        )

    def after_rejection(self, observed_bytes: int) -> Progress:
        return replace(
            self,
            consecutive_rejections=self.consecutive_rejections + 1,
            observation_bytes=self.observation_bytes + observed_bytes,
        )


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A requested call as the policy sees it: no argument but the normalised scope."""

    tool_name: str
    scope: Scope
    tool_known: bool
    arguments_valid: bool
    poll_allowed: bool


@dataclass(frozen=True, slots=True)
class RequestDecision:
    """What becomes of a request, and which rule says so."""

    effect: Effect
    reason: str
    hits: tuple[RuleHit, ...]
    subject: SubjectFacts
    first_asked: Checked | None
    """The earlier call of the same scope, for `dedupe`."""


def request_facts(progress: Progress, call: AskedCall) -> dict[str, Scalar]:
    """All facts of catalogue kind `request`."""
    empty = [seen for seen in progress.checked if seen.evidence_status == "no_evidence"]
    widened = any(seen.tool_name == call.tool_name and scope_widened(seen.scope, call.scope) for seen in empty)
    return resting_facts("request") | {
        "narrow": progress.narrow,
        "tool_known": call.tool_known,
        "arguments_valid": call.arguments_valid,
        "duplicate_scope": first_asked(progress, call) is not None,
        "poll_allowed": call.poll_allowed,
        "scope_widened": widened,
        "tool_calls": progress.tool_calls,
        "model_calls": progress.model_calls,
        "total_tokens": progress.total_tokens,
        "observation_bytes": progress.observation_bytes,
        "consecutive_rejections": progress.consecutive_rejections,
        "elapsed_s": int(progress.elapsed_s),
    }


def first_asked(progress: Progress, call: AskedCall) -> Checked | None:
    """The earlier call with the same tool and normalised scope (S1-6.1); a failed one may be asked again."""
    return next(
        (
            seen
            for seen in progress.checked
            if seen.tool_name == call.tool_name and seen.scope == call.scope and seen.evidence_status != "failed"
        ),
        None,
    )


def decide(progress: Progress, call: AskedCall, judge: Judge) -> RequestDecision:
    """The first rule that matches decides; none, or a faulty one before it, stops the run."""
    facts = request_facts(progress, call)
    hits = judge.hits("request", facts, subject=call.tool_name, path="$", context={"tool_name": call.tool_name})
    first = hits[0] if hits else None
    effect, reason = _effect(first)
    return RequestDecision(
        effect, reason, hits[:1], SubjectFacts("request", call.tool_name, facts), first_asked(progress, call)
    )


def _effect(hit: RuleHit | None) -> tuple[Effect, str]:
    if hit is None or hit.fault:
        return "stop", "TECHNICAL_FAILURE"
    match hit.then.get("effect"):
        case "allow":
            return "allow", ""
        case "reject":
            return "reject", hit.then.get("reason", "")
        case "dedupe":
            return "dedupe", hit.then.get("reason", "")
        case _:
            return "stop", hit.then.get("reason", "TECHNICAL_FAILURE")
