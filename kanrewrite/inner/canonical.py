"""Canonical numbers of graphs, those inside Ops included: equal up to the names of inputs.

A graph is read from its inputs on, each node once; what has been read before in any other graph
gets the number that it has.  Two graphs are equal when their outputs have the same numbers, so n of
them are compared by looking at each once, whatever n is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from aesara.graph.basic import Apply, Constant, Variable, io_toposort
from aesara.scan.op import Scan
from aesara.tensor.elemwise import Elemwise

from kanrewrite.ac.terms import Store
from kanrewrite.inner.graphs import has_inner_graph, mode_given
from kanrewrite.terms import operator_of
from kanrewrite.theory import Theory

Graph = Variable[Any, Any]
#: What a variable is equal to modulo something, as a key; None where nothing is known.
Reading = Callable[[Graph], Hashable]


class Numbers:
    """Numbers for the variables of many graphs: the same for what is equal.

    Parameters
    ----------
    reading
        Makes a variable, whose inputs are the first ones of their numbers, a key that all its
        equals have.  Without it graphs are equal that are written in the same way.

    Attributes
    ----------
    visited : int
        How many nodes were looked at.
    """

    def __init__(self, reading: Reading | None = None):
        self.reading = reading
        self.visited = 0
        self._numbers: dict[Hashable, int] = {}
        self._ops: dict[int, tuple[Any, Hashable]] = {}
        #: The first variable of each number.
        self.variables: list[Graph] = []

    def of(
        self, outputs: Sequence[Graph], given: Mapping[Graph, Hashable] | None = None
    ) -> list[int]:
        """The numbers of some variables.

        Parameters
        ----------
        outputs
            What is numbered.
        given
            What variables stand for: those that stand for the same are equal.  Every other one
            that nothing computes stands for itself.
        """
        given = given or {}
        known = {v: self._given(label, v.type) for v, label in given.items()}
        for node in io_toposort(list(known), list(outputs)):
            if any(out not in known for out in node.outputs):
                self._read(node, known)
        return [self._leaf(v, known) for v in outputs]

    def _given(self, label: Hashable, type_: Any) -> int:
        """The number of what is given, whose variable is its own.

        Aesara names the inner inputs of all Ops by their places: one variable stands for many.
        """
        key = "given", label, type_
        known = self._numbers.get(key)
        return self.enter(key, type_()) if known is None else known

    def enter(self, key: Hashable, variable: Graph) -> int:
        """The number of a key; a new one is this variable's."""
        number = self._numbers.setdefault(key, len(self.variables))
        if number == len(self.variables):
            self.variables.append(variable)
        return number

    def _leaf(self, v: Graph, known: dict[Graph, int]) -> int:
        if v not in known:
            key = ("constant", v.signature(), v.type) if isinstance(v, Constant) else ("leaf", v)
            known[v] = self.enter(key, v)
        return known[v]

    def _read(self, node: Apply[Any], known: dict[Graph, int]) -> None:
        self.visited += 1
        inputs = tuple(self._leaf(v, known) for v in node.inputs)
        op = self.op(node.op)
        keys = [(op, inputs, n) for n in range(len(node.outputs))]
        if any(key not in self._numbers for key in keys) and self.reading is not None:
            firsts = [self.variables[n] for n in inputs]
            if any(a is not b for a, b in zip(firsts, node.inputs, strict=True)):
                node_read = node.clone_with_new_inputs(firsts, strict=False)
            else:
                node_read = node
            for key, out, own in zip(keys, node_read.outputs, node.outputs, strict=True):
                self._numbers.setdefault(key, self._equal(out, own))
        for key, out in zip(keys, node.outputs, strict=True):
            known[out] = self.enter(key, out)

    def _equal(self, out: Graph, own: Graph) -> int:
        """The number of what a variable is read as."""
        key = self.reading(out) if self.reading is not None else None
        if key is None or out.type != own.type:
            return self.enter(("own", out, own.type), out)
        return self.enter(("read", key, own.type), out)

    def op(self, op: Any) -> Hashable:
        """What tells an Op from others; one with a graph inside, by that graph."""
        if not has_inner_graph(op):
            return op  # type: ignore[no-any-return]  # an Op is hashable
        if id(op) not in self._ops:
            self._ops[id(op)] = op, (settings(op), *self.inside(op))
        return self._ops[id(op)][1]

    def inside(self, op: Any) -> tuple[int, ...]:
        """The numbers of an Op's inner outputs, its inputs being told apart by their place."""
        places: dict[Graph, Hashable] = {v: n for n, v in enumerate(op.inner_inputs)}
        return tuple(self.of(op.inner_outputs, places))


def ways(op: Any) -> tuple[Hashable, ...]:
    """What is said about a loop besides what it computes."""
    return op.truncate_gradient, mode_given(op), op.profile, op.allow_gc


def settings(op: Any) -> Hashable:
    """What an Op does with its inner graph."""
    if isinstance(op, Scan):
        return Scan, op.info, *ways(op)
    overrides = op.lop_overrides, op.grad_overrides, op.rop_overrides
    return type(op), op.is_inline, *(o if isinstance(o, str) else id(o) for o in overrides)


class Canonical:
    """Inner graphs by canonical number, modulo a theory or as they are written.

    Parameters
    ----------
    theory : Theory, optional
        What the operators obey.

    Examples
    --------
    >>> import aesara, aesara.tensor as at
    >>> x = at.vector()
    >>> steps = (lambda a: at.exp(a) * a, lambda b: at.exp(b) * b, lambda a: a * at.exp(a))
    >>> ops = [aesara.scan(step, sequences=[x])[0].owner.op for step in steps]
    >>> plain = Canonical()
    >>> [plain.of(op) for op in ops]
    [0, 0, 1]
    >>> from kanrewrite import T, Theory
    >>> modulo = Canonical(Theory("products").ac(T.mul))
    >>> [modulo.of(op) for op in ops]
    [0, 0, 0]
    """

    def __init__(self, theory: Theory | None = None):
        self.numbers = Numbers(None if theory is None else reading_modulo(theory))
        self._known: dict[Hashable, int] = {}

    def of(self, op: Any) -> int:
        """The number of an Op with a graph inside; found once for each Op."""
        return self._known.setdefault(self.numbers.op(op), len(self._known))


def reading_modulo(theory: Theory) -> Reading:
    """Variables read as terms modulo a theory, one operator at a time."""
    store = Store(theory)
    terms: dict[Graph, Any] = {}

    def read(variable: Graph) -> Hashable:
        node = variable.owner
        if len(node.outputs) > 1:
            return None
        op = operator_of(node.op) if isinstance(node.op, Elemwise) else node.op
        operands = [terms[v] if v in terms else store.leaf(v) for v in node.inputs]
        term = terms[variable] = store.apply(op, operands)
        return term

    return read
