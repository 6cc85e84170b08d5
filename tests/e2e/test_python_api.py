"""The three functions that a program uses, and the wheel outside the repository."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gate_samples import alerts, no_logs, output

import groundrules
from groundrules.bundled import bundled_project
from groundrules.testing import calls
from groundrules.trace import TraceEvent

QUESTION = "payment-service 的 HighCPUUsage 告警是否还在触发？"


def lab(home: Path) -> groundrules.Project:
    """The embedded project, storing its runs in `home`."""
    loaded = groundrules.load_project(bundled_project())
    return replace(loaded, files=replace(loaded.files, home=home))


def test_a_program_loads_a_project_runs_a_question_and_gates_an_output(tmp_path: Path) -> None:
    project = lab(tmp_path)
    events: list[TraceEvent] = []
    run = asyncio.run(groundrules.run(QUESTION, project=project, on_event=events.append))
    assert (run.outcome, run.verdict, len(run.claims)) == ("SUCCESS", "PASS", 1)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    result = groundrules.gate(output(), [alerts(), no_logs()], run_id="run-1", project=project)
    assert (result.severity, [claim.claim_id for claim in result.verified]) == ("none", ["claim-1"])
    stored = run.to_dict()
    stated = stored["self_evaluation"]["verifier_evaluation"]["executor_structured_output"]
    again = groundrules.gate(stated, run.tool_invocations, run_id=run.run_id, narrow=True, project=project)
    assert again.to_dict() == stored["gatekeeper_result"]


def test_many_runs_at_once_do_not_mix(tmp_path: Path) -> None:
    """Versions and evidence never cross from one run to another."""
    project = lab(tmp_path)

    async def ask() -> list[groundrules.DiagnosisRun]:
        return await asyncio.gather(*(groundrules.run(QUESTION, project=project) for _ in range(12)))

    runs = asyncio.run(ask())
    assert len({run.run_id for run in runs}) == 12
    assert all(call.run_id == run.run_id for run in runs for call in run.tool_invocations)
    assert {run.outcome for run in runs} == {"SUCCESS"}


@pytest.mark.parametrize("query", ["", "  ", "x" * 4001, None, 7])
def test_a_wrong_question_raises_a_named_error(query: object, tmp_path: Path) -> None:
    with pytest.raises(groundrules.UsageError):
        asyncio.run(groundrules.run(query, project=lab(tmp_path)))  # type: ignore[arg-type]  # the point of the test


def test_a_folder_that_is_no_project_raises_a_named_error(tmp_path: Path) -> None:
    with pytest.raises(groundrules.UsageError, match="groundrules init"):
        groundrules.load_project(tmp_path)
    (tmp_path / "groundrules.yaml").write_text("format: 1\nname: x\nlocale: fr\n", encoding="utf-8")
    with pytest.raises(groundrules.ConfigurationError) as raised:
        groundrules.load_project(tmp_path)
    assert raised.value.issues[0].line == 3


def test_an_unknown_rule_set_version_raises_a_named_error() -> None:
    with pytest.raises(groundrules.ConfigurationError, match="v9"):
        groundrules.gate(output(), [alerts()], rules="v9")


def test_a_cancelled_run_is_stored_and_the_cancellation_goes_on(tmp_path: Path) -> None:
    """S1-4.1."""
    project = lab(tmp_path)

    def cancel(event: TraceEvent) -> None:
        if event.type == "PLAN":
            current = asyncio.current_task()
            assert current is not None
            current.cancel()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(groundrules.run(QUESTION, project=project, on_event=cancel))
    from groundrules.store import RunStore

    (row,) = RunStore(project.files.store).list_runs()
    assert (row.outcome, row.stop_reason) == ("CANCELLED", "CANCELLED")


def test_a_foreign_conversations_tool_call_has_the_shape_of_a_request() -> None:
    assert calls("query_logs", service="x").tool_calls[0].arguments == {"service": "x"}


def test_the_wheel_runs_the_lab_and_init_outside_the_repository(tmp_path: Path) -> None:
    """The package data is whole: what a user installs is what is here."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=bundled_project(), check=True, capture_output=True)  # noqa: S603
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")  # our own archive
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}

    def groundrules_command(*arguments: str) -> str:
        command = [sys.executable, "-m", "groundrules", *arguments]
        ended = subprocess.run(command, cwd=empty, env=environment, check=True, capture_output=True, text=True)  # noqa: S603
        return ended.stdout

    run = json.loads(groundrules_command("run", "--json"))
    assert (run["verdict"], run["outcome"]) == ("PASS", "SUCCESS")
    assert (empty / ".groundrules" / "runs.duckdb").is_file()
    groundrules_command("init", "mine")
    assert json.loads(groundrules_command("rules", "test", "--project", "mine", "--json"))[0]["passed"] is True


def test_without_durable_rules_the_native_reader_alone_runs_and_says_so(tmp_path: Path) -> None:
    """Python 3.13 and later: shown by making the import fail."""
    block = "import sys; sys.modules['durable'] = None; from groundrules.cli import main; main()"
    command = [sys.executable, "-c", block, "run", QUESTION, "--project", str(bundled_project())]
    environment = {**os.environ, "PYTHONPATH": str(bundled_project() / "engine")}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True)  # noqa: S603
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.count("native") == 1
    assert "PASS" in ended.stdout


def test_a_terminal_that_cannot_show_chinese_gets_escapes_and_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(bundled_project() / "engine"), "PYTHONIOENCODING": "ascii"}
    root = str(bundled_project())
    command = [sys.executable, "-m", "groundrules", "rules", "show", "gatekeeper", "--project", root]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, check=False, capture_output=True)  # noqa: S603
    assert (ended.returncode, ended.stderr) == (0, b"")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as piped:  # noqa: S603
        assert piped.stdout is not None
        piped.stdout.close()
        assert piped.wait() == 0
