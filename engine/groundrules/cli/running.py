"""`groundrules run`: a question in, the answer with its citations out."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from groundrules.cli import FINDINGS, GOOD, INTERNAL
from groundrules.cli.output import Output, print_json, print_line, print_notice
from groundrules.errors import UsageError
from groundrules.trace import TraceEvent

if TYPE_CHECKING:
    from groundrules.config.project import Locale
    from groundrules.records.claims import Claim
    from groundrules.records.run import DiagnosisRun
    from groundrules.wiring.project import Project

EXIT = {"SUCCESS": GOOD, "FALLBACK": FINDINGS, "CANCELLED": FINDINGS, "FAILED": INTERNAL}
WORDS = {
    "zh": {
        "answer": "回答",
        "claims": "依据",
        "verdict": "结论等级",
        "stored": "已保存",
        "checked": "已检查",
        "limits": "局限",
        "next": "下一步",
        "failed": "技术故障，未能完成",
        "more": "查看过程",
    },
    "en": {
        "answer": "Answer",
        "claims": "Evidence",
        "verdict": "Verdict",
        "stored": "Stored",
        "checked": "Checked",
        "limits": "Limits",
        "next": "Next",
        "failed": "Technical failure, not completed",
        "more": "See how",
    },
}


def run_question(
    query: str | None,
    *,
    project: Path | None,
    locale: Locale | None,
    model: str | None,
    narrow: bool | None,
    output: Output,
) -> int:
    """Run one question and print it."""
    from groundrules.wiring.api import ingest, run
    from groundrules.wiring.project import load_project

    loaded = load_project(project)
    spoken: Locale = locale or loaded.files.settings.locale
    question = loaded.files.settings.question.get(spoken, "") if query is None else query
    if query is None and not question:
        message = "no question was given, and the project has none for this language"
        raise UsageError(message)
    if output == "text" and query is None:
        print_line(f"? {question}")
    print_notice()
    record = asyncio.run(
        run(
            question,
            project=loaded,
            locale=spoken,
            model=model,
            narrow=narrow,
            on_event=_print_event if output == "events" else None,
        )
    )
    if output == "json":
        print_json(record.to_dict())
    elif output == "text":
        _print_run(record, loaded)
    sys.stdout.flush()
    # After the answer stands on the screen: who asked need not wait for the database.
    ingest(loaded)
    return EXIT[record.outcome]


def _print_event(event: TraceEvent) -> None:
    sys.stdout.write(json.dumps(event.to_dict(), ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _print_run(run: DiagnosisRun, project: Project) -> None:
    words = WORDS[run.locale]
    if run.answer is not None:
        print_line(f"{words['answer']}: {run.answer.user_facing_answer}")
        for action in run.answer.recommended_actions:
            print_line(f"  - {action.action_text} {action.reason}".rstrip())
    elif run.fallback is not None:
        _print_fallback(run)
    else:
        print_line(f"{words['failed']}: {run.failure or run.outcome}")
    if run.claims:
        print_line(f"\n{words['claims']}:")
        for claim in run.claims:
            _print_claim(claim)
    verdict = run.verdict or "-"
    print_line(f"\n{words['verdict']}: {verdict} ({run.outcome})")
    print_line(f"{words['stored']}: {project.files.store} · {run.run_id}")
    print_line(f"{words['more']}: groundrules trace {run.run_id[:8]}")


def _print_claim(claim: Claim) -> None:
    print_line(f"  [{claim.claim_id}] {claim.claim_type}: {claim.claim_text}")
    for binding in claim.evidence_bindings:
        print_line(f"      {binding.tool_name} #{binding.source_invocation_id} {binding.raw_path}")
        print_line(f"      “{binding.evidence_excerpt}”")


def _print_fallback(run: DiagnosisRun) -> None:
    from groundrules.pipelines.wording import FRAMES, checked_line, fallback_headline

    assert run.fallback is not None  # noqa: S101  # the caller prints only a fallback that is there
    words = WORDS[run.locale]
    print_line(f"{words['answer']}: {fallback_headline(run.fallback.type, run.locale)}")
    print_line(f"\n{words['checked']}:")
    lines = [checked_line(fact, run.locale) for fact in run.fallback.observed_facts]
    for line in lines or [FRAMES[run.locale]["nothing_checked"]]:
        print_line(f"  - {line}")
    for title, texts in ((words["limits"], run.fallback.limitations), (words["next"], run.fallback.next_steps)):
        if texts:
            print_line(f"{title}:")
        for text in texts:
            print_line(f"  - {text}")
