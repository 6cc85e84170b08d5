"""The facts of one citation: does the invocation exist, did it return that path, does the text support the excerpt.

Pure. Fills in a missing id or path only where exactly one place fits (S0-4.4) and says so. Invariant: the
excerpt's facts are those of exactly one ref's text; text of two items never supports an excerpt together.
"""

from __future__ import annotations

from dataclasses import dataclass

from groundrules.excerpts import ExcerptSupport, excerpt_support, is_supported
from groundrules.facts.catalogue import CLAIM_TYPE_WORDS, STATUS_WORDS, resting_facts
from groundrules.facts.fields import mapping_of, text_of
from groundrules.facts.invocations import Citable, InvocationIndex
from groundrules.projection import raw_path_well_formed
from groundrules.records.decisions import Scalar
from groundrules.records.evidence import NO_EVIDENCE_PATH


@dataclass(frozen=True, slots=True)
class Citation:
    """A binding after look-up: what it says, with what was filled in, and what was found."""

    tool_name: str
    invocation_id: int | None
    """-1 for what is no id at all."""
    stated_id: str
    """The id as the output writes it, for messages; bounded."""
    id_filled: bool
    raw_path: str
    path_filled: bool
    excerpt: str
    citable: Citable | None
    text: str | None
    """Text of the ref at raw_path; None when the invocation has no such ref."""
    source_type: str
    source_id: str


def read_citation(binding: object, index: InvocationIndex, *, min_coverage: float) -> Citation:
    """Look a binding up, whatever its shape; a value of another type counts as missing or as what cannot exist."""
    source = mapping_of(binding)
    tool, path, excerpt = (text_of(source.get(key)) for key in ("tool_name", "raw_path", "evidence_excerpt"))
    given = invocation_id(source.get("source_invocation_id"))
    filled_id = _only_invocation(index, tool, path, excerpt, min_coverage) if given is None and path else None
    chosen = given if given is not None else filled_id
    citable = index.by_id.get(chosen) if chosen is not None else None
    filled_path = _only_path(citable, tool, excerpt, min_coverage) if citable and not path else ""
    raw_path = path or filled_path
    return Citation(
        tool_name=tool,
        invocation_id=chosen,
        stated_id=repr(source.get("source_invocation_id"))[:40],
        id_filled=filled_id is not None,
        raw_path=raw_path,
        path_filled=bool(filled_path),
        excerpt=excerpt,
        citable=citable,
        text=citable.refs.get(raw_path) if citable else None,
        source_type=text_of(source.get("source_type")) or "tool_trace",
        source_id=text_of(source.get("source_id")),
    )


def invocation_id(value: object) -> int | None:
    """The id as a whole number; None when there is none. What is no id at all can't exist: it reads as -1."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else -1


def binding_facts(
    citation: Citation, *, claim_type: str, narrow: bool, index: InvocationIndex
) -> tuple[dict[str, Scalar], tuple[str, ...]]:
    """All facts of catalogue kind `binding`, and in words what the excerpt has that the cited text does not."""
    citable = citation.citable
    facts = resting_facts("binding")
    facts |= {
        "claim_type": known_word(claim_type, CLAIM_TYPE_WORDS),
        "narrow": narrow,
        "invocation_id_present": citation.invocation_id is not None,
        "invocation_id_filled": citation.id_filled,
        "invocation_found": citable is not None,
        "raw_path_present": bool(citation.raw_path),
        "raw_path_filled": citation.path_filled,
        "raw_path_well_formed": raw_path_well_formed(citation.raw_path, index.collections.get(citation.tool_name)),
        "raw_path_found": citation.text is not None,
        "raw_path_is_no_evidence": citation.raw_path == NO_EVIDENCE_PATH,
    }
    if citable is not None:
        facts |= {
            "tool_name_matches": citation.tool_name == citable.tool_name,
            "refs_present": bool(citable.refs),
            "evidence_status": known_word(citable.evidence_status, STATUS_WORDS),
            "source_is_reference": citable.source_kind == "reference",
        }
    if citation.text is None:
        return facts, ()
    support = excerpt_support(citation.excerpt, citation.text, min_coverage=0.0)
    return facts | _excerpt_facts(support), support.missing


def known_word(value: str, words: tuple[str, ...]) -> str:
    """The value when it is one of the words, else the first word, which means unknown."""
    return value if value in words else words[0]


def _excerpt_facts(support: ExcerptSupport) -> dict[str, Scalar]:
    return {
        "excerpt_verbatim": support.verbatim,
        "excerpt_coverage": support.coverage,
        "excerpt_too_short": support.too_short,
        "segments_unsupported": support.segments_unsupported,
        "numbers_missing": support.numbers_missing,
        "times_missing": support.times_missing,
        "versions_missing": support.versions_missing,
        "identifiers_missing": support.identifiers_missing,
        "key_values_missing": support.key_values_missing,
        "states_missing": support.states_missing,
        "negation_differs": support.negation_differs,
    }


def _only_invocation(index: InvocationIndex, tool: str, path: str, excerpt: str, min_coverage: float) -> int | None:
    fits = [
        citable.id
        for citable, text in index.places(tool, path)
        if is_supported(excerpt_support(excerpt, text, min_coverage=min_coverage), min_coverage=min_coverage)
    ]
    return fits[0] if len(fits) == 1 else None


def _only_path(citable: Citable, tool: str, excerpt: str, min_coverage: float) -> str:
    if citable.tool_name != tool:
        return ""
    fits = [
        path
        for path, text in citable.refs.items()
        if is_supported(excerpt_support(excerpt, text, min_coverage=min_coverage), min_coverage=min_coverage)
    ]
    return fits[0] if len(fits) == 1 else ""
