"""What goes wrong, as values and as exceptions.

`Issue` is a finding: something wrong in a document or file, with its place and what to do. Findings are
collected and returned, never raised one by one. The exceptions are for what a caller cannot handle:

    GroundrulesError
    ├── UsageError            the caller asked for something that makes no sense        (exit code 2)
    ├── ConfigurationError    files of the project cannot be used; carries the issues   (exit code 2)
    ├── StoreError            runs cannot be read or written
    │   └── StoreBusyError    another process holds the store for writing
    ├── ModelError            a model gave no usable reply
    └── RuleError             a rule could not be evaluated, or its readers disagree

Nothing of the core raises anything else on bad input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Issue:
    """One thing that is wrong, where it is, and how to mend it."""

    file: str
    """Path or name of the document; empty for a document without a name."""
    line: int
    """Line in the file, from 1; 0 when it has none."""
    path: str
    """JSON path of the place, `$` for the whole document."""
    message: str
    hint: str = ""
    keyword: str = ""
    """The schema keyword or lint id that found it."""

    def __str__(self) -> str:
        place = ":".join(part for part in (self.file, str(self.line or "")) if part)
        head = " ".join(part for part in (place, self.path if self.path != "$" else "") if part)
        text = f"{head}: {self.message}" if head else self.message
        return f"{text}. {self.hint}" if self.hint else text


class GroundrulesError(Exception):
    """Base of everything that groundrules raises on purpose."""


class UsageError(GroundrulesError):
    """The call itself is wrong: an unknown name, a missing file, an argument out of range."""


class ConfigurationError(GroundrulesError):
    """Files of the project cannot be used. `issues` holds every reason, not only the first."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        self.issues = tuple(issues)
        super().__init__("\n".join(str(issue) for issue in self.issues))


class StoreError(GroundrulesError):
    """Runs cannot be read or written."""


class StoreBusyError(StoreError):
    """Another process holds the store for writing; what is in the journal is not lost."""


class ModelError(GroundrulesError):
    """A model gave no usable reply; the message carries no secret and no payload."""


class RuleError(GroundrulesError):
    """A rule could not be evaluated, or its live readers disagree. The policy fails closed on it."""
