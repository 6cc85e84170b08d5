"""groundrules keeps diagnostic agents honest: every claim cites evidence that a tool really returned.

The public names are few: load a project, gate an output, run a question, and the errors and results of these.
Everything else may change before 1.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groundrules.errors import ConfigurationError, GroundrulesError, Issue, StoreError, UsageError

if TYPE_CHECKING:
    from groundrules.records.decisions import GatekeeperResult
    from groundrules.records.run import DiagnosisRun
    from groundrules.wiring.api import gate, run
    from groundrules.wiring.project import Project, load_project

__version__ = "0.1.0"

__all__ = [
    "ConfigurationError",
    "DiagnosisRun",
    "GatekeeperResult",
    "GroundrulesError",
    "Issue",
    "Project",
    "StoreError",
    "UsageError",
    "gate",
    "load_project",
    "run",
]

_HOMES = {
    "DiagnosisRun": "groundrules.records.run",
    "GatekeeperResult": "groundrules.records.decisions",
    "Project": "groundrules.wiring.project",
    "gate": "groundrules.wiring.api",
    "load_project": "groundrules.wiring.project",
    "run": "groundrules.wiring.api",
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that `groundrules --help` starts fast."""
    if name not in _HOMES:
        message = f"module 'groundrules' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
