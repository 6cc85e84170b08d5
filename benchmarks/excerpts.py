"""Excerpt support, measured: mistakes on the labelled set, and the time of one check of a 200 kB text.

Times are given as a ratio to one pass of casefold and NFKC over the same text, so that they can be compared between
machines. Run from the repository root: `python benchmarks/excerpts.py [--json]`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "engine"))

from groundrules.excerpts import excerpt_support, is_supported  # noqa: E402 - the checkout need not be installed

MIN_COVERAGE = 0.8
SIZE_BYTES = 200_000
ROUNDS = 7
LINES = {
    "en": "2026-07-08 23:{m:02}:{s:02} ERROR order-service HikariPool-1 - Connection is not available, request"
    " timed out after 30000ms (total=10, active=10, idle=0, waiting={i})\n",
    "zh": "2026-07-08 23:{m:02}:{s:02} 错误 订单服务 数据库连接不可用，请求在 30000 毫秒后超时；"
    "等待线程 {i} 个，连接池已耗尽。\n",
}
EXCERPTS = {
    "en": {
        "verbatim": "Connection is not available, request timed out after 30000ms",
        "aligned": "23:10:07 ERROR order-service Connection is not available",
        "forged": "request timed out after 31000ms, active=10",
    },
    "zh": {
        "verbatim": "数据库连接不可用，请求在 30000 毫秒后超时",
        "aligned": "请求在30000毫秒后超时",
        "forged": "数据库连接可用，请求在 30000 毫秒后超时",
    },
}


def mistakes() -> dict[str, int]:
    """How many pairs of the labelled set are judged wrongly, each way."""
    counts: Counter[str] = Counter()
    for file in sorted((ROOT / "tests" / "data" / "excerpts").glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            pair = json.loads(line)
            support = excerpt_support(pair["excerpt"], pair["text"], min_coverage=MIN_COVERAGE)
            given = is_supported(support, min_coverage=MIN_COVERAGE)
            counts["honest" if pair["supported"] else "forged"] += 1
            counts["false_accepts"] += given and not pair["supported"]
            counts["false_refusals"] += pair["supported"] and not given
    return {name: counts[name] for name in ("honest", "forged", "false_accepts", "false_refusals")}


def big_text(lang: str) -> str:
    """About 200 kB of log lines, no two alike."""
    size = len(LINES[lang].encode()) - 10
    return "".join(LINES[lang].format(m=i // 60 % 60, s=i % 60, i=i) for i in range(SIZE_BYTES // size))


def best_s(work: Callable[[], object]) -> float:
    """The shortest of a few runs: the others were disturbed."""
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def timings() -> dict[str, dict[str, float]]:
    """Milliseconds, and the ratio to one normalising pass, for each language and kind of excerpt."""
    rows: dict[str, dict[str, float]] = {}
    for lang, excerpts in EXCERPTS.items():
        text = big_text(lang)
        one_pass = best_s(lambda text=text: unicodedata.normalize("NFKC", text.casefold()))  # type: ignore[misc]
        rows[f"{lang} one pass"] = {"ms": round(one_pass * 1e3, 2), "ratio": 1.0}
        for kind, excerpt in excerpts.items():
            spent = best_s(lambda e=excerpt, t=text: excerpt_support(e, t, min_coverage=MIN_COVERAGE))  # type: ignore[misc]
            rows[f"{lang} {kind}"] = {"ms": round(spent * 1e3, 2), "ratio": round(spent / one_pass, 2)}
    return rows


def main() -> int:
    """Prints both tables; exits 1 when a forged excerpt was accepted."""
    parser = argparse.ArgumentParser(description="Mistakes and speed of the excerpt check.")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    as_json = parser.parse_args().json
    found, times = mistakes(), timings()
    if as_json:
        print(json.dumps({"labelled_set": found, "check_200kb": times}, ensure_ascii=False))
    else:
        print("labelled set: " + ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.items()))
        for name, row in times.items():
            print(f"{name:14} {row['ms']:8.2f} ms   {row['ratio']:6.2f} x one pass")
    return 1 if found["false_accepts"] else 0


if __name__ == "__main__":
    sys.exit(main())
