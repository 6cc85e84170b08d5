"""The extractive planner: the skill whose own words the question uses, or none.

Owns the choice of a skill. Refuses to stretch: a skill is chosen only when one of its `when_to_use` phrases stands in
the question, or its name does. Phrases that ask (is it still, how do I) count three, kinds of things (log, alert) two,
topics one; the skill listed first wins a tie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from groundrules.models.extractive import words
from groundrules.models.extractive.picking import folded, stands_in
from groundrules.models.extractive.question import is_han, read_question
from groundrules.models.extractive.wording import say


def plan(inputs: Mapping[str, Any], locale: str) -> dict[str, Any]:
    """The planner's output, `planner_plan` (S0-1.1)."""
    query = str(inputs.get("query", ""))
    listed = inputs.get("skills")
    skills = [skill for skill in listed if isinstance(skill, Mapping)] if isinstance(listed, (list, tuple)) else []
    chosen = choose(query, skills)
    steps = ["plan_query", "plan_state"] if read_question(query).content or chosen else []
    return {
        "selected_skill": chosen,
        "selection_reason": say("skill_chosen" if chosen else "skill_none", locale),
        "plan": [say(step, locale) for step in steps],
        "reasoning": say("plan_reasoning", locale),
    }


def choose(query: str, skills: Sequence[Mapping[str, Any]]) -> str | None:
    """The name of the skill that fits best; none when no phrase of any stands in the question."""
    text = " ".join(folded(query).split())
    scored = [(_score(text, skill), str(skill.get("name", ""))) for skill in skills]
    best = max(scored, key=lambda pair: pair[0], default=(0, ""))
    return best[1] if best[0] > 0 and best[1] else None


def _score(text: str, skill: Mapping[str, Any]) -> int:
    listed = skill.get("when_to_use")
    phrases = [str(phrase) for phrase in listed] if isinstance(listed, (list, tuple)) else []
    named = 2 if _stands(folded(str(skill.get("name", ""))), text) else 0
    return named + sum(_weight(folded(phrase)) for phrase in phrases if _stands(folded(phrase), text))


def _stands(phrase: str, text: str) -> bool:
    return phrase in text if is_han(phrase) else bool(phrase) and stands_in(phrase, text)


def _weight(phrase: str) -> int:
    if any(asking.strip() in phrase for asking in (*words.HOW_TO, *words.CONFIRMING)):
        return 3
    question = read_question(phrase)
    return 2 if question.of("kind") or not question.content else 1
