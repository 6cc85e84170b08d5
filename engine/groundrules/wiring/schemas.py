"""Schemas of the project's own files, generated from the models that read them, so that editors complete YAML.

Owns the generation only; `contracts/` holds the result and a test keeps both in step. A rule's `when:` names the facts
of its subject with type and meaning, taken from the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from groundrules.conditions import OPS, ORDER_OPS, SET_OPS
from groundrules.config.cards import CardFile
from groundrules.config.lexicon import LexiconFile
from groundrules.config.model_cards import ModelCard
from groundrules.config.project import ProjectFile
from groundrules.config.skills import SkillHeader
from groundrules.facts.catalogue import CATALOGUE, Fact
from groundrules.prompts import PromptHeader, PromptIndex
from groundrules.rules.files import IndexFile, RuleFile, RuleSetFile

if TYPE_CHECKING:
    from pydantic import BaseModel

MODELS: Mapping[str, tuple[type[BaseModel], str]] = {
    "project": (ProjectFile, "groundrules.yaml"),
    "tool_card": (CardFile, "adapters/tools/*.yaml"),
    "model_card": (ModelCard, "adapters/models/*.yaml"),
    "skill_header": (SkillHeader, "front matter of adapters/skills/*.md"),
    "ruleset": (RuleSetFile, "rules/POLICY/VERSION/ruleset.yaml"),
    "rule": (RuleFile, "rules/POLICY/VERSION/RULE.ID.yaml"),
    "rules_index": (IndexFile, "rules/index.yaml"),
    "lexicon": (LexiconFile, "rules/lexicon.yaml"),
    "prompt_header": (PromptHeader, "front matter of prompts/*.j2"),
    "prompt_index": (PromptIndex, "prompts/index.yaml"),
}
PARAMETER = {"type": "string", "pattern": r"^\$[a-z][a-z0-9_]*$", "description": "A parameter of the rule set"}


def generated_schemas() -> dict[str, dict[str, Any]]:
    """Kind → JSON Schema 2020-12, for every file that people write."""
    made = {}
    for kind, (model, where) in MODELS.items():
        schema = model.model_json_schema()
        head = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"groundrules:{kind}:1",
            "title": f"groundrules {kind}",
            "description": f"{where}. Generated; the reader is in the code.",
        }
        made[kind] = head | {key: value for key, value in schema.items() if key not in head}
    _name_facts(made["rule"])
    return made


def _name_facts(schema: dict[str, Any]) -> None:
    """Let a rule's `when:` know the facts of its subject."""
    definitions = schema.setdefault("$defs", {})
    definitions |= {f"when_{kind}": _condition(kind, facts) for kind, facts in CATALOGUE.items()}
    schema["properties"]["on"] = {
        "enum": list(CATALOGUE),
        "description": "The kind of subject; it fixes which facts exist",
    }
    schema["allOf"] = [
        {
            "if": {"properties": {"on": {"const": kind}}, "required": ["on"]},
            "then": {"properties": {"when": {"$ref": f"#/$defs/when_{kind}"}}},
        }
        for kind in CATALOGUE
    ]


def _condition(kind: str, facts: Mapping[str, Fact]) -> dict[str, Any]:
    itself = {"$ref": f"#/$defs/when_{kind}"}
    several = {"type": "array", "items": itself, "minItems": 1}
    properties: dict[str, Any] = {"all": several, "any": several, "not": itself}
    properties |= {name: _fact(fact) for name, fact in facts.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False, "minProperties": 1}


def _fact(fact: Fact) -> dict[str, Any]:
    literal = _literal(fact)
    compared = {
        op: {"type": "array", "items": literal, "minItems": 1} if op in SET_OPS else {"anyOf": [literal, PARAMETER]}
        for op in OPS
        if op != "eq" and (op not in ORDER_OPS or fact.type.kind in ("integer", "number"))
    }
    comparison = {"type": "object", "properties": compared, "additionalProperties": False, "minProperties": 1}
    return {"description": fact.meaning, "anyOf": [literal, PARAMETER, comparison]}


def _literal(fact: Fact) -> dict[str, Any]:
    if fact.type.words:
        return {"enum": list(fact.type.words)}
    return {"type": {"boolean": "boolean", "integer": "integer", "number": "number"}.get(fact.type.kind, "string")}
