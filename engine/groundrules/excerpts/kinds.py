"""Owns what kind of thing a token is by its form (number, time, version, identifier), and when two tokens are the same.

Refuses likeness: 92% is not 92, 30000ms not 30000s, order-service not inventory-service. A token may stand for a
longer one only where nothing is changed by the cut: 23:05 for 23:05:28, a class for its full name, a host for
host and port, a name for kind/name. Invariant: the kind does not depend on what stands around the token.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import re2

from groundrules.excerpts.words import NAME_TAILS, ORDINARY, PLAIN_HEADS, UNITS

Kind = Literal["number", "time", "version", "identifier", "word"]

TOKEN_MAX = 256
"""A token longer than this is taken as a name; no pattern reads it."""

CLOCK = re2.compile(r"(?i)\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?(z|[+-]\d{2}:?\d{2})?")
DATE = re2.compile(r"(?i)\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}/[a-z]{3}/\d{4}|\d{1,4}(年|月|日|号|点|时)")
NUMBER = re2.compile(r"[+-]?[$¥€£]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?\s?([^\d\s.,:-]*)")
DURATION = re2.compile(r"(?i)[+-]?(\d+(\.\d+)?(d|h|m|s|ms|us|µs|ns))+")
RATIO = re2.compile(r"\d+(\.\d+)?[/:-]\d+(\.\d+)?[%a-zA-Z]{0,3}")
ADDRESS = re2.compile(r"\d{1,3}(\.\d{1,3}){3}([:/]\d+)?")
VERSION = re2.compile(r"(?i)v\d+(\.\d+)*([-+.][0-9a-z.+-]+)?|\d+(\.\d+){2,}([-+][0-9a-z.+-]+)?")

NAME_MARKS = frozenset("_/@\\.:")
AMOUNT_START = frozenset("0123456789+-$¥€£.")


@lru_cache(maxsize=16384)
def kind_of(text: str) -> Kind:
    """What the token is by its form. Plain words and single ideographs are `word`."""
    if len(text) > TOKEN_MAX or not _has_form(text):
        return "identifier"
    if has_digit(text):
        return _digit_kind(text)
    return "identifier" if _is_name(text) else "word"


def has_digit(text: str) -> bool:
    """Whether any character is a digit; no letter is one, so words are told without a look at each."""
    return not text.isalpha() and any(char.isdigit() for char in text)


def _has_form(text: str) -> bool:
    """Patterns read UTF-8; a lone surrogate has none."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def _digit_kind(text: str) -> Kind:
    """Every pattern but that of a version, v and digits, begins with a digit, a sign, a currency or a point."""
    if text.isascii() and text.isdigit():
        return "number"
    if text[0] not in AMOUNT_START:
        return "version" if text[0] in "vV" and VERSION.fullmatch(text) else _wordlike_kind(text)
    if CLOCK.fullmatch(text) or DATE.fullmatch(text):
        return "time"
    if is_number(text):
        return "number"
    if ADDRESS.fullmatch(text):
        return "identifier"
    if VERSION.fullmatch(text):
        return "version"
    return _wordlike_kind(text)


def _wordlike_kind(text: str) -> Kind:
    return "word" if text.casefold() in ORDINARY else "identifier"


def is_number(text: str) -> bool:
    """A number alone or with a unit that is known; also 3/5, 10-20 and 1h30m."""
    found = NUMBER.fullmatch(text)
    if found:
        unit = found.group(1).casefold()
        return not unit or unit in UNITS
    return bool(DURATION.fullmatch(text) or RATIO.fullmatch(text))


def _is_name(text: str) -> bool:
    folded = text.casefold().rstrip(".")
    if folded in ORDINARY:
        return False
    if is_camel(text) or "_" in text or text.startswith("/"):
        return True
    if "-" in text:
        return _is_hyphenated_name(folded)
    return any(mark in NAME_MARKS for mark in text) and not (text.count("/") == 1 and text.replace("/", "").isalpha())


def is_camel(text: str) -> bool:
    """HikariCP, iPhone, OOMKilled; not ERROR, Service, APIs."""
    if text.islower():
        return False
    bare = text.removesuffix("'s")
    inner_capital = any(char.isupper() for char in bare[1:])
    lower = sum(char.islower() for char in bare)
    return inner_capital and lower > 0 and not (lower == 1 and bare.endswith("s"))


def _is_hyphenated_name(folded: str) -> bool:
    parts = folded.split("-")
    return parts[-1] in NAME_TAILS or parts[0] not in PLAIN_HEADS


@lru_cache(maxsize=16384)
def key_of(text: str) -> str:
    """What a token is compared by: its caseless form, a number without blanks and thousands commas."""
    key = text.casefold()
    if len(key) > TOKEN_MAX or not has_digit(key):
        return key.removesuffix("'s")
    key = key.replace(" ", "")
    if "," in key:
        key = key.replace(",", ".") if ":" in key else key.replace(",", "")
    return key


def stands_for(cut: str, whole: str, cut_text: str) -> bool:
    """Whether the key `cut` (written `cut_text`) is an honest cut of the key `whole`."""
    if len(cut) >= len(whole):
        return False
    if whole.startswith(cut):
        return _is_clock_prefix(cut, whole) or (whole[len(cut)] == ":" and bool(ADDRESS.fullmatch(whole)))
    return whole.endswith(cut) and _is_last_part(cut, whole, cut_text)


def _is_clock_prefix(cut: str, whole: str) -> bool:
    return whole[len(cut)] in ":.z+-" and kind_of(cut) == "time" and ":" in cut and kind_of(whole) == "time"


def _is_last_part(cut: str, whole: str, cut_text: str) -> bool:
    mark = whole[-len(cut) - 1]
    if mark == ".":
        return is_camel(cut_text) and kind_of(whole) == "identifier"
    return mark == "/" and whole.count("/") == 1 and whole[0].isalpha() and kind_of(cut) == "identifier"
