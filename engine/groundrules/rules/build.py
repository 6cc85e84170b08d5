"""Rule files compiled into a rule set: types, parameters, messages, examples and words of the policy checked.

Owns the meaning of a rule file. Refuses what could not be evaluated the same by every reader. Invariant: a rule set
comes out only when there is no issue.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, get_args

from groundrules.conditions import (
    Condition,
    FactType,
    Scalar,
    catalogue_types,
    did_you_mean,
    kind_of,
    parse_condition,
)
from groundrules.config.strict_yaml import YamlDocument, child
from groundrules.errors import Issue, RuleError
from groundrules.facts.catalogue import SubjectKind, fact_types
from groundrules.records.decisions import Severity
from groundrules.rules.branches import branches
from groundrules.rules.checks import value_problem
from groundrules.rules.files import ExampleFile, RuleFile
from groundrules.rules.messages import bind_message, placeholders
from groundrules.rules.model import Example, HitPolicy, Rule, RuleException, RuleSet
from groundrules.rules.sources import ParamSource, PolicySource, RuleSource
from groundrules.rules.vocabulary import CONTEXT, POLICY_KINDS, THEN_WORDS

EXAMPLES_KEYWORD = "examples"
"""Keyword of the issue that a rule lacks an example: a failed test of the rules rather than an unreadable file."""
Issues = tuple[Issue, ...]


def build_rule_set(source: PolicySource, layer: str) -> tuple[RuleSet | None, Issues]:
    """The rule set of a version; None when anything in its files is wrong."""
    params, issues = _params(source.params)
    issues += _head_issues(source)
    rules: list[Rule] = []
    for rule_id in source.order:
        rule, found = _Builder(source, source.rules[rule_id], params).rule(layer)
        issues += found
        rules.append(rule)
    if not rules:
        issues += (source.document.issue("$", "the rule set has no rule"),)
    return (None, issues) if issues else (_rule_set(source, params, tuple(rules)), ())


def _rule_set(source: PolicySource, params: Mapping[str, Scalar], rules: tuple[Rule, ...]) -> RuleSet:
    head = source.head
    on_error: Severity = "low_confid" if head.on_error == "low_confid" else "reject"
    assigned = head.on_error if isinstance(head.on_error, dict) else {}
    return RuleSet(
        policy=source.policy,
        version=head.version,
        folder=source.folder,
        description=head.description,
        hit_policy=_hit_policy(source),
        on_error=on_error,
        on_error_then=MappingProxyType(dict(assigned)),
        params=MappingProxyType(dict(params)),
        rules=rules,
        hash=semantic_hash(source),
        file=source.document.file,
    )


def _hit_policy(source: PolicySource) -> HitPolicy:
    return "first" if source.head.hit_policy == "first" else "collect"


def semantic_hash(source: PolicySource) -> str:
    """`sha256:` over what the files say after `extends`; comments, layout and the order of keys don't count."""
    content = {
        "policy": source.policy,
        "version": source.head.version,
        "description": source.head.description,
        "hit_policy": source.head.hit_policy,
        "on_error": source.head.on_error,
        "params": {name: [param.file.model_dump(), param.value] for name, param in source.params.items()},
        "rules": [
            [source.rules[name].disabled, source.rules[name].file.model_dump(mode="json")] for name in source.order
        ],
    }
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def _params(sources: Mapping[str, ParamSource]) -> tuple[dict[str, Scalar], Issues]:
    values: dict[str, Scalar] = {}
    issues: list[Issue] = []
    for name, param in sources.items():
        problem = _param_problem(param)
        if problem:
            issues.append(param.document.issue(f"{param.path}.value", f"`{name}` {problem}"))
        values[name] = float(param.value) if param.file.type == "number" and not problem else param.value
    return values, tuple(issues)


def _param_problem(param: ParamSource) -> str:
    wanted, value = param.file.type, param.value
    problem = value_problem(FactType(wanted, tuple(param.file.words)), value)
    if problem or isinstance(value, str | bool):
        return problem
    if param.file.min is not None and value < param.file.min:
        return f"is {value}, below its min {param.file.min}"
    if param.file.max is not None and value > param.file.max:
        return f"is {value}, above its max {param.file.max}"
    return ""


def _head_issues(source: PolicySource) -> Issues:
    head, document = source.head, source.document
    if source.policy not in POLICY_KINDS:
        hint = did_you_mean(source.policy, tuple(POLICY_KINDS))
        return (document.issue("$.policy", f"unknown policy `{source.policy}`", hint),)
    if head.hit_policy == "first":
        if not isinstance(head.on_error, dict):
            return (document.issue("$.on_error", "under `first`, `on_error` assigns what a rule's `then` assigns"),)
        return tuple(_word_issues(source.policy, head.on_error, document, "$.on_error"))
    if isinstance(head.on_error, dict):
        return (document.issue("$.on_error", "under `collect`, `on_error` is low_confid or reject"),)
    return ()


def _word_issues(policy: str, then: Mapping[str, str], document: YamlDocument, path: str) -> Iterator[Issue]:
    """Whether `then` assigns every key of the policy, with words that exist."""
    known = THEN_WORDS.get(policy, {})
    for key in known:
        if key not in then:
            yield document.issue(path, f"`{key}` is missing", f"one of {', '.join(known[key])}")
    for key, word in then.items():
        place = child(path, key)
        if key not in known:
            yield document.issue(place, f"policy {policy} assigns no `{key}`", did_you_mean(key, tuple(known)))
        elif word not in known[key]:
            yield document.issue(place, f"`{key}` is never `{word}`", did_you_mean(word, known[key]))


class _Builder:
    """Compiles one rule file and gathers its issues."""

    def __init__(self, source: PolicySource, rule: RuleSource, params: Mapping[str, Scalar]) -> None:
        self.source, self.file, self.document = source, rule.file, rule.document
        self.disabled, self.params = rule.disabled, params
        self.issues: list[Issue] = []
        kinds = POLICY_KINDS.get(source.policy, get_args(SubjectKind))
        if rule.file.on not in kinds:
            self.bad(
                "$.on", f"policy {source.policy} has no subject `{rule.file.on}`", did_you_mean(rule.file.on, kinds)
            )
        self.kind: SubjectKind = next((kind for kind in kinds if kind == rule.file.on), kinds[0])
        self.types = fact_types(self.kind) if rule.file.on in kinds else {}

    def bad(self, path: str, message: str, hint: str = "", keyword: str = "rule") -> None:
        self.issues.append(self.document.issue(path, message, hint, keyword))

    def rule(self, layer: str) -> tuple[Rule, Issues]:
        file = self.file
        rule = Rule(
            id=file.id,
            title=file.title,
            why=file.why,
            status="disabled" if self.disabled else file.status,
            on=self.kind,
            severity=file.severity or "",
            then=MappingProxyType(dict(file.then)),
            when=self.condition(file.when, "$.when"),
            message=self.message(),
            examples=tuple(self.example(example, place) for place, example in enumerate(file.examples)),
            exceptions=tuple(
                RuleException(given.reason, given.expires, self.condition(given.when, f"$.exceptions[{place}].when"))
                for place, given in enumerate(file.exceptions)
            ),
            layer=layer,
            file=self.document.file,
            line=self.document.line("$.id"),
        )
        self.effect()
        self.both_ways(file)
        return rule, tuple(self.issues)

    def condition(self, when: Mapping[str, Any], path: str) -> Condition:
        known = tuple(self.types)
        tree, issues = parse_condition(
            when, type_of=catalogue_types(self.types), params=self.params, known=known, path=path
        )
        if not self.types:
            return tree
        self.issues += [
            replace(issue, file=self.document.file, line=self.document.line(issue.path)) for issue in issues
        ]
        try:
            branches(tree)
        except RuleError as error:
            self.bad(path, str(error))
        return tree

    def message(self) -> str:
        template = self.file.message
        try:
            names = placeholders(template)
        except ValueError as error:
            self.bad("$.message", str(error), "write {name}, and {{ for a brace")
            return ""
        known: Sequence[str] = (*CONTEXT[self.kind], *self.types, *self.params)
        for name in names:
            if self.types and name not in known:
                self.bad("$.message", f"nothing is called `{{{name}}}` here", did_you_mean(name, known))
        return bind_message(template, self.params)

    def effect(self) -> None:
        if self.source.head.hit_policy == "first":
            if self.file.severity is not None:
                self.bad("$.severity", "a rule of a `first` policy has no severity", "say what it assigns in `then`")
            self.issues += _word_issues(self.source.policy, self.file.then, self.document, "$.then")
            return
        if self.file.severity is None:
            self.bad("$", "`severity` is missing", "low_confid or reject")
        if self.file.then:
            self.bad("$.then", "a rule of a `collect` policy assigns nothing", "use `severity`")

    def example(self, given: ExampleFile, place: int) -> Example:
        path = f"$.examples[{place}].given"
        for name, value in given.given.items():
            if name in self.types:
                problem = value_problem(self.types[name], value)
                if problem:
                    self.bad(child(path, name), f"`{name}` {problem}")
            elif self.types:
                self.bad(child(path, name), f"unknown fact `{name}`", did_you_mean(name, tuple(self.types)))
        facts = {name: self.typed(name, value) for name, value in given.given.items()}
        return Example(given.name, MappingProxyType(facts), given.fires)

    def typed(self, name: str, value: Scalar) -> Scalar:
        is_number = name in self.types and self.types[name].kind == "number"
        return float(value) if is_number and kind_of(value) == "integer" else value

    def both_ways(self, file: RuleFile) -> None:
        for fires, word in ((True, "fires"), (False, "does not fire")):
            if not any(example.fires is fires for example in file.examples):
                missing = f"there is no example in which the rule {word}"
                self.bad("$.examples", missing, "the examples are its tests", EXAMPLES_KEYWORD)
