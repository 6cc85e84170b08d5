"""Text into search terms, for Chinese and English.

Owns the tokens: English words in lower case, split at punctuation and inner capitals, plural `s` dropped; Chinese as
bigrams of characters. Words that ask instead of naming something are no terms. Invariant: the same text gives the same
terms in the same order.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

import re2

MAX_CHARS = 100_000
_RUN: Any = re2.compile(r"[A-Za-z0-9]+|[\x{3400}-\x{9fff}\x{f900}-\x{faff}]+")

_ASKING_EN = """
    a an and any are as at be been but by can could did do does for from get had has have how i if in into is it its
    me my no not of on or our please should so some than that the their them then there these they this those to up
    us was we were what when where which who why will with would you your about after all also before between more
    most other over such too under use very show tell check find happen happening happened happens doing handle
    handling deal fix
"""
_ASKING_ZH = """
    怎么办 怎么样 怎么 怎样 如何 为什么 什么 哪些 哪个 哪里 请问 是否 有没有 是不是 现在 目前
    最近 应该 需要 可以 能不能 告诉我 帮我 一下 处理 手册 步骤 检查 排查 解决 今天 写了 的 了 吗 呢 吧 啊 我 你 里 请 还
"""
STOP_EN = frozenset(_ASKING_EN.split())
STOP_ZH = tuple(_ASKING_ZH.split())
"""Longer ones first: they are cut out of the text in this order."""


def document_terms(text: str) -> list[str]:
    """The terms of a text that is searched."""
    return list(_terms(_folded(text)))


def query_terms(text: str) -> list[str]:
    """The different terms of a question, in order, without the words that only ask."""
    folded = _folded(text)
    for word in STOP_ZH:
        folded = folded.replace(word, " ")
    return list(dict.fromkeys(term for term in _terms(folded) if term not in STOP_EN))


def folded_words(text: str) -> str:
    """The text for looking up whole names in it: folded, terms apart, a space at both ends."""
    return " " + " ".join(run.casefold() for run in _RUN.findall(_folded(text))) + " "


def _folded(text: str) -> str:
    pieces = (text[at : at + 256] for at in range(0, min(len(text), MAX_CHARS), 256))
    folded = "".join(unicodedata.normalize("NFKC", piece) for piece in pieces)
    return folded.encode("utf-8", "replace").decode()


def _terms(folded: str) -> Iterator[str]:
    for run in _RUN.findall(folded):
        yield from _words(run) if run.isascii() else _bigrams(run)


def _words(run: str) -> Iterator[str]:
    whole = _singular(run.casefold())
    yield whole
    parts = [_singular(part.casefold()) for part in _at_capitals(run)]
    if len(parts) > 1:
        yield from parts


def _bigrams(run: str) -> Iterator[str]:
    yield from (run[at : at + 2] for at in range(max(len(run) - 1, 1)))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _at_capitals(run: str) -> list[str]:
    """`HighCPUUsage` is High, CPU, Usage."""
    starts = [0]
    for at in range(1, len(run)):
        begins = run[at].isupper() and (not run[at - 1].isupper() or run[at + 1 : at + 2].islower())
        if begins:
            starts.append(at)
    return [run[start:end] for start, end in zip(starts, [*starts[1:], len(run)], strict=True)]
