"""The schemas of the project's own files are those of the models that read them (C-1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from groundrules.bundled import bundled_project
from groundrules.contracts import check
from groundrules.wiring.schemas import generated_schemas

ROOT = bundled_project()
FILES = {
    "project": ["groundrules.yaml"],
    "tool_card": sorted(str(file.relative_to(ROOT)) for file in ROOT.glob("adapters/tools/*.yaml")),
    "model_card": sorted(str(file.relative_to(ROOT)) for file in ROOT.glob("adapters/models/*.yaml")),
    "ruleset": sorted(str(file.relative_to(ROOT)) for file in ROOT.glob("rules/*/*/ruleset.yaml")),
    "rule": sorted(str(file.relative_to(ROOT)) for file in ROOT.glob("rules/*/*/*.*.yaml")),
    "rules_index": ["rules/index.yaml"],
    "lexicon": ["rules/lexicon.yaml"],
}


@pytest.mark.parametrize("kind", generated_schemas())
def test_the_written_schema_is_the_generated_one(kind: str) -> None:
    """Write them anew with `make contracts`."""
    written = json.loads((ROOT / "contracts" / f"{kind}.schema.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(generated_schemas()[kind]))


class _PlainLoader(yaml.SafeLoader):
    """Leaves `on` and dates as text, as YAML 1.2 has them."""


_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":timestamp", ":bool"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_PlainLoader.add_implicit_resolver("tag:yaml.org,2002:bool", __import__("re").compile("^(?:true|false)$"), list("tf"))


def read(file: Path) -> Any:
    return yaml.load(file.read_text(encoding="utf-8"), Loader=_PlainLoader)  # noqa: S506  # a SafeLoader with fewer types


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in FILES.items() for name in names])
def test_every_shipped_file_satisfies_its_schema(kind: str, name: str) -> None:
    assert check(kind, read(ROOT / name)) == ()


def test_a_rules_schema_knows_the_facts_of_its_subject() -> None:
    rule = read(ROOT / "rules/gatekeeper/v1/evidence.raw_path.yaml")
    assert check("rule", rule | {"when": {"raw_path_foound": True}}) != ()
    assert check("rule", rule | {"when": {"raw_path_found": "yes"}}) != ()
    assert check("rule", rule | {"when": {"excerpt_coverage": {"lt": "$excerpt_min_coverage"}}}) == ()
