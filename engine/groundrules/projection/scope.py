"""The scope of a tool call in normal form: what makes two calls ask the same (S1-6.1).

Owns the folding of arguments. Invariant: a pure function of the spec and the arguments as a set; normalising a scope
again changes nothing; secrets in arguments are masked, because scopes are stored and shown.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from groundrules.projection.redaction import redact
from groundrules.projection.specs import ScopeSpec
from groundrules.projection.texts import clean
from groundrules.records.evidence import Scope

MAX_VALUE = 400
MAX_READ = 4_000
_PIECE = 256
_ROUNDS = 4
"""Folding again may change a few texts once more (compatibility forms of case-folded letters); it settles in two."""


def normalise_scope(spec: ScopeSpec, arguments: Mapping[str, Any]) -> Scope:
    """The call's scope: declared fields, folded, in the order of their names. An empty argument is an absent one."""
    names = spec.fields or tuple(arguments)
    pairs = []
    for name in sorted({*names, *spec.defaults}):
        value = _field(spec, name, arguments.get(name)) or _field(spec, name, spec.defaults.get(name))
        if value:
            pairs.append((name, value))
    return tuple(pairs)


def read_time(text: str) -> datetime | None:
    """The moment that an ISO 8601 text names; UTC where it names no zone; None when it is no time."""
    if len(text) > 64 or len(text) < 10 or not text[:4].isdigit():
        return None
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def fold_text(text: str) -> str:
    """NFKC, control characters gone, white space single."""
    pieces = (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
    return " ".join("".join(unicodedata.normalize("NFKC", piece) for piece in pieces).split())


def _field(spec: ScopeSpec, name: str, value: Any) -> str:
    text = _text(value)
    if name in spec.round_s:
        return _rounded(text, spec.round_s[name])
    fold = _caseless if name in spec.fold_case else fold_text
    text = redact(_settled(clean(text[:MAX_READ]), fold) + _tail(text, MAX_READ))
    if name in spec.unordered_words:
        text = " ".join(sorted(set(text.split()), key=lambda word: (word.casefold(), word)))
    return text if len(text) <= MAX_VALUE else text[: MAX_VALUE - 20].rstrip() + _tail(text, MAX_VALUE - 20)


def _caseless(text: str) -> str:
    return fold_text(text.casefold())


def _settled(text: str, fold: Callable[[str], str]) -> str:
    for _ in range(_ROUNDS):
        folded = fold(text)
        if folded == text:
            return text
        text = folded
    return text


def _tail(text: str, kept: int) -> str:
    """A digest in place of what was cut, so that long texts which differ stay different."""
    return f"#{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}" if len(text) > kept else ""


def _rounded(text: str, seconds: int) -> str:
    folded = fold_text(text[:MAX_READ])
    moment = read_time(folded)
    if moment is None:
        return folded[:MAX_VALUE]
    stamp = int(moment.timestamp()) // seconds * seconds
    try:
        return datetime.fromtimestamp(stamp, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return folded[:MAX_VALUE]


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list | tuple | set | frozenset):
        return ",".join(sorted({_text(item) for item in value} - {""}))
    if isinstance(value, Mapping):
        return json.dumps({str(key): _text(item) for key, item in value.items()}, ensure_ascii=False, sort_keys=True)
    return str(value)
