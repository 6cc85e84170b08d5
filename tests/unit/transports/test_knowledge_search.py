"""Search over runbooks: found, normalised, hinted, or honestly empty (S1-5.1)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundrules.records.evidence import RawResult
from groundrules.transports.knowledge import search
from groundrules.transports.words import document_terms, query_terms

POOL = """---
title: 连接池耗尽手册
services: [order-service]
alerts: [ConnectionPoolExhausted]
keywords: [HikariCP, 连接池]
---

# 连接池耗尽手册

## 检查

看 active 是否等于 total。

```
# not a heading
```

## 处理

先暂停后台任务。
"""
DISK = """# Disk space is low

Delete old archives.

## Checks

Look at the largest folders of the data volume.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pool.zh.md").write_text(POOL, "utf-8")
    (tmp_path / "DiskSpaceLow.md").write_text(DISK, "utf-8")
    (tmp_path / "notes.txt").write_text("disk disk disk", "utf-8")
    return tmp_path


def found(folder: Path, query: str, **settings: Any) -> list[dict[str, Any]]:
    answer = search({"query": query}, {"runbooks": folder, **settings}, folder)
    blocks: list[dict[str, Any]] = answer["evidence_blocks"]
    return blocks


def test_a_block_is_a_heading_with_the_text_under_it(folder: Path) -> None:
    blocks = found(folder, "连接池耗尽")
    assert {(block["title"], block["heading"]) for block in blocks} == {
        ("连接池耗尽手册", "检查"),
        ("连接池耗尽手册", "处理"),
    }
    checks = next(block for block in blocks if block["heading"] == "检查")
    assert checks["text"] == "看 active 是否等于 total。\n\n```\n# not a heading\n```"
    assert checks["source"] == "pool.zh.md"


@pytest.mark.parametrize("query", ["HikariCP 连接池耗尽怎么处理？", "ConnectionPoolExhausted", "order-service 连接池"])
def test_hints_are_names_of_the_front_matter_that_stand_in_the_query(folder: Path, query: str) -> None:
    blocks = found(folder, query)
    assert blocks
    assert all(block["hint_hits"] >= 1 for block in blocks)
    assert all(block["source"] == "pool.zh.md" for block in blocks)


def test_a_hint_is_hit_as_a_whole_only(folder: Path) -> None:
    assert all(block["hint_hits"] == 0 for block in found(folder, "reorder-services 耗尽"))


def test_scores_are_normal_ordered_and_the_same_every_time(folder: Path) -> None:
    blocks = found(folder, "disk space volume")
    scores = [block["score"] for block in blocks]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert found(folder, "disk space volume") == blocks


def test_english_is_found_without_case_and_plural_and_inside_joined_names(folder: Path) -> None:
    for query in ("Disks", "DISK space", "DiskSpaceLow", "largest folder"):
        assert found(folder, query)[0]["source"] == "DiskSpaceLow.md"


@pytest.mark.parametrize(
    "query", ["今天天气怎么样", "what is the meaning of life", "kafka consumer lag", "", "的", "量子计算机散热", "!!!"]
)
def test_another_subject_finds_nothing(folder: Path, query: str) -> None:
    assert found(folder, query) == []


def test_direct_needs_a_score_and_a_hint(folder: Path) -> None:
    assert found(folder, "HikariCP 连接池耗尽", direct_from=0.3)[0]["relevanceLevel"] == "DIRECT"
    assert found(folder, "data volume", direct_from=0.3)[0]["relevanceLevel"] == "REFERENCE"
    assert found(folder, "HikariCP 连接池耗尽", direct_from=1.0)[0]["relevanceLevel"] == "REFERENCE"


def test_a_changed_runbook_is_read_again(folder: Path) -> None:
    assert found(folder, "certificate renewal") == []
    (folder / "DiskSpaceLow.md").write_text("# Certificate renewal\n\nRenew the certificate with the tool.\n", "utf-8")
    assert found(folder, "certificate renewal")[0]["title"] == "Certificate renewal"


def test_an_unreadable_runbook_fails_the_search_instead_of_being_left_out(folder: Path) -> None:
    (folder / "broken.md").write_bytes(b"\xff\xfe")
    assert search({"query": "disk"}, {"runbooks": folder}, folder) == RawResult(failure="broken.md is not UTF-8")


def test_a_missing_folder_is_a_failure_and_an_empty_one_is_empty(tmp_path: Path) -> None:
    missing = search({"query": "disk"}, {"runbooks": tmp_path / "none"}, tmp_path)
    assert missing == RawResult(failure="there is no folder of runbooks")
    assert found(tmp_path, "disk") == []


def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("# Vault\n\nvault unseal keys\n", "utf-8")
    (folder / "link.md").symlink_to(outside)
    assert found(folder, "vault unseal keys") == []


def test_terms_are_words_and_bigrams() -> None:
    assert document_terms("HighCPUUsage 连接池 ids") == ["highcpuusage", "high", "cpu", "usage", "连接", "接池", "ids"]
    assert query_terms("怎么处理 the pods 连接池 pods") == ["pod", "连接", "接池"]
    assert document_terms("ＨＩ 一") == ["hi", "一"]
