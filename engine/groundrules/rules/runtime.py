"""Live evaluation: the readers of a rule set, side by side, and what they agree on.

Owns `RuleRuntime` and `evaluate`. Invariant: a rule fires only when every reader says so; facts out of the
catalogue, a reader that breaks and readers that disagree are faults of the rules concerned, never silence
(DESIGN §3, §7).
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from groundrules.conditions import Scalar
from groundrules.errors import RuleError
from groundrules.facts.catalogue import CATALOGUE, SubjectKind, fact_types
from groundrules.rules.checks import facts_problem
from groundrules.rules.durable_reader import open_durable
from groundrules.rules.model import Rule, RuleSet
from groundrules.rules.native import open_native
from groundrules.rules.plan import OpenReader, Reader, exception_key, plan_of, rules_of

MEMO_LIMIT = 4096
Facts = Mapping[str, Scalar]
_TYPES = {kind: fact_types(kind) for kind in CATALOGUE}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the rules of one kind say of one subject, by rule id in the rule set's order."""

    fired: tuple[str, ...]
    faults: tuple[tuple[str, str], ...]
    """Rules that could not be evaluated, each with the reason; they count as the rule set's `on_error`."""
    excepted: tuple[str, ...]
    """Rules that would have fired but for an exception that has not expired."""
    shadow: tuple[str, ...] = ()
    """Shadow rules that would have fired; they decide nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the readers say of a plan: keys that hold for all, keys they disagree on, or why there is no answer."""

    holding: frozenset[str]
    disputed: frozenset[str]
    failure: str = ""


@dataclass(frozen=True, slots=True)
class _Opened:
    """Open readers of a plan, with what they said before. Evaluation is pure, so the same facts read the same."""

    rules: tuple[Rule, ...]
    readers: tuple[Reader, ...]
    facts: tuple[str, ...]
    memo: dict[tuple[Scalar, ...], Reading]


class RuleRuntime:
    """The readers that evaluate live. Safe to share: each thread opens readers of its own."""

    def __init__(self, openers: Mapping[str, OpenReader]) -> None:
        self._openers = dict(openers)
        self._local = threading.local()

    @classmethod
    def native_only(cls) -> RuleRuntime:
        """The native reader alone."""
        return cls({"native": open_native})

    @classmethod
    def both(cls) -> RuleRuntime:
        """Native and durable, which must agree."""
        return cls({"native": open_native, "durable": open_durable})

    @property
    def readers(self) -> tuple[str, ...]:
        """The names of the readers."""
        return tuple(self._openers)

    def read(self, rule_set: RuleSet, kind: SubjectKind, facts: Facts) -> Reading:
        """What the readers say of typed facts; never raises."""
        try:
            opened = self._opened(rule_set, kind)
        except (RuleError, ImportError) as error:
            return Reading(frozenset(), frozenset(), str(error))
        values = tuple(facts[name] for name in opened.facts)
        reading = opened.memo.get(values)
        if reading is not None:
            return reading
        reading = _read(opened.readers, facts)
        if reading.failure:
            # A reader that broke may hold a fact it could not take back; the next call opens a fresh one.
            self._cache().pop((rule_set.hash, kind), None)
            return reading
        if len(opened.memo) >= MEMO_LIMIT:
            opened.memo.clear()
        opened.memo[values] = reading
        return reading

    def _cache(self) -> dict[tuple[str, str], _Opened]:
        cache: dict[tuple[str, str], _Opened] = self._local.__dict__.setdefault("opened", {})
        return cache

    def _opened(self, rule_set: RuleSet, kind: SubjectKind) -> _Opened:
        cache = self._cache()
        opened = cache.get((rule_set.hash, kind))
        if opened is None or opened.rules != rule_set.rules:
            plan = plan_of(rule_set, kind)
            readers = tuple(opener(plan) for opener in self._openers.values())
            opened = _Opened(rule_set.rules, readers, plan.used, {})
            cache[(rule_set.hash, kind)] = opened
        return opened


def _read(readers: tuple[Reader, ...], facts: Facts) -> Reading:
    try:
        answers = [reader(facts) for reader in readers]
    except RuleError as error:
        return Reading(frozenset(), frozenset(), str(error))
    holding = frozenset.intersection(*answers)
    return Reading(holding, frozenset.union(*answers) - holding)


def open_runtime() -> tuple[RuleRuntime, str]:
    """Both readers where durable-rules can be imported; else native alone, and a notice that says so."""
    try:
        importlib.import_module("durable.engine")
    except ImportError as error:
        return (
            RuleRuntime.native_only(),
            f"durable-rules cannot be imported ({error}); the native reader alone evaluates rules",
        )
    return RuleRuntime.both(), ""


def evaluate(rule_set: RuleSet, kind: SubjectKind, facts: Facts, runtime: RuleRuntime, today: date) -> Evaluation:
    """What the rule set says of one subject. Facts that are not the catalogue's are a fault of every rule."""
    rules = rules_of(rule_set, kind)
    if not rules:
        return Evaluation((), (), ())
    failure = facts_problem(_TYPES[kind], facts)
    reading = Reading(frozenset(), frozenset(), failure) if failure else runtime.read(rule_set, kind, facts)
    deciding = tuple(rule for rule in rules if rule.status in ("stable", "deprecated"))
    if reading.failure:
        return Evaluation((), tuple((rule.id, reading.failure) for rule in deciding), ())
    disputed = {rule.id for rule in rules if _is_disputed(rule, reading)} if reading.disputed else set()
    holding = tuple(rule for rule in rules if rule.id in reading.holding and rule.id not in disputed)
    excepted = {rule.id for rule in holding if _is_excepted(rule, reading, today)}
    return Evaluation(
        fired=tuple(rule.id for rule in holding if rule in deciding and rule.id not in excepted),
        faults=tuple((rule.id, "the readers disagree") for rule in deciding if rule.id in disputed),
        excepted=tuple(rule.id for rule in deciding if rule.id in excepted),
        shadow=tuple(rule.id for rule in holding if rule.status == "shadow" and rule.id not in excepted),
    )


def _is_disputed(rule: Rule, reading: Reading) -> bool:
    keys = (rule.id, *(exception_key(rule.id, place) for place in range(len(rule.exceptions))))
    return any(key in reading.disputed for key in keys)


def _is_excepted(rule: Rule, reading: Reading, today: date) -> bool:
    return any(
        today <= exception.expires and exception_key(rule.id, place) in reading.holding
        for place, exception in enumerate(rule.exceptions)
    )
