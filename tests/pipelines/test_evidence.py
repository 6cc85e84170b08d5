"""The evidence pipeline, stage by stage, with scripted models and tools (S0-0 to S0-7)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.pipelines.harness import (
    ANSWER,
    ANSWER_TEXT,
    EMPTY,
    FOUND,
    OPEN_PLAN,
    PASS,
    REJECT,
    engine,
    go,
    observation,
    output,
    scripted,
)

from groundrules.contracts import check
from groundrules.testing import calls, says

ASK = calls("query_metrics", service="payment-service", alert_name="HighCPUUsage")


def test_the_stages_run_in_their_order_and_each_edge_is_on_record() -> None:
    """S0-0.1, S0-7.2."""
    ran = go(engine(scripted(ASK, says(observation())), {"query_metrics": [FOUND]}))
    assert ran.types == [
        "RUN_STARTED",
        "MODEL_CALL",
        "PLAN",
        "EDGE",
        "MODEL_CALL",
        "TOOL_INVOCATION",
        "MODEL_CALL",
        "EXECUTOR_OUTPUT",
        "EDGE",
        "GATEKEEPER_RESULT",
        "VERIFIED_PROJECTION",
        "EDGE",
        "MODEL_CALL",
        "VERIFIER_RESULT",
        "EDGE",
        "MODEL_CALL",
        "ANSWER_GATE",
        "EDGE",
        "RELEASE_DECISION",
        "RUN_FINISHED",
    ]
    assert [event.sequence for event in ran.events] == list(range(1, 21))
    assert ran.edges == [
        "planner→executor plan_read",
        "executor→gatekeeper output_read",
        "gatekeeper→verifier severity=none",
        "verifier→composer verdict=PASS",
        "composer→release answer_gate_passed",
    ]
    assert (ran.run.outcome, ran.run.verdict, ran.run.narrow) == ("SUCCESS", "PASS", True)
    assert ran.run.answer is not None
    assert ran.run.answer.user_facing_answer == ANSWER_TEXT


def test_the_record_and_every_event_satisfy_their_contracts() -> None:
    """S0-7.1."""
    ran = go(engine(scripted(ASK, says(observation())), {"query_metrics": [FOUND]}))
    document = ran.run.to_dict()
    assert check("diagnosis_run", document) == ()
    assert [check("trace_event", event.to_dict()) for event in ran.events] == [()] * len(ran.events)
    evaluation = document["self_evaluation"]["verifier_evaluation"]
    assert evaluation["traceability_version"] == "v1"
    assert evaluation["gatekeeper_result"]["rule_set_version"] == "gatekeeper-rules-v1"
    assert "tool_trace_summary" not in evaluation
    assert set(document["lock"]) == {
        "rule_sets",
        "lexicon",
        "prompts",
        "contracts",
        "tools",
        "skills",
        "model",
        "readers",
    }


def test_each_stage_is_given_only_what_it_may_know() -> None:
    """S0-5.1, S0-6.1, S1-5.2."""
    model = scripted(ASK, says(observation()))
    go(engine(model, {"query_metrics": [FOUND]}))
    by_component = {request.component: request for request in model.requests}
    assert check("verifier_input", by_component["verifier"].inputs) == ()
    assert check("composer_input", by_component["composer"].inputs) == ()
    assert by_component["verifier"].tools == ()
    assert by_component["composer"].tools == ()
    shown = [message.content for request in model.requests for message in request.messages]
    for secret in ("fingerprint", "top_score", "max_tool_calls", "budget", "observation_bytes"):
        assert not any(secret in text for text in shown), secret


def test_tools_are_registered_natively_and_named_in_no_prompt() -> None:
    """S1-5.1."""
    model = scripted(ASK, says(observation()))
    go(engine(model, {"query_metrics": [FOUND]}))
    first = next(request for request in model.requests if request.component == "executor")
    assert {tool.name for tool in first.tools} >= {"query_metrics", "query_logs", "lookup_knowledge"}
    assert not any(tool.name in message.content for tool in first.tools for message in first.messages)


def test_a_rejected_output_is_asked_for_once_more_with_the_findings() -> None:
    """S0-5.2, S0-7.2: the bounded retry."""
    forged = says(observation(source_invocation_id=9))
    model = scripted(ASK, forged, says(observation()))
    ran = go(engine(model, {"query_metrics": [FOUND]}))
    assert ran.run.outcome == "SUCCESS"
    assert "verifier→executor verdict=REJECT" in ran.edges
    again = [request for request in model.requests if request.component == "executor"][-1]
    assert again.inputs["retry_context"]["round"] == 2
    assert again.inputs["retry_context"]["findings"]
    assert any(message.role == "tool" for message in again.messages)


def test_an_output_that_stays_forged_ends_without_an_answer() -> None:
    """S0-5.2, DESIGN §7."""
    forged = says(observation(evidence_excerpt="current=29%"))
    ran = go(engine(scripted(ASK, forged, forged), {"query_metrics": [FOUND]}))
    assert (ran.run.outcome, ran.run.answer, ran.run.claims) == ("FALLBACK", None, ())
    assert ran.run.fallback is not None
    assert ran.run.fallback.observed_facts[0].evidence_status == "supported"
    assert any("核验" in text for text in ran.run.fallback.limitations)


def test_a_low_confidence_citation_is_never_a_pass() -> None:
    """S0-5.2: the ceiling holds whatever the model says."""
    stated = observation(claim_text="payment-service 当前存在 HighCPUUsage 告警，CPU 使用率为 97%。")
    ran = go(engine(scripted(ASK, says(stated)), {"query_metrics": [FOUND]}))
    assert ran.run.gatekeeper_result is not None
    assert ran.run.gatekeeper_result.severity == "low_confid"
    assert ran.run.outcome == "FALLBACK"


def test_a_verifier_that_rejects_is_heard_and_the_run_ends() -> None:
    """S0-5.2."""
    said = says(observation())
    ran = go(engine(scripted(ASK, said, said, verifier=(REJECT, REJECT)), {"query_metrics": [FOUND]}))
    assert (ran.run.outcome, ran.run.verdict) == ("FALLBACK", "REJECT")
    assert ran.edges.count("verifier→executor verdict=REJECT") == 1


def test_a_claim_that_the_verifier_found_unsupported_is_not_published() -> None:
    """S0-6.1."""
    doubt = says(
        {
            "verdict": "PASS",
            "groundedness_score": 0.5,
            "critical_fact_count": 1,
            "claim_checks": [{"claim_id": "claim-1", "supported": False}],
            "facts_checked": [],
            "rationale": "",
        }
    )
    ran = go(engine(scripted(ASK, says(observation()), verifier=(doubt,)), {"query_metrics": [FOUND]}))
    assert (ran.run.outcome, ran.run.claims) == ("FALLBACK", ())


BAD_ANSWER = says(
    {
        "answer_summary": "CPU 使用率为 97%。",
        "recommended_actions": [],
        "user_facing_answer": "payment-service 的 HighCPUUsage 告警仍在触发，CPU 使用率为 97%。",
    }
)


def test_a_wording_with_an_invented_number_is_asked_for_again() -> None:
    """S0-6.1, G-5."""
    model = scripted(ASK, says(observation()), composer=(BAD_ANSWER, ANSWER))
    ran = go(engine(model, {"query_metrics": [FOUND]}))
    assert ran.run.answer is not None
    assert ran.run.answer.user_facing_answer == ANSWER_TEXT
    assert [request for request in model.requests if request.component == "composer"][1].inputs["findings"]


@pytest.mark.parametrize("composer", [(BAD_ANSWER, BAD_ANSWER), (says("no JSON"), says("{}")), ()])
def test_a_composer_that_stays_wrong_or_is_down_is_replaced_by_the_claims_themselves(composer: Any) -> None:
    """S0-6.1, G-5."""
    ran = go(engine(scripted(ASK, says(observation()), composer=composer), {"query_metrics": [FOUND]}))
    assert ran.run.outcome == "SUCCESS"
    assert ran.run.answer is not None
    assert (
        ran.run.answer.user_facing_answer
        == "payment-service 当前存在 HighCPUUsage 告警（state=firing），CPU 使用率为 92%。"
    )


def test_an_absence_is_published_as_this_querys_result_and_no_more() -> None:
    """S0-2.4, S0-6.2, S0-8.1."""
    stated = observation(
        claim_type="negative_observation",
        claim_text="当前查询未检索到 payment-service 的 HighCPUUsage 告警。",
        raw_path="$.no_evidence",
        evidence_excerpt="query_metrics returned no evidence",
    )
    over = says(
        {
            "answer_summary": "已排除。",
            "recommended_actions": [],
            "user_facing_answer": "payment-service 的 HighCPUUsage 告警已排除。",
        }
    )
    ran = go(engine(scripted(ASK, says(stated), composer=(over, over)), {"query_metrics": [EMPTY]}))
    assert ran.run.outcome == "SUCCESS"
    assert ran.run.answer is not None
    assert "未检索到" in ran.run.answer.user_facing_answer
    assert "排除" not in ran.run.answer.user_facing_answer


def test_a_narrow_run_may_not_widen_its_query_after_finding_nothing() -> None:
    """S0-2.5."""
    wider = calls("query_metrics", alert_name="HighCPUUsage")
    model = scripted(ASK, wider, says(output(missing_info=["没有匹配的告警"])))
    ran = go(engine(model, {"query_metrics": [EMPTY, FOUND]}))
    assert len(ran.run.tool_invocations) == 1
    refused = [event.data for event in ran.events if event.type == "TOOL_REQUEST_REJECTED"]
    assert [(data["tool_name"], data["reason"]) for data in refused] == [("query_metrics", "SCOPE_WIDENED")]


def test_the_same_question_again_is_answered_by_pointing_to_the_first() -> None:
    """S1-6.1, S0-3.1: deduped."""
    model = scripted(ASK, ASK, says(observation()))
    ran = go(engine(model, {"query_metrics": [FOUND, FOUND]}))
    assert len(ran.transports["query_metrics"].arguments) == 1
    last = model.requests[3].messages[-1].content
    assert '"evidence_status": "deduped"' in last
    assert '"source_invocation_id": 1' in last
    assert ran.run.outcome == "SUCCESS"


def test_an_unknown_tool_is_refused_and_never_an_invocation() -> None:
    """S1-2.2: the refusal says why, without arguments."""
    ran = go(engine(scripted(calls("rm_rf", path="/"), says(output(missing_info=["x"]))), {}))
    assert ran.run.tool_invocations == ()
    refused = [event.data for event in ran.events if event.type == "TOOL_REQUEST_REJECTED"]
    assert [(data["tool_name"], data["reason"]) for data in refused] == [("unknown", "TOOL_UNKNOWN")]
    assert "rm_rf" not in str(refused)


def test_a_model_that_never_stops_asking_is_stopped() -> None:
    """DESIGN §4: a budget ends the run, no model is asked to write the fallback."""
    many = [calls("query_metrics", service=f"svc-{number}") for number in range(50)]
    ran = go(engine(scripted(*many), {"query_metrics": [FOUND] * 50}))
    assert ran.run.stop_reason == "BUDGET_LIMIT_REACHED"
    assert len(ran.run.tool_invocations) == 8
    assert (ran.run.outcome, ran.run.verdict) == ("FALLBACK", None)


def test_a_model_that_only_sends_refused_requests_is_stopped_early() -> None:
    """S1-2.3."""
    ran = go(engine(scripted(*[calls("nothing", n=number) for number in range(50)]), {}))
    assert ran.run.stop_reason == "PROTOCOL_REJECTIONS_EXHAUSTED"
    assert len([event for event in ran.events if event.type == "TOOL_REQUEST_REJECTED"]) <= 4


def test_zero_tool_calls_and_missing_information_is_a_lawful_end() -> None:
    """S1-6.4, S1-8.2."""
    ran = go(engine(scripted(says(output(missing_info=["服务名"])), planner=(OPEN_PLAN,)), {}), query="帮我看看")
    assert ran.run.outcome == "FALLBACK"
    assert ran.run.fallback is not None
    assert ran.run.fallback.type == "MISSING_REQUIRED_CONTEXT"
    assert "服务名" in ran.run.fallback.limitations


def test_a_gap_that_states_a_fact_is_not_shown() -> None:
    """S0-6.1: missing_info is model text too."""
    gaps = ["服务名", "payment-service 的 CPU 已到 99%", "问题已排除"]
    ran = go(engine(scripted(says(output(missing_info=gaps)), planner=(OPEN_PLAN,)), {}), query="帮我看看")
    assert ran.run.fallback is not None
    assert ran.run.fallback.limitations == ("服务名",)


@pytest.mark.parametrize("text", ["not json", "[]", "{}", '{"selected_skill": "nope"}'])
def test_a_plan_that_cannot_be_used_selects_no_skill_and_the_run_goes_on(text: str) -> None:
    """S0-1.1."""
    ran = go(engine(scripted(ASK, says(observation()), planner=(says(text),)), {"query_metrics": [FOUND]}))
    assert (ran.run.outcome, ran.run.narrow) == ("SUCCESS", False)
    assert "planner→executor plan_unreadable" in ran.edges


def test_a_fenced_output_is_read_and_said_to_be_repaired() -> None:
    """S0-7.1: executor_output_parse_status."""
    import json

    fenced = says(f"Here is the result:\n```json\n{json.dumps(observation(), ensure_ascii=False)}\n```")
    ran = go(engine(scripted(ASK, fenced), {"query_metrics": [FOUND]}))
    assert ran.run.outcome == "SUCCESS"
    assert ran.run.verifier_evaluation["executor_output_parse_status"]["status"] == "repaired"


def test_runbook_text_as_a_fact_is_refused_in_a_narrow_run() -> None:
    """S0-2.5."""
    from groundrules.testing import json_result

    book = json_result(
        {"evidence_blocks": [{"title": "CPU", "text": "payment-service 的 CPU 过高时先看线程", "score": 0.4}]}
    )
    stated = observation(
        claim_text="payment-service 的 CPU 过高时先看线程",
        tool_name="lookup_knowledge",
        raw_path="$.evidence_blocks[0]",
        evidence_excerpt="payment-service 的 CPU 过高时先看线程",
    )
    ask = calls("lookup_knowledge", query="payment-service CPU")
    said = says(stated)
    ran = go(engine(scripted(ask, said, said, verifier=(PASS, PASS)), {"lookup_knowledge": [book]}))
    assert ran.run.gatekeeper_result is not None
    assert "scope.reference_as_environment" in ran.run.gatekeeper_result.failed_rules
    assert ran.run.outcome == "FALLBACK"
