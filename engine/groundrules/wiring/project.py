"""A project loaded whole: settings, cards, skills, prompts, lexicon and active rule sets.

Owns the loading order and the layers (S0-9.2): what the project lacks comes from the files that ship with
groundrules. Invariant: a project is loaded with every issue of every file, or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from groundrules.bundled import bundled_project
from groundrules.config.cards import ToolCard, load_card
from groundrules.config.lexicon import load_lexicon
from groundrules.config.model_cards import ModelCard, load_model_card
from groundrules.config.project import ProjectFiles, find_project, load_project_files
from groundrules.config.skills import Skill, load_skills
from groundrules.errors import ConfigurationError, Issue, UsageError
from groundrules.facts.lexicon import Lexicon
from groundrules.prompts import PromptRegistry, load_prompts
from groundrules.rules import RuleSet, check_lock, load_policy, load_rules, read_lock

POLICIES = ("gatekeeper", "stop", "answer", "release")


@dataclass(frozen=True, slots=True)
class Project:
    """A folder of rules, prompts, cards and skills, ready to run. Made by `load_project`."""

    files: ProjectFiles
    cards: Mapping[str, ToolCard]
    models: Mapping[str, ModelCard]
    skills: Mapping[str, Skill]
    prompts: PromptRegistry
    lexicon: Lexicon
    policies: Mapping[str, RuleSet]

    @property
    def root(self) -> Path:
        return self.files.root

    @property
    def name(self) -> str:
        return self.files.settings.name


def load_project(path: str | Path | None = None) -> Project:
    """The project at `path`, or the one around the working directory, or the embedded one when there is none.

    Raises UsageError when `path` is no project, ConfigurationError with every issue of its files.
    """
    files = load_project_files(project_root(path))
    issues: list[Issue] = []
    cards = _load_cards(files, issues)
    models = _load_models(files, issues)
    skills, found = load_skills(files.folder("adapters/skills")[0])
    issues += found
    prompts, found = load_prompts(files.folder("prompts")[0])
    issues += found
    policies = _load_policies(files, issues)
    lexicon = load_lexicon(lexicon_file(files))
    if files.settings.model not in models and not any("adapters/models" in issue.file for issue in issues):
        known = ", ".join(sorted(models))
        issues.append(Issue("groundrules.yaml", 0, "$.model", f"no model card `{files.settings.model}`", known))
    if issues:
        raise ConfigurationError(issues)
    return Project(files, cards, models, skills, prompts, lexicon, policies)


def default_project() -> Project:
    """The project around the working directory, else the embedded one; each loaded once for the process."""
    return _loaded_once(project_root(None))


@cache
def _loaded_once(root: Path) -> Project:
    return load_project(root)


def embedded_project() -> Project:
    """The project that ships with groundrules, loaded once."""
    return _loaded_once(bundled_project())


def policy_version(project: Project, policy: str, version: str | None) -> RuleSet:
    """A policy's active rule set, or the named version. Raises UsageError for a name that does not exist."""
    if policy not in project.policies:
        known = ", ".join(project.policies)
        message = f"no policy `{policy}`; known: {known}"
        raise UsageError(message)
    if version is None:
        return project.policies[policy]
    root, layer = project.files.folder("rules")
    rule_set, issues = load_policy(root, policy, version, layer=layer, environment=project.files.settings.environment)
    if rule_set is not None:
        issues += _lock_issues(root, (rule_set,))
    if rule_set is None or issues:
        raise ConfigurationError(issues)
    return rule_set


def unreleased(project: Project) -> tuple[str, ...]:
    """The active versions that the lock does not hold yet: they may still change under their name."""
    lock, _issues = read_lock(project.files.folder("rules")[0])
    return tuple(rule_set.version for rule_set in project.policies.values() if rule_set.version not in lock)


def _lock_issues(root: Path, rule_sets: tuple[RuleSet, ...]) -> tuple[Issue, ...]:
    lock, issues = read_lock(root)
    return (*issues, *check_lock(rule_sets, lock))


def lexicon_file(files: ProjectFiles) -> Path:
    """The project's lexicon, else the built-in one."""
    own = files.folder("rules")[0] / "lexicon.yaml"
    return own if own.is_file() else bundled_project() / "rules" / "lexicon.yaml"


def project_root(path: str | Path | None) -> Path:
    """The folder of the project at or around `path`, or around the working directory, else the embedded one."""
    if path is not None:
        return find_project(Path(path).resolve()) if Path(path).exists() else _missing(path)
    try:
        return find_project(Path.cwd())
    except UsageError:
        return bundled_project()


def _missing(path: str | Path) -> Path:
    message = f"there is no folder {path}"
    raise UsageError(message)


def _load_cards(files: ProjectFiles, issues: list[Issue]) -> dict[str, ToolCard]:
    cards: dict[str, ToolCard] = {}
    for file in sorted(files.folder("adapters/tools")[0].glob("*.yaml")):
        card, found = load_card(file)
        issues += found
        if card is not None and card.name in cards:
            issues.append(Issue(str(file), 1, "$.name", f"tool `{card.name}` is already defined"))
        elif card is not None:
            cards[card.name] = card
    return cards


def _load_models(files: ProjectFiles, issues: list[Issue]) -> dict[str, ModelCard]:
    models: dict[str, ModelCard] = {}
    for file in sorted(files.folder("adapters/models")[0].glob("*.yaml")):
        card, found = load_model_card(file)
        issues += found
        if card is not None:
            models[card.name] = card
    return models


def _load_policies(files: ProjectFiles, issues: list[Issue]) -> dict[str, RuleSet]:
    root, layer = files.folder("rules")
    loaded, found = load_rules(root, files.settings.environment, layer=layer)
    issues += found
    for policy in POLICIES:
        if policy not in loaded and not found:
            issues.append(Issue(str(root / "index.yaml"), 0, "$", f"the environment names no version of `{policy}`"))
    issues += _lock_issues(root, tuple(loaded.values()))
    return dict(loaded)
