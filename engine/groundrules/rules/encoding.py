"""Facts as 64-bit integers, so that a reader which coerces cannot: every comparison keeps its truth.

Owns the encoding for durable-rules: false and true are 0 and 1, a word is its place in its closed list, an integer is
itself, and another number is the bit pattern of its double, turned so that integers order as the doubles do.
Refuses words outside a closed list. Invariant: `a < b` and `a == b` hold of two values of a type exactly when they
hold of their encodings; nothing is rounded, so 0.8 against 0.8 and its two neighbours come out as in Python and SQL.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

from groundrules.conditions import FactType, Scalar
from groundrules.errors import RuleError

RESERVED = ("kind", "id", "sid", "$s")
FIELD_LIMIT = 250


def encode(declared: FactType, value: Scalar) -> int:
    """The integer that stands for a value of the declared type."""
    if declared.kind == "word":
        if value not in declared.words:
            raise RuleError(f"{str(value)[:40]!r} is not in the closed list of the fact")
        return declared.words.index(str(value))
    return ordered_bits(float(value)) if declared.kind == "number" else int(value)


def ordered_bits(number: float) -> int:
    """The double as an integer of the same order; both zeros are 0. Not for NaN."""
    bits: int = struct.unpack("<q", struct.pack("<d", number))[0]
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF_FFFF_FFFF)


def field_names(facts: Iterable[str]) -> Mapping[str, str]:
    """A safe field name for each fact: `f0`, `f1` …, none of the same FNV-1a-32 hash as another (fence point 5)."""
    taken = {fnv1a_32(name) for name in RESERVED}
    names: dict[str, str] = {}
    number = 0
    for fact in sorted(set(facts)):
        while fnv1a_32(f"f{number}") in taken:
            number += 1
        names[fact] = f"f{number}"
        taken.add(fnv1a_32(names[fact]))
    if len(names) > FIELD_LIMIT:
        raise RuleError(f"the rules read {len(names)} facts, more than {FIELD_LIMIT}")
    return names


def fnv1a_32(text: str) -> int:
    """The hash by which durable-rules knows a field; two names of one hash are one field to it."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFF_FFFF
    return value
