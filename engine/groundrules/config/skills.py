"""Skills: the markdown files that a planner selects from.

Owns their front matter. A skill says whether the task is narrow (confirm one thing) or open, so that narrowness is
decided once per run, by a file (S0-2.5).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from groundrules.config.parsing import parse_model
from groundrules.errors import Issue

FENCE = "---\n"


class SkillHeader(BaseModel):
    """Front matter of `adapters/skills/*.md`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    description: Annotated[str, Field(min_length=1)]
    when_to_use: Annotated[tuple[str, ...], Field(min_length=1)]
    """Words of a question that point to this skill."""
    task_scope: Literal["narrow", "open"]
    """Narrow: the user asks only to confirm one thing."""
    tools: tuple[str, ...] = ()
    """Tools that its steps use; others stay available."""


@dataclass(frozen=True, slots=True)
class Skill:
    header: SkillHeader
    body: str
    content_hash: str
    file: str

    @property
    def narrow(self) -> bool:
        return self.header.task_scope == "narrow"


def load_skills(folder: Path) -> tuple[dict[str, Skill], tuple[Issue, ...]]:
    """Every skill of the folder by name, and everything wrong with the others."""
    skills: dict[str, Skill] = {}
    issues: list[Issue] = []
    for file in sorted(folder.glob("*.md")):
        skill, found = read_skill(file)
        issues += found
        if skill is None:
            continue
        if skill.header.name in skills:
            issues.append(Issue(str(file), 1, "$.name", f"skill `{skill.header.name}` is already defined"))
            continue
        skills[skill.header.name] = skill
    return skills, tuple(issues)


def read_skill(file: Path) -> tuple[Skill | None, tuple[Issue, ...]]:
    """Read one skill file."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return None, (Issue(str(file), 0, "$", f"cannot be read: {error}"),)
    parts = text.split(FENCE, 2)
    if not text.startswith(FENCE) or len(parts) != 3:
        return None, (Issue(str(file), 1, "$", "front matter is missing", "begin with --- and the skill's name"),)
    # The opening fence is a line of the file: the header's lines count from the one after it.
    read, issues = parse_model("\n" + parts[1], str(file), SkillHeader)
    if read is None:
        return None, issues
    return Skill(read[0], parts[2].strip(), hashlib.sha256(text.encode()).hexdigest(), str(file)), ()
