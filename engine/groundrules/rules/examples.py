"""Rule files tested by their own examples.

Owns running them and judging the lot. Invariant: a rule set whose rules were not all shown to fire and not to fire
has failed, and so has one of which nothing ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groundrules.facts.catalogue import resting_facts
from groundrules.rules.model import Example, Rule, RuleSet
from groundrules.rules.runtime import RuleRuntime


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """One example of one rule, and what became of it."""

    rule_id: str
    name: str
    fires: bool
    fired: bool
    fault: str
    file: str
    line: int

    @property
    def passed(self) -> bool:
        return not self.fault and self.fired is self.fires


@dataclass(frozen=True, slots=True)
class ExampleSummary:
    """How the examples of a rule set went; `problems` says why it failed."""

    ran: int
    problems: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.problems


def test_rules(rule_set: RuleSet, runtime: RuleRuntime) -> tuple[ExampleResult, ...]:
    """Every example of every rule that is not disabled, on every reader."""
    return tuple(_run(rule_set, rule, example, runtime) for rule in _tested(rule_set) for example in rule.examples)


def summarise(rule_set: RuleSet, results: Sequence[ExampleResult]) -> ExampleSummary:
    """Whether the results show that the rule set does what it says."""
    problems = [_failure(result) for result in results if not result.passed]
    if not results:
        problems.append(f"{rule_set.version}: no example ran")
    for rule in _tested(rule_set):
        shown = {result.fires for result in results if result.rule_id == rule.id}
        if True not in shown:
            problems.append(f"{rule.id}: no example in which it fires")
        if False not in shown:
            problems.append(f"{rule.id}: no example in which it does not fire")
    return ExampleSummary(len(results), tuple(problems))


def _tested(rule_set: RuleSet) -> tuple[Rule, ...]:
    return tuple(rule for rule in rule_set.rules if rule.status != "disabled")


def _run(rule_set: RuleSet, rule: Rule, example: Example, runtime: RuleRuntime) -> ExampleResult:
    reading = runtime.read(rule_set, rule.on, resting_facts(rule.on) | dict(example.given))
    fault = reading.failure or ("the readers disagree" if rule.id in reading.disputed else "")
    fired = rule.id in reading.holding
    return ExampleResult(rule.id, example.name, example.fires, fired, fault, rule.file, rule.line)


def _failure(result: ExampleResult) -> str:
    if result.fault:
        return f"{result.rule_id}, example `{result.name}`: {result.fault}"
    said = "fires, and should not" if result.fired else "does not fire, and should"
    return f"{result.rule_id}, example `{result.name}`: {said}"
