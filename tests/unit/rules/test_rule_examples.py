"""A rule file's own examples are its tests; a rule set that was not shown to work has failed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.rules.rule_files import PATH_RULE, V1, write

from groundrules.rules import RuleRuntime, RuleSet, load_policy, summarise
from groundrules.rules import test_rules as run_examples
from groundrules.rules.native import open_native


def loaded(root: Path, rule: str = PATH_RULE) -> RuleSet:
    files = V1 | {"evidence.raw_path.yaml": rule}
    rule_set, issues = load_policy(write(root, "gatekeeper", "v1", files), "gatekeeper", "v1", layer="project")
    assert issues == ()
    assert rule_set is not None
    return rule_set


@pytest.fixture(params=["native", "both"])
def runtime(request: pytest.FixtureRequest) -> RuleRuntime:
    return RuleRuntime.native_only() if request.param == "native" else RuleRuntime.both()


def test_examples_that_hold_pass(tmp_path: Path, runtime: RuleRuntime) -> None:
    rule_set = loaded(tmp_path)
    results = run_examples(rule_set, runtime)
    summary = summarise(rule_set, results)

    assert [(result.rule_id, result.name, result.passed) for result in results] == [
        ("evidence.excerpt", "little", True),
        ("evidence.excerpt", "enough", True),
        ("evidence.raw_path", "invented", True),
        ("evidence.raw_path", "real", True),
    ]
    assert (summary.ran, summary.problems, summary.passed) == (4, (), True)


def test_an_example_that_does_not_hold_fails(tmp_path: Path, runtime: RuleRuntime) -> None:
    turned = PATH_RULE.replace("when: {raw_path_present: true", "when: {raw_path_present: false")
    rule_set = loaded(tmp_path, turned)
    summary = summarise(rule_set, run_examples(rule_set, runtime))

    assert summary.problems == ("evidence.raw_path, example `invented`: does not fire, and should",)


def test_a_rule_without_both_kinds_of_example_fails(tmp_path: Path, runtime: RuleRuntime) -> None:
    rule_set = loaded(tmp_path)
    firing_only = tuple(
        replace(rule, examples=tuple(example for example in rule.examples if example.fires)) for rule in rule_set.rules
    )
    thin = replace(rule_set, rules=firing_only)

    assert summarise(thin, run_examples(thin, runtime)).problems == (
        "evidence.excerpt: no example in which it does not fire",
        "evidence.raw_path: no example in which it does not fire",
    )


def test_nothing_that_ran_is_a_failure(tmp_path: Path, runtime: RuleRuntime) -> None:
    rule_set = loaded(tmp_path)
    empty = replace(rule_set, rules=())

    assert summarise(empty, run_examples(empty, runtime)).problems == ("gatekeeper-rules-v1: no example ran",)


def test_readers_that_disagree_fail_the_example(tmp_path: Path) -> None:
    rule_set = loaded(tmp_path)
    runtime = RuleRuntime({"native": open_native, "silent": lambda _plan: lambda _facts: frozenset()})
    summary = summarise(rule_set, run_examples(rule_set, runtime))

    assert "evidence.raw_path, example `invented`: the readers disagree" in summary.problems


def test_draft_rules_are_tested_and_disabled_ones_are_not(tmp_path: Path, runtime: RuleRuntime) -> None:
    draft = loaded(tmp_path / "a", PATH_RULE.replace("stable", "draft"))
    disabled = loaded(tmp_path / "b", PATH_RULE.replace("stable", "disabled"))

    assert len(run_examples(draft, runtime)) == 4
    assert len(run_examples(disabled, runtime)) == 2
    assert summarise(disabled, run_examples(disabled, runtime)).passed
