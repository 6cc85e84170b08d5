"""The commands and their options; what they do stands in the modules that they call."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="groundrules",
    help="Keeps diagnostic agents honest: every claim cites evidence that a tool really returned.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
rules_app = typer.Typer(help="The policies: list, show, test, release.", no_args_is_help=True, rich_markup_mode=None)
tools_app = typer.Typer(help="The tool cards: list, try.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(rules_app, name="rules")
app.add_typer(tools_app, name="tools")


class LocaleChoice(StrEnum):
    zh = "zh"
    en = "en"


class TableFormat(StrEnum):
    table = "table"
    json = "json"
    csv = "csv"
    parquet = "parquet"


ProjectOption = Annotated[
    Path | None,
    typer.Option("--project", "-p", help="Folder of the project; else the one around here, else the embedded lab."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print a JSON document.")]


def _version(wanted: bool) -> None:
    if wanted:
        from groundrules import __version__

        typer.echo(f"groundrules {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[  # the callback answers it
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Keeps diagnostic agents honest: every claim cites evidence that a tool really returned."""


@app.command()
def run(
    query: Annotated[str | None, typer.Argument(help="The question; else the project's own.")] = None,
    project: ProjectOption = None,
    locale: Annotated[LocaleChoice | None, typer.Option(help="Language of prompts and answer.")] = None,
    model: Annotated[str | None, typer.Option(help="Name of a model card.")] = None,
    narrow: Annotated[
        bool | None, typer.Option("--narrow/--open", help="Decide the task's scope; else the chosen skill does.")
    ] = None,
    as_json: JsonOption = False,
    events: Annotated[bool, typer.Option("--events", help="Print trace events as they happen, as JSON lines.")] = False,
) -> int:
    """Answer a question with the project's tools. Exit 0 answered, 1 withheld, 3 technical failure."""
    from groundrules.cli.running import run_question

    return run_question(
        query,
        project=project,
        locale=locale.value if locale else None,
        model=model,
        narrow=narrow,
        output="events" if events else "json" if as_json else "text",
    )


@app.command()
def gate(
    output: Annotated[str, typer.Argument(help="The executor's output, a JSON file; - for standard input.")],
    invocations: Annotated[
        str, typer.Option(help="The run's tool invocations, JSON array or JSON lines; - for stdin.")
    ],
    run_id: Annotated[str | None, typer.Option("--run-id", help="Take only the invocations of this run.")] = None,
    narrow: Annotated[bool, typer.Option("--narrow", help="The user asked only to confirm one thing.")] = False,
    rules: Annotated[str | None, typer.Option(help="Version of the gatekeeper rules; else the active one.")] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Check an output's citations. Exit 0 pass, 1 findings, 2 unusable input."""
    from groundrules.cli.gating import gate_files

    return gate_files(
        output,
        invocations,
        run_id=run_id,
        narrow=narrow,
        rules=rules,
        project=project,
        output="json" if as_json else "text",
    )


@app.command()
def trace(
    run_id: Annotated[str, typer.Argument(help="The run, or the beginning of its id; `last` for the latest.")],
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Replay a run: claims, citations, verdicts, wording, and the edges that were taken."""
    from groundrules.cli.reading import show_trace

    return show_trace(run_id, project=project, output="json" if as_json else "text")


@app.command()
def runs(
    project: ProjectOption = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many, latest first.")] = 20,
    outcome: Annotated[str | None, typer.Option(help="Only runs that ended so: SUCCESS, FALLBACK, FAILED.")] = None,
    as_json: JsonOption = False,
) -> int:
    """List the stored runs, latest first."""
    from groundrules.cli.reading import list_runs

    return list_runs(project=project, limit=limit, outcome=outcome, output="json" if as_json else "text")


@app.command()
def sql(
    statement: Annotated[str, typer.Argument(help="One SELECT over the v_… views; - for standard input.")],
    project: ProjectOption = None,
    table_format: Annotated[TableFormat, typer.Option("--format", help="How to print.")] = TableFormat.table,
    out: Annotated[Path | None, typer.Option(help="File to write; parquet needs one.")] = None,
    max_rows: Annotated[int, typer.Option(min=1, help="Rows at the most.")] = 10_000,
    timeout_s: Annotated[float, typer.Option(min=0.01, help="Seconds at the most.")] = 30.0,
    as_json: JsonOption = False,
) -> int:
    """Ask the stored runs in SQL: read-only, without files or network."""
    from groundrules.cli.reading import ask_sql

    chosen = "json" if as_json else table_format.value
    return ask_sql(statement, project=project, table_format=chosen, out=out, max_rows=max_rows, timeout_s=timeout_s)


@rules_app.command("list")
def rules_list(project: ProjectOption = None, as_json: JsonOption = False) -> int:
    """List the policies, their active versions and the layer they come from."""
    from groundrules.cli.policies import list_policies

    return list_policies(project=project, output="json" if as_json else "text")


@rules_app.command("show")
def rules_show(
    policy: Annotated[str, typer.Argument(help="gatekeeper, stop, answer or release.")],
    version: Annotated[str | None, typer.Argument(help="A version; else the active one.")] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show a policy's effective rules, each with its layer and file."""
    from groundrules.cli.policies import show_policy

    return show_policy(policy, version, project=project, output="json" if as_json else "text")


@rules_app.command("test")
def rules_test(
    policy: Annotated[str | None, typer.Argument(help="One policy; else all.")] = None,
    version: Annotated[str | None, typer.Argument(help="A version; else the active one.")] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Run every rule's own examples on all live readers."""
    from groundrules.cli.policies import test_policies

    return test_policies(policy, version, project=project, output="json" if as_json else "text")


@rules_app.command("release")
def rules_release(
    policy: Annotated[str, typer.Argument(help="gatekeeper, stop, answer or release.")],
    version: Annotated[str, typer.Argument(help="The version to lock.")],
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Lock a version whose examples pass: from then on editing it is refused."""
    from groundrules.cli.policies import release_version

    return release_version(policy, version, project=project, output="json" if as_json else "text")


@tools_app.command("list")
def tools_list(project: ProjectOption = None, as_json: JsonOption = False) -> int:
    """List the tool cards."""
    from groundrules.cli.tools import list_tools

    return list_tools(project=project, output="json" if as_json else "text")


@tools_app.command("try")
def tools_try(
    name: Annotated[str, typer.Argument(help="The tool's name.")],
    arguments: Annotated[
        str, typer.Option("--input", help="The arguments, a JSON object; - for standard input.")
    ] = "{}",
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Call a tool and show the raw result, the Canonical Tool Result and both views side by side."""
    from groundrules.cli.tools import try_tool

    return try_tool(name, arguments, project=project, output="json" if as_json else "text")


@app.command()
def init(
    directory: Annotated[Path, typer.Argument(help="Folder to make the project in; must be empty or new.")],
    as_json: JsonOption = False,
) -> int:
    """Make a runnable project: rules, prompts, cards and the incident lab."""
    from groundrules.cli.projects import init_project

    return init_project(directory, output="json" if as_json else "text")


@app.command()
def doctor(
    project: ProjectOption = None,
    offline: Annotated[bool, typer.Option("--offline", help="Do not try to reach the model.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Check configuration, environment, store, model and versions, and say how to mend each."""
    from groundrules.cli.projects import check_project

    return check_project(project=project, offline=offline, output="json" if as_json else "text")
