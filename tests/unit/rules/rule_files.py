"""Small rule folders for tests, written as an author would write them."""

from __future__ import annotations

from pathlib import Path

HEAD = """\
format: 1
policy: gatekeeper
version: gatekeeper-rules-v1
description: Citations must be real.
hit_policy: collect
on_error: reject
params:
  excerpt_min_coverage: {type: number, value: 0.8, min: 0, max: 1, meaning: share of tokens found}
"""

PATH_RULE = """\
id: evidence.raw_path
title: The cited path exists
why: A path that no tool returned was invented.
status: stable
on: binding
severity: reject
when: {raw_path_present: true, raw_path_found: false}
message: "{claim_id}: no {raw_path}"
examples:
  - {name: invented, given: {raw_path_present: true}, fires: true}
  - {name: real, given: {raw_path_present: true, raw_path_found: true}, fires: false}
"""

EXCERPT_RULE = """\
id: evidence.excerpt
title: The excerpt stands in the item
why: What the item does not say was invented.
status: stable
on: binding
severity: reject
when: {raw_path_found: true, excerpt_coverage: {lt: $excerpt_min_coverage}}
message: "below {excerpt_min_coverage}: {excerpt_coverage}"
examples:
  - {name: little, given: {raw_path_found: true, excerpt_coverage: 0.5}, fires: true}
  - {name: enough, given: {raw_path_found: true, excerpt_coverage: 1}, fires: false}
"""

FIRST_HEAD = """\
format: 1
policy: release
version: release-rules-v1
description: How a run ends.
hit_policy: first
on_error: {outcome: FAILED, fallback_type: NONE}
order: [release.cancelled]
"""

FIRST_RULE = """\
id: release.cancelled
title: A cancelled run publishes nothing
why: Nobody waits for it.
status: stable
on: release
then: {outcome: CANCELLED, fallback_type: NONE}
when: {cancelled: true}
message: the caller cancelled
examples:
  - {name: cancelled, given: {cancelled: true}, fires: true}
  - {name: not cancelled, given: {cancelled: false}, fires: false}
"""

V1 = {"ruleset.yaml": HEAD, "evidence.raw_path.yaml": PATH_RULE, "evidence.excerpt.yaml": EXCERPT_RULE}

LATER_HEAD = """\
format: 1
policy: gatekeeper
version: gatekeeper-rules-v2
description: Stricter.
extends: v1
"""


def write(root: Path, policy: str, folder: str, files: dict[str, str]) -> Path:
    """Writes the files of one version and gives back the root."""
    place = root / policy / folder
    place.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8")
    return root


def write_index(root: Path, text: str) -> Path:
    (root / "index.yaml").write_text(text, encoding="utf-8")
    return root


INDEX = """\
format: 1
environments:
  default:
    gatekeeper: {active: v1}
history:
  - {at: 2026-12-01, who: us, environment: default, policy: gatekeeper, change: active v1, why: first}
"""
