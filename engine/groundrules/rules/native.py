"""The native reader: conditions compiled to closures, once per plan.

Owns the fast plain evaluation. Invariant: for every condition and typed facts it says what `conditions.holds` says.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from groundrules.conditions import All, AnyOf, Condition, Leaf, Not, Op, Scalar
from groundrules.errors import RuleError
from groundrules.rules.plan import Plan, Reader

Facts = Mapping[str, Scalar]
Test = Callable[[Facts], bool]

_COMPARE: Mapping[Op, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}


def open_native(plan: Plan) -> Reader:
    """The native reader of a plan."""
    tests = tuple((key, compile_condition(condition)) for key, condition in plan.conditions.items())

    def read(facts: Facts) -> frozenset[str]:
        try:
            return frozenset(key for key, test in tests if test(facts))
        except (KeyError, TypeError) as error:
            raise RuleError(f"native reader: {type(error).__name__}: {error}") from error

    return read


def compile_condition(condition: Condition) -> Test:
    """A closure that is true of facts exactly when the condition holds."""
    match condition:
        case Leaf():
            return _leaf(condition)
        case All(parts):
            return _all(tuple(compile_condition(part) for part in parts))
        case AnyOf(parts):
            return _any(tuple(compile_condition(part) for part in parts))
        case Not(part):
            return _not(compile_condition(part))


def _leaf(leaf: Leaf) -> Test:
    fact = leaf.fact
    if isinstance(leaf.value, tuple):
        values = frozenset(leaf.value)
        return (lambda facts: facts[fact] in values) if leaf.op == "in" else (lambda facts: facts[fact] not in values)
    value, compare = leaf.value, _COMPARE[leaf.op]
    return lambda facts: compare(facts[fact], value)


def _all(tests: tuple[Test, ...]) -> Test:
    def test(facts: Facts) -> bool:
        return all(part(facts) for part in tests)

    return test


def _any(tests: tuple[Test, ...]) -> Test:
    def test(facts: Facts) -> bool:
        return any(part(facts) for part in tests)

    return test


def _not(inner: Test) -> Test:
    return lambda facts: not inner(facts)
