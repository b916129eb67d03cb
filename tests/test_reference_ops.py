"""Every Op with a meaning, against Aesara's own float64 results at benign values."""

from collections.abc import Callable
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.builders import OpFromGraph
from aesara.compile.mode import Mode
from aesara.compile.ops import deep_copy_op
from aesara.ifelse import ifelse
from aesara.raise_op import Assert
from aesara.scan.utils import until
from aesara.tensor import blas, extra_ops, special
from aesara.tensor.basic import AllocDiag, ExtractDiag, PermuteRowElements, nonzero
from aesara.tensor.math import MatMul, MaxAndArgmax
from aesara.tensor.shape import unbroadcast
from aesara.tensor.subtensor import (
    advanced_inc_subtensor,
    advanced_inc_subtensor1,
    advanced_set_subtensor,
    inc_subtensor,
    set_subtensor,
)
from aesara.tensor.xlogx import xlogx, xlogy0

from kanrewrite import reference
from kanrewrite.ops import ScaledCumsum, ScaledDot, ScaledOthers, ScatteredMaximum, Supremum

Build = Callable[..., Any]

V = np.array([0.5, -1.25, 2.0, 0.75])
P = np.array([0.5, 0.125, 0.875, 0.25])
M = np.array([[0.5, -1.25, 2.0], [1.5, 0.25, -0.75]])
N = np.array([[1.0, 0.5], [-0.5, 2.0], [0.25, -1.0]])
Q = np.arange(24.0).reshape(2, 3, 4) / 8 - 1
I = np.array([2, 0, 2])  # noqa: E741  # the letter of an index
S = np.array(1.5)

EVERYWHERE = [
    "abs",
    "arctan",
    "arcsinh",
    "ceil",
    "cos",
    "cosh",
    "deg2rad",
    "erf",
    "erfc",
    "erfcx",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "neg",
    "rad2deg",
    "reciprocal",
    "round_half_away_from_zero",
    "round_half_to_even",
    "sgn",
    "sigmoid",
    "sin",
    "sinh",
    "softplus",
    "square",
    "tan",
    "tanh",
    "trunc",
    "isnan",
    "isinf",
]
POSITIVE = [
    "sqrt",
    "log",
    "log1p",
    "log2",
    "log10",
    "gamma",
    "gammaln",
    "psi",
    "tri_gamma",
    "arcsin",
    "arccos",
    "arctanh",
    "erfinv",
    "erfcinv",
]
ELEMENTWISE: list[tuple[str, Build, list[Any]]] = [
    *((name, getattr(at, name), [V]) for name in EVERYWHERE),
    *((name, getattr(at, name), [P]) for name in POSITIVE),
    ("arccosh", at.arccosh, [P + 1]),
    ("log1mexp", at.log1mexp, [-P]),
    ("xlogx", xlogx, [P]),
    ("xlogy0", xlogy0, [V, P]),
    ("add", lambda x, y: at.add(x, y, x), [V, P]),
    ("sub", at.sub, [V, P]),
    ("mul", lambda x, y: at.mul(x, y, x), [V, P]),
    ("true_div", at.true_divide, [V, P]),
    ("int_div", lambda x, y: x // y, [V, P]),
    ("mod", lambda x, y: x % y, [V, P]),
    ("pow", at.pow, [P, V]),
    ("pow_whole", lambda x: x**3 + x**-2, [V]),
    ("pow_int", lambda x, i: x**i, [V[:3], I]),
    ("arctan2", at.arctan2, [V, V[::-1].copy()]),
    ("maximum", at.maximum, [V, P]),
    ("minimum", at.minimum, [V, P]),
    ("clip", lambda x: at.clip(x, -0.5, 1.0), [V]),
    ("switch", lambda x, y: at.switch(x > y, x, 2 * y), [V, P]),
    ("comparisons", lambda x, y: [x < y, x <= y, x > y, x >= y, at.eq(x, y), at.neq(x, y)], [V, P]),
    ("bits", lambda i: [(i > 1) & (i < 3), (i > 1) | (i < 1), ~(i > 1), i ^ 1, ~i, i & 2], [I]),
    ("integers", lambda i: [i + 2 * i - 1, i // 2, i % 2, abs(-i), i / 3, at.exp(i), i**2], [I]),
    ("second", lambda x, y: at.second(x, y), [V, P]),
    ("casts", lambda x: [x.astype("float32") * 2, x.astype("int64"), x.astype("bool")], [V]),
    ("cast_up", lambda i: at.log1p(i.astype("float64")), [I]),
    ("broadcast", lambda m, v: m * v + v, [M, V[:3]]),
    ("complex", lambda x, y: [abs(at.complex(x, y)), (at.complex(x, y) ** 2).imag], [V, P]),
    ("complex_exp", lambda x, y: at.exp(at.complex(x, y)) / at.complex(y, x), [V, P]),
]
REDUCTIONS: list[tuple[str, Build, list[Any]]] = [
    ("sum", lambda q: [q.sum(), q.sum(axis=1), q.sum(axis=(0, 2)), q.sum(-1, keepdims=True)], [Q]),
    ("prod", lambda m: [m.prod(), m.prod(axis=0)], [M]),
    ("prod_zeros", lambda m: at.prod(m, axis=1, no_zeros_in_input=False), [M]),
    ("mean", lambda m: [m.mean(), m.mean(axis=1), m.var(axis=0)], [M]),
    ("max", lambda q: [q.max(), q.max(axis=1), q.min(axis=(0, 2))], [Q]),
    ("all", lambda m: [at.all(m > 0, axis=1), at.any(m > 0, axis=0)], [M]),
    ("argmax", lambda m: [at.argmax(m, axis=1), at.argmax(m), at.argmin(m, axis=0)], [M]),
    ("max_and_argmax", lambda m: MaxAndArgmax([0])(m), [M]),
    ("cumsum", lambda m: [at.cumsum(m), at.cumsum(m, axis=1), at.cumprod(m, axis=0)], [M]),
    ("sum_of_integers", lambda i: [i.sum(), i.mean(), at.prod(i + 1)], [I]),
    ("empty", lambda m: [m[:0].sum(axis=0), m[:0].prod(axis=0), m[:0].sum()], [M]),
    ("without_zeros", at.prod, [V]),
]
STRUCTURE: list[tuple[str, Build, list[Any]]] = [
    ("dimshuffle", lambda m: [m.T, m.dimshuffle(0, "x", 1), m[:, None, :]], [M]),
    ("reshape", lambda m: [m.reshape((3, 2)), m.flatten(), m.reshape((-1, 1))], [M]),
    ("subtensor", lambda m: [m[1], m[:, ::-1], m[0, -1], m[:1, 1:]], [M]),
    ("subtensor_scalar", lambda m, i: m[i[0] - 1 : i.shape[0]], [M, I]),
    ("rows", lambda m, i: m[:, i], [M, I]),
    ("elements", lambda m, i: m[at.arange(2), i[:2]], [M, I]),
    ("mask", lambda m: m[m > 0], [M]),
    ("set_subtensor", lambda m, v: set_subtensor(m[:, 1], v), [M, V[:2]]),
    ("inc_subtensor", lambda m, v: inc_subtensor(m[1:, ::2], v), [M, V[:2]]),
    ("inc_rows", lambda v, x, i: advanced_inc_subtensor1(v, x, i), [V, V[:3], I]),
    ("set_elements", lambda m, x: advanced_set_subtensor(m, x, [0, 1], [2, 0]), [M, V[:2]]),
    ("inc_elements", lambda m, x: advanced_inc_subtensor(m, x, [0, 0], [2, 2]), [M, V[:2]]),
    (
        "join",
        lambda m, v: [at.join(0, m, m), at.concatenate([m, m], axis=1), at.stack([v, v])],
        [M, V],
    ),
    ("join_kinds", lambda v, i: at.join(0, v, i), [V, I]),
    ("split", lambda q: at.split(q, [1, 3], 2, axis=2), [Q]),
    ("make_vector", lambda v, i: [at.stack([v[0], v[1] * 2]), at.stack([i[0], i[1]])], [V, I]),
    ("alloc", lambda s: [at.alloc(s, 2, 3), at.zeros((2, 2)) + s, at.ones_like(s)], [S]),
    ("eye", lambda m: [m @ at.eye(3), at.tri(3) * m[0]], [M]),
    ("arange", lambda s: [at.arange(s, 4.0, 0.75), at.arange(s, 0.0), at.arange(3) * s], [S]),
    ("shapes", lambda q: [q.shape, q.shape[1], q.size, q.ndim * q], [Q]),
    ("specify", lambda m: at.specify_shape(m, [2, 3]), [M]),
    ("assert", lambda m: Assert("positive size")(m, m.size > 0), [M]),
    ("scalars", lambda v: at.tensor_from_scalar(at.scalar_from_tensor(v[1])), [V]),
    ("repeat", lambda m: [at.repeat(m, 2, axis=1), at.tile(m, (2, 1))], [M]),
    ("nonzero", lambda m: [*nonzero(m > 0), *nonzero(m)], [M]),
    ("diagonals", lambda m: [ExtractDiag(0, 0, 1)(m), AllocDiag()(m[0]), at.diag(m[0])], [M]),
    ("broadcast_to", lambda v: extra_ops.BroadcastTo()(v, [2, 4]), [V]),
    ("unbroadcast", lambda m: unbroadcast(m[:1], 0), [M]),
    ("copies", lambda m: [deep_copy_op(m), at.tensor_copy(m), extra_ops.cpu_contiguous(m)], [M]),
    ("permute", lambda m, i: PermuteRowElements()(m, i, 0), [M, I[[1, 2, 1]] * 0 + [1, 0, 2]]),
    ("ifelse", lambda v, s: [ifelse(s > 1, v, 2 * v), ifelse(s > 2, v, 2 * v)], [V, S]),
]
PRODUCTS: list[tuple[str, Build, list[Any]]] = [
    ("dot", lambda m, n: [at.dot(m, n), at.dot(n[:, 0], m.T), at.dot(m, n[:, 0])], [M, N]),
    ("inner", lambda v, p: [at.dot(v, p), at.outer(v, p)], [V, P]),
    ("dot_integers", lambda m, i: at.dot(m, i), [M, I]),
    ("dot22", lambda m, n: [blas._dot22(m, n), blas._dot22scalar(m, n, at.constant(0.3))], [M, N]),
    ("gemm", lambda s, m, n: blas.gemm_no_inplace(at.eye(2), s, m, n, s), [S, M, N]),
    ("gemv", lambda m, v: blas.gemv_no_inplace(at.ones(2), 0.3, m, v, 2.0), [M, V[:3]]),
    ("ger", lambda m, v: blas.ger(m, at.constant(0.3), m[:, 0], v), [M, V[:3]]),
    ("tensordot", lambda q, n: at.tensordot(q, n, axes=[[1], [0]]), [Q, N]),
    ("batched_dot", lambda q: at.batched_dot(q, q.dimshuffle(0, 2, 1)), [Q]),
    ("batched_dot_vectors", lambda q: at.batched_dot(q[:, 0], q[:, 1].dimshuffle(0, 1, "x")), [Q]),
    ("matmul", lambda m, n, v: [MatMul()(m, n), MatMul()(m, v), MatMul()(v, n)], [M, N, V[:3]]),
    ("matmul_stacks", lambda q, n: MatMul()(q.dimshuffle(0, 2, 1), n), [Q, N]),
]
SOFTMAX: list[tuple[str, Build, list[Any]]] = [
    ("softmax", lambda q: [special.softmax(q, axis=1), special.softmax(q, axis=None)], [Q]),
    (
        "log_softmax",
        lambda q: [special.log_softmax(q, axis=-1), special.log_softmax(q, axis=0)],
        [Q],
    ),
    ("softmax_grad", lambda m: special.SoftmaxGrad(axis=1)(m, special.softmax(m, axis=1)), [M]),
    ("logsumexp", lambda m: at.logsumexp(m, axis=1), [M]),
    ("supremum", lambda q: Supremum((0, 2))(q), [Q]),
    ("scaled_cumsum", lambda m, x: ScaledCumsum(1)(m, x), [M, M - 0.25]),
    ("scaled_others", lambda q: ScaledOthers((0, 2))(q, 0.5 - q), [Q]),
    ("scaled_others_of_nothing", lambda m, x: ScaledOthers((1,))(m, x), [M, 0 * M]),
    ("scaled_dot", lambda m, n: ScaledDot()(m, m - 0.5, n, n + 0.25), [M, N]),
    ("scaled_dot_of_nothing", lambda m, n: ScaledDot()(m, 0 * m, n, n), [M, N]),
    ("scaled_dot_of_stacks", lambda q: ScaledDot()(q, q, q.dimshuffle(0, 2, 1), 1.0), [Q]),
    ("scaled_cumsum_of_nothing", lambda m, x: ScaledCumsum(1)(m, x), [M, 0 * M]),
    (
        "scattered_maximum",
        lambda m, i, s: ScatteredMaximum((False, False))(m, i, s),
        [M, np.arange(M.size).reshape(M.shape) % 3, np.array([2, 2])],
    ),
    ("logaddexp", lambda v, p: at.logaddexp(v, p), [V, P]),
]


def inner_graph(x: Any) -> Any:
    a, b = at.dvectors("ab")
    return OpFromGraph([a, b], [at.exp(a) / b, a.sum()])(x, 2 * x)


def power_by_scan(x: Any) -> Any:
    rows, _ = aesara.scan(
        lambda before, x: before * x, outputs_info=[at.ones_like(x)], non_sequences=[x], n_steps=3
    )
    return [rows, rows[-1], at.grad(rows[-1].sum(), x)]


def fibonacci_by_scan(x: Any) -> Any:
    terms, _ = aesara.scan(
        lambda s, a, b: (a + s * b, a * b),
        sequences=[x],
        outputs_info=[{"initial": x[:2], "taps": [-2, -1]}, None],
    )
    return [terms[0], terms[1], at.grad(terms[0].sum(), x)]


def while_by_scan(x: Any) -> Any:
    doubled, _ = aesara.scan(
        lambda a: (2 * a, until(2 * a.sum() > 5)),
        outputs_info=[abs(x)],
        n_steps=10,
    )
    return [doubled, doubled[-1]]


INNER: list[tuple[str, Build, list[Any]]] = [
    ("op_from_graph", inner_graph, [V]),
    ("scan_power", power_by_scan, [V]),
    ("scan_fibonacci", fibonacci_by_scan, [V]),
    ("scan_while", while_by_scan, [V]),
]
TABLE = [*ELEMENTWISE, *REDUCTIONS, *STRUCTURE, *PRODUCTS, *SOFTMAX, *INNER]


def built(build: Build, values: list[Any]) -> tuple[list[Any], list[Any]]:
    inputs = [at.as_tensor_variable(value).type() for value in values]
    outputs = build(*inputs)
    return inputs, list(outputs) if isinstance(outputs, list | tuple) else [outputs]


def assert_close(exact: Any, computed: Any, dtype: str) -> None:
    rounded = reference.round_to(exact, dtype)
    assert rounded.shape == np.shape(computed)
    tolerance = 1e-5 if dtype == "float32" else 1e-11
    np.testing.assert_allclose(rounded, computed, rtol=tolerance, atol=tolerance)


@pytest.mark.spared
@pytest.mark.parametrize(("name", "build", "values"), TABLE, ids=[row[0] for row in TABLE])
@pytest.mark.parametrize("optimizer", [None, "fast_run"], ids=["stated", "fast_run"])
def test_the_meaning_is_what_the_op_computes(
    name: str, build: Build, values: list[Any], optimizer: str | None
) -> None:
    inputs, outputs = built(build, values)
    mode = Mode(linker="py", optimizer=optimizer)  # type: ignore[arg-type]  # None is none
    function = aesara.function(inputs, outputs, mode=mode, on_unused_input="ignore")
    graph = function.maker.fgraph
    known = dict(zip(graph.inputs, values, strict=True))
    # an output can have been computed in place of an input
    computed = function(*[np.array(value) for value in values])
    for variable, exact, got in zip(
        graph.outputs, reference.evaluate(graph.outputs, known), computed, strict=True
    ):
        assert_close(exact, got, variable.dtype)
