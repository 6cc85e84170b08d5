"""Contracts: what every document that crosses a boundary must look like, and how text becomes a document (C-1).

Owns JSON Schema checks and the reading of JSON from outside. Imports nothing of the project but errors and `bundled`.
"""

from __future__ import annotations

from groundrules.contracts.model_text import ModelReading, read_model_json
from groundrules.contracts.reading import MODEL_OUTPUT, ReadLimits, read_json
from groundrules.contracts.registry import (
    Contracts,
    check,
    check_against,
    contract_hashes,
    kinds,
    schema,
    schema_problem,
)

__all__ = [
    "MODEL_OUTPUT",
    "Contracts",
    "ModelReading",
    "ReadLimits",
    "check",
    "check_against",
    "contract_hashes",
    "kinds",
    "read_json",
    "read_model_json",
    "schema",
    "schema_problem",
]
