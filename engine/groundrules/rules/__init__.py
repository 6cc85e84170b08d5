"""Rules: files in, decisions' reasons out. Versioned rule sets, their readers, their lock and their tests (C-2).

Owns everything between a YAML rule file and "these rules fired on this subject, these could not be evaluated".
"""

from __future__ import annotations

from groundrules.rules.build import EXAMPLES_KEYWORD
from groundrules.rules.effective import RuleRow, effective_rows
from groundrules.rules.examples import ExampleResult, ExampleSummary, summarise, test_rules
from groundrules.rules.load import active_version, load_policy, load_rules, versions
from groundrules.rules.lock import check_lock, read_lock, write_lock
from groundrules.rules.messages import fill_message
from groundrules.rules.model import Example, Rule, RuleException, RuleSet
from groundrules.rules.runtime import Evaluation, RuleRuntime, evaluate, open_runtime
from groundrules.rules.sql import condition_sql, rules_sql

__all__ = [
    "EXAMPLES_KEYWORD",
    "Evaluation",
    "Example",
    "ExampleResult",
    "ExampleSummary",
    "Rule",
    "RuleException",
    "RuleRow",
    "RuleRuntime",
    "RuleSet",
    "active_version",
    "check_lock",
    "condition_sql",
    "effective_rows",
    "evaluate",
    "fill_message",
    "load_policy",
    "load_rules",
    "open_runtime",
    "read_lock",
    "rules_sql",
    "summarise",
    "test_rules",
    "versions",
    "write_lock",
]
