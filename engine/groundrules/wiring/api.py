"""The three things that a program does with groundrules: load a project, gate an output, run a question.

Owns the public functions. Invariant: a wrong argument raises a named error; a bad document is a finding.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from groundrules.config.project import Locale
from groundrules.contracts import ReadLimits, check, read_json
from groundrules.errors import Issue, StoreBusyError, UsageError
from groundrules.facts.invocations import index_invocations
from groundrules.pipelines.evidence import run_evidence
from groundrules.policies import gatekeeper
from groundrules.policies.judging import Judge
from groundrules.records.decisions import GatekeeperResult, RuleHit
from groundrules.records.evidence import ToolInvocation
from groundrules.records.run import DiagnosisRun
from groundrules.store import FileJournal, RunStore
from groundrules.trace import TraceEvent, Tracer
from groundrules.wiring.engine import open_engine, shared_runtime
from groundrules.wiring.project import Project, default_project, load_project, policy_version

OUTPUT_LIMITS = ReadLimits(max_bytes=5_000_000, max_depth=64)
MAX_QUERY = 4000
INGEST_WHEN_WAITING = 32
"""Opening and closing the database costs more than a run: they are taken in together (decision 4)."""


def gate(
    output: object,
    invocations: Sequence[Mapping[str, Any] | ToolInvocation],
    *,
    run_id: str | None = None,
    narrow: bool = False,
    project: Project | None = None,
    rules: str | None = None,
) -> GatekeeperResult:
    """The Gatekeeper alone, for anyone's agent (S0-4).

    `output` is an executor_evidence_v2 document, `invocations` the run's tool calls with their evidence refs.
    `rules` names a version of the gatekeeper policy; `project` is, when left out, the one around the working directory,
    else the embedded one, loaded once. Raises UsageError for an argument of the wrong kind or a run id that none of
    the invocations has, and ConfigurationError for an unknown rule-set version; what is wrong with the documents is
    in the result.
    """
    documents = _documents(invocations)
    used = project or default_project()
    rule_set = policy_version(used, "gatekeeper", rules)
    _check_run(documents, run_id)
    value, unreadable = _plain(output)
    found = [check("tool_invocation", document) for document in documents]
    valid = [document for document, issues in zip(documents, found, strict=True) if not issues]
    index, mixed = index_invocations(
        valid, run_id=run_id, collections={name: card.collection for name, card in used.cards.items()}
    )
    result = gatekeeper.decide(
        value,
        index,
        narrow=narrow,
        contract_issues=unreadable or check("executor_evidence_v2", value),
        judge=Judge(rule_set, shared_runtime(), datetime.now(UTC).date()),
        lexicon=used.lexicon,
    )
    broken = (*_placed(found), *mixed)
    return _refused(result, broken) if broken else result


def invocation_issues(documents: Sequence[Any], run_id: str | None = None) -> tuple[Issue, ...]:
    """Why the invocation documents cannot be used, each reason with its place in the list; none when they can."""
    broken = _placed([check("tool_invocation", document) for document in documents])
    return broken or index_invocations(documents, run_id=run_id, collections={})[1]


def _placed(found: Sequence[Sequence[Issue]]) -> tuple[Issue, ...]:
    """The issues of each document, with the document's place in the list."""
    return tuple(
        replace(issue, path=f"$[{position}]{issue.path[1:]}")
        for position, issues in enumerate(found)
        for issue in issues
    )


async def run(
    query: str,
    *,
    project: Project | None = None,
    locale: Locale | None = None,
    model: str | None = None,
    narrow: bool | None = None,
    session_id: str = "",
    on_event: Callable[[TraceEvent], None] | None = None,
) -> DiagnosisRun:
    """Answer a question with the project's tools; the run is in the journal, synced, before it is returned.

    Raises UsageError for a wrong argument and StoreError when the journal cannot be written: a run that cannot be
    kept is not made. How the run ended is in the record, never an exception; a cancelled run is stored, then
    the cancellation goes on.
    """
    _check_query(query)
    used = project or load_project()
    engine = open_engine(used, model=model)
    run_id = engine.new_id()
    journal = FileJournal(used.files.store)
    sinks: tuple[Callable[[TraceEvent], None], ...] = (journal.append, *((on_event,) if on_event else ()))
    tracer = Tracer(run_id, engine.clock, sinks)
    try:
        record, journey = await run_evidence(
            engine,
            tracer,
            run_id=run_id,
            session_id=session_id or run_id,
            query=query,
            locale=locale or used.files.settings.locale,
            narrow=narrow,
        )
        journal.write_run(record, journey.subjects)
    finally:
        journal.close()
    if RunStore(used.files.store).waiting() >= INGEST_WHEN_WAITING:
        ingest(used)
    if record.outcome == "CANCELLED":
        raise asyncio.CancelledError
    return record


def ingest(project: Project) -> None:
    """Bring finished journals into the database; a busy one takes them next time, nothing is lost.

    Readers do it before they look, so that a run need not wait for it.
    """
    store = RunStore(project.files.store)
    try:
        store.ingest()
    except StoreBusyError:
        return


def _check_query(query: object) -> None:
    if not isinstance(query, str) or not query.strip():
        message = "the question is empty"
        raise UsageError(message)
    if not query.isascii() and any("\ud800" <= character <= "\udfff" for character in query):
        message = "the question is no valid text: it holds a lone surrogate"
        raise UsageError(message)
    if len(query) > MAX_QUERY:
        message = f"the question has {len(query)} characters; at most {MAX_QUERY}"
        raise UsageError(message)


def _documents(invocations: object) -> list[Mapping[str, Any]]:
    if not isinstance(invocations, Sequence) or isinstance(invocations, str | bytes):
        message = f"invocations must be a sequence of tool_invocation documents, not {type(invocations).__name__}"
        raise UsageError(message)
    return [found.to_dict() if isinstance(found, ToolInvocation) else found for found in invocations]


def _check_run(documents: Sequence[Mapping[str, Any]], run_id: str | None) -> None:
    """A run id that no invocation has is the caller's slip; every citation would look forged."""
    runs = sorted({str(found.get("run_id")) for found in documents if isinstance(found, Mapping)})
    if run_id is not None and runs and run_id not in runs:
        message = f"no invocation is of run {run_id!r}; they are of: {', '.join(runs[:5])}"
        raise UsageError(message)


def _plain(output: object) -> tuple[Any, tuple[Issue, ...]]:
    """The output as plain JSON values; what is none, or too large or deep, is a finding."""
    try:
        text = json.dumps(output, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return None, (Issue("", 0, "$", f"the output is no JSON document: {type(error).__name__}"),)
    value, issues = read_json(text, limits=OUTPUT_LIMITS)
    return (None, issues) if issues else (value, ())


def _refused(result: GatekeeperResult, issues: Sequence[Issue]) -> GatekeeperResult:
    """The result with the unusable invocations as rejects: with half the evidence unread, nothing passes."""
    hits = tuple(
        RuleHit("input.invocations", "reject", "invocations", issue.path, str(issue), {}) for issue in issues[:100]
    )
    return replace(result, severity="reject", errors=(*hits, *result.errors), verified=())
