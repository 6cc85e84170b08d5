"""A project into an engine: concrete transports, models and readers behind the ports.

Owns the literal tables of adapters and the lock that a run is stamped with (DESIGN §8).
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from groundrules.config.cards import ToolCard
from groundrules.config.model_cards import ModelCard
from groundrules.contracts import contract_hashes
from groundrules.errors import ModelError, UsageError
from groundrules.pipelines.engine import Engine, Judges, Tool
from groundrules.policies.judging import Judge
from groundrules.ports import ModelClient
from groundrules.rules import RuleRuntime, RuleSet, open_runtime
from groundrules.transports import open_transport
from groundrules.wiring.project import Project

LOCALES = ("zh", "en")


def open_engine(project: Project, *, model: str | None = None) -> Engine:
    """Everything that a run of the project needs. Raises UsageError for an unknown model."""
    card = model_card(project, model or project.files.settings.model)
    runtime = shared_runtime()
    today = datetime.now(UTC).date()
    return Engine(
        model=open_model(card, project),
        tools={name: open_tool(tool, project) for name, tool in project.cards.items()},
        skills=project.skills,
        prompts=project.prompts,
        judges=Judges(*(Judge(project.policies[name], runtime, today) for name in Judges.__slots__)),
        lexicon=project.lexicon,
        limits=project.files.settings.limits,
        clock=lambda: datetime.now(UTC),
        stopwatch=time.monotonic,
        new_id=lambda: str(uuid.uuid4()),
        lock=lambda: lock_of(project, card, project.policies),
    )


@cache
def shared_readers() -> tuple[RuleRuntime, str]:
    """One set of readers for the process, each keeping what it compiled; and a notice when one of them is missing."""
    return open_runtime()


def shared_runtime() -> RuleRuntime:
    """The readers of `shared_readers`."""
    return shared_readers()[0]


def open_tool(card: ToolCard, project: Project) -> Tool:
    """A card with its transport."""
    return Tool(
        definitions={locale: card.definition(locale) for locale in LOCALES},
        projection=card.projection(),
        scope=card.scope_spec(),
        transport=open_transport(card, project.root, os.environ),
        timeout_s=card.transport.timeout_s,
        poll_allowed=card.poll.allowed,
        collection=card.collection,
    )


def model_card(project: Project, name: str) -> ModelCard:
    """The model card of that name. Raises UsageError with the known names."""
    if name not in project.models:
        message = f"no model `{name}`; known: {', '.join(sorted(project.models))}"
        raise UsageError(message)
    return project.models[name]


def open_model(card: ModelCard, project: Project) -> ModelClient:
    """The adapter of a model card."""
    if card.kind == "extractive":
        from groundrules.models.extractive import ExtractiveClient

        return ExtractiveClient()
    if card.kind == "replay":
        from groundrules.models.replay import open_replay

        return open_replay(card, project.root)
    from groundrules.models.openai import open_openai

    try:
        return open_openai(card, os.environ)
    except ModelError as error:
        raise UsageError(str(error)) from error


def lock_of(project: Project, model: ModelCard, policies: Mapping[str, RuleSet]) -> dict[str, Any]:
    """Versions and hashes of all that decided a run: change one, and `runs` can tell."""
    return {
        "rule_sets": {name: {"version": found.version, "hash": found.hash} for name, found in policies.items()},
        "lexicon": project.lexicon.content_hash,
        "prompts": {
            f"{prompt.name}.{prompt.version}.{prompt.locale}": prompt.content_hash for prompt in project.prompts.prompts
        },
        "contracts": dict(contract_hashes()),
        "tools": {name: {"version": card.version, "hash": card.content_hash} for name, card in project.cards.items()},
        "skills": {name: skill.content_hash for name, skill in project.skills.items()},
        "model": {"name": model.name, "kind": model.kind, "model": model.model},
        "readers": list(shared_runtime().readers),
    }
