"""What a document says, as a value of a column: the only place where stored values are shaped.

Refuses what the harness itself wrote wrongly (ValueError); takes anything where a model wrote. Invariant: whatever
comes out fits its DuckDB type, so that one run can never spoil the batch that it is stored with.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from groundrules.conditions import Scalar
from groundrules.facts.catalogue import Fact

_INTEGER_MAX = 2**63 - 1


def own_text(document: Mapping[str, Any], key: str) -> str:
    """A text that the harness wrote."""
    value = document[key]
    if not isinstance(value, str):
        raise ValueError(f"{key} is not a text")
    return value


def own_text_or_none(document: Mapping[str, Any], key: str) -> str | None:
    """A text that the harness wrote, or the null that it wrote."""
    return None if document[key] is None else own_text(document, key)


def own_integer(document: Mapping[str, Any], key: str) -> int:
    """A whole number of 64 bits that the harness wrote."""
    value = document[key]
    if type(value) is not int or abs(value) > _INTEGER_MAX:
        raise ValueError(f"{key} is not a whole number of 64 bits")
    return value


def own_number(document: Mapping[str, Any], key: str) -> float:
    """A finite number that the harness wrote."""
    value = document[key]
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError(f"{key} is not a number")
    return float(value)


def own_flag(document: Mapping[str, Any], key: str) -> bool:
    """A boolean that the harness wrote."""
    value = document[key]
    if not isinstance(value, bool):
        raise ValueError(f"{key} is not a boolean")
    return value


def own_time(document: Mapping[str, Any], key: str) -> datetime:
    """A time that the harness wrote, in UTC."""
    time = datetime.fromisoformat(own_text(document, key))
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def own_list(document: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """A list of objects that the harness wrote."""
    value = document[key]
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError(f"{key} is not a list of objects")
    return value


def own_texts(document: Mapping[str, Any], key: str) -> list[str]:
    """A list of texts that the harness wrote."""
    value = document[key]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{key} is not a list of texts")
    return value


def own_object(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object that the harness wrote."""
    value = document[key]
    if not isinstance(value, dict):
        raise ValueError(f"{key} is not an object")
    return value


def stamp(time: datetime) -> str:
    """A UTC time as DuckDB reads a TIMESTAMP."""
    return time.replace(tzinfo=None).isoformat(sep=" ")


def said(document: Mapping[str, Any], key: str) -> str:
    """What a model wrote there, as text: whatever it is, or nothing."""
    value = document.get(key)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def said_integer(document: Mapping[str, Any], key: str) -> int | None:
    """The whole number of 64 bits that a model wrote there, if it did."""
    value = document.get(key)
    return value if type(value) is int and abs(value) <= _INTEGER_MAX else None


def said_objects(document: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The list that a model wrote there, each thing in it that is no object standing as an empty one."""
    value = document.get(key)
    return [item if isinstance(item, dict) else {} for item in value] if isinstance(value, list) else []


def fact_value(facts: Mapping[str, Any], fact: Fact) -> Scalar:
    """The fact's value, its resting value when it was not known yet when the run was made."""
    if fact.name not in facts:
        return fact.resting
    match fact.type.kind:
        case "boolean":
            return own_flag(facts, fact.name)
        case "integer":
            return own_integer(facts, fact.name)
        case "number":
            return own_number(facts, fact.name)
        case _:
            return own_text(facts, fact.name)
