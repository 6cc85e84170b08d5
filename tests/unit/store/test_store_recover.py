"""The record of a run that died (DESIGN §8)."""

from __future__ import annotations

import pytest
from tests.unit.store.store_samples import START, events, invocation, run

from groundrules.contracts import check
from groundrules.store.recover import died_run


def test_a_dead_run_is_failed_with_all_its_evidence() -> None:
    record = died_run("run-1", [event.to_dict() for event in events("run-1")[:4]])
    assert record["outcome"] == "FAILED"
    assert record["stop_reason"] == "PROCESS_DIED"
    assert record["tool_invocations"] == [invocation("run-1").to_dict()]
    assert record["query"] == "还在触发吗？"
    assert record["narrow"] is True
    assert record["model_calls"][0]["total_tokens"] == 120


@pytest.mark.parametrize("kept", range(1, len(events("run-1")) + 1))
def test_a_dead_run_never_holds_a_claim_or_an_answer(kept: int) -> None:
    """DESIGN §7: whichever event was the last, nothing is published."""
    record = died_run("run-1", [event.to_dict() for event in events("run-1")[:kept]])
    assert (record["outcome"], record["claims"], record["answer"]) == ("FAILED", [], None)


def test_a_dead_run_has_the_same_parts_as_any_other() -> None:
    assert list(died_run("run-1", [events("run-1")[0].to_dict()])) == list(run("run-1").to_dict())


def test_events_of_unknown_shape_take_nothing_down() -> None:
    strange = {
        "run_id": "run-1",
        "sequence": 1,
        "type": "TOOL_INVOCATION",
        "at": START.isoformat(),
        "data": {"invocation": 7},
    }
    assert died_run("run-1", [strange])["tool_invocations"] == []


def test_the_record_of_a_dead_run_satisfies_its_contract() -> None:
    """Contract `diagnosis_run`."""
    assert check("diagnosis_run", died_run("run-1", [event.to_dict() for event in events("run-1")])) == ()


def test_the_sample_run_satisfies_its_contract() -> None:
    assert check("diagnosis_run", run("run-1").to_dict()) == ()
