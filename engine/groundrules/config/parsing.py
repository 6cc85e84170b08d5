"""The text of one of our own YAML files as its model.

Owns the one step between strict YAML and a pydantic model. Where the text comes from, and what is said when it cannot
be read, is the caller's. Invariant: a model, or every issue with its line, never both.
"""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from groundrules.config.strict_yaml import YamlDocument, model_issues, read_yaml
from groundrules.errors import Issue

ModelT = TypeVar("ModelT", bound=BaseModel)


def parse_model(
    text: str, file: str, model: type[ModelT]
) -> tuple[tuple[ModelT, YamlDocument] | None, tuple[Issue, ...]]:
    """The model with the document that it was read from; None when anything is wrong with the text."""
    document, issues = read_yaml(text, file)
    if issues:
        return None, issues
    try:
        return (model.model_validate(document.value), document), ()
    except ValidationError as error:
        return None, model_issues(error, document, model)
