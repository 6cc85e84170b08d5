"""`groundrules init` and `doctor`: making a project, and checking that one can run."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from groundrules.cli import FINDINGS, GOOD
from groundrules.cli.output import Output, print_json, print_line
from groundrules.errors import ConfigurationError, GroundrulesError, StoreBusyError, UsageError

if TYPE_CHECKING:
    from groundrules.wiring.project import Project

PACKAGES = ("duckdb", "jsonschema_rs", "jsonpath_ng", "re2", "jinja2", "pydantic", "bm25s")
WAIT_S = 3.0
REINSTALL = (
    "on Python 3.11 or 3.12 install durable-rules (it needs a C compiler); until then one reader decides, not two"
)


PROJECT_README = """\
# A groundrules project

| folder | yours to change |
|---|---|
| `groundrules.yaml` | name, language, model, limits |
| `rules/` | policies by version; `index.yaml` says which is active, `lexicon.yaml` which phrases overclaim |
| `prompts/` | prompts by version and language |
| `adapters/tools/` | tool cards |
| `adapters/skills/` | skills: what the planner chooses, and whether a task is narrow |
| `adapters/models/` | model cards |
| `contracts/` | schemas for your editor |
| `examples/incident-lab/` | the data that the shipped cards read; put your own beside it |

    groundrules run            # the embedded question
    groundrules doctor         # what would keep it from running
    groundrules rules test     # every rule's examples
    groundrules tools try query_metrics --input '{"service": "payment-service"}'

Runs are stored in `.groundrules/`, which git ignores.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked."""

    name: str
    state: Literal["ok", "warning", "problem"]
    detail: str
    mend: str = ""


def init_project(directory: Path, *, output: Output) -> int:
    """Copy the shipped project into an empty or new folder."""
    from groundrules.bundled import FOLDERS, MARKER, bundled_project

    source = bundled_project()
    target = directory.absolute()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        message = f"{directory} is not an empty folder; nothing was written"
        raise UsageError(message)
    try:
        target.mkdir(parents=True, exist_ok=True)
        for folder in FOLDERS:
            shutil.copytree(source / folder, target / folder)
        shutil.copyfile(source / MARKER, target / MARKER)
        (target / ".gitignore").write_text(".groundrules/\n", encoding="utf-8")
        (target / "README.md").write_text(PROJECT_README, encoding="utf-8")
    except OSError as error:
        message = f"{directory} could not be written: {error.strerror}"
        raise UsageError(message) from error
    made = [*FOLDERS, MARKER, "README.md", ".gitignore"]
    if output == "json":
        print_json({"project": str(target), "made": made})
    else:
        print_line(f"made a project in {directory}: {', '.join(made)}")
        print_line(f"next: cd {directory} && groundrules run")
    return GOOD


def check_project(*, project: Path | None, offline: bool, output: Output) -> int:
    """Print what was checked; exit 1 when something would keep a run from working."""
    findings = list(_findings(project, offline=offline))
    if output == "json":
        print_json([{"name": f.name, "state": f.state, "detail": f.detail, "mend": f.mend} for f in findings])
    else:
        for finding in findings:
            print_line(f"{finding.state:8} {finding.name}: {finding.detail}")
            if finding.mend:
                print_line(f"         → {finding.mend}")
    return FINDINGS if any(finding.state == "problem" for finding in findings) else GOOD


def _findings(project: Path | None, *, offline: bool) -> Iterator[Finding]:
    yield _python()
    yield from _packages()
    yield _readers()
    from groundrules.wiring.project import load_project

    try:
        loaded = load_project(project)
    except ConfigurationError as error:
        for issue in error.issues:
            yield Finding("configuration", "problem", str(issue), issue.hint or "mend the file and run doctor again")
        return
    except GroundrulesError as error:
        yield Finding("configuration", "problem", str(error), "give --project or run `groundrules init DIR`")
        return
    counts = f"{len(loaded.cards)} tools, {len(loaded.skills)} skills, {len(loaded.policies)} policies"
    yield Finding("configuration", "ok", f"{loaded.name} at {loaded.root}: {counts}")
    yield from _versions(loaded)
    yield from _tools(loaded)
    yield _store(loaded)
    yield _model(loaded, offline=offline)


def _python() -> Finding:
    return Finding("python", "ok", platform.python_version())


def _packages() -> Iterator[Finding]:
    from importlib import import_module

    for name in PACKAGES:
        try:
            import_module(name)
        except ImportError as error:
            yield Finding("package", "problem", f"{name}: {error}", "install groundrules again in a fresh environment")


def _readers() -> Finding:
    from groundrules.rules import open_runtime

    runtime, notice = open_runtime()
    if notice:
        return Finding("rule readers", "warning", notice, REINSTALL)
    return Finding("rule readers", "ok", " and ".join(runtime.readers))


def _versions(project: Project) -> Iterator[Finding]:
    from groundrules.wiring.project import unreleased

    for version in unreleased(project):
        mend = f"groundrules rules release {version.replace('-rules-', ' ')}"
        yield Finding("rules", "warning", f"{version} is active and not released: it may change under its name", mend)


def _tools(project: Project) -> Iterator[Finding]:
    from groundrules.wiring.engine import open_tool

    for card in project.cards.values():
        try:
            open_tool(card, project)
        except GroundrulesError as error:
            yield Finding(f"tool {card.name}", "problem", str(error), "mend the card or the environment")


def _store(project: Project) -> Finding:
    from groundrules.store import RunStore

    folder = project.files.store
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".doctor"
        probe.write_text("", encoding="utf-8")
        probe.unlink()
    except OSError as error:
        return Finding(
            "store", "problem", f"{folder}: {error.strerror}", "set `store:` to a folder that can be written"
        )
    try:
        report = RunStore(folder).ingest()
    except StoreBusyError:
        return Finding(
            "store", "warning", f"{folder}: another process is writing", "runs wait in the journal meanwhile"
        )
    except GroundrulesError as error:
        return Finding("store", "problem", str(error), "move the database aside; the journal keeps what it has")
    if report.issues:
        damage = "; ".join(str(issue) for issue in report.issues[:3])
        return Finding("store", "warning", damage, "the damaged journals were put aside; nothing else is affected")
    return Finding("store", "ok", str(folder))


def _model(project: Project, *, offline: bool) -> Finding:
    card = project.models[project.files.settings.model]
    if card.kind != "openai":
        return Finding("model", "ok", f"{card.name} ({card.kind}, no network)")
    if find_spec("openai") is None:
        return Finding(
            "model", "problem", f"{card.name}: the openai package is missing", "pip install groundrules[openai]"
        )
    if card.key_env and not os.environ.get(card.key_env):
        return Finding("model", "problem", f"{card.name}: {card.key_env} is not set", f"export {card.key_env}=…")
    if offline:
        return Finding("model", "ok", f"{card.name}: configured, not tried")
    return _reach(card.name, card.base_url or "")


def _reach(name: str, base_url: str) -> Finding:
    import socket
    from urllib.parse import urlsplit

    parts = urlsplit(base_url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((host, port), timeout=WAIT_S):
            return Finding("model", "ok", f"{name}: {host}:{port} answers")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return Finding(
            "model", "problem", f"{name}: {host}:{port} cannot be reached ({reason})", "start it or mend base_url"
        )
