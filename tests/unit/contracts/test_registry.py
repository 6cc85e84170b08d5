"""Checks against contracts: everything at once, with places and hints, behind a fence (C-1)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from groundrules.contracts import Contracts, check, check_against, contract_hashes, kinds, schema, schema_problem
from groundrules.errors import ConfigurationError

CLAIM: dict[str, Any] = {
    "claim_id": "c1",
    "claim_type": "observation",
    "claim_text": "CPU 92%",
    "support_level": "direct",
    "evidence_bindings": [{"tool_name": "query_metrics", "evidence_excerpt": "current=92%"}],
}
OUTPUT: dict[str, Any] = {
    "answer_version": "executor_evidence_v2",
    "claims": [CLAIM],
    "hypotheses": [],
    "recommended_actions": [],
    "missing_info": [],
}


def found(kind: str, document: object) -> list[tuple[str, str]]:
    return [(issue.path, issue.keyword) for issue in check(kind, document)]


def test_a_citation_without_id_or_path_satisfies_the_contract() -> None:
    """S0-4.4: the Gatekeeper fills them in or judges them; the contract does not refuse them before."""
    assert check("executor_evidence_v2", OUTPUT) == ()
    nulls = {**CLAIM["evidence_bindings"][0], "source_invocation_id": None, "raw_path": None}
    assert check("executor_evidence_v2", OUTPUT | {"claims": [CLAIM | {"evidence_bindings": [nulls]}]}) == ()


def test_an_unknown_claim_type_is_left_to_the_gatekeeper() -> None:
    """S0-2.1: claim.type_known is a rule."""
    assert check("executor_evidence_v2", OUTPUT | {"claims": [CLAIM | {"claim_type": "prophecy"}]}) == ()


def test_a_foreign_agents_smallest_invocation_satisfies_the_contract() -> None:
    """S0-3.1, G-4."""
    details = {"evidence_status": "supported", "evidence_refs": [{"raw_path": "$.logs[0]", "text": "ERROR x"}]}
    assert check("tool_invocation", {"id": 1, "tool_name": "query_logs", "retrieval_details": details}) == ()


@pytest.mark.parametrize("field", ["diagnosis_summary", "user_facing_answer", "scope_contract"])
def test_an_output_with_a_field_too_many_is_refused(field: str) -> None:
    """S0-2.2."""
    assert found("executor_evidence_v2", OUTPUT | {field: "x"}) == [("$", "additionalProperties")]


def test_a_list_of_ids_is_no_reference() -> None:
    """S0-2.2."""
    binding = {**CLAIM["evidence_bindings"][0], "source_invocation_ids": [517]}
    claims = [CLAIM | {"evidence_bindings": [binding]}]
    assert found("executor_evidence_v2", OUTPUT | {"claims": claims}) == [
        ("$.claims[0].evidence_bindings[0]", "additionalProperties")
    ]


def test_all_issues_come_at_once_in_the_order_of_their_places() -> None:
    claims = [CLAIM | {"support_level": "indirekt"}, *[CLAIM] * 9, CLAIM | {"claim_text": 5}, {"claim_id": ""}]
    assert found("executor_evidence_v2", {"claims": claims, "hypotheses": {}, "more": 1}) == [
        ("$", "additionalProperties"),
        ("$", "required"),
        ("$", "required"),
        ("$", "required"),
        ("$.claims[0].support_level", "enum"),
        ("$.claims[10].claim_text", "type"),
        ("$.claims[11]", "required"),
        ("$.claims[11]", "required"),
        ("$.claims[11]", "required"),
        ("$.claims[11]", "required"),
        ("$.claims[11].claim_id", "minLength"),
        ("$.hypotheses", "type"),
    ]


def test_a_near_name_is_suggested() -> None:
    misspelt = {name: value for name, value in CLAIM.items() if name != "claim_text"} | {"claim_txt": "CPU"}
    hints = [issue.hint for issue in check("executor_evidence_v2", OUTPUT | {"claims": [misspelt]})]
    assert hints == ["did you mean `claim_text`?", ""]
    hints = [issue.hint for issue in check("executor_evidence_v2", OUTPUT | {"诊断": 1})]
    assert hints == ["remove what the contract does not name"]


def test_a_near_word_is_suggested() -> None:
    claims = [
        CLAIM | {"support_level": "Direct"},
        CLAIM | {"support_level": "x" * 10_000},
        CLAIM | {"support_level": 1},
    ]
    issues = check("executor_evidence_v2", OUTPUT | {"claims": claims})
    assert [issue.hint for issue in issues] == ["did you mean `direct`?", "", ""]
    assert all(len(issue.message) <= 160 for issue in issues)


def test_a_name_that_is_no_plain_word_stands_in_brackets() -> None:
    scope = {"a b": 1, "5": 2, "it's": 3, "状态": 4, "plain_1": 5}
    issues = check_against({"properties": {"scope": {"additionalProperties": {"type": "string"}}}}, {"scope": scope})
    assert {issue.path for issue in issues} == {
        "$.scope['a b']",
        "$.scope['5']",
        "$.scope['it\\'s']",
        "$.scope['状态']",
        "$.scope.plain_1",
    }


def test_the_number_of_issues_is_bounded_and_says_so() -> None:
    issues = check("executor_evidence_v2", OUTPUT | {"missing_info": [1] * 1000})
    assert len(issues) == 200
    assert [issue.path for issue in issues[:3]] == ["$.missing_info", "$.missing_info[0]", "$.missing_info[1]"]
    assert (issues[-1].keyword, issues[-1].message) == ("more", "802 more issues are not shown")


def test_a_check_gives_the_same_issues_each_time() -> None:
    document = {"claims": [{"x": 1}, 5, CLAIM | {"evidence_bindings": []}], "b": 1, "a": 1}
    assert check("executor_evidence_v2", document) == Contracts(_folder()).check("executor_evidence_v2", document)


def _folder() -> Path:
    from groundrules.bundled import bundled_project

    return bundled_project() / "contracts"


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
BRANCHING: dict[str, Any] = {}
BRANCHING |= dict.fromkeys("abcdefghij", BRANCHING)
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("document", "path", "keyword"),
    [
        ({"a": "\ud800"}, "$.a", "encoding"),
        ({"\udc00": 1}, "$", "encoding"),
        ({"状": [1, {"x y": "a\ud800b"}]}, "$['状'][1]['x y']", "encoding"),
        ({"a": [float("nan")]}, "$.a[0]", "number"),
        ({"a": float("-inf")}, "$.a", "number"),
        (DEEP, "$", "depth"),
        (ENDLESS, "$", "depth"),
        (BRANCHING, "$", "size"),
        ({1: 2}, "$", "type"),
        ({"a": [{1, 2}]}, "$.a[0]", "type"),
        ({"a": {None: 2}}, "$.a", "type"),
        (b"{}", "$", "type"),
        (object(), "$", "type"),
    ],
    ids=range(13),
)
def test_what_is_no_json_document_is_an_issue_and_never_ends_the_process(
    document: object, path: str, keyword: str
) -> None:
    """The validator recurses: 100,000 levels were a segmentation fault."""
    for schema_ in ({}, {"type": "object"}, {"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}}):
        assert [(issue.path, issue.keyword) for issue in check_against(schema_, document)] == [(path, keyword)]


def test_a_corrupted_contract_file_is_named_and_never_an_empty_check(tmp_path: Path) -> None:
    """DESIGN §7."""
    file = tmp_path / "planner_plan.schema.json"
    for content in ('{"type": ', "[]", '{"type": "object", "type": "array"}', "\ufffe{}", ""):
        file.write_text(content, encoding="utf-8")
        with pytest.raises(ConfigurationError, match=r"planner_plan\.schema\.json"):
            Contracts(tmp_path)
    for content in ('{"type": "objekt"}', '{"$ref": "#/nowhere"}', '{"pattern": "("}', '{"pattern": "(?=a)"}'):
        file.write_text(content, encoding="utf-8")
        with pytest.raises(ConfigurationError, match=r"planner_plan\.schema\.json"):
            Contracts(tmp_path).check("planner_plan", {})


def test_a_folder_without_contracts_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="holds no contract"):
        Contracts(tmp_path / "nowhere")


def test_an_unknown_contract_is_a_configuration_error_with_a_hint() -> None:
    for ask in (lambda: check("planer_plan", {}), lambda: schema("planer_plan")):
        with pytest.raises(ConfigurationError, match="did you mean `planner_plan`"):
            ask()


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """The address of a server that serves a schema, and what it was asked for."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            body = b'{"type": "string"}'
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/schema", requests
    server.shutdown()
    thread.join()
    server.server_close()


def test_no_reference_is_fetched_from_the_network(asked: tuple[str, list[str]]) -> None:
    address, requests = asked
    with pytest.raises(ConfigurationError, match="retrieving it failed"):
        check_against({"properties": {"a": {"$ref": address}}}, {"a": 1})
    assert "retrieving it failed" in schema_problem({"$ref": address})
    assert requests == []


@pytest.mark.parametrize(
    "given", [{}, {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {}}}]
)
def test_a_schema_that_stands_alone_has_no_problem(given: dict[str, Any]) -> None:
    assert schema_problem(given) == ""


@pytest.mark.parametrize(
    "given", [{"type": "objekt"}, {"$ref": "#/$defs/b"}, {"$ref": "other.json"}, {"pattern": "(?!a)"}]
)
def test_a_schema_that_cannot_be_used_has_a_problem(given: dict[str, Any]) -> None:
    assert schema_problem(given).startswith("is no valid JSON Schema: ")


def test_no_reference_is_read_from_the_disk(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text('{"type": "string"}', encoding="utf-8")
    with pytest.raises(ConfigurationError, match="retrieving it failed"):
        check_against({"$ref": file.as_uri()}, 1)


def test_a_pattern_is_matched_in_linear_time() -> None:
    """DESIGN: no backtracking on outside text."""
    assert [issue.keyword for issue in check_against({"pattern": "^(a+)+$"}, "a" * 50_000 + "b")] == ["pattern"]


def test_dates_are_checked() -> None:
    wanted = {"properties": {"since": {"type": "string", "format": "date-time"}}}
    assert [issue.keyword for issue in check_against(wanted, {"since": "yesterday"})] == ["format"]
    assert check_against(wanted, {"since": "2026-07-08T23:05:28+08:00"}) == ()


def test_hashes_name_the_content_and_not_the_layout(tmp_path: Path) -> None:
    assert set(contract_hashes()) == set(kinds())
    assert len(set(contract_hashes().values())) == len(kinds())
    with pytest.raises(TypeError):
        contract_hashes()["planner_plan"] = "0"  # type: ignore[index]
    file = tmp_path / "planner_plan.schema.json"
    file.write_text(json.dumps(schema("planner_plan")), encoding="utf-8")
    assert Contracts(tmp_path).hashes()["planner_plan"] == contract_hashes()["planner_plan"]
