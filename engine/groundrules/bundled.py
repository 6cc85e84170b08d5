"""Where the files that ship with groundrules are: contracts, rules, prompts, adapters, the incident lab.

In a checkout they are the repository root; in an installed wheel they lie inside the package. Both are the
same folders, so that what `init` copies is what the tests ran on.
"""

from __future__ import annotations

from pathlib import Path

MARKER = "groundrules.yaml"
INSTALLED = "_project"
"""Name of the folder inside the package that an installed wheel keeps them in."""
FOLDERS = ("contracts", "rules", "prompts", "adapters", "examples/incident-lab")


def bundled_project() -> Path:
    """The folder of the project that ships with groundrules; it holds `groundrules.yaml`."""
    package = Path(__file__).resolve().parent
    installed = package / INSTALLED
    return installed if (installed / MARKER).is_file() else package.parents[1]
