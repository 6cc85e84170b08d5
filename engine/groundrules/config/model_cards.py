"""Model cards: `adapters/models/NAME.yaml`, one file per way to reach a model.

Owns the card's model and loading. Refuses unknown keys, a key written into the card (a card names an environment
variable, never a secret), a base URL with credentials, a recording outside the project. Invariant: a loaded card is
complete for its kind.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from groundrules.config.parsing import parse_model
from groundrules.errors import Issue

ModelKind = Literal["openai", "extractive", "replay"]
ResponseFormat = Literal["json_schema", "json_object", "none"]


_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|[0-9a-f:.]+")


def _plain_url(text: str) -> str:
    try:
        url = urlsplit(text)
        usable = url.scheme in ("http", "https") and url.port != 0 and _HOST.fullmatch(url.hostname or "") is not None
    except ValueError:
        usable = False
    if not usable or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("is not an http or https address, such as http://127.0.0.1:8000/v1")
    if url.username is not None or url.password is not None:
        raise ValueError("holds credentials; name the key's environment variable in `key_env`")
    if url.query or url.fragment:
        raise ValueError("ends in a query or fragment; give the address up to /v1 only")
    return text


def _inner_path(text: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\\" in text or ":" in text or not text.isprintable():
        raise ValueError("leaves the project; give a path inside it with `/` between folders")
    return text


class ModelCard(BaseModel):
    """One model card."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal[1]
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=64)]
    """What `model:` of the project file and `--model` say."""
    kind: ModelKind
    description: str = ""
    model: Annotated[str, Field(max_length=200)] = ""
    """Name of the model as its server knows it."""
    base_url: Annotated[str, Field(max_length=2000), AfterValidator(_plain_url)] | None = None
    """Address of an OpenAI-compatible server, up to and with /v1."""
    key_env: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$", max_length=100)] | None = None
    """Name of the environment variable that holds the key; none for a server that asks for no key."""
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 60.0
    """Time for one try, from the connection to the last byte."""
    max_retries: Annotated[int, Field(ge=0, le=10)] = 2
    """Further tries after 429, 5xx, a lost connection or a timeout."""
    response_format: ResponseFormat = "json_schema"
    """What is asked of the server for replies that must be JSON; falls back to the next weaker when it is refused."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """None for models that refuse the parameter."""
    seed: int | None = None
    max_output_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    recording: Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_inner_path)] | None = None
    """JSON-lines file of recorded replies, from the project's folder."""

    @model_validator(mode="after")
    def _complete_for_its_kind(self) -> Self:
        wanted = {"openai": ("model", "base_url"), "replay": ("recording",), "extractive": ()}[self.kind]
        missing = [name for name in wanted if not getattr(self, name)]
        if missing:
            raise ValueError(f"a card of kind {self.kind} needs {' and '.join(f'`{name}`' for name in missing)}")
        foreign = [name for name in ("base_url", "key_env") if self.kind != "openai" and getattr(self, name)]
        foreign += ["recording"] if self.kind != "replay" and self.recording else []
        if foreign:
            raise ValueError(f"a card of kind {self.kind} has no use for {', '.join(f'`{name}`' for name in foreign)}")
        return self


def load_model_card(path: Path) -> tuple[ModelCard | None, tuple[Issue, ...]]:
    """The card of a file; none, and everything that is wrong with it, when it cannot be used."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return None, (Issue(str(path), 0, "$", f"cannot be read: {error}"),)
    read, issues = parse_model(text, str(path), ModelCard)
    if read is None:
        return None, issues
    card, document = read
    if card.name != path.stem:
        return None, (document.issue("$.name", f"the file of model `{card.name}` must be called {card.name}.yaml"),)
    return card, ()
