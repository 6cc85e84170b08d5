"""From a folder of prompt files to a registry, with every issue of every file at once.

Owns the file format: `NAME.vN.LANGUAGE.j2`, a YAML front matter between `---` lines, a system part, a user part.
Invariant: a prompt with an issue is not in the registry; whatever the files hold, issues come back, no exception.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jsonschema_rs import meta
from pydantic import ValidationError

from groundrules.config.parsing import parse_model
from groundrules.config.strict_yaml import YamlDocument, model_issues, read_yaml
from groundrules.errors import Issue
from groundrules.prompts.header import PromptHeader, PromptIndex
from groundrules.prompts.registry import Prompt, PromptRegistry
from groundrules.prompts.templates import KEYWORD, check_part, compile_part, split_parts

INDEX = "index.yaml"
FENCE = "---"
SIZE_LIMIT_BYTES = 200_000


def load_prompts(root: Path) -> tuple[PromptRegistry, tuple[Issue, ...]]:
    """The prompts of a folder (`PROJECT/prompts`), and everything that is wrong with its files."""
    prompts: list[Prompt] = []
    issues: list[Issue] = []
    for path in sorted(root.glob("*.j2")):
        prompt, found = _read_file(path, f"{root.name}/{path.name}")
        issues += found
        if prompt is not None:
            prompts.append(prompt)
    labels, index_issues = _labels(root / INDEX, f"{root.name}/{INDEX}", prompts)
    if not prompts and not issues:
        issues.append(Issue(root.name, 0, "$", "the folder holds no prompt (*.j2)", "", KEYWORD))
    every = (*issues, *_pair_issues(prompts), *index_issues)
    return PromptRegistry(tuple(prompts), labels), every


@dataclass(frozen=True, slots=True)
class _Source:
    """A prompt file taken apart."""

    front: YamlDocument
    body: str
    body_line: int
    text: str


def _read_file(path: Path, file: str) -> tuple[Prompt | None, tuple[Issue, ...]]:
    text, issue = _text_of(path, file)
    if issue is not None:
        return None, (issue,)
    source, issues = _take_apart(text, file)
    if source is None or issues:
        return None, issues
    try:
        header = PromptHeader.model_validate(source.front.value)
    except ValidationError as error:
        return None, model_issues(error, source.front, PromptHeader)
    return _prompt(source, header, path.name, file)


def _text_of(path: Path, file: str) -> tuple[str, Issue | None]:
    try:
        if path.stat().st_size > SIZE_LIMIT_BYTES:
            return "", Issue(file, 0, "$", f"the file is larger than {SIZE_LIMIT_BYTES:,} bytes", "", KEYWORD)
        return path.read_text(encoding="utf-8"), None
    except (OSError, UnicodeDecodeError) as error:
        return "", Issue(file, 0, "$", f"the file cannot be read as UTF-8 text: {type(error).__name__}", "", KEYWORD)


def _take_apart(text: str, file: str) -> tuple[_Source | None, tuple[Issue, ...]]:
    lines = text.split("\n")
    ends = [number for number, line in enumerate(lines) if line.rstrip() == FENCE]
    if len(ends) < 2 or ends[0] != 0:
        hint = "begin the file with `---`, the header, and `---` again"
        return None, (Issue(file, 1, "$", "the file has no header between two `---` lines", hint, KEYWORD),)
    # The first fence becomes a blank line, so that lines of the front matter are lines of the file.
    front, issues = read_yaml("\n".join(["", *lines[1 : ends[1]]]), file)
    return _Source(front, "\n".join(lines[ends[1] + 1 :]), ends[1] + 2, text), issues


def _prompt(source: _Source, header: PromptHeader, name: str, file: str) -> tuple[Prompt | None, tuple[Issue, ...]]:
    parts, part_issues = split_parts(source.body, source.body_line, file)
    issues = [*_name_issues(source.front, header, name), *_schema_issues(source.front, header), *part_issues]
    if parts is None or issues:
        return None, tuple(issues)
    inputs = frozenset(header.inputs["properties"])
    used: set[str] = set()
    for part in parts:
        names, found = check_part(part, inputs, frozenset(header.plain))
        used |= names
        issues += found
    unused = sorted(inputs - used)
    issues += [source.front.issue(f"$.inputs.properties.{name}", f"`{name}` is never used") for name in unused]
    if issues:
        return None, tuple(issues)
    prompt = Prompt(
        name=header.id,
        version=header.version,
        locale=header.language,
        description=header.description,
        output_contract=header.output_contract,
        input_schema=header.inputs,
        changelog=tuple(header.changelog),
        file=file,
        content_hash=hashlib.sha256(source.text.encode()).hexdigest(),
        system=compile_part(parts[0]),
        user=compile_part(parts[1]),
    )
    return prompt, ()


def _name_issues(front: YamlDocument, header: PromptHeader, name: str) -> Iterator[Issue]:
    expected = f"{header.id}.{header.version}.{header.language}.j2"
    if name != expected:
        yield front.issue("$.id", f"the file is named {name}, its header says {expected}", "", KEYWORD)


def _schema_issues(front: YamlDocument, header: PromptHeader) -> Iterator[Issue]:
    schema = header.inputs
    if not meta.is_valid(schema):
        yield front.issue("$.inputs", "inputs is not a valid JSON Schema", "", KEYWORD)
    elif schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        yield front.issue("$.inputs", "inputs must describe an object with properties", "", KEYWORD)
    elif schema.get("additionalProperties") is not False:
        yield front.issue("$.inputs", "inputs must say `additionalProperties: false`", "", KEYWORD)
    elif set(schema.get("required", ())) != set(schema["properties"]):
        yield front.issue("$.inputs", "every property of inputs must be required, and nothing else", "", KEYWORD)
    else:
        for name in sorted(set(header.plain) - set(schema["properties"])):
            yield front.issue("$.plain", f"`{name}` under plain is not among the inputs", "", KEYWORD)


def _pair_issues(prompts: Iterable[Prompt]) -> Iterator[Issue]:
    """Languages of one version that do not say the same."""
    by_version: dict[tuple[str, str], dict[str, Prompt]] = {}
    for prompt in prompts:
        by_version.setdefault((prompt.name, prompt.version), {})[prompt.locale] = prompt
    for (name, version), spoken in sorted(by_version.items()):
        first = min(spoken.values(), key=lambda prompt: prompt.locale)
        for language in ("en", "zh"):
            if language not in spoken:
                hint = f"add {name}.{version}.{language}.j2"
                yield Issue(first.file, 1, "$", f"version {version} has no twin in `{language}`", hint, KEYWORD)
        for other in spoken.values():
            yield from _twin_issues(first, other)


def _twin_issues(first: Prompt, other: Prompt) -> Iterator[Issue]:
    if first.input_schema != other.input_schema:
        yield Issue(other.file, 1, "$.inputs", f"its inputs differ from those of {first.file}", "", KEYWORD)
    if first.output_contract != other.output_contract:
        yield Issue(other.file, 1, "$.output_contract", f"its contract differs from {first.file}'s", "", KEYWORD)


def _labels(
    path: Path, file: str, prompts: Iterable[Prompt]
) -> tuple[Mapping[str, Mapping[str, str]], tuple[Issue, ...]]:
    if not path.is_file():
        return {}, ()
    text, issue = _text_of(path, file)
    if issue is not None:
        return {}, (issue,)
    read, issues = parse_model(text, file, PromptIndex)
    if read is None:
        return {}, issues
    index, document = read
    return index.labels, tuple(_dangling(document, index, {(prompt.name, prompt.version) for prompt in prompts}))


def _dangling(document: YamlDocument, index: PromptIndex, known: set[tuple[str, str]]) -> Iterator[Issue]:
    for label, pointed in index.labels.items():
        for name, version in pointed.items():
            if (name, version) not in known:
                message = f"label `{label}` points at {name} {version}, which does not exist or cannot be used"
                yield document.issue(f"$.labels.{label}.{name}", message, "", KEYWORD)
