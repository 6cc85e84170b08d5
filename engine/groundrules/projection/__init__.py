"""Raw tool answers into Canonical Tool Results and their two views, and scopes into their normal form.

Pure: no clock, no file, no network. The names below are all that other modules use.
"""

from groundrules.projection.paths import JsonPath, lint_path, parse_path
from groundrules.projection.project import project
from groundrules.projection.raw_paths import raw_path_well_formed, resolve
from groundrules.projection.redaction import redact
from groundrules.projection.scope import normalise_scope
from groundrules.projection.specs import FieldSpec, ProjectionSpec, RelevanceSpec, ScopeSpec, compile_patterns
from groundrules.projection.views import control, fingerprint, observe
from groundrules.projection.widening import scope_widened

__all__ = [
    "FieldSpec",
    "JsonPath",
    "ProjectionSpec",
    "RelevanceSpec",
    "ScopeSpec",
    "compile_patterns",
    "control",
    "fingerprint",
    "lint_path",
    "normalise_scope",
    "observe",
    "parse_path",
    "project",
    "raw_path_well_formed",
    "redact",
    "resolve",
    "scope_widened",
]
