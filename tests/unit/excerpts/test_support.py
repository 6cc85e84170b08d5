"""What each fact of an excerpt's support says, and that the check holds on any input (S0-4.3)."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.excerpts import ExcerptSupport, excerpt_support, is_supported

LOG = (
    "2026-07-08 23:05:28 ERROR order-service HikariPool-1 - Connection is not available, "
    "request timed out after 30000ms (total=10, active=10, idle=0, waiting=37)"
)
ALERT = "alertname=HighCPUUsage, service=payment-service, state=firing, current=92%, duration=25m"


def support(excerpt: str, text: str) -> ExcerptSupport:
    return excerpt_support(excerpt, text, min_coverage=0.8)


def supported(excerpt: str, text: str) -> bool:
    return is_supported(support(excerpt, text), min_coverage=0.8)


def test_a_verbatim_excerpt_has_every_fact_at_its_best() -> None:
    """S0-4.3."""
    assert support("Connection is not available, request timed out after 30000ms", LOG) == ExcerptSupport(
        verbatim=True,
        coverage=1.0,
        segments=2,
        segments_unsupported=0,
        numbers_missing=0,
        identifiers_missing=0,
        times_missing=0,
        versions_missing=0,
        key_values_missing=0,
        states_missing=0,
        negation_differs=False,
        too_short=False,
        missing=(),
    )


def test_json_written_as_pairs_is_supported_though_not_verbatim() -> None:
    """S0-2.3: several fields of an item go into one excerpt."""
    found = support("state=firing, HighCPUUsage", '{"alertname": "HighCPUUsage", "state": "firing"}')
    assert (found.verbatim, found.coverage, found.segments_unsupported) == (False, 1.0, 0)


@pytest.mark.parametrize(
    ("excerpt", "text", "fact", "value"),
    [
        ("current=29%", ALERT, "numbers_missing", 1),
        ("current=29%", ALERT, "key_values_missing", 1),
        ("request timed out after 30000s", LOG, "numbers_missing", 1),
        ("ERROR inventory-service HikariPool-1", LOG, "identifiers_missing", 1),
        ("2026-07-08 23:05:29 ERROR order-service", LOG, "times_missing", 1),
        ("WARN order-service HikariPool-1", LOG, "states_missing", 1),
        ("image api:1.24.3 pulled", "image api:1.24.2 pulled", "versions_missing", 1),
        ("state=resolved", ALERT, "key_values_missing", 1),
        ("state=resolved", ALERT, "states_missing", 1),
        ("Connection is available", LOG, "negation_differs", True),
        ("request not timed out after 30000ms", LOG, "negation_differs", True),
        ("数据库连接可用", "数据库连接不可用", "negation_differs", True),
        ("服务未恢复", "服务恢复", "negation_differs", True),
        ("Connection … available", LOG, "negation_differs", True),
        ("", LOG, "too_short", True),
        ("…，。", LOG, "too_short", True),
        ("3", LOG, "too_short", True),
        ("not", LOG, "too_short", True),
        ("Connection is not available, nothing of this kind", LOG, "segments_unsupported", 1),
    ],
)
def test_each_difference_is_a_fact_of_its_own(excerpt: str, text: str, fact: str, value: object) -> None:
    """S0-4.3: rules decide over facts, so each must be told apart."""
    found = support(excerpt, text)
    assert dataclasses.asdict(found)[fact] == value, found
    assert not is_supported(found, min_coverage=0.8)


def test_what_is_missing_is_said_in_words_and_bounded() -> None:
    """S0-4.2: errors name what differs."""
    assert support("current=29%", ALERT).missing == ("number 29%", "key_value current=29%")
    many = support(", ".join(f"key_{number}={number}" for number in range(60)), ALERT)
    assert len(many.missing) == 20
    assert max(map(len, support(f"service={'x' * 500}", ALERT).missing)) == 120


def test_things_of_two_items_support_no_excerpt_together() -> None:
    """S0-4.3: one text per binding."""
    excerpt = "HighCPUUsage, Connection is not available"
    assert not supported(excerpt, ALERT)
    assert not supported(excerpt, LOG)
    assert supported(excerpt, f"{ALERT}\n{LOG}")


def test_an_excerpt_or_segment_count_beyond_the_bound_is_not_supported() -> None:
    """S0-4.3: what is not checked is not supported."""
    text = " ".join(f"w{number}" for number in range(4_000))
    assert not supported(text[:9_000], text)
    assert not supported(", ".join(f"w{number}" for number in range(100, 0, -1)), text)


def test_a_long_verbatim_excerpt_may_have_many_segments() -> None:
    """S0-2.3: a stack trace is one item of many lines."""
    trace = "\n".join(f"at com.acme.Step{number}.run(Step{number}.java:{number})" for number in range(100))
    assert supported(trace, f"java.lang.IllegalStateException: closed\n{trace}\n... 3 more")


def test_a_share_asked_for_of_one_forbids_even_an_added_article() -> None:
    """S0-4.3: the share is a parameter of the rule."""
    text = "node drained after the upgrade of its kernel image"
    excerpt = "the node drained after the upgrade of its kernel image"
    assert is_supported(excerpt_support(excerpt, text, min_coverage=0.8), min_coverage=0.8)
    assert not is_supported(excerpt_support(excerpt, text, min_coverage=1.0), min_coverage=1.0)


def test_a_word_that_says_something_is_not_made_up_for_by_many_others() -> None:
    """S0-4.3: overlap alone accepts half of all forgeries."""
    words = "the scheduler moved seven pods of the ledger deployment to another node because its disk was full"
    assert supported(words, words)
    assert not supported(words.replace("full", "failing"), words)
    assert not supported(words.replace("moved", "slowly moved"), words)


def test_characters_that_only_look_alike_are_different() -> None:
    """S0-4.3: NFKC does not fold Cyrillic, and must not."""
    assert not supported("service=pаyment-service", ALERT)


def test_invisible_characters_neither_hide_nor_break_anything() -> None:
    """S0-4.3."""
    assert supported("state=fir\u200bing, current=92%", ALERT)
    assert not supported("Connection is \u200b available", LOG)
    assert not supported("current=9\u200b3%", ALERT)


def test_escaped_json_and_coloured_output_are_read_as_people_read_them() -> None:
    """S0-4.3: tools return JSON inside JSON, and terminal colours."""
    assert supported('"state":"firing"', '{"body":"{\\"state\\":\\"firing\\",\\"n\\":1}"}')
    assert supported("连接超时", '{"msg":"\\u8fde\\u63a5\\u8d85\\u65f6"}')
    assert supported("ERROR order-service", "\x1b[31mERROR\x1b[0m order-service")


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "," * 100_000,
        "a" + "\u0315\u0300\u0327" * 30_000,
        "\ud800" * 50_000,
        "a " * 50_000,
        "a=" * 50_000,
        "1,234," * 20_000,
        "not " * 30_000,
        "不" * 60_000,
        "\\u4e2d" * 20_000,
        "\x1b[" * 50_000,
        "http://" + "a/b?c=d&" * 10_000,
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_hostile_texts_are_judged_like_any_other(text: str) -> None:
    """S0-4.3: any text ends in a verdict; what it does not say is refused."""
    assert not supported("order-service is healthy, current=92%", text)
    assert isinstance(support(text[:8_000], text), ExcerptSupport)


LATIN = (
    "order-service",
    "ERROR",
    "is",
    "not",
    "available",
    "30000ms",
    "92%",
    "state=firing",
    "v1.2.3",
    "23:05:28",
    "the",
)
WORDS = st.sampled_from((*LATIN, ",", ";", "|", "…", "\n", "不", "可用", "未", "恢复"))


@given(st.text(max_size=200), st.text(max_size=400))
@settings(deadline=None)
def test_any_two_strings_get_a_verdict(excerpt: str, text: str) -> None:
    """S0-4.3."""
    found = support(excerpt, text)
    assert 0.0 <= found.coverage <= 1.0
    assert 0 <= found.segments_unsupported <= max(found.segments, 1)


@given(st.lists(WORDS, min_size=1, max_size=12))
@settings(deadline=None)
def test_a_text_supports_itself_unless_it_says_nothing(words: list[str]) -> None:
    """S0-4.3."""
    text = " ".join(words)
    found = support(text, text)
    assert found.too_short or is_supported(found, min_coverage=0.8)


@given(st.lists(WORDS, min_size=1, max_size=8), st.lists(WORDS, min_size=1, max_size=12))
@settings(deadline=None)
def test_asking_for_more_never_supports_more(excerpt: list[str], text: list[str]) -> None:
    """S0-4.3: the verdict is monotone in the share asked for."""
    strict = excerpt_support(" ".join(excerpt), " ".join(text), min_coverage=0.95)
    loose = excerpt_support(" ".join(excerpt), " ".join(text), min_coverage=0.5)
    assert is_supported(loose, min_coverage=0.5) or not is_supported(strict, min_coverage=0.95)


@given(st.integers(min_value=0, max_value=10**12), st.integers(min_value=0, max_value=10**12))
@settings(deadline=None)
def test_a_number_supports_no_other_number(one: int, other: int) -> None:
    """S0-4.3: 4821 is not in 48210."""
    assert supported(f"id={one}, rows scanned: {other}", f"rows scanned: {other} by id={one}") or one == other
    assert supported(f"job id={one}", f"job id={other} done") == (one == other)
