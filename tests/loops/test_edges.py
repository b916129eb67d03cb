"""Loops over nothing, one step, ties, zeros and -inf, with states of all types: as without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.builders import OpFromGraph
from aesara.ifelse import ifelse
from aesara.scan.utils import until

import kanrewrite
from tests.loops.borders import made
from tests.loops.checking import PYTHON, switched
from tests.loops.corpus import added, soft
from tests.sparing import sparing


def last(step: Any, x: Any, *states: Any) -> Any:
    """The results of the last of what a loop hands on or collects."""
    results = aesara.scan(step, [x], list(states))[0]
    return results[-1] if isinstance(results, list) else results


def ones(x: Any) -> Any:
    return at.ones(3, x.dtype)


def counted(x: Any) -> Any:
    """Divided by a state that is an integer, of a width that leaves float32 what it is."""
    step = lambda row, n, s: (n + 1, s * at.exp(row) / n)  # noqa: E731
    return at.log(last(step, x, at.constant(np.int16(1)), ones(x)))


def closed(x: Any) -> Any:
    """A state that is a truth value holds another one."""
    step = lambda row, b, s: (at.or_(b, row > 0.5), at.switch(b, s, s * at.exp(row)))  # noqa: E731
    return at.log(last(step, x, at.zeros(3, "bool"), ones(x)))


def normal(row: Any, s: Any) -> Any:
    s = s * at.exp(row)
    return s / s.sum(), at.log(s.sum())


def shares(x: Any) -> Any:
    e, total = aesara.scan(lambda row: [at.exp(row), at.exp(row).sum()], [x])[0]
    return e / total[:, None]


def chosen(row: Any, s: Any) -> Any:
    return ifelse(at.gt(row[0], 0), s * at.exp(row), at.zeros_like(s))


LOOPS: dict[str, Callable[[Any], Any]] = {
    "softmax": lambda x: last(soft, x, None),
    "sum of logs": lambda x: last(added, x, 0 * ones(x)),
    "filter": lambda x: last(normal, x, ones(x) / 3, None),
    "product": lambda x: at.log(last(lambda row, s: s * at.exp(row), x, ones(x))),
    "signed": lambda x: at.log(abs(last(lambda row, s: s * row * at.exp(row), x, ones(x)))),
    "lacking": lambda x: at.log(1 - last(lambda row, s: s / (1 + at.exp(row)), x, ones(x))),
    "exponentials in": lambda x: last(lambda e: e / e.sum(), at.exp(x), None),
    "exponentials out": shares,
    "branches": lambda x: at.log(last(chosen, x, ones(x))),
    "an op": lambda x: at.log(last(made(soft, 1, x.dtype), x, None)),
    "integers": counted,
    "truth values": closed,
}
VALUES = {
    "everyday": np.random.default_rng(0).normal(size=(4, 3)),
    "zeros": np.zeros((3, 3)),
    "ties": np.full((3, 3), 0.5),
    "one step": np.array([[0.5, -1.0, 2.0]]),
    "no step": np.zeros((0, 3)),
    "nothing": np.array([[0.5, -1.0, 2.0], [0.5, -np.inf, 1.0], [0.25, 1.0, 0.0]]),
}


@pytest.mark.spared
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        pytest.param(name, dtype, marks=[] if dtype == "float64" else [pytest.mark.slow])
        for name in LOOPS
        for dtype in ("float64", "float32")
    ],
)
def test_what_is_right_without_is_so_with_the_library(name: str, dtype: str) -> None:
    x = at.matrix("x", dtype=dtype)
    value = LOOPS[name](x)
    functions = []
    for library in (False, True):
        with switched(library):
            functions.append(aesara.function([x], value, mode=PYTHON))
    for inputs in VALUES.values():
        with np.errstate(all="ignore"):
            stock, mine = (f(inputs.astype(dtype)) for f in functions)
        assert (stock.dtype, stock.shape) == (mine.dtype, mine.shape)
        finite = np.isfinite(stock)
        digits = 1e-12 if dtype == "float64" else 1e-5
        np.testing.assert_allclose(mine[finite], stock[finite], rtol=digits, atol=digits)


@pytest.mark.slow
@pytest.mark.parametrize("bound", [1e-9, 1e-3])
def test_derivatives_of_loops_that_end_by_themselves(bound: float) -> None:
    """They are those of a loop of so many steps, whether it ends before its sequences or not."""

    def cost(x: Any, steps: Any, end: bool) -> Any:
        def step(row: Any, s: Any) -> Any:
            new = s * at.sigmoid(row)
            made = new, at.sqrt(new) * row
            return (made, until(at.lt(new.max(), bound))) if end else made

        found, _ = aesara.scan(step, [x], [ones(x), None], n_steps=steps)
        return found[1].sum() + at.square(found[0][-1]).sum()

    x, n = at.matrix("x", dtype="float64"), at.lscalar("n")
    mine = aesara.function([x], kanrewrite.grad(cost(x, None, True), x), mode=PYTHON)
    known = aesara.function([x, n], aesara.grad(cost(x[:n], None, False), x), mode=PYTHON)
    values = np.linspace(-5, -1, 15).reshape(5, 3)
    sizes = np.cumprod(1 / (1 + np.exp(-values)), axis=0).max(1)
    steps = min(int((sizes >= bound).sum()) + 1, 5)
    assert (steps < 5) == (bound == 1e-3)
    np.testing.assert_allclose(mine(values), known(values, steps), rtol=1e-12)


#: A step of a loop that ends by itself, and the first values of its states.
ENDING: dict[str, Any] = {
    "a state": lambda row, a: _until_large(at.tanh(0.5 * a + row)),
    "a state two back": lambda row, a, b: _until_large(at.tanh(0.5 * a - 0.2 * b + row)),
    "a state and a result": lambda row, a: _until_large(at.tanh(0.5 * a + row), row.sum()),
}


def _until_large(new: Any, *others: Any) -> Any:
    return (new, *(o * new.sum() for o in others)), until(at.gt(new.max(), 0.8))


def _ending(kind: str, x: Any) -> Any:
    first: Any = at.zeros((2, 3) if "back" in kind else 3)
    state = {"initial": first, "taps": [-2, -1]} if "back" in kind else first
    found, _ = aesara.scan(ENDING[kind], [x], [state, None][: 1 + ("result" in kind)])
    return sum(at.square(v).sum() for v in (found if isinstance(found, list) else [found]))


@pytest.mark.parametrize("place", sparing(["in a graph", "in an Op"]))
@pytest.mark.parametrize("kind", sparing(ENDING, 4))
def test_gradients_of_aesara_count_the_steps_of_loops_that_end(kind: str, place: str) -> None:
    """Without the library they read sequences one place off, or raise."""
    x = at.matrix("x", dtype="float64")
    slopes: Any = aesara.grad(_ending(kind, x), x)
    if place == "in an Op":
        slopes = OpFromGraph([x], [slopes])(x)
    with switched(True):
        mine = aesara.function([x], slopes, mode=PYTHON)
    known = aesara.function([x], kanrewrite.grad(_ending(kind, x), x), mode=PYTHON)
    for scale in (0.1, 0.5):
        values = scale * np.linspace(-1, 3, 15).reshape(5, 3)
        np.testing.assert_allclose(mine(values), known(values), rtol=1e-12)


def test_gradients_of_loops_that_end_are_left_as_they_are_if_excluded() -> None:
    x = at.matrix("x", dtype="float64")
    slopes = aesara.grad(_ending("a state", x), x)
    without = PYTHON.excluding("kanrewrite_count_steps")
    with switched(True):
        function = aesara.function([x], slopes, mode=without)
    with pytest.raises(ValueError, match="negative dimensions"):
        function(np.full((5, 3), 0.01))
