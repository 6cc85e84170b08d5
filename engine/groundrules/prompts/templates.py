"""The text of a prompt: a small, closed part of Jinja, checked before it is ever rendered.

Owns the sandbox and the lint of the text. Refuses everything but output, `for`, `if` and the filter `tojson`: no call,
no assignment, no other file. Invariant: what a text prints is JSON, or an input that its header lists as `plain`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from groundrules.errors import Issue

SEPARATOR = "===user==="
KEYWORD = "prompt"

_ALLOWED: tuple[type[nodes.Node], ...] = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Name,
    nodes.Getattr,
    nodes.Getitem,
    nodes.Const,
    nodes.For,
    nodes.If,
    nodes.Filter,
    nodes.And,
    nodes.Or,
    nodes.Not,
    nodes.Compare,
    nodes.Operand,
)


@dataclass(frozen=True, slots=True)
class Part:
    """The system or the user part of a prompt, as it stands in its file."""

    source: str
    first_line: int
    file: str

    def issue(self, line: int, message: str, hint: str = "") -> Issue:
        return Issue(self.file, self.first_line + max(line, 1) - 1, "$", message, hint, KEYWORD)


def split_parts(body: str, first_line: int, file: str) -> tuple[tuple[Part, Part] | None, tuple[Issue, ...]]:
    """System and user part. They are split in the source, so no input can move the border."""
    lines = body.split("\n")
    borders = [number for number, line in enumerate(lines) if line.rstrip() == SEPARATOR]
    if len(borders) != 1:
        message = f"the text needs one line `{SEPARATOR}` between its system and its user part, and has {len(borders)}"
        return None, (Issue(file, first_line, "$", message, "", KEYWORD),)
    at = borders[0]
    system = Part("\n".join(lines[:at]), first_line, file)
    return (system, Part("\n".join(lines[at + 1 :]), first_line + at + 1, file)), ()


def check_part(part: Part, inputs: frozenset[str], plain: frozenset[str]) -> tuple[frozenset[str], tuple[Issue, ...]]:
    """The inputs that a part uses, and everything that is wrong with its text."""
    try:
        tree = environment().parse(part.source)
    except TemplateSyntaxError as error:
        return frozenset(), (part.issue(error.lineno, f"this is not a template: {error.message}"),)
    except RecursionError:
        return frozenset(), (part.issue(1, "the text nests too deeply"),)
    forbidden = tuple(_forbidden(tree, part))
    if forbidden:
        return inputs, forbidden
    used = frozenset(meta.find_undeclared_variables(tree))
    return used, (*_printed_raw(tree, part, plain), *_undeclared(tree, part, used - inputs))


def compile_part(part: Part) -> Template:
    """A template ready to render, of a part without issues."""
    return environment().from_string(part.source)


def render_part(template: Template, inputs: Mapping[str, Any]) -> str:
    """The text, without blank ends. Raises jinja2.TemplateError for a name that the inputs do not have."""
    return str(template.render(inputs)).strip()


def environment() -> ImmutableSandboxedEnvironment:
    """The sandbox: strict about undefined names, with `tojson` and nothing else of Jinja's library."""
    sandbox = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
    )
    sandbox.globals.clear()
    sandbox.tests.clear()
    sandbox.filters.clear()
    sandbox.filters["tojson"] = to_json
    return sandbox


def to_json(value: object) -> str:
    """JSON on one line: a text inside it can neither begin a line nor close the block around it."""
    return (
        json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\u2028", "\\u2028").replace("```", "\\u0060``")
    )


def _forbidden(tree: nodes.Template, part: Part) -> Iterator[Issue]:
    for node in tree.find_all(nodes.Node):
        if isinstance(node, nodes.Filter) and node.name != "tojson":
            yield part.issue(node.lineno, f"the filter `{node.name}` is not allowed", "a prompt knows only `tojson`")
        elif not isinstance(node, _ALLOWED):
            what = type(node).__name__.lower()
            yield part.issue(node.lineno, f"`{what}` is not allowed in a prompt", "use only output, `for` and `if`")


def _printed_raw(tree: nodes.Template, part: Part, plain: frozenset[str]) -> Iterator[Issue]:
    """Text from outside that would enter the prompt as prose."""
    for output in tree.find_all(nodes.Output):
        for node in output.nodes:
            as_json = isinstance(node, nodes.Filter) and node.name == "tojson"
            is_plain = isinstance(node, nodes.Name) and node.name in plain
            if not (as_json or is_plain or isinstance(node, (nodes.TemplateData, nodes.Const))):
                hint = "write `| tojson`, or list the input under `plain` when it comes from a file of the project"
                yield part.issue(node.lineno, "an input is written as prose", hint)


def _undeclared(tree: nodes.Template, part: Part, names: frozenset[str]) -> Iterator[Issue]:
    for name in sorted(names):
        line = next((node.lineno for node in tree.find_all(nodes.Name) if node.name == name), 1)
        yield part.issue(line, f"`{name}` is not declared in the header's inputs")


__all__ = ["SEPARATOR", "Part", "TemplateError", "check_part", "compile_part", "render_part", "split_parts", "to_json"]
