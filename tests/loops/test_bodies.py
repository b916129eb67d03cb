"""The library in the steps of loops, before anything leaves them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.builders import OpFromGraph
from aesara.compile.mode import optdb
from aesara.graph.basic import io_toposort
from aesara.graph.fg import FunctionGraph
from aesara.scan.op import Scan
from aesara.tensor.special import Softmax

import kanrewrite
from kanrewrite.inner import waiting
from kanrewrite.inner.bodies import BodiesPass
from tests.modes import python
from tests.sparing import sparing

PYTHON = python()
X = np.array([[1.0, -2.0, 0.5], [1e3, 0.0, -1e3], [800.0, 800.0, 799.0]])

Make = Callable[[Any], Any]


@pytest.fixture(autouse=True)
def _enabled() -> Iterator[None]:
    kanrewrite.enable()
    yield
    kanrewrite.disable()


def soft(row: Any) -> Any:
    e = at.exp(row)
    return e / e.sum()


def steps(f: Any) -> list[Any]:
    """The Ops of the steps of a function's loops."""
    found: list[Any] = []
    todo = [f.maker.fgraph]
    while todo:
        for node in todo.pop().toposort():
            if isinstance(node.op, Scan):
                todo.append(node.op.fgraph)
                found.extend(n.op for n in node.op.fgraph.toposort())
    return found


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def softmax_gradient(x: Any, upstream: Any) -> Any:
    p = softmax(x)
    return p * (upstream - (p * upstream).sum(-1, keepdims=True))


def test_a_softmax_of_each_step_is_one_operator_in_the_step() -> None:
    x = at.matrix("x")
    rows, _ = aesara.scan(soft, sequences=[x])
    f = aesara.function([x], rows, mode=PYTHON)
    assert any(isinstance(op, Softmax) for op in steps(f))
    np.testing.assert_allclose(f(X), softmax(X))


@pytest.mark.parametrize("grad", sparing([kanrewrite.grad, aesara.grad]))
def test_gradients_of_loops(grad: Any) -> None:
    x = at.matrix("x")
    rows, _ = aesara.scan(soft, sequences=[x])
    weights = np.arange(9.0).reshape(3, 3)
    f = aesara.function([x], grad((rows * weights).sum(), x), mode=PYTHON)
    np.testing.assert_allclose(f(X), softmax_gradient(X, weights), atol=1e-300)


def test_nested_loops() -> None:
    x = at.tensor3("x")
    out, _ = aesara.scan(lambda m: aesara.scan(soft, sequences=[m])[0], sequences=[x])
    f = aesara.function([x], out, mode=PYTHON)
    np.testing.assert_allclose(f(X[None]), softmax(X)[None])


def test_a_loop_with_nothing_to_do_stays_the_same() -> None:
    x = at.matrix("x")
    rows, _ = aesara.scan(lambda r, s: at.tanh(r + s), sequences=[x], outputs_info=[x[0]])
    before = rows.owner.inputs[0].owner.op
    with kanrewrite.trace() as trace:
        outputs = kanrewrite.stabilize(rows)
    assert not trace.fired_events
    assert before in [n.op for n in io_toposort([x], outputs)]


def test_loops_that_share_a_step_share_it_afterwards() -> None:
    x, y = at.matrices("x", "y")
    first, _ = aesara.scan(soft, sequences=[x])
    op = first.owner.op
    fgraph = FunctionGraph([x, y], [first, op(y.shape[0], y, y.shape[0])])
    (bodies,) = (p for p in optdb.query("+fast_run") if isinstance(p, BodiesPass))
    bodies.apply(fgraph)
    loops = [n.op for n in fgraph.toposort() if isinstance(n.op, Scan)]
    assert len(loops) == 2
    assert loops[0] is loops[1]
    assert loops[0] is not op


def logsumexp(row: Any) -> Any:
    return at.log(at.exp(row).sum())


def in_a_loop(x: Any) -> Any:
    return aesara.scan(logsumexp, sequences=[x])[0]


def total(row: Any, before: Any) -> Any:
    return at.log(at.exp(row).sum() + at.exp(before))


def in_a_state(x: Any) -> Any:
    """What overflows cannot leave this loop: it is compiled in the step."""
    return aesara.scan(total, sequences=[x], outputs_info=[at.zeros(())])[0]


def in_an_op(x: Any) -> Any:
    m = at.matrix("m")
    return OpFromGraph([m], [total(m, m[0, 0])])(x)


@pytest.mark.spared
@pytest.mark.parametrize("graph", [in_a_loop, in_a_state, in_an_op])
@pytest.mark.parametrize("excluded", ["kanrewrite", "lifting"])
def test_what_a_mode_excludes_stays_out_of_inner_graphs(graph: Any, excluded: str) -> None:
    x = at.matrix("x")
    found = []
    for mode in (PYTHON, PYTHON.excluding(excluded)):
        with kanrewrite.trace(refusals=False) as trace, np.errstate(over="ignore"):
            f = aesara.function([x], graph(x), mode=mode)
            fired = bool(trace.fired_events)
            found.append((fired, bool(np.isinf(f(X)).any())))
    assert found == [(True, False), (False, True)]


@pytest.mark.parametrize("grad", sparing([kanrewrite.grad, aesara.grad]))
def test_gradients_where_two_cases_meet(grad: Any) -> None:
    """The loop that is differentiated is the one that the user wrote."""
    x = at.matrix("x")
    sums, _ = aesara.scan(lambda r, s: at.log(at.exp(r) + at.exp(s)), [x], [at.zeros(3)])
    f = aesara.function([x], grad(sums[-1].sum(), x), mode=PYTHON)
    np.testing.assert_allclose(f(np.zeros((3, 3))), np.full((3, 3), 0.25))
    np.testing.assert_allclose(f(np.full((3, 3), 1e3)), np.full((3, 3), 1 / 3))


@pytest.mark.slow
@pytest.mark.parametrize("grad", [kanrewrite.grad, aesara.grad])
def test_what_python_computes_of_a_gradient_is_written(grad: Any) -> None:
    """Where no node of a step overwrites what it reads, the linker must write it."""
    x = at.matrix("x")

    def step(row: Any, weights: Any) -> Any:
        weights = weights * at.exp(row)
        return weights / weights.sum(), at.log(weights.sum())

    info = [at.ones(3) / 3, None]
    seen = aesara.scan(step, sequences=[x], outputs_info=info, mode=PYTHON)[0][1]
    f = aesara.function([x], grad(seen.sum(), x), mode=PYTHON)
    near = np.array([[0.1, -0.6, 0.5], [0.3, 0.2, -1.0], [0.0, 0.7, -0.4]])
    np.testing.assert_allclose(f(near), np.tile(softmax(near.sum(0)), (3, 1)))


@pytest.mark.slow
def test_all_that_is_added_to_a_state_is_there() -> None:
    """Aesara moves a dot out of a sum with a state, and forgets operands beyond the second.

    A weight that a step uses thrice has a derivative of three dots, beside what the steps after
    have made of it: canonicalized, one sum of four.
    """
    x, w = at.matrices("xw")

    def step(row: Any, h: Any) -> Any:
        return soft(at.dot(row, w) + at.dot(h, at.square(w)) + at.dot(at.tanh(h), w))

    states, _ = aesara.scan(step, [x], [at.ones(3)])
    last, unrolled = at.ones(3), []
    for n in range(3):
        last = step(x[n], last)
        unrolled.append(last)
    costs = [at.square(seen).sum() for seen in (states, at.stack(unrolled))]
    f = aesara.function([x, w], [aesara.grad(cost, w) for cost in costs], mode=PYTHON)
    found, expected = f(X / 1000, X[::-1] / 1000)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_disabled_the_library_leaves_nothing_behind() -> None:
    kanrewrite.disable()
    assert not any("transform" in vars(rewriter) for rewriter in waiting._MOVING)
