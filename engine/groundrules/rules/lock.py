"""The lock of released rule sets: `rules/lock.json`, version id to hash.

Owns the rule that a released version never changes (S0-9.2): what it decided yesterday it decides tomorrow. A
version that is not in the lock is not released yet and may change. Refuses to overwrite a hash that is there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import ValidationError

from groundrules.errors import Issue
from groundrules.rules.files import LockFile
from groundrules.rules.model import RuleSet

LOCK = "lock.json"
Issues = tuple[Issue, ...]


def read_lock(root: Path) -> tuple[Mapping[str, str], Issues]:
    """The hashes of the released versions; a missing lock releases nothing."""
    path = root / LOCK
    if not path.is_file():
        return {}, ()
    try:
        lock = LockFile.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        return {}, (Issue(str(path), 0, "$", f"the lock cannot be read: {reason}", "restore it from history", "lock"),)
    return dict(lock.rule_sets), ()


def check_lock(rule_sets: Iterable[RuleSet], lock: Mapping[str, str]) -> Issues:
    """An issue for every released version that is not what was released."""
    return tuple(
        Issue(
            rule_set.file,
            1,
            "$",
            f"{rule_set.version} was released and has changed",
            f"undo the change, or put it into a new version with `extends: {rule_set.folder}`",
            "lock",
        )
        for rule_set in rule_sets
        if lock.get(rule_set.version, rule_set.hash) != rule_set.hash
    )


def write_lock(root: Path, rule_sets: Iterable[RuleSet]) -> tuple[tuple[str, ...], Issues]:
    """Releases the rule sets that the lock does not have yet and names them; writes nothing when there is an issue."""
    known, issues = read_lock(root)
    chosen = tuple(rule_sets)
    issues += check_lock(chosen, known)
    released = tuple(rule_set.version for rule_set in chosen if rule_set.version not in known)
    if not issues:
        merged = {**known, **{rule_set.version: rule_set.hash for rule_set in chosen}}
        text = json.dumps({"format": 1, "rule_sets": merged}, indent=2, sort_keys=True)
        (root / LOCK).write_text(text + "\n", encoding="utf-8")
    return (released if not issues else ()), issues
