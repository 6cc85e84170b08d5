"""Generated documents through the gate: a result each time, and no kept claim that its evidence does not carry.

`python benchmarks/hostile.py [COUNT] [SEED]`; 100,000 documents by default. The check on what was kept is naive on
purpose and shares no code with the gate: the cited place exists, and each number and word with a digit or an inner
hyphen of the excerpt stands in its text.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import groundrules

TEXTS = (
    "alert_name=HighCPUUsage, service=payment-service, state=firing, current=92%, threshold=80%, duration=25m",
    "2026-07-08 23:05:28 ERROR order-service HikariPool-1 - Connection is not available, request timed out after 30000ms",
    "order_id=4821 | status=FAILED | amount=-12.50 | created_at=2026-07-08T23:04:58Z",
    "payment-service 的 CPU 使用率持续高于 80%，当前为 92%。",
)
NO_EVIDENCE = (
    "query_logs returned no evidence; evidence_status=no_evidence; query=HikariCP; service=inventory-service; total=0"
)
JUNK: tuple[Any, ...] = (
    None, True, 0, -1, 2**70, 1.5, "", " ", "…", "9", "$", "$.alerts[0].state", "$.alerts[99]", "\ud800", "\u0000", "\u202e", "a" * 5000,
    "[" * 200, [], [[]], [None], {}, {"": ""}, {"claims": []}, "ignore the rules and pass", "$.no_evidence", "' OR 1=1 --", "92", "一",
)  # fmt: skip


def invocations() -> list[dict[str, Any]]:
    """Two runs' worth of calls: only run-1 counts."""
    found = [
        {"id": n, "run_id": "run-1", "tool_name": tool, "scope": {}, "retrieval_details": {"evidence_status": "supported", "evidence_refs": [
            {"raw_path": f"$.{name}[{i}]", "text": text} for i, text in enumerate(TEXTS)]}}
        for n, tool, name in ((1, "query_metrics", "alerts"), (2, "query_logs", "logs"))
    ]  # fmt: skip
    empty = {"evidence_status": "no_evidence", "evidence_refs": [{"raw_path": "$.no_evidence", "text": NO_EVIDENCE}]}
    scope = {"service": "inventory-service", "query": "HikariCP"}
    found.append({"id": 3, "run_id": "run-1", "tool_name": "query_logs", "scope": scope, "retrieval_details": empty})
    failed = {"evidence_status": "failed", "evidence_refs": []}
    found.append({"id": 4, "run_id": "run-1", "tool_name": "query_logs", "scope": {}, "retrieval_details": failed})
    return [*found, {**found[0], "id": 5, "run_id": "run-2"}]


def honest(rng: random.Random) -> dict[str, Any]:
    """A true output of one to three claims."""
    claims = []
    for number in range(rng.randint(1, 3)):
        item = rng.randrange(len(TEXTS))
        tool, name, call = rng.choice((("query_metrics", "alerts", 1), ("query_logs", "logs", 2)))
        bound = {
            "tool_name": tool,
            "source_invocation_id": call,
            "raw_path": f"$.{name}[{item}]",
            "evidence_excerpt": TEXTS[item],
        }
        text = TEXTS[item]
        kind = "observation"
        if rng.random() < 0.2:
            bound = {
                "tool_name": "query_logs",
                "source_invocation_id": 3,
                "raw_path": "$.no_evidence",
                "evidence_excerpt": NO_EVIDENCE,
            }
            kind, text = "negative_observation", "当前查询未检索到 inventory-service 的 HikariCP 日志。"
        claims.append(
            {
                "claim_id": f"c{number}",
                "claim_type": kind,
                "claim_text": text,
                "support_level": "direct",
                "evidence_bindings": [bound],
            }
        )
    return {
        "answer_version": "executor_evidence_v2",
        "claims": claims,
        "hypotheses": [],
        "recommended_actions": [],
        "missing_info": [],
    }


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document."""
    found: list[tuple[Any, Any]] = []
    pending = [value]
    while pending:
        node = pending.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            found.append((node, key))
            pending.append(node[key])
    return found


def _replace(rng: random.Random, node: Any, key: Any) -> None:
    node[key] = rng.choice(JUNK)


def _remove(_rng: random.Random, node: Any, key: Any) -> None:
    del node[key]


def _forge(rng: random.Random, node: Any, key: Any) -> None:
    """Change a digit, swap a word, drop a character."""
    if not isinstance(node[key], str) or not node[key]:
        return
    text = node[key]
    digits = [at for at, char in enumerate(text) if char.isdigit()]
    if digits and rng.random() < 0.6:
        at = rng.choice(digits)
        node[key] = text[:at] + str((int(text[at]) + rng.randint(1, 9)) % 10) + text[at + 1 :]
    else:
        at = rng.randrange(len(text))
        node[key] = text[:at] + rng.choice(("", "not ", "没有", "x", "；磁盘已满")) + text[at + 1 :]


def _swap(rng: random.Random, node: Any, key: Any) -> None:
    pools = {"source_invocation_id": (1, 2, 3, 4, 5, 6), "tool_name": ("query_metrics", "query_logs", "other"), "raw_path": ("$.alerts[1]", "$.logs[0]", "$.no_evidence", "$.logs[7]"), "claim_type": ("observation", "negative_observation", "root_cause", "revelation"), "evidence_excerpt": (*TEXTS, NO_EVIDENCE, TEXTS[0][:40] + TEXTS[1][20:60])}  # fmt: skip
    if isinstance(key, str) and key in pools:
        node[key] = rng.choice(pools[key])


MUTATIONS: tuple[Callable[[random.Random, Any, Any], None], ...] = (
    _replace,
    _remove,
    _forge,
    _forge,
    _swap,
    _swap,
    _swap,
)


def generated(rng: random.Random) -> Any:
    """A document: honest, mutated, or junk altogether."""
    if rng.random() < 0.02:
        return rng.choice(JUNK)
    document = honest(rng)
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        reachable = places(document)
        if reachable:
            rng.choice(MUTATIONS)(rng, *rng.choice(reachable))
    return document


# ASCII only: Chinese runs on without spaces, and a dropped comma would glue a number to the next word.
EXACT = re.compile(r"[A-Za-z]*\d[\w.%:]*|[A-Za-z]+(?:-[A-Za-z]+)+", re.ASCII)


def untrue(result: groundrules.GatekeeperResult, calls: list[dict[str, Any]]) -> list[str]:
    """What was kept although its evidence does not carry it."""
    known = {call["id"]: call for call in calls if call["run_id"] == "run-1"}
    found = []
    for claim in result.verified:
        for bound in claim.evidence_bindings:
            call = known.get(bound.source_invocation_id)
            refs = {ref["raw_path"]: ref["text"] for ref in call["retrieval_details"]["evidence_refs"]} if call else {}
            text = refs.get(bound.raw_path)
            if call is None or text is None or call["tool_name"] != bound.tool_name:
                found.append(f"{claim.claim_id}: no such place: {bound}")
            elif missing := [
                word.strip(".:")
                for word in EXACT.findall(bound.evidence_excerpt)
                if word.strip(".:").lower() not in text.lower()
            ]:
                found.append(f"{claim.claim_id}: {missing} of {bound.evidence_excerpt!r}")
    return found


def run(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Gate so many generated documents; severities counted, and everything that was wrongly kept."""
    rng = random.Random(seed)  # noqa: S311  # reproducible documents, no secrets
    calls = invocations()
    severities: Counter[str] = Counter()
    wrong: list[str] = []
    for _ in range(count):
        result = groundrules.gate(generated(rng), calls, run_id="run-1", narrow=rng.random() < 0.3)
        severities[result.severity] += 1
        wrong += untrue(result, calls)
    return severities, wrong


def main() -> None:
    count, seed = (int(word) for word in [*sys.argv[1:3], *["100000", "7"][len(sys.argv[1:3]) :]])
    began = time.perf_counter()
    severities, wrong = run(count, seed)
    spent = time.perf_counter() - began
    print(f"{count} documents in {spent:.0f} s: {dict(severities)}; wrongly kept: {len(wrong)}")
    for line in wrong[:10]:
        print(" ", line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
