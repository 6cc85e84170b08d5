"""The durable reader: a plan evaluated by durable-rules 2.0.28, inside the fence of DESIGN §3.

Owns the translation and one quiet host. Only integers reach the C engine, under field names of our own: no text, no
null, no pattern, no arithmetic, no negation. Conditions are split into branches, branches into rule sets of at most
64. Invariant: a reader belongs to one thread, and whatever goes wrong in it is a RuleError.

Numbers in brackets are the points of the fence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from groundrules.conditions import Leaf, Op, Scalar
from groundrules.errors import RuleError
from groundrules.rules.branches import Branch, branches
from groundrules.rules.encoding import encode, field_names
from groundrules.rules.plan import Plan, Reader

RULES_PER_SET = 64
SID = "0"
FACT_ID = 1

_OPS: Mapping[Op, str] = {"ne": "$neq", "lt": "$lt", "lte": "$lte", "gt": "$gt", "gte": "$gte"}
_Rules = dict[str, dict[str, Any]]
_Keyed = tuple[str, Branch]


def open_durable(plan: Plan) -> Reader:
    """The durable reader of a plan, for the thread that opens it. ImportError where durable-rules cannot be had."""
    return _DurableReader(plan).read


class _DurableReader:
    """One cached host with the plan's rule sets; each opened one costs about 0.3 MB for good (6)."""

    def __init__(self, plan: Plan) -> None:
        from durable import engine

        class QuietHost(engine.Host):  # type: ignore[misc]  # the package ships no types
            """A host without its timer threads, which run actions at moments of their own (6)."""

            def _run(self) -> None:
                """Starts nothing."""

        self.unhandled: type[Exception] = engine.MessageNotHandledException
        self.fired: list[str] = []
        self.plan = plan
        self.fields = field_names(plan.used)
        self.host = QuietHost()
        self.sets = self._register(
            tuple((key, branch) for key, tree in plan.conditions.items() for branch in branches(tree))
        )

    def _register(self, keyed: tuple[_Keyed, ...]) -> tuple[str, ...]:
        names = []
        for start in range(0, len(keyed), RULES_PER_SET):
            name = f"{self.plan.name}/{self.plan.kind}/{start // RULES_PER_SET}"
            with _failing_closed():
                self.host.register_rulesets({name: self._rules(keyed[start : start + RULES_PER_SET])})
            names.append(name)
        return tuple(names)

    def _rules(self, keyed: tuple[_Keyed, ...]) -> _Rules:
        return {
            f"r{number}": {"all": [{"m": {"$and": self._leaves(branch)}}], "run": _appender(self.fired, key)}
            for number, (key, branch) in enumerate(keyed)
        }

    def _leaves(self, branch: Branch) -> list[dict[str, Any]]:
        """The first leaf is an equality that every fact satisfies (1); the others compare with integers (2, 4)."""
        return [{"kind": self.plan.kind}, *(self._leaf(leaf) for leaf in branch)]

    def _leaf(self, leaf: Leaf) -> dict[str, Any]:
        assert not isinstance(leaf.value, tuple)  # noqa: S101  # branches hold no `in`
        test = {self.fields[leaf.fact]: encode(self.plan.types[leaf.fact], leaf.value)}
        return test if leaf.op == "eq" else {_OPS[leaf.op]: test}

    def read(self, facts: Mapping[str, Scalar]) -> frozenset[str]:
        try:
            values = {field: encode(self.plan.types[fact], facts[fact]) for fact, field in self.fields.items()}
        except KeyError as error:
            raise RuleError(f"durable reader: fact {error} is missing") from error
        message = {"id": FACT_ID, "sid": SID, "kind": self.plan.kind, **values}
        self.fired.clear()
        for name in self.sets:
            self._ask(name, message)
        return frozenset(self.fired)

    def _ask(self, name: str, message: Mapping[str, Any]) -> None:
        """Asserts the fact and takes it back; the actions fill `fired` (7)."""
        with _failing_closed():
            try:
                self.host.assert_fact(name, dict(message))
            except self.unhandled:
                return  # its word for "nothing fired"
            finally:
                self.host.retract_fact(name, dict(message))


@contextmanager
def _failing_closed() -> Iterator[None]:
    """Turns whatever the package raises into a RuleError; it raises bare Exception, so nothing narrower will do (7)."""
    try:
        yield
    except RuleError:
        raise
    except Exception as error:
        raise RuleError(f"durable reader: {type(error).__name__}: {error}") from error


def _appender(fired: list[str], key: str) -> Callable[[Any], None]:
    """An action that appends a name and nothing else: exceptions in actions are swallowed (8)."""

    def run(_context: Any) -> None:
        fired.append(key)

    return run
