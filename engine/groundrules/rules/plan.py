"""What a reader evaluates: the conditions of one subject kind of one rule set, each under a key.

Owns the plan and the reader's type. A rule's own condition stands under the rule's id, the conditions of its
exceptions under `id!0`, `id!1` …, so that exceptions are read by every reader too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from groundrules.conditions import Condition, FactType, Scalar, atoms
from groundrules.facts.catalogue import SubjectKind, fact_types
from groundrules.rules.model import Rule, RuleSet

Reader = Callable[[Mapping[str, Scalar]], frozenset[str]]
"""Gives the keys of the conditions that hold. Raises RuleError when it cannot tell; then nothing is known."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Conditions by key, the types of their facts, and a name that no other content has."""

    name: str
    kind: str
    conditions: Mapping[str, Condition]
    types: Mapping[str, FactType]

    @property
    def used(self) -> tuple[str, ...]:
        """The facts that the conditions read, in alphabetical order."""
        return tuple(sorted({leaf.fact for tree in self.conditions.values() for leaf in atoms(tree)}))


OpenReader = Callable[[Plan], Reader]


def plan_of(rule_set: RuleSet, kind: SubjectKind) -> Plan:
    """The plan of every rule of the kind that is not disabled."""
    conditions: dict[str, Condition] = {}
    for rule in rules_of(rule_set, kind):
        conditions[rule.id] = rule.when
        for place, exception in enumerate(rule.exceptions):
            conditions[exception_key(rule.id, place)] = exception.when
    digest = rule_set.hash.removeprefix("sha256:")[:16]
    return Plan(f"{rule_set.policy}@{digest}", kind, conditions, fact_types(kind))


def rules_of(rule_set: RuleSet, kind: SubjectKind) -> tuple[Rule, ...]:
    """The rules of the kind that are not disabled, in order."""
    return tuple(rule for rule in rule_set.rules if rule.on == kind and rule.status != "disabled")


def exception_key(rule_id: str, place: int) -> str:
    """The key of a rule's exception; `!` stands in no rule id."""
    return f"{rule_id}!{place}"
