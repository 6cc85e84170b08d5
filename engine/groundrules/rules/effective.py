"""The effective rules as rows, for people: what holds, and where it comes from.

Owns the rows of `rules list` and `rules show`; how they look is the command line's.
"""

from __future__ import annotations

from dataclasses import dataclass

from groundrules.conditions import Scalar, atoms
from groundrules.rules.model import Rule, RuleSet


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule of the effective rule set."""

    rule_id: str
    status: str
    on: str
    effect: str
    """The severity, or what the rule assigns."""
    layer: str
    file: str
    line: int
    title: str
    params: tuple[tuple[str, Scalar], ...]
    """The parameters that its conditions read, with their values."""


def effective_rows(rule_set: RuleSet) -> tuple[RuleRow, ...]:
    """Every rule in order, disabled ones included."""
    return tuple(_row(rule, rule_set) for rule in rule_set.rules)


def _row(rule: Rule, rule_set: RuleSet) -> RuleRow:
    trees = (rule.when, *(exception.when for exception in rule.exceptions))
    names = dict.fromkeys(leaf.param for tree in trees for leaf in atoms(tree) if leaf.param)
    return RuleRow(
        rule_id=rule.id,
        status=rule.status,
        on=rule.on,
        effect=rule.severity or ", ".join(f"{key}={word}" for key, word in rule.then.items()),
        layer=rule.layer,
        file=rule.file,
        line=rule.line,
        title=rule.title,
        params=tuple((name, rule_set.params[name]) for name in names),
    )
