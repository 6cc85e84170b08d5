"""Rule folders become rule sets, or every reason why not, with file, line and hint (C-1, DESIGN §3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.rules.rule_files import (
    EXCERPT_RULE,
    FIRST_HEAD,
    FIRST_RULE,
    HEAD,
    INDEX,
    PATH_RULE,
    V1,
    write,
    write_index,
)

from groundrules.conditions import All, Leaf
from groundrules.rules import load_policy, load_rules, versions

Found = list[tuple[str, int, str, str]]


def found(root: Path, policy: str = "gatekeeper", version: str | None = "v1") -> Found:
    rule_set, issues = load_policy(root, policy, version, layer="project")
    assert rule_set is None
    return [(Path(issue.file).name, issue.line, issue.message, issue.hint) for issue in issues]


def with_rule(tmp_path: Path, old: str, new: str) -> Path:
    assert old in PATH_RULE
    return write(tmp_path, "gatekeeper", "v1", V1 | {"evidence.raw_path.yaml": PATH_RULE.replace(old, new)})


def test_a_folder_becomes_a_rule_set(tmp_path: Path) -> None:
    rule_set, issues = load_policy(write(tmp_path, "gatekeeper", "v1", V1), "gatekeeper", "v1", layer="built in")

    assert issues == ()
    assert rule_set is not None
    assert (rule_set.policy, rule_set.version, rule_set.folder) == ("gatekeeper", "gatekeeper-rules-v1", "v1")
    assert (rule_set.hit_policy, rule_set.on_error) == ("collect", "reject")
    assert rule_set.params == {"excerpt_min_coverage": 0.8}
    assert [rule.id for rule in rule_set.rules] == ["evidence.excerpt", "evidence.raw_path"]
    excerpt, path = rule_set.rules
    assert excerpt.when == All(
        (Leaf("raw_path_found", "eq", True), Leaf("excerpt_coverage", "lt", 0.8, "excerpt_min_coverage"))
    )
    assert excerpt.message == "below 0.8: {excerpt_coverage}"
    assert (path.severity, path.on, path.layer, path.line) == ("reject", "binding", "built in", 1)
    assert path.file.endswith("evidence.raw_path.yaml")


def test_a_version_is_named_by_folder_or_by_its_full_id(tmp_path: Path) -> None:
    root = write(tmp_path, "gatekeeper", "v1", V1)

    by_folder, _ = load_policy(root, "gatekeeper", "v1", layer="project")
    by_id, _ = load_policy(root, "gatekeeper", "gatekeeper-rules-v1", layer="project")

    assert by_folder is not None
    assert by_folder == by_id
    assert versions(root, "gatekeeper") == ("v1",)


def test_a_version_that_does_not_exist_is_an_issue(tmp_path: Path) -> None:
    root = write(tmp_path, "gatekeeper", "v1", V1)

    assert found(root, version="v9")[0][2:] == ("policy gatekeeper has no version v9", "known: v1")
    assert found(root, policy="gatekeper")[0][2:] == ("policy gatekeper has no version v1", "it has none at all")


@pytest.mark.parametrize(
    ("old", "new", "line", "message", "hint"),
    [
        ("severity: reject", "severty: reject", 6, "unknown key `severty`", "did you mean `severity`?"),
        ("severity: reject\n", "", 1, "`severity` is missing", "low_confid or reject"),
        ("severity: reject", "severity: none", 6, "must be one of low_confid, reject, not 'none'", ""),
        (
            "severity: reject",
            "severity: reject\nthen: {outcome: FAILED}",
            7,
            "a rule of a `collect` policy assigns nothing",
            "use `severity`",
        ),
        ("on: binding", "on: bindings", 5, "policy gatekeeper has no subject `bindings`", "did you mean `binding`?"),
        (
            "on: binding",
            "on: release",
            5,
            "policy gatekeeper has no subject `release`",
            "known: output, claim, binding",
        ),
        (
            "status: stable",
            "status: Stable",
            4,
            "must be one of draft, shadow, stable, deprecated, disabled, not 'Stable'",
            "did you mean `stable`?",
        ),
        ("why: A path that no tool returned was invented.\n", "", 1, "`why` is missing", ""),
        ("title: The cited path exists\n", "", 1, "`title` is missing", ""),
        ("title: The cited path exists", "title: ''", 2, "string should have at least 1 character", ""),
        (
            "raw_path_found: false}\nmessage",
            "raw_path_fund: false}\nmessage",
            7,
            "unknown fact `raw_path_fund`",
            "did you mean `raw_path_found`",
        ),
        (
            "raw_path_found: false}\nmessage",
            "raw_path_found: no}\nmessage",
            7,
            "`raw_path_found` is boolean, compared with word 'no'",
            "",
        ),
        (
            "raw_path_found: false}\nmessage",
            "excerpt_coverage: {lt: $min}}\nmessage",
            7,
            "unknown parameter `$min`",
            "known: excerpt_min_coverage",
        ),
        ("no {raw_path}", "no {raw_pth}", 8, "nothing is called `{raw_pth}` here", "did you mean `raw_path`"),
        (
            "no {raw_path}",
            "no {raw_path.__class__}",
            8,
            "`{raw_path.__class__}` is not a plain name in braces",
            "write {name}, and {{ for a brace",
        ),
        (
            "raw_path_found: true}, fires",
            "raw_path_found: 1}, fires",
            11,
            "`raw_path_found` is integer, must be boolean",
            "",
        ),
        (
            "raw_path_found: true}, fires",
            "raw_path: true}, fires",
            11,
            "unknown fact `raw_path`",
            "did you mean `raw_path_found`",
        ),
        (
            "fires: false",
            "fires: true",
            9,
            "there is no example in which the rule does not fire",
            "the examples are its tests",
        ),
        (
            "id: evidence.raw_path",
            "id: evidence.rawpath",
            1,
            "the id is `evidence.rawpath`, the file is evidence.raw_path.yaml",
            "rename the file to evidence.rawpath.yaml",
        ),
        ("on: binding", "on: binding\non: claim", 6, "`on` is given twice, on lines 5 and 6", ""),
    ],
)
def test_a_rule_file_that_is_wrong_says_where_and_how_to_mend_it(
    tmp_path: Path, old: str, new: str, line: int, message: str, hint: str
) -> None:
    """C-1: `hint` is how the hint begins."""
    issues = found(with_rule(tmp_path, old, new))

    assert ("evidence.raw_path.yaml", line, message) in [issue[:3] for issue in issues]
    assert next(issue[3] for issue in issues if issue[2] == message).startswith(hint)


def test_examples_are_mandatory(tmp_path: Path) -> None:
    without = PATH_RULE[: PATH_RULE.index("examples:")] + "examples: []\n"
    issues = found(write(tmp_path, "gatekeeper", "v1", V1 | {"evidence.raw_path.yaml": without}))

    assert [message for _, _, message, _ in issues] == [
        "there is no example in which the rule fires",
        "there is no example in which the rule does not fire",
    ]


def test_issues_of_all_files_come_at_once(tmp_path: Path) -> None:
    files = {
        "ruleset.yaml": HEAD,
        "evidence.raw_path.yaml": PATH_RULE.replace("stable", "stabel"),
        "evidence.excerpt.yaml": EXCERPT_RULE.replace("severity", "severty"),
    }

    assert {name for name, _, _, _ in found(write(tmp_path, "gatekeeper", "v1", files))} == {
        "evidence.raw_path.yaml",
        "evidence.excerpt.yaml",
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("on_error: reject\n", "", "`on_error` is missing"),
        ("hit_policy: collect\n", "", "`hit_policy` is missing"),
        ("on_error: reject", "on_error: {outcome: FAILED}", "under `collect`, `on_error` is low_confid or reject"),
        ("value: 0.8", "value: 1.5", "`excerpt_min_coverage` is 1.5, above its max 1.0"),
        ("value: 0.8", "value: true", "`excerpt_min_coverage` is boolean, must be number"),
        ("policy: gatekeeper", "policy: release", "the policy is `release`, the folder is `gatekeeper`"),
        ("gatekeeper-rules-v1", "gatekeeper-rules-v2", "the version is `gatekeeper-rules-v2`, the folder is `v1`"),
        ("format: 1", "format: 2", "must be 1, not 2"),
    ],
)
def test_a_head_that_is_wrong_is_an_issue(tmp_path: Path, old: str, new: str, message: str) -> None:
    issues = found(write(tmp_path, "gatekeeper", "v1", V1 | {"ruleset.yaml": HEAD.replace(old, new)}))

    assert ("ruleset.yaml", message) in [(issue[0], issue[2]) for issue in issues]


def test_a_condition_with_too_many_branches_is_refused(tmp_path: Path) -> None:
    """DESIGN §3, fence point 3: each branch is a rule of durable-rules."""
    any_of = "{any: [{narrow: true}, {raw_path_filled: true}]}"
    wide = "when: {all: [" + ", ".join([any_of] * 9) + "]}"
    issues = found(with_rule(tmp_path, "when: {raw_path_present: true, raw_path_found: false}", wide))

    assert [(line, message) for _, line, message, _ in issues] == [
        (7, "the condition has more than 256 branches; split the rule")
    ]


def test_a_first_policy_has_order_and_assignments(tmp_path: Path) -> None:
    files = {"ruleset.yaml": FIRST_HEAD, "release.cancelled.yaml": FIRST_RULE}
    rule_set, issues = load_policy(write(tmp_path, "release", "v1", files), "release", "v1", layer="project")

    assert issues == ()
    assert rule_set is not None
    assert rule_set.on_error_then == {"outcome": "FAILED", "fallback_type": "NONE"}
    assert rule_set.rules[0].then == {"outcome": "CANCELLED", "fallback_type": "NONE"}


@pytest.mark.parametrize(
    ("head", "rule", "message"),
    [
        (("order: [release.cancelled]", ""), ("", ""), "`order` does not place release.cancelled"),
        (("[release.cancelled]", "[release.canceled]"), ("", ""), "there is no rule `release.canceled`"),
        (
            ("[release.cancelled]", "[release.cancelled, release.cancelled]"),
            ("", ""),
            "`release.cancelled` stands in `order` twice",
        ),
        (("", ""), ("CANCELLED", "CANCELED"), "`outcome` is never `CANCELED`"),
        (("", ""), ("outcome: CANCELLED, ", ""), "`outcome` is missing"),
        (("", ""), ("outcome: CANCELLED", "outcme: CANCELLED"), "policy release assigns no `outcme`"),
        (
            ("", ""),
            ("status: stable", "status: stable\nseverity: reject"),
            "a rule of a `first` policy has no severity",
        ),
        (
            ("{outcome: FAILED, fallback_type: NONE}", "reject"),
            ("", ""),
            "under `first`, `on_error` assigns what a rule's `then` assigns",
        ),
        (("{outcome: FAILED", "{outcome: BROKEN"), ("", ""), "`outcome` is never `BROKEN`"),
    ],
)
def test_a_first_policy_that_is_wrong_is_an_issue(
    tmp_path: Path, head: tuple[str, str], rule: tuple[str, str], message: str
) -> None:
    files = {"ruleset.yaml": FIRST_HEAD.replace(*head), "release.cancelled.yaml": FIRST_RULE.replace(*rule)}

    assert message in [issue[2] for issue in found(write(tmp_path, "release", "v1", files), policy="release")]


def test_an_environment_points_at_the_active_version(tmp_path: Path) -> None:
    """S0-9.2: going back is moving a pointer."""
    root = write_index(write(tmp_path, "gatekeeper", "v1", V1), INDEX)

    rule_set, issues = load_policy(root, "gatekeeper", None, layer="project")
    loaded, all_issues = load_rules(root)

    assert (issues, all_issues) == ((), ())
    assert rule_set is not None
    assert loaded == {"gatekeeper": rule_set}


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("{active: v1}", "{active: v7}", 4, "policy gatekeeper has no version v7"),
        ("  default:", "  live:", 2, "there is no environment `default`"),
        ("gatekeeper: {", "gate: {", 3, "environment default names no policy `gatekeeper`"),
        ("{active: v1}", "{activ: v1}", 4, "unknown key `activ`"),
    ],
)
def test_an_index_that_leads_nowhere_is_an_issue(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    root = write_index(write(tmp_path, "gatekeeper", "v1", V1), INDEX.replace(old, new))

    assert ("index.yaml", line, message) in [issue[:3] for issue in found(root, version=None)]


def test_a_missing_index_is_an_issue(tmp_path: Path) -> None:
    loaded, issues = load_rules(tmp_path)

    assert loaded == {}
    assert [issue.message for issue in issues] == ["the file cannot be read: No such file or directory"]


def test_a_rule_file_with_another_ending_is_an_issue(tmp_path: Path) -> None:
    root = write(tmp_path, "gatekeeper", "v1", V1 | {"evidence.other.yml": PATH_RULE})

    assert found(root) == [("evidence.other.yml", 0, "a rule file ends in `.yaml`", "rename it")]


def test_exceptions_carry_a_reason_and_an_expiry_date(tmp_path: Path) -> None:
    given = "exceptions:\n  - {reason: old import, expires: 2027-01-31, when: {evidence_status: deduped}}\n"
    root = write(tmp_path, "gatekeeper", "v1", V1 | {"evidence.raw_path.yaml": PATH_RULE + given})
    rule_set, issues = load_policy(root, "gatekeeper", "v1", layer="project")

    assert issues == ()
    assert rule_set is not None
    exception = rule_set.rules[1].exceptions[0]
    assert (exception.reason, exception.expires.isoformat()) == ("old import", "2027-01-31")
    assert exception.when == Leaf("evidence_status", "eq", "deduped")


@pytest.mark.parametrize("expires", ["soon", "20270131", "17", "2027-02-30", "2027-01-31T00:00:00"])
def test_an_expiry_is_a_day(tmp_path: Path, expires: str) -> None:
    given = f"exceptions:\n  - {{reason: old, expires: {expires}, when: {{narrow: true}}}}\n"
    root = write(tmp_path, "gatekeeper", "v1", V1 | {"evidence.raw_path.yaml": PATH_RULE + given})

    assert [issue[2] for issue in found(root)] == ["must be a date like 2030-01-31"]
