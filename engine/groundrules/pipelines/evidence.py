"""The evidence pipeline: planner → executor → gatekeeper → verified projection → verifier → composer → release.

Owns the order of the stages, the edges between them and the bounded retry (S0-0.1, S0-7.2). Every edge taken is
on record. Invariant: nothing is published that did not pass the Gatekeeper, the Verifier under the ceiling, and
the answer gate; whatever breaks ends in FALLBACK or FAILED.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from groundrules.config.skills import Skill
from groundrules.contracts import check, schema
from groundrules.errors import ModelError
from groundrules.facts.fields import list_of
from groundrules.facts.invocations import index_invocations
from groundrules.pipelines import stages
from groundrules.pipelines.asking import Asker
from groundrules.pipelines.collecting import Collected, Collector
from groundrules.pipelines.composing import compose
from groundrules.pipelines.engine import Engine
from groundrules.pipelines.journey import Ending, Journey
from groundrules.pipelines.projecting import allowed_claims, composer_input, verifier_input
from groundrules.policies import gatekeeper
from groundrules.policies.release import verdict_ceiling
from groundrules.records.decisions import GatekeeperResult, Verdict
from groundrules.records.run import DiagnosisRun, Judgement
from groundrules.trace import Tracer

NAME = "evidence"


async def run_evidence(
    engine: Engine, tracer: Tracer, *, run_id: str, session_id: str, query: str, locale: str, narrow: bool | None
) -> tuple[DiagnosisRun, Journey]:
    """One run from question to record. Raises nothing of its own; cancellation ends the run CANCELLED."""
    journey = Journey(engine, tracer, run_id=run_id, session_id=session_id, query=query, locale=locale)
    tracer.emit("RUN_STARTED", {"pipeline": NAME, "session_id": session_id, "query": query, "locale": locale})
    try:
        ending = await _stages(engine, tracer, journey, narrow)
    except ModelError as error:
        ending = Ending(technical_failure=str(error))
    except asyncio.CancelledError:
        ending = Ending(cancelled=True)
    return journey.finish(ending), journey


async def _stages(engine: Engine, tracer: Tracer, journey: Journey, narrow: bool | None) -> Ending:
    asker = Asker(engine, tracer, journey.locale)
    journey.calls = asker.calls
    skill = await _plan(engine, asker, journey, narrow)
    collector = Collector(
        engine,
        tracer,
        asker,
        run_id=journey.run_id,
        session_id=journey.session_id,
        locale=journey.locale,
        narrow=journey.narrow,
    )
    journey.invocations, journey.request_subjects = collector.invocations, collector.subjects
    retry: Mapping[str, Any] | None = None
    for number in range(1, engine.limits.executor_rounds + 1):
        journey.round = number
        inputs = stages.executor_inputs(journey.query, journey.plan, skill, retry, narrow=journey.narrow)
        collected = await collector.collect(inputs, number, schema("executor_evidence_v2"))
        ending, verdict = await _judge(engine, asker, journey, collected, retry)
        last = number == engine.limits.executor_rounds
        if verdict != "REJECT" or last or journey.gate is None:
            break
        journey.edge("verifier", "executor", "verdict=REJECT")
        retry = stages.retry_context(number + 1, journey.gate, verdict)
    if ending.judgement is None or ending.judgement.verdict != "PASS" or not ending.claims:
        return ending
    return await _compose(engine, asker, journey, ending)


async def _plan(engine: Engine, asker: Asker, journey: Journey, narrow: bool | None) -> Skill | None:
    reply = await asker.ask(
        "planner", 1, stages.planner_inputs(journey.query, engine.skills), response_schema=schema("planner_plan")
    )
    plan, skill, reading = stages.read_plan(reply.text, engine.skills)
    journey.plan = plan
    journey.narrow = narrow if narrow is not None else skill is not None and skill.narrow
    journey.emit(
        "PLAN",
        {
            "selected_skill": plan["selected_skill"],
            "steps": len(plan["plan"]),
            "narrow": journey.narrow,
            "decided_by": "caller" if narrow is not None else "skill",
            "parse_status": reading.parse_status,
        },
    )
    journey.edge("planner", "executor", "plan_read" if not reading.issues else "plan_unreadable")
    return skill


async def _judge(
    engine: Engine, asker: Asker, journey: Journey, collected: Collected, retry: Mapping[str, Any] | None
) -> tuple[Ending, Verdict | None]:
    """Gatekeeper and Verifier over one output. Returns how the run would end, and the verdict for the retry."""
    journey.stop_reason = collected.stop_reason
    if collected.text is None:
        journey.edge("executor", "release", f"stopped={collected.stop_reason}")
        return Ending(output_valid=False), None
    reading = stages.read_document("executor_evidence_v2", collected.text)
    journey.output, journey.parse_status = reading.document, reading.parse_status
    journey.emit(
        "EXECUTOR_OUTPUT",
        {"parse_status": reading.parse_status, "claims": len(list_of(reading.document.get("claims")))},
    )
    if not reading.readable:
        journey.edge("executor", "release", "output_unreadable")
        return Ending(output_valid=False), None
    gate = _gate(engine, journey, reading)
    ceiling = verdict_ceiling(gate.severity)
    if not gate.verified:
        journey.edge("gatekeeper", "release", "no_verified_claims")
        return Ending(output_valid=not reading.issues), "REJECT" if gate.severity == "reject" else None
    journey.edge("gatekeeper", "verifier", f"severity={gate.severity}")
    document = verifier_input(journey.query, gate, ceiling, retry)
    journey.verified_evidence = document["verified_evidence"]
    judgement = await _verify(asker, journey, document, ceiling)
    kept = allowed_claims(gate.verified, judgement)
    return Ending(judgement=judgement, claims=kept, output_valid=not reading.issues), judgement.verdict


def _gate(engine: Engine, journey: Journey, reading: stages.Reading) -> GatekeeperResult:
    documents = [invocation.to_dict() for invocation in journey.invocations]
    index, _none = index_invocations(documents, run_id=journey.run_id, collections=engine.collections)
    gate = gatekeeper.decide(
        reading.document,
        index,
        narrow=journey.narrow,
        contract_issues=reading.issues,
        judge=engine.judges.gatekeeper,
        lexicon=engine.lexicon,
    )
    journey.gate = gate
    journey.edge("executor", "gatekeeper", "output_read")
    journey.emit(
        "GATEKEEPER_RESULT",
        {
            "status": gate.status,
            "severity": gate.severity,
            "rule_set_version": gate.rule_set_version,
            "failed_rules": list(gate.failed_rules),
            "warnings": list(gate.warnings),
        },
    )
    kept = [claim.claim_id for claim in gate.verified]
    journey.emit("VERIFIED_PROJECTION", {"claims": kept, "verdict_ceiling": verdict_ceiling(gate.severity)})
    return gate


async def _verify(asker: Asker, journey: Journey, document: Mapping[str, Any], ceiling: Verdict) -> Judgement:
    reply = await asker.ask("verifier", journey.round, document, response_schema=schema("verifier_output"))
    judgement, reading = stages.read_judgement(reply.text, ceiling)
    if judgement is None:
        reason = "; ".join(str(issue) for issue in reading.issues[:3])
        message = f"the verifier's answer cannot be used: {reason}"
        raise ModelError(message)
    journey.emit(
        "VERIFIER_RESULT",
        {
            "verdict": judgement.verdict,
            "stated_verdict": reading.document["verdict"],
            "verdict_ceiling": ceiling,
            "groundedness_score": judgement.groundedness_score,
        },
    )
    return judgement


async def _compose(engine: Engine, asker: Asker, journey: Journey, ending: Ending) -> Ending:
    assert ending.judgement is not None  # noqa: S101  # the caller composes only after a PASS
    document = composer_input(
        journey.query, journey.output, ending.claims, ending.judgement, engine.lexicon, narrow=journey.narrow
    )
    issues = check("composer_input", document | {"findings": []})
    if issues:
        return ending
    journey.edge("verifier", "composer", "verdict=PASS")
    answer = await compose(engine, asker, journey, document)
    journey.edge("composer", "release", "answer_gate_passed" if answer else "answer_gate_refused")
    return Ending(ending.judgement, ending.claims, answer=answer)
