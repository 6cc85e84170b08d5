"""Model cards: complete for their kind, and never a place for a secret (DESIGN §2, C-1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from groundrules.bundled import bundled_project
from groundrules.config.model_cards import ModelCard, load_model_card

OPENAI = """\
format: 1
name: house
kind: openai
model: qwen3-32b
base_url: https://models.example.org/v1
key_env: HOUSE_MODEL_KEY
timeout_s: 30
temperature: 0.2
"""


def issues_of(folder: Path, text: str, name: str = "house") -> list[str]:
    file = folder / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    card, issues = load_model_card(file)
    assert (card is None) == bool(issues)
    return [str(issue).removeprefix(str(file)) for issue in issues]


def test_a_card_says_all_that_its_file_says(tmp_path: Path) -> None:
    file = tmp_path / "house.yaml"
    file.write_text(OPENAI, encoding="utf-8")

    assert load_model_card(file) == (
        ModelCard(
            format=1,
            name="house",
            kind="openai",
            model="qwen3-32b",
            base_url="https://models.example.org/v1",
            key_env="HOUSE_MODEL_KEY",
            timeout_s=30.0,
            temperature=0.2,
        ),
        (),
    )


def test_the_cards_that_ship_can_be_used() -> None:
    folder = bundled_project() / "adapters" / "models"
    loaded = {file.stem: load_model_card(file) for file in folder.glob("*.yaml")}

    assert {name: issues for name, (_card, issues) in loaded.items() if issues} == {}
    assert {name: card.kind for name, (card, _issues) in loaded.items() if card} == {
        "extractive": "extractive",
        "openai-compatible": "openai",
    }


@pytest.mark.parametrize(
    ("change", "issue"),
    [
        (
            ("base_url: https://models.example.org/v1\n", ""),
            ":1: a card of kind openai needs `base_url`",
        ),
        (("model: qwen3-32b\n", "model: ''\n"), ":1: a card of kind openai needs `model`"),
        (
            ("kind: openai\n", "kind: replay\nrecording: runs/a.jsonl\n"),
            ":1: a card of kind replay has no use for `base_url`, `key_env`",
        ),
        (
            ("timeout_s: 30\n", "recording: runs/a.jsonl\n"),
            ":1: a card of kind openai has no use for `recording`",
        ),
        (("kind: openai", "kind: opena"), ":3 $.kind: must be one of openai, extractive, replay, not 'opena'. did you"),
        (("timeout_s: 30", "timeout_s: 0"), ":7 $.timeout_s: input should be greater than 0"),
        (("timeout_s: 30", "timeout_s: '30'"), ":7 $.timeout_s: must be a number"),
        (("temperature: 0.2", "temperature: true"), ":8 $.temperature: must be a number"),
        (("timeout_s: 30", "timeouts: 30"), ":7 $.timeouts: unknown key `timeouts`"),
        (("name: house", "name: other"), ":2 $.name: the file of model `other` must be called other.yaml"),
    ],
)
def test_a_card_that_cannot_be_used_says_why_and_where(tmp_path: Path, change: tuple[str, str], issue: str) -> None:
    assert change[0] in OPENAI
    found = issues_of(tmp_path, OPENAI.replace(*change))

    assert len(found) == 1
    assert found[0].lower().startswith(issue.lower())


def test_a_replay_card_needs_its_recording(tmp_path: Path) -> None:
    assert issues_of(tmp_path, "format: 1\nname: house\nkind: replay\n") == [
        ":1: a card of kind replay needs `recording`"
    ]


@pytest.mark.parametrize("secret_line", ["api_key: sk-sentinel-1", "key_env: sk-sentinel-1", "key: sk-sentinel-1"])
def test_a_key_in_a_card_is_refused_and_not_repeated(tmp_path: Path, secret_line: str) -> None:
    """G-5: a card names an environment variable; a secret that was written into it reaches no message."""
    found = issues_of(tmp_path, OPENAI.replace("key_env: HOUSE_MODEL_KEY", secret_line))

    assert len(found) == 1
    assert "sk-sentinel-1" not in found[0]


def test_credentials_in_the_address_are_refused_and_not_repeated(tmp_path: Path) -> None:
    found = issues_of(tmp_path, OPENAI.replace("https://", "https://user:sk-sentinel-1@"))

    assert found == [":5 $.base_url: holds credentials; name the key's environment variable in `key_env`"]


@pytest.mark.parametrize(
    "address",
    [
        "ftp://a/v1",
        "127.0.0.1:8000/v1",
        "http:///v1",
        "http://a:99999/v1",
        "http://a b/v1",
        "http://[::1/v1",
        "http://模型/v1",
    ],
)
def test_an_address_without_a_reachable_host_is_refused(tmp_path: Path, address: str) -> None:
    found = issues_of(tmp_path, OPENAI.replace("https://models.example.org/v1", f"'{address}'"))

    assert found == [":5 $.base_url: is not an http or https address, such as http://127.0.0.1:8000/v1"]


@pytest.mark.parametrize("address", ["http://127.0.0.1:8000/v1", "http://[::1]:8000/v1", "https://a-b.example.org"])
def test_an_address_of_a_host_is_taken(tmp_path: Path, address: str) -> None:
    assert issues_of(tmp_path, OPENAI.replace("https://models.example.org/v1", f"'{address}'")) == []


@pytest.mark.parametrize(
    "recording", ["/etc/hosts", "../other/a.jsonl", "runs/../../a.jsonl", "C:/a", "a\\\\b", "a\\0b"]
)
def test_a_recording_outside_the_project_is_refused(tmp_path: Path, recording: str) -> None:
    found = issues_of(tmp_path, f'format: 1\nname: house\nkind: replay\nrecording: "{recording}"\n')

    assert found == [":4 $.recording: leaves the project; give a path inside it with `/` between folders"]


def test_a_file_that_cannot_be_read_is_an_issue(tmp_path: Path) -> None:
    (tmp_path / "house.yaml").write_bytes(b"name: \xff\n")

    for file in (tmp_path / "house.yaml", tmp_path / "none.yaml"):
        card, issues = load_model_card(file)
        assert card is None
        assert [issue.message.startswith("cannot be read") for issue in issues] == [True]


@given(
    st.fixed_dictionaries(
        {"format": st.just(1), "name": st.just("house"), "kind": st.sampled_from(["openai", "extractive", "replay"])},
        optional={
            "model": st.text(max_size=8),
            "base_url": st.sampled_from(["http://127.0.0.1:1/v1", "https://b.example", "nowhere"]),
            "key_env": st.sampled_from(["KEY", "key"]),
            "recording": st.sampled_from(["a.jsonl", "../a.jsonl", ""]),
            "max_retries": st.integers(-1, 11),
        },
    )
)
def test_a_card_is_complete_for_its_kind_or_refused(document: dict[str, object]) -> None:
    """Whatever a file says, a card that loads has all that its adapter needs."""
    try:
        card = ModelCard.model_validate(document)
    except ValidationError:
        return

    assert {
        "openai": bool(card.model and card.base_url) and card.recording is None,
        "replay": bool(card.recording) and card.base_url is None and card.key_env is None,
        "extractive": card.base_url is None and card.recording is None and card.key_env is None,
    }[card.kind]
