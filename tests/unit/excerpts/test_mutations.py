"""Every honest pair of the labelled set, made false in one place by a rule, is refused (S0-4.3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from groundrules.excerpts import excerpt_support, is_supported
from groundrules.excerpts.fold import caseless, fold
from groundrules.excerpts.passage import Passage, read_passage

PAIRS_DIR = Path(__file__).parents[2] / "data" / "excerpts"
HONEST = [
    pair
    for file in sorted(PAIRS_DIR.glob("*.jsonl"))
    for pair in map(json.loads, file.read_text("utf-8").splitlines())
    if pair["supported"]
]
MIN_COVERAGE = 0.8
LEVELS = {
    "error": "WARN",
    "warn": "INFO",
    "info": "ERROR",
    "firing": "resolved",
    "resolved": "firing",
    "failed": "SUCCESS",
}
NEXT_DIGIT = str.maketrans("0123456789", "1234567890")

Mutation = Callable[[str], Iterator[str]]


def supported(excerpt: str, text: str) -> bool:
    return is_supported(excerpt_support(excerpt, text, min_coverage=MIN_COVERAGE), min_coverage=MIN_COVERAGE)


def replaced(excerpt: str, start: int, end: int, by: str) -> str:
    return excerpt[:start] + by + excerpt[end:]


def tokens_of(excerpt: str) -> Passage:
    return read_passage(fold(excerpt))


def with_another_digit(excerpt: str) -> Iterator[str]:
    folded = fold(excerpt)
    for at, char in enumerate(folded):
        if char.isascii() and char.isdigit():
            yield replaced(folded, at, at + 1, char.translate(NEXT_DIGIT))


def with_a_digit_more(excerpt: str) -> Iterator[str]:
    folded = fold(excerpt)
    for at, char in enumerate(folded):
        if char.isascii() and char.isdigit():
            yield replaced(folded, at, at, "7")


def with_another_letter_in_a_name(excerpt: str) -> Iterator[str]:
    folded = fold(excerpt)
    passage = tokens_of(excerpt)
    for token, kind in zip(passage.tokens, passage.kinds, strict=True):
        if kind == "identifier" and token.text[-1].isascii() and token.text[-1].isalpha():
            yield replaced(folded, token.end - 1, token.end, "x" if token.text[-1] not in "xX" else "y")


def with_a_suffix_on_a_name(excerpt: str) -> Iterator[str]:
    folded = fold(excerpt)
    passage = tokens_of(excerpt)
    for token, kind in zip(passage.tokens, passage.kinds, strict=True):
        if kind == "identifier":
            yield replaced(folded, token.end, token.end, "-canary")


def with_another_level(excerpt: str) -> Iterator[str]:
    folded = fold(excerpt)
    passage = tokens_of(excerpt)
    for token, key in zip(passage.tokens, passage.keys, strict=True):
        if key in LEVELS:
            yield replaced(folded, token.start, token.end, LEVELS[key])


def without_a_negation(excerpt: str) -> Iterator[str]:
    folded = fold(excerpt)
    passage = tokens_of(excerpt)
    for at, token in enumerate(passage.tokens):
        if passage.negative[at] and at + 1 < len(passage.tokens) and not passage.borders[at + 1]:
            yield replaced(folded, token.start, passage.tokens[at + 1].start, "")


def with_a_negation(excerpt: str) -> Iterator[str]:
    folded = fold(excerpt)
    passage = tokens_of(excerpt)
    for token, kind in zip(passage.tokens, passage.kinds, strict=True):
        if kind == "word":
            yield replaced(folded, token.start, token.start, "不" if "一" <= token.text[0] <= "鿿" else "not ")


def with_a_clause_more(excerpt: str) -> Iterator[str]:
    yield excerpt + ", which a memory leak has caused"
    yield excerpt + " and the root cause is a memory leak"
    yield excerpt + "，根因是内存泄漏"


def with_a_word_exchanged(excerpt: str) -> Iterator[str]:
    folded = fold(excerpt)
    passage = tokens_of(excerpt)
    for token, kind, light in zip(passage.tokens, passage.kinds, passage.light, strict=True):
        if kind == "word" and not light and token.text.isascii() and len(token.text) > 1:
            yield replaced(folded, token.start, token.end, "zebra")


MUTATIONS: tuple[Mutation, ...] = (
    with_another_digit,
    with_a_digit_more,
    with_another_letter_in_a_name,
    with_a_suffix_on_a_name,
    with_another_level,
    without_a_negation,
    with_a_negation,
    with_a_clause_more,
    with_a_word_exchanged,
)


def stands_as_it_is(excerpt: str, text: str) -> bool:
    """A mutation can hit upon something else that the text says word for word."""
    return " ".join(caseless(fold(excerpt)).split()) in " ".join(caseless(fold(text)).split())


@pytest.mark.parametrize("mutate", MUTATIONS, ids=[mutate.__name__ for mutate in MUTATIONS])
def test_a_true_excerpt_made_false_in_one_place_is_refused(mutate: Mutation) -> None:
    """S0-4.3: numbers, names, levels, negations, invented words and clauses."""
    accepted = [
        (pair["id"], forged)
        for pair in HONEST
        for forged in mutate(pair["excerpt"])
        if not stands_as_it_is(forged, pair["text"]) and supported(forged, pair["text"])
    ]
    assert accepted == []


def test_the_mutations_make_thousands_of_forgeries() -> None:
    """S0-4.3: none of the mutations is idle."""
    made = {mutate.__name__: sum(1 for pair in HONEST for _ in mutate(pair["excerpt"])) for mutate in MUTATIONS}
    assert min(made.values()) >= 20, made
    assert sum(made.values()) >= 3_000, made


def test_an_excerpt_is_refused_at_the_neighbours_path() -> None:
    """S0-4.4: the text of another item does not support it, or backfill could not tell them apart."""
    told_apart = [pair for pair in HONEST if pair["source"] != "no_evidence"]
    texts = sorted({(pair["source"], pair["text"]) for pair in told_apart})
    long = [pair for pair in told_apart if len(pair["excerpt"]) >= 30]
    accepted = [
        (pair["id"], other[:60])
        for pair in long
        for source, other in texts
        if source == pair["source"] and other != pair["text"] and supported(pair["excerpt"], other)
    ]
    assert accepted == []
