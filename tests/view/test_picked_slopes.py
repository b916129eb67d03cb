"""Slopes of what is not picked: at the index two terms cancel, of which one was put there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from aesara.tensor.special import softmax

from kanrewrite.reference import evaluate
from kanrewrite.view import picking
from tests.sparing import sparing
from tests.view.common import PLAIN, assert_right, at, function, grad, ops, stock

x = at.dmatrix("x")
ROWS = at.arange(x.shape[0])
LABELS = np.array([1, 0, 2])
_NEAR = np.array([[0.5, 1.5, 0.25], [2, -1, 0.5], [0.25, 1.0, 1.0]])


def _written(z: Any) -> Any:
    return at.exp(z) / at.exp(z).sum(axis=1, keepdims=True)


def _operator(z: Any) -> Any:
    return softmax(z, axis=1)


LOSSES: dict[str, Callable[[Any], Any]] = {
    "unlikelihood": lambda p: -at.log(1 - p[ROWS, LABELS]).mean(),
    "of some rows": lambda p: -at.log(1 - p[at.arange(3), LABELS]).sum(),
    "of a column": lambda p: -at.log(1 - p[:, 1]).sum(),
    "of one element": lambda p: -at.log(1 - p[0, 1]),
    "weighted": lambda p: -(at.log(1 - p[ROWS, LABELS]) * at.exp(x[:, 0])).sum(),
    "roots": lambda p: at.sqrt(1 - p[ROWS, LABELS]).sum(),
    "a margin": lambda p: at.log(1 + p[:, 0] - p[:, 1]).sum(),
    "log odds": lambda p: (at.log(p[ROWS, LABELS]) - at.log(1 - p[ROWS, LABELS])).sum(),
    "odds of a column": lambda p: at.log(p[:, 1] / (1 - p[:, 1])).sum(),
}


@pytest.mark.spared
@pytest.mark.parametrize("share", sparing([_written, _operator]))
@pytest.mark.parametrize("name", sparing(LOSSES, 2))
def test_the_slope_of_what_is_not_picked(name: str, share: Callable[[Any], Any]) -> None:
    slope = grad(LOSSES[name](share(x)), x)
    ours = function([x], [slope])
    with np.errstate(all="ignore"):
        (near,) = ours(_NEAR)
        (expected,) = stock([x], [slope])(_NEAR)
        np.testing.assert_allclose(near, expected, rtol=1e-13, atol=1e-15)
        for scale in (30.0, 40.0, 1e3):
            (truth,) = evaluate([slope], {x: _NEAR * scale})
            (found,) = ours(_NEAR * scale)
            np.testing.assert_allclose(found, np.asarray(truth, float), rtol=1e-12, atol=1e-300)


SECOND: dict[str, Callable[[Any], Any]] = {
    "unlikelihood": LOSSES["unlikelihood"],
    "of one element": LOSSES["of one element"],
    "of a column": LOSSES["of a column"],
    "of two columns": lambda p: -(at.log(p[:, 1]) + at.log(1 - p[:, 2])).sum(),
    "log odds": lambda p: (lambda q: at.log(q) - at.log(1 - q))(p[ROWS, LABELS]).sum(),
    "odds of a column": LOSSES["odds of a column"],
    "roots": LOSSES["roots"],
}


@pytest.mark.parametrize("name", sparing(SECOND, 7))
def test_a_product_of_the_hessian_of_what_is_not_picked(name: str) -> None:
    along = at.dmatrix("along")
    given = np.cos(np.arange(9.0)).reshape(3, 3)
    product = grad((grad(SECOND[name](_written(x)), x) * along).sum(), x)
    ours = function([x, along], product)
    for scale in (1.0, 20.0, 40.0):
        (truth,) = evaluate([product], {x: _NEAR * scale, along: given})
        expected = np.asarray(truth, float)
        size = np.abs(expected).max()
        np.testing.assert_allclose(
            ours(_NEAR * scale, given), expected, rtol=1e-12, atol=1e-9 * size
        )


SEVERAL: dict[str, Callable[[Any], Any]] = {
    "a slice": lambda p: at.log(1 - p[:, 1:].sum(axis=1)).sum(),
    "the odds of a slice": lambda p: (lambda q: at.log(q) - at.log(1 - q))(p[:, :2].sum(1)).sum(),
    "the odds of a label": SECOND["log odds"],
    "two labels": lambda p: at.log(1 - p[ROWS, LABELS] - p[ROWS, [0, 2, 1]]).sum(),
    "a margin": LOSSES["a margin"],
    "squares": lambda p: at.log(1 - (p**2).sum(axis=1)).sum(),
    "a product": lambda p: (lambda q: at.log(q * (1 - q)))(p[ROWS, LABELS]).sum(),
}


@pytest.mark.spared(2)
@pytest.mark.parametrize("name", sparing(SEVERAL, 5))
def test_a_product_of_the_hessian_has_the_digits_of_what_divides_it(name: str) -> None:
    """Of 1 less a share of 1 - 1e-9 seven digits are left: what divides by it twice has none.

    A mean that is nearly one of its values is known to the rounding of that, a direction's here.
    """
    along = at.dmatrix("along")
    given = np.cos(np.arange(9.0)).reshape(3, 3)
    product = grad((grad(SEVERAL[name](_written(x)), x) * along).sum(), x)
    ours = function([x, along], product)
    for scale in (1.0, 20.0, 100.0):
        (truth,) = evaluate([product], {x: _NEAR * scale, along: given})
        expected = np.asarray(truth, float)
        atol = 1e-15 + 1e-13 * np.abs(expected).max()
        np.testing.assert_allclose(ours(_NEAR * scale, given), expected, rtol=0, atol=atol)


@pytest.mark.parametrize("share", [_written, _operator])
def test_the_slope_of_what_squares_leave_of_the_square_of_a_sum(share: Any) -> None:
    loss = at.log(1 - (share(x) ** 2).sum(axis=1)).sum()
    ours = function([x], [loss, grad(loss, x)])
    for scale in (1.0, 20.0, 1e3):
        truth = evaluate([loss, grad(loss, x)], {x: _NEAR * scale})
        for found, expected in zip(ours(_NEAR * scale), truth, strict=True):
            np.testing.assert_allclose(found, np.asarray(expected, float), rtol=1e-13, atol=1e-14)


PICKS: list[Callable[[Any], Any]] = [
    lambda p: p,
    lambda p: p[:, -1],
    lambda p: p[ROWS, LABELS],
    lambda p: p[:, ::2].sum(axis=1),
    lambda p: p[:, 0] + p[:, 2],
]


@pytest.mark.parametrize("share", [_written, _operator])
@pytest.mark.parametrize("pick", PICKS)
def test_the_log_of_what_is_left_by_a_share_that_vanishes(pick: Any, share: Any) -> None:
    """It is minus the share, of which ``log(others) - log(sum)`` would keep nothing."""
    value = at.log(1 - pick(share(x)))
    far = np.array([[3.0, 100.0, -2.0], [40.0, 1.0, -60.0], [400.0, -1e3, -3.0]])
    (truth,) = evaluate([value], {x: far})
    found = function([x], value)(far)
    np.testing.assert_allclose(found, np.asarray(truth, float), rtol=1e-13)


def test_a_focal_loss_of_what_is_nearly_sure_keeps_its_digits() -> None:
    p = _written(x)[ROWS, LABELS]
    slope = grad(-((1 - p) ** 2 * at.log(p)).sum(), x)
    near = np.array([[0.0, 15.0, -1.0], [14.0, 2.0, 0.5], [0.5, 1.0, 16.0]])
    (truth,) = evaluate([slope], {x: near})
    np.testing.assert_allclose(function([x], slope)(near), np.asarray(truth, float), rtol=1e-7)


@pytest.mark.parametrize("share", [_written, _operator])
def test_the_slope_of_a_likelihood_is_left(share: Callable[[Any], Any]) -> None:
    slope = grad(-at.log(share(x)[ROWS, LABELS]).mean(), x)
    found = ops(function([x], [slope], PLAIN))
    assert found["exp"] == 0
    assert found["Softmax"] == 1


def test_what_was_picked_of_another_shape_stays_where_it_is_put() -> None:
    wide = at.dmatrix("wide")
    placed = at.inc_subtensor(at.zeros_like(wide)[ROWS, LABELS], _written(x)[ROWS, LABELS])
    slope = grad((at.exp(wide) * placed).sum(), x)
    given = [_NEAR, np.arange(15.0).reshape(3, 5) / 4]
    found, expected = (f([x, wide], [slope])(*given)[0] for f in (function, stock))
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_steps_that_pick_are_not_asked_what_they_are_at_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    found = picking.where_picked

    def counted(*arguments: Any) -> Any:
        asked.append(arguments)
        return found(*arguments)

    monkeypatch.setattr(picking, "where_picked", counted)
    moves, state = at.dmatrix("moves"), x[0]
    for step in range(1, 5):
        state = at.log(at.exp(state[:, None] + moves).sum(axis=0)) + x[step]
    slope = grad(at.log(at.exp(state).sum()), x)
    given = [np.arange(15.0).reshape(5, 3) - 800, np.eye(3)]
    (ours,) = function([x, moves], [slope])(*given)
    assert not asked
    assert np.isfinite(ours).all()


@pytest.mark.parametrize("level", sparing([-900.0, 0.0, 900.0, -1e6], 4))
def test_a_row_of_which_nothing_is_picked_has_no_slope(level: float) -> None:
    x = at.dmatrix("x")
    p = at.exp(x) / at.exp(x).sum(axis=1, keepdims=True)
    first, second = p[:, 0], p[:, 1]
    loss = -at.log(first[0] + second[0] * second[0])
    paths = -at.log(first[0] * second[1] + second[0] * first[1])
    values = [np.array([[2.5, -1.0], [0.5, 1.5], [0.0, 0.25]]) + level]
    assert_right([x], [grad(loss, x), grad(paths, x)], values)
