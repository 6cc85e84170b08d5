"""The condition language of rules and cards: a small typed tree, its parser and its plain evaluation.

A mapping is a conjunction; a scalar is equality; `{lt|lte|gt|gte|ne|in|not_in: value or $param}`; `all`, `any`
and `not` nest. There are no expression strings. `holds` is the reference evaluation: short enough to read in a
minute, and what every other reader of the tree must agree with (G-1). Invariant: a parsed leaf compares a fact
with a literal of the fact's own type, so that no reader ever coerces.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from groundrules.errors import Issue

Scalar = bool | int | float | str
FactKind = Literal["boolean", "integer", "number", "word"]
Op = Literal["eq", "ne", "lt", "lte", "gt", "gte", "in", "not_in"]

ORDER_OPS: tuple[Op, ...] = ("lt", "lte", "gt", "gte")
SET_OPS: tuple[Op, ...] = ("in", "not_in")
OPS: tuple[Op, ...] = ("eq", "ne", *ORDER_OPS, *SET_OPS)
MAX_DEPTH = 16
INT_LIMIT = 2**63


@dataclass(frozen=True, slots=True)
class FactType:
    """The declared type of a fact. `words` is the closed list of a `word`; empty means any text (cards only)."""

    kind: FactKind
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leaf:
    """An atom: one fact compared with a literal, or with several for `in` and `not_in`."""

    fact: str
    op: Op
    value: Scalar | tuple[Scalar, ...]
    param: str = ""
    """Name of the parameter that `value` came from; empty for a literal."""


@dataclass(frozen=True, slots=True)
class All:
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Condition


Condition = Leaf | All | AnyOf | Not
TypeOf = Callable[[str, Scalar], FactType | None]
"""Gives a fact's type, from its name and the literal it is compared with; None for an unknown fact."""

COMPARE: Mapping[Op, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: bool(a == b),
    "ne": lambda a, b: bool(a != b),
    "lt": lambda a, b: bool(a < b),
    "lte": lambda a, b: bool(a <= b),
    "gt": lambda a, b: bool(a > b),
    "gte": lambda a, b: bool(a >= b),
    "in": lambda a, b: a in b,
    "not_in": lambda a, b: a not in b,
}


def holds(condition: Condition, facts: Mapping[str, Scalar]) -> bool:
    """Whether the condition is true of the facts. A fact that is absent raises KeyError: facts are never null."""
    match condition:
        case Leaf(fact, op, value):
            return COMPARE[op](facts[fact], value)
        case All(parts):
            return all(holds(part, facts) for part in parts)
        case AnyOf(parts):
            return any(holds(part, facts) for part in parts)
        case Not(part):
            return not holds(part, facts)


def atoms(condition: Condition) -> Iterator[Leaf]:
    """Every leaf, left to right."""
    match condition:
        case Leaf():
            yield condition
        case All(parts) | AnyOf(parts):
            for part in parts:
                yield from atoms(part)
        case Not(part):
            yield from atoms(part)


def kind_of(value: object) -> FactKind | None:
    """The kind that a literal has by itself; None when it is no scalar."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if -INT_LIMIT <= value < INT_LIMIT else None
    if isinstance(value, float):
        return "number" if value == value and abs(value) != float("inf") else None
    return "word" if isinstance(value, str) else None


def catalogue_types(types: Mapping[str, FactType]) -> TypeOf:
    """Types of declared facts: those of rules."""
    return lambda fact, _literal: types.get(fact)


def literal_types(_fact: str, literal: Scalar) -> FactType | None:
    """Types of undeclared fields: those of a card's `where:`, where the literal says what it must be."""
    kind = kind_of(literal)
    return FactType("number" if kind == "integer" else kind) if kind else None


class _Reader:
    """Walks a source once and gathers issues; a part with an issue becomes an empty conjunction."""

    def __init__(self, type_of: TypeOf, params: Mapping[str, Scalar], known: Sequence[str]) -> None:
        self.type_of, self.params, self.known = type_of, params, known
        self.issues: list[Issue] = []

    def bad(self, path: str, message: str, hint: str = "") -> All:
        self.issues.append(Issue("", 0, path, message, hint, "condition"))
        return All(())

    def condition(self, source: object, path: str, depth: int) -> Condition:
        if depth > MAX_DEPTH:
            return self.bad(path, f"conditions nest deeper than {MAX_DEPTH}")
        if not isinstance(source, Mapping) or not source:
            return self.bad(path, "a condition is a non-empty mapping of facts", "write `fact: value`")
        parts = tuple(self.part(str(key), value, f"{path}.{key}", depth) for key, value in source.items())
        return parts[0] if len(parts) == 1 else All(parts)

    def part(self, key: str, value: object, path: str, depth: int) -> Condition:
        if key in ("all", "any"):
            if not isinstance(value, list) or not value:
                return self.bad(path, f"`{key}` takes a non-empty list of conditions")
            parts = tuple(self.condition(item, f"{path}[{n}]", depth + 1) for n, item in enumerate(value))
            return All(parts) if key == "all" else AnyOf(parts)
        if key == "not":
            return Not(self.condition(value, path, depth + 1))
        if not isinstance(value, Mapping):
            return self.leaf(key, "eq", value, path)
        if not value:
            return self.bad(path, "a comparison is missing", f"one of {', '.join(OPS[1:])}")
        leaves = tuple(self.compared(key, str(op), literal, f"{path}.{op}") for op, literal in value.items())
        return leaves[0] if len(leaves) == 1 else All(leaves)

    def compared(self, fact: str, op: str, literal: object, path: str) -> Condition:
        if op not in OPS:
            return self.bad(path, f"unknown comparison `{op}`", did_you_mean(op, OPS))
        return self.leaf(fact, op, literal, path)

    def leaf(self, fact: str, op: Op, literal: object, path: str) -> Condition:
        value, param = self.value(literal, path)
        if value is None:
            return All(())
        values = value if isinstance(value, tuple) else (value,)
        if (op in SET_OPS) != isinstance(value, tuple):
            return self.bad(path, f"`{op}` takes {'a list of values' if op in SET_OPS else 'one value'}")
        checked = tuple(self.typed(fact, op, item, path) for item in values)
        if any(item is None for item in checked):
            return All(())
        kept = tuple(item for item in checked if item is not None)
        return Leaf(fact, op, kept if isinstance(value, tuple) else kept[0], param)

    def value(self, literal: object, path: str) -> tuple[Scalar | tuple[Scalar, ...] | None, str]:
        if isinstance(literal, list):
            items = tuple(self.value(item, path)[0] for item in literal)
            scalars = tuple(item for item in items if isinstance(item, bool | int | float | str))
            if not scalars or len(scalars) != len(items):
                self.bad(path, "a list of values must hold scalars, at least one")
                return None, ""
            return scalars, ""
        if isinstance(literal, str) and literal.startswith("$"):
            name = literal[1:]
            if name not in self.params:
                self.bad(path, f"unknown parameter `{literal}`", did_you_mean(name, tuple(self.params)))
                return None, ""
            return self.params[name], name
        if kind_of(literal) is None:
            self.bad(path, "a value must be a boolean, a number within 64 bits, or text")
            return None, ""
        assert isinstance(literal, bool | int | float | str)  # noqa: S101  # kind_of says so; the type checker cannot see it
        return literal, ""

    def typed(self, fact: str, op: Op, value: Scalar, path: str) -> Scalar | None:
        declared = self.type_of(fact, value)
        if declared is None:
            self.bad(path, f"unknown fact `{fact}`", did_you_mean(fact, self.known))
            return None
        kind = kind_of(value)
        fits = kind == declared.kind or (declared.kind == "number" and kind == "integer")
        if not fits:
            self.bad(path, f"`{fact}` is {declared.kind}, compared with {kind} {value!r}")
            return None
        if declared.words and value not in declared.words:
            self.bad(path, f"`{fact}` is never {value!r}", did_you_mean(str(value), declared.words))
            return None
        if op in ORDER_OPS and declared.kind in ("boolean", "word"):
            self.bad(path, f"`{op}` needs a number; `{fact}` is {declared.kind}")
            return None
        return float(value) if declared.kind == "number" else value


def parse_condition(
    source: object,
    *,
    type_of: TypeOf,
    params: Mapping[str, Scalar],
    known: Sequence[str] = (),
    path: str = "$.when",
) -> tuple[Condition, tuple[Issue, ...]]:
    """The tree of a condition and everything that is wrong with it. Use the tree only when nothing is."""
    reader = _Reader(type_of, params, known)
    return reader.condition(source, path, 0), tuple(reader.issues)


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """A hint that names the nearest known words; empty when nothing is near and the list is long."""
    near = difflib.get_close_matches(word, known, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(f'`{name}`' for name in near)}?"
    return f"known: {', '.join(known)}" if 0 < len(known) <= 24 else ""
