"""What an executor states, in the form that passed the Gatekeeper.

Raw model output stays a plain document until then; only what survives becomes a `Claim` (S0-5.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NEGATIVE = "negative_observation"
CLAIM_TYPES = ("observation", NEGATIVE, "symptom", "root_cause", "risk", "recommendation", "experience")


@dataclass(frozen=True, slots=True)
class Binding:
    """A citation that was checked: this excerpt stands at this place of this invocation."""

    tool_name: str
    source_invocation_id: int
    raw_path: str
    evidence_excerpt: str
    matched_text: str
    """The whole text of the ref that the excerpt was found in."""
    source_type: str = "tool_trace"
    source_id: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "source_type": self.source_type,
            "source_id": self.source_id,
            "tool_name": self.tool_name,
            "source_invocation_id": self.source_invocation_id,
            "raw_path": self.raw_path,
            "evidence_excerpt": self.evidence_excerpt,
        }


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim all of whose kept bindings passed."""

    claim_id: str
    claim_type: str
    claim_text: str
    support_level: str
    evidence_bindings: tuple[Binding, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "claim_id": self.claim_id,
            "claim_type": self.claim_type,
            "claim_text": self.claim_text,
            "support_level": self.support_level,
            "evidence_bindings": [binding.to_dict() for binding in self.evidence_bindings],
        }
