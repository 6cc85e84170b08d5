"""The SQL reader: conditions as DuckDB expressions over typed columns, for facts already stored (G-1).

Owns the rendering. Refuses nothing that was parsed. Invariant: over columns of the facts' types (BOOLEAN, BIGINT,
DOUBLE, VARCHAR) without nulls, an expression is true of exactly the rows of which `conditions.holds` is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

from groundrules.conditions import All, AnyOf, Condition, FactKind, Leaf, Not, Op, Scalar
from groundrules.facts.catalogue import SubjectKind
from groundrules.rules.model import Rule, RuleSet

COLUMN_TYPES: Mapping[FactKind, str] = {
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "word": "VARCHAR",
}
_OPS: Mapping[Op, str] = {"eq": "=", "ne": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


def condition_sql(condition: Condition, column: Callable[[str], str]) -> str:
    """A boolean expression; `column` gives the SQL that reads a fact."""
    match condition:
        case Leaf(fact, op, value):
            if isinstance(value, tuple):
                items = ", ".join(literal(item) for item in value)
                return f"{column(fact)} {'IN' if op == 'in' else 'NOT IN'} ({items})"
            return f"{column(fact)} {_OPS[op]} {literal(value)}"
        case All(parts):
            return _joined("AND", "TRUE", parts, column)
        case AnyOf(parts):
            return _joined("OR", "FALSE", parts, column)
        case Not(part):
            return f"(NOT ({condition_sql(part, column)}))"


def rules_sql(rule_set: RuleSet, kind: SubjectKind, today: date, table: str = "facts") -> str:
    """Every row of a table of facts with `fired`: the ids of the enabled rules that fire on it, in order."""
    rules = [rule for rule in rule_set.enabled if rule.on == kind]
    cases = ", ".join(f"CASE WHEN {_fires(rule, today)} THEN {literal(rule.id)} END" for rule in rules)
    fired = f"list_filter([{cases}], lambda id: id IS NOT NULL)" if cases else "CAST([] AS VARCHAR[])"
    return f"SELECT *, {fired} AS fired FROM {identifier(table)}"


def _fires(rule: Rule, today: date) -> str:
    exceptions = tuple(exception.when for exception in rule.exceptions if today <= exception.expires)
    tree: Condition = All((rule.when, Not(AnyOf(exceptions)))) if exceptions else rule.when
    return condition_sql(tree, identifier)


def _joined(word: str, empty: str, parts: tuple[Condition, ...], column: Callable[[str], str]) -> str:
    return f"({f' {word} '.join(condition_sql(part, column) for part in parts)})" if parts else empty


def identifier(name: str) -> str:
    """A quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Scalar) -> str:
    """A literal of the fact's own type; a double is cast, for DuckDB reads 0.8 as a decimal."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return f"CAST('{value}' AS BIGINT)"
    if isinstance(value, float):
        return f"CAST('{value!r}' AS DOUBLE)"
    return " || chr(0) || ".join("'" + part.replace("'", "''") + "'" for part in value.split("\0"))
