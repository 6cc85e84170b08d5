"""Owns the escapes that tools leave in their output: JSON string escapes and terminal colours.

Tool results often carry JSON inside JSON; a model quotes the decoded form. Both sides are read through this module,
so the two forms compare equal. Refuses nothing: an escape that is not well formed stays as it stands.
"""

from __future__ import annotations

BLANKS = (("\\r\\n", "\n"), ("\\n", "\n"), ("\\r", "\n"), ("\\t", "\t"), ('\\"', '"'), ("\\/", "/"))

HEX_DIGITS = frozenset("0123456789abcdefABCDEF")

COLOUR_MAX = 12
"""A terminal colour sequence longer than this is not one."""


def unescape(text: str) -> str:
    """The text with JSON's string escapes decoded."""
    if "\\" not in text:
        return text
    if "\\u" in text:
        text = _code_points(text)
    for escaped, meant in BLANKS:
        text = text.replace(escaped, meant)
    return text


def without_colour(text: str) -> str:
    """The text without terminal colour sequences."""
    head, *parts = text.split("\x1b[")
    return head + "".join(_after_colour(part) for part in parts)


def _after_colour(part: str) -> str:
    for at, char in enumerate(part[:COLOUR_MAX]):
        if char.isalpha():
            return part[at + 1 :]
    return part


def _code_points(text: str) -> str:
    head, *parts = text.split("\\u")
    return head + "".join(_code_point(part) for part in parts)


def _code_point(part: str) -> str:
    digits = part[:4]
    if len(digits) == 4 and HEX_DIGITS.issuperset(digits):
        return chr(int(digits, 16)) + part[4:]
    return "\\u" + part
