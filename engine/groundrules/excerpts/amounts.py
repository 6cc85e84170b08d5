"""Owns what a number means: its value and unit, so that 25m, 25 minutes and 25 分钟 are one amount and 25s another.

Refuses to convert what only might be equal: MB is not MiB, a bare number is not a percentage. Invariant: two
different integers never get one canonical form, however long they are.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from functools import lru_cache

from groundrules.excerpts.kinds import DURATION, NUMBER
from groundrules.excerpts.words import CURRENCIES, DURATIONS_S, MAGNITUDES, OTHER_UNITS

NO_CURRENCY = str.maketrans(dict.fromkeys(CURRENCIES, ""))

DIGITS_MAX = 24
"""Longer numbers are names: they are compared digit by digit."""


@lru_cache(maxsize=4096)
def canonical_number(text: str) -> str:
    """The amount as value and unit; what is no plain amount (3/5, 10-20) as it stands."""
    if len(text) <= DIGITS_MAX and text.isascii() and text.isdigit():
        return str(Decimal(text).normalize())
    bare = text.replace(" ", "")
    found = NUMBER.fullmatch(bare) if len(bare) <= DIGITS_MAX else None
    if not found:
        return _duration(bare) or bare.casefold()
    unit = found.group(1)
    figure = bare[: len(bare) - len(unit)]
    return _amount(figure, unit) or bare.casefold()


def in_unit(text: str, unit: str) -> str:
    """The canonical form of a number whose unit stands elsewhere, as in latency_ms=1200."""
    return canonical_number(text + unit)


def _amount(figure: str, unit: str) -> str:
    value = _value(figure)
    if value is None:
        return ""
    factor, name = _unit(unit)
    currency = next((code for sign, code in CURRENCIES.items() if sign in figure), name)
    sign = "+" if figure.startswith("+") else ""
    return f"{sign}{(value * factor).normalize()} {currency}".strip()


def _value(figure: str) -> Decimal | None:
    try:
        value = Decimal(figure.lstrip("+").replace(",", "").translate(NO_CURRENCY))
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value.adjusted()) < DIGITS_MAX else None


def _unit(unit: str) -> tuple[Decimal, str]:
    """Case tells m from M alone: 100m of CPU is no 100M of memory."""
    if unit == "M":
        return Decimal(1), "mega"
    folded = unit.casefold()
    if folded in DURATIONS_S:
        return Decimal(DURATIONS_S[folded]), "s"
    if folded in MAGNITUDES:
        return Decimal(MAGNITUDES[folded]), ""
    return Decimal(1), OTHER_UNITS.get(folded, folded)


def _duration(bare: str) -> str:
    """1h30m0s in seconds."""
    folded = bare.casefold()
    if len(folded) > DIGITS_MAX or not DURATION.fullmatch(folded):
        return ""
    total = Decimal(0)
    figure, unit = "", ""
    for char in f"{folded}0":
        if unit and (char.isdigit() or char == "."):
            total += Decimal(figure) * Decimal(DURATIONS_S[unit])
            figure, unit = "", ""
        if char.isdigit() or char in ".+-":
            figure += char
        else:
            unit += char
    return f"{total.normalize()} s"
