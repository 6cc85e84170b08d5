"""The Composer under the answer gate: asked, asked once more with the findings, then replaced by plain wording.

Owns that order (S0-6, G-5). Invariant: what is returned passed the gate, whoever wrote it; None when nothing did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundrules.contracts import check, schema
from groundrules.errors import ModelError
from groundrules.facts.answers import AllowedMaterial
from groundrules.pipelines import stages
from groundrules.pipelines.asking import Asker
from groundrules.pipelines.engine import Engine
from groundrules.pipelines.journey import Journey
from groundrules.pipelines.projecting import allowed_material
from groundrules.pipelines.wording import frames, plain_answer
from groundrules.policies import answer_gate
from groundrules.records.run import ComposedAnswer

ASKED = 2


async def compose(engine: Engine, asker: Asker, journey: Journey, document: Mapping[str, Any]) -> ComposedAnswer | None:
    """The answer to publish, or None."""
    allowed = allowed_material(document, frames(journey.locale))
    findings: list[str] = []
    for number in range(1, ASKED + 1):
        try:
            reply = await asker.ask(
                "composer", number, {**document, "findings": findings}, response_schema=schema("composer_output")
            )
        except ModelError:
            # The claims are verified; a composer that is down costs the wording, not the answer.
            break
        written = stages.read_document("composer_output", reply.text)
        decision = _gate(engine, journey, written, allowed, author="composer")
        if decision.passed:
            return stages.composed(written.document)
        findings = [hit.message for hit in decision.hits]
        journey.edge("composer", "composer" if number < ASKED else "plain_rendering", "answer_gate_refused")
    plain = plain_answer(document, journey.locale)
    reading = stages.Reading(plain, {}, check("composer_output", plain), readable=True)
    decision = _gate(engine, journey, reading, allowed, author="plain_rendering")
    return stages.composed(plain) if decision.passed else None


def _gate(
    engine: Engine, journey: Journey, reading: stages.Reading, allowed: AllowedMaterial, *, author: str
) -> answer_gate.AnswerDecision:
    decision = answer_gate.decide(
        reading.document, allowed, contract_issues=reading.issues, judge=engine.judges.answer, lexicon=engine.lexicon
    )
    journey.answer_subjects.append(decision.subject)
    journey.emit(
        "ANSWER_GATE",
        {"author": author, "passed": decision.passed, "hits": [hit.to_dict() for hit in decision.hits]},
    )
    return decision
