"""Markdown runbooks as blocks: what a search returns and a claim may cite.

Owns the reading of a folder. A block is a heading with the text under it, up to the next heading. Refuses nothing for
its content: a runbook without front matter is a runbook. Invariant: the same files give the same blocks in the same
order; a link out of the folder is not followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundrules.config.strict_yaml import read_yaml
from groundrules.transports.places import PlaceError
from groundrules.transports.reading import read_whole

MAX_FILES = 2_000
MAX_FILE_BYTES = 1_000_000
MAX_BLOCK_CHARS = 1_500
FENCE = "---"


@dataclass(frozen=True, slots=True)
class Block:
    """A passage with its address in the collection of runbooks."""

    title: str
    heading: str
    text: str
    source: str
    """The file's path within the folder."""
    topics: tuple[str, ...]
    """Alerts and keywords of the front matter, and the file's own name: what the runbook is about."""
    services: tuple[str, ...]
    """Services of the front matter: whom it is about."""


@dataclass(frozen=True, slots=True)
class Runbook:
    """A file, named by what its content is found again by."""

    path: Path
    modified_ns: int
    size: int


def list_runbooks(folder: Path) -> tuple[Runbook, ...]:
    """The folder's markdown files in the order of their paths. Raises PlaceError."""
    if not folder.is_dir():
        raise PlaceError("there is no folder of runbooks")
    base = folder.resolve()
    files = [file for file in sorted(base.rglob("*.md")) if file.is_file() and file.resolve().is_relative_to(base)]
    if len(files) > MAX_FILES:
        raise PlaceError(f"the folder holds more than {MAX_FILES:,} runbooks")
    return tuple(Runbook(file, (found := file.stat()).st_mtime_ns, found.st_size) for file in files)


def read_blocks(folder: Path, runbooks: tuple[Runbook, ...]) -> tuple[Block, ...]:
    """Every block of the runbooks. A file that is not UTF-8 fails the search: what it says was not looked at."""
    return tuple(block for runbook in runbooks for block in _blocks(folder, runbook.path))


def _blocks(folder: Path, path: Path) -> Iterator[Block]:
    source = path.relative_to(folder.resolve()).as_posix()
    try:
        text = read_whole(path, source, MAX_FILE_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise PlaceError(f"{source} is not UTF-8") from error
    header, body = _front_matter(text)
    sections = list(_sections(body))
    title = str(header.get("title") or next((name for level, name, _ in sections if level == 1), "") or path.stem)
    topics = tuple(dict.fromkeys((*_listed(header, "alerts", "keywords"), path.name.split(".")[0])))
    services = tuple(dict.fromkeys(_listed(header, "services")))
    for level, heading, lines in sections:
        for piece in _pieces("\n".join(lines).strip()):
            yield Block(title, heading if level > 1 or not heading else title, piece, source, topics, services)


def _front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    lines = text.split("\n")
    if lines[0].strip() != FENCE or FENCE not in (line.strip() for line in lines[1:]):
        return {}, text
    end = next(at for at, line in enumerate(lines[1:], 1) if line.strip() == FENCE)
    document, issues = read_yaml("\n".join(lines[1:end]), "")
    found = document.value if not issues and isinstance(document.value, Mapping) else {}
    return found, "\n".join(lines[end + 1 :])


def _listed(header: Mapping[str, Any], *keys: str) -> Iterator[str]:
    for key in keys:
        value = header.get(key)
        yield from (str(item) for item in (value if isinstance(value, list) else [value]) if item not in (None, ""))


def _sections(body: str) -> Iterator[tuple[int, str, list[str]]]:
    """(level, heading, lines) in order. A `#` inside a code fence is no heading."""
    level, heading, lines, fenced = 0, "", list[str](), False
    for line in body.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        marks = len(line) - len(line.lstrip("#"))
        if not fenced and 1 <= marks <= 6 and line[marks : marks + 1] == " ":
            yield level, heading, lines
            level, heading, lines = marks, line[marks:].strip().rstrip("#").strip(), []
        else:
            lines.append(line)
    yield level, heading, lines


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of at most MAX_BLOCK_CHARS, cut between paragraphs or lines."""
    piece = ""
    for line in text.split("\n"):
        if piece and len(piece) + len(line) > MAX_BLOCK_CHARS:
            yield piece.strip()
            piece = ""
        piece += line + "\n"
    if piece.strip():
        yield piece.strip()
