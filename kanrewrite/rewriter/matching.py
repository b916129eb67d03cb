"""Rules against one node: reject early, match, ask the guards, build, check the type."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple, cast

import aesara.tensor as at
from aesara.compile.builders import OpFromGraph
from aesara.compile.mode import get_mode
from aesara.graph.basic import Apply, Variable, applys_between
from aesara.graph.op import Op
from aesara.graph.rewriting.unify import eval_if_etuple
from aesara.tensor.type import TensorType
from kanren import run
from unification import var

from kanrewrite import errors
from kanrewrite.clock import now
from kanrewrite.config import config
from kanrewrite.display import brief
from kanrewrite.errors import NotBuildable, RelationWarning
from kanrewrite.guards import Condition
from kanrewrite.limits import OutOfTime, limited, within_outer_limits
from kanrewrite.relation import REAL, Relation, Rule
from kanrewrite.relation.roles import operators_in
from kanrewrite.rewriter.axioms import AxiomReader, Match
from kanrewrite.rewriter.growing import is_growing
from kanrewrite.rewriter.heads import Signatures, name_of, ops_of, required, roots_of
from kanrewrite.rewriter.place import Place
from kanrewrite.rewriter.protocol import Bindings, StatingView, View
from kanrewrite.rewriter.replace import alike, keeps_type
from kanrewrite.rewriter.spellings import rules_of
from kanrewrite.rewriter.terms import Terms, numbers_in
from kanrewrite.terms import Param, T, Term, parameters_of, parts_of
from kanrewrite.trace import trace
from kanrewrite.unify import is_term, unread_below
from kanrewrite.view.fit import as_general
from kanrewrite.view.instantiate import is_form
from kanrewrite.view.matching import is_open
from kanrewrite.view.nodes import FLOATS

Graph = Variable[Any, Any]

#: How many matches of one rule are tried at one node.
ANSWERS = 64
_RESULT, _REST = Param("rewriter:result"), Param("rewriter:rest")


class Entry(NamedTuple):
    """A rule as it is tried at nodes of one operator.

    Where the operator is read as the head of the pattern by a definition only, tanh as a quotient
    of exponentials, a rewrite must make the graph smaller: the user has said tanh on purpose.
    """

    mask: int
    rule: Rule
    defined: bool
    #: Whether the pattern names an operator that no axiom adds.
    named: bool


class Matching:
    """The rules of some relations, ready to be tried at nodes.

    Parameters
    ----------
    relations : iterable of Relation
        Tried in this order.
    view : callable
        Makes the view through which graphs are read; called once for each function.
    derived : iterable of Rule
        Rules of these relations besides their own, tried after them.
    as_written : bool
        Whether patterns are matched as they are written, before they are through the view.

    Attributes
    ----------
    tried : int
        How many times a rule was matched, or a goal run, after the early rejects.
    matched : Counter
        For each relation, how many answers it gave.
    """

    def __init__(
        self,
        relations: Iterable[Relation],
        view: Callable[[], View],
        derived: Iterable[Rule] = (),
        *,
        as_written: bool = True,
    ):
        self.relations = tuple(relations)
        self._as_written = as_written
        self.make_view = view
        self.view = view()
        definitions = self.view.definitions
        rules = [rule for relation in self.relations for rule in rules_of(relation)]
        rules += derived
        names = {name for rule in rules for name in required(rule.pattern)}
        self.signatures = Signatures(names, definitions)
        self._by_head: defaultdict[str, list[Entry]] = defaultdict(list)
        self._tracked: dict[Any, None] = {}
        for rule in rules:
            leave_inside(rule)
            needed, own = required(rule.pattern), roots_of(rule)
            # What names no operator is in all that one means: ``2 * x`` is in ``cosh(x)``.
            heads = roots_of(rule, definitions) if needed else own
            self._tracked.update(dict.fromkeys(ops_of(heads, rule.pattern)))
            mask = self.signatures.mask(needed)
            for head in heads:
                self._by_head[head].append(Entry(mask, rule, head not in own, bool(needed)))
        for entries in self._by_head.values():
            entries.sort(key=lambda entry: precedence(entry.rule))
        self._numbers = numbers_in(rule.pattern for rule in rules)
        self._axioms = AxiomReader(Terms(REAL, self._numbers))
        #: Relations that hold of what they make, which they are to leave alone.
        self.once = {r.name for r in rules if r.relation.where != "digits" and is_growing(r)}
        self._goals = [r for r in self.relations if r.is_goal and r.direction is not None]
        for relation in self._goals:
            self._tracked.update(dict.fromkeys(relation.heads or (Op,)))
        self.reset()

    def reset(self) -> None:
        """Forget what was read and counted, before another graph or after a change."""
        self.tried = 0
        self.matched: Counter[str] = Counter()
        self.broken: set[str] = set()
        self.signatures.forget()
        self.view = self.make_view()
        self._axioms.renewed(Terms(REAL, self._numbers))
        self._patterns: dict[int, Any] = {}
        self._read: set[Graph] = set()
        self._trying: Relation | None = None
        self._place = Place(())
        self._made_by: Collection[str] = ()
        self._spent = 0.0
        self._asking: defaultdict[str, float] = defaultdict(float)
        # The Op is kept beside its entries: its identity must not be given to another.
        self._by_op: dict[int, tuple[Op, list[Entry]]] = {}

    def tracks(self) -> list[Any]:
        """The Ops and classes of Ops at which a rule can match."""
        return list(self._tracked)

    # -- one node -------------------------------------------------------------------------

    def replacement(
        self,
        node: Apply[Any],
        place: Place,
        left_out: Collection[str] = (),
        made_by: Collection[str] = (),
        spent: float = 0.0,
    ) -> tuple[str, dict[Graph, Graph]] | None:
        """The first usable answer at a node.

        Parameters
        ----------
        node : Apply
            The node.
        place : Place
            The graph that it is in.
        left_out : collection of str
            Relations that are not tried here.
        made_by : collection of str
            Relations that have built the node, one from what another one had built.
        spent : float
            Seconds that they have taken for it, which are no longer there for users' relations.

        Returns
        -------
        tuple of str and dict, or None
            The relation's name, and what replaces what.
        """
        self._place, self._made_by, self._spent = place, made_by, spent
        while True:
            self._trying = None
            try:
                with limited(config.pass_seconds):
                    return self._found(node, left_out, made_by)
            except OutOfTime:
                within_outer_limits()
                interrupted = cast("Relation | None", self._trying)
                if interrupted is None:
                    return None
                self._leave_out(interrupted, node, errors.out_of_time(config.pass_seconds))

    def _found(
        self, node: Apply[Any], left_out: Collection[str], made_by: Collection[str]
    ) -> tuple[str, dict[Graph, Graph]] | None:
        entries = self._entries(node.op)
        if entries:
            below = self.signatures.of(node)
            for entry in entries:
                name = entry.rule.name
                if entry.mask & ~below or name in self.broken or name in left_out:
                    continue
                if name in self.once and name in made_by:
                    continue
                found = self._guarded(entry.rule.relation, node, self._by_rule, entry)
                if found:
                    return name, found
        for relation in self._goals:
            if relation.name in self.broken or not _is_head(relation, node.op):
                continue
            found = self._guarded(relation, node, self._by_goal, relation)
            if found:
                return relation.name, found
        return None

    def _entries(self, op: Op) -> list[Entry]:
        """The rules to try at an Op, found by its identity: an Op's own hash takes longer."""
        known = self._by_op.get(id(op))
        if known is None:
            known = self._by_op[id(op)] = (op, self._by_head.get(name_of(op), []))
        return known[1]

    def _guarded(
        self,
        relation: Relation,
        node: Apply[Any],
        attempt: Callable[[Apply[Any], Any], dict[Graph, Graph]],
        argument: Any,
    ) -> dict[Graph, Graph]:
        """What an attempt gives; a relation that raises is reported and left out from now on."""
        self._trying = relation
        try:
            if relation.bundled:  # it always ends: a slow machine must not decide what it does
                return attempt(node, argument)
            with limited(config.relation_seconds - self._spent - self._asking[relation.name]):
                return attempt(node, argument)
        except OutOfTime:
            within_outer_limits()
            self._leave_out(relation, node, errors.out_of_time(config.relation_seconds))
            return {}
        except Exception as error:  # noqa: BLE001  # relations and guards are a user's code
            self._leave_out(relation, node, f"it raised {type(error).__name__}: {error}")
            return {}

    def _leave_out(self, relation: Relation, node: Apply[Any], reason: str) -> None:
        self.broken.add(relation.name)
        place = brief(node.outputs[0])
        text = errors.left_out(relation.name, relation.source, place, reason)
        warnings.warn(text, RelationWarning, stacklevel=3)

    def _by_rule(self, node: Apply[Any], entry: Entry) -> dict[Graph, Graph]:
        found = {}
        for out in node.outputs:
            if isinstance(out.type, TensorType):
                new = next(self._answers(out, entry), None)
                if new is not None:
                    found[out] = new
        return found

    def _answers(self, out: Graph, entry: Entry) -> Iterator[Graph]:
        rule = entry.rule
        self.tried += 1
        start = perf_counter()
        answers = self._matches(entry, out)
        seen: list[Graph] = []
        for bindings, build in islice(answers, ANSWERS):
            self.matched[rule.name] += 1
            if self._refused_by_guard(rule, bindings, out):
                continue
            new = self._built(rule, build, out)
            if new is None or any(alike(new, other) for other in seen):
                continue
            seen.append(new)
            if entry.defined and self._place.grows(new, out):
                continue
            new = as_general(new, out)
            if self._usable(rule.relation, out, new, bindings, start):
                yield new
            if rule.name in self.broken:
                return
        if trace.recorder is not None and next(answers, None) is not None:
            trace.recorder.refused(rule.name, out, errors.too_many_answers(ANSWERS))

    def _matches(self, entry: Entry, out: Graph) -> Iterator[Match]:
        """The ways in which a variable holds a pattern: as written, then as the view reads it.

        What is matched as written is replaced as written; the view sees through more.
        """
        rule = entry.rule
        if self._as_written and not entry.defined and rule.relation.where != "digits":
            yield from self._axioms.matches(rule, out)
        if cast(TensorType, out.type).dtype in FLOATS and not self._is_axiom(rule):
            pattern = self._pattern(rule)
            if pattern is None or (entry.named and is_open(pattern, {})):
                return  # nothing is left of it that could be found
            for bindings, rest in self.view.match(pattern, self.form(out)):
                result = partial(self._result, rule, bindings, rest, out)
                yield dict(bindings), partial(self._from_view, rule, result, out)

    def _from_view(self, rule: Rule, result: Callable[..., Any], out: Graph) -> Graph | None:
        """What the view builds, None where it reads that as what it replaces.

        A match as written is no such thing: that the library knows an equation too is no reason
        not to follow it.  A lift of the library may be the very equation, the other way round:
        then the result is built as it is written.  Sides that are equal by the theory are found in
        each other without end, so what a relation has built must become smaller.
        """
        form = result(self.view.instantiate)
        turned = form is self.view.read(out)
        new = self.view.build(result(self.view.as_written) if turned else form, out)
        if turned and (size(new) > size(out) or self._axioms.same(new, out)):
            return None
        if rule.name in self._made_by and (size(new) >= size(out) or self._read_as(new, out)):
            return None
        return None if self._no_simpler(out, new) else new

    def _read_as(self, new: Graph, out: Graph) -> bool:
        """Whether a result is another spelling of what it replaces."""
        return self.form(new) is self.view.read(out)

    @staticmethod
    def _built(rule: Rule, build: Callable[[], Graph | None], out: Graph) -> Graph | None:
        """What a match is replaced by, None where one of its operators is no Op."""
        try:
            return build()
        except NotBuildable as error:
            if trace.recorder is not None:
                trace.recorder.refused(rule.name, out, str(error))
            return None

    def form(self, variable: Graph) -> Any:
        """A variable as a form, what is below it being read first."""
        unread = () if variable in self._read else unread_below(variable, self._read)
        for node in unread:
            for out in node.outputs:
                if isinstance(out.type, TensorType):
                    self.view.read(out)
                self._read.add(out)
        return self.view.read(variable)

    def _is_axiom(self, rule: Rule) -> bool:
        """Whether the view reads both sides as one form: every result would match again.

        Of users' relations only what becomes smaller is taken then.
        """
        if rule.relation.where == "digits" or not rule.relation.bundled:
            return False
        if not all(map(is_form, operators_in(rule.replacement))):
            return False
        key = -1 - id(rule)  # beside the patterns, which have the numbers from 0 on
        if key not in self._patterns:
            self._patterns[key] = self.view.pattern(rule.replacement)
        same: bool = self._patterns[key] is self._pattern(rule)
        return same

    def _pattern(self, rule: Rule) -> Any:
        """A pattern as the view has it; None of one that holds an array, which is as written."""
        if id(rule) not in self._patterns:
            arrays = any(isinstance(part, Variable) for part in parts_of(rule.pattern))
            self._patterns[id(rule)] = None if arrays else self.view.pattern(rule.pattern)
        return self._patterns[id(rule)]

    def _result(
        self,
        rule: Rule,
        bindings: Bindings,
        rest: Any,
        out: Graph,
        make: Callable[[Any, Bindings], Any],
    ) -> Any:
        """The replaced form; what an extension left over is put back under the same head."""
        if rule.relation.where == "digits":
            view = cast(StatingView, self.view)
            return view.stated(rule.replacement, bindings, rule.pattern, rest, out)
        result = make(rule.replacement, bindings)
        if rest is None:
            return result
        whole = Term((_extension_head(rule.pattern), _RESULT, _REST))
        return self.view.instantiate(whole, {_RESULT: result, _REST: rest})

    def _refused_by_guard(self, rule: Rule, bindings: Bindings, out: Graph) -> bool:
        for condition in rule.conditions:
            start = now()
            try:
                holds = condition.holds(bindings)
            finally:
                self._asking[rule.name] += now() - start
            if not holds:
                if trace.recorder is not None:
                    reason = errors.guard_fails(condition, _values(condition, bindings))
                    trace.recorder.refused(rule.name, out, reason)
                return True
        return False

    def _usable(
        self, relation: Relation, old: Graph, new: Graph, bindings: Bindings, start: float
    ) -> bool:
        """Whether a result may replace a variable; says why not while tracing."""
        if not keeps_type(old, new):
            self._report_type(relation, old, new)
            return False
        if alike(old, new) or self._place.encloses(new, old):
            return False
        if trace.recorder is not None:
            if not trace.recorder.allow():
                return False
            named = {str(parameter): value for parameter, value in bindings.items()}
            where, seconds = brief(old), perf_counter() - start
            trace.recorder.fired(relation.name, where, old, new, named, seconds)
        return True

    def _no_simpler(self, old: Graph, new: Graph) -> bool:
        """Whether the view reads a result as what it replaces, and it is not shorter either.

        What an operator means and the operator are one form, so a rule between the two matches its
        own results.
        """
        if not self.view.definitions or self.view.read(old) is not self.view.read(new):
            return False
        return size(new) >= size(old)

    def _report_type(self, relation: Relation, old: Graph, new: Graph) -> None:
        """Trace a refusal; another dtype is a mistake in the relation, and is warned about."""
        reason = errors.changes_type(old.type, new.type)
        if trace.recorder is not None:
            trace.recorder.refused(relation.name, old, reason)
        if getattr(old.type, "dtype", None) != getattr(new.type, "dtype", None):
            self.broken.add(relation.name)
            text = errors.left_out(relation.name, relation.source, brief(old), reason)
            warnings.warn(text, RelationWarning, stacklevel=2)

    # -- goal constructors ----------------------------------------------------------------

    def _by_goal(self, node: Apply[Any], relation: Relation) -> dict[Graph, Graph]:
        self.tried += 1
        start = perf_counter()
        try:
            subject = node.default_output()
        except ValueError:  # several outputs, none of which is the default
            subject = node.outputs
        answer = var()
        outputs = subject if isinstance(subject, list) else [subject]
        for result in islice(run(None, answer, relation(subject, answer)), ANSWERS):
            self.matched[relation.name] += 1
            results = result if isinstance(result, list | tuple) and _is_list(result) else [result]
            if len(results) != len(outputs):
                problem = errors.wrong_number_of_results(len(outputs), len(results))
                raise relation.error(problem)
            answers = zip(outputs, results, strict=True)
            terms = self._axioms.terms
            pairs = [(old, as_general(_as_graph(new, old, terms), old)) for old, new in answers]
            if all(
                old is new
                or (not self._no_simpler(old, new) and self._usable(relation, old, new, {}, start))
                for old, new in pairs
            ):
                return {old: new for old, new in pairs if old is not new}
        return {}


def leave_inside(rule: Rule) -> None:
    """Have Ops made from graphs compiled without the relation that puts them into a graph.

    What it replaces is what they compute: each would hold itself.
    """
    name = rule.relation.name
    for op in {part[0].op for part in parts_of(rule.replacement) if isinstance(part, Term)}:
        if isinstance(op, OpFromGraph):
            mode = get_mode(op.kwargs.get("mode"))
            if name not in mode.provided_optimizer.exclude:
                op.kwargs["mode"] = mode.excluding(name)


def precedence(rule: Rule) -> tuple[int, int]:
    """The place of a rule among others; of those about digits, the larger pattern comes first.

    Of patterns as large as each other that with fewer parameters is the more special one:
    ``x * x - y * y`` is a ``b * b - a * c``.
    """
    if rule.relation.where != "digits":
        return 0, 0
    return -len(list(operators_in(rule.pattern))), len(set(parameters_of(rule.pattern)))


def _is_list(result: Any) -> bool:
    """Whether an answer lists the values of several outputs, and is not one expression."""
    return isinstance(result, list) or all(isinstance(x, Variable) for x in result)


def _as_graph(value: Any, like: Graph, terms: Terms) -> Graph:
    """An answer as a graph; a relation that a goal delegates to answers with a term."""
    if is_term(value):
        return terms.result(value, like)
    built = eval_if_etuple(value)
    if isinstance(built, Variable):
        return built
    return cast(Graph, at.as_tensor_variable(built, dtype=like.type.dtype))


def _is_head(relation: Relation, op: Any) -> bool:
    return not relation.heads or any(
        isinstance(op, head) if isinstance(head, type) else op == head for head in relation.heads
    )


def _extension_head(pattern: Term) -> Any:
    """The operator under which the rest of a match belongs: that of the sum or product."""
    return T.add if pattern[0] in (T.add, T.sub) else T.mul


def _values(condition: Condition, bindings: Bindings) -> str:
    return ", ".join(f"{v} = {bindings.get(v, 'nothing')}" for v in condition.variables)


def size(graph: Graph) -> int:
    """How many nodes compute a variable."""
    return sum(1 for _ in applys_between([], [graph]))
