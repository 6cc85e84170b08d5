"""Rule sets loaded from `rules/`: by version, or by what an environment points at.

Owns the index and the public loading functions. Refuses a version that does not exist and an index whose pointers
lead nowhere. Invariant: every issue of every file is reported at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from groundrules.conditions import did_you_mean
from groundrules.config.strict_yaml import YamlDocument, child
from groundrules.errors import Issue
from groundrules.rules.build import build_rule_set
from groundrules.rules.files import IndexFile
from groundrules.rules.model import RuleSet
from groundrules.rules.sources import HEAD, read_model, read_policy

INDEX = "index.yaml"
Issues = tuple[Issue, ...]


def load_rules(
    root: Path, environment: str = "default", *, layer: str = "project"
) -> tuple[Mapping[str, RuleSet], Issues]:
    """The active rule set of every policy of an environment, and everything that is wrong."""
    read, issues = read_model(root / INDEX, IndexFile)
    if read is None:
        return {}, issues
    index, document = read
    if environment not in index.environments:
        return {}, (*issues, _unknown_environment(index, document, environment))
    issues += _shadow_issues(index, document, environment)
    loaded: dict[str, RuleSet] = {}
    for policy in index.environments[environment]:
        rule_set, found = load_policy(root, policy, None, layer=layer, environment=environment)
        issues += found
        if rule_set is not None:
            loaded[policy] = rule_set
    return loaded, issues


def load_policy(
    root: Path, policy: str, version: str | None, *, layer: str, environment: str = "default"
) -> tuple[RuleSet | None, Issues]:
    """One version of a policy: a folder name, a full version id, or None for the environment's active one."""
    folder = version.removeprefix(f"{policy}-rules-") if version is not None else None
    if folder is None:
        folder, issues = active_version(root, policy, environment)
        if folder is None:
            return None, issues
    known = versions(root, policy)
    if folder not in known:
        return None, (Issue(str(root), 0, "$", f"policy {policy} has no version {version or folder}", _known(known)),)
    source, issues = read_policy(root, policy, folder)
    return (None, issues) if source is None else build_rule_set(source, layer)


def versions(root: Path, policy: str) -> tuple[str, ...]:
    """The folders of a policy that hold a rule set, oldest first."""
    names = [path.parent.name for path in (root / policy).glob(f"*/{HEAD}")]
    return tuple(sorted(names, key=lambda name: (len(name), name)))


def active_version(root: Path, policy: str, environment: str) -> tuple[str | None, Issues]:
    """The folder that an environment points at."""
    read, issues = read_model(root / INDEX, IndexFile)
    if read is None:
        return None, issues
    index, document = read
    if environment not in index.environments:
        return None, (_unknown_environment(index, document, environment),)
    pointers = index.environments[environment]
    if policy not in pointers:
        path = child("$.environments", environment)
        hint = did_you_mean(policy, tuple(pointers))
        return None, (document.issue(path, f"environment {environment} names no policy `{policy}`", hint),)
    folder = pointers[policy].active
    if folder not in versions(root, policy):
        path = child(child(child("$.environments", environment), policy), "active")
        hint = _known(versions(root, policy))
        return None, (document.issue(path, f"policy {policy} has no version {folder}", hint),)
    return folder, ()


def _shadow_issues(index: IndexFile, document: YamlDocument, environment: str) -> Issues:
    """A version named as shadow that nothing evaluates would be trusted in vain."""
    paths = (
        f"$.environments.{environment}.{policy}.shadow"
        for policy, pointer in index.environments[environment].items()
        if pointer.shadow
    )
    message = "shadow versions are not evaluated yet"
    return tuple(document.issue(path, message, "remove `shadow`, or try the version with --rules") for path in paths)


def _unknown_environment(index: IndexFile, document: YamlDocument, environment: str) -> Issue:
    hint = did_you_mean(environment, tuple(index.environments))
    return document.issue("$.environments", f"there is no environment `{environment}`", hint)


def _known(names: tuple[str, ...]) -> str:
    return f"known: {', '.join(names)}" if names else "it has none at all"
