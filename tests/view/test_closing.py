"""What is in range, and of which only the value is asked, is not looked into further on."""

import logging
from typing import Any

import numpy as np
import pytest
from aesara.graph.fg import FunctionGraph

from kanrewrite.terms import T
from kanrewrite.view.closing import cancel, opened, weight, without_excess
from kanrewrite.view.demand import Demand
from kanrewrite.view.read import View
from tests.benchmarks.unrolled import MODELS
from tests.modes import WHOLE
from tests.sparing import sparing
from tests.view.common import PLAIN, assert_right, at, function, grad, stock

X, Y = at.dvectors("x", "y")
#: A gate, which is between 0 and 1.
GATE = at.sigmoid(X)


def recurrent(steps: int) -> tuple[list[Any], list[Any], list[Any]]:
    """A long short-term memory: its inputs, loss and gradients, and everyday values."""
    shaped, loss = MODELS["gates"][0](steps)
    inputs = [variable for variable, _ in shaped]
    rng = np.random.default_rng(steps)
    return inputs, [loss, *grad(loss, inputs)], [rng.normal(size=shape) for _, shape in shaped]


def counts(steps: int, caplog: pytest.LogCaptureFixture) -> tuple[int, int]:
    """How many nodes of such a memory are read, and as how many forms."""
    inputs, outputs, _ = recurrent(steps)
    caplog.clear()
    with caplog.at_level(logging.DEBUG, logger="kanrewrite"):
        function(inputs, outputs, PLAIN.excluding("BlasOpt"))
    found = [r.args for r in caplog.records if "read as" in r.msg and isinstance(r.args, tuple)]
    return sum(args[2] for args in found), sum(args[3] for args in found)  # type: ignore[misc]


@pytest.mark.slow
def test_reading_a_recurrence_does_not_grow(caplog: pytest.LogCaptureFixture) -> None:
    (read, forms), (more_read, more_forms) = (counts(steps, caplog) for steps in (2, 4))
    assert 0 < more_read < 2.4 * read
    assert 0 < more_forms < 3.3 * forms  # of 1,035, where two steps had been 1,280


def test_bells_that_add_up_are_left_as_they_are() -> None:
    shaped, loss = MODELS["bells"][0](3)  # at each step what is squared is longer, and in range
    inputs = [variable for variable, _ in shaped]
    outputs = [loss, *grad(loss, inputs)]
    ours, theirs = function(inputs, outputs, WHOLE), stock(inputs, outputs, WHOLE)
    assert len(ours.maker.fgraph.apply_nodes) == len(theirs.maker.fgraph.apply_nodes)
    data = [np.random.default_rng(0).normal(size=shape) for _, shape in shaped]
    for got, wanted in zip(ours(*data), theirs(*data), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


@pytest.mark.parametrize("steps", sparing([1, 3]))
def test_a_recurrence_has_the_nodes_and_values_of_stock(steps: int) -> None:
    inputs, outputs, data = recurrent(steps)
    ours, theirs = function(inputs, outputs, WHOLE), stock(inputs, outputs, WHOLE)
    count, before = (len(f.maker.fgraph.apply_nodes) for f in (ours, theirs))
    assert count <= 1.6 * before  # it was 5 times that many
    for got, wanted in zip(ours(*data), theirs(*data), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)


def asked(output: Any) -> bool:
    """Whether more than the value of the gate is asked somewhere in a graph."""
    fgraph = FunctionGraph([X, Y], [output], clone=False)
    nodes = fgraph.toposort()
    demand = Demand([node.outputs[0] for node in nodes])
    return any(demand.asks(node, GATE) for node in nodes if GATE in node.inputs)


@pytest.mark.parametrize(
    "output",
    [GATE * Y, GATE + Y, at.exp(GATE), at.dot(GATE, Y), Y / (1 + GATE), at.tanh(GATE) * Y],
    ids=str,
)
def test_who_asks_for_the_value_alone(output: Any) -> None:
    assert not asked(output)


@pytest.mark.parametrize(
    "output",
    [
        at.log(GATE),
        at.log(Y * GATE),
        at.log((Y * GATE).sum()),
        Y / GATE,
        GATE / at.sigmoid(X + 1).sum(),
        GATE**0.5,
        at.gt(GATE, Y),
        GATE * (X - (GATE * X).sum()),
        at.log(1 - at.exp(-GATE)),
    ],
    ids=str,
)
def test_who_asks_how_small_it_is(output: Any) -> None:
    assert asked(output)


def test_a_long_product_is_looked_into_where_its_log_is_taken() -> None:
    inputs, _, data = recurrent(2)
    gates = [1 / (1 + at.exp(-inputs[0][0] - n)) for n in range(12)]
    total = at.log(at.prod(at.stack(gates), axis=0)).sum()
    data[0][:] = -700.0
    wanted = sum(-np.logaddexp(0, 700 - n) for n in range(12)) * data[0].shape[1]
    got = function(inputs, [total])(*data)[0]
    np.testing.assert_allclose(got, wanted, rtol=1e-14)


def test_what_brings_an_exponential_back_is_looked_into() -> None:
    terms = [at.exp(-X * n) / (1 + at.exp(-X * n)) * (Y + n) for n in range(1, 8)]
    gate = at.exp(-X) / (1 + at.exp(-X))
    out = gate * at.exp(X) * sum(terms)
    x, y = np.array([800.0, 2.0]), np.array([0.5, -0.25])
    got = function([X, Y], out)(x, y)
    s = np.exp(-np.arange(1, 8) * x[1]) / (1 + np.exp(-np.arange(1, 8) * x[1]))
    wanted = [0.0, (s * (y[1] + np.arange(1, 8))).sum() / (1 + np.exp(-x[1]))]
    np.testing.assert_allclose(got, wanted, rtol=1e-13, atol=1e-300)


def test_of_what_is_out_of_range_the_part_in_range_is_closed() -> None:
    view = View()
    a = view.algebra("float64")
    gates: Any = 1.0
    for z in at.dvectors(16):
        gates = gates / (1 + at.exp(-z))
    rest = view.read(gates)
    form = a.mul(rest, a.exp(view.read(X)))
    assert without_excess(form, a) is rest
    assert without_excess(rest, a) is None  # that is in range as it is
    assert without_excess(a.mul(form, a.exp(a.neg(view.read(X)))), a) is None
    part = a.app(T.closed, rest)
    assert weight(part) == 1 < weight(rest)
    assert opened(a.mul(a.exp(view.read(X)), part), {part: rest}, a) is form


def test_the_slope_of_a_gate_whose_exponential_went_into_a_sum() -> None:
    terms = [Y / (1 + at.exp(-Y * n)) for n in range(1, 13)]
    inner = sum(t * at.exp(-X) / (1 + at.exp(-n * X - Y)) for n, t in enumerate(terms))
    out = inner / (1 + at.exp(-X)) / (1 + at.exp(-X))
    x, y = np.array([-800.0, 800.0, 1.5]), np.array([0.5, 0.25, -2.0])
    sums = [
        y[2] / (1 + np.exp(-y[2] * n)) / (1 + np.exp(-(n - 1) * x[2] - y[2])) for n in range(1, 13)
    ]
    slope = np.exp(-x[2]) / (1 + np.exp(-x[2])) ** 2
    got = function([X, Y], out)(x, y)
    np.testing.assert_allclose(got, [0.0, 0.0, sum(sums) * slope], rtol=1e-13)


@pytest.mark.slow
def test_a_long_recurrence_has_few_more_nodes_than_stock() -> None:
    inputs, outputs, data = recurrent(8)
    ours, theirs = function(inputs, outputs, WHOLE), stock(inputs, outputs, WHOLE)
    count, before = (len(f.maker.fgraph.apply_nodes) for f in (ours, theirs))
    assert count <= 1.3 * before  # it was 6.4 times that many
    for got, wanted in zip(ours(*data), theirs(*data), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=1e-13)


def test_forms_that_share_their_parts_are_walked_once() -> None:
    view = View()
    a = view.algebra("float64")
    x, y = view.read(X), view.read(Y)
    form = x
    for _ in range(60):  # a tree of 2**60 leaves
        form = a.app(T.switch, y, form, a.mul(form, y))
    assert not cancel([form, y], {view.read(at.dvector()): Y}, a)
    assert cancel([form, a.one], {x: X}, a)


def test_a_dot_product_in_an_exponent_is_met_as_a_whole() -> None:
    """The slope in a decoder's bias, of logits that are made of exponentials."""
    q, x, m, d, w = at.dmatrices("q", "x", "m", "d", "w")
    c = at.dvector("c")
    rng = np.random.default_rng(2)
    shapes = [(5, 3), (5, 3), (5, 3), (3, 3), (3, 3), (3,)]
    values = [1.5 * rng.normal(size=shape) for shape in shapes]
    values[1] = (values[1] > 0).astype(float)
    logits = at.dot(m + at.exp(at.dot(at.tanh(q), w)), d) + c
    p = at.exp(logits) / (1 + at.exp(logits))
    loss = -(x * at.log(p) + (1 - x) * at.log(1 - p)).sum(axis=1).mean()
    assert_right([q, x, m, d, w, c], [grad(loss, c)], values, 1e-13)
