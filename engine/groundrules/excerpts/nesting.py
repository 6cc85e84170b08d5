"""Owns dotted keys: labels.alertname names the alertname inside the object labels, and no other.

Invariant: a dotted key stands only where every part of it is the key of the object that encloses the next.
"""

from __future__ import annotations

from collections.abc import Iterator

from groundrules.excerpts.passage import Passage


def nested_places(dotted: str, passage: Passage) -> Iterator[int]:
    """Where the last part of the dotted key stands as a key inside the objects that its other parts name."""
    *outer, last = dotted.split(".")
    for at in range(len(passage.keys) - 1):
        if passage.keys[at] == last and passage.assigned[at + 1] and _inside(passage, at, outer):
            yield at


def _inside(passage: Passage, at: int, outer: list[str]) -> bool:
    for name in reversed(outer):
        at = _enclosing_key(passage, at)
        if at < 0 or passage.keys[at] != name:
            return False
    return True


def _enclosing_key(passage: Passage, at: int) -> int:
    """The key whose object encloses the token; -1 when there is none."""
    depth = 0
    for inner in range(at, 0, -1):
        for mark in reversed(passage.tokens[inner].before):
            if mark == "{" and not depth:
                return inner - 1 if passage.assigned[inner] else -1
            depth += {"}": 1, "{": -1}.get(mark, 0)
    return -1
