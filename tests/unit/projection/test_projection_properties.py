"""What holds for every answer, whatever a tool sends (S1-5.2, DESIGN §5)."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from groundrules.projection import (
    ProjectionSpec,
    RelevanceSpec,
    compile_patterns,
    control,
    observe,
    parse_path,
    project,
    raw_path_well_formed,
)
from groundrules.records.evidence import RawResult

WHITELIST = {
    "tool_call_id",
    "source_invocation_id",
    "scope",
    "evidence",
    "evidence_status",
    "relevance_level",
    "truncated",
    "note",
}
SPEC = ProjectionSpec(
    collection="items",
    items=parse_path("$.items[*]"),
    relevance=RelevanceSpec(parse_path("$.score"), 0.5),
    no_evidence=compile_patterns(["none"]),
    failed=compile_patterns(["(?m)^Error"]),
)
BARE = ProjectionSpec(collection="items", items=parse_path("$.items[*]"), max_text_chars=20_000, max_items=200)
TEXT = ProjectionSpec(collection="lines", shape="lines")

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)
words = st.text(alphabet="abcdefghij连接池告警 ", min_size=1, max_size=30).filter(lambda word: bool(word.strip()))


@given(st.binary(max_size=400), st.sampled_from(["json", "jsonl", "text"]), st.booleans(), st.integers(0, 2))
def test_any_bytes_give_a_result(body: bytes, media: Any, truncated: bool, exit_code: int) -> None:
    raw = RawResult(body=body, media=media, truncated=truncated, exit_code=exit_code)
    for spec in (SPEC, TEXT):
        result = project(spec, "t", (), raw)
        if result.evidence_status == "failed":
            assert result.evidence_refs == ()
            assert result.message
        elif result.evidence_status == "no_evidence":
            assert [ref.raw_path for ref in result.evidence_refs] == ["$.no_evidence"]
        json.dumps(result.to_dict(), allow_nan=False, ensure_ascii=False).encode()


@given(st.lists(values, max_size=6))
def test_any_json_gives_a_result_whose_refs_are_well_formed_and_encodable(items: list[Any]) -> None:
    result = project(SPEC, "t", (), RawResult(body=json.dumps({"items": items}).encode()))
    assert result.evidence_status == ("supported" if items else "no_evidence")
    for ref in result.evidence_refs:
        assert raw_path_well_formed(ref.raw_path, "items")
        assert len(ref.text) <= SPEC.max_text_chars
        ref.text.encode()


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["state", "note", "n"]), words | st.integers(), min_size=1),
        min_size=1,
        max_size=9,
    )
)
def test_each_ref_names_a_real_item_of_the_answer(items: list[dict[str, Any]]) -> None:
    """Soundness: item i of the collection is the i-th item, and its text holds that item's values."""
    result = project(BARE, "t", (), RawResult(body=json.dumps({"items": items}).encode()))
    assert len(result.evidence_refs) == len(items)
    for at, (ref, item) in enumerate(zip(result.evidence_refs, items, strict=True)):
        assert ref.raw_path == f"$.items[{at}]"
        assert ref.text == ", ".join(f"{key}={value}" for key, value in item.items()).strip()


@given(
    st.dictionaries(st.sampled_from(["score", "fingerprint", "count", "next_action", "budget", "new_count"]), scalars),
    st.integers(1, 300),
)
def test_an_observation_holds_whitelisted_keys_only(extra: dict[str, Any], limit: int) -> None:
    """S1-5.2: raw scores, fingerprints and counters never enter the model's context as such."""
    body = json.dumps({"items": [{"text": "a", "score": 0.9}], **extra}).encode()
    result = project(SPEC, "t", (("q", "x"),), RawResult(body=body, source="db-7"))
    shown = observe(result, "call-1", 4, limit).to_dict()
    assert set(shown) == WHITELIST
    assert all(set(ref) == {"raw_path", "text"} for ref in shown["evidence"])
    assert sum(len(ref["text"]) for ref in shown["evidence"]) <= limit
    assert "0.9" not in json.dumps(shown["evidence"])
    assert control(result).fingerprint not in json.dumps(shown)
    assert "db-7" not in json.dumps(shown)
