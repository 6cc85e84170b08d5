"""`groundrules gate`: the Gatekeeper alone, for anyone's agent."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundrules.cli import FINDINGS, GOOD, USAGE
from groundrules.cli.output import Output, print_issues, print_json, print_line, print_notice
from groundrules.errors import Issue, UsageError

if TYPE_CHECKING:
    from groundrules.records.decisions import GatekeeperResult

MAX_BYTES = 200_000_000
STDIN = "-"


def gate_files(
    output_file: str,
    invocations_file: str,
    *,
    run_id: str | None,
    narrow: bool,
    rules: str | None,
    project: Path | None,
    output: Output,
) -> int:
    """Read both documents, gate, and print the result. Unusable input is explained and ends with 2."""
    from groundrules.wiring.api import gate
    from groundrules.wiring.project import load_project

    if output_file == STDIN and invocations_file == STDIN:
        message = "only one of the two can be standard input"
        raise UsageError(message)
    document, issues = _read(output_file)
    invocations, found = _read_list(invocations_file)
    problems = (*issues, *found, *_unusable(invocations, invocations_file, run_id))
    if problems:
        return _explain(problems, output)
    print_notice()
    result = gate(document, invocations, run_id=run_id, narrow=narrow, project=load_project(project), rules=rules)
    if output == "json":
        print_json(result.to_dict())
    else:
        _print_result(result, output_file)
    return GOOD if result.status == "pass" else FINDINGS


def _unusable(invocations: list[Any], file: str, run_id: str | None) -> list[Issue]:
    from groundrules.facts.invocations import runs_of
    from groundrules.wiring.api import invocation_issues

    issues = [replace(issue, file=file) for issue in invocation_issues(invocations, run_id)]
    if issues:
        return issues
    runs = runs_of(invocations)
    if run_id is not None and runs and run_id not in runs:
        return [Issue(file, 0, "$", f"holds no invocation of run {run_id}", f"it has: {', '.join(runs[:5]) or 'none'}")]
    return []


def _explain(issues: tuple[Issue, ...], output: Output) -> int:
    print_issues(issues)
    if output == "json":
        print_json({"unusable": [asdict(issue) for issue in issues]})
    return USAGE


def _read(file: str) -> tuple[Any, tuple[Issue, ...]]:
    from groundrules.contracts import ReadLimits, read_json

    data, issues = _bytes(file)
    if issues:
        return None, issues
    value, found = read_json(data, limits=ReadLimits(max_bytes=MAX_BYTES, max_depth=64))
    return value, tuple(_named(issue, file) for issue in found)


def _read_list(file: str) -> tuple[list[Any], tuple[Issue, ...]]:
    """A JSON array, an object with `invocations`, one invocation, or JSON lines."""
    from groundrules.contracts import ReadLimits, read_json

    data, issues = _bytes(file)
    if issues:
        return [], issues
    limits = ReadLimits(max_bytes=MAX_BYTES, max_depth=64)
    value, found = read_json(data, limits=limits)
    if found and data.lstrip()[:1] == b"{" and b"\n" in data.strip():
        return _read_lines(data, file)
    if found:
        return [], tuple(_named(issue, file) for issue in found)
    if isinstance(value, dict) and isinstance(value.get("invocations"), list):
        value = value["invocations"]
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return [], (Issue(file, 0, "$", "is no list of invocations", "a JSON array of tool_invocation documents"),)
    return value, ()


def _read_lines(data: bytes, file: str) -> tuple[list[Any], tuple[Issue, ...]]:
    from groundrules.contracts import ReadLimits, read_json

    values: list[Any] = []
    issues: list[Issue] = []
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        value, found = read_json(line, limits=ReadLimits(max_bytes=MAX_BYTES, max_depth=64))
        issues += [Issue(file, number, issue.path, issue.message, issue.hint) for issue in found]
        values.append(value)
    return values, tuple(issues)


def _bytes(file: str) -> tuple[bytes, tuple[Issue, ...]]:
    if file == STDIN:
        return sys.stdin.buffer.read(MAX_BYTES + 1), ()
    try:
        with Path(file).open("rb") as opened:
            return opened.read(MAX_BYTES + 1), ()
    except OSError as error:
        return b"", (Issue(file, 0, "$", f"cannot be read: {error.strerror}", "check the path"),)


def _named(issue: Issue, file: str) -> Issue:
    shown = "standard input" if file == STDIN else file
    return replace(issue, file=shown)


def _print_result(result: GatekeeperResult, file: str) -> None:
    print_line(f"{result.status} (severity {result.severity}, {result.rule_set_version})")
    for hit in result.errors:
        print_line(f"  {hit.severity:10} {hit.rule_id}  {file} {hit.path}")
        print_line(f"             {hit.message}" + (f" [{hit.fault}]" if hit.fault else ""))
    for warning in result.warnings:
        print_line(f"  filled in  {warning}")
    kept = ", ".join(claim.claim_id for claim in result.verified) or "none"
    print_line(f"claims that hold: {kept}")
