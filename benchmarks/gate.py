"""The gate, side by side in one run with plain schema validation of the same document.

20 claims of 3 bindings against 100 invocations of 20 refs of 2 kB, half of them one line; then twice the bindings; then whole runs of the
embedded model, store included; then the start of the command line. `--json` prints the figures as one document.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema

import groundrules
from groundrules.contracts import check, schema
from groundrules.wiring.project import embedded_project

WORDS = ("connection", "request", "timeout", "upstream", "retry", "commit", "segment", "replica", "queue", "lease")
SIZE = 2048


def stamp(invocation: int, item: int) -> str:
    return f"2026-07-08 23:{invocation % 60:02d}:{item:02d}"


def text(invocation: int, item: int) -> str:
    """2 kB: every other ref is one long line of key=value, the rest are log lines."""
    number = invocation * 100 + item
    if item % 2:
        pairs = (f"{word}.{n}={number + n}" for n in range(SIZE // 60) for word in WORDS[:4])
        cited = f"latency_ms={item + 7} svc=svc-{invocation} level=ERROR ts={stamp(invocation, item)}"
        return _around(" ".join(pairs), cited, " ")
    lines = (
        f"{stamp(invocation, n)} INFO svc-{invocation} {WORDS[n % 10]} {WORDS[n % 7]}-{n} is not slow, took {number + n}ms"
        for n in range(SIZE // 60)
    )
    return _around("\n".join(lines), f"{excerpt(invocation, item)}; {WORDS[item % 10]} closed", "\n")


def excerpt(invocation: int, item: int) -> str:
    """What a claim cites of that text; it stands in its middle."""
    if item % 2:
        return f"svc=svc-{invocation} level=ERROR ts={stamp(invocation, item)}"
    return f"{stamp(invocation, item)} ERROR svc-{invocation} id={invocation * 100 + item} took {item + 7}ms"


def stated(invocation: int, item: int) -> str:
    """What the claim says: a name, a level and a time of the first text that it cites."""
    return f"svc-{invocation} reported ERROR at {stamp(invocation, item)[11:]}"


def _around(text: str, cited: str, joint: str) -> str:
    middle = text.index(joint, SIZE // 2)
    return f"{text[:middle]}{joint}{cited}{text[middle:]}"[:SIZE]


def invocations(count: int = 100, refs: int = 20) -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            "tool_name": "query_logs",
            "scope": {"service": f"svc-{number}"},
            "retrieval_details": {
                "evidence_status": "supported",
                "evidence_refs": [{"raw_path": f"$.logs[{n}]", "text": text(number, n)} for n in range(refs)],
            },
        }
        for number in range(1, count + 1)
    ]


def output(claims: int = 20, bindings: int = 3) -> dict[str, Any]:
    def bind(claim: int, n: int) -> dict[str, Any]:
        number, item = 1 + (claim * bindings + n) % 100, (claim + n) % 20
        return {
            "tool_name": "query_logs",
            "source_invocation_id": number,
            "raw_path": f"$.logs[{item}]",
            "evidence_excerpt": excerpt(number, item),
        }

    return {
        "answer_version": "executor_evidence_v2",
        "claims": [
            {
                "claim_id": f"claim-{claim}",
                "claim_type": "observation",
                "claim_text": stated(1 + (claim * bindings) % 100, claim % 20),
                "support_level": "direct",
                "evidence_bindings": [bind(claim, n) for n in range(bindings)],
            }
            for claim in range(claims)
        ],
        "hypotheses": [],
        "recommended_actions": [],
        "missing_info": [],
    }


def best_ms(work: Callable[[], Any], times: int = 15) -> float:
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        spent.append((time.perf_counter() - began) * 1000)
    return sorted(spent)[len(spent) // 2]


def measure() -> dict[str, float]:
    made, calls = output(), invocations()
    result = groundrules.gate(made, calls)
    assert result.severity == "none", result.failed_rules
    plain = jsonschema.Draft202012Validator(schema("executor_evidence_v2"))
    figures = {
        "gate_ms": best_ms(lambda: groundrules.gate(made, calls)),
        "gate_ms_twice_the_bindings": best_ms(lambda: groundrules.gate(output(20, 6), calls)),
        "schema_rs_ms": best_ms(lambda: check("executor_evidence_v2", made)),
        "schema_python_ms": best_ms(lambda: list(plain.iter_errors(made))),
    }
    figures |= run_figures()
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "groundrules", "--help"], check=True, capture_output=True)
    figures["help_ms"] = (time.perf_counter() - began) * 1000
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    figures["python_start_ms"] = (time.perf_counter() - began) * 1000
    return figures


def run_figures() -> dict[str, float]:
    """Whole runs of the embedded model, the store in a fresh folder."""
    with tempfile.TemporaryDirectory() as folder:
        shipped = embedded_project()
        project = replace(shipped, files=replace(shipped.files, home=Path(folder)))
        question = project.files.settings.question["zh"]
        asyncio.run(groundrules.run(question, project=project))
        return {"run_ms": best_ms(lambda: asyncio.run(groundrules.run(question, project=project)), times=9)}


def main() -> None:
    figures = measure()
    ratios = {
        "gate to jsonschema-rs": figures["gate_ms"] / figures["schema_rs_ms"],
        "gate to jsonschema": figures["gate_ms"] / figures["schema_python_ms"],
        "twice the bindings to once": figures["gate_ms_twice_the_bindings"] / figures["gate_ms"],
        "help to a bare interpreter": figures["help_ms"] / figures["python_start_ms"],
    }
    if "--json" in sys.argv:
        print(json.dumps({"figures": figures, "ratios": ratios}, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:32} {value:9.2f}")
    for name, value in ratios.items():
        print(f"{name:32} {value:9.2f} ×")


if __name__ == "__main__":
    main()
