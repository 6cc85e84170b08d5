"""What each policy's rules may speak about: its subjects, the names in its messages, the words it assigns.

Owns the closed lists that the loader checks rule files against, so that a misspelt outcome is an issue with a
line, not a run that ends wrongly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from groundrules.facts.catalogue import SubjectKind
from groundrules.records.decisions import FallbackType, Outcome

POLICY_KINDS: Mapping[str, tuple[SubjectKind, ...]] = {
    "gatekeeper": ("output", "claim", "binding"),
    "stop": ("request",),
    "answer": ("answer",),
    "release": ("release",),
}

CONTEXT: Mapping[SubjectKind, tuple[str, ...]] = {
    "output": ("missing",),
    "claim": ("claim_id", "missing"),
    "binding": ("claim_id", "tool_name", "source_invocation_id", "raw_path", "missing", "actual_tool"),
    "request": ("tool_name", "missing"),
    "answer": ("missing",),
    "release": (),
}
"""Names that a message may use besides the facts of its subject and the parameters of its rule set."""

STOP_EFFECTS = ("allow", "reject", "dedupe", "stop")
STOP_REASONS = (
    "NONE",
    "TOOL_UNKNOWN",
    "ARGUMENTS_INVALID",
    "DUPLICATE_SCOPE",
    "SCOPE_WIDENED",
    "INVALID_PROGRESS_PROTOCOL",
    "INFORMATION_SATURATED",
    "BUDGET_LIMIT_REACHED",
    "PROTOCOL_REJECTIONS_EXHAUSTED",
    "MODEL_FINISHED",
    "CANCELLED",
    "TECHNICAL_FAILURE",
)

THEN_WORDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "stop": {"effect": STOP_EFFECTS, "reason": STOP_REASONS},
    "release": {"outcome": get_args(Outcome), "fallback_type": get_args(FallbackType)},
}
"""What a rule of a `first` policy assigns: every key is required, every word is of the list."""
