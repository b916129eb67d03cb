"""What an exponent reaches for sure: where that is little, nothing is shifted."""

from collections.abc import Callable, Iterator
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode

import kanrewrite
from kanrewrite.guards.bounds import Bounds
from kanrewrite.laws import Laws
from kanrewrite.reference import evaluate
from kanrewrite.registry import relations
from kanrewrite.view.reach import is_near, reach
from kanrewrite.view.read import View

PYTHON = Mode(linker="py", optimizer="fast_run")
X, Y = at.dmatrices("x", "y")
CLIPPED = at.clip(X, -5, 5)


@pytest.fixture(scope="module")
def view() -> View:
    return View(Laws(relations()))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (CLIPPED, Bounds(-5.0, 5.0)),
        (-2 * CLIPPED, Bounds(-10.0, 10.0)),
        (CLIPPED.max(1), Bounds(-5.0, 5.0)),
        (CLIPPED[0], Bounds(-5.0, 5.0)),
        (at.minimum(at.maximum(X, -5), 5), Bounds(-5.0, 5.0)),
        (at.maximum(CLIPPED, Y), Bounds(low=-5.0)),
        (at.sin(X) * CLIPPED, Bounds(-5.0, 5.0)),
        (at.square(CLIPPED), Bounds(low=0.0)),
        (at.exp(at.minimum(X, 0)), Bounds(0.0, 1.0)),
        (at.tanh(X), Bounds()),
        (X, Bounds()),
    ],
    ids=str,
)
def test_forms_have_bounds(view: View, value: Any, expected: Bounds) -> None:
    assert reach(view.read(value)) == expected


def test_little_is_relative_to_what_a_dtype_holds(view: View) -> None:
    for dtype, most in (("float64", 12.0), ("float32", 12.0), ("float16", 2.5)):
        x = at.matrix("x", dtype=dtype)
        a = view.algebra(dtype)
        near, far = (a.lin(a.terms_of(view.read(at.clip(x, -9, c)))) for c in (most, most + 1))
        assert is_near(near)
        assert not is_near(far)


@pytest.fixture
def _enabled() -> Iterator[None]:
    with kanrewrite.disabled():
        kanrewrite.enable()
        yield


def ratio(a: Any) -> Any:
    return at.exp(-a) / (1 + at.exp(-a) * Y)


def weighted(a: Any) -> Any:
    return at.log((at.square(Y) * at.exp(a)).sum(1))


def written(value: Any) -> str:
    graph = aesara.function([X, Y], value, mode=PYTHON, on_unused_input="ignore").maker.fgraph
    return " ".join(str(node.op).lower() for node in graph.toposort())


@pytest.mark.usefixtures("_enabled")
def test_what_reaches_little_is_not_shifted() -> None:
    for a in (CLIPPED, 4 * at.sin(X)):
        assert "maximum" not in written(ratio(a))
    for a in (at.clip(X, -500, 5), at.maximum(X, -5), X):
        assert "maximum" in written(ratio(a))


@pytest.mark.spared
@pytest.mark.usefixtures("_enabled")
@pytest.mark.parametrize("make", [ratio, weighted], ids=lambda f: f.__name__)
@pytest.mark.parametrize("of", [lambda x: at.clip(x, -11, 11), lambda x: 5 * at.tanh(x), at.sin])
def test_values_and_slopes_are_right(make: Callable[[Any], Any], of: Callable[[Any], Any]) -> None:
    value = make(of(X))
    outputs = [value, aesara.grad(value.sum(), X)]
    f = aesara.function([X, Y], outputs, mode=PYTHON)
    x, y = np.round(16 * np.random.default_rng(1).normal(size=(2, 3, 4))) / 16
    for scale in (1.0, 1e3):
        given = dict(zip([X, Y], [x * scale, np.abs(y)], strict=True))
        with np.errstate(all="ignore"):
            computed = f(*given.values())
        for found, exact in zip(computed, evaluate(outputs, given), strict=True):
            np.testing.assert_allclose(found, np.asarray(exact, "float64"), rtol=1e-13, atol=1e-300)
