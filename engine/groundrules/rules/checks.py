"""Whether facts are what the catalogue says: present, known, of their type, within bounds.

Owns the check that stands before every reader of a condition (DESIGN §3, fence point 4). Invariant: facts without a
problem are evaluated the same by every reader.
"""

from __future__ import annotations

from collections.abc import Mapping

from groundrules.conditions import FactType, Scalar, kind_of


def facts_problem(types: Mapping[str, FactType], facts: Mapping[str, Scalar]) -> str:
    """Why the facts cannot be evaluated; empty when they can."""
    for name, declared in types.items():
        if name not in facts:
            return f"fact `{name}` is missing"
        problem = value_problem(declared, facts[name])
        if problem:
            return f"fact `{name}` {problem}"
    if len(facts) > len(types):
        return f"unknown fact `{min(name for name in facts if name not in types)}`"
    return ""


def value_problem(declared: FactType, value: object) -> str:
    """Why a value is not of the declared type; empty when it is."""
    if declared.kind == "boolean" and (value is True or value is False):
        return ""
    kind = kind_of(value)
    if kind is None:
        return "must be a boolean, a finite number within 64 bits, or text"
    if kind == "integer" and declared.kind == "number":
        assert isinstance(value, int)  # noqa: S101  # kind_of says so
        return "" if int(float(value)) == value else "is an integer that no double holds exactly"
    if kind != declared.kind:
        return f"is {kind}, must be {declared.kind}"
    if declared.words and value not in declared.words:
        return f"is never {str(value)[:40]!r}"
    return ""
