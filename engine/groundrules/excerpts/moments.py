"""Owns times and dates: which components a written moment gives, in any of the usual forms, English or Chinese.

Refuses to fill in what is not written: 23:05 has no seconds, 7月8日 no year. Invariant: a moment is supported by one
other moment that gives at least the same components with the same values; never by two together.
"""

from __future__ import annotations

from dataclasses import dataclass

from groundrules.excerpts.kinds import has_digit
from groundrules.excerpts.passage import Passage
from groundrules.excerpts.words import DATE_UNITS, MONTHS

NAMES = ("year", "month", "day", "hour", "minute", "second", "fraction", "zone")
GLUE = frozenset(("", " ", ":", " (", ", ", "t", "T", "的"))


@dataclass(frozen=True, slots=True)
class Moment:
    """A written moment and its components, '.' where none is given."""

    text: str
    canonical: str
    places: tuple[int, ...]
    """The tokens it was read from."""


@dataclass(frozen=True, slots=True)
class _Draft:
    places: tuple[int, ...]
    parts: dict[str, str]

    def moment(self, passage: Passage) -> Moment:
        text = "".join(passage.tokens[at].before + passage.tokens[at].text for at in self.places)
        text = text.removeprefix(passage.tokens[self.places[0]].before)
        return Moment(text, " ".join(self.parts.get(name, ".") for name in NAMES), self.places)


def read_moments(passage: Passage) -> tuple[Moment, ...]:
    """The moments of a passage; a date and a clock time side by side are one."""
    drafts: list[_Draft] = []
    for at, token in enumerate(passage.tokens):
        if not _may_be_part(passage.keys[at]):
            continue
        open_draft = drafts[-1] if drafts and drafts[-1].places[-1] == at - 1 and token.before in GLUE else None
        parts = _parts(passage, at, open_draft.parts if open_draft else {})
        if open_draft and parts and not open_draft.parts.keys() & parts.keys():
            drafts[-1] = _Draft((*open_draft.places, at), {**open_draft.parts, **parts})
        elif parts:
            drafts.append(_Draft((at,), parts))
    return tuple(draft.moment(passage) for draft in drafts)


def begins_anew(passage: Passage, at: int) -> bool:
    """Whether no moment goes on from the token before to this one, whatever stands further left."""
    return passage.tokens[at].before not in GLUE or not _may_be_part(passage.keys[at - 1])


def _may_be_part(key: str) -> bool:
    """Each part of a moment is a month's name, or has a digit, or ends in 分."""
    return has_digit(key) or key in MONTHS or key.endswith("分")


def covers(whole: str, part: str) -> bool:
    """Whether the moment `whole` gives all that `part` gives. A zone that one side leaves out does not count."""
    pairs = list(zip(whole.split(" "), part.split(" "), strict=True))
    zones = pairs.pop()
    if zones[1] not in (".", zones[0]) and zones[0] != ".":
        return False
    return all(given in (".", held) for held, given in pairs)


def _parts(passage: Passage, at: int, before: dict[str, str]) -> dict[str, str]:
    key = passage.keys[at]
    if passage.kinds[at] == "time":
        return _clock(key) if ":" in key else _date(key)
    if key in MONTHS:
        return _named_month(passage, at)
    return _beside(passage, at, before)


def _beside(passage: Passage, at: int, before: dict[str, str]) -> dict[str, str]:
    """Numbers that are part of a moment only beside another part: the 8 of Jul 8, the 05分 of 23点05分."""
    key = passage.keys[at]
    if key.endswith("分") and "hour" in before and "minute" not in before:
        return {"minute": _plain(key[:-1])}
    if not key.isdigit():
        return {"zone": key} if "hour" in before and "zone" not in before and _is_offset(key) else {}
    if len(key) <= 2 and (("month" in before and "day" not in before) or _month_next(passage, at)):
        return {"day": _plain(key)}
    return (
        {"year": key} if len(key) == 4 and "month" in before and "hour" not in before and "year" not in before else {}
    )


def _is_offset(key: str) -> bool:
    return len(key) == 5 and key[0] in "+-" and key[1:].isdigit()


def _month_next(passage: Passage, at: int) -> bool:
    return at + 1 < len(passage.keys) and _is_month(passage, at + 1) and passage.tokens[at + 1].before == " "


def _is_month(passage: Passage, at: int) -> bool:
    """May is a month only with a capital; so is march."""
    return passage.keys[at] in MONTHS and passage.tokens[at].text[0].isupper()


def _named_month(passage: Passage, at: int) -> dict[str, str]:
    """A month's name counts only beside a number."""
    keys = passage.keys
    beside = (at + 1 < len(keys) and keys[at + 1].isdigit()) or (at > 0 and keys[at - 1].isdigit())
    return {"month": str(MONTHS[keys[at]])} if beside and _is_month(passage, at) else {}


def _date(key: str) -> dict[str, str]:
    if key[-1] in DATE_UNITS:
        return {DATE_UNITS[key[-1]]: _plain(key[:-1])}
    one, two, three = key.replace("/", "-").replace(".", "-").split("-")
    if two in MONTHS:
        return {"year": three, "month": str(MONTHS[two]), "day": _plain(one)}
    return {"year": one, "month": _plain(two), "day": _plain(three)}


def _clock(key: str) -> dict[str, str]:
    body, zone = _zone(key)
    figures = body.split(":")
    parts = {"hour": _plain(figures[0]), "minute": _plain(figures[1])}
    if len(figures) > 2:
        second, _, fraction = figures[2].partition(".")
        parts["second"] = _plain(second)
        if fraction:
            parts["fraction"] = fraction
    return {**parts, "zone": zone} if zone else parts


def _zone(key: str) -> tuple[str, str]:
    if key.endswith("z"):
        return key[:-1], "+0000"
    for sign in "+-":
        body, found, offset = key.partition(sign)
        if found:
            return body, sign + offset.replace(":", "")
    return key, ""


def _plain(figure: str) -> str:
    return figure.lstrip("0") or "0"
