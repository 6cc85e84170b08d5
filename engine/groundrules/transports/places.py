"""Where a card's files are: inside the project, or inside a folder that an environment variable names.

Owns the resolution. Refuses absolute paths, `..`, and links that lead out. Invariant: a resolved place lies inside its
base after every link was followed; a refusal names the card's own text, never a resolved path or a variable's value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MAX_MATCHES = 200


class PlaceError(Exception):
    """Why a place cannot be used, in words that hold no secret. Stays within the transports."""


@dataclass(frozen=True, slots=True)
class Places:
    """The bases of a project's paths."""

    root: Path
    environ: Mapping[str, str]

    def resolve(self, text: str) -> Path:
        """The one file or folder of a place. Raises PlaceError."""
        base, rest = self._split(text)
        return _inside(base, base / rest, text)

    def expand(self, text: str) -> tuple[Path, ...]:
        """The files of a place that may hold `*`, in the order of their names. Raises PlaceError."""
        base, rest = self._split(text)
        if "*" not in rest:
            return (self._file(_inside(base, base / rest, text), text),)
        found = sorted(path for path in base.glob(rest) if path.is_file())
        if not found:
            raise PlaceError(f"no file matches {text}")
        if len(found) > MAX_MATCHES:
            raise PlaceError(f"more than {MAX_MATCHES} files match {text}")
        return tuple(_inside(base, path, text) for path in found)

    def _file(self, path: Path, text: str) -> Path:
        if not path.is_file():
            raise PlaceError(f"there is no file {text}")
        return path

    def _split(self, text: str) -> tuple[Path, str]:
        if not text.startswith("${"):
            return self.root, text
        name, _, rest = text[2:].partition("}")
        value = self.environ.get(name, "")
        if not value:
            raise PlaceError(f"the environment variable {name} is not set")
        return Path(value), rest.lstrip("/")


def _inside(base: Path, path: Path, text: str) -> Path:
    try:
        resolved, within = path.resolve(), base.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise PlaceError(f"{text} cannot be resolved: {type(error).__name__}") from error
    if not resolved.is_relative_to(within):
        raise PlaceError(f"{text} leads out of its folder")
    return resolved
