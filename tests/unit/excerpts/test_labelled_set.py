"""The labelled set: hand-written pairs of text and excerpt, honest and forged, in both languages (S0-4.3)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from groundrules.excerpts import excerpt_support, is_supported

PAIRS_DIR = Path(__file__).parents[2] / "data" / "excerpts"
PAIRS = [
    json.loads(line) for file in sorted(PAIRS_DIR.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()
]
MIN_COVERAGE = 0.8


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["id"] for pair in PAIRS])
def test_each_pair_is_judged_as_labelled(pair: dict[str, str]) -> None:
    """S0-4.3: an excerpt is supported by its ref's text or it is not; no pair of the set is judged wrongly."""
    support = excerpt_support(pair["excerpt"], pair["text"], min_coverage=MIN_COVERAGE)
    assert is_supported(support, min_coverage=MIN_COVERAGE) == pair["supported"], support


def test_the_set_is_large_bilingual_and_mostly_forged() -> None:
    """S0-4.3: a set that measures both kinds of mistake in both languages."""
    assert len(PAIRS) >= 350
    assert len({pair["id"] for pair in PAIRS}) == len(PAIRS)
    assert sum(not pair["supported"] for pair in PAIRS) * 2 >= len(PAIRS)
    languages = Counter((pair["lang"], pair["supported"]) for pair in PAIRS)
    assert min(languages[lang, supported] for lang in ("en", "zh") for supported in (True, False)) >= 40


def test_every_source_and_every_forgery_is_represented() -> None:
    """S0-4.3: the kinds of text that tools return and the ways in which an excerpt lies about them."""
    assert {pair["source"] for pair in PAIRS} == {"log", "alert", "sql", "stack", "kubectl", "runbook", "no_evidence"}
    forged = {pair["kind"] for pair in PAIRS if not pair["supported"]}
    expected = "number unit sign order_of_magnitude time version identifier service state log_level"
    expected += " negation_dropped negation_added two_items_spliced clause_appended empty one_character"
    expected += " neighbour swapped_values tokens_spliced moved_values"
    assert set(expected.split()) <= forged
    honest = {pair["kind"] for pair in PAIRS if pair["supported"]}
    expected = "verbatim reordered cut whitespace case full_width ellipsis joined dropped_keys json_as_kv kv_as_json"
    assert set(expected.split()) <= honest
