"""The gate, side by side in one run with plain schema validation of the same document.

20 claims of 3 bindings against 100 invocations of 20 refs of 2 kB; then twice the bindings; then whole runs of the
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

WORDS = "connection request timeout upstream retry commit segment replica worker queue shard lease"


def text(invocation: int, item: int) -> str:
    line = f"2026-07-08 23:{invocation % 60:02d}:{item:02d} ERROR svc-{invocation} id={invocation * 100 + item} took {item + 7}ms"
    return f"{line}; {' '.join(f'{word}={invocation + n}' for n, word in enumerate((WORDS + ' ').split() * 12))}"[:2048]


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
        cited = text(number, item).split(";")[0]
        return {
            "tool_name": "query_logs",
            "source_invocation_id": number,
            "raw_path": f"$.logs[{item}]",
            "evidence_excerpt": cited,
        }

    return {
        "answer_version": "executor_evidence_v2",
        "claims": [
            {
                "claim_id": f"claim-{claim}",
                "claim_type": "observation",
                "claim_text": f"svc-{1 + (claim * bindings) % 100} ERROR",
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
