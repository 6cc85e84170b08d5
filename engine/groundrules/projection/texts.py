"""An item of a tool's answer as the text of an evidence ref.

Owns sanitising, rendering and cutting. Refuses to alter what can be quoted: numbers keep their digits, a cut falls
between tokens so that no shorter number appears. Invariant: a rendered text is valid Unicode without control
characters other than line end and tab, masked, and at most the limit long.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import re2

from groundrules.projection.documents import WrittenFloat
from groundrules.projection.redaction import redact

CUT_MARK = " …"
MAX_LEAVES = 200
_SLACK = 4096
"""Characters beyond the limit that are still read, so that a secret across the cut is masked as a whole."""
_HALF_SECRET = 256
_TOKEN_MARKS = "._-:/%+@"  # noqa: S105  # what holds a token together
_ANSI: Any = re2.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]")
_CONTROLS = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if code not in (9, 10)} | {0x85: "\n"}


def clean(text: str) -> str:
    """The text without colours and control characters; what cannot be shown becomes U+FFFD, never nothing.

    Dropping a control character would join what stood apart: 4 and 8 around a NUL are not 48.
    """
    plain = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text) if _surrogates(text) else text
    if "\x1b" in plain:
        plain = _ANSI.sub("", plain)
    return plain.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROLS)


def presentable(text: str, limit: int) -> tuple[str, bool]:
    """Cleaned, masked and cut to the limit; and whether it was cut."""
    ahead = text[: limit + _SLACK]
    masked = redact(clean(ahead)).strip()
    if len(ahead) == len(text):
        return cut(masked, limit)
    return cut(masked[:-_HALF_SECRET], min(limit, len(masked) - _HALF_SECRET - 1))


def cut(text: str, limit: int) -> tuple[str, bool]:
    """At most `limit` characters, cut between tokens and marked."""
    if len(text) <= limit:
        return text, False
    end = max(limit - len(CUT_MARK), 0)
    while end > 0 and _inside_token(text[end - 1], text[end]):
        end -= 1
    return (text[:end].rstrip() + CUT_MARK).strip()[:limit], True


def one_line(text: str, limit: int) -> str:
    """For messages: cleaned, masked, on one line, bounded."""
    return presentable(" ".join(text[: limit + _SLACK].split()), limit)[0]


def scalar_text(value: Any) -> str:
    """A JSON value as it is quoted: text bare, numbers as written, the rest as compact JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, WrittenFloat):
        return value.written
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def flattened(item: Any, hidden: frozenset[str]) -> str:
    """`key=value, key=value` over every scalar in the item but its `hidden` fields; nested keys are joined by dots."""
    value = {key: member for key, member in item.items() if key not in hidden} if isinstance(item, dict) else item
    leaves = list(_leaves(value, ""))
    shown = ", ".join(f"{key}={scalar_text(leaf)}" if key else scalar_text(leaf) for key, leaf in leaves[:MAX_LEAVES])
    return shown or scalar_text(value)


def _leaves(value: Any, key: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _leaves(member, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for at, member in enumerate(value):
            yield from _leaves(member, f"{key}[{at}]")
    elif value is not None:
        yield key, value


def _surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _inside_token(before: str, after: str) -> bool:
    return _joins(before) and _joins(after)


def _joins(char: str) -> bool:
    return (char.isascii() and char.isalnum()) or char in _TOKEN_MARKS
