"""`groundrules trace`, `runs` and `sql`: reading what is stored."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from groundrules.cli import FINDINGS, GOOD
from groundrules.cli.output import Output, clean, console, print_json, print_line, print_table
from groundrules.errors import StoreBusyError, UsageError

if TYPE_CHECKING:
    from rich.tree import Tree

    from groundrules.store import QueryResult, RunStore

LATEST = "last"


def show_trace(run_id: str, *, project: Path | None, output: Output) -> int:
    """Print one run as a tree, or as a document with its events."""
    store = _store(project)
    wanted = _latest(store) if run_id == LATEST else run_id
    run = store.get_run(wanted)
    if run is None:
        message = f"no run `{wanted}` in {store.folder}. `groundrules runs` lists them"
        raise UsageError(message)
    events = store.trace(run["run_id"])
    if output == "json":
        print_json({"run": run, "events": events})
    else:
        console().print(_tree(run, events))
    return GOOD


def list_runs(*, project: Path | None, limit: int, outcome: str | None, output: Output) -> int:
    """Print the latest runs."""
    rows = _store(project).list_runs(limit=limit, outcome=outcome)
    if output == "json":
        print_json(
            [
                {
                    "run_id": row.run_id,
                    "pipeline": row.pipeline,
                    "query": row.query,
                    "started_at": row.started_at.isoformat(),
                    "finished_at": row.finished_at.isoformat(),
                    "outcome": row.outcome,
                    "stop_reason": row.stop_reason,
                    "verdict": row.verdict,
                    "claims_published": row.claims_published,
                }
                for row in rows
            ]
        )
        return GOOD
    if not rows:
        print_line('no runs yet. Make one with `groundrules run "…"`')
        return GOOD
    cells = (
        (row.run_id[:8], f"{row.started_at:%Y-%m-%d %H:%M:%S}", row.outcome, row.verdict, row.query) for row in rows
    )
    print_table(("run", "started (UTC)", "outcome", "verdict", "question"), cells)
    return GOOD


def ask_sql(
    statement: str,
    *,
    project: Path | None,
    table_format: str,
    out: Path | None,
    max_rows: int,
    timeout_s: float,
) -> int:
    """Print a query's rows; exit 1 when rows were left out."""
    from groundrules.store import query

    text = sys.stdin.read() if statement == "-" else statement
    store = _store(project)
    result = query(store, text, timeout_s=timeout_s, max_rows=max_rows)
    if table_format == "table":
        print_table(result.columns, result.rows)
    else:
        _write(result, table_format, out)
    if result.truncated:
        sys.stderr.write(f"only the first {len(result.rows)} rows are shown; raise --max-rows\n")
        return FINDINGS
    return GOOD


def _write(result: QueryResult, table_format: str, out: Path | None) -> None:
    from groundrules.store import write_parquet, write_result

    text_format: Literal["csv", "json"] = "csv" if table_format == "csv" else "json"
    if table_format == "parquet":
        if out is None:
            message = "parquet is binary: say where to with --out FILE"
            raise UsageError(message)
        write_parquet(result, out)
    elif out is None:
        write_result(result, text_format, sys.stdout)
    else:
        with out.open("w", encoding="utf-8", newline="") as file:
            write_result(result, text_format, file)


def _store(project: Path | None) -> RunStore:
    """The project's store, with what waits in the journal taken in where that is possible."""
    from groundrules.config.project import load_project_files
    from groundrules.store import RunStore
    from groundrules.wiring.project import project_root

    store = RunStore(load_project_files(project_root(project)).store)
    try:
        store.ingest()
    except StoreBusyError as error:
        sys.stderr.write(f"{error}; showing what is stored so far\n")
    return store


def _latest(store: RunStore) -> str:
    rows = store.list_runs(limit=1)
    if not rows:
        message = f"no runs in {store.folder} yet"
        raise UsageError(message)
    return rows[0].run_id


def _tree(run: Mapping[str, Any], events: list[dict[str, Any]]) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    def branch(parent: Tree, text: str) -> Tree:
        return parent.add(Text(clean(text)))

    tree = Tree(Text(clean(f"{run['run_id']} · {run['outcome']} · {run['query']}")))
    evaluation = run["self_evaluation"]["verifier_evaluation"]
    plan = run.get("planner_plan") or {}
    scope = "narrow" if run["narrow"] else "open"
    branch(tree, f"planner: skill {plan.get('selected_skill') or 'none'}, {scope}")
    tools = branch(tree, f"tools: {len(run['tool_invocations'])} calls")
    for invocation in run["tool_invocations"]:
        _add_invocation(branch, tools, invocation)
    output = evaluation.get("executor_structured_output") or {}
    claims = branch(tree, f"executor: {len(output.get('claims') or [])} claims")
    for claim in output.get("claims") or []:
        _add_claim(branch, claims, claim)
    _add_gate(branch, tree, evaluation.get("gatekeeper_result"))
    verdict = evaluation.get("verdict")
    judged = branch(tree, f"verifier: {verdict or 'did not speak'}, round {evaluation.get('round')}")
    if evaluation.get("rationale"):
        branch(judged, evaluation["rationale"])
    _add_published(branch, tree, run)
    edges = branch(tree, "orchestration")
    for edge in run["orchestration_trace"]:
        branch(edges, f"round {edge['round']}: {edge['from']} → {edge['to']} ({edge['condition']})")
    tokens = sum(call["total_tokens"] for call in run["model_calls"])
    branch(tree, f"ended: {run['stop_reason']}, {len(run['model_calls'])} model calls, {tokens} tokens")
    branch(tree, f"events: {len(events)}, numbered 1..{events[-1]['sequence'] if events else 0}")
    return tree


def _add_invocation(branch: Any, parent: Any, invocation: Mapping[str, Any]) -> None:
    details = invocation["retrieval_details"]
    scope = ", ".join(f"{name}={value}" for name, value in invocation["scope"].items())
    status = details["evidence_status"]
    branch(
        parent, f"#{invocation['id']} {invocation['tool_name']} ({scope}) → {status}, {details['total_count']} found"
    )


def _add_claim(branch: Any, parent: Any, claim: Any) -> None:
    if not isinstance(claim, Mapping):
        branch(parent, f"unreadable: {claim!r}")
        return
    node = branch(parent, f"[{claim.get('claim_id')}] {claim.get('claim_type')}: {claim.get('claim_text')}")
    for binding in claim.get("evidence_bindings") or []:
        if isinstance(binding, Mapping):
            where = f"{binding.get('tool_name')} #{binding.get('source_invocation_id')} {binding.get('raw_path')}"
            branch(node, f"{where} “{binding.get('evidence_excerpt')}”")


def _add_gate(branch: Any, parent: Any, gate: Mapping[str, Any] | None) -> None:
    if gate is None:
        branch(parent, "gatekeeper: not reached")
        return
    node = branch(parent, f"gatekeeper: {gate['status']} (severity {gate['severity']}, {gate['rule_set_version']})")
    for error in gate["errors"]:
        branch(node, f"{error['severity']} {error['rule_id']} at {error['path']}: {error['message']}")
    for warning in gate["warnings"]:
        branch(node, f"filled in: {warning}")


def _add_published(branch: Any, parent: Any, run: Mapping[str, Any]) -> None:
    if run.get("answer"):
        node = branch(parent, "composer: published")
        branch(node, run["answer"]["user_facing_answer"])
    elif run.get("fallback"):
        node = branch(parent, f"release: FALLBACK, {run['fallback']['type']}")
        for text in (*run["fallback"]["limitations"], *run["fallback"]["next_steps"]):
            branch(node, text)
    else:
        branch(parent, f"release: {run['outcome']} {run.get('failure') or ''}".rstrip())
