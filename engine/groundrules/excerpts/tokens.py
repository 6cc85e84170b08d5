"""Owns the cut of folded text into tokens: words, names, numbers with sign and unit, times, single ideographs.

A token is never part of a longer name or number: 4821 is no token of 48210, nor order of order-service, nor 92 of
92%. What stands between two tokens is kept as the later one's `before`: splitting and structure are read from it.
Invariant: tokens are in order, do not overlap, and `text[start:end]` is the token as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from groundrules.excerpts.charclass import BLANK, DIGIT, IDEOGRAPH, LETTER, MARK, SYMBOL, WORD, classes
from groundrules.excerpts.words import CJK_NUMERALS, CJK_UNITS, CURRENCIES, SPACED_UNITS

JOINERS = frozenset("-./@\\+")
ADDRESS_JOINERS = frozenset("?&=#%~:/")
BREAKS = frozenset(" \n")
SCHEME_MAX = 16
SIGNS = frozenset("+-")
CLOSERS = frozenset(")]}")
ARROW_TAILS = frozenset("-=")
TAG_MAX = 40
STAMP_MIN = 13
"""Characters of the shortest time stamp in one piece."""
NEVER_BEGINS = frozenset("\n\r,;:=()[]{}\"'|*&#%@?\\^`") | {BLANK, MARK}
"""Classes of characters that no token begins with."""
CONTINUES = JOINERS | ADDRESS_JOINERS | frozenset("':,")
"""Marks that can stand inside a token."""
RUN = 16
LETTER_OR_DIGIT = LETTER + DIGIT


class Token(NamedTuple):
    """One token. A named tuple, not a dataclass: hundreds are made per check, and this is three times as fast."""

    text: str
    start: int
    end: int
    before: str
    """What stands between the token before and this one."""


def tokenise(text: str, start: int = 0, stop: int | None = None) -> list[Token]:
    """The tokens of a folded text that begin between `start`, which must be no place inside one, and `stop`."""
    kinds = classes(text)
    tokens: list[Token] = []
    at = last = start
    stop = len(text) if stop is None else stop
    while at < stop:
        kind = kinds[at]
        if kind in NEVER_BEGINS:
            at += 1
            continue
        end = _word_end(text, kinds, at) if kind in WORD else _marked_end(text, kinds, at)
        if end > at:
            spans = _halves(text, at, end) if end - at >= STAMP_MIN else ((at, end),)
            _add(text, tokens, spans, last)
            last = end
        at = max(end, at + 1)
    return tokens


def _add(text: str, tokens: list[Token], spans: Iterable[tuple[int, int]], last: int) -> None:
    """Adds the tokens of the spans; `last` is where the token before them ended."""
    for start, end in spans:
        if start == last + 1 and tokens and _takes_unit(text, tokens[-1], start, end):
            number = tokens.pop()
            tokens.append(Token(text[number.start : end], number.start, end, number.before))
        else:
            # tuple.__new__ is what Token() calls, without the call.
            tokens.append(tuple.__new__(Token, (text[start:end], start, end, text[last:start])))
        last = end


def _takes_unit(text: str, number: Token, start: int, end: int) -> bool:
    """A unit after one space belongs to its number: 30000 ms is 30000ms."""
    return (
        text[number.end] == " "
        and text[start:end].casefold() in SPACED_UNITS
        and number.text[-1].isdigit()
        and is_plain_number(number.text)
    )


def is_plain_number(text: str) -> bool:
    """Sign, currency, digits, points and thousands commas; no unit."""
    bare = text.lstrip("+-$¥€£").replace(",", "").replace(".", "", 1)
    return bare.isascii() and bare.isdigit()


def _halves(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A time stamp in one piece is a date and a clock time: 2026-07-08T23:05:28Z, 08/Jul/2026:23:05:28."""
    if text[start].isdigit():
        for at in (10, 11):
            if text[at + start] in "Tt:_" and text[at + start + 1].isdigit() and text[start:end].count(":") >= 1:
                return [(start, start + at), (start + at + 1, end)]
    return [(start, end)]


def _marked_end(text: str, kinds: str, at: int) -> int:
    """Where the token ends that begins with no letter or digit; `at` itself when none does."""
    char, kind = text[at], kinds[at]
    if kind == IDEOGRAPH:
        return _numeral_end(text, at)
    if char in CURRENCIES:
        return _word_end(text, kinds, at + 1) if _kind(kinds, at + 1) == DIGIT else at
    if kind == SYMBOL:
        return at + 1
    return _sign_end(text, kinds, at)


def _sign_end(text: str, kinds: str, at: int) -> int:
    """Punctuation that begins a token: a sign, a path, a decimal point, a comparison, an exclamation that denies."""
    char = text[at]
    if char in SIGNS:
        return _signed_end(text, kinds, at)
    if char in "/.":
        fresh = at == 0 or (kinds[at - 1] not in WORD and text[at - 1] not in "/.")
        return _word_end(text, kinds, at + 1) if fresh and _kind(kinds, at + 1) in WORD else at
    if char in "<>":
        return _comparison_end(text, at)
    if char == "!":
        return _denial_end(text, kinds, at)
    return at + 1 if char == "~" and _kind(kinds, at + 1) == DIGIT else at


def _signed_end(text: str, kinds: str, at: int) -> int:
    if at and (kinds[at - 1] in WORD or text[at - 1] in CLOSERS or text[at - 1] in SIGNS):
        return at
    following = at + 1
    if following < len(text) and (text[following] in CURRENCIES or text[following] == "."):
        following += 1
    return _word_end(text, kinds, following) if _kind(kinds, following) == DIGIT else at


def _comparison_end(text: str, at: int) -> int:
    if text[at] == ">" and at and (text[at - 1] in ARROW_TAILS or _closes_tag(text, at)):
        return at
    end = at + 2 if text[at + 1 : at + 2] == "=" else at + 1
    rest = text[end : end + 3]
    operand = rest.lstrip(" ")[:1]
    spaced = text[at - 1 : at] == " " and rest[:1] == " "
    return end if spaced or operand.isdigit() or operand in ("-", "$", ".") else at


def _closes_tag(text: str, at: int) -> bool:
    opening = text.rfind("<", max(0, at - TAG_MAX), at)
    return opening >= 0 and " " not in text[opening:at] and text[opening + 1 : opening + 2].isalpha()


def _denial_end(text: str, kinds: str, at: int) -> int:
    if text[at + 1 : at + 2] in ("=", "~"):
        return at + 2
    fresh = at == 0 or kinds[at - 1] not in WORD
    return at + 1 if fresh and _kind(kinds, at + 1) == LETTER else at


def _numeral_end(text: str, at: int) -> int:
    """A run of two or more Chinese numerals is one number: 二 is no token of 三十二."""
    end = at
    while end < len(text) and text[end] in CJK_NUMERALS:
        end += 1
    return max(end, at + 1)


def _word_end(text: str, kinds: str, start: int) -> int:
    at = _run_end(kinds, start)
    if kinds[at : at + 1] not in CONTINUES:
        return _with_unit(text, kinds, start, at)
    address = text[start - 1 : start] == "/" or text.find("://", start, start + SCHEME_MAX) >= 0
    while kinds[at : at + 1] in CONTINUES:
        if _joins(text, kinds, at) or (address and _joins_address(text, kinds, at)):
            at += 1
        elif at > start and text.startswith("://", at) and _kind(kinds, at + 3) in WORD:
            at += 3
        else:
            break
        at = _run_end(kinds, at)
    return _with_unit(text, kinds, start, at)


def _run_end(kinds: str, at: int) -> int:
    """Where the letters and digits from here on end."""
    while True:
        run = kinds[at : at + RUN]
        rest = len(run.lstrip(LETTER_OR_DIGIT))
        at += len(run) - rest
        if rest or len(run) < RUN:
            return at


def _with_unit(text: str, kinds: str, start: int, end: int) -> int:
    """The end with a percent sign, a degree or a Chinese unit after the digits."""
    if end == start or not text[end - 1].isdigit():
        return end
    after = end + 1 if text[end : end + 1] == " " else end
    following = text[after : after + 1]
    if following in ("%", "‰"):
        return after + 1
    if following == "°" or (following == "/" and text[after : after + 2] == "/s"):
        return after + 2
    if _kind(kinds, after) == IDEOGRAPH:
        return next((after + len(unit) for unit in CJK_UNITS if text.startswith(unit, after)), end)
    return end


def _kind(kinds: str, at: int) -> str:
    return kinds[at] if at < len(kinds) else " "


def _joins(text: str, kinds: str, at: int) -> bool:
    """Whether the punctuation here stands inside a name, number or time: a word on both sides, and no blank."""
    before, after = kinds[at - 1 : at], kinds[at + 1 : at + 2]
    if before not in WORD or after not in WORD:
        return False
    char = text[at]
    if char in JOINERS:
        return True
    if char == "'":
        return before == after == LETTER
    return before == after == DIGIT and (char == ":" or (char == "," and _before_thousands(kinds, at)))


def _before_thousands(kinds: str, at: int) -> bool:
    """1,234 and 23:05:28,123: a comma stays inside a number only before exactly three digits."""
    return kinds[at + 1 : at + 4] == "999" and _kind(kinds, at + 4) not in WORD


def _joins_address(text: str, kinds: str, at: int) -> bool:
    """Marks inside a URL or path already begun."""
    return text[at] in ADDRESS_JOINERS and _kind(kinds, at - 1) not in BREAKS and _kind(kinds, at + 1) in WORD
