"""A formula whose sums, products and roots never leave the range of its dtype on the way.

Each number is a fraction times a power of two, whose exponent is a number of its own: that rounds
what floats round, and only what the whole formula yields has to be in range.  Sterbenz called such
numbers unnormalised; libraries call them scaled, or wide.

References
----------
P. H. Sterbenz, *Floating-Point Computation*, Prentice-Hall 1974, section 2.7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import log
from typing import Any, NamedTuple

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Apply, Constant, Variable, io_toposort
from aesara.tensor.elemwise import DimShuffle, Elemwise

from kanrewrite.terms import operator_of

Graph = Variable[Any, Any]
#: Fractions are kept between these powers of two, so that a few more operations are in range.
MOST = {"float64": 300, "float32": 30}
#: The exponent of 0, below every other one; how far a term is moved at most to meet another one.
NOTHING = -(2.0**20)
FARTHEST = {"float64": 1000.0, "float32": 120.0}
#: Powers that are products.
PRODUCTS = range(2, 9)


class Wide(NamedTuple):
    """A number as a fraction times a power of two.

    Attributes
    ----------
    fraction, exponent : Variable
        Of one dtype; the exponent is a whole number.
    bits : int
        The fraction, unless 0, is between 2 to the power of minus this and 2 to the power of this.
    zero : bool
        Whether the fraction may be 0 while the exponent does not say so.
    """

    fraction: Any
    exponent: Any
    bits: int
    zero: bool


def scaled(outputs: Sequence[Graph]) -> tuple[Graph, ...] | None:
    """A graph in which nothing leaves the range on the way, None where nothing could.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x, y = at.dscalars("x", "y")
    >>> (length,) = scaled([at.sqrt(x**2 + y**2)])
    >>> f"{float(length.eval({x: 3e200, y: 4e200})):.6g}"
    '5e+200'
    """
    return _Scaling().outputs(outputs)


class _Scaling:
    """The variables of a graph, as floats and as wide numbers, each made when it is asked for."""

    def __init__(self) -> None:
        self._floats: dict[Graph, Graph] = {}
        self._wide: dict[Graph, Wide] = {}

    def outputs(self, outputs: Sequence[Graph]) -> tuple[Graph, ...] | None:
        """The outputs, from inputs to outputs, so that deep graphs are no deep recursion."""
        found = False
        for node in io_toposort([], outputs):
            step = _STEPS.get(_name(node)) if _is_float(node.outputs[0]) else None
            made = step(self, node) if step is not None else None
            if isinstance(made, Wide):
                self._wide[node.outputs[0]] = self._kept(made)
                found = True
                continue
            if made is None:
                inputs = [self.float(x) for x in node.inputs]
                same = all(a is b for a, b in zip(inputs, node.inputs, strict=True))
                made = (node if same else node.clone_with_new_inputs(inputs)).outputs
            self._floats.update(zip(node.outputs, made, strict=True))
        return tuple(self.float(out) for out in outputs) if found else None

    def float(self, variable: Graph) -> Graph:
        """A variable as a float."""
        if variable not in self._floats and variable in self._wide:
            wide = self._wide[variable]
            half = at.floor(wide.exponent / _like(2.0, variable))
            value = wide.fraction * _power(half) * _power(wide.exponent - half)
            self._floats[variable] = value
        return self._floats.get(variable, variable)

    def wide(self, variable: Graph) -> Wide:
        """A variable of a float dtype as a fraction and an exponent."""
        if variable not in self._wide:
            self._wide[variable] = _taken_apart(self.float(variable))
        return self._wide[variable]

    def operands(self, node: Apply[Any]) -> list[Wide]:
        """The operands of a node in the dtype of its result."""
        dtype = node.outputs[0].type.dtype
        return [self.wide(x if x.type.dtype == dtype else _cast(x, dtype)) for x in node.inputs]

    def _kept(self, wide: Wide) -> Wide:
        if wide.bits <= MOST[wide.fraction.type.dtype]:
            return wide
        inner = _taken_apart(wide.fraction)
        return Wide(inner.fraction, inner.exponent + wide.exponent, inner.bits, zero=False)


def _is_float(variable: Graph) -> bool:
    return getattr(variable.type, "dtype", "") in MOST


def _name(node: Apply[Any]) -> str:
    if isinstance(node.op, DimShuffle):
        return "dimshuffle"
    return str(operator_of(node.op).name) if isinstance(node.op, Elemwise) else ""


def _like(value: Any, variable: Graph) -> Any:
    return at.constant(np.asarray(value, variable.type.dtype))


def _cast(variable: Any, dtype: str) -> Any:
    if isinstance(variable, Constant):
        return at.constant(np.asarray(variable.data, dtype))
    return at.cast(variable, dtype)


def _power(exponent: Any) -> Any:
    """Two to a power that is kept in range."""
    info = np.finfo(exponent.type.dtype)
    low, high = _like(info.minexp, exponent), _like(info.maxexp - 1, exponent)
    return at.exp2(at.minimum(at.maximum(exponent, low), high))


def _taken_apart(x: Any) -> Wide:
    info = np.finfo(x.type.dtype)
    if isinstance(x, Constant) and np.isfinite(x.data).all():
        fraction, exponent = np.frexp(x.data)
        exponent = np.where(fraction == 0, NOTHING, exponent)
        return Wide(_like(fraction, x), _like(exponent, x), 1, zero=False)
    large, tiny = _like(2.0 ** (info.maxexp - 1), x), _like(info.tiny, x)
    size = at.minimum(at.maximum(abs(x), tiny), large)
    exponent = at.floor(at.log2(size))
    nothing = at.eq(x, _like(0, x))
    return Wide(
        x * at.exp2(-exponent),
        at.switch(nothing, _like(NOTHING, x), exponent),
        info.nmant + 1,
        zero=False,
    )


# -- what operators do -----------------------------------------------------------------------


def _times(a: Wide, b: Wide) -> Wide:
    return Wide(a.fraction * b.fraction, a.exponent + b.exponent, a.bits + b.bits, a.zero or b.zero)


def _over(a: Wide, b: Wide) -> Wide:
    return Wide(a.fraction / b.fraction, a.exponent - b.exponent, a.bits + b.bits, a.zero or b.zero)


def _meeting(*terms: Wide) -> tuple[list[Any], Any]:
    """Fractions of one exponent, that of the largest term."""
    exponents = [
        at.switch(at.eq(t.fraction, _like(0, t.fraction)), _like(NOTHING, t.fraction), t.exponent)
        if t.zero
        else t.exponent
        for t in terms
    ]
    most = reduce(at.maximum, exponents)
    farthest = _like(-FARTHEST[most.type.dtype], most)
    return [
        t.fraction * at.exp2(at.maximum(e - most, farthest))
        for t, e in zip(terms, exponents, strict=True)
    ], most


def _plus(a: Wide, b: Wide) -> Wide:
    (one, other), exponent = _meeting(a, b)
    bits = max(a.bits, b.bits) + np.finfo(exponent.type.dtype).nmant + 2
    return Wide(one + other, exponent, bits, zero=True)


def _minus(a: Wide) -> Wide:
    return a._replace(fraction=-a.fraction)


def _root(a: Wide) -> Wide:
    half = at.floor(a.exponent / _like(2, a.fraction))
    rest = a.exponent - half - half
    return Wide(at.sqrt(a.fraction * at.exp2(rest)), half, a.bits // 2 + 2, a.zero)


def _raised(a: Wide, power: int) -> Wide:
    return reduce(_times, [a] * power)


Step = Callable[[_Scaling, Any], Any]


def _by(function: Callable[..., Wide]) -> Step:
    return lambda scaling, node: reduce(function, scaling.operands(node))


def _alone(function: Callable[[Wide], Wide]) -> Step:
    return lambda scaling, node: function(*scaling.operands(node))


def _shuffled(scaling: _Scaling, node: Apply[Any]) -> Wide | None:
    inner = scaling._wide.get(node.inputs[0])
    if inner is None:
        return None
    return inner._replace(fraction=node.op(inner.fraction), exponent=node.op(inner.exponent))


def _to_power(scaling: _Scaling, node: Apply[Any]) -> Wide | None:
    power = node.inputs[1]
    while power.owner is not None and isinstance(power.owner.op, DimShuffle):
        power = power.owner.inputs[0]
    if not isinstance(power, Constant) or np.size(power.data) != 1:
        return None
    number = float(np.ravel(power.data)[0])
    if number == 0.5:
        return _root(scaling.operands(node)[0])
    if abs(number) not in PRODUCTS:
        return None
    raised = _raised(scaling.operands(node)[0], int(abs(number)))
    return raised if number > 0 else _inverse(raised)


def _inverse(a: Wide) -> Wide:
    return a._replace(fraction=_like(1, a.fraction) / a.fraction, exponent=-a.exponent)


def _logarithm(scaling: _Scaling, node: Apply[Any]) -> list[Any] | None:
    """Of what is in range itself, the log of that."""
    (x,) = node.inputs
    if x not in scaling._wide:
        return None
    wide, value = scaling.wide(x), scaling.float(x)
    info = np.finfo(x.type.dtype)
    two: Any = _like(log(2), x)
    apart = at.log(wide.fraction) + wide.exponent * two
    inside = at.and_(at.gt(value, _like(info.tiny, x)), at.lt(value, _like(info.max, x)))
    none = at.or_(at.le(wide.fraction, _like(0, x)), at.isinf(wide.fraction))
    return [at.switch(at.or_(inside, none), at.log(value), apart)]


def _angle(scaling: _Scaling, node: Apply[Any]) -> list[Any]:
    (y, x), _ = _meeting(*scaling.operands(node))
    return [at.arctan2(y, x)]


_STEPS: dict[str, Step] = {
    "add": _by(_plus),
    "sub": _by(lambda a, b: _plus(a, _minus(b))),
    "mul": _by(_times),
    "true_div": _by(_over),
    "neg": _alone(_minus),
    "abs": _alone(lambda a: a._replace(fraction=abs(a.fraction))),
    "sqr": _alone(lambda a: _times(a, a)),
    "reciprocal": _alone(_inverse),
    "sqrt": _alone(_root),
    "pow": _to_power,
    "dimshuffle": _shuffled,
    "log": _logarithm,
    "arctan2": _angle,
}
