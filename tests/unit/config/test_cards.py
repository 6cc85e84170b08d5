"""Tool cards: a new tool is a YAML file, and what is wrong with one is said with its line (G-3, C-1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundrules.bundled import bundled_project
from groundrules.config.cards import load_card
from groundrules.errors import Issue

CARD = """\
format: 1
name: query_things
version: "1"
description: {zh: 查询东西, en: Looks up things}
input:
  type: object
  additionalProperties: false
  properties:
    service: {type: string, pattern: "^[a-z-]+$"}
    query: {type: string}
    since: {type: string, format: date-time}
transport:
  kind: files
  path: data/things.json
  format: json
  items: $.things[*]
  match: {query: {path: $.name, how: words}, since: {path: $.time, how: since},
    service: {path: $.service}}
scope:
  fields: [service, query]
  fold_case: [service]
projection:
  items: $.things[*]
  collection: things
  where: {state: {ne: deleted}}
"""
SQL = "  kind: sql\n  query: SELECT 1 WHERE $service IS NULL OR $query IS NULL OR $since IS NULL\n  files: {t: data/t.csv}\n"
WHERE = "  where: {state: {ne: deleted}}"
SCORE_AS_EVIDENCE = "  fields: [{key: s, path: $.score}]\n  relevance: {score: $.score, direct_from: 0.5}"
REAL = Path(__file__).parents[3] / "examples" / "real-data" / "adapters" / "tools"
CARDS = sorted((*(bundled_project() / "adapters" / "tools").glob("*.yaml"), *REAL.glob("*.yaml")))


def load(folder: Path, text: str) -> tuple[Issue, ...]:
    file = folder / "query_things.yaml"
    file.write_text(text, "utf-8")
    card, issues = load_card(file)
    assert (card is None) == bool(issues)
    return issues


def edited(old: str, new: str) -> str:
    assert old in CARD
    return CARD.replace(old, new)


def test_a_card_is_loaded_and_compiled(tmp_path: Path) -> None:
    (tmp_path / "query_things.yaml").write_text(CARD, "utf-8")
    card, issues = load_card(tmp_path / "query_things.yaml")
    assert issues == ()
    assert card is not None
    assert (card.name, card.version, card.collection, card.transport.timeout_s) == ("query_things", "1", "things", 10.0)
    assert (card.poll.allowed, card.limits.max_items) == (False, 20)
    assert card.scope_spec().fields == ("service", "query")
    assert card.projection().where is not None
    assert card.definition("zh").description == "查询东西"
    assert card.definition("en").description == "Looks up things"
    assert card.definition("en").parameters["properties"]["query"] == {"type": "string"}


def test_an_argument_that_nothing_applies_is_refused(tmp_path: Path) -> None:
    """It would stand in the scope of an answer that it did not narrow."""
    (issue,) = load(tmp_path, edited(" since: {path: $.time, how: since},", ""))
    assert (issue.path, issue.message) == ("$.input.properties.since", "nothing applies the argument `since`")
    (issue,) = load(
        tmp_path,
        CARD[: CARD.index("  kind: files")] + SQL.replace(" OR $since IS NULL", "") + CARD[CARD.index("scope:") :],
    )
    assert issue.path == "$.input.properties.since"


def test_the_hash_is_of_the_meaning(tmp_path: Path) -> None:
    """Comments and the order of keys do not count; a changed limit does."""
    hashes = []
    for text in (
        CARD,
        "# comment\n" + CARD.replace("format: 1\n", "") + "format: 1\n",
        CARD + "limits: {max_items: 5}\n",
    ):
        (tmp_path / "query_things.yaml").write_text(text, "utf-8")
        card, _ = load_card(tmp_path / "query_things.yaml")
        assert card is not None
        hashes.append(card.content_hash)
    assert hashes[0] == hashes[1] != hashes[2]


def over_sql(old: str, new: str) -> str:
    transport = CARD[CARD.index("  kind") : CARD.index("scope")]
    return CARD.replace(transport, SQL.replace(old, new))


@pytest.mark.parametrize(
    ("text", "line", "path", "part"),
    [
        (edited("version:", "versoin:"), 3, "$.versoin", "unknown key `versoin`"),
        (
            edited("$.things[*]\n  match", "$.things[?(@.a)]\n  match"),
            16,
            "$.transport.items",
            "outside the plain subset",
        ),
        (edited("{path: $.service}", "{path: service}"), 18, "$.transport.match.service.path", "begins with `$`"),
        (edited('"^[a-z-]+$"', '"(?=a)"'), 9, "$.input.properties.service.pattern", "refused by RE2"),
        (edited("additionalProperties: false", "additionalProperties: true"), 5, "$.input", "must be refused"),
        (edited("type: object", "type: objekt"), 6, "$.input.type", "an object"),
        (edited("fields: [service, query]", "fields: [servce]"), 20, "$.scope.fields[0]", "no argument `servce`"),
        (edited("fold_case: [service]", "fold_case: [since]"), 21, "$.scope.fold_case", "no argument `since`"),
        (edited("service: {path", "servce: {path"), 18, "$.transport.match.servce", "no argument `servce`"),
        (edited("ne: deleted", "nee: deleted"), 25, "$.projection.where.state.nee", "unknown comparison"),
        (edited("  collection: things\n", ""), 22, "$.projection.collection", "need a collection"),
        (edited("collection: things", "collection: no_evidence"), 24, "$.projection.collection", "taken by the empty"),
        (
            edited("  items: $.things[*]\n  coll", "  lines: true\n  items: $.a[*]\n  coll"),
            22,
            "$.projection",
            "exactly one",
        ),
        (edited("data/things.json", "../things.json"), 14, "$.transport.path", "leaves the project's folder"),
        (edited("data/things.json", "/etc/passwd"), 14, "$.transport.path", "leaves the project's folder"),
        (edited("data/things.json", "data/${HOME}/x"), 14, "$.transport.path", "elsewhere than at its beginning"),
        (edited("name: query_things", "name: query_others"), 2, "$.name", "stands in query_things.yaml"),
        (over_sql("$service", "$servce"), 14, "$.transport.query", "no argument `servce`"),
        (over_sql("t.csv", "t.xlsx"), 15, "$.transport.files.t", "is none of"),
        (edited("kind: files", "kind: ftp"), 12, "$.transport", "ftp"),
        (edited(WHERE, "  failed: {patterns: ['(']}"), 25, "$.projection.failed.patterns[0]", "refused by RE2"),
        (edited(WHERE, SCORE_AS_EVIDENCE), 25, "$.projection.fields[0]", "no model may see it"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, line: int, path: str, part: str) -> None:
    issues = load(tmp_path, text)
    found = [(issue.line, issue.path) for issue in issues if part in str(issue)]
    assert (line, path) in found, issues


def test_all_issues_are_found_at_once(tmp_path: Path) -> None:
    text = (
        edited("fields: [service, query]", "fields: [servce, qery]").replace("../", "").replace("ne: deleted", "x: 1")
    )
    assert len(load(tmp_path, text)) >= 3


def test_a_missing_or_unreadable_card_is_an_issue(tmp_path: Path) -> None:
    assert load_card(tmp_path / "none.yaml")[1][0].message == "cannot be read: FileNotFoundError"
    (tmp_path / "bad.yaml").write_bytes(b"\xff")
    assert load_card(tmp_path / "bad.yaml")[1][0].message == "cannot be read: UnicodeDecodeError"


@pytest.mark.parametrize("file", CARDS, ids=lambda file: f"{file.parents[2].name}/{file.stem}")
def test_every_shipped_card_loads(file: Path) -> None:
    card, issues = load_card(file)
    assert issues == ()
    assert card is not None
    assert card.definition("zh").description != card.definition("en").description
