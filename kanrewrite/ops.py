"""Operators that Aesara lacks: softmax and maxima of empty axes, sums that carry their scale.

They subclass Aesara's own, so whatever knows those (inplace rewrites, JAX and Numba dispatch,
gradients) knows these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from aesara.compile.ops import DeepCopyOp
from aesara.gradient import DisconnectedType, disconnected_type
from aesara.graph.basic import Apply, Variable
from aesara.graph.op import Op
from aesara.link.c.op import COp
from aesara.scalar import scalar_maximum
from aesara.tensor.basic import as_tensor_variable, cast, switch
from aesara.tensor.elemwise import CAReduce
from aesara.tensor.math import exp, isinf
from aesara.tensor.shape import shape_padleft
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


#: The others of each term along axes, see `ScaledOthers.perform`.
_OTHERS = """
{{
    const int axes[] = {{{axes}}};
    const int ndim = {ndim}, count = {count};
    npy_intp* shape = PyArray_DIMS({a});
    npy_intp step[{ndim}];  /* of the rest, 0 along what it is the same along */
    for (int d = 0; d < ndim; d++) {{
        const npy_intp n = PyArray_DIM({r}, d);
        if (n != shape[d] && n != 1) {{
            PyErr_SetString(PyExc_ValueError, "ScaledOthers: the rest has other lengths");
            {fail}
        }}
        step[d] = n == 1 ? 0 : PyArray_STRIDE({r}, d);
    }}
    PyArrayObject** results[] = {{&{level}, &{rest}}};
    for (int i = 0; i < 2; i++) {{
        Py_XDECREF(*results[i]);
        *results[i] = (PyArrayObject*) PyArray_EMPTY(ndim, shape, {typenum}, 0);
        if (*results[i] == NULL) {{ {fail} }}
    }}
    npy_intp terms = 1, sums = 1, along[{ndim}], across[{ndim}];
    int inner = 0, outer = 0;
    for (int d = 0; d < ndim; d++) {{
        int summed = 0;
        for (int i = 0; i < count; i++) summed |= axes[i] == d;
        if (summed) {{ along[inner++] = d; terms *= shape[d]; }}
        else {{ across[outer++] = d; sums *= shape[d]; }}
    }}
    /* Where each term of a sum is, in bytes, and each of them relative to the largest. */
    npy_intp* places = (npy_intp*) malloc((3 * terms + 1) * sizeof(npy_intp));
    double* relative = (double*) malloc((terms + 1) * sizeof(double));
    if (places == NULL || relative == NULL) {{
        free(places);
        free(relative);
        PyErr_NoMemory();
        {fail}
    }}
    const npy_intp* const strides[] = {{
        PyArray_STRIDES({a}), step, PyArray_STRIDES({level})  /* the same for both results */
    }};
    auto find = [&](npy_intp number, const npy_intp* dims, int n, npy_intp* found) {{
        found[0] = found[1] = found[2] = 0;
        for (int i = n - 1; i >= 0; i--) {{
            const npy_intp d = dims[i], at = number % shape[d];
            number /= shape[d];
            for (int z = 0; z < 3; z++) found[z] += at * strides[z][d];
        }}
    }};
    for (npy_intp k = 0; k < terms; k++) find(k, along, inner, places + 3 * k);
    for (npy_intp s = 0; s < sums && terms; s++) {{
        npy_intp first[3];
        find(s, across, outer, first);
        char *a = PyArray_BYTES({a}) + first[0], *r = PyArray_BYTES({r}) + first[1];
        char *level = PyArray_BYTES({level}) + first[2], *rest = PyArray_BYTES({rest}) + first[2];
        double top = -INFINITY, second = -INFINITY;
        npy_intp largest = 0;
        int lost = 0;
        for (npy_intp k = 0; k < terms; k++) {{
            const double value = *({type}*) (a + places[3 * k]);
            if (*({type}*) (r + places[3 * k + 1]) == 0) continue;
            if (value != value) lost = 1;
            if (value > top) {{ second = top; top = value; largest = k; }}
            else if (value > second) second = value;
        }}
        const double shifts[] = {{
            std::isinf(top) ? 0 : top, std::isinf(second) ? 0 : second
        }};
        const double levels[] = {{
            top == INFINITY ? 0 : top, second == INFINITY ? 0 : second
        }};
        double before = 0, behind = 0, alone = 0;
        for (npy_intp k = 0; k < terms; k++) {{
            const double value = *({type}*) (a + places[3 * k]);
            const double weight = *({type}*) (r + places[3 * k + 1]);
            relative[k] = weight == 0 ? 0 : weight * exp(value - shifts[0]);
            if (k != largest && weight != 0) alone += weight * exp(value - shifts[1]);
        }}
        for (npy_intp k = 0; k < terms; k++) {{
            *({type}*) (level + places[3 * k + 2]) = lost ? NAN : levels[k == largest];
            *({type}*) (rest + places[3 * k + 2]) = before;
            before += relative[k];
        }}
        for (npy_intp k = terms - 1; k >= 0; k--) {{
            {type}* found = ({type}*) (rest + places[3 * k + 2]);
            *found = lost ? NAN : k == largest ? alone : *found + behind;
            behind += relative[k];
        }}
    }}
    free(places);
    free(relative);
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


class ScaledOthers(COp):
    """For each term ``exp(a) * r`` the sum of the others along axes, as level and rest.

    The sum is ``exp(level) * rest``.  The level is the largest exponent among the others whose
    rest is not zero: that of the largest of all, and for that one the second.  It is -inf where
    there are no others, and 0 where it were infinite.  No term is subtracted from a sum of all:
    what comes before it and what comes behind it are added up.

    Parameters
    ----------
    axis
        The summed axes, from 0 on.

    Notes
    -----
    Its inputs are a and r; r has the dimensions of a, of length 1 where it is the same along them.
    What is returned does not depend on the level: it counts as constant where it is differentiated.
    """

    __props__ = ("axis",)

    def __init__(self, axis: tuple[int, ...]):
        self.axis = axis

    def make_node(self, *inputs: Variable[Any, Any]) -> Apply[Any]:
        """The node of an exponent and a rest, with a level and a rest as outputs."""
        exponent, rest = (as_tensor_variable(i) for i in inputs)
        missing = exponent.type.ndim - rest.type.ndim
        rest = shape_padleft(rest, missing) if missing else rest
        rest = cast(rest, exponent.type.dtype)
        return Apply(self, [exponent, rest], [exponent.type(), exponent.type()])

    def infer_shape(self, fgraph: Any, node: Apply[Any], shapes: list[Any]) -> list[Any]:
        """The shape of the exponent, twice."""
        return [shapes[0], shapes[0]]

    def connection_pattern(self, node: Apply[Any]) -> list[list[bool]]:
        """Nothing is differentiated through the level."""
        return [[False, True], [False, True]]

    def L_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, outputs: Any, gradients: Any
    ) -> list[Variable[Any, Any]]:
        """What each term is to the others: the others' gradients, relative to their levels."""
        exponent, rest = inputs
        level, gradient = _finite_level(outputs[0]), gradients[1]
        if isinstance(gradient.type, DisconnectedType):
            return [disconnected_type(), disconnected_type()]
        other, theirs = self._both(-level, gradient)
        each = exp(exponent + _finite_level(other)) * theirs
        ones = [d for d, one in enumerate(rest.type.broadcastable) if one]
        summed = [d for d in ones if not exponent.type.broadcastable[d]]
        of_rest = each.sum(axis=summed, keepdims=True) if summed else each
        return [each * rest, of_rest]

    def R_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, eval_points: Any
    ) -> list[Any]:
        """The others' tangents, relative to the same level."""
        exponent, rest = inputs
        of_exponent, of_rest = eval_points
        tangents = [] if of_exponent is None else [of_exponent * rest]
        tangents += [] if of_rest is None else [of_rest]
        if not tangents:
            return [None, None]
        (level, _), (other, theirs) = (self._both(exponent, r) for r in (rest, sum(tangents)))
        return [None, theirs * exp(_finite_level(other) - _finite_level(level))]

    def _both(self, *inputs: Any) -> Any:
        """The level and the rest."""
        return self(*inputs)

    def perform(
        self,
        node: Apply[Any],
        inputs: Sequence[Any],
        output_storage: list[list[Any]],
        params: tuple[Any] | None = None,
    ) -> None:
        """Add up what is before each term and what is behind it, relative to the largest."""
        if not inputs[0].size:
            output_storage[0][0], output_storage[1][0] = inputs[0].copy(), inputs[0].copy()
            return
        exponent, weights = (self._rows(a) for a in np.broadcast_arrays(*inputs))
        kept = np.where(weights != 0, exponent, -np.inf)
        largest = (np.arange(len(kept)), kept.argmax(axis=1))
        top = kept[largest]
        level = np.broadcast_to(top[:, np.newaxis], kept.shape).copy()
        terms = _terms(kept, weights, top)
        rest = np.zeros(kept.shape)
        np.cumsum(terms[:, :-1], axis=1, out=rest[:, 1:])
        rest[:, :-1] += np.cumsum(terms[:, :0:-1], axis=1)[:, ::-1]
        kept[largest] = -np.inf
        level[largest] = second = kept.max(axis=1)
        rest[largest] = _terms(kept, weights, second).sum(axis=1)
        level[np.isposinf(level)] = 0
        level[np.isnan(top)] = rest[np.isnan(top)] = np.nan
        for storage, found in zip(output_storage, (level, rest), strict=True):
            storage[0] = self._back(found.astype(inputs[0].dtype), inputs[0].shape)

    def c_code(self, node: Apply[Any], name: str, inp: Any, out: Any, sub: dict[str, str]) -> str:
        """The same as one loop."""
        return _OTHERS.format(
            a=inp[0],
            r=inp[1],
            level=out[0],
            rest=out[1],
            axes=", ".join(map(str, self.axis)),
            count=len(self.axis),
            ndim=node.inputs[0].type.ndim,
            type=node.inputs[0].type.dtype_specs()[1],
            typenum=node.inputs[0].type.dtype_specs()[2],
            fail=sub["fail"],
        )

    def c_headers(self, **kwargs: Any) -> list[str]:
        """Where infinity is, and what is it."""
        return ["<cmath>", "<cstdlib>"]

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """The second version."""
        return (2,)

    def _rows(self, array: Any) -> Any:
        """The terms of each sum as a row."""
        last = np.moveaxis(array, self.axis, range(-len(self.axis), 0))
        return last.reshape(-1, int(np.prod(last.shape[-len(self.axis) :])))

    def _back(self, rows: Any, shape: tuple[int, ...]) -> Any:
        """Rows as they were."""
        kept = [n for d, n in enumerate(shape) if d not in self.axis]
        last = rows.reshape(*kept, *(shape[d] for d in self.axis))
        return np.ascontiguousarray(np.moveaxis(last, range(-len(self.axis), 0), self.axis))


def _terms(exponent: Any, weights: Any, top: Any) -> Any:
    """Terms relative to the largest exponents of their rows, in double precision."""
    relative = np.exp((exponent - _finite(top)[:, np.newaxis]).astype("float64"))
    return np.where(weights != 0, weights * relative, 0)


def _finite_level(level: Any) -> Any:
    """A level, or 0 where it is infinite."""
    return switch(isinf(level), 0, level)


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
