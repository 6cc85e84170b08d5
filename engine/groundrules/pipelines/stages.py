"""The stages around the model as pairs of plain functions: what is asked, and how a reply is read (S0-0.1).

Pure. Each reader checks the stage's contract and returns issues as values. Invariant: no reader invents a value
for what a model left out, except one that permits nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from groundrules.config.skills import Skill
from groundrules.contracts import check, read_model_json
from groundrules.errors import Issue
from groundrules.policies.release import under_ceiling
from groundrules.records.decisions import GatekeeperResult, Verdict
from groundrules.records.run import ComposedAnswer, Judgement, RecommendedAction


@dataclass(frozen=True, slots=True)
class Reading:
    """A model's document after reading: the value, how it could be read, and what its contract says."""

    document: Mapping[str, Any]
    parse_status: Mapping[str, Any]
    issues: tuple[Issue, ...]
    readable: bool
    """Whether there was a JSON object at all."""


def read_document(kind: str, text: str) -> Reading:
    """Read leniently, check strictly; all issues at once."""
    reading = read_model_json(text)
    value = reading.value
    if not isinstance(value, Mapping):
        return Reading({}, reading.parse_status, (Issue("", 0, "$", "there is no JSON object"),), readable=False)
    return Reading(value, reading.parse_status, check(kind, value), readable=True)


def planner_inputs(query: str, skills: Mapping[str, Skill]) -> dict[str, Any]:
    """What the planner chooses from."""
    return {
        "query": query,
        "skills": [
            {
                "name": skill.header.name,
                "description": skill.header.description,
                "when_to_use": list(skill.header.when_to_use),
                "task_scope": skill.header.task_scope,
            }
            for skill in skills.values()
        ],
    }


NO_PLAN: Mapping[str, Any] = {"selected_skill": None, "selection_reason": "", "plan": [], "reasoning": ""}


def read_plan(text: str, skills: Mapping[str, Skill]) -> tuple[Mapping[str, Any], Skill | None, Reading]:
    """The plan and its skill. A plan that breaks its contract or names no known skill selects none."""
    reading = read_document("planner_plan", text)
    if reading.issues:
        return NO_PLAN, None, reading
    return reading.document, skills.get(reading.document["selected_skill"] or ""), reading


def executor_inputs(
    query: str, plan: Mapping[str, Any], skill: Skill | None, retry: Mapping[str, Any] | None, *, narrow: bool
) -> dict[str, Any]:
    """What the executor works from."""
    return {
        "query": query,
        "plan": [str(step) for step in plan["plan"]],
        "skill": skill.body if skill else "",
        "narrow": narrow,
        "retry_context": dict(retry) if retry else None,
    }


def retry_context(round_number: int, result: GatekeeperResult, verdict: Verdict) -> dict[str, Any]:
    """What the executor is told before it is asked again: the findings, bounded, and nothing of the policy."""
    findings = list(dict.fromkeys(hit.message for hit in result.errors))[:10]
    return {"round": round_number, "findings": findings, "verdict": verdict}


def read_judgement(text: str, ceiling: Verdict) -> tuple[Judgement | None, Reading]:
    """The Verifier's judgement under the ceiling; None when it is none, which is never a PASS."""
    reading = read_document("verifier_output", text)
    if reading.issues:
        return None, reading
    document = reading.document
    judgement = Judgement(
        verdict=under_ceiling(document["verdict"], ceiling),
        groundedness_score=float(document["groundedness_score"]),
        critical_fact_count=int(document["critical_fact_count"]),
        claim_checks=tuple(document["claim_checks"]),
        facts_checked=tuple(str(fact) for fact in document["facts_checked"]),
        rationale=document["rationale"],
    )
    return judgement, reading


def composed(document: Mapping[str, Any]) -> ComposedAnswer:
    """The answer of a document that satisfies contract `composer_output`."""
    return ComposedAnswer(
        answer_summary=document["answer_summary"],
        recommended_actions=tuple(
            RecommendedAction(action["action_text"], action.get("reason", ""))
            for action in document["recommended_actions"]
        ),
        user_facing_answer=document["user_facing_answer"],
    )
