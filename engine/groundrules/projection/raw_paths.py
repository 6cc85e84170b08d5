"""The addresses of evidence: `$.collection[i]` and `$.no_evidence` (S0-2.3).

Owns their shape and their look-up. Refuses sub-paths of an item. Invariant: an address names a whole item or nothing;
no JSONPath engine is asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from groundrules.records.evidence import NO_EVIDENCE_PATH, EvidenceRef

MAX_DIGITS = 9


def item_path(collection: str, position: int) -> str:
    """The address of an item."""
    return f"$.{collection}[{position}]"


def raw_path_well_formed(raw_path: object, collection: str | None = None) -> bool:
    """Whether it is `$.no_evidence` or an item of the collection; of any collection when none is given."""
    if raw_path == NO_EVIDENCE_PATH:
        return True
    if not isinstance(raw_path, str) or not raw_path.startswith("$.") or not raw_path.endswith("]"):
        return False
    name, bracket, position = raw_path[2:-1].partition("[")
    named = name == collection if collection else _is_name(name)
    return named and bool(bracket) and _is_position(position)


def resolve(raw_path: str, refs: Iterable[EvidenceRef]) -> EvidenceRef | None:
    """The ref at the address; the first one where an address was given twice."""
    return next((ref for ref in refs if ref.raw_path == raw_path), None)


def _is_name(name: str) -> bool:
    return name.isascii() and name.isidentifier()


def _is_position(position: str) -> bool:
    plain = position.isascii() and position.isdigit() and len(position) <= MAX_DIGITS
    return plain and (position == "0" or not position.startswith("0"))
