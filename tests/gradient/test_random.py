"""Random graphs: kanrewrite.grad, jvp and hvp against aesara.grad and finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanrewrite
from tests.gradient.common import at, compiled, eager_grad

#: Elementwise functions, smooth where the graphs below use them: of Aesara, and of mpmath.
UNARY: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "tanh": (at.tanh, mpmath.tanh),
    "exp": (lambda x: at.exp(at.tanh(x)), lambda x: mpmath.exp(mpmath.tanh(x))),
    "sigmoid": (lambda x: 1 / (1 + at.exp(-x)), lambda x: 1 / (1 + mpmath.exp(-x))),
    "log1p": (lambda x: at.log1p(x**2), lambda x: mpmath.log(1 + x**2)),
    "sin": (at.sin, mpmath.sin),
    "halve": (lambda x: x / 2, lambda x: x / 2),
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / (2 + b * b),
}

#: A program: each step applies a function to results of earlier steps, given by their numbers.
Program = list[tuple[str, int, int]]
programs: st.SearchStrategy[Program] = st.lists(
    st.tuples(st.sampled_from([*UNARY, *BINARY]), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=7,
)


def run(program: Program, x: Any, y: Any, which: int) -> list[Any]:
    """All results: of Aesara's variables (which = 0) or of mpmath's numbers (1)."""
    found = [x, y]
    for name, i, j in program:
        a, b = found[i % len(found)], found[j % len(found)]
        found.append(UNARY[name][which](a) if name in UNARY else BINARY[name](a, b))
    return found


def symbolic(program: Program) -> tuple[Any, Any, list[Any], Any]:
    x, y = at.vector("x"), at.vector("y")
    found = run(program, x, y, 0)
    weights = [(k + 1) * v.sum() for k, v in enumerate(found)]
    return x, y, found, (found[-1] * found[-1]).sum() + 0.1 * at.add(*weights)


X, Y, V = np.array([0.3, -0.8]), np.array([0.5, 1.1]), np.array([0.7, -0.2])


@pytest.mark.slow
@settings(max_examples=6)
@given(program=programs, middle=st.integers(0, 8), optimizer=st.sampled_from(["fast_run", None]))
def test_against_aesara(program: Program, middle: int, optimizer: Any) -> None:
    x, y, found, cost = symbolic(program)
    h = found[middle % len(found)]

    def all_of(grad: Any) -> list[Any]:
        ignore: dict[str, Any] = {"disconnected_inputs": "ignore"}
        first = grad(cost, [x, y, h], **ignore)
        total = sum(((g * V).sum() for g in first), start=at.constant(0.0))
        return [*first, *grad(total, [x, h], **ignore)]

    expected = compiled([x, y], all_of(eager_grad), None)(X, Y)
    result = compiled([x, y], all_of(kanrewrite.grad), optimizer)(X, Y)
    for a, b in zip(result, expected, strict=True):
        np.testing.assert_allclose(a, b, 1e-9, 1e-11)


@pytest.mark.slow
@settings(max_examples=10)
@given(program=programs)
def test_against_finite_differences(program: Program) -> None:
    """Central differences with 60 digits: their error is far below that of the result."""
    x, y, _, cost = symbolic(program)
    v = at.vector("v")
    outputs = [
        kanrewrite.grad(cost, x, disconnected_inputs="ignore"),
        kanrewrite.jvp(cost, x, v, disconnected_inputs="ignore"),
        kanrewrite.hvp(cost, x, v, disconnected_inputs="ignore"),
    ]
    gradient, along, second = compiled([x, y, v], outputs)(X, Y, V)

    def value(a: Any, b: Any) -> Any:
        rows = [run(program, p, mpmath.mpf(q), 1) for p, q in zip((a, b), Y, strict=True)]
        last = sum(r[-1] * r[-1] for r in rows)
        return last + mpmath.mpf("0.1") * sum((k + 1) * z for r in rows for k, z in enumerate(r))

    with mpmath.workdps(60):
        at_x = [mpmath.mpf(p) for p in X]
        expected = [mpmath.diff(value, tuple(at_x), n) for n in ((1, 0), (0, 1))]
        hessian = [
            [mpmath.diff(value, tuple(at_x), n) for n in row]
            for row in (((2, 0), (1, 1)), ((1, 1), (0, 2)))
        ]
    floats = [float(e) for e in expected]
    scale = 0.1 + max(map(abs, floats))
    np.testing.assert_allclose(gradient, floats, 1e-9, 1e-10 * scale)
    np.testing.assert_allclose(along, np.dot(floats, V), 1e-9, 1e-10 * scale)
    rows = np.array([[float(e) for e in row] for row in hessian])
    np.testing.assert_allclose(second, rows @ V, 1e-8, 1e-9 * (scale + np.abs(rows).max()))


@pytest.mark.parametrize("large", [50.0, 800.0])
def test_a_softmax_that_would_overflow(large: float) -> None:
    """The gradient of a hand-written softmax, against 60 digits."""
    x, g = at.vector("x"), at.vector("g")
    e = at.exp(x)
    cost = (g * (e / e.sum())).sum()
    values = np.array([large, large - 1, -large]), np.array([1.0, 2.0, 3.0])
    gradient = compiled([x, g], kanrewrite.grad(cost, x))(*values)[0]
    with mpmath.workdps(60):
        exps = [mpmath.exp(mpmath.mpf(v) - large) for v in values[0]]
        probs = [v / sum(exps) for v in exps]
        mean = sum(p * w for p, w in zip(probs, values[1], strict=True))
        expected = [float(p * (w - mean)) for p, w in zip(probs, values[1], strict=True)]
    np.testing.assert_allclose(gradient, expected, 1e-12, 1e-300)
