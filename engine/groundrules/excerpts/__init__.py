"""Owns whether words quote a text: an excerpt against the one text it cites, a statement against what it rests on.

Deterministic, the same for Chinese and English, and pure: strings in, findings out. Refuses likeness: a number with
another unit, a name that differs by a letter, a negation cut off are all *not supported*, however much else agrees.
Limit: this catches invention, not misreading; misreading is the Verifier's part (S0-4.3, S0-4.4, S0-2.3, G-5).
"""

from __future__ import annotations

from groundrules.excerpts.statements import exact_things, things_missing
from groundrules.excerpts.support import ExcerptSupport, excerpt_support, is_supported
from groundrules.excerpts.things import ExactThing

__all__ = ["ExactThing", "ExcerptSupport", "exact_things", "excerpt_support", "is_supported", "things_missing"]
