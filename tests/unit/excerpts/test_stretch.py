"""A stretch of a text has the tokens of the text, and a check that reads only stretches judges as one of the whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules.excerpts import excerpt_support, things_missing
from groundrules.excerpts.passage import Passage, read_passage
from groundrules.excerpts.stretch import cut_before, read_stretch

PIECES = (
    "ERROR", "order-service", "30000", " ", "  ", "\n", "ms", " ms", "%", " %", "°C", "秒", " 秒", "分钟", "三十二", "不可用",
    ", ", ",", ";", "。", "(", ")", '"', "=", ":", "-", "+", ".", "...", "/", "http://a", "?x=1", "<b>", " > ", "1,234",
    "23:05:28", "2026-07-08", "T23:05", "no", "not ", "failed to", "it's", "!", "~", "$5", "_", "é", "²", "req/s", "8 Jul",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def _rows(passage: Passage) -> list[tuple[object, ...]]:
    """All that is known of each token but its place."""
    flags = (passage.keys, passage.kinds, passage.borders, passage.assigned, passage.negative, passage.light)
    return [
        (token.text, token.before, *row)
        for token, *row in zip(passage.tokens, *flags, strict=True)  # type: ignore[misc]
    ]


@given(text=TEXTS, start=st.integers(0, 200), length=st.integers(0, 60))
def test_a_stretch_has_the_very_tokens_of_the_whole_text(text: str, start: int, length: int) -> None:
    """S0-4.3: what is read near a place is what reading everything gives there."""
    stretch = read_stretch(text, start, start + length)
    if stretch is None or not stretch.passage.tokens:
        return
    whole = read_passage(text)
    places = [token.start for token in whole.tokens]
    first = places.index(stretch.passage.tokens[0].start + stretch.offset)
    size = len(stretch.passage.tokens)
    assert _rows(stretch.passage) == _rows(whole)[first : first + size]
    assert not stretch.opens or first == 0
    assert not stretch.closes or first + size == len(places)


@pytest.mark.parametrize(
    ("text", "place", "cut"),
    [
        ("took 30000 ms then", 11, 5),
        ("took 30000 more", 11, 11),
        ("used 92 % of it", 8, 5),
        ("a 1,234 b", 4, 2),
        ("in 30 秒 后", 6, 3),
        ("连接失败", 2, 2),
        ("三十二", 2, 0),
        ("x" * 100, 80, -1),
    ],
)
def test_no_cut_stands_inside_a_token(text: str, place: int, cut: int) -> None:
    """A number keeps its unit and its thousands, a name without end has no cut."""
    assert cut_before(text, place) == cut


@pytest.mark.parametrize(
    ("text", "excerpt"),
    [
        ("the pool might at that of which the have been of that exhausted by callers", "exhausted by callers"),
        ("2026-07-08 INFO not recoverable-by-any-operator-of-this-cluster database replica", "database replica"),
        ("值班记录：如果数据库连接被耗尽那么订单服务会超时", "数据库连接被耗尽"),
        (f"{'x' * 90} is not {'y' * 60} available", "available"),
    ],
)
def test_a_denial_far_before_the_place_is_seen(text: str, excerpt: str) -> None:
    """S0-4.3: where the nearest tokens do not settle what a cut leaves out, more is read."""
    assert excerpt_support(excerpt, text, min_coverage=0.8).negation_differs


LINE = "host=db-1 port=5432 "


@pytest.mark.parametrize(
    ("statement", "text", "missing"),
    [
        ("db-9 waited 30s", f"{LINE * 60}name=db-9 waited=30000ms {LINE * 60}", []),
        ("db-9 waited 31s", f"{LINE * 60}name=db-9 waited=30000ms {LINE * 60}", ["31s"]),
        ("8 retries", f"{LINE * 60}on Jul 8 it failed {LINE * 60}", ["8"]),
        ("at 23:05:28 +0800", f"{LINE * 60}at 23:05:28 +0000 {LINE * 60}", ["23:05:28 +0800"]),
        ("等待 37 次，23:05 超时", f"{LINE * 60}于 23:05:28 超时，等待 37 次{LINE * 60}", []),
    ],
)
def test_what_a_place_holds_is_what_the_whole_text_holds(statement: str, text: str, missing: list[str]) -> None:
    """G-5: a number that is part of a date is none, a time with another zone is another."""
    assert [thing.text for thing in things_missing(statement, [text])] == missing
