"""A run of the evidence pipeline with scripted parts and the shipped rules, prompts and contracts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from groundrules.pipelines.engine import Engine, Tool
from groundrules.pipelines.evidence import run_evidence
from groundrules.policies.judging import Judge
from groundrules.ports import ModelClient
from groundrules.records.evidence import RawResult
from groundrules.records.run import DiagnosisRun
from groundrules.testing import FixedClock, ScriptedModel, ScriptedTransport, SequentialIds, json_result, says
from groundrules.trace import TraceEvent, Tracer
from groundrules.wiring.engine import open_engine
from groundrules.wiring.project import embedded_project

QUERY = "payment-service 的 HighCPUUsage 告警是否还在触发？"
ALERT = {
    "alert_name": "HighCPUUsage",
    "service": "payment-service",
    "severity": "critical",
    "state": "firing",
    "current": "92%",
    "threshold": "80%",
    "duration": "25m",
    "started_at": "2026-07-08T23:05:00Z",
    "description": "payment-service 的 CPU 使用率过高",
}
FOUND = json_result({"alerts": [ALERT]})
EMPTY = json_result({"alerts": []})
PLAN = says({"selected_skill": "confirm-alert", "selection_reason": "", "plan": ["查询一次"], "reasoning": ""})
OPEN_PLAN = says({"selected_skill": None, "selection_reason": "", "plan": [], "reasoning": ""})
PASS = says(
    {
        "verdict": "PASS",
        "groundedness_score": 1.0,
        "critical_fact_count": 1,
        "claim_checks": [],
        "facts_checked": [],
        "rationale": "",
    }
)
REJECT = says(
    {
        "verdict": "REJECT",
        "groundedness_score": 0.0,
        "critical_fact_count": 1,
        "claim_checks": [],
        "facts_checked": [],
        "rationale": "",
    }
)
ANSWER_TEXT = "payment-service 的 HighCPUUsage 告警仍在触发（state=firing），CPU 使用率为 92%。"
ANSWER = says({"answer_summary": ANSWER_TEXT, "recommended_actions": [], "user_facing_answer": ANSWER_TEXT})


def observation(**changed: Any) -> dict[str, Any]:
    """An executor output with one true observation of the alert; fields of its claim or binding changed."""
    bound = {
        "tool_name": "query_metrics",
        "source_invocation_id": 1,
        "raw_path": "$.alerts[0]",
        "evidence_excerpt": "alert_name=HighCPUUsage, service=payment-service, severity=critical, state=firing, current=92%",
    }
    stated = {
        "claim_id": "claim-1",
        "claim_type": "observation",
        "claim_text": "payment-service 当前存在 HighCPUUsage 告警（state=firing），CPU 使用率为 92%。",
        "support_level": "direct",
    }
    bound |= {key: value for key, value in changed.items() if key in bound}
    stated |= {key: value for key, value in changed.items() if key in stated}
    return output(stated | {"evidence_bindings": [bound]})


def output(*claims: Mapping[str, Any], missing_info: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "answer_version": "executor_evidence_v2",
        "claims": list(claims),
        "hypotheses": [],
        "recommended_actions": [],
        "missing_info": list(missing_info),
    }


@dataclass(frozen=True)
class Ran:
    """A finished run with its events and what the stand-ins saw."""

    run: DiagnosisRun
    events: list[TraceEvent]
    transports: Mapping[str, ScriptedTransport]

    @property
    def types(self) -> list[str]:
        return [event.type for event in self.events]

    @property
    def edges(self) -> list[str]:
        return [f"{edge['from']}→{edge['to']} {edge['condition']}" for edge in self.run.orchestration_trace]


def engine(model: ModelClient, results: Mapping[str, Sequence[RawResult | Exception]], **limits: Any) -> Engine:
    """The embedded engine with this model, and these results behind the tools."""
    shipped = open_engine(embedded_project())
    return replace(
        shipped,
        model=model,
        tools={name: _scripted(tool, results.get(name, ())) for name, tool in shipped.tools.items()},
        limits=shipped.limits.model_copy(update=limits),
        clock=FixedClock(),
        stopwatch=lambda: 0.0,
        new_id=SequentialIds(),
    )


def with_judge(built: Engine, policy: str, judge: Judge) -> Engine:
    """The engine with another judge for one policy."""
    return replace(built, judges=replace(built.judges, **{policy: judge}))


def _scripted(tool: Tool, results: Sequence[RawResult | Exception]) -> Tool:
    return replace(tool, transport=ScriptedTransport(results), timeout_s=0.2)


def go(built: Engine, *, query: str = QUERY, locale: str = "zh", narrow: bool | None = None) -> Ran:
    """Run the pipeline to its end."""
    events: list[TraceEvent] = []
    tracer = Tracer("run-1", built.clock, (events.append,))
    run, _journey = asyncio.run(
        run_evidence(built, tracer, run_id="run-1", session_id="s-1", query=query, locale=locale, narrow=narrow)
    )
    transports = {name: tool.transport for name, tool in built.tools.items()}
    return Ran(run, events, transports)  # type: ignore[arg-type]  # the harness put ScriptedTransports in


def scripted(
    *executor: Any,
    planner: Sequence[Any] = (PLAN,),
    verifier: Sequence[Any] = (PASS,),
    composer: Sequence[Any] = (ANSWER,),
) -> ScriptedModel:
    """A model whose stages all answer well; the executor says what is given."""
    return ScriptedModel(planner=planner, executor=executor, verifier=verifier, composer=composer)
