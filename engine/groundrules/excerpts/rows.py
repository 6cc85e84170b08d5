"""Owns which fields of a table belong together: those of one line.

A text can be a table (rows with the same columns, log lines with a time in front). Fields joined on one line of an
excerpt, '771204 | CANCELLED', then have to stand in one row. Refuses nothing where lines are not records: the lines
of a JSON document or a description are one item. Invariant: only bare fields are judged, never a phrase or a pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from groundrules.excerpts.fold import single_spaced
from groundrules.excerpts.segment import Segment

LINES_MAX = 400
RECORDS_SHARE = 0.6
BREAKS = ("\n", "...", ";", "。")
FIELD_TOKENS_MAX = 2
FIELD_LENGTH_MAX = 8


def of_another_row(segments: tuple[Segment, ...], lines: str) -> Iterator[int]:
    """Places of bare fields that stand in no row of the name or number they are joined to."""
    pairs = [(at + 1, *pair) for at, pair in enumerate(pairwise(segments)) if _is_field_of(*pair)]
    rows = _rows(lines) if pairs else ()
    owned = -1
    for at, owner, value in pairs:
        if not _apart(owner, value, rows):
            owned = at
        elif owned != at - 1 or not _begins_row(value, rows):
            yield at


def _apart(owner: Segment, value: Segment, rows: tuple[str, ...]) -> bool:
    owners = {number for number, row in enumerate(rows) if owner.text in row}
    values = {number for number, row in enumerate(rows) if value.text in row}
    return bool(owners and values) and owners.isdisjoint(values)


def _is_field_of(owner: Segment, value: Segment) -> bool:
    joined = not any(mark in value.passage.tokens[0].before for mark in BREAKS)
    return joined and _is_bare(owner) and _is_bare(value)


def _is_bare(segment: Segment) -> bool:
    """One or two words, or a few ideographs; no pair."""
    passage = segment.passage
    short = len(passage.keys) <= FIELD_TOKENS_MAX or len(segment.text) <= FIELD_LENGTH_MAX
    return short and not any(passage.assigned[1:])


def _begins_row(segment: Segment, rows: tuple[str, ...]) -> bool:
    """The first field of a row may start another row in the excerpt, once the row before has a field."""
    return any(row.startswith(segment.text) for row in rows)


def _rows(lines: str) -> tuple[str, ...]:
    """The lines as rows; none when the text is no table."""
    if not 1 <= lines.count("\n") <= LINES_MAX:
        return ()
    kept = [line for line in lines.split("\n") if line.strip(" \t-+=|")]
    records = sum(_is_record(line) for line in kept)
    if records < 2 or records < RECORDS_SHARE * len(kept):
        return ()
    return tuple(single_spaced(line).strip("| ") for line in kept)


def _is_record(line: str) -> bool:
    """Several columns, or a date in front."""
    columns = len([part for part in line.replace("\t", "  ").split("  ") if part.strip()])
    start = line.lstrip(" [")
    dated = start[:4].isdigit() and start[4:5] in ("-", "/")
    return columns >= 3 or line.count("|") >= 2 or dated
