"""The project file `groundrules.yaml` and where a project's files are.

Owns the settings and the search for each folder. A project that lacks a folder uses the one that ships with
groundrules: that is the lowest layer (S0-9.2). Refuses unknown keys, with their line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from groundrules.bundled import INSTALLED, MARKER, bundled_project
from groundrules.config.parsing import parse_model
from groundrules.errors import ConfigurationError, Issue, UsageError

Locale = Literal["zh", "en"]


class Limits(BaseModel):
    """Bounds of a run that are not policy: policy stands in the stop rules."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    executor_rounds: Annotated[int, Field(ge=1, le=5)] = 2
    """How often the executor may be asked; the second time with what was refused."""
    model_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 180.0
    """For one reply, every try of the model's card and the waits between them included."""
    observation_max_chars: Annotated[int, Field(ge=500, le=200_000)] = 20_000
    """Characters of one observation that the model is shown."""


class ProjectFile(BaseModel):
    """`groundrules.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1]
    name: Annotated[str, Field(min_length=1, max_length=80)]
    description: str = ""
    locale: Locale = "zh"
    environment: str = "default"
    """Which environment of rules/index.yaml names the active rule-set versions."""
    model: str = "extractive"
    """Name of a card in adapters/models."""
    store: str = ".groundrules"
    """Folder of the journal and the database, from where the project may write."""
    question: dict[Locale, str] = Field(default_factory=dict)
    """What `groundrules run` asks when no question is given."""
    limits: Limits = Field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """A project's settings and its folders, each with the layer that it comes from."""

    root: Path
    settings: ProjectFile
    home: Path
    """Where the project may write: its own folder, or the working directory for an installed package's files."""

    def folder(self, name: str) -> tuple[Path, str]:
        """The project's own folder of that name, else the built-in one; with the layer's name."""
        own = self.root / name
        built_in = bundled_project()
        if own.is_dir():
            return own, "built in" if self.root == built_in else "project"
        return built_in / name, "built in"

    @property
    def store(self) -> Path:
        return self.home / self.settings.store


def find_project(start: Path) -> Path:
    """The nearest folder from `start` upwards that holds `groundrules.yaml`. Raises UsageError when none does."""
    for folder in (start, *start.parents):
        if (folder / MARKER).is_file():
            return folder
    message = f"no {MARKER} in {start} or above it. Make a project with `groundrules init DIR`"
    raise UsageError(message)


def load_project_files(root: Path) -> ProjectFiles:
    """Read `groundrules.yaml`. Raises ConfigurationError with every issue."""
    file = root / MARKER
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError([Issue(str(file), 0, "$", f"cannot be read: {error}", "check the path")]) from error
    read, issues = parse_model(text, str(file), ProjectFile)
    if read is None:
        raise ConfigurationError(issues)
    place = root.resolve()
    return ProjectFiles(place, read[0], home=Path.cwd() if place.name == INSTALLED else place)
