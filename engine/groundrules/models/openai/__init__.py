"""Any server that speaks OpenAI's chat completions, through the official `openai` package (extra `openai`).

Owns the adapter. Invariant: `complete` gives a reply or a ModelError, and no message of it holds the key, the request
or what the server wrote.
"""

from __future__ import annotations

from groundrules.models.openai.client import OpenAIClient, open_openai

__all__ = ["OpenAIClient", "open_openai"]
