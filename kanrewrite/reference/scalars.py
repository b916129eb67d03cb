"""The meaning of Aesara's scalar Ops, one line each, and of Elemwise on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aesara.scalar.basic as scalar
import aesara.scalar.math as scalar_math
import numpy as np
from aesara.graph.basic import Constant
from aesara.tensor.elemwise import Elemwise
from aesara.tensor.math import MulWithoutZeros
from aesara.tensor.xlogx import XlogX, XlogY0
from mpmath import libmp

from kanrewrite.errors import NoMeaning
from kanrewrite.reference import functions, special, trigonometric
from kanrewrite.reference.alike import each
from kanrewrite.reference.complexes import COMPLEX
from kanrewrite.reference.registry import (
    SCALAR,
    AnyVariable,
    Array,
    Node,
    Values,
    dtype_of,
    is_exact,
    lift,
    meaning,
    objects,
    register,
    scalar_meaning,
)
from kanrewrite.reference.scales import (
    NAN,
    ZERO,
    Arithmetic,
    Real,
    is_inf,
    is_nan,
    is_special,
    real,
    sign,
)


def _product(a: Arithmetic, *factors: Real) -> Real:
    value = factors[0]
    for factor in factors[1:]:
        value = a.mul(value, factor)
    return value


def _larger(a: Arithmetic, x: Real, y: Real) -> Real:
    return NAN if (order := a.compare(x, y)) is None else x if order >= 0 else y


def _smaller(a: Arithmetic, x: Real, y: Real) -> Real:
    return NAN if (order := a.compare(x, y)) is None else x if order <= 0 else y


def _clip(a: Arithmetic, x: Real, low: Real, high: Real) -> Real:
    return _smaller(a, _larger(a, x, low), high)


def _orders(*wanted: int) -> Callable[[Arithmetic, Real, Real], bool]:
    return lambda a, x, y: a.compare(x, y) in wanted


def _floor_divide(a: Arithmetic, x: Real, y: Real) -> Real:
    return functions.floor(a, a.div(x, y))


def _modulo(a: Arithmetic, x: Real, y: Real) -> Real:
    if is_special(x) or not y.parts:
        return NAN
    if is_inf(y):
        return x if sign(x) * sign(y) >= 0 else y
    return a.sub(x, a.mul(y, _floor_divide(a, x, y)))


def _in_range(op: Any) -> Callable[[Arithmetic, Real, Real, Real], bool]:
    above = (1,) if op.openlow else (0, 1)
    below = (-1,) if op.openhi else (-1, 0)
    return lambda a, x, lo, hi: a.compare(x, lo) in above and a.compare(x, hi) in below


SCALAR.update(
    {
        scalar.Add: lambda a, *x: a.add(*x) if len(x) == 2 else a.total(x),
        scalar.Sub: Arithmetic.sub,
        scalar.Mul: _product,
        scalar.TrueDivide: Arithmetic.div,
        scalar.FloorDivide: _floor_divide,
        scalar.Mod: _modulo,
        scalar.Pow: functions.power,
        scalar.Mean: special.mean,
        scalar.Neg: Arithmetic.neg,
        scalar.Reciprocal: Arithmetic.inv,
        scalar.Sqr: lambda a, x: a.mul(x, x),
        scalar.Sqrt: functions.sqrt,
        scalar.Abs: functions.absolute,
        scalar.Sgn: lambda _, x: NAN if is_nan(x) else real(sign(x)),
        scalar.Identity: lambda _, x: x,
        scalar.Cast: lambda _, x: x,
        scalar.Second: lambda _, __, y: y,
        scalar.Real: lambda _, x: x,
        scalar.Conj: lambda _, x: x,
        scalar.Imag: lambda *_: ZERO,
        scalar.Switch: lambda _, c, x, y: x if c.parts else y,
        scalar.ScalarMaximum: _larger,
        scalar.ScalarMinimum: _smaller,
        scalar.Clip: _clip,
        scalar.EQ: _orders(0),
        scalar.NEQ: lambda a, x, y: a.compare(x, y) != 0,
        scalar.LT: _orders(-1),
        scalar.GT: _orders(1),
        scalar.LE: _orders(-1, 0),
        scalar.GE: _orders(1, 0),
        scalar.IsNan: lambda _, x: is_nan(x),
        scalar.IsInf: lambda _, x: is_inf(x),
        scalar.Ceil: functions.ceil,
        scalar.Floor: functions.floor,
        scalar.Trunc: functions.truncate,
        scalar.RoundHalfToEven: functions.round_half_to_even,
        scalar.RoundHalfAwayFromZero: functions.round_half_from_zero,
        scalar.Exp: functions.exp,
        scalar.Exp2: functions.exp2,
        scalar.Expm1: functions.expm1,
        scalar.Log: functions.log,
        scalar.Log2: functions.log2,
        scalar.Log10: functions.log10,
        scalar.Log1p: functions.log1p,
        scalar.Deg2Rad: special.radians,
        scalar.Rad2Deg: special.degrees,
        scalar.Sin: trigonometric.sin,
        scalar.Cos: trigonometric.cos,
        scalar.Tan: trigonometric.tan,
        scalar.ArcSin: trigonometric.arcsin,
        scalar.ArcCos: trigonometric.arccos,
        scalar.ArcTan: trigonometric.arctan,
        scalar.ArcTan2: trigonometric.arctan2,
        scalar.Sinh: functions.sinh,
        scalar.Cosh: functions.cosh,
        scalar.Tanh: functions.tanh,
        scalar.ArcSinh: functions.arcsinh,
        scalar.ArcCosh: functions.arccosh,
        scalar.ArcTanh: functions.arctanh,
        scalar_math.Sigmoid: functions.sigmoid,
        scalar_math.Softplus: functions.softplus,
        scalar_math.Log1mexp: functions.log1mexp,
        scalar_math.Erf: special.erf,
        scalar_math.Erfc: special.erfc,
        scalar_math.Erfcx: special.erfcx,
        scalar_math.Erfinv: special.erfinv,
        scalar_math.Erfcinv: special.erfcinv,
        scalar_math.Gamma: special.gamma,
        scalar_math.GammaLn: special.gammaln,
        scalar_math.Psi: special.psi,
        scalar_math.TriGamma: special.tri_gamma,
        MulWithoutZeros: lambda a, x, y: y if not x.parts else x if not y.parts else a.mul(x, y),
        XlogX: special.xlogx,
        XlogY0: special.xlogy0,
    }
)


def scalar_function(op: Any, node: Node, arithmetic: Arithmetic) -> Callable[..., Any]:
    """What the scalar Op of `node` does to one element of each input."""
    dtypes = [dtype_of(v) for v in (*node.inputs, *node.outputs)]
    if any(d.startswith("complex") for d in dtypes):
        function = COMPLEX.get(type(op))
    elif isinstance(op, scalar.InRange):
        function = _in_range(op)
    else:
        function = scalar_meaning(op)
    if function is None:
        raise NoMeaning(op, str(node))
    return lambda *values: function(arithmetic, *values)


def apply_scalar(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The outputs of a scalar Op on broadcast arrays.

    Parameters
    ----------
    op : ScalarOp
        The Op; a Composite is evaluated through its inner graph.
    node : Apply
        A node with the dtypes: the scalar node, or the Elemwise node.
    inputs : sequence of ndarray
        One array for each input.
    arithmetic : Arithmetic
        The precision.

    Returns
    -------
    sequence of ndarray
    """
    if isinstance(op, scalar.Composite):
        return _composite(op, inputs, arithmetic)
    out = node.outputs[0]
    shape = np.broadcast_shapes(*[np.shape(value) for value in inputs])
    if all(is_exact(variable) for variable in (*node.inputs, out)):
        return [np.broadcast_to(_on_machine(op, inputs, shape), shape).astype(dtype_of(out))]
    wanted = "complex" if _has_complex(node) else "float"
    values = [lift(value, wanted, arithmetic) for value in inputs]
    array = _each(scalar_function(op, node, arithmetic), values, shape)
    if is_exact(out):
        return [_to_integers(array, dtype_of(out), arithmetic)]
    return [array]


def _each(function: Any, arrays: Values, shape: tuple[int, ...]) -> Array:
    """A function of elements, of however many arrays: a ufunc takes fewer than 32."""
    columns = [np.broadcast_to(array, shape).astype(object).ravel() for array in arrays]
    return objects(each(function, *columns), shape)


def _on_machine(op: Any, inputs: Values, shape: tuple[int, ...]) -> Array:
    """Integers and bools by numpy, as Elemwise computes them."""
    name, nin, _ = getattr(op, "nfunc_spec", None) or ("", 0, 0)
    native = getattr(np, name, None) if nin == len(inputs) else None
    with np.errstate(all="ignore"):
        return np.asarray(native(*inputs) if native else _each(op.impl, inputs, shape))


def _has_complex(node: Node) -> bool:
    return any(dtype_of(v).startswith("complex") for v in (*node.inputs, *node.outputs))


def _to_integers(array: Array, dtype: str, arithmetic: Arithmetic) -> Array:
    def convert(value: Any) -> Any:
        if not isinstance(value, Real):
            return value
        if dtype == "bool":
            return bool(value.parts)
        if is_special(value):
            # what a C cast of nan or an infinity gives on the common machines
            return np.iinfo(dtype).min
        return int(libmp.to_int(arithmetic.collapse(functions.truncate(arithmetic, value))))

    return objects(each(convert, array.ravel()), array.shape).astype(dtype)


def _composite(op: scalar.Composite, inputs: Values, arithmetic: Arithmetic) -> Values:
    graph = op.fgraph
    values: dict[AnyVariable, Any] = dict(zip(graph.inputs, inputs, strict=True))
    shape = np.broadcast_shapes(*[np.shape(value) for value in inputs])

    def value_of(variable: AnyVariable) -> Any:
        if isinstance(variable, Constant):
            return lift(np.asarray(variable.data), dtype_of(variable), arithmetic)
        return values[variable]

    for node in graph.toposort():
        arguments = [value_of(variable) for variable in node.inputs]
        outputs = apply_scalar(node.op, node, arguments, arithmetic)
        values.update(zip(node.outputs, outputs, strict=True))
    return [np.broadcast_to(value_of(variable), shape) for variable in graph.outputs]


@register(Elemwise)
def elemwise(op: Elemwise, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """A scalar Op on arrays, with numpy's broadcasting."""
    return apply_scalar(op.scalar_op, node, inputs, arithmetic)


@meaning.register(scalar.ScalarOp)
def scalar_op(op: scalar.ScalarOp, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """A scalar Op on scalars, as between the parts of an index."""
    return apply_scalar(op, node, inputs, arithmetic)
