"""How the subject of a claim is worded, from terms of the question.

Owns word order and the little words between. Invariant: every word but `的` and `of` is a piece of the question.
"""

from __future__ import annotations

from collections.abc import Sequence

from groundrules.models.extractive import words
from groundrules.models.extractive.cards import Card
from groundrules.models.extractive.question import Question, Term, stem

VAGUE = frozenset({"信息", "内容", "列表", "条目", "服务", "实例", "步骤", "service", "instance", "line", "message"})


def noun_of(question: Question, card: Card | None) -> Term | None:
    """The kind of thing that a question asks a tool about, in its own word; the last one that is not vague."""
    kinds = [term for term in question.terms if term.kind == "kind" and stem(term.text) not in VAGUE]
    kinds = [term for term in kinds if card is None or card.has(term.text)]
    plain = [term for term in kinds if term.text not in words.LEVELS]
    return next(reversed(plain or kinds), None)


def subject(terms: Sequence[Term], locale: str) -> str:
    """The terms as one phrase, in the question's order."""
    spoken = [term for at, term in enumerate(terms) if term.text not in {other.text for other in terms[:at]}]
    return _in_english(spoken) if locale == "en" else _in_chinese(_kind_last(spoken))


def after_verb(phrase: str, locale: str) -> str:
    """The phrase as it follows a verb: with a space where its language has one."""
    return phrase if locale == "en" else _gap("到", phrase) + phrase


def before_of(phrase: str, locale: str) -> str:
    """The phrase as it stands before 的."""
    return phrase if locale == "en" else phrase + _gap(phrase, "的")


def _kind_last(terms: Sequence[Term]) -> list[Term]:
    """Chinese names the kind at the end, except right before a number or id: 订单 ORD-4821."""
    loose = [
        term
        for at, term in enumerate(terms)
        if term.kind == "kind" and not (at + 1 < len(terms) and terms[at + 1].before.endswith(term.text.casefold()))
    ]
    return [term for term in terms if term not in loose] + loose


def _in_chinese(terms: Sequence[Term]) -> str:
    phrase = ""
    for at, term in enumerate(terms):
        # 4821 日志 would read as 4821 days.
        owned = (at == 1 and terms[0].kind in ("name", "number")) or (phrase[-1:].isdigit() and not term.text.isascii())
        between = _gap(phrase, "的") + "的" if owned else ""
        phrase += between + _gap(phrase + between, term.text) + term.text
    return phrase


def _gap(left: str, right: str) -> str:
    """A space where latin letters stand on either side."""
    return " " if left and right and (left[-1].isascii() or right[0].isascii()) else ""


def _in_english(terms: Sequence[Term]) -> str:
    phrase = ""
    for at, term in enumerate(terms):
        owner = at > 0 and terms[at - 1].kind == "kind" and term.before != terms[at - 1].text.casefold()
        phrase += (" of " if owner else " ") + term.text
    return phrase.strip()
