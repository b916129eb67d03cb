"""A share is a number like another one: an exponential of it is as it is written."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest
from aesara.tensor import special

from kanrewrite.laws import Laws
from kanrewrite.registry import relations
from kanrewrite.view.levels import bounded
from kanrewrite.view.read import View
from kanrewrite.view.rests import rest
from tests.view.common import PLAIN, at, function, grad, share, stock, truth

X, W = at.dmatrices("x", "w")

SHARES: dict[str, Any] = {
    "softmax": special.softmax(X, axis=1),
    "by hand": share(X),
    "sigmoid": at.sigmoid(X),
    "of a share": share(share(X)),
}
#: What of a share is in range as it is written.
PLAIN_USES: dict[str, Callable[[Any], Any]] = {
    "exp": at.exp,
    "expm1": at.expm1,
    "log1p": at.log1p,
    "times another": lambda p: at.exp(p * at.tanh(W)),
}


@pytest.mark.parametrize("use", PLAIN_USES)
@pytest.mark.parametrize("name", SHARES)
def test_nothing_is_shifted(name: str, use: str) -> None:
    value = PLAIN_USES[use](SHARES[name])
    for graph in (value, grad((value * W).sum(), X)):
        mine, theirs = function([X, W], graph, PLAIN), stock([X, W], graph, PLAIN)
        assert len(mine.maker.fgraph.apply_nodes) <= len(theirs.maker.fgraph.apply_nodes)


@pytest.mark.parametrize("scale", [1.0, 30.0, 1e3, 1e5])
@pytest.mark.parametrize("use", PLAIN_USES)
@pytest.mark.parametrize("name", SHARES)
def test_slopes_are_right(name: str, use: str, scale: float) -> None:
    slope = grad((PLAIN_USES[use](SHARES[name]) * W).sum(), X)
    rng = np.random.default_rng(1)
    values = [scale * rng.normal(size=(3, 4)), rng.normal(size=(3, 4))]
    found = function([X, W], slope, PLAIN)(*values)
    np.testing.assert_allclose(found, truth([slope], [X, W], values)[0], rtol=1e-11, atol=1e-14)


def _exponent(graph: Any) -> tuple[Any, Any]:
    view = View(Laws(relations()))
    a = view.algebra("float64")
    return a.lin(a.terms_of(view.read(graph))), a


@pytest.mark.parametrize(
    ("graph", "little"),
    [
        (share(X), True),
        (share(X) + X - X.max(axis=1, keepdims=True), True),
        ((X + share(X)).max(axis=1) - X.max(axis=1), True),
        (3 * share(X) - 4 * at.sigmoid(W), True),
        (20 * share(X), False),
        (at.sigmoid(X).sum(axis=1), False),
        (share(X) * W, False),
        (share(X, 0) + X, False),
        (at.exp(X) / at.exp(X[0]), False),
        (1 / (1 - at.sigmoid(X)), False),
        (at.exp(X) / (W * at.exp(X)).sum(axis=1, keepdims=True), False),
        ((2 * X + share(X)).max(axis=1) - X.max(axis=1), False),
    ],
    ids=str,
)
def test_only_what_is_little_is_left_out_of_bounds(graph: Any, little: bool) -> None:
    expo, a = _exponent(graph)
    assert bounded(expo, a) is little


def test_many_shares_are_not_little() -> None:
    """Each by itself is at most 1, which none of them shares a variable with."""
    vectors = [at.dvector(f"x{i}") for i in range(40)]
    expo, a = _exponent(sum(map(at.sigmoid, vectors)))
    assert not bounded(expo, a)


def test_a_rest_lies_between_two_numbers() -> None:
    view = View(Laws(relations()))
    form = view.read(2 * at.exp(X) / (3 + 4 * at.exp(X)))
    assert rest(form).high == pytest.approx(2 / 3)
    assert rest(view.read(at.exp(X).sum(axis=1))).low == 1
    assert rest(view.read(at.exp(X).sum(axis=1))).high == inf
    assert rest(view.read((W * at.exp(X)).sum(axis=1))).low == 0


def test_what_no_float_holds_beside_a_share_is_no_bound() -> None:
    """Which raised an error in the engine."""
    vector = at.dvector("vector")
    large = np.float64(1e200)
    form = share(vector, 0) * at.clip(vector, -large, large) ** 2
    assert rest(View(Laws(relations())).read(form)).high == inf
