"""Rule files read from their folders, with `extends` resolved.

Owns the way from `rules/POLICY/vN/` to one effective set of file models: what a later version changes, adds,
disables or sets anew. Refuses a rule whose id is not its file's name, chains that go in a circle, and changes to
what the extended version does not have. Invariant: every issue names the file and line where it can be mended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from groundrules.conditions import did_you_mean
from groundrules.config.parsing import parse_model
from groundrules.config.strict_yaml import YamlDocument, child
from groundrules.errors import Issue
from groundrules.rules.files import ParamChange, ParamFile, RuleFile, RuleSetFile

HEAD = "ruleset.yaml"
RULES_LIMIT = 500
_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RuleSource:
    """One rule file; `disabled` is the reason when a later version switches it off."""

    file: RuleFile
    document: YamlDocument
    disabled: str = ""


@dataclass(frozen=True, slots=True)
class ParamSource:
    """A declared parameter with its effective value, and where that value stands."""

    file: ParamFile
    value: bool | int | float | str
    document: YamlDocument
    path: str


@dataclass(frozen=True, slots=True)
class PolicySource:
    """A whole version after `extends`: what `build` compiles."""

    policy: str
    folder: str
    head: RuleSetFile
    document: YamlDocument
    params: Mapping[str, ParamSource]
    rules: Mapping[str, RuleSource]
    order: tuple[str, ...]


def read_model(path: Path, model: type[_Model]) -> tuple[tuple[_Model, YamlDocument] | None, tuple[Issue, ...]]:
    """A YAML file as a model with its document; None when anything is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        return None, (Issue(str(path), 0, "$", f"the file cannot be read: {reason}"),)
    return parse_model(text, str(path), model)


def read_policy(
    root: Path, policy: str, folder: str, seen: tuple[str, ...] = ()
) -> tuple[PolicySource | None, tuple[Issue, ...]]:
    """The effective files of `root/policy/folder`; None when any of them is wrong."""
    place = root / policy / folder
    read, issues = read_model(place / HEAD, RuleSetFile)
    rules, rule_issues = _read_rules(place)
    issues += rule_issues
    if read is None:
        return None, issues
    head, document = read
    issues += _head_issues(head, document, policy, folder)
    if head.extends is None:
        own, own_issues = _first_version(policy, folder, head, document, rules)
        return (own if not issues and not own_issues else None), issues + own_issues
    if head.extends in (*seen, folder):
        circle = " → ".join((*seen, folder, head.extends))
        return None, (*issues, document.issue("$.extends", f"`extends` goes in a circle: {circle}"))
    base, base_issues = read_policy(root, policy, head.extends, (*seen, folder))
    issues += base_issues
    if base is None:
        return None, issues
    later, later_issues = _extended(base, folder, head, document, rules)
    return (later if not issues and not later_issues else None), issues + later_issues


def _read_rules(place: Path) -> tuple[dict[str, RuleSource], tuple[Issue, ...]]:
    rules: dict[str, RuleSource] = {}
    issues: list[Issue] = []
    for path in sorted(place.glob("*.y*ml"))[: RULES_LIMIT + 1]:
        if path.name == HEAD:
            continue
        if path.suffix != ".yaml":
            issues.append(Issue(str(path), 0, "$", "a rule file ends in `.yaml`", "rename it"))
            continue
        read, found = read_model(path, RuleFile)
        issues.extend(found)
        if read is None:
            continue
        file, document = read
        if f"{file.id}.yaml" != path.name:
            hint = f"rename the file to {file.id}.yaml"
            issues.append(document.issue("$.id", f"the id is `{file.id}`, the file is {path.name}", hint))
        rules[file.id] = RuleSource(file, document)
    if len(rules) > RULES_LIMIT:
        issues.append(Issue(str(place), 0, "$", f"more than {RULES_LIMIT} rules in one rule set"))
    return rules, tuple(issues)


def _head_issues(head: RuleSetFile, document: YamlDocument, policy: str, folder: str) -> tuple[Issue, ...]:
    issues = []
    if head.policy != policy:
        issues.append(document.issue("$.policy", f"the policy is `{head.policy}`, the folder is `{policy}`"))
    if head.version != f"{policy}-rules-{folder}":
        expected = f"write {policy}-rules-{folder}"
        issues.append(
            document.issue("$.version", f"the version is `{head.version}`, the folder is `{folder}`", expected)
        )
    return tuple(issues)


def _first_version(
    policy: str, folder: str, head: RuleSetFile, document: YamlDocument, rules: Mapping[str, RuleSource]
) -> tuple[PolicySource, tuple[Issue, ...]]:
    issues = [
        document.issue("$", f"`{key}` is missing", "it is required without `extends`")
        for key in ("hit_policy", "on_error")
        if getattr(head, key) is None
    ]
    if head.disable:
        issues.append(document.issue("$.disable", "`disable` needs `extends`", "set the rule's own status instead"))
    params, param_issues = _params({}, head, document)
    order, order_issues = _order(head, document, rules, ())
    source = PolicySource(policy, folder, head, document, params, dict(rules), order)
    return source, (*issues, *param_issues, *order_issues)


def _extended(
    base: PolicySource, folder: str, head: RuleSetFile, document: YamlDocument, own: Mapping[str, RuleSource]
) -> tuple[PolicySource, tuple[Issue, ...]]:
    rules = {**base.rules, **own}
    issues: list[Issue] = []
    for rule_id, reason in head.disable.items():
        path = child("$.disable", rule_id)
        if rule_id in own:
            issues.append(document.issue(path, f"`{rule_id}` is both changed and disabled", "keep one of the two"))
        elif rule_id not in base.rules:
            hint = did_you_mean(rule_id, tuple(base.rules))
            issues.append(document.issue(path, f"{base.head.version} has no rule `{rule_id}`", hint))
        else:
            rules[rule_id] = replace(base.rules[rule_id], disabled=reason)
    params, param_issues = _params(base.params, head, document)
    merged = head.model_copy(
        update={
            "hit_policy": head.hit_policy or base.head.hit_policy,
            "on_error": head.on_error if head.on_error is not None else base.head.on_error,
        }
    )
    order, order_issues = _order(merged, document, rules, base.order)
    source = PolicySource(base.policy, folder, merged, document, params, rules, order)
    return source, (*issues, *param_issues, *order_issues)


def _params(
    base: Mapping[str, ParamSource], head: RuleSetFile, document: YamlDocument
) -> tuple[dict[str, ParamSource], tuple[Issue, ...]]:
    params = dict(base)
    issues = []
    for name, given in head.params.items():
        path = child("$.params", name)
        if isinstance(given, ParamFile):
            params[name] = ParamSource(given, given.value, document, path)
        elif name in base:
            assert isinstance(given, ParamChange)  # noqa: S101  # the union has two members
            params[name] = replace(base[name], value=given.value, document=document, path=path)
        else:
            hint = did_you_mean(name, tuple(base)) or "a new parameter needs type, value and meaning"
            issues.append(document.issue(path, f"there is no parameter `{name}` to change", hint))
    return params, tuple(issues)


def _order(
    head: RuleSetFile, document: YamlDocument, rules: Mapping[str, RuleSource], inherited: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[Issue, ...]]:
    """The order of all rules; `first` must say it, `collect` may leave it to the ids."""
    if not head.order:
        added = tuple(sorted(rule_id for rule_id in rules if rule_id not in inherited))
        if head.hit_policy == "first" and added:
            names = ", ".join(added)
            return (), (
                document.issue("$.order", f"`order` does not place {names}", "under `first` the order decides"),
            )
        return (*inherited, *added), ()
    issues = [
        document.issue(child("$.order", place), f"there is no rule `{rule_id}`", did_you_mean(rule_id, tuple(rules)))
        for place, rule_id in enumerate(head.order)
        if rule_id not in rules
    ]
    issues += [
        document.issue(child("$.order", place), f"`{rule_id}` stands in `order` twice")
        for place, rule_id in enumerate(head.order)
        if rule_id in head.order[:place]
    ]
    missing = [rule_id for rule_id in sorted(rules) if rule_id not in head.order]
    if missing:
        issues.append(document.issue("$.order", f"`order` does not place {', '.join(missing)}"))
    return tuple(head.order), tuple(issues)
