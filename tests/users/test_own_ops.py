"""Patterns of Ops that `T` has no name for, and graphs of answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara
import aesara.tensor.nlinalg
import aesara.tensor.slinalg
import numpy as np
import pytest
from aesara.compile.builders import OpFromGraph
from aesara.compile.mode import Mode
from aesara.graph.basic import Apply, applys_between
from aesara.graph.op import Op
from aesara.tensor.elemwise import CAReduce, Elemwise
from aesara.tensor.nlinalg import MatrixInverse
from kanren import run
from unification import unify, var

import kanrewrite
from kanrewrite import Eq, Float, Ndim, T, eq, relation
from kanrewrite.errors import KanrewriteError
from tests.users.common import at, rewritten, same

X, Y = at.vectors("xy")
A, B = at.matrices("ab")


class Pool(Op):
    """The mean and the maximum of windows."""

    __props__ = ("size", "mode")

    def __init__(self, size: int, mode: str):
        self.size, self.mode = size, mode

    def make_node(self, *inputs: Any) -> Any:
        x = at.as_tensor_variable(inputs[0])
        return Apply(self, [x], [x.type(), x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any, params: Any = None) -> None:
        raise NotImplementedError


def pool(size: int, mode: str, x: Any) -> Any:
    return Pool(size, mode)(x)


scalar: Any = aesara.scalar
_X = scalar.float64("x")
silu: Any = Elemwise(scalar.Composite([_X], [_X * scalar.sigmoid(_X)]))


@relation
def pools_scale(a: Float) -> Iterator[Eq]:
    yield eq(T.of(Pool(2, "mean"))(T.exp(a), output=1), T.of(Pool(2, "max"))(a, output=1))


def test_an_op_is_matched_with_its_parameters_and_output() -> None:
    means, tops = pool(2, "mean", at.exp(X))
    assert same(rewritten(3 * tops, pools_scale), 3 * pool(2, "max", X)[1])
    for other in (means, pool(3, "mean", at.exp(X))[1], pool(2, "max", at.exp(X))[1]):
        assert same(rewritten(other, pools_scale), other)


@relation
def any_size(a: Float, size: Any) -> Iterator[Eq]:
    means = T.of(Pool)
    yield eq(means(-a, size=size, mode="mean"), -means(a, size=size, mode="mean"))


def test_a_class_is_matched_with_the_parameters_that_are_named() -> None:
    for size in (2, 5):
        first = pool(size, "mean", -X)[0]
        assert same(rewritten(first, any_size), -pool(size, "mean", X)[0])
    other = pool(2, "max", -X)[0]
    assert same(rewritten(other, any_size), other)


class Roll(Op):
    """The elements moved on along the last axis."""

    __props__ = ("by",)

    def __init__(self, by: int):
        self.by = by

    def make_node(self, *inputs: Any) -> Any:
        x = at.as_tensor_variable(inputs[0])
        return Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any, params: Any = None) -> None:
        output_storage[0][0] = np.roll(inputs[0], self.by, axis=-1)


@relation(role="lift")
def rolls_lift(a: Float, r: Float) -> Iterator[Eq]:
    roll = T.of(Roll(2))
    yield eq(roll(T.exp(a) * r), T.exp(roll(a)) * roll(r))


@pytest.mark.filterwarnings("ignore:overflow")  # of what only the length is asked
def test_an_op_with_parameters_is_lifted() -> None:
    log_lifts = kanrewrite.registered()["log_lifts"]
    roll: Any = Roll(2)
    new = rewritten(at.log(roll(at.exp(X))), rolls_lift, log_lifts)
    f = aesara.function([X], new, mode=Mode(linker="py", optimizer="None"))
    np.testing.assert_allclose(f(np.array([1e3, 0.0, -1e3, 1.0])), [-1e3, 1.0, 1e3, 0.0])


@relation
def recognised(x: Float) -> Iterator[Eq]:
    yield eq(x * T.sigmoid(x), T.of(silu)(x))


def test_an_elementwise_op_of_ones_own_is_matched_and_built() -> None:
    graph = Y * at.sigmoid(A) * A
    new = rewritten(graph, recognised)
    assert [node.op for node in applys_between([], [new])].count(silu) == 1
    assert same(rewritten(silu(A) * Y, recognised), silu(A) * Y)


SOLVE: Any = at.slinalg.solve(A, B).owner.op


@relation
def solves(a: Float, b: Float) -> Iterator[Eq]:
    yield eq(T.dot(T.of(MatrixInverse())(a), b), T.of(SOLVE)(a, b))


def test_an_op_without_a_name_is_built() -> None:
    new = rewritten(2 * at.dot(at.nlinalg.matrix_inverse(A), B), solves)
    assert same(new, 2 * SOLVE(A, B))


LEAST: Any = CAReduce(scalar.scalar_minimum, axis=(0,))


@relation
def least(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(T.of(LEAST)(x)), T.sum(T.erf(x), 0))


least_of_rows: Any = CAReduce(scalar.scalar_minimum, axis=(1,))


def test_a_reduction_is_matched_with_its_axes() -> None:
    assert same(rewritten(at.exp(LEAST(A)), least), at.erf(A).sum(axis=0))
    other = at.exp(least_of_rows(A))
    assert same(rewritten(other, least), other)


def test_an_op_called_on_a_pattern_says_what_to_write() -> None:
    with pytest.raises(KanrewriteError, match=r"T\.of\(op\)"):

        @relation
        def called(x: Float) -> Iterator[Eq]:
            yield eq(silu(x), x)


def test_what_is_no_op_is_refused() -> None:
    with pytest.raises(TypeError, match="takes an Op of Aesara"):
        T.of(at.mean)


def test_terms_and_graphs_unify() -> None:
    a = var("a")
    assert unify(T.exp(a), at.exp(X), {})[a] is X
    assert unify(at.exp(X), T.exp(a), {})[a] is X
    assert unify(T.sin(a), at.exp(X), {}) is False


def test_the_graph_of_an_answer_is_public() -> None:
    quotient = kanrewrite.registered()["softmax_quotient"]
    e, q = at.exp(A), var()
    (answer,) = run(0, q, quotient(e * at.sum(e, axis=1, keepdims=True) ** -1, q))
    graph = kanrewrite.as_graph(answer)
    assert same(graph, at.special.softmax(A, axis=1))


def test_a_relation_can_be_unregistered() -> None:
    kanrewrite.register(recognised)
    assert kanrewrite.registered()["recognised"] is recognised
    kanrewrite.unregister(recognised)
    assert "recognised" not in kanrewrite.registered()


GATE: Any = OpFromGraph([X, Y], [X * at.tanh(Y)])


@relation
def gated(x: Ndim[1], y: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(x * T.tanh(y), T.of(GATE)(x, y))


def test_an_op_made_from_a_graph_does_not_hold_itself() -> None:
    kanrewrite.register(gated)
    try:
        kanrewrite.enable("gated")
        f = aesara.function([X, Y], [1 + X * at.tanh(Y), at.sum(at.tanh(Y) * X)])
    finally:
        kanrewrite.unregister(gated)
    nodes = f.maker.fgraph.apply_nodes
    assert any(isinstance(node.op, OpFromGraph) for node in nodes)
    values = np.arange(3.0), np.ones(3)
    expected = values[0] * np.tanh(values[1])
    first, total = f(*values)
    np.testing.assert_allclose(first, 1 + expected)
    np.testing.assert_allclose(total, expected.sum())
