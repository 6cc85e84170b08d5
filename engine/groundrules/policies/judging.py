"""One subject against one rule set: which rules fired, as hits with filled-in messages.

Owns the step from an evaluation to rule hits, for every policy. Invariant: a rule that could not be evaluated
becomes a hit with the rule set's `on_error`, never silence (DESIGN §7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from groundrules.facts.catalogue import SubjectKind
from groundrules.records.decisions import Facts, RuleHit, Scalar, Severity
from groundrules.rules import RuleRuntime, RuleSet, evaluate, fill_message


@dataclass(frozen=True, slots=True)
class Judge:
    """A rule set with what is needed to apply it: the readers and today's date, for exceptions that expire."""

    rule_set: RuleSet
    runtime: RuleRuntime
    today: date

    def hits(
        self, kind: SubjectKind, facts: Facts, *, subject: str, path: str, context: Mapping[str, Scalar]
    ) -> tuple[RuleHit, ...]:
        """Every rule that fired on the subject or could not be evaluated on it, in the rule set's order."""
        outcome = evaluate(self.rule_set, kind, facts, self.runtime, self.today)
        if not outcome.fired and not outcome.faults:
            return ()
        faults = dict(outcome.faults)
        named = dict(facts) | dict(context)
        found = []
        for rule in self.rule_set.enabled:
            if rule.on != kind or (rule.id not in outcome.fired and rule.id not in faults):
                continue
            fault = faults.get(rule.id, "")
            severity = self._on_error() if fault else _severity(rule.severity)
            found.append(RuleHit(rule.id, severity, subject, path, fill_message(rule.message, named), rule.then, fault))
        return tuple(found)

    def _on_error(self) -> Severity:
        return "low_confid" if self.rule_set.on_error == "low_confid" else "reject"


def _severity(word: str) -> Severity:
    return "low_confid" if word == "low_confid" else "reject" if word == "reject" else "none"
