"""The commands as a user types them: output, exit code, and what is said when the input is wrong."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.gate_samples import alerts, binding, claim, no_logs, output

from groundrules.bundled import bundled_project
from groundrules.cli import run_command
from groundrules.contracts import check

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

CPU = "payment-service 的 HighCPUUsage 告警是否还在触发？"
HIKARI = "inventory-service 最近有没有 HikariCP 连接池耗尽日志？"


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project made by `groundrules init`, as the working directory."""
    folder = tmp_path / "lab"
    assert run_command(["init", str(folder)]) == 0
    capsys.readouterr()
    monkeypatch.chdir(folder)
    return folder


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_command(list(arguments))
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return code, captured.out, captured.err


def document(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    exit_code, out, err = said(capsys, *arguments)
    assert exit_code == code, err
    return json.loads(out)


def test_the_embedded_question_is_answered_with_its_citation(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """S0-8.1: exactly one observation, PASS."""
    run = document(capsys, "run", "--json")
    assert check("diagnosis_run", run) == ()
    assert (run["query"], run["verdict"], run["outcome"]) == (CPU, "PASS", "SUCCESS")
    assert [found["claim_type"] for found in run["claims"]] == ["observation"]
    assert "92%" in run["answer"]["user_facing_answer"]


def test_an_absence_is_answered_as_this_querys_result(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """S0-8.1: negative_observation at $.no_evidence, PASS, no overclaim."""
    run = document(capsys, "run", HIKARI, "--json")
    (found,) = run["claims"]
    assert (run["verdict"], found["claim_type"]) == ("PASS", "negative_observation")
    assert [bound["raw_path"] for bound in found["evidence_bindings"]] == ["$.no_evidence"]
    assert "未检索到" in run["answer"]["user_facing_answer"]


def test_the_answer_is_in_english_when_asked_for(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _err = said(
        capsys, "run", "Is the HighCPUUsage alert of payment-service still firing?", "--locale", "en"
    )
    assert code == 0
    assert "Answer: Found HighCPUUsage alert of payment-service" in out


def test_a_question_that_nothing_can_place_is_withheld_with_exit_1(
    lab: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _err = said(capsys, "run", "今天天气怎么样")
    assert code == 1
    assert "没有执行任何查询" in out


def test_events_are_printed_as_they_happen(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _err = said(capsys, "run", CPU, "--events")
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert (events[0]["type"], events[-1]["type"]) == ("RUN_STARTED", "RUN_FINISHED")


def load(lab: Path) -> list[dict[str, Any]]:
    text = (bundled_project() / "examples/incident-lab/questions.yaml").read_text(encoding="utf-8")
    return list(yaml.safe_load(text)["questions"])


@pytest.mark.parametrize("question", load(Path()), ids=lambda question: str(question["id"]))
def test_every_question_of_the_lab_is_answered_as_its_data_says(
    lab: Path, capsys: pytest.CaptureFixture[str], question: dict[str, Any]
) -> None:
    """A real pipeline: 24 questions in two languages, expectations derived from the data by hand."""
    expected = question["expect"]
    answered = expected["verdict"] == "PASS"
    run = document(
        capsys, "run", question["query"], "--locale", question["locale"], "--json", code=0 if answered else 1
    )
    evidence = [item["text"] for item in run["self_evaluation"]["verifier_evaluation"]["verified_evidence"]]
    shown = " ".join([run["answer"]["user_facing_answer"] if run["answer"] else "", *evidence]).lower()
    assert (run["verdict"] or "none") == expected["verdict"]
    assert {found["claim_type"] for found in run["claims"]} == set(expected["claim_types"])
    assert [word for word in expected["mentions"] if word.lower() not in shown] == []
    assert run["narrow"] is question["narrow"]
    if expected["tool"]:
        assert expected["tool"] in {call["tool_name"] for call in run["tool_invocations"]}


def test_a_stored_run_can_be_listed_traced_and_asked_for_in_sql(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """S0-7.2, C-4."""
    run = document(capsys, "run", HIKARI, "--json")
    (listed,) = document(capsys, "runs", "--json")
    assert listed["run_id"] == run["run_id"]
    traced = document(capsys, "trace", run["run_id"][:8], "--json")
    assert traced["run"] == run
    assert [event["sequence"] for event in traced["events"]] == list(range(1, len(traced["events"]) + 1))
    rows = document(capsys, "sql", "SELECT run_id, outcome FROM v_runs", "--format", "json")
    assert rows == [{"run_id": run["run_id"], "outcome": "SUCCESS"}]
    code, out, _err = said(capsys, "sql", "SELECT claim_type FROM v_claims", "--format", "csv")
    assert (code, out) == (0, "claim_type\nnegative_observation\n")
    target = lab / "claims.parquet"
    assert said(capsys, "sql", "SELECT * FROM v_claims", "--format", "parquet", "--out", str(target))[0] == 0
    assert target.read_bytes()[:4] == b"PAR1"


def test_the_trace_tree_shows_each_stage(
    lab: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    """S0-7.2."""
    run = document(capsys, "run", HIKARI, "--json")
    _code, out, _err = said(capsys, "trace", "last")
    assert out.replace(run["run_id"], "RUN-ID") == snapshot


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE runs",
        "COPY runs TO 'x.csv'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT 1; SELECT 2",
        "SELEC 1",
        "",
    ],
)
def test_sql_that_may_not_run_is_explained(lab: Path, capsys: pytest.CaptureFixture[str], statement: str) -> None:
    said(capsys, "run", CPU)
    code, out, err = said(capsys, "sql", statement)
    assert (code, out) == (2, "")
    assert err.startswith("groundrules: ")


def write(folder: Path, name: str, value: Any) -> str:
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(folder / name)


def test_gate_passes_a_true_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """S0-4.2."""
    files = write(tmp_path, "output.json", output()), write(tmp_path, "invocations.json", [alerts(), no_logs()])
    result = document(capsys, "gate", files[0], "--invocations", files[1], "--json")
    assert check("gatekeeper_result", result) == ()
    assert result["status"] == "pass"


def test_gate_reports_findings_with_exit_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    """S0-4.5."""
    forged = output(
        claim(binding(source_invocation_id=None)), claim(binding(evidence_excerpt="current=29%"), claim_id="claim-2")
    )
    files = write(tmp_path, "output.json", forged), write(tmp_path, "invocations.json", [alerts()])
    code, out, _err = said(capsys, "gate", files[0], "--invocations", files[1])
    assert code == 1
    assert out.replace(str(tmp_path), "DIR") == snapshot


def test_gate_reads_standard_input_and_json_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "\n".join(json.dumps(found) for found in (alerts(), no_logs()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(output()).encode())))
    code, _out, _err = said(capsys, "gate", "-", "--invocations", write(tmp_path, "i.jsonl", lines))
    assert code == 0


UNUSABLE = {
    "no JSON": ("{", [alerts()], ["output.json", "line 1"]),
    "a key twice": ('{"a": 1, "a": 2}', [alerts()], ["given twice"]),
    "too deep": ("[" * 1000, [alerts()], ["nests deeper"]),
    "invocations that are none": (output(), [{"id": "x"}], ["invocations.json", "$[0].id", "tool_name"]),
    "invocations that are text": (output(), '"x"', ["is no list of invocations"]),
    "two runs": (output(), [alerts(), no_logs() | {"run_id": "run-2"}], ["--run-id"]),
    "an id twice": (output(), [alerts(), alerts()], ["occurs twice"]),
}


@pytest.mark.parametrize(("document", "invocations", "expected"), UNUSABLE.values(), ids=UNUSABLE)
def test_gate_explains_unusable_input_with_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], document: Any, invocations: Any, expected: list[str]
) -> None:
    files = write(tmp_path, "output.json", document), write(tmp_path, "invocations.json", invocations)
    code, _out, err = said(capsys, "gate", files[0], "--invocations", files[1])
    assert code == 2
    assert [part for part in expected if part not in err] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["gate", "missing.json", "--invocations", "missing.json"],
        ["gate", "-", "--invocations", "-"],
        ["run", " "],
        ["run", ""],
        ["run", "\udcff"],
        ["run", "x" * 5000],
        ["run", "x", "--model", "nope"],
        ["run", "x", "--project", "/nowhere/at/all"],
        ["trace", "nope"],
        ["rules", "show", "nope"],
        ["rules", "show", "gatekeeper", "v99"],
        ["tools", "try", "nope"],
        ["tools", "try", "query_metrics", "--input", "{"],
        ["tools", "try", "query_metrics", "--input", '{"servic": "x"}'],
        ["init", "."],
        ["nonsense"],
        ["run", "--nonsense"],
        ["sql", "SELECT 1", "--format", "parquet"],
    ],
)
def test_a_usage_error_says_what_is_wrong_with_exit_2(
    lab: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    code, out, err = said(capsys, *arguments)
    assert code == 2
    assert err.strip()
    assert out == ""


def test_rules_are_listed_shown_and_tested(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """C-1, C-2, S0-9.2: each rule with the layer it comes from."""
    listed = document(capsys, "rules", "list", "--json")
    assert [row["policy"] for row in listed] == ["gatekeeper", "stop", "answer", "release"]
    shown = document(capsys, "rules", "show", "gatekeeper", "v1", "--json")
    assert {row["layer"] for row in shown["rules"]} == {"project"}
    reports = document(capsys, "rules", "test", "--json")
    assert all(report["passed"] and report["ran"] > 0 for report in reports)


def test_a_rule_without_a_firing_example_fails_the_test(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = lab / "rules/gatekeeper/v1/evidence.raw_path.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("fires: true", "fires: false"), encoding="utf-8")
    code, _out, err = said(capsys, "rules", "test", "gatekeeper")
    assert code == 1
    assert "evidence.raw_path.yaml" in err
    assert "no example in which the rule fires" in err


def test_a_rule_whose_example_is_untrue_fails_the_test(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = lab / "rules/gatekeeper/v1/evidence.raw_path.yaml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("raw_path_found: false}\n", "raw_path_found: true}\n"),
        encoding="utf-8",
    )
    (lab / "rules/lock.json").write_text('{"format": 1, "rule_sets": {}}', encoding="utf-8")
    code, out, _err = said(capsys, "rules", "test", "gatekeeper")
    assert code == 1
    assert "evidence.raw_path" in out


def test_releasing_a_version_locks_it(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """S0-9.2."""
    folder = lab / "rules/gatekeeper/v2"
    folder.mkdir()
    head = "format: 1\npolicy: gatekeeper\nversion: gatekeeper-rules-v2\ndescription: {}\nextends: v1\nparams:\n  excerpt_min_coverage: {{value: {}}}\n"
    (folder / "ruleset.yaml").write_text(head.format("The same again.", 0.8), encoding="utf-8")
    assert document(capsys, "rules", "release", "gatekeeper", "v2", "--json")["released"] is True
    (folder / "ruleset.yaml").write_text(head.format("The same again.", 0.9), encoding="utf-8")
    for command in (
        ["rules", "release", "gatekeeper", "v2"],
        ["rules", "test", "gatekeeper", "v2"],
        ["rules", "show", "gatekeeper", "v2"],
    ):
        code, _out, err = said(capsys, *command)
        assert code == 2
        assert "was released and has changed" in err


def test_a_version_whose_examples_do_not_hold_is_not_released(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """S0-9.2: and doctor says that an active version is not released."""
    folder = lab / "rules/gatekeeper/v2"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(
        "format: 1\npolicy: gatekeeper\nversion: gatekeeper-rules-v2\ndescription: Stricter.\nextends: v1\nparams:\n  excerpt_min_coverage: {value: 0.9}\n",
        encoding="utf-8",
    )
    refused = document(capsys, "rules", "release", "gatekeeper", "v2", "--json", code=1)
    assert (refused["released"], bool(refused["problems"])) == (False, True)
    index = lab / "rules/index.yaml"
    index.write_text(
        index.read_text(encoding="utf-8").replace("gatekeeper: {active: v1}", "gatekeeper: {active: v2}"),
        encoding="utf-8",
    )
    warned = [found["detail"] for found in document(capsys, "doctor", "--json") if found["name"] == "rules"]
    assert warned == ["gatekeeper-rules-v2 is active and not released: it may change under its name"]


def test_a_tool_that_failed_says_why_and_what_to_do(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """S1-6.4."""
    (lab / "examples/incident-lab/alerts.json").unlink()
    code, out, _err = said(capsys, "run", CPU)
    assert code == 1
    assert "there is no file examples/incident-lab/alerts.json" in out
    assert "groundrules tools try" in out


def test_a_new_version_of_a_rule_set_changes_the_gate_without_code(
    lab: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """C-1, C-2: `extends`, then `--rules v2`, then a pointer in the index."""
    folder = lab / "rules/gatekeeper/v2"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(
        "format: 1\npolicy: gatekeeper\nversion: gatekeeper-rules-v2\ndescription: One claim is enough.\n"
        "extends: v1\nparams:\n  narrow_max_claims: {value: 1}\n",
        encoding="utf-8",
    )
    two = output(claim(), claim(binding(raw_path="$.alerts[1]", evidence_excerpt="SlowQueries, state=resolved"), claim_id="claim-2", claim_text="SlowQueries 告警已恢复，state=resolved"))  # fmt: skip
    files = write(lab, "output.json", two), write(lab, "invocations.json", [alerts()])
    common = ["gate", files[0], "--invocations", files[1], "--narrow", "--json"]
    assert document(capsys, *common)["status"] == "pass"
    refused = document(capsys, *common, "--rules", "v2", code=1)
    assert (refused["rule_set_version"], refused["failed_rules"]) == (
        "gatekeeper-rules-v2",
        ["scope.narrow_claim_count"],
    )
    index = lab / "rules/index.yaml"
    index.write_text(
        index.read_text(encoding="utf-8").replace("gatekeeper: {active: v1}", "gatekeeper: {active: v2}"),
        encoding="utf-8",
    )
    assert document(capsys, *common, code=1)["rule_set_version"] == "gatekeeper-rules-v2"


def test_a_released_version_that_was_edited_is_refused(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """S0-9.2: the lock."""
    file = lab / "rules/gatekeeper/v1/ruleset.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("value: 0.8", "value: 0.6"), encoding="utf-8")
    code, _out, err = said(capsys, "run", CPU)
    assert code == 2
    assert "gatekeeper" in err


def test_tools_are_listed_and_tried(lab: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion) -> None:
    """S1-5.2: raw result, canonical result and both views."""
    assert {row["name"] for row in document(capsys, "tools", "list", "--json")} >= {"query_metrics", "query_logs"}
    shown = document(capsys, "tools", "try", "query_metrics", "--input", '{"service": "payment-service"}', "--json")
    assert set(shown) == {"raw_result", "canonical_tool_result", "model_observation", "control_view"}
    for kind in ("canonical_tool_result", "model_observation", "control_view"):
        assert check(kind, shown[kind]) == ()
    code, out, _err = said(capsys, "tools", "try", "query_metrics", "--input", '{"alert_name": "DiskSpaceLow"}')
    assert code == 0
    assert out == snapshot


def test_doctor_finds_a_project_well_and_a_broken_one_not(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {found["state"] for found in document(capsys, "doctor", "--json")} <= {"ok", "warning"}
    (lab / "groundrules.yaml").write_text("format: 1\nname: x\nmodell: y\n", encoding="utf-8")
    findings = document(capsys, "doctor", "--json", code=1)
    problem = next(found for found in findings if found["state"] == "problem")
    assert "groundrules.yaml:3" in problem["detail"]


def test_every_configuration_problem_is_reported_at_once(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("query_logs", "format: 2\n"), ("query_metrics", "nme: x\n")):
        (lab / f"adapters/tools/{name}.yaml").write_text(text, encoding="utf-8")
    (lab / "rules/gatekeeper/v1/evidence.raw_path.yaml").write_text("id: [", encoding="utf-8")
    code, _out, err = said(capsys, "run", CPU)
    assert code == 2
    assert all(name in err for name in ("query_logs.yaml", "query_metrics.yaml", "evidence.raw_path.yaml"))
