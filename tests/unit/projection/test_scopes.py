"""Scope normalisation (S1-6.1) and widening (S0-2.5)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules.projection import ScopeSpec, normalise_scope, scope_widened

SPEC = ScopeSpec(
    fields=("service", "query", "since", "topic"),
    fold_case=frozenset({"service"}),
    unordered_words=frozenset({"query"}),
    round_s={"since": 60},
    defaults={"topic": "application-logs"},
)
arguments = st.dictionaries(
    st.sampled_from(["service", "query", "since", "topic", "limit"]),
    st.none()
    | st.text(max_size=60)
    | st.integers()
    | st.booleans()
    | st.floats()
    | st.lists(st.text(max_size=8), max_size=4),
)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"service": "Order-Service"}, {"service": " order-service "}),
        ({"query": "HikariCP  耗尽"}, {"query": "耗尽 HikariCP"}),
        ({"query": "ＨikariＣＰ"}, {"query": "HikariCP"}),
        ({"since": "2026-07-08T23:05:01Z"}, {"since": "2026-07-09T07:05:59+08:00"}),
        ({"service": "a", "query": "b"}, {"query": "b", "service": "a", "limit": 5}),
        ({"service": "a"}, {"service": "a", "topic": "application-logs"}),
        ({"service": "a"}, {"service": "a", "query": "", "since": None}),
        ({"service": ["b", "a"]}, {"service": ["a", "b", "a"]}),
        ({"query": 5}, {"query": 5.0}),
    ],
)
def test_the_same_question_has_the_same_scope(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert normalise_scope(SPEC, first) == normalise_scope(SPEC, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"service": "a"}, {"service": "b"}),
        ({"query": "HikariCP"}, {"query": "HikariPool"}),
        ({"since": "2026-07-08T23:05:00Z"}, {"since": "2026-07-08T23:06:00Z"}),
        ({"query": "x" * 5000 + "a"}, {"query": "x" * 5000 + "b"}),
        ({"query": "x" * 500 + "a"}, {"query": "x" * 500 + "b"}),
    ],
)
def test_different_questions_have_different_scopes(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert normalise_scope(SPEC, first) != normalise_scope(SPEC, second)


def test_the_normal_form_is_sorted_folded_and_masked() -> None:
    given_arguments = {"service": "Order-Service", "query": "token=abcdef99 耗尽", "since": "2026-07-08T23:05:59Z"}
    assert normalise_scope(SPEC, given_arguments) == (
        ("query", "token=*** 耗尽"),
        ("service", "order-service"),
        ("since", "2026-07-08T23:05:00Z"),
        ("topic", "application-logs"),
    )


@given(arguments)
def test_normalising_again_changes_nothing(given_arguments: dict[str, Any]) -> None:
    scope = normalise_scope(SPEC, given_arguments)
    assert normalise_scope(SPEC, dict(scope)) == scope


@given(arguments)
def test_the_order_of_arguments_does_not_matter(given_arguments: dict[str, Any]) -> None:
    backwards = dict(reversed(list(given_arguments.items())))
    assert normalise_scope(SPEC, backwards) == normalise_scope(SPEC, given_arguments)


@given(arguments)
def test_a_scope_is_never_wider_than_itself(given_arguments: dict[str, Any]) -> None:
    scope = normalise_scope(SPEC, given_arguments)
    assert not scope_widened(scope, scope)


BEFORE = {"query": "HikariCP 耗尽", "service": "inventory-service", "since": "2026-07-08T23:00:00Z", "window": "15m"}


@pytest.mark.parametrize(
    "change",
    [
        {"query": None},
        {"service": None},
        {"query": "HikariCP"},
        {"query": "Hikari 耗尽"[:6]},
        {"service": "inventory-service,order-service"},
        {"service": "inventory-service、order-service"},
        {"service": "inventory"},
        {"service": "*"},
        {"service": "全部"},
        {"since": "2026-07-08T22:00:00Z"},
        {"window": "1h"},
    ],
)
def test_dropping_or_loosening_a_constraint_is_widening(change: dict[str, str | None]) -> None:
    """S0-2.5: keyword dropped, service removed, more services, a longer window."""
    new = {name: value for name, value in (BEFORE | change).items() if value is not None}
    assert scope_widened(tuple(sorted(BEFORE.items())), tuple(sorted(new.items())))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"query": "HikariCP 耗尽 timeout"},
        {"query": "deadlock"},
        {"service": "order-service"},
        {"since": "2026-07-08T23:30:00Z"},
        {"window": "5m"},
        {"level": "ERROR"},
    ],
)
def test_narrowing_or_asking_something_else_is_not_widening(change: dict[str, str]) -> None:
    assert not scope_widened(tuple(sorted(BEFORE.items())), tuple(sorted((BEFORE | change).items())))


def test_a_later_end_is_wider_and_an_earlier_one_is_not() -> None:
    early, late = (("until", "2026-07-08T23:00:00Z"),), (("until", "2026-07-08T23:30:00Z"),)
    assert scope_widened(early, late)
    assert not scope_widened(late, early)
