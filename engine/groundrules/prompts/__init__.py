"""Prompts as versioned files: found, checked, chosen by name, language and version, rendered to messages.

Owns `prompts/*.j2` and `prompts/index.yaml`. Refuses a prompt whose header is incomplete, whose text uses what its
header does not declare, or that has no twin in the other language. Invariant: text from outside reaches a message
only as JSON, and every message is known by its prompt's id, version and content hash (S0-9.3, C-3).
"""

from __future__ import annotations

from groundrules.prompts.files import load_prompts
from groundrules.prompts.header import PromptHeader, PromptIndex
from groundrules.prompts.registry import Prompt, PromptRegistry, render

__all__ = ["Prompt", "PromptHeader", "PromptIndex", "PromptRegistry", "load_prompts", "render"]
