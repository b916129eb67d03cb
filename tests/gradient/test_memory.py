"""Derivatives of what the library has rewritten, where its pieces meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from aesara.gradient import DisconnectedInputError
from aesara.graph.fg import FunctionGraph

import kanrewrite
from kanrewrite import grad, hvp, jvp
from kanrewrite.gradient.memory import forget, remember
from kanrewrite.ops import Supremum
from tests.gradient.common import Rop, at, compiled, eager_grad, values
from tests.sparing import sparing


@pytest.fixture(autouse=True)
def library() -> Iterator[None]:
    kanrewrite.enable()
    yield
    kanrewrite.disable()


#: Smooth functions of two vectors that are written out with maxima or cases.
SMOOTH: dict[str, Callable[[Any, Any], Any]] = {
    "two exponentials": lambda a, b: at.log(at.exp(a) + at.exp(b)),
    "three exponentials": lambda a, b: at.log(at.exp(a) + at.exp(b) + at.exp(-a)),
    "nested": lambda a, b: at.log(at.exp(at.log(at.exp(a) + at.exp(b))) + at.exp(2 * b)),
    "ratio": lambda a, b: at.exp(a) / (at.exp(a) + at.exp(b)),
    "softplus": lambda a, b: at.log(1 + at.exp(a - b)),
    "logsumexp": lambda a, b: at.log(at.exp(at.stack([a, b])).sum(axis=0)),
    "weighted": lambda a, b: at.log(at.exp(a) * b**2 + at.exp(b) * a**2),
    "sigmoids": lambda a, b: at.log(1 / (1 + at.exp(-a)) * 1 / (1 + at.exp(-b))),
}


def two_sided(function: Any, point: np.ndarray[Any, Any], step: float = 1e-5) -> Any:
    """Central differences of a function of a flat array."""
    moves = step * np.eye(point.size)
    return np.array([(function(point + d) - function(point - d)) / (2 * step) for d in moves])


@pytest.mark.spared
@pytest.mark.parametrize("name", SMOOTH)
def test_where_exponents_tie(name: str) -> None:
    a, b = at.vectors("a", "b")
    cost = SMOOTH[name](a, b).sum()
    value = compiled([a, b], cost)
    gradient = compiled([a, b], at.concatenate(grad(cost, [a, b])))
    point = np.array([1.0, 0.5, 1.0, 0.5])  # a == b
    expected = two_sided(lambda p: value(p[:2], p[2:])[0], point)
    found = gradient(point[:2], point[2:])[0]
    np.testing.assert_allclose(found, expected, 1e-6, 1e-8)


@pytest.mark.spared
@pytest.mark.parametrize("name", sparing(SMOOTH, 2))
def test_where_exponents_tie_in_second_derivatives(name: str) -> None:
    a, b, v = at.vectors("a", "b", "v")
    cost = SMOOTH[name](a, b).sum()
    outputs = [hvp(cost, a, v), grad((grad(cost, b) * v).sum(), a), jvp(SMOOTH[name](a, b), a, v)]
    first = eager_grad(cost, [a, b])
    expected = [
        eager_grad((first[0] * v).sum(), a),
        eager_grad((first[1] * v).sum(), a, disconnected_inputs="ignore"),
        Rop(SMOOTH[name](a, b), a, v),
    ]
    point = [np.array([1.0, 0.5, 0.2])] * 2 + values((3,))
    found = compiled([a, b, v], outputs)(*point)
    with kanrewrite.disabled():
        truth = compiled([a, b, v], expected, None)(*point)
    for x, y in zip(found, truth, strict=True):
        np.testing.assert_allclose(x, y, 1e-8, 1e-10)


def test_a_recognised_operator_is_differentiated_itself() -> None:
    x, y = at.matrices("x", "y")
    e = at.exp(x) * 3
    gradient = grad((y * e / e.sum(axis=1, keepdims=True)).sum(), x)
    names = [type(n.op).__name__ for n in compiled([x, y], gradient).maker.fgraph.toposort()]
    assert names == ["Softmax", "SoftmaxGrad"]


def test_the_pieces_of_users_stay() -> None:
    a, b = at.vectors("a", "b")
    cost = at.maximum(at.log(at.exp(a) + at.exp(b)), abs(a)).sum()
    found = compiled([a, b], grad(cost, [a, b]))([1.0, -3.0], [1.0, -3.0])
    np.testing.assert_allclose(found, [[0.5, -1.0], [0.5, 0.0]])


def test_a_shift_has_no_derivative() -> None:
    x = at.matrix("x")
    top: Any = Supremum((1,))(x)
    with pytest.raises(DisconnectedInputError):
        eager_grad(top.sum(), x)
    zero = eager_grad(top.sum() + 0 * x.sum(), x, disconnected_inputs="ignore")
    assert not compiled([x], zero)(values((2, 3))[0])[0].any()


def test_what_was_put_back_counts_as_never_replaced() -> None:
    x = at.vector("x")
    y = at.exp(x)
    z = y * 2
    fgraph = FunctionGraph([x], [z], clone=False)
    remember(fgraph)
    new = at.maximum(at.exp(x), 0)
    fgraph.replace(y, new, import_missing=True)
    fgraph.replace(new, y, import_missing=True)
    memory = forget(fgraph)
    assert memory is not None
    assert forget(fgraph) is None
    assert memory.smooth([z], [x], []) == ([z], [x], [])


def test_only_what_a_derivative_passes_is_taken_back() -> None:
    x, y = at.vectors("x", "y")
    e, f = at.exp(x), at.exp(y)
    fgraph = FunctionGraph([x, y], [e * f], clone=False)
    remember(fgraph)
    fgraph.replace(e, at.maximum(at.exp(x), 0), import_missing=True)
    fgraph.replace(f, at.maximum(at.exp(y), 0), import_missing=True)
    memory = forget(fgraph)
    assert memory is not None
    (out,), _, _ = memory.smooth(list(fgraph.outputs), [x], [])
    left, right = out.owner.inputs
    assert left.owner.op == at.exp
    assert right.owner.op == at.maximum
