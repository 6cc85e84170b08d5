"""Search over markdown runbooks by BM25: the entry point `knowledge_search`.

Owns ranking, the normal score and the cut-off. The score of a block is its BM25 sum (bm25s, Lucene's form) divided by
the sum that a block would reach that holds every term of the query endlessly often: the sum of the terms' IDF, terms
that no runbook has included. So it lies in 0..1, does not depend on the other blocks found, and a query about something
else scores low. A hint hit is a service, alert or keyword of the runbook's front matter, or its file name, that stands
in the query as a whole. A block is returned when its score reaches `min_score`, or when an alert, a keyword or the file
name is hit: then it is about what was asked, in whatever language. Nothing returned means NO_EVIDENCE.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from groundrules.records.evidence import RawResult
from groundrules.transports.places import PlaceError
from groundrules.transports.runbooks import Block, Runbook, list_runbooks, read_blocks
from groundrules.transports.words import document_terms, folded_words, query_terms

MIN_SCORE = 0.3
DIRECT_FROM = 0.5
TOP = 8
MAX_QUERY = 2_000
HEADING_WEIGHT = 2
"""How often title and heading count beside the text: they say what a block is about."""


@dataclass(frozen=True, slots=True)
class Index:
    """Blocks with their terms counted, ready to be asked."""

    blocks: tuple[Block, ...]
    ranker: Any
    holding: Mapping[str, int]
    """Term → number of blocks that hold it."""

    def idf(self, term: str) -> float:
        """Lucene's inverse document frequency; the highest for a term that no block holds."""
        holding = self.holding.get(term, 0)
        return math.log(1 + (len(self.blocks) - holding + 0.5) / (holding + 0.5))


def search(arguments: Mapping[str, Any], settings: Mapping[str, Any], _root: Path) -> Any:
    """The best blocks for `arguments["query"]` in the folder `settings["runbooks"]`, best first."""
    try:
        folder = Path(settings["runbooks"])
        runbooks = list_runbooks(folder)
        index = _index(folder, runbooks)
    except PlaceError as error:
        return RawResult(failure=str(error))
    query = str(arguments.get("query") or "")[:MAX_QUERY]
    return {"evidence_blocks": ranked(index, query, settings)}


def ranked(index: Index, query: str, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The blocks that the query reaches, best first; ties in the order of the files."""
    terms = query_terms(query)
    if not terms or not index.blocks:
        return []
    minimum, direct = float(settings.get("min_score", MIN_SCORE)), float(settings.get("direct_from", DIRECT_FROM))
    reachable = sum(index.idf(term) for term in terms)
    asked = folded_words(query)
    found = []
    for block, total in zip(index.blocks, index.ranker.get_scores(terms), strict=True):
        score = round(min(max(float(total) / reachable, 0.0), 1.0), 4)
        about = sum(_stands_in(hint, asked) for hint in block.topics)
        if score >= minimum or (about and score > 0):
            found.append((score, about + sum(_stands_in(hint, asked) for hint in block.services), block))
    found.sort(key=lambda entry: (-entry[0], -entry[1]))
    return [_evidence(score, hits, block, direct) for score, hits, block in found[: int(settings.get("top", TOP))]]


def _evidence(score: float, hits: int, block: Block, direct: float) -> dict[str, Any]:
    return {
        "title": block.title,
        "heading": block.heading,
        "text": block.text,
        "score": score,
        "hint_hits": hits,
        "source": block.source,
        "relevanceLevel": "DIRECT" if score >= direct and hits else "REFERENCE",
    }


def _stands_in(hint: str, asked: str) -> bool:
    """Whether the hint's words stand in the question: Chinese anywhere, English as whole words."""
    words = folded_words(hint)
    if not words.strip():
        return False
    return words in asked if words.isascii() else words.strip() in asked


@lru_cache(maxsize=8)
def _index(folder: Path, runbooks: tuple[Runbook, ...]) -> Index:
    """The index of the folder as it is now: a changed file has another time or size, and so another key."""
    blocks = read_blocks(folder, runbooks)
    terms = [document_terms(_searched(block)) or ["\0"] for block in blocks]
    holding = Counter(term for found in terms for term in set(found))
    return Index(blocks, _ranker(terms), holding)


def _searched(block: Block) -> str:
    return " ".join((*(block.title, block.heading) * HEADING_WEIGHT, *block.topics, *block.services, block.text))


def _ranker(terms: list[list[str]]) -> Any:
    # bm25s brings numpy, 0.2 s to import: only a project that searches pays for it.
    from bm25s import BM25

    ranker = BM25(k1=1.2, b=0.4, method="lucene")
    if terms:
        ranker.index(terms, show_progress=False)
    return ranker
