"""Later versions hold only what is different; released ones never change (S0-9.2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.rules.rule_files import (
    EXCERPT_RULE,
    FIRST_HEAD,
    FIRST_RULE,
    HEAD,
    LATER_HEAD,
    PATH_RULE,
    V1,
    write,
)

from groundrules.rules import RuleSet, check_lock, effective_rows, load_policy, read_lock, write_lock


def loaded(root: Path, version: str, policy: str = "gatekeeper") -> RuleSet:
    rule_set, issues = load_policy(root, policy, version, layer="project")
    assert issues == ()
    assert rule_set is not None
    return rule_set


def messages(root: Path, version: str, policy: str = "gatekeeper") -> list[str]:
    rule_set, issues = load_policy(root, policy, version, layer="project")
    assert rule_set is None
    return [issue.message for issue in issues]


def test_a_later_version_changes_adds_and_disables(tmp_path: Path) -> None:
    write(tmp_path, "gatekeeper", "v1", V1)
    added = PATH_RULE.replace("evidence.raw_path", "evidence.tool").replace("raw_path_found", "tool_name_matches")
    later = {
        "ruleset.yaml": LATER_HEAD
        + "params: {excerpt_min_coverage: {value: 0.9}}\ndisable: {evidence.raw_path: not needed}\n",
        "evidence.excerpt.yaml": EXCERPT_RULE.replace("severity: reject", "severity: low_confid"),
        "evidence.tool.yaml": added,
    }
    rule_set = loaded(write(tmp_path, "gatekeeper", "v2", later), "v2")

    assert rule_set.version == "gatekeeper-rules-v2"
    assert (rule_set.hit_policy, rule_set.on_error) == ("collect", "reject")
    assert rule_set.params == {"excerpt_min_coverage": 0.9}
    assert [(rule.id, rule.status, rule.severity) for rule in rule_set.rules] == [
        ("evidence.excerpt", "stable", "low_confid"),
        ("evidence.raw_path", "disabled", "reject"),
        ("evidence.tool", "stable", "reject"),
    ]
    assert [rule.id for rule in rule_set.enabled] == ["evidence.excerpt", "evidence.tool"]


def test_a_later_version_of_nothing_new_has_the_rules_of_the_earlier_one(tmp_path: Path) -> None:
    write(tmp_path, "gatekeeper", "v1", V1)
    write(tmp_path, "gatekeeper", "v2", {"ruleset.yaml": LATER_HEAD})
    chain = LATER_HEAD.replace("v2", "v3").replace("extends: v1", "extends: v2")
    root = write(tmp_path, "gatekeeper", "v3", {"ruleset.yaml": chain})

    assert loaded(root, "v3").rules == loaded(root, "v1").rules


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("extends: v2", "`extends` goes in a circle: v2 → v2"),
        ("extends: v8", "the file cannot be read: No such file or directory"),
        ("extends: v1\nparams: {coverage: {value: 1}}", "there is no parameter `coverage` to change"),
        ("extends: v1\nparams: {excerpt_min_coverage: {value: 2}}", "`excerpt_min_coverage` is 2, above its max 1.0"),
        ("extends: v1\ndisable: {evidence.rawpath: gone}", "gatekeeper-rules-v1 has no rule `evidence.rawpath`"),
    ],
)
def test_a_later_version_that_is_wrong_is_an_issue(tmp_path: Path, head: str, message: str) -> None:
    write(tmp_path, "gatekeeper", "v1", V1)
    root = write(tmp_path, "gatekeeper", "v2", {"ruleset.yaml": LATER_HEAD.replace("extends: v1", head)})

    assert message in messages(root, "v2")


def test_a_longer_circle_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "gatekeeper", "v2", {"ruleset.yaml": LATER_HEAD.replace("extends: v1", "extends: v3")})
    chain = LATER_HEAD.replace("v2", "v3").replace("extends: v1", "extends: v2")
    root = write(tmp_path, "gatekeeper", "v3", {"ruleset.yaml": chain})

    assert messages(root, "v2") == ["`extends` goes in a circle: v2 → v3 → v2"]


def test_a_rule_cannot_be_changed_and_disabled_at_once(tmp_path: Path) -> None:
    write(tmp_path, "gatekeeper", "v1", V1)
    head = LATER_HEAD + "disable: {evidence.raw_path: gone}\n"
    root = write(tmp_path, "gatekeeper", "v2", {"ruleset.yaml": head, "evidence.raw_path.yaml": PATH_RULE})

    assert messages(root, "v2") == ["`evidence.raw_path` is both changed and disabled"]


def test_a_rule_added_to_a_first_policy_needs_its_place(tmp_path: Path) -> None:
    write(tmp_path, "release", "v1", {"ruleset.yaml": FIRST_HEAD, "release.cancelled.yaml": FIRST_RULE})
    head = LATER_HEAD.replace("gatekeeper", "release")
    added = FIRST_RULE.replace("release.cancelled", "release.broken").replace("cancelled: ", "technical_failure: ")
    root = write(tmp_path, "release", "v2", {"ruleset.yaml": head, "release.broken.yaml": added})

    assert messages(root, "v2", "release") == ["`order` does not place release.broken"]


def test_comments_layout_and_the_order_of_keys_do_not_change_the_hash(tmp_path: Path) -> None:
    before = loaded(write(tmp_path / "a", "gatekeeper", "v1", V1), "v1")
    lines = PATH_RULE.splitlines(keepends=True)
    turned = "# a comment\n" + "".join([*lines[3:6], *lines[0:3], "\n", *lines[7:8], *lines[6:7], *lines[8:]])
    turned = turned.replace(
        "{raw_path_present: true, raw_path_found: false}", "{raw_path_found: false, raw_path_present: true}"
    )
    after = loaded(write(tmp_path / "b", "gatekeeper", "v1", V1 | {"evidence.raw_path.yaml": turned}), "v1")

    assert after.hash == before.hash


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("evidence.raw_path.yaml", "severity: reject", "severity: low_confid"),
        ("evidence.raw_path.yaml", "raw_path_found: false}", "raw_path_found: true}"),
        ("evidence.raw_path.yaml", "status: stable", "status: shadow"),
        ("evidence.raw_path.yaml", "no {raw_path}", "nothing at {raw_path}"),
        ("ruleset.yaml", "value: 0.8", "value: 0.81"),
        ("ruleset.yaml", "on_error: reject", "on_error: low_confid"),
    ],
)
def test_a_change_of_meaning_changes_the_hash(tmp_path: Path, file: str, old: str, new: str) -> None:
    before = loaded(write(tmp_path / "a", "gatekeeper", "v1", V1), "v1")
    after = loaded(write(tmp_path / "b", "gatekeeper", "v1", V1 | {file: V1[file].replace(old, new, 1)}), "v1")

    assert after.hash != before.hash


def test_a_released_version_that_has_changed_is_an_issue(tmp_path: Path) -> None:
    released = loaded(write(tmp_path, "gatekeeper", "v1", V1), "v1")
    assert write_lock(tmp_path, [released]) == (("gatekeeper-rules-v1",), ())
    lock, issues = read_lock(tmp_path)
    assert issues == ()
    assert lock == {"gatekeeper-rules-v1": released.hash}
    assert check_lock([released], lock) == ()

    changed = loaded(write(tmp_path, "gatekeeper", "v1", {"ruleset.yaml": HEAD.replace("0.8", "0.7")}), "v1")
    found = check_lock([changed], lock)

    assert [(issue.message, issue.hint) for issue in found] == [
        (
            "gatekeeper-rules-v1 was released and has changed",
            "undo the change, or put it into a new version with `extends: v1`",
        )
    ]
    assert write_lock(tmp_path, [changed]) == ((), found)
    assert read_lock(tmp_path)[0] == lock


def test_a_version_that_was_not_released_may_change(tmp_path: Path) -> None:
    assert check_lock([loaded(write(tmp_path, "gatekeeper", "v1", V1), "v1")], {}) == ()


def test_a_broken_lock_is_an_issue(tmp_path: Path) -> None:
    (tmp_path / "lock.json").write_text('{"format": 1, "rule_sets": {"x": "md5:1"}}', encoding="utf-8")

    lock, issues = read_lock(tmp_path)

    assert lock == {}
    assert len(issues) == 1
    assert issues[0].message.startswith("the lock cannot be read")


def test_the_effective_rules_say_where_they_come_from(tmp_path: Path) -> None:
    rows = effective_rows(loaded(write(tmp_path, "gatekeeper", "v1", V1), "v1"))

    assert [(row.rule_id, row.status, row.on, row.effect, row.layer, row.params) for row in rows] == [
        ("evidence.excerpt", "stable", "binding", "reject", "project", (("excerpt_min_coverage", 0.8),)),
        ("evidence.raw_path", "stable", "binding", "reject", "project", ()),
    ]
    assert [Path(row.file).name for row in rows] == ["evidence.excerpt.yaml", "evidence.raw_path.yaml"]
