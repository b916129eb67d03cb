"""What forms are worth at some inputs, computed as they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
import scipy.special
from aesara.graph.basic import Constant

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Leaf, Lin, Prod, Sum
from kanrewrite.view.moves import Index, Shuffle

Array = Any

_UNARY: dict[Any, Callable[[Array], Array]] = {
    T.log: np.log, T.abs: np.abs, T.size: np.abs, T.expm1: np.expm1, T.sgn: np.sign, T.sin: np.sin,
    T.cos: np.cos, T.sigmoid: scipy.special.expit, T.softplus: lambda x: np.logaddexp(0, x),
}  # fmt: skip
_COMMON: dict[Any, Any] = {
    T.maximum: np.maximum, T.minimum: np.minimum, T.gt: np.greater, T.ge: np.greater_equal,
    T.lt: np.less, T.le: np.less_equal, T.eq: np.equal, T.neq: np.not_equal, T.pow: np.power,
}  # fmt: skip
_ALONG: dict[Any, Any] = {T.sum: np.sum, T.prod: np.prod, T.max: np.max}


class Unknown(Exception):
    """A form of which it is not written here what it is worth."""


class Values:
    """What forms are worth.

    Parameters
    ----------
    inputs : mapping of str to ndarray
        By the names of variables.
    """

    def __init__(self, inputs: Mapping[str, Array]):
        self._inputs = inputs
        self._variables: dict[Any, Array] = {}
        self._forms: dict[Form, Array] = {}

    def __call__(self, form: Form) -> Array:
        """The value of a form, float64 whatever its dtype."""
        if form not in self._forms:
            self._forms[form] = np.asarray(self._of(form), "float64")
        return self._forms[form]

    def total(self, terms: Mapping[Form, Any]) -> Array:
        """The sum of forms times numbers."""
        return sum((float(c) * self(m) for m, c in terms.items()), np.zeros(()))

    def moved(self, value: Array, move: Any) -> Array:
        """What a move makes of a value."""
        if isinstance(move, Index):
            return value[self._index(move)]
        if not isinstance(move, Shuffle):
            raise Unknown(str(move))
        kept = [int(d) for d in move.order if d != "x"]
        dropped = [d for d in range(value.ndim) if d not in kept]
        turned = np.transpose(value, [*kept, *dropped]).reshape([value.shape[d] for d in kept])
        return np.expand_dims(turned, [n for n, d in enumerate(move.order) if d == "x"])

    def _of(self, form: Form) -> Array:
        if isinstance(form, Leaf):
            return self._variable(form.var)
        if isinstance(form, Prod):
            factors = [self(f) ** float(k) for f, k in form.factors]
            return reduce(np.multiply, factors, float(form.coeff) * np.exp(self(form.expo)))
        if isinstance(form, Sum | Lin):
            return self.total(dict(form.terms))
        assert isinstance(form, App)
        return self._applied(form.op, form.args)

    def _applied(self, op: Any, args: tuple[Any, ...]) -> Array:
        if op in _UNARY:
            return _UNARY[op](self(args[0]))
        if op in _COMMON:
            return reduce(_COMMON[op], map(self, args))
        if op in _ALONG:
            return _ALONG[op](self(args[0]), axis=tuple(args[1]), keepdims=True)
        if op in (T.dimshuffle, T.subtensor):
            return self.moved(self(args[0]), args[1])
        if op in (T.scatter, T.unpicked) and isinstance(args[1], Index):
            return self._put(op, args)
        if op is T.others:
            body = self(args[0])
            return body.sum(tuple(args[1]), keepdims=True) - body
        if op is T.mask:
            return (self(args[0]) != 0) == args[1]
        if op is T.switch:
            return np.where(self(args[0]) != 0, self(args[1]), self(args[2]))
        if op in (T.ones_like, T.defined):
            return np.ones_like(self(args[0])) if op is T.ones_like else np.ones(())
        raise Unknown(str(op))

    def _put(self, op: Any, args: tuple[Any, ...]) -> Array:
        index = self._index(args[1])
        if op is T.unpicked:
            left = np.ones(self(args[0]).shape)
            left[index] = 0
            return left
        placed = np.zeros(self(args[2]).shape)
        np.add.at(placed, index, self(args[0]))
        return placed

    def _index(self, move: Index) -> tuple[Any, ...]:
        return tuple(
            slice(*map(self._end, (e.start, e.stop, e.step)))
            if isinstance(e, slice)
            else np.asarray(e if isinstance(e, int) else self._variable(e)).astype(int)
            for e in move.entries
        )

    def _end(self, end: Any) -> int | None:
        return end if end is None or isinstance(end, int) else int(self._variable(end))

    def _variable(self, var: Any) -> Array:
        """What a variable is worth, each node below it computed by its own Op."""
        stack = [var]
        while stack:
            top = stack[-1]
            missing = [] if top.owner is None else top.owner.inputs
            missing = [i for i in missing if i not in self._variables]
            if top not in self._variables and missing:
                stack += missing
                continue
            stack.pop()
            if isinstance(top, Constant):
                self._variables[top] = top.data
            elif top.owner is None:
                if top.name not in self._inputs:
                    raise Unknown(str(top))
                self._variables[top] = self._inputs[top.name]
            elif top not in self._variables:
                self._compute(top.owner)
        return self._variables[var]

    def _compute(self, node: Any) -> None:
        storage: list[list[Any]] = [[None] for _ in node.outputs]
        node.op.prepare_node(node, None, None, "py")
        node.op.perform(node, [self._variables[i] for i in node.inputs], storage)
        self._variables.update({o: c for o, (c,) in zip(node.outputs, storage, strict=True)})
