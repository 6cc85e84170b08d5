"""The rule files that ship: their own examples on every reader, and what holds of each policy as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import product
from pathlib import Path

import duckdb
import pytest

from groundrules.conditions import Scalar, holds
from groundrules.config.strict_yaml import read_yaml
from groundrules.facts.catalogue import CATALOGUE, SubjectKind, fact_types, resting_facts
from groundrules.records.decisions import worst
from groundrules.rules import (
    RuleRuntime,
    RuleSet,
    check_lock,
    evaluate,
    load_policy,
    load_rules,
    open_runtime,
    read_lock,
    rules_sql,
    summarise,
    versions,
)
from groundrules.rules import test_rules as run_examples
from groundrules.rules.files import RuleFile
from groundrules.rules.sql import COLUMN_TYPES, identifier

ROOT = Path(__file__).parents[2] / "rules"
TODAY = date(2026, 12, 1)
POLICIES = ("gatekeeper", "stop", "answer", "release")
Facts = dict[str, Scalar]


@pytest.fixture(scope="module")
def shipped() -> Mapping[str, RuleSet]:
    loaded, issues = load_rules(ROOT, layer="built in")
    assert issues == ()
    return loaded


@pytest.fixture(scope="module")
def live() -> RuleRuntime:
    runtime, _ = open_runtime()
    return runtime


def fired(rule_set: RuleSet, kind: SubjectKind, facts: Facts, runtime: RuleRuntime) -> tuple[str, ...]:
    told = evaluate(rule_set, kind, facts, runtime, TODAY)
    assert told.faults == ()
    return told.fired


def test_every_policy_has_an_active_version(shipped: Mapping[str, RuleSet]) -> None:
    assert tuple(shipped) == POLICIES


@pytest.mark.parametrize("policy", POLICIES)
def test_every_version_loads_and_is_as_it_was_released(policy: str) -> None:
    """S0-9.2: a released version never changes."""
    lock, issues = read_lock(ROOT)
    assert issues == ()
    for folder in versions(ROOT, policy):
        rule_set, found = load_policy(ROOT, policy, folder, layer="built in")
        assert found == ()
        assert rule_set is not None
        assert rule_set.version in lock
        assert check_lock([rule_set], lock) == ()


@pytest.mark.parametrize("policy", POLICIES)
def test_the_rules_own_examples_pass_on_every_live_reader(
    shipped: Mapping[str, RuleSet], live: RuleRuntime, policy: str
) -> None:
    for runtime in (RuleRuntime.native_only(), live):
        summary = summarise(shipped[policy], run_examples(shipped[policy], runtime))
        assert summary.problems == ()
        assert summary.ran >= 2 * len(shipped[policy].rules)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_rules_own_examples_pass_in_sql(shipped: Mapping[str, RuleSet], policy: str) -> None:
    """G-1."""
    rule_set = shipped[policy]
    for kind in dict.fromkeys(rule.on for rule in rule_set.rules):
        told = [(rule.id, example) for rule in rule_set.rules if rule.on == kind for example in rule.examples]
        rows = [resting_facts(kind) | dict(example.given) for _, example in told]
        said = fired_in_sql(rule_set, kind, rows)
        wrong = [
            (rule_id, example.name)
            for (rule_id, example), ids in zip(told, said, strict=True)
            if (rule_id in ids) is not example.fires
        ]
        assert wrong == []


def fired_in_sql(rule_set: RuleSet, kind: SubjectKind, rows: list[Facts]) -> list[tuple[str, ...]]:
    types = fact_types(kind)
    with duckdb.connect() as connection:
        columns = ", ".join(f"{identifier(name)} {COLUMN_TYPES[declared.kind]}" for name, declared in types.items())
        connection.execute(f"CREATE TABLE facts (row_number BIGINT, {columns})")
        marks = ", ".join("?" for _ in range(len(types) + 1))
        values = [[number, *(row[name] for name in types)] for number, row in enumerate(rows)]
        connection.executemany(f"INSERT INTO facts VALUES ({marks})", values)
        query = f"SELECT fired FROM ({rules_sql(rule_set, kind, TODAY)}) ORDER BY row_number"
        return [tuple(row[0]) for row in connection.execute(query).fetchall()]


@pytest.mark.parametrize("policy", POLICIES)
def test_rule_files_keep_the_order_of_their_keys(policy: str) -> None:
    order = list(RuleFile.model_fields)
    for path in sorted(ROOT.glob(f"{policy}/*/*.yaml")):
        if path.name == "ruleset.yaml":
            continue
        document, issues = read_yaml(path.read_text(encoding="utf-8"), path.name)
        assert issues == ()
        keys = list(document.value)
        assert keys == [key for key in order if key in keys], path.name


# --- Gatekeeper ---------------------------------------------------------------------------------------------------


def test_severities_are_those_of_the_requirement(shipped: Mapping[str, RuleSet]) -> None:
    """S0-4.5: what may be old or clumsy lowers confidence; what is forged is rejected."""
    low = {rule.id for rule in shipped["gatekeeper"].rules if rule.severity == "low_confid"}
    ids = {rule.id for rule in shipped["gatekeeper"].rules}

    assert low == {
        "claim.absence_needs_negative",
        "claim.negation_covered",
        "claim.identifiers_covered",
        "evidence.absence_unchecked",
        "evidence.invocation_missing",
        "evidence.raw_path_missing",
        "evidence.refs_missing",
    }
    assert ids >= {
        "output.contract",
        "output.answer_version",
        "output.forbidden_fields",
        "claim.bindings_present",
        "claim.type_known",
        "claim.negative_only_no_evidence",
        "claim.no_evidence_only_negative",
        "evidence.invocation_id",
        "evidence.tool_name",
        "evidence.raw_path_shape",
        "evidence.raw_path",
        "evidence.excerpt",
        "evidence.duplicate_item",
        "scope.narrow_claim_types",
        "scope.narrow_claim_count",
    }
    assert shipped["gatekeeper"].on_error == "reject"


SUPPORTED: Facts = resting_facts("binding") | {
    "claim_type": "observation",
    "invocation_id_present": True,
    "invocation_found": True,
    "tool_name_matches": True,
    "refs_present": True,
    "evidence_status": "supported",
    "raw_path_present": True,
    "raw_path_well_formed": True,
    "raw_path_found": True,
    "excerpt_verbatim": True,
    "excerpt_coverage": 1.0,
    "excerpt_too_short": False,
}


def severity_of(rule_set: RuleSet, kind: SubjectKind, facts: Facts, runtime: RuleRuntime) -> str:
    hits = fired(rule_set, kind, facts, runtime)
    return worst(*(rule.severity for rule in rule_set.rules if rule.id in hits and rule.severity))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "none"),
        ({"invocation_found": False}, "reject"),
        ({"tool_name_matches": False}, "reject"),
        ({"raw_path_found": False}, "reject"),
        ({"raw_path_well_formed": False}, "reject"),
        ({"numbers_missing": 1}, "reject"),
        ({"negation_differs": True}, "reject"),
        ({"excerpt_coverage": 0.79}, "reject"),
        ({"excerpt_too_short": True}, "reject"),
        ({"evidence_status": "failed"}, "reject"),
        ({"invocation_id_present": False, "invocation_found": False, "raw_path_found": False}, "low_confid"),
        ({"raw_path_present": False, "raw_path_well_formed": False, "raw_path_found": False}, "low_confid"),
        ({"refs_present": False, "raw_path_found": False}, "low_confid"),
        ({"invocation_id_filled": True, "raw_path_filled": True}, "none"),
    ],
)
def test_a_binding_counts_as_the_requirement_says(
    shipped: Mapping[str, RuleSet], live: RuleRuntime, changed: Facts, expected: str
) -> None:
    """S0-4.4, S0-4.5."""
    assert severity_of(shipped["gatekeeper"], "binding", SUPPORTED | changed, live) == expected


def bindings() -> Iterator[Facts]:
    """Every combination of what decides about a binding."""
    flags = (
        "invocation_id_present",
        "invocation_found",
        "tool_name_matches",
        "refs_present",
        "raw_path_present",
        "raw_path_well_formed",
        "raw_path_found",
        "raw_path_is_no_evidence",
        "excerpt_too_short",
        "negation_differs",
    )
    statuses = CATALOGUE["binding"]["evidence_status"].type.words
    for status in statuses:
        for values in product((False, True), repeat=len(flags)):
            yield SUPPORTED | {"evidence_status": status, **dict(zip(flags, values, strict=True))}


def test_no_binding_passes_without_all_that_makes_a_citation_real(shipped: Mapping[str, RuleSet]) -> None:
    """S0-4.3, DESIGN §7. Where the facts are consistent: what is found is present, and needs a call that is found."""
    rules = [rule for rule in shipped["gatekeeper"].enabled if rule.on == "binding"]
    passed = 0
    for facts in bindings():
        consistent = (
            (facts["invocation_id_present"] or not facts["invocation_found"])
            and (facts["invocation_found"] or not facts["refs_present"])
            and (facts["refs_present"] or not facts["raw_path_found"])
            and (facts["raw_path_present"] or not facts["raw_path_found"])
        )
        if not consistent or any(holds(rule.when, facts) for rule in rules):
            continue
        passed += 1
        assert facts["invocation_id_present"]
        assert facts["invocation_found"]
        assert facts["tool_name_matches"]
        assert facts["refs_present"]
        assert facts["raw_path_found"]
        assert facts["raw_path_well_formed"]
        assert facts["evidence_status"] != "failed"
        assert not facts["excerpt_too_short"]
        assert not facts["negation_differs"]
    assert passed > 0


@pytest.mark.parametrize("kind", ["output", "claim", "binding"])
def test_nothing_that_is_known_of_nothing_passes(
    shipped: Mapping[str, RuleSet], live: RuleRuntime, kind: SubjectKind
) -> None:
    """DESIGN §7: facts at rest, as when nothing could be found out, are refused."""
    expected = {"output": "reject", "claim": "reject", "binding": "low_confid"}

    assert severity_of(shipped["gatekeeper"], kind, resting_facts(kind), live) == expected[kind]


# --- Stop ---------------------------------------------------------------------------------------------------------

LIMITS = {
    "tool_calls": 8,
    "model_calls": 16,
    "total_tokens": 60_000,
    "observation_bytes": 200_000,
    "elapsed_s": 120,
    "consecutive_rejections": 3,
}


def requests() -> Iterator[Facts]:
    flags = ("narrow", "tool_known", "arguments_valid", "duplicate_scope", "poll_allowed", "scope_widened")
    for values in product((False, True), repeat=len(flags)):
        yield resting_facts("request") | dict(zip(flags, values, strict=True))


def decided(rule_set: RuleSet, kind: SubjectKind, facts: Facts, runtime: RuleRuntime) -> Mapping[str, str]:
    first = fired(rule_set, kind, facts, runtime)[0]
    return next(rule.then for rule in rule_set.rules if rule.id == first)


def test_every_request_is_decided_and_only_lawful_ones_run(shipped: Mapping[str, RuleSet], live: RuleRuntime) -> None:
    """DESIGN §4, S1-6.1, S0-2.5."""
    for facts in requests():
        told = decided(shipped["stop"], "request", facts, live)
        if not facts["tool_known"]:
            expected = {"effect": "reject", "reason": "TOOL_UNKNOWN"}
        elif not facts["arguments_valid"]:
            expected = {"effect": "reject", "reason": "ARGUMENTS_INVALID"}
        elif facts["narrow"] and facts["scope_widened"]:
            expected = {"effect": "reject", "reason": "SCOPE_WIDENED"}
        elif facts["duplicate_scope"] and not facts["poll_allowed"]:
            expected = {"effect": "dedupe", "reason": "DUPLICATE_SCOPE"}
        else:
            expected = {"effect": "allow", "reason": "NONE"}
        assert told == expected, facts


@pytest.mark.parametrize("counter", LIMITS)
def test_a_limit_stops_whatever_is_requested(shipped: Mapping[str, RuleSet], live: RuleRuntime, counter: str) -> None:
    """S1-2.3: refusals in a row end the run; budgets end it before anything else is looked at."""
    reason = "PROTOCOL_REJECTIONS_EXHAUSTED" if counter == "consecutive_rejections" else "BUDGET_LIMIT_REACHED"
    for facts in requests():
        at_limit = decided(shipped["stop"], "request", facts | {counter: LIMITS[counter]}, live)
        beyond = decided(shipped["stop"], "request", facts | {counter: LIMITS[counter] * 2}, live)
        below = decided(shipped["stop"], "request", facts | {counter: LIMITS[counter] - 1}, live)
        assert at_limit == beyond == {"effect": "stop", "reason": reason}
        assert below["effect"] != "stop"


# --- Answer -------------------------------------------------------------------------------------------------------

GOOD_ANSWER: Facts = resting_facts("answer") | {"empty": False, "contract_valid": True, "least_sentence_overlap": 0.6}


@pytest.mark.parametrize(
    ("changed", "rule_id"),
    [
        ({"contract_valid": False}, "answer.contract"),
        ({"empty": True}, "answer.empty"),
        ({"overclaims": 1}, "answer.overclaim"),
        ({"uncovered_things": 1}, "answer.uncovered_things"),
        ({"unclaimed_states": 1}, "answer.unclaimed_states"),
        ({"unclaimed_causes": 1}, "answer.unclaimed_causes"),
        ({"least_sentence_overlap": 0.1}, "answer.sentence_unrelated"),
        ({"polarity_contradicted": True}, "answer.polarity"),
        ({"disallowed_actions": 1}, "answer.disallowed_actions"),
        ({"cites_negative": True}, "answer.absence_unbounded"),
    ],
)
def test_one_thing_wrong_with_an_answer_holds_it_back(
    shipped: Mapping[str, RuleSet], live: RuleRuntime, changed: Facts, rule_id: str
) -> None:
    """G-5, S0-6.1, S0-6.2."""
    assert fired(shipped["answer"], "answer", GOOD_ANSWER | changed, live) == (rule_id,)


def test_an_answer_with_nothing_wrong_passes(shipped: Mapping[str, RuleSet], live: RuleRuntime) -> None:
    bounded = GOOD_ANSWER | {"cites_negative": True, "says_absence_bounded": True}

    assert fired(shipped["answer"], "answer", GOOD_ANSWER, live) == ()
    assert fired(shipped["answer"], "answer", bounded, live) == ()


# --- Release ------------------------------------------------------------------------------------------------------


def endings() -> Iterator[Facts]:
    """Every combination of the release facts."""
    flags = (
        "answer_gate_passed",
        "output_valid",
        "missing_context",
        "evidence_collected",
        "technical_failure",
        "cancelled",
    )
    assert {*flags, "gatekeeper_severity", "verdict", "surviving_claims"} == set(CATALOGUE["release"])
    severities, verdicts = (CATALOGUE["release"][name].type.words for name in ("gatekeeper_severity", "verdict"))
    for severity, verdict, claims in product(severities, verdicts, (0, 1, 3)):
        for values in product((False, True), repeat=len(flags)):
            yield {
                "gatekeeper_severity": severity,
                "verdict": verdict,
                "surviving_claims": claims,
                **dict(zip(flags, values, strict=True)),
            }


def expected_ending(facts: Facts) -> tuple[str, str]:
    """S1-4.1 and S1-6.3 in plain code, to compare the rules with."""
    if facts["cancelled"]:
        return "CANCELLED", "NONE"
    if facts["technical_failure"]:
        return "FAILED", "NONE"
    if facts["missing_context"]:
        return "FALLBACK", "MISSING_REQUIRED_CONTEXT"
    if not facts["output_valid"] and not facts["evidence_collected"]:
        return "FAILED", "NONE"
    supported = (
        facts["output_valid"]
        and facts["gatekeeper_severity"] == "none"
        and facts["verdict"] == "PASS"
        and facts["surviving_claims"] in (1, 3)
        and facts["answer_gate_passed"]
    )
    return ("SUCCESS", "NONE") if supported else ("FALLBACK", "INSUFFICIENT_EVIDENCE")


def test_every_run_ends_in_exactly_one_way(shipped: Mapping[str, RuleSet], live: RuleRuntime) -> None:
    """S1-4.1, DESIGN §7: all 2,304 combinations; SUCCESS never with anything rejected, doubted or missing."""
    told = {}
    for number, facts in enumerate(endings()):
        then = decided(shipped["release"], "release", facts, live)
        assert (then["outcome"], then["fallback_type"]) == expected_ending(facts), facts
        told[number] = then["outcome"]
    assert len(told) == 2304
    assert set(told.values()) == {"SUCCESS", "FALLBACK", "FAILED", "CANCELLED"}


def test_a_release_that_cannot_be_evaluated_fails(shipped: Mapping[str, RuleSet], live: RuleRuntime) -> None:
    """DESIGN §7: a rule that errors never ends in SUCCESS."""
    broken = {name: value for name, value in next(endings()).items() if name != "verdict"}
    told = evaluate(shipped["release"], "release", broken, live, TODAY)

    assert told.fired == ()
    assert [rule_id for rule_id, _ in told.faults] == [rule.id for rule in shipped["release"].enabled]
    assert shipped["release"].on_error_then == {"outcome": "FAILED", "fallback_type": "NONE"}
