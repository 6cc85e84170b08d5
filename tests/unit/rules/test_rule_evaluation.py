"""Live evaluation: readers that must agree, and everything that fails closed (DESIGN §3, §7)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tests.unit.rules.rule_files import V1, write

from groundrules.conditions import Leaf, Scalar
from groundrules.errors import RuleError
from groundrules.facts.catalogue import resting_facts
from groundrules.rules import RuleRuntime, RuleSet, evaluate, load_policy, open_runtime
from groundrules.rules.durable_reader import open_durable
from groundrules.rules.model import RuleException
from groundrules.rules.native import open_native
from groundrules.rules.plan import Plan, Reader
from groundrules.rules.runtime import Evaluation

TODAY = date(2026, 12, 1)
INVENTED = resting_facts("binding") | {"raw_path_present": True}
REAL = INVENTED | {"raw_path_found": True, "excerpt_coverage": 0.8}


@pytest.fixture(scope="module")
def rule_set(tmp_path_factory: pytest.TempPathFactory) -> RuleSet:
    root: Path = tmp_path_factory.mktemp("rules")
    loaded, issues = load_policy(write(root, "gatekeeper", "v1", V1), "gatekeeper", "v1", layer="project")
    assert issues == ()
    assert loaded is not None
    return loaded


@pytest.fixture(params=["native", "both"])
def runtime(request: pytest.FixtureRequest) -> RuleRuntime:
    return RuleRuntime.native_only() if request.param == "native" else RuleRuntime.both()


def test_rules_fire_in_the_order_of_the_rule_set(rule_set: RuleSet, runtime: RuleRuntime) -> None:
    assert evaluate(rule_set, "binding", INVENTED, runtime, TODAY) == Evaluation(("evidence.raw_path",), (), ())
    assert evaluate(rule_set, "binding", REAL, runtime, TODAY) == Evaluation((), (), ())
    low = REAL | {"excerpt_coverage": 0.7999999999999999}
    assert evaluate(rule_set, "binding", low, runtime, TODAY).fired == ("evidence.excerpt",)


def test_the_same_facts_read_the_same_again(rule_set: RuleSet, runtime: RuleRuntime) -> None:
    first = [evaluate(rule_set, "binding", facts, runtime, TODAY) for facts in (INVENTED, REAL, INVENTED, REAL)]

    assert first[:2] == first[2:]


def test_a_kind_without_rules_says_nothing(rule_set: RuleSet, runtime: RuleRuntime) -> None:
    assert evaluate(rule_set, "claim", resting_facts("claim"), runtime, TODAY) == Evaluation((), (), ())


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({k: v for k, v in REAL.items() if k != "narrow"}, "fact `narrow` is missing"),
        (REAL | {"mood": True}, "unknown fact `mood`"),
        (REAL | {"narrow": 1}, "fact `narrow` is integer, must be boolean"),
        (REAL | {"numbers_missing": True}, "fact `numbers_missing` is boolean, must be integer"),
        (REAL | {"numbers_missing": 1.0}, "fact `numbers_missing` is number, must be integer"),
        (REAL | {"evidence_status": "Supported"}, "fact `evidence_status` is never 'Supported'"),
        (REAL | {"evidence_status": "\ud800"}, "fact `evidence_status` is never '\\ud800'"),
        (REAL | {"excerpt_coverage": float("nan")}, "fact `excerpt_coverage` must be a boolean"),
        (REAL | {"excerpt_coverage": float("inf")}, "fact `excerpt_coverage` must be a boolean"),
        (REAL | {"excerpt_coverage": 2**53 + 1}, "fact `excerpt_coverage` is an integer that no double holds exactly"),
        (REAL | {"numbers_missing": 2**63}, "fact `numbers_missing` must be a boolean"),
        (REAL | {"narrow": None}, "fact `narrow` must be a boolean"),
        (REAL | {"narrow": []}, "fact `narrow` must be a boolean"),
    ],
)
def test_facts_that_are_not_the_catalogues_are_a_fault_of_every_rule(
    rule_set: RuleSet, runtime: RuleRuntime, facts: Mapping[str, Scalar], reason: str
) -> None:
    """DESIGN §7: a rule that errors never passes."""
    told = evaluate(rule_set, "binding", facts, runtime, TODAY)

    assert told.fired == ()
    assert [rule_id for rule_id, _ in told.faults] == ["evidence.excerpt", "evidence.raw_path"]
    assert all(why.startswith(reason) for _, why in told.faults)


def test_an_integer_stands_for_the_number_it_is(rule_set: RuleSet, runtime: RuleRuntime) -> None:
    assert evaluate(rule_set, "binding", REAL | {"excerpt_coverage": 1}, runtime, TODAY) == Evaluation((), (), ())
    assert evaluate(rule_set, "binding", REAL | {"excerpt_coverage": 0}, runtime, TODAY).fired == ("evidence.excerpt",)


def _contrary(plan: Plan) -> Reader:
    """A reader that is wrong about one rule."""
    native = open_native(plan)
    return lambda facts: native(facts) ^ {"evidence.raw_path"}


def _broken(plan: Plan) -> Reader:
    def read(facts: Mapping[str, Scalar]) -> frozenset[str]:
        raise RuleError("the reader broke")

    return read


def _unopenable(plan: Plan) -> Reader:
    raise RuleError("the reader does not open")


def test_readers_that_disagree_are_a_fault_of_the_rule(rule_set: RuleSet) -> None:
    """DESIGN §3: live, durable and native both evaluate and must agree."""
    runtime = RuleRuntime({"native": open_native, "contrary": _contrary})

    for facts in (INVENTED, REAL, INVENTED):
        told = evaluate(rule_set, "binding", facts, runtime, TODAY)
        assert told == Evaluation((), (("evidence.raw_path", "the readers disagree"),), ())


@pytest.mark.parametrize(
    ("opener", "reason"), [(_broken, "the reader broke"), (_unopenable, "the reader does not open")]
)
def test_a_reader_that_breaks_is_a_fault_of_every_rule(rule_set: RuleSet, opener: object, reason: str) -> None:
    runtime = RuleRuntime({"native": open_native, "broken": opener})  # type: ignore[dict-item]

    told = evaluate(rule_set, "binding", INVENTED, runtime, TODAY)

    assert told == Evaluation((), (("evidence.excerpt", reason), ("evidence.raw_path", reason)), ())


def test_a_reader_that_broke_once_is_opened_afresh(rule_set: RuleSet) -> None:
    opened: list[Plan] = []

    def unlucky(plan: Plan) -> Reader:
        opened.append(plan)
        return _broken(plan) if len(opened) == 1 else open_native(plan)

    runtime = RuleRuntime({"unlucky": unlucky})

    assert len(evaluate(rule_set, "binding", INVENTED, runtime, TODAY).faults) == 2
    assert evaluate(rule_set, "binding", INVENTED, runtime, TODAY).fired == ("evidence.raw_path",)


def test_durable_fails_closed_on_an_exception_of_its_own(rule_set: RuleSet) -> None:
    """DESIGN §3, fence point 7: a fact it still holds makes it raise, and that is never "nothing fired"."""
    from groundrules.rules.plan import plan_of

    reader = open_durable(plan_of(rule_set, "binding"))
    host = reader.__self__.host  # type: ignore[attr-defined]
    name = reader.__self__.sets[0]  # type: ignore[attr-defined]
    host.assert_fact(name, {"id": 1, "sid": "0", "kind": "binding", "f0": 0, "f1": 0, "f2": 1})

    with pytest.raises(RuleError, match="durable reader"):
        reader(INVENTED)


def test_an_exception_lets_a_rule_go_until_its_day(rule_set: RuleSet, runtime: RuleRuntime) -> None:
    given = RuleException("old import", date(2026, 12, 1), Leaf("evidence_status", "eq", "deduped"))
    rules = tuple(replace(rule, exceptions=(given,)) for rule in rule_set.rules)
    excepting = replace(rule_set, rules=rules)
    old = INVENTED | {"evidence_status": "deduped"}

    assert evaluate(excepting, "binding", old, runtime, date(2026, 12, 1)) == Evaluation((), (), ("evidence.raw_path",))
    assert evaluate(excepting, "binding", old, runtime, date(2026, 12, 2)).fired == ("evidence.raw_path",)
    assert evaluate(excepting, "binding", INVENTED, runtime, date(2026, 12, 1)).fired == ("evidence.raw_path",)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("stable", Evaluation(("evidence.raw_path",), (), ())),
        ("deprecated", Evaluation(("evidence.raw_path",), (), ())),
        ("shadow", Evaluation((), (), (), ("evidence.raw_path",))),
        ("draft", Evaluation((), (), ())),
        ("disabled", Evaluation((), (), ())),
    ],
)
def test_the_status_of_a_rule_says_whether_it_decides(
    rule_set: RuleSet, runtime: RuleRuntime, status: str, expected: Evaluation
) -> None:
    rules = tuple(replace(rule, status=status) for rule in rule_set.rules)  # type: ignore[arg-type]

    assert evaluate(replace(rule_set, rules=rules), "binding", INVENTED, runtime, TODAY) == expected


def test_threads_have_readers_of_their_own(rule_set: RuleSet) -> None:
    """DESIGN §3, fence point 6: one host on two threads is wrong half of the time."""
    runtime = RuleRuntime.both()
    told: list[tuple[bool, tuple[str, ...], int]] = []

    def work(start: int) -> None:
        for number in range(start, start + 200):
            low = number % 2 == 0
            facts = REAL | {"excerpt_coverage": 0.5 if low else 0.9, "numbers_missing": number}
            outcome = evaluate(rule_set, "binding", facts, runtime, TODAY)
            told.append((low, outcome.fired, len(outcome.faults)))

    threads = [threading.Thread(target=work, args=(start,)) for start in (0, 1000, 2000, 3000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(told) == 800
    assert {outcome for outcome in told if outcome[0]} == {(True, ("evidence.excerpt",), 0)}
    assert {outcome for outcome in told if not outcome[0]} == {(False, (), 0)}


def test_both_readers_run_where_durable_rules_can_be_imported() -> None:
    pytest.importorskip("durable.engine")

    runtime, notice = open_runtime()

    assert runtime.readers == ("native", "durable")
    assert notice == ""


def test_native_alone_runs_where_durable_rules_cannot_be_imported(
    rule_set: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.13 and later: said once, as a notice, and rules are still evaluated (DESIGN §3)."""
    for name in [name for name in sys.modules if name == "durable" or name.startswith("durable.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "durable", None)

    runtime, notice = open_runtime()

    assert runtime.readers == ("native",)
    assert notice.startswith("durable-rules cannot be imported")
    assert evaluate(rule_set, "binding", INVENTED, runtime, TODAY).fired == ("evidence.raw_path",)
    faulty = evaluate(rule_set, "binding", INVENTED, RuleRuntime.both(), TODAY)
    assert [rule_id for rule_id, _ in faulty.faults] == ["evidence.excerpt", "evidence.raw_path"]
