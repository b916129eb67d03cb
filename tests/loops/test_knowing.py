"""What is known outside of a loop is known inside: the bounds of what enters it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.builders import OpFromGraph
from aesara.compile.mode import Mode
from aesara.graph.basic import io_toposort
from aesara.ifelse import ifelse
from aesara.scan.op import Scan
from aesara.tensor.special import log_softmax, softmax

import kanrewrite
from kanrewrite.guards.bounds import DOWN, EITHER, NONE, SHARE, UP, Bounds
from kanrewrite.inner.knowing import known, reader
from kanrewrite.reference import evaluate
from tests.loops.checking import PYTHON

X: Any = at.dmatrix("x")
Y: Any = at.dmatrix("y")
EXP = at.exp(X)
START = at.constant(np.zeros(3))
ONE, ZERO = Bounds(low=1.0), Bounds(0.0, 0.0)
Make = Callable[..., Any]
#: A mode in which what a step computes stays in it.
STAYING = PYTHON.excluding(
    *(f"scan_pushout_{what}" for what in ("seqs_ops", "nonseqs_ops", "dot1", "add"))
)

BOUNDS: dict[str, tuple[Any, Any]] = {
    "exp": (at.exp(X), UP),
    "exp of what is not negative": (at.exp(abs(X)), ONE),
    "exp of what is not positive": (at.exp(-abs(X)), SHARE),
    "softplus": (at.softplus(X), UP),
    "sigmoid": (at.sigmoid(X), SHARE),
    "tanh": (at.tanh(X), EITHER),
    "softmax": (softmax(X, axis=1), SHARE),
    "log softmax": (log_softmax(X, axis=1), DOWN),
    "log sigmoid": (at.log(at.sigmoid(X)), DOWN),
    "log of what is at least 1": (at.log(1 + at.square(X)), UP),
    "clipped": (at.clip(X, 0.125, 1.0), Bounds(0.125, 1.0)),
    "clipped at zero": (at.clip(X, 0.0, 1.0), SHARE),
    "clipped on both sides of zero": (at.clip(X, -1.0, 1.0), EITHER),
    "clipped below zero": (at.clip(X, -2.0, -1.0), Bounds(-2.0, -1.0)),
    "clipped by what is clipped": (at.clip(X, at.minimum(Y, 0), at.tanh(Y)), Bounds(high=1.0)),
    "no less than a number": (at.maximum(X, 0.5), Bounds(low=0.5)),
    "no more than zero": (at.minimum(X, 0), DOWN),
    "no less, and no more": (at.minimum(at.maximum(X, -5), 5), Bounds(-5.0, 5.0)),
    "no less than zero, of two": (at.maximum(X, at.exp(Y)), UP),
    "sum with a number": (0.25 + at.exp(X), Bounds(low=0.25)),
    "multiple": (-3 * at.tanh(X), Bounds(-3.0, 3.0)),
    "difference": (at.exp(X) - at.exp(Y), NONE),
    "difference of signs": (-at.exp(X) - 1.0, Bounds(high=-1.0)),
    "negated": (-at.square(X), DOWN),
    "product of shares": (at.sigmoid(X) * at.sigmoid(Y), SHARE),
    "product of two that are negative": (at.neg(at.exp(X)) * at.minimum(Y, 0), UP),
    "quotient": (at.exp(X) / -(1 + at.exp(Y)), DOWN),
    "quotient by what is not near zero": (at.tanh(X) / (2 + at.exp(Y)), Bounds(-0.5, 0.5)),
    "over its sum": (EXP / EXP.sum(1, keepdims=True), SHARE),
    "over the sum of another": (EXP / at.exp(Y).sum(1, keepdims=True), UP),
    "over its sum, of any sign": (X / X.sum(1, keepdims=True), NONE),
    "quotient by what may be zero": (1 / at.tanh(X), NONE),
    "square": (X * X, UP),
    "square of what is clipped": (at.square(at.clip(X, -3, 2)), Bounds(0.0, 9.0)),
    "square that underflows": (at.square(at.maximum(X, 1e-200)), UP),
    "even power": (X**4, UP),
    "odd power": (X**3, NONE),
    "power of a share": (at.sigmoid(X) ** at.exp(Y), SHARE),
    "root": (at.sqrt(1 + at.exp(X)), ONE),
    "sum over an axis": (at.square(X).sum(0), UP),
    "mean": (at.square(X).mean(0), UP),
    "largest": (at.tanh(X).max(1), EITHER),
    "product of all": (at.sigmoid(X).prod(0), SHARE),
    "dot": (at.dot(at.exp(X), at.exp(Y).T), UP),
    "dot with what is negative": (at.dot(at.exp(X), -at.exp(Y).T), DOWN),
    "moved": (at.exp(X)[::-1].T, UP),
    "joined": (at.concatenate([at.exp(X), X]), NONE),
    "joined, of what is bounded": (at.concatenate([at.sigmoid(X), -at.sigmoid(X)]), EITHER),
    "chosen": (at.switch(X > 0, at.exp(Y), at.square(Y)), UP),
    "chosen branch": (ifelse(X[0, 0] > 0, at.exp(Y), Y), NONE),
    "put": (at.set_subtensor(at.zeros((2, 3))[0], at.exp(X[0])), UP),
    "added": (at.inc_subtensor(at.ones((2, 3))[0], -at.exp(X[0])), NONE),
    "zeros": (at.zeros((2, 3)), ZERO),
    "cast": (at.cast(1 + at.exp(X), "float32"), ONE),
    "cast to whole numbers": (at.cast(at.cast(at.tanh(X), "int8"), "float64"), NONE),
    "truth": (at.gt(X, 0), SHARE),
    "nothing": (X, NONE),
    "sine": (at.sin(X), EITHER),
    "tangent": (at.tan(X), NONE),
}


@pytest.mark.parametrize(("value", "expected"), BOUNDS.values(), ids=BOUNDS)
def test_bounds_of_what_is_computed(value: Any, expected: Any) -> None:
    assert reader()(value) == expected


@pytest.mark.parametrize("value", [v for v, _ in BOUNDS.values()], ids=BOUNDS)
def test_bounds_are_those_of_the_values(value: Any) -> None:
    bounds = reader()(value)
    with np.errstate(all="ignore"):
        f = aesara.function([X, Y], value, mode=Mode("py", "None"), on_unused_input="ignore")
        for scale in (0.0, 1.0, 1e3, 1e300):
            draws = np.random.default_rng(0).normal(size=(2, 2, 3)) * scale
            found = f(*draws)
            found = found[~np.isnan(found)]
            assert np.all((bounds.low <= found) & (found <= bounds.high))


def test_what_is_rounded_has_no_sign() -> None:
    """In other orders the terms of a sum leave more, or less, of each other."""
    shares = 0.1 * at.sigmoid(X) + 0.2 - 0.3 * at.sigmoid(Y)
    assert reader()(shares).low < -0.1 < 0.3 < reader()(shares).high
    assert reader()(1 - at.sigmoid(X)).low < 0


def test_a_deep_graph_has_bounds() -> None:
    deep = at.exp(X)
    for _ in range(5000):
        deep = deep + deep
    assert reader()(deep) == UP


def loop_of(value: Any) -> Any:
    """The node of the only loop, or Op made from a graph, that a value is made by."""
    nodes = io_toposort([], [value])
    (found,) = (n for n in nodes if isinstance(n.op, Scan | OpFromGraph))
    return found


def facts_of(value: Any) -> list[Any]:
    """What is known of the inner inputs of the loop that makes a value."""
    node = loop_of(value)
    found = known(node, reader())
    return [found.get(n, NONE) for n in range(len(node.op.inner_inputs))]


def test_sequences_and_what_all_steps_share_have_the_bounds_of_what_they_are() -> None:
    value, _ = aesara.scan(
        lambda a, b, c, d: a + b + c * d, [at.exp(X), X], None, [1 + at.square(Y), Y]
    )
    assert sorted(facts_of(value)) == sorted((UP, NONE, ONE, NONE))


def normal(s: Any) -> Any:
    return s / s.sum()


STATES: dict[str, tuple[Make, Any, Any]] = {
    "grows": (lambda row, s: s + at.exp(row), START, UP),
    "falls": (lambda row, s: s - at.exp(row), START, DOWN),
    "stays above": (lambda row, s: 0.5 * s + at.square(row), START + 1.0, UP),
    "stays well above": (lambda row, s: s + at.square(row), START + 1.0, ONE),
    "underflows": (lambda row, s: s * at.exp(row), START + 1.0, UP),
    "leaves": (lambda row, s: s + row, START + 1.0, NONE),
    "turns": (lambda row, s: -s + 0 * row, START + 1.0, EITHER),
    "is averaged": (lambda row, s: 0.75 * s + 0.25 * at.tanh(row), START, EITHER),
    "is averaged well below": (lambda row, s: 0.75 * s + at.tanh(row), START, Bounds(-16.0, 16.0)),
    "is normalised": (lambda row, s: normal(s * at.exp(row)), START + 0.25, SHARE),
    "is gated": (lambda row, s: at.sigmoid(row) * s, START + 1.0, SHARE),
    "is clipped": (lambda row, s: at.clip(s + row, -3.0, 2.0), START, Bounds(-3.0, 2.0)),
    "walks away": (lambda row, s: s + at.tanh(row), START, NONE),
    "is doubled": (lambda row, s: 2 * s + 0 * row, START + 1.0, ONE),
    "leaves by a difference": (lambda row, s: at.exp(row) - s, START + 1.0, NONE),
    "starts below": (lambda row, s: at.exp(row) + s, START - 1.0, Bounds(low=-1.0)),
    "does not depend on itself": (
        lambda row, s: at.exp(row) + 0 * s,
        START - 1.0,
        Bounds(low=-1.0),
    ),
}


@pytest.mark.parametrize(("step", "start", "expected"), STATES.values(), ids=STATES)
def test_a_state_has_bounds_that_a_step_keeps(step: Make, start: Any, expected: Any) -> None:
    value, _ = aesara.scan(step, [X], [start])
    assert facts_of(value) == [NONE, expected]


def test_states_keep_their_bounds_together_or_not_at_all() -> None:
    def turned(row: Any, a: Any, b: Any) -> Any:
        return b + at.square(row), a

    def left(row: Any, a: Any, b: Any) -> Any:
        return b + at.square(row), a - 1

    for step, expected in ((turned, UP), (left, NONE)):
        (value, _), _ = aesara.scan(step, [X], [START, START])
        assert facts_of(value) == [NONE, expected, expected]


def test_states_with_two_taps() -> None:
    first = at.constant(np.ones((2, 3)))
    for step, expected in (
        (lambda row, a, b: a + at.square(row) * b, ONE),
        (lambda row, a, b: a - at.square(row) * b, NONE),
    ):
        value, _ = aesara.scan(step, [X], [{"initial": first, "taps": [-1, -2]}])
        assert facts_of(value) == [NONE, expected, expected]


def test_what_a_loop_makes_has_bounds() -> None:
    (state, collected), _ = aesara.scan(
        lambda row, s: (s + at.square(row), -at.exp(row) * s), [X], [START, None]
    )
    left, _ = aesara.scan(lambda row, s: s + row, [X], [START])
    assert reader()(state) == UP
    assert reader()(collected) == DOWN
    assert reader()(left) == NONE


def test_an_op_made_from_a_graph_has_the_bounds_of_what_enters_it() -> None:
    a, b = at.dmatrices("a", "b")
    op = OpFromGraph([a, b], [a * at.exp(b)])
    assert facts_of(op(at.square(X), Y)) == [UP, NONE]
    assert reader()(op(at.square(X), Y)) == UP
    assert reader()(op(X, Y)) == NONE


# -- what it is good for -----------------------------------------------------------------------


@pytest.fixture
def _enabled() -> Iterator[None]:
    with kanrewrite.disabled():
        kanrewrite.enable()
        yield


def ratio(a: Any, y: Any) -> Any:
    return at.exp(-a) / (1 + at.exp(-a) * y)


def weighted(a: Any, y: Any) -> Any:
    return at.log((a * at.exp(y)).sum())


def written(value: Any) -> str:
    """What a function computes, its loops and what is fused included, in words."""
    texts: list[str] = []
    todo = [aesara.function([X, Y], value, mode=STAYING).maker.fgraph]
    while todo:
        for node in todo.pop().toposort():
            texts.append(str(node.op).lower())
            if isinstance(node.op, Scan):
                todo.append(node.op.fgraph)
    return " ".join(texts)


def each(step: Make, a: Any) -> Any:
    return aesara.scan(step, [a, Y])[0]


@pytest.mark.slow
@pytest.mark.usefixtures("_enabled")
def test_what_cannot_overflow_is_not_shifted() -> None:
    for a in (at.square(X), at.clip(X, -5, 5), 4 * at.tanh(X)):
        assert "maximum" not in written(each(ratio, a))
    for a in (X, at.minimum(X, 5), 400 * at.tanh(X)):
        assert "maximum" in written(each(ratio, a))


@pytest.mark.usefixtures("_enabled")
def test_logs_of_probabilities_are_not_shifted() -> None:
    def odds(a: Any, y: Any) -> Any:
        return at.exp(a) / (1 + at.exp(a) * y)

    assert "maximum" not in written(each(odds, log_softmax(X, axis=1)))
    assert "maximum" in written(each(odds, X))


@pytest.mark.usefixtures("_enabled")
def test_weights_that_are_not_zero_hide_nothing() -> None:
    guarded = written(each(weighted, at.square(X)))
    sure = written(each(weighted, at.clip(X, 0.1, 1.0)))
    assert "neq" in guarded
    assert "neq" not in sure


@pytest.mark.usefixtures("_enabled")
def test_a_state_that_stays_in_its_range_is_not_shifted() -> None:
    def step(sign: float) -> Any:
        def make(row: Any, y: Any, s: Any) -> Any:
            s = s + sign * at.square(row)
            return s, ratio(s, y)

        return aesara.scan(make, [X, Y], [START, None])[0][1]

    assert "maximum" not in written(step(1.0))
    assert "maximum" in written(step(-1.0))


@pytest.mark.usefixtures("_enabled")
def test_a_loop_in_a_loop_knows_what_is_outside_of_both() -> None:
    def outer(a: Any) -> Any:
        return aesara.scan(lambda row, y: aesara.scan(ratio, [row, y])[0], [a, Y])[0]

    assert "maximum" not in written(outer(at.square(X)))
    assert "maximum" in written(outer(X))


@pytest.mark.usefixtures("_enabled")
def test_of_one_op_as_much_is_known_at_each_node_as_there() -> None:
    node = loop_of(each(ratio, at.square(X)))
    others = [X if v is node.inputs[1] else v for v in node.inputs]
    both = [node.outputs[0], node.op.make_node(*others).outputs[0]]
    f = aesara.function([X, Y], both, mode=PYTHON)
    x = np.array([[600.0, -1e3, 2.0], [-800.0, 30.0, -0.5]])
    y = np.array([[2.0, 0.5, 1.0], [4.0, 3.0, 1.5]])
    np.testing.assert_allclose(f(x, y)[0], 1 / (np.exp(np.minimum(x**2, 700)) + y), atol=1e-300)
    np.testing.assert_allclose(f(x, y)[1], 1 / (np.exp(x) + y), rtol=1e-12)


@pytest.mark.spared
@pytest.mark.usefixtures("_enabled")
@pytest.mark.parametrize("start", [1.0, -1.0])
@pytest.mark.parametrize("step", [ratio, weighted], ids=lambda f: f.__name__)
def test_values_are_right(step: Make, start: float) -> None:
    def make(row: Any, y: Any, s: Any) -> Any:
        s = at.maximum(s, start) + at.square(row)
        return s, step(s, y)

    value = aesara.scan(make, [X, Y], [START, None])[0][1]
    draws = np.round(16 * np.random.default_rng(1).normal(size=(2, 4, 3))) / 16
    compiled = aesara.function([X, Y], value, mode=PYTHON)
    for scale in (1.0, 1e3, 1e5):
        given = dict(zip([X, Y], [draws[0] * scale, np.abs(draws[1]) * scale], strict=True))
        expected = np.asarray(evaluate([value], given)[0], "float64")
        np.testing.assert_allclose(compiled(*given.values()), expected, rtol=1e-10)
