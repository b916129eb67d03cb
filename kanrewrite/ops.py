"""Operators that Aesara lacks: softmax and maxima of empty axes, sums that carry their scale.

They subclass Aesara's own, so whatever knows those (inplace rewrites, JAX and Numba dispatch,
gradients) knows these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from aesara.compile.ops import DeepCopyOp
from aesara.gradient import disconnected_type
from aesara.graph.basic import Apply, Variable
from aesara.graph.op import Op
from aesara.scalar import scalar_maximum
from aesara.tensor.basic import as_tensor_variable
from aesara.tensor.elemwise import CAReduce
from aesara.tensor.special import LogSoftmax as AesaraLogSoftmax
from aesara.tensor.special import Softmax as AesaraSoftmax

_EMPTY = """
if (PyArray_SIZE({x}) == 0) {{
    Py_XDECREF({z});
    {z} = (PyArrayObject*) PyArray_EMPTY(
        PyArray_NDIM({x}), PyArray_DIMS({x}), PyArray_TYPE({x}), 0);
    if ({z} == NULL) {{ {fail} }}
}} else {{
{code}
}}
"""

#: A call of NumPy costs as much as a loop over so many numbers.
_SMALL = 1024
_MAXIMUM = """
if (PyArray_SIZE({x}) < {small}) {{
{loop}
}} else {{
    const int axes[] = {{{axes}}};  /* the last first: what is dropped renumbers what follows */
    PyObject* top = (PyObject*) {x};
    Py_INCREF(top);
    for (int i = 0; i < {count}; i++) {{
        PyObject* array = PyArray_FROM_O(top);
        Py_DECREF(top);
        top = array ? PyArray_Max((PyArrayObject*) array, axes[i], NULL) : NULL;
        Py_XDECREF(array);
        if (top == NULL) {{ {fail} }}
    }}
    Py_XDECREF({z});
    {z} = (PyArrayObject*) PyArray_FROM_OT(top, {typenum});
    Py_DECREF(top);
    if ({z} == NULL) {{ {fail} }}
}}
"""


class _AnyLength:
    """Mixin: an elementwise-shaped Op of which an empty array gives an empty array.

    It is equal to Aesara's own, which has the same value wherever it has one: whatever looks for
    that Op finds this one.
    """

    #: Aesara's own class.
    own: type[Op]
    axis: Any

    def __eq__(self, other: object) -> bool:
        same: bool = self.own(axis=self.axis) == (  # type: ignore[call-arg]
            self.own(axis=other.axis) if type(other) is type(self) else other  # type: ignore[call-arg]
        )
        return same

    def __hash__(self) -> int:
        return hash(self.own(axis=self.axis))  # type: ignore[call-arg]

    def perform(
        self,
        node: Apply[Any],
        inputs: Sequence[Any],
        output_storage: list[list[Any]],
        params: tuple[Any] | None = None,
    ) -> None:
        """Copy what is empty, compute the rest as Aesara does."""
        if inputs[0].size == 0:
            output_storage[0][0] = inputs[0].copy()
        else:
            super().perform(node, inputs, output_storage)  # type: ignore[misc]

    def c_code(self, node: Apply[Any], name: str, inp: Any, out: Any, sub: dict[str, str]) -> str:
        """Aesara's C code after a branch for what is empty."""
        code = super().c_code(node, name, inp, out, sub)  # type: ignore[misc]
        return _EMPTY.format(x=inp[0], z=out[0], fail=sub["fail"], code=code)

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Another version than that of Aesara's code: compiled modules are found by equal Ops."""
        return (*super().c_code_cache_version(), "any length")  # type: ignore[misc]


class Softmax(_AnyLength, AesaraSoftmax):
    """Aesara's `Softmax`, of an axis of any length: an empty axis gives an empty result."""

    own = AesaraSoftmax


class LogSoftmax(_AnyLength, AesaraLogSoftmax):
    """Aesara's `LogSoftmax`, of an axis of any length."""

    own = AesaraLogSoftmax


class Supremum(CAReduce):
    """The maximum over axes that exponents are shifted by: -inf over an axis of length zero.

    Aesara's `Max` refuses such an axis; a sum over it is 0, and so must be its shifted form.

    Notes
    -----
    It is disconnected from what it is the maximum of. The library builds it as a shift only, and
    what is shifted does not depend on by how much: its derivative there is zero, and computed, it
    would be a sum of large terms that cancel.
    """

    __props__ = ("axis",)  # type: ignore[assignment]  # CAReduce has five
    nfunc_spec = ("max", 1, 1)

    def __init__(self, axis: tuple[int, ...]):
        super().__init__(scalar_maximum, axis)  # type: ignore[no-untyped-call]

    def clone(self, **changes: Any) -> Supremum:  # type: ignore[override]  # it has no dtypes
        """The maximum over other axes."""
        axis: Any = changes.get("axis", self.axis)
        return type(self)(axis)

    def c_code(self, node: Apply[Any], name: str, inp: Any, out: Any, sub: dict[str, str]) -> str:
        """Aesara's loop, or NumPy's maximum: it compares several numbers at once."""
        loop: str = super().c_code(node, name, inp, out, sub)  # type: ignore[no-untyped-call]
        if not self.axis:
            return loop
        ndim = node.inputs[0].type.ndim
        axes = sorted((axis % ndim for axis in self.axis), reverse=True)
        return _MAXIMUM.format(
            x=inp[0],
            z=out[0],
            small=_SMALL,
            loop=loop,
            axes=", ".join(map(str, axes)),
            count=len(axes),
            typenum=node.outputs[0].type.dtype_specs()[2],
            fail=sub["fail"],
        )

    def c_code_cache_version_apply(self, node: Apply[Any]) -> tuple[Any, ...]:
        """Another version than that of Aesara's loop."""
        return (*super().c_code_cache_version_apply(node), "numpy")  # type: ignore[no-untyped-call]

    def connection_pattern(self, node: Apply[Any]) -> list[list[bool]]:
        """Nothing is differentiated through a shift."""
        return [[False]]

    def L_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, outputs: Any, gradients: Any
    ) -> list[Variable[Any, Any]]:
        """No gradient."""
        return [disconnected_type()]

    def R_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, eval_points: Any
    ) -> list[Any]:
        """No tangent."""
        return [None]

    def perform(
        self,
        node: Apply[Any],
        inputs: Sequence[Any],
        output_storage: list[list[Any]],
        params: tuple[Any] | None = None,
    ) -> None:
        """Compute the maximum, starting from -inf."""
        top = np.max(inputs[0], axis=self.axis, initial=-np.inf)
        output_storage[0][0] = np.asarray(top, dtype=node.outputs[0].type.dtype)


class Grouped(DeepCopyOp):
    """A value as it is, of which Aesara's rewrites do not see how it is computed.

    What is grouped on purpose, ``(a / c) * (b / d)``, stays grouped.  It has the C code of a copy,
    and what JAX and Numba make of one.
    """

    def L_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, outputs: Any, gradients: Any
    ) -> list[Any]:
        """The gradient as it is."""
        return list(gradients)

    def R_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, eval_points: Any
    ) -> list[Any]:
        """The tangent as it is."""
        return list(eval_points)


class ScaledCumsum(Op):
    """A cumulative sum of ``exp(a) * r`` as level and rest: ``exp(level) * rest``.

    The level is the largest exponent met so far, so no term that matters underflows however far
    the exponents range:  ``rest[t] = rest[t-1] * exp(level[t-1] - level[t]) + r[t] * exp(a[t] -
    level[t])``.

    Parameters
    ----------
    axis
        The summed axis, from 0 on.
    """

    __props__ = ("axis",)

    def __init__(self, axis: int):
        self.axis = axis

    def make_node(self, *inputs: Variable[Any, Any]) -> Apply[Any]:
        """The node of an exponent and a rest, with a level and a rest as outputs."""
        exponent, rest = inputs
        return Apply(self, [exponent, rest], [exponent.type(), exponent.type()])

    def infer_shape(self, fgraph: Any, node: Apply[Any], shapes: list[Any]) -> list[Any]:
        """The shape of the exponent, twice."""
        return [shapes[0], shapes[0]]

    def perform(
        self,
        node: Apply[Any],
        inputs: Sequence[Any],
        output_storage: list[list[Any]],
        params: tuple[Any] | None = None,
    ) -> None:
        """Walk along the axis, fading what was summed whenever the level rises."""
        exponent = np.moveaxis(inputs[0], self.axis, 0)
        weights = np.moveaxis(np.broadcast_to(inputs[1], inputs[0].shape), self.axis, 0)
        kept = np.where(weights != 0, exponent, -np.inf)
        highest = np.maximum.accumulate(kept, axis=0)
        level = np.where(np.isinf(highest), 0, highest).astype(exponent.dtype)
        power = np.exp(kept - level)
        term = np.where(weights != 0, weights * power, 0)
        rest = np.empty_like(exponent)
        carry = np.zeros(exponent.shape[1:], dtype=exponent.dtype)
        for t in range(len(exponent)):
            fade = np.exp(level[t - 1] - level[t]) if t else 1.0
            carry = np.where(carry != 0, carry * fade, 0) + term[t]
            rest[t] = carry
        level = np.where(np.isneginf(highest), highest, level)  # nothing so far
        output_storage[0][0] = np.ascontiguousarray(np.moveaxis(level, 0, self.axis))
        output_storage[1][0] = np.ascontiguousarray(np.moveaxis(rest, 0, self.axis))


class ScatteredMaximum(Op):
    """The largest of the values that go to each place of a tensor, -inf where none goes.

    A scatter adds up exponentials; this is what their exponents are shifted by.  Its inputs are
    the values, the place of each (counted through the tensor row by row), and the tensor's shape.

    Parameters
    ----------
    bcast
        Which dimensions of the tensor have length 1.
    """

    __props__ = ("bcast",)

    def __init__(self, bcast: tuple[bool, ...]):
        self.bcast = tuple(bcast)

    def make_node(self, *inputs: Variable[Any, Any]) -> Apply[Any]:
        """The node of values, places and a shape."""
        values: Any = inputs[0]
        out = values.type.clone(shape=tuple(1 if one else None for one in self.bcast))
        return Apply(self, list(inputs), [out()])

    def infer_shape(self, fgraph: Any, node: Apply[Any], shapes: list[Any]) -> list[Any]:
        """The shape that is given."""
        shape: Any = node.inputs[2]
        return [tuple(shape[d] for d in range(len(self.bcast)))]

    def perform(
        self,
        node: Apply[Any],
        inputs: Sequence[Any],
        output_storage: list[list[Any]],
        params: tuple[Any] | None = None,
    ) -> None:
        """Take maxima place by place."""
        values, places, shape = inputs
        top = np.full(int(np.prod(shape)), -np.inf, dtype=values.dtype)
        np.maximum.at(top, places.ravel(), np.broadcast_to(values, places.shape).ravel())
        output_storage[0][0] = top.reshape(tuple(shape))


class ScaledDot(Op):
    """A matrix product of ``exp(a) * r`` and ``exp(b) * s`` as level and rest.

    The product is ``exp(level) * rest``.  The level is the largest exponent of a row and a column
    together, as long as something of the size of that is left of each sum.  Where the two do not
    meet, the largest term is looked for; where nothing is left, the level is -inf.

    Notes
    -----
    Its inputs are a, r, b and s; leading dimensions are those of a batch.
    """

    __props__ = ()
    #: How many terms are held at a time.
    BLOCK = 2**20

    def make_node(self, *inputs: Variable[Any, Any]) -> Apply[Any]:
        """The node of two exponents with their rests, with a level and a rest as outputs."""
        tensors = [as_tensor_variable(i) for i in inputs]
        left, _, right, _ = tensors
        *batch, rows, _ = left.type.shape
        shape = (*batch, rows, right.type.shape[-1])
        return Apply(self, tensors, [left.type.clone(shape=shape)() for _ in range(2)])

    def infer_shape(self, fgraph: Any, node: Apply[Any], shapes: list[Any]) -> list[Any]:
        """The shape of the product, twice."""
        left, _, right, _ = shapes
        return [(*left[:-1], right[-1])] * 2

    def perform(
        self,
        node: Apply[Any],
        inputs: Sequence[Any],
        output_storage: list[list[Any]],
        params: tuple[Any] | None = None,
    ) -> None:
        """Multiply what is relative to rows and columns; sum again what that leaves nothing of."""
        dtype = node.outputs[0].type.dtype
        left, weights_left = np.broadcast_arrays(*inputs[:2])
        right, weights_right = np.broadcast_arrays(*inputs[2:])
        left = np.where(weights_left != 0, left, -np.inf)
        right = np.where(weights_right != 0, right, -np.inf)
        rows = _finite(left.max(axis=-1, keepdims=True, initial=-np.inf))
        columns = _finite(right.max(axis=-2, keepdims=True, initial=-np.inf))
        level = rows + columns
        factors = np.exp(left - rows) * weights_left, np.exp(right - columns) * weights_right
        rest = np.matmul(*factors)
        # What has underflowed would not change a digit of what is well above the least number, nor
        # do low powers of that underflow.
        places = np.nonzero(np.abs(rest) < np.finfo(dtype).tiny ** 0.25)
        size = max(1, self.BLOCK // max(1, left.shape[-1]))
        for start in range(0, len(places[0]), size):
            found = tuple(place[start : start + size] for place in places)
            row, column = found[:-1], (*found[:-2], found[-1])
            terms = left[row] + right.swapaxes(-1, -2)[column]
            top = terms.max(axis=-1, initial=-np.inf)
            level[found] = np.where(np.isposinf(top), level[found], top)
            weights = weights_left[row] * weights_right.swapaxes(-1, -2)[column]
            power = np.exp(terms - _finite(level[found])[:, np.newaxis])
            rest[found] = (power * weights).sum(axis=-1)
        level[rest == 0] = -np.inf
        output_storage[0][0] = np.asarray(level, dtype=dtype)
        output_storage[1][0] = np.asarray(rest, dtype=dtype)


def _finite(top: Any) -> Any:
    """A maximum, or 0 where it is infinite."""
    return np.where(np.isinf(top), 0, top)
