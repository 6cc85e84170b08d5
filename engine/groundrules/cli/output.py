"""Printing: documents as JSON, tables and trees on a terminal, plain lines in a pipe.

Owns the console. Model and tool text is printed as text, never as markup or terminal control codes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from groundrules.errors import Issue

if TYPE_CHECKING:
    from rich.console import Console

Output = Literal["text", "json", "events"]
PIPED_WIDTH = 4000


def print_json(document: object) -> None:
    """One indented JSON document on standard output."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, default=str) + "\n")


def print_line(text: str = "") -> None:
    """One line of plain text."""
    sys.stdout.write(clean(text) + "\n")


def print_issues(issues: Iterable[Issue]) -> None:
    """Every issue on standard error, a line each."""
    for issue in issues:
        sys.stderr.write(clean(str(issue)) + "\n")


def print_notice() -> None:
    """On standard error, that one of the rule readers is missing; nothing when both are there."""
    from groundrules.wiring.engine import shared_readers

    notice = shared_readers()[1]
    if notice:
        sys.stderr.write(f"{notice}\n")


def clean(text: str) -> str:
    """The text without control characters, which a terminal would obey, and without lone surrogates."""
    kept = "".join(
        character for character in text if character in "\n\t" or character.isprintable() or character == " "
    )
    return kept.encode("utf-8", "replace").decode("utf-8")


def console(piped_width: int = PIPED_WIDTH) -> Console:
    """A console for tables and trees; in a pipe it is so wide that nothing is cut, and without colour."""
    from rich.console import Console

    class PipedConsole(Console):
        """Leaves a closed pipe to the edge of the process; rich would end it with code 1."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    width = None if sys.stdout.isatty() else piped_width
    return PipedConsole(highlight=False, markup=False, emoji=False, width=width)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "") -> None:
    """A table of plain text."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, box=box.SIMPLE, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(clean("" if cell is None else str(cell))) for cell in row))
    console().print(table)
