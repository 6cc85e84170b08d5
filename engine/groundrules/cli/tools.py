"""`groundrules tools`: how a card's author works. Raw result, Canonical Tool Result and both views, side by side."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundrules.cli import FINDINGS, GOOD
from groundrules.cli.output import Output, clean, console, print_issues, print_json, print_table
from groundrules.errors import Issue, UsageError

if TYPE_CHECKING:
    from groundrules.config.cards import ToolCard
    from groundrules.wiring.project import Project

RAW_SHOWN = 2000


def list_tools(*, project: Path | None, output: Output) -> int:
    """Print every card."""
    from groundrules.wiring.project import load_project

    loaded = load_project(project)
    rows = [_row(card, loaded) for card in loaded.cards.values()]
    if output == "json":
        print_json(rows)
    else:
        keys = ("name", "version", "transport", "source_kind", "collection", "arguments", "description")
        print_table(keys, ([row[key] for key in keys] for row in rows))
    return GOOD


def try_tool(name: str, arguments: str, *, project: Path | None, output: Output) -> int:
    """Call a tool once. Exit 1 when it failed, 2 when the arguments do not fit its card."""
    from groundrules.contracts import check_against
    from groundrules.wiring.project import load_project

    loaded = load_project(project)
    if name not in loaded.cards:
        message = f"no tool `{name}`; known: {', '.join(loaded.cards)}"
        raise UsageError(message)
    given = _arguments(arguments)
    card = loaded.cards[name]
    issues = check_against(card.definition("en").parameters, given)
    if issues:
        print_issues(Issue("--input", 0, issue.path, issue.message, issue.hint) for issue in issues)
        message = f"the arguments do not fit the input schema of `{name}`"
        raise UsageError(message)
    shown = asyncio.run(_call(card, given, loaded))
    if output == "json":
        print_json(shown)
    else:
        _print_panels(shown)
    return FINDINGS if shown["canonical_tool_result"]["evidence_status"] == "failed" else GOOD


async def _call(card: ToolCard, arguments: Mapping[str, Any], project: Project) -> dict[str, Any]:
    from groundrules.pipelines.collecting import call_transport
    from groundrules.projection import control, normalise_scope, observe, redact
    from groundrules.projection import project as project_result
    from groundrules.wiring.engine import open_tool

    tool = open_tool(card, project)
    raw = await call_transport(tool, arguments)
    result = project_result(tool.projection, card.name, normalise_scope(tool.scope, arguments), raw)
    body = raw.body.decode("utf-8", "replace")
    limit = project.files.settings.limits.observation_max_chars
    return {
        "raw_result": {
            "body": redact(body),
            "exit_code": raw.exit_code,
            "failure": redact(raw.failure),
            "media": raw.media,
            "source": raw.source,
            "truncated": raw.truncated,
        },
        "canonical_tool_result": result.to_dict(),
        "model_observation": observe(result, "call-1", 1, limit).to_dict(),
        "control_view": control(result).to_dict(),
    }


def _arguments(text: str) -> Mapping[str, Any]:
    from groundrules.contracts import ReadLimits, read_json

    source = sys.stdin.read() if text == "-" else text
    value, issues = read_json(source, limits=ReadLimits(max_bytes=1_000_000, max_depth=32))
    if issues:
        print_issues(Issue("--input", issue.line, issue.path, issue.message, issue.hint) for issue in issues)
        message = "--input is no JSON document"
        raise UsageError(message)
    if not isinstance(value, Mapping):
        message = "--input must be a JSON object of arguments"
        raise UsageError(message)
    return value


def _row(card: ToolCard, project: Project) -> dict[str, Any]:
    definition = card.definition(project.files.settings.locale)
    return {
        "name": card.name,
        "version": card.version,
        "transport": card.transport.kind,
        "source_kind": card.projection().source_kind,
        "collection": card.collection,
        "arguments": ", ".join(definition.parameters.get("properties", {})),
        "description": definition.description,
    }


def _print_panels(shown: Mapping[str, Any]) -> None:
    from rich.columns import Columns
    from rich.panel import Panel
    from rich.text import Text

    screen = console(piped_width=160)
    panels = []
    for title, document in shown.items():
        text = json.dumps(document, ensure_ascii=False, indent=2)
        if title == "raw_result":
            body = document["body"]
            head = json.dumps({key: value for key, value in document.items() if key != "body"}, ensure_ascii=False)
            text = f"{head}\n{body[:RAW_SHOWN]}" + ("\n…" if len(body) > RAW_SHOWN else "")
        panels.append(Panel(Text(clean(text)), title=title, width=max(60, screen.width // 2 - 2)))
    screen.print(Columns(panels))
