"""Whole runs over the OpenAI-compatible adapter, against a local server that speaks the protocol."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.pipelines.harness import ANSWER_TEXT, QUERY, observation
from tests.unit.models.openai_fake_server import KEY, Step, called, refused, said, serving

import groundrules
from groundrules.bundled import bundled_project

PLAN = {"selected_skill": "confirm-alert", "selection_reason": "", "plan": [], "reasoning": ""}
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {
        "name": "query_metrics",
        "arguments": '{"service": "payment-service", "alert_name": "HighCPUUsage"}',
    },
}
VERDICT = {
    "verdict": "PASS",
    "groundedness_score": 1,
    "critical_fact_count": 1,
    "claim_checks": [],
    "facts_checked": [],
    "rationale": "",
}
ANSWER = {"answer_summary": ANSWER_TEXT, "recommended_actions": [], "user_facing_answer": ANSWER_TEXT}


def text(document: Any) -> Step:
    return said(json.dumps(document, ensure_ascii=False))


def run(home: Path, base_url: str, monkeypatch: pytest.MonkeyPatch) -> groundrules.DiagnosisRun:
    monkeypatch.setenv("GROUNDRULES_MODEL_KEY", KEY)
    loaded = groundrules.load_project(bundled_project())
    card = loaded.models["openai-compatible"].model_copy(update={"base_url": base_url, "max_retries": 0})
    project = replace(
        loaded, files=replace(loaded.files, home=home), models={**loaded.models, "openai-compatible": card}
    )
    return asyncio.run(groundrules.run(QUERY, project=project, model="openai-compatible"))


def test_a_served_model_answers_and_its_usage_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(text(PLAN), called(CALL), text(observation()), text(VERDICT), text(ANSWER)) as script:
        ran = run(tmp_path, script.base_url, monkeypatch)
    assert (ran.outcome, ran.verdict) == ("SUCCESS", "PASS")
    assert [call.usage.total_tokens for call in ran.model_calls] == [18] * 5
    assert [call.model for call in ran.model_calls] == ["served-model"] * 5
    asked = script.bodies[1]
    assert {tool["function"]["name"] for tool in asked["tools"]} >= {"query_metrics", "query_logs"}
    assert KEY not in json.dumps(ran.to_dict())


FAULTS = {
    "500": refused(500),
    "429": refused(429),
    "401": refused(401, message=f"bad key {KEY}"),
    "rubbish": Step(body=b"<html>"),
    "cut": Step(body=b'{"choices": [', fault="cut_body"),
    "no choices": said(choices=[]),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_server_at_fault_ends_the_run_failed_and_leaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Step
) -> None:
    """DESIGN §7."""
    with serving(text(PLAN), called(CALL), fault) as script:
        ran = run(tmp_path, script.base_url, monkeypatch)
    assert (ran.outcome, ran.claims, ran.answer) == ("FAILED", (), None)
    assert ran.failure
    assert KEY not in json.dumps(ran.to_dict())
    assert len(ran.tool_invocations) == 1


def test_a_served_model_that_forges_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forged = text(observation(evidence_excerpt="current=99%", claim_text="CPU 使用率为 99%。"))
    with serving(text(PLAN), called(CALL), forged) as script:
        ran = run(tmp_path, script.base_url, monkeypatch)
    assert (ran.outcome, ran.claims) == ("FALLBACK", ())


def test_a_missing_key_is_a_usage_error_that_names_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GROUNDRULES_MODEL_KEY", raising=False)
    loaded = groundrules.load_project(bundled_project())
    project = replace(loaded, files=replace(loaded.files, home=tmp_path))
    with pytest.raises(groundrules.UsageError, match="GROUNDRULES_MODEL_KEY"):
        asyncio.run(groundrules.run(QUERY, project=project, model="openai-compatible"))
