"""The invocations of one run as the Gatekeeper looks things up in them.

Reads `tool_invocation` documents, ours or another agent's. Invariant: nothing of another run is in the index,
so an id from elsewhere is a forged id (S0-4.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundrules.errors import Issue


@dataclass(frozen=True, slots=True)
class Citable:
    """One invocation, reduced to what a citation is checked against."""

    id: int
    tool_name: str
    evidence_status: str
    refs: Mapping[str, str]
    """raw_path → text."""
    scope: Mapping[str, str]
    source_kind: str


@dataclass(frozen=True, slots=True)
class InvocationIndex:
    """The invocations of a run by id and by tool."""

    by_id: Mapping[int, Citable]
    by_tool: Mapping[str, tuple[Citable, ...]]
    collections: Mapping[str, str]
    """tool name → the collection that its raw_paths name; absent: any name is well formed."""

    def places(self, tool_name: str, raw_path: str) -> Iterator[tuple[Citable, str]]:
        """Every (invocation, text) of the tool that has this raw_path."""
        for citable in self.by_tool.get(tool_name, ()):
            text = citable.refs.get(raw_path)
            if text is not None:
                yield citable, text


def index_invocations(
    documents: Sequence[Mapping[str, Any]], *, run_id: str | None, collections: Mapping[str, str]
) -> tuple[InvocationIndex, tuple[Issue, ...]]:
    """Index the documents of the run. `run_id` None means: they are all of one run, which is then checked."""
    kept = [document for document in documents if run_id is None or document.get("run_id") == run_id]
    issues = list(_several_runs(kept)) if run_id is None else []
    by_id: dict[int, Citable] = {}
    by_tool: dict[str, list[Citable]] = {}
    for position, document in enumerate(kept):
        citable = read_citable(document)
        if citable.id in by_id:
            issues.append(Issue("", 0, f"$[{position}].id", f"invocation id {citable.id} occurs twice in the run"))
            continue
        by_id[citable.id] = citable
        by_tool.setdefault(citable.tool_name, []).append(citable)
    index = InvocationIndex(by_id, {tool: tuple(found) for tool, found in by_tool.items()}, collections)
    return index, tuple(issues)


def read_citable(document: Mapping[str, Any]) -> Citable:
    """Read a document that satisfies contract `tool_invocation`."""
    details: Mapping[str, Any] = document.get("retrieval_details") or {}
    refs = {ref["raw_path"]: ref["text"] for ref in reversed(details.get("evidence_refs") or [])}
    reference = details.get("source_kind") == "reference" or details.get("relevance_level") == "REFERENCE"
    return Citable(
        id=int(document["id"]),
        tool_name=document["tool_name"],
        evidence_status=details.get("evidence_status", "unknown"),
        refs=refs,
        scope={str(name): str(value) for name, value in (document.get("scope") or {}).items()},
        source_kind="reference" if reference else "environment",
    )


def runs_of(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    """The runs that the documents name, in order; one without a run id names none."""
    return sorted({str(document["run_id"]) for document in documents if document.get("run_id") is not None})


def _several_runs(documents: Sequence[Mapping[str, Any]]) -> Iterator[Issue]:
    runs = runs_of(documents)
    if len(runs) > 1:
        shown = ", ".join(runs[:3])
        yield Issue("", 0, "$", f"the invocations belong to {len(runs)} runs ({shown})", "say which one with --run-id")
