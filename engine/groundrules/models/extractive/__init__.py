"""The embedded default model: extracts, and never writes from its own knowledge."""

from __future__ import annotations

from groundrules.models.extractive.client import MODEL_NAME, ExtractiveClient
from groundrules.models.extractive.wording import frames

__all__ = ["MODEL_NAME", "ExtractiveClient", "frames"]
