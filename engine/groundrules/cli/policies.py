"""`groundrules rules`: what holds, where it comes from, and whether its examples are true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groundrules.cli import FINDINGS, GOOD
from groundrules.cli.output import Output, print_issues, print_json, print_line, print_table
from groundrules.errors import ConfigurationError


def list_policies(*, project: Path | None, output: Output) -> int:
    """Print every policy with its active version."""
    from groundrules.rules import versions
    from groundrules.wiring.project import load_project

    loaded = load_project(project)
    root, layer = loaded.files.folder("rules")
    rows = [
        {
            "policy": name,
            "version": rule_set.version,
            "rules": len(rule_set.rules),
            "hit_policy": rule_set.hit_policy,
            "on_error": rule_set.on_error,
            "layer": layer,
            "versions": list(versions(root, name)),
            "hash": rule_set.hash,
        }
        for name, rule_set in loaded.policies.items()
    ]
    if output == "json":
        print_json(rows)
    else:
        keys = ("policy", "version", "rules", "hit_policy", "on_error", "layer")
        print_table(keys, ([row[key] for key in keys] for row in rows))
    return GOOD


def show_policy(policy: str, version: str | None, *, project: Path | None, output: Output) -> int:
    """Print a policy's effective rules."""
    from groundrules.rules import effective_rows
    from groundrules.wiring.project import load_project, policy_version

    loaded = load_project(project)
    rule_set = policy_version(loaded, policy, version)
    rows = effective_rows(rule_set)
    if output == "json":
        print_json(
            {
                "policy": rule_set.policy,
                "version": rule_set.version,
                "description": rule_set.description,
                "hit_policy": rule_set.hit_policy,
                "on_error": rule_set.on_error,
                "hash": rule_set.hash,
                "params": dict(rule_set.params),
                "rules": [_rule_document(row, rule_set.rules[n]) for n, row in enumerate(rows)],
            }
        )
        return GOOD
    print_line(f"{rule_set.version}: {rule_set.description}")
    print_line(f"hit policy {rule_set.hit_policy}; a rule that cannot be evaluated counts as {rule_set.on_error}")
    for name, value in rule_set.params.items():
        print_line(f"param {name} = {value}")
    cells = (
        (
            row.rule_id,
            row.on,
            row.effect,
            row.status,
            row.layer,
            f"{_shown(row.file, loaded.root)}:{row.line}",
            row.title,
        )
        for row in rows
    )
    print_table(("rule", "on", "effect", "status", "layer", "file", "title"), cells)
    return GOOD


def test_policies(policy: str | None, version: str | None, *, project: Path | None, output: Output) -> int:
    """Run the examples of one policy or of all; exit 1 when one fails or nothing ran."""
    from groundrules.rules import EXAMPLES_KEYWORD, summarise, test_rules
    from groundrules.wiring.engine import shared_runtime
    from groundrules.wiring.project import load_project, policy_version

    try:
        loaded = load_project(project)
    except ConfigurationError as error:
        if any(issue.keyword != EXAMPLES_KEYWORD for issue in error.issues):
            raise
        print_issues(error.issues)
        return FINDINGS
    runtime = shared_runtime()
    reports: list[dict[str, Any]] = []
    for name in [policy] if policy else list(loaded.policies):
        rule_set = policy_version(loaded, name, version)
        summary = summarise(rule_set, test_rules(rule_set, runtime))
        reports.append(
            {
                "policy": name,
                "version": rule_set.version,
                "ran": summary.ran,
                "passed": summary.passed,
                "problems": list(summary.problems),
                "readers": list(runtime.readers),
            }
        )
    if output == "json":
        print_json(reports)
    else:
        _print_reports(reports)
    return GOOD if reports and all(report["passed"] for report in reports) else FINDINGS


def release_version(policy: str, version: str, *, project: Path | None, output: Output) -> int:
    """Write a version's hash into the lock: from then on it never changes."""
    from groundrules.rules import check_lock, read_lock, summarise, test_rules, write_lock
    from groundrules.wiring.engine import shared_runtime
    from groundrules.wiring.project import load_project, policy_version

    loaded = load_project(project)
    rule_set = policy_version(loaded, policy, version)
    root, _layer = loaded.files.folder("rules")
    lock, found = read_lock(root)
    issues = (*found, *check_lock((rule_set,), lock))
    if issues:
        raise ConfigurationError(issues)
    summary = summarise(rule_set, test_rules(rule_set, shared_runtime()))
    released, _none = write_lock(root, (rule_set,)) if summary.passed else ((), ())
    if output == "json":
        problems = list(summary.problems)
        print_json(
            {"version": rule_set.version, "hash": rule_set.hash, "released": bool(released), "problems": problems}
        )
    elif summary.passed:
        print_line(f"{rule_set.version} {'is released' if released else 'was released before'}: {rule_set.hash}")
    else:
        print_line(f"{rule_set.version} is not released: its examples do not hold")
        for problem in summary.problems:
            print_line(f"  {problem}")
    return GOOD if summary.passed else FINDINGS


def _print_reports(reports: list[dict[str, Any]]) -> None:
    for report in reports:
        word = "pass" if report["passed"] else "FAIL"
        print_line(f"{word}  {report['version']}: {report['ran']} examples on {' and '.join(report['readers'])}")
        for problem in report["problems"]:
            print_line(f"      {problem}")


def _rule_document(row: Any, rule: Any) -> dict[str, Any]:
    return {
        "id": row.rule_id,
        "title": rule.title,
        "why": rule.why,
        "status": row.status,
        "on": row.on,
        "severity": rule.severity,
        "then": dict(rule.then),
        "message": rule.message,
        "layer": row.layer,
        "file": row.file,
        "line": row.line,
        "params": dict(row.params),
    }


def _shown(file: str, root: Path) -> str:
    path = Path(file)
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name
