"""Conditions as a choice of conjunctions: negation pushed into the leaves, every `any` and `in` split up.

Owns the normal form that durable-rules needs (DESIGN §3, fence point 3). Invariant: a condition holds exactly when
all leaves of one of its branches hold; facts are typed and never null or NaN, so that each comparison has an
exact opposite.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from groundrules.conditions import All, AnyOf, Condition, Leaf, Not, Op
from groundrules.errors import RuleError

BRANCH_LIMIT = 256
"""More branches than this are refused when the rule is loaded."""

Branch = tuple[Leaf, ...]
OPPOSITE: Mapping[Op, Op] = {
    "eq": "ne",
    "ne": "eq",
    "lt": "gte",
    "gte": "lt",
    "lte": "gt",
    "gt": "lte",
    "in": "not_in",
    "not_in": "in",
}


def branches(condition: Condition) -> tuple[Branch, ...]:
    """The branches, without `in` and `not_in`; RuleError when there are more than BRANCH_LIMIT."""
    found = _branches(condition)
    unique = dict.fromkeys(tuple(dict.fromkeys(branch)) for branch in found)
    return tuple(unique)


def _branches(condition: Condition) -> tuple[Branch, ...]:
    match condition:
        case Leaf():
            return _leaf(condition)
        case All(parts):
            return _each(tuple(_branches(part) for part in parts))
        case AnyOf(parts):
            return _limited(tuple(branch for part in parts for branch in _branches(part)))
        case Not(part):
            return _branches(_negated(part))


def _negated(condition: Condition) -> Condition:
    match condition:
        case Leaf(fact, op, value, param):
            return Leaf(fact, OPPOSITE[op], value, param)
        case All(parts):
            return AnyOf(tuple(Not(part) for part in parts))
        case AnyOf(parts):
            return All(tuple(Not(part) for part in parts))
        case Not(part):
            return part


def _leaf(leaf: Leaf) -> tuple[Branch, ...]:
    if not isinstance(leaf.value, tuple):
        return ((leaf,),)
    if leaf.op == "in":
        return _limited(tuple((Leaf(leaf.fact, "eq", value),) for value in leaf.value))
    return (tuple(Leaf(leaf.fact, "ne", value) for value in leaf.value),)


def _each(parts: tuple[tuple[Branch, ...], ...]) -> tuple[Branch, ...]:
    """One branch for every way to take a branch of each part."""
    size = 1
    for part in parts:
        size *= len(part)
        if size > BRANCH_LIMIT:
            raise _too_many()
    return tuple(tuple(leaf for branch in chosen for leaf in branch) for chosen in product(*parts))


def _limited(found: tuple[Branch, ...]) -> tuple[Branch, ...]:
    if len(found) > BRANCH_LIMIT:
        raise _too_many()
    return found


def _too_many() -> RuleError:
    return RuleError(f"the condition has more than {BRANCH_LIMIT} branches; split the rule")
