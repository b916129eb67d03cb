"""Loops that carry the logs of what they multiply, where somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.scan.op import Scan
from aesara.scan.utils import until
from aesara.tensor.shape import specify_shape, unbroadcast

import kanrewrite
from kanrewrite.inner.levels import Levels
from kanrewrite.reference import evaluate, round_to
from tests.loops.checking import GRADIENTS, PRECISION, PYTHON, switched
from tests.loops.corpus import LOOPS, soft, upstream

LEVELS = Levels(kanrewrite.registry.usual())


def compiled(inputs: list[Any], outputs: list[Any], without: str = "") -> tuple[Any, int]:
    """A function with the library, and how many loops carry logs in it."""
    mode = PYTHON.excluding(without) if without else PYTHON
    with switched(True), kanrewrite.trace() as steps:
        function = aesara.function(inputs, outputs, mode=mode, on_unused_input="ignore")
    return function, sum(event.name == "loop_levels" for event in steps.fired_events)


def assert_right(function: Any, inputs: list[Any], outputs: list[Any], values: list[Any]) -> None:
    with np.errstate(all="ignore"):
        found = function(*values)
    exact = evaluate(outputs, dict(zip(inputs, values, strict=True)))
    for f, e, o in zip(found, exact, outputs, strict=True):
        np.testing.assert_allclose(f, round_to(e, o.type.dtype), rtol=PRECISION, atol=PRECISION)


def hidden(p: Any, a: Any) -> Any:
    """The probabilities of all that was seen, and of each state."""
    start = at.ones(3) / 3
    return aesara.scan(lambda p, s, a: at.dot(s, a) * p, [p], [start], non_sequences=[a])[0]


def seen(steps: int, scale: float) -> list[Any]:
    """Likelihoods of each state in each step, one of them 0, and transitions, two of them 0."""
    rng = np.random.default_rng(steps)
    p, a = np.exp(-scale * rng.random((steps, 3))), rng.random((3, 3))
    p[2, 1] = a[0, 2] = a[2, 0] = 0
    return [p, a / a.sum(1, keepdims=True)]


@pytest.mark.parametrize(("steps", "scale"), [(200, 20.0)])
def test_likelihoods_do_not_underflow(steps: int, scale: float) -> None:
    p, a = at.matrices("pa")
    value = at.log(hidden(p, a)[-1].sum())
    function, carried = compiled([p, a], [value])
    assert carried == 1
    assert_right(function, [p, a], [value], seen(steps, scale))


@pytest.mark.slow
@pytest.mark.parametrize("kind", GRADIENTS)
def test_their_gradients_do_not_underflow(kind: str) -> None:
    p, a = at.matrices("pa")
    value = at.log(hidden(p, a)[-1].sum())
    function, carried = compiled([p, a], GRADIENTS[kind](value, [p, a]))
    assert carried == 2
    for steps, scale in ((4, 1.0), (100, 20.0)):
        written_out: Any = aesara.grad(value, [p, a])
        assert_right(function, [p, a], written_out, seen(steps, scale))


ASKED: dict[str, Callable[[Any], Any]] = {
    "product": lambda x: at.log(scan(lambda r, s: s * soft(r), x, at.ones(3))),
    "posterior": lambda x: normal(scan(lambda r, s: s * at.exp(r), x, at.ones(3))[-1]),
    "paths": lambda x: at.log(scan(advance, x, at.eye(3)[0])[-1]),
    "best": lambda x: at.log(scan(best, x, at.ones(3))[-1]),
    "matrix scaled": lambda x: aesara.scan(doubly, outputs_info=[at.exp(x)], n_steps=3)[0][-1],
    "two back": lambda x: at.log(scan(two_back, x, at.ones((2, 3)), [-2, -1])[-1]),
    "by its maximum": lambda x: scan(by_maximum, x, at.ones(3)),
    "until": lambda x: at.log(scan(until_small, x, at.ones(3))[-1]),
    "running maximum": lambda x: running(x)[-1],
    "odds": lambda x: scan(odds, x, at.ones(3) / 2),
    "knowledge": lambda x: aesara.scan(knowledge, [x], [at.ones(3) / 2, None])[0][1],
    "gains": lambda x: scan(gains, x, at.ones(3)),
    "shares beside a number": lambda x: at.log(scan(descent(0.5), x, at.ones(3) / 3)),
    "each step": lambda x: at.log(aesara.scan(soft, [x])[0]),
}


def scan(step: Any, x: Any, start: Any, taps: Any = (-1,)) -> Any:
    return aesara.scan(step, [x], [{"initial": start, "taps": list(taps)}])[0]


def normal(s: Any) -> Any:
    return s / s.sum()


def advance(r: Any, s: Any) -> Any:
    """Stay, or advance by one."""
    return at.concatenate([s[:1], s[1:] + s[:-1]]) * at.exp(r)


def best(r: Any, s: Any) -> Any:
    return (s[:, None] * soft(r)).max(0)


def by_maximum(r: Any, s: Any) -> Any:
    s = s * at.exp(r)
    return s / s.max()


def doubly(p: Any) -> Any:
    """Rows and columns are made to add up to 1."""
    p = p / p.sum(1, keepdims=True)
    return p / p.sum(0, keepdims=True)


def two_back(r: Any, a: Any, b: Any) -> Any:
    return (a + b) * at.exp(r)


def running(x: Any) -> Any:
    """Averages weighted by a softmax, of which the first maximum is far below all logits."""

    def step(r: Any, m: Any, d: Any, o: Any) -> Any:
        top = at.maximum(m, r[0])
        before, now = d * at.exp(m - top), at.exp(r[0] - top)
        return top, before + now, (o * before + r * now) / (before + now)

    start = [at.constant(np.float64(-1e300)), at.zeros(()), at.zeros(3)]
    return aesara.scan(step, [x], start)[0][2]


def odds(r: Any, p: Any) -> Any:
    """A probability, that tells nothing of 1 - p where it is nearly 1."""
    q = p * at.exp(r / 4)
    return q / (q + (1 - p))


def knowledge(r: Any, p: Any) -> Any:
    """Whether something is known, as answers tell; it may be learned in each step."""
    known = odds(r, p)
    return known + (1 - known) / 8, at.log(known)


def gains(r: Any, p: Any) -> Any:
    """As of a filter: what is taken from 1 has been divided by what is as large."""
    gain = p * (1 / (p + at.exp(r)))
    return (1 - gain) * p + at.exp(-r)


def descent(number: float, by: Any = at.tanh) -> Any:
    """Shares that a step multiplies by what their mean lacks of a number."""

    def step(r: Any, p: Any) -> Any:
        p = p * at.exp(r * (number - (p * by(r)).sum()))
        return p / p.sum()

    return step


def until_small(r: Any, s: Any) -> Any:
    new = s * at.exp(-at.square(r))
    return new, until(at.lt(new[0], 1e-9))


@pytest.mark.spared
@pytest.mark.parametrize(
    "name", [n if n != "paths" else pytest.param(n, marks=pytest.mark.slow) for n in ASKED]
)
def test_what_is_asked_for_is_carried(name: str) -> None:
    x = at.matrix("x")
    value = ASKED[name](x)
    function, carried = compiled([x], [value])
    assert carried == 1
    values = np.round(16 * np.random.default_rng(0).normal(size=(6, 3))) / 16
    for scale in (1.0, 1e3):
        assert_right(function, [x], [value], [scale * values])


@pytest.mark.slow
@pytest.mark.parametrize("kind", GRADIENTS)
def test_gradients_know_what_states_lack(kind: str) -> None:
    x = at.matrix("x")
    value = ASKED["odds"](x)[-1].sum()
    function, carried = compiled([x], GRADIENTS[kind](value, [x]))
    assert carried == 2
    values = np.round(16 * np.random.default_rng(1).normal(size=(4, 3))) / 16
    for scale in (1.0, 100.0):
        written_out: Any = aesara.grad(value, [x])
        assert_right(function, [x], written_out, [scale * values])


@pytest.mark.slow
def test_nothing_is_lacked_at_first() -> None:
    """The log of nothing is what it is without the library."""
    x = at.matrix("x")

    def step(row: Any, s: Any) -> Any:
        return s * (1 - 1 / (1 + at.exp(-row))), at.log(1 - s)

    value = aesara.scan(step, [x], [at.ones(3), None])[0][1]
    function, carried = compiled([x], [value])
    assert carried == 1
    assert_right(function, [x], [value], [np.array([[0.5, 40.0, -800.0]] * 3)])


def test_the_log_of_zero_neither_overflows_nor_is_infinite() -> None:
    level = LEVELS.of(at.constant(np.array([0.0, 2.0])), signed=True)
    log, sign = (v.eval() for v in level.parts)
    assert np.exp(log[0] + 1e6) * sign[0] == 0
    np.testing.assert_array_equal(log - log, [0, 0])


#: How loops move what enters them and what their derivatives hand out.
LENGTHS: dict[str, Callable[[Any], Any]] = {
    "unknown": lambda v: unbroadcast(v[None], 0),
    "known": lambda v: specify_shape(v.reshape((v.size, v.size // v.size)), [None, 1]),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_exponentials_are_seen_through_what_says_of_lengths(name: str) -> None:
    x = at.vector("x")
    value = at.log(LENGTHS[name](at.exp(x)))
    assert_right(compiled([x], [value])[0], [x], [value], [np.array([-1e3, 1.0, 1e3])])


def test_the_largest_of_what_is_carried_is_found_among_logs() -> None:
    x = at.matrix("x")

    def step(row: Any, s: Any) -> Any:
        s = s * at.exp(row)
        return s, row[at.argmax(s)]

    last, picked = aesara.scan(step, [x], [at.ones(3), None])[0]
    outputs = [at.log(last[-1]), picked]
    function, carried = compiled([x], outputs)
    assert carried == 1
    (loop,) = [n.op for n in function.maker.fgraph.apply_nodes if isinstance(n.op, Scan)]
    found = [n for n in loop.fgraph.apply_nodes if "argmax" in str(n.op).lower()]
    assert found
    assert_right(function, [x], outputs, [1e5 * np.array([[1.0, 2, 3], [-9, 5, 1], [9, -8, 1]])])


def test_the_largest_of_any_sign_is_found_among_numbers() -> None:
    x = at.matrix("x")

    def step(row: Any, s: Any) -> Any:
        s = s * row * at.exp(row)
        return s, row[at.argmax(s)]

    last, picked = aesara.scan(step, [x], [at.ones(3), None])[0]
    assert compiled([x], [at.log(at.abs(last[-1])), picked])[1] == 0


@pytest.mark.slow
def test_the_largest_share_is_one_of_them_in_a_derivative() -> None:
    x = at.matrix("x")

    def step(row: Any, p: Any) -> Any:
        p = normal(p * at.exp(row))
        return p, at.log(p.max())

    written_out: Any = aesara.grad(aesara.scan(step, [x], [at.ones(3) / 3, None])[0][1].sum(), [x])
    function, carried = compiled([x], written_out)
    assert carried == 2
    values = np.array([[1.0, 2.5, -3.0], [2.0, -1.5, 0.5], [-1.0, 0.25, 2.0]])
    for scale in (1.0, 1e3):
        assert_right(function, [x], written_out, [scale * values])


STABLE: dict[str, Callable[[Any], Any]] = {
    "nobody asks": lambda x: scan(lambda r, s: s * r, x, at.ones(3)),
    "a number is added": lambda x: at.log(scan(lambda r, s: s * r + 1, x, at.ones(3))),
    "under a bounded function": lambda x: at.log(scan(lambda r, s: at.tanh(r * s), x, at.ones(3))),
    "the divisor is away from zero": lambda x: scan(
        lambda r, s: s * r / (s.sum() + 1), x, at.ones(3)
    ),
    "normalised, no exponential": lambda x: scan(lambda r, s: normal(s * r), x, at.ones(3)),
    "may cancel with a number": lambda x: scan(odds, x, x[0]),
    "shares beside a small number": lambda x: at.log(scan(descent(1e-3), x, at.ones(3) / 3)),
    "what is large beside a number": lambda x: at.log(
        scan(descent(0.5, at.sinh), x, at.ones(3) / 3)
    ),
    "sums": lambda x: at.log(scan(lambda r, s: s + r, x, at.ones(3))),
}


@pytest.mark.spared
@pytest.mark.parametrize("name", STABLE)
def test_other_loops_stay_as_they_are(name: str) -> None:
    x = at.matrix("x")
    assert compiled([x], [STABLE[name](x)])[1] == 0


@pytest.mark.slow
def test_a_derivative_that_compares_has_what_it_compares() -> None:
    x = at.matrix("x")
    value: Any = aesara.grad(ASKED["best"](x).sum(), x)
    function, carried = compiled([x], [value])
    assert carried == 0
    assert_right(function, [x], [value], [np.random.default_rng(0).normal(size=(4, 3))])


def shifted(r: Any, s: Any) -> Any:
    """A softmax with the maximum taken out by hand."""
    z = r + s
    return soft(z - z.max())


@pytest.mark.slow
@pytest.mark.parametrize("kind", GRADIENTS)
def test_a_derivative_may_compare_what_it_does_not_carry(kind: str) -> None:
    x = at.matrix("x")
    value = at.log(scan(shifted, x, at.zeros(3)))[:, 0].sum()
    function, carried = compiled([x], GRADIENTS[kind](value, [x]))
    assert carried == 2
    values = np.round(16 * np.random.default_rng(2).normal(size=(4, 3))) / 16
    for scale in (1.0, 1e3):
        written_out: Any = aesara.grad(value, [x])
        assert_right(function, [x], written_out, [scale * values])


@pytest.mark.parametrize("name", ["loop_levels", "loops", "kanrewrite"])
def test_it_can_be_left_out(name: str) -> None:
    x = at.matrix("x")
    assert compiled([x], [ASKED["product"](x)], without=name)[1] == 0


def test_a_positive_state_needs_no_sign() -> None:
    x = at.matrix("x")
    function, _ = compiled([x], [ASKED["product"](x)])
    (loop,) = [n.op for n in function.maker.fgraph.apply_nodes if isinstance(n.op, Scan)]
    assert loop.info.n_sit_sot == 2
    assert not any("sgn" in str(n.op).lower() for n in loop.fgraph.apply_nodes)


@pytest.mark.parametrize("signed", [False, True])
def test_what_is_carried_has_all_its_digits(signed: bool) -> None:
    values = np.array([1.0, 1e300, 3e-300, 0.0, np.inf, np.nan, -7.0 if signed else 7.0])
    x = at.vector("x")
    with np.errstate(all="ignore"):
        for v in (x, at.constant(values)):
            level = LEVELS.of(v, signed)
            f = aesara.function([x], [*level.parts, LEVELS.value(level)], on_unused_input="ignore")
            whole, rest, value = f(values)
            np.testing.assert_allclose(value, values, rtol=1e-12)
            assert np.all((abs(rest[:3]) > 0.6) & (abs(rest[:3]) < 1.65))
            np.testing.assert_array_equal(whole[:3], np.round(np.log(values[:3])))


@pytest.mark.slow
@pytest.mark.parametrize("kind", GRADIENTS)
def test_differences_of_what_is_carried_keep_their_digits(kind: str) -> None:
    """Logs of 1e5 have eleven digits, and so had the slopes of running means."""

    def step(row: Any, n: Any, d: Any) -> Any:
        n, d = n + at.exp(row) * at.sin(row), d + at.exp(row)
        return n, d, n / d

    x = at.matrix("x")
    (_, _, means), _ = aesara.scan(step, [x], [at.zeros(2), at.zeros(2), None])
    outputs = GRADIENTS[kind](upstream(means), [x])
    function, carried = compiled([x], outputs)
    assert carried
    values = 1e5 + np.random.default_rng(3).normal(size=(4, 2))
    written_out: Any = aesara.grad(upstream(means), [x])
    assert_right(function, [x], written_out, [values])


@pytest.mark.slow
def test_what_a_derivative_takes_the_log_of_is_collected_as_one() -> None:
    """Its own states stay what they are: none of them is as large as the other is small."""

    def step(row: Any, s: Any) -> Any:
        p = soft(row + s)
        return s + p, p, -(p * at.log(p)).sum()

    x = at.matrix("x")
    (_, p, entropy), _ = aesara.scan(step, [x], [at.zeros(3), None, None])
    outputs = [aesara.grad((p[:, 0] + 2 * entropy).sum(), x)]
    function, carried = compiled([x], outputs)
    assert carried == 2
    loops = [node.op for node in function.maker.fgraph.apply_nodes if isinstance(node.op, Scan)]
    assert sorted(op.info.n_mit_mot for op in loops) == [0, 1]
    assert_right(function, [x], outputs, [np.array([[1e3, -500.0, 250.0], [500.0, 2e3, -1e3]])])


@pytest.mark.slow
@pytest.mark.xfail(reason="what is carried as logs does not cancel in it; without the library: nan")
def test_the_second_derivative_of_scalings_vanishes_where_they_are_settled() -> None:
    x, direction = at.dmatrices("x", "direction")
    cost = upstream(LOOPS["sinkhorn_by_scalings"].build(x))
    f, _ = compiled([x, direction], [kanrewrite.hvp(cost, x, direction)])
    logits = np.array([[-375.0, 1187.5, 1375.0], [312.5, 437.5, -500.0], [-937.5, -875.0, -1e3]])
    along = np.round(16 * np.random.default_rng(5).normal(size=(3, 3))) / 16
    with np.errstate(all="ignore"):
        (found,) = f(logits, along)
    np.testing.assert_allclose(found, np.zeros((3, 3)), atol=1e-12)


@pytest.mark.slow
def test_products_of_the_hessian_of_a_normalised_forward_pass() -> None:
    """At the last step the derivative is 0: its log, far below all others, takes no digits."""
    x, a, dx, da = at.dvectors("x", "a", "dx", "da")

    def step(r: Any, q: Any, s: Any) -> tuple[Any, Any]:
        total = s * at.exp(q) + at.exp(r)
        return s * at.exp(q) / total, total

    start = at.as_tensor_variable(np.float64(1.0))
    (_, totals), _ = aesara.scan(step, sequences=[x, a], outputs_info=[start, None])
    made: list[Any] = []
    s: Any = start
    for n in range(2):
        s, total = step(x[n], a[n], s)
        made.append(total)

    def cost(values: list[Any]) -> Any:
        return values[0] + values[1] * np.cos(1.0)

    slopes: Any = aesara.grad(cost(made), [x, a])
    expected: Any = aesara.grad((slopes[0] * dx).sum() + (slopes[1] * da).sum(), [x, a])
    found = kanrewrite.hvp(cost([totals[0], totals[1]]), [x, a], [dx, da])
    function, _ = compiled([x, a, dx, da], list(found))
    for scale in (1.0, 1e3):
        values = [np.array([0.5, -1.25]), np.array([-0.75, 0.5])]
        values = [*(scale * v for v in values), np.array([1.0, 0.25]), np.array([-0.5, 1.5])]
        assert_right(function, [x, a, dx, da], expected, values)
