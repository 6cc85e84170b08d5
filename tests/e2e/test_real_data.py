"""Questions to data that nobody here wrote: every published value is found again in the files (issue item 8).

Skipped where the data is absent. Expectations were read from the files by hand.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

import groundrules
from groundrules.bundled import bundled_project
from groundrules.wiring.project import load_project

ROOT = bundled_project()
DATA = Path(os.environ.get("GROUNDRULES_SHARED_DATA", str(ROOT.parent / "shared" / "data")))
pytestmark = pytest.mark.skipif(not (DATA / "nezha").is_dir(), reason="the shared data is absent")

POD = "ts-contacts-service-866bd68c97-xcqfx"
QUESTIONS = [
    # locale, question, claim types, words of the answer or its evidence
    ("en", "Is the Free_Disk_Space_Too_Low alert active on server5?", ["observation"], ["server5", "state=active", "disk=sda"]),
    ("en", "Is the HTTP_Probe_Failed alert on web1 still active?", ["observation"], ["state=suppressed", "cluster=dev"]),
    ("en", "Is there a KubePodCrashLooping alert on server5?", ["negative_observation"], ["no match"]),
    ("zh", "server7 的 Host_Down 告警还在吗？", ["observation"], ["state=suppressed", "ip=127.0.0.7"]),
    ("zh", "Memory_Leak 告警现在是什么状态？", ["negative_observation"], ["未检索到"]),
    ("en", "What does the runbook say about KubePodCrashLooping?", ["observation"], ["Kube Pod Crash Looping"]),
    ("zh", "etcdNoLeader 告警怎么处理？", ["observation"], ["etcdNoLeader"]),
    ("en", "How do I handle the QuantumFluxOverload alert?", ["negative_observation"], ["no match"]),
    ("en", f'Are there any "VerifyLogin Success" logs from {POD}?', ["observation"], ["VerifyLogin Success", "08:52:57"]),
    ("zh", f"{POD} 有没有 OutOfMemoryError 日志？", ["negative_observation"], ["未检索到"]),
    ("en", "Are there logs about 415d1665-fbb2-4ec9-83f5-5ebe51dc1825?", ["observation"], ["FIND CONTACTS BY ID"]),
    ("en", "Are there logs from ts-payment-service-000000000-aaaaa?", ["negative_observation"], ["no match"]),
    ("zh", f"{POD} 的 CPU 使用率是多少？", ["observation"], ["CpuUsageRate(%)=0.607771546722038"]),
    ("en", f"What was the memory usage of {POD} at 2023-01-29T08:42?", ["observation"], ["MemoryUsage(Mi)=424.83203125"]),
    ("en", "Who won the world cup?", [], []),
]  # fmt: skip


def raw_text() -> str:
    """All the files that the cards read, as one text without the escapes of JSON inside CSV."""
    parts = [*DATA.glob("nezha/*.csv"), *DATA.glob("alerts/alertmanager-api/*.json")]
    parts += list((DATA / "runbooks" / "prometheus-operator").rglob("*.md"))
    names = [str(part.relative_to(DATA)) for part in parts]
    text = "\n".join([*names, *(part.read_text(encoding="utf-8", errors="replace") for part in parts)])
    return " ".join(text.replace('\\"', '"').replace('""', '"').replace('\\"', '"').replace("\\n", " ").split())


def values(excerpt: str) -> list[str]:
    """The values of an excerpt's key=value fields, whole texts otherwise."""
    return [" ".join((part.partition("=")[2] or part).split()) for part in excerpt.split(", ")]


@pytest.mark.parametrize(
    ("locale", "question", "types", "mentions"), QUESTIONS, ids=[case[1][:50] for case in QUESTIONS]
)
def test_each_published_value_stands_in_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locale: str, question: str, types: list[str], mentions: list[str]
) -> None:
    monkeypatch.setenv("GROUNDRULES_REAL_DATA", str(DATA))
    loaded = load_project(ROOT / "examples" / "real-data")
    project = replace(loaded, files=replace(loaded.files, home=tmp_path))
    run = asyncio.run(groundrules.run(question, project=project, locale=locale))  # type: ignore[arg-type]
    assert [claim.claim_type for claim in run.claims] == types
    assert (run.outcome == "SUCCESS") is bool(types)
    shown = run.answer.user_facing_answer if run.answer else ""
    bindings = [binding for claim in run.claims for binding in claim.evidence_bindings]
    evidence = " ".join([shown, *(binding.matched_text for binding in bindings)])
    assert [word for word in mentions if word not in evidence] == []
    if types == ["observation"]:
        files = raw_text()
        computed = ("service=", "time=2023")  # the cards' SQL derives these two from other columns
        found = [
            part
            for binding in bindings
            for part in binding.evidence_excerpt.split(", ")
            if not part.startswith(computed)
        ]
        assert [value for part in found for value in values(part) if value not in files] == []
