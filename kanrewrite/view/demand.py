"""Demand: what those who use a value ask of it, found from the outputs back.

Who takes the log of a probability, divides by it or compares it with something has to know how
small it is, and reads what it is made of.  Most others, as the products and sums of gates in a
recurrent network, ask for no more than its value: they may read it as a leaf.

What is asked for is a set of the variables that exponents are made of, as the bits of a number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from aesara.graph.basic import Apply, Constant, Variable
from aesara.tensor.elemwise import DimShuffle
from aesara.tensor.math import Dot, Max, MaxAndArgmax, Sum
from aesara.tensor.special import LogSoftmax, Softmax
from aesara.tensor.subtensor import AdvancedSubtensor, AdvancedSubtensor1, Subtensor
from aesara.tensor.type import TensorType

from kanrewrite.terms import T
from kanrewrite.view.candidates import COMPARISONS
from kanrewrite.view.nodes import constant_of, head, is_number, is_zeros

Graph = Variable[Any, Any]

#: Elementwise operators through which an exponential shows, and asks as it is asked for.
PASSING = {
    T.add, T.sub, T.mul, T.true_div, T.neg, T.sqr, T.abs, T.switch, T.maximum, T.minimum, T.clip,
    T.fill, T.tensor_copy, T.pow, T.reciprocal, T.sqrt,
}  # fmt: skip
LOGS = {T.log, T.log2, T.log10, T.log1p}
#: Those who ask how large their operand is, relative to itself.
RELATIVE = COMPARISONS | LOGS | {T.sqrt, T.reciprocal, T.softplus, T.isinf_}
#: Those whose value is never negative.
NONNEGATIVE = {T.exp, T.exp2, T.sqr, T.abs, T.sigmoid, T.softplus, T.cosh}
#: Those of which an exponent is made up, outside of all else.
LINEAR = {T.add, T.sub, T.neg, T.mul, T.true_div, T.fill, T.tensor_copy}
MOVES = (DimShuffle, Subtensor, AdvancedSubtensor, AdvancedSubtensor1, Max, MaxAndArgmax)


class Demand:
    """What is asked of the variables of a graph.

    Parameters
    ----------
    variables
        All in which an exponential can show, inputs first.
    apart
        Those at which nothing is worth rewriting: who divides there asks for no more.
    """

    def __init__(self, variables: list[Graph], apart: Collection[Graph] = ()):
        self._apart = apart
        self._variables = variables
        self._places: dict[Graph, int] = {}
        self._roots: dict[Graph, int] = {}
        #: What the exponents are made of that show in a variable.
        self.shown: dict[Graph, int] = {}
        #: Values that are at least a positive number.
        self._firm: set[Graph] = set()
        self._asked: defaultdict[Graph, int] = defaultdict(int)
        #: Exponentials of which a number is subtracted, or the other way round.
        self._beside_numbers: set[Graph] = set()

    def _find(self) -> None:
        """Go through the graph, when somebody wants to know first: of most graphs nobody does."""
        variables, self._variables = self._variables, []
        for var in variables:
            self.shown[var] = self._shown_in(var.owner)
            if _is_firm(var.owner, self._firm):
                self._firm.add(var)
        for var in reversed(variables):
            node = var.owner
            self._asked[var] |= self._beside(node)
            self._beside_numbers.update(_less_a_number(node))
            for place, operand in enumerate(node.inputs):
                if operand in self.shown:
                    self._asked[operand] |= self._ask(node, place)

    def asks(self, node: Apply[Any], var: Graph) -> bool:
        """Tell whether a node asks for more than the value of one of its operands."""
        if self._variables:
            self._find()
        return any(i is var and self._ask(node, n) for n, i in enumerate(node.inputs))

    def _beside(self, node: Apply[Any]) -> int:
        """What meets the exponents that it is made of, as in ``p*(x - sum(p*x))``.

        Such a value may not change when all of them are shifted; outer products sum nothing.
        """
        if isinstance(node.op, Dot) and node.inputs[0].type.broadcastable[-1]:
            return 0
        shown = self._union(self.shown.get(i, 0) for i in node.inputs)
        cold = (i for i in node.inputs if shown and not self.shown.get(i) and _is_tensor(i))
        return shown & self._union(map(self._roots_of, cold))

    def _ask(self, node: Apply[Any], place: int) -> int:
        """What a node asks of the exponents that show in one of its operands."""
        mine, op = self.shown[node.inputs[place]], head(node)
        whole = 0
        for out in node.outputs:
            whole |= self._asked[out]
        if op in RELATIVE and node.outputs[0] not in self._apart:
            return mine
        firm = node.inputs[-1] in self._firm or node.outputs[0] in self._apart
        if op is T.true_div and not firm:
            return mine if place == 1 else mine & (whole | self.shown.get(node.inputs[1], 0))
        if op is T.pow:
            power = constant_of(node.inputs[1])
            if place == 0 and (power is None or power.denominator != 1 or power < 0):
                return mine
            return whole & mine if place == 0 else 0
        if op is T.fill and place == 0:
            return 0
        if op is T.expm1 or (op is T.exp and node.outputs[0] in self._beside_numbers):
            return mine if whole else 0  # the log of ``1 - exp(-u)`` is that of a small u
        if op is not None and op not in PASSING:
            return 0
        return 0 if isinstance(node.op, Softmax | LogSoftmax) else whole & mine

    def _shown_in(self, node: Apply[Any]) -> int:
        """What the exponents that show in a node's value are made of."""
        op = head(node)
        if (op is not None and op not in PASSING) or isinstance(node.op, Softmax | LogSoftmax):
            if op in LOGS:
                return 0
            return self._union(map(self._roots_of, node.inputs))
        found = self._union(self.shown.get(i, 0) for i in node.inputs)
        if op is T.pow and not is_number(node.inputs[1]):
            found |= self._roots_of(node.inputs[1])
        return found

    def _roots_of(self, var: Graph) -> int:
        """What an exponent is made of."""
        if var not in self._roots:
            stack = [var]
            while stack:
                top = stack[-1]
                inner = [i for i in _summands(top) if i not in self._roots]
                if inner:
                    stack.extend(inner)
                    continue
                stack.pop()
                self._roots[top] = self._union(self._roots[i] for i in _summands(top)) or (
                    self._root(top)
                )
        return self._roots[var]

    def _root(self, var: Graph) -> int:
        if isinstance(var, Constant) or is_zeros(var):
            return 0
        own = 1 << self._places.setdefault(var, len(self._places))
        if var.owner is not None and head(var.owner) in LOGS:
            own |= self.shown.get(var.owner.inputs[0], 0)
        return own

    @staticmethod
    def _union(parts: Any) -> int:
        found = 0
        for part in parts:
            found |= part
        return found


def _is_tensor(var: Graph) -> bool:
    """Tell whether a variable has elements, and more than one."""
    return isinstance(var.type, TensorType) and var.type.ndim > 0


def _less_a_number(node: Apply[Any]) -> list[Graph]:
    """The operands of a sum that are subtracted of a number, or it of them."""
    op, number = head(node), any(is_number(i) for i in node.inputs)
    if op is T.sub and number:
        return list(node.inputs)
    if op is not T.add or not number:
        return []
    if any((constant_of(i) or 0) < 0 for i in node.inputs):
        return list(node.inputs)
    negative = (i.owner for i in node.inputs if i.owner is not None and head(i.owner) is T.neg)
    return [node.inputs[0] for node in negative]


def _summands(var: Graph) -> list[Graph]:
    """What an exponent is a linear combination of, or was taken out of; nothing for a root."""
    node = var.owner
    if node is None:
        return []
    if head(node) in LINEAR:
        return list(node.inputs[1:] if head(node) is T.fill else node.inputs)
    return [node.inputs[0]] if isinstance(node.op, MOVES) else []


def _is_firm(node: Apply[Any], firm: Collection[Graph]) -> bool:
    """Tell whether a value is at least a positive number, as ``1 + exp(x)`` is."""
    op = head(node)
    if op is T.add:
        numbers = [constant_of(i) for i in node.inputs]
        return any(n is not None and n > 0 for n in numbers) and all(
            _is_nonnegative(i) if n is None else n > 0
            for i, n in zip(node.inputs, numbers, strict=True)
        )
    whole = op in (T.mul, T.sqr, T.sqrt) or isinstance(node.op, DimShuffle)
    return whole and all(i in firm or (constant_of(i) or 0) > 0 for i in node.inputs)


def _is_nonnegative(var: Graph) -> bool:
    """Tell by its head whether a value is never negative."""
    node = var.owner
    if node is None:
        return False
    op = head(node)
    if op is T.mul or isinstance(node.op, (DimShuffle, Sum)):
        return all(map(_is_nonnegative, node.inputs[: 1 if op is None else None]))
    return op in NONNEGATIVE or isinstance(node.op, Softmax)
