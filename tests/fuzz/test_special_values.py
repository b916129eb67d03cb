"""Special values: what common functions are worth at zeros, infinities, nan and out of range.

Each is written naively, and compared with SciPy's function; where stock Aesara computes a slope, so
does the library.  The values are those that SciPy and Julia's LogExpFunctions try.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import special

from tests.view.common import at, function, grad, stock

_POSITIVE = (1e-300, 1e-20, 1e-8, 0.5, 1.0, 40.0, 709.5, 745.5, 800.0, 1e308, np.inf)
VALUES = np.array([*(-v for v in _POSITIVE), -0.0, 0.0, *_POSITIVE, np.nan])


class Case(NamedTuple):
    """A function as somebody writes it, and SciPy's."""

    written: Callable[..., Any]
    known: Callable[..., Any]


def _log1mexp(x: Any) -> Any:
    small = np.abs(x) < np.log(2)
    return np.where(small, np.log(-np.expm1(-np.abs(x))), np.log1p(-np.exp(-np.abs(x))))


def _logcosh(x: Any) -> Any:
    return np.abs(x) + np.log1p(np.exp(-2 * np.abs(x))) - np.log(2)


ONE: dict[str, Case] = {
    "sigmoid": Case(lambda x: 1 / (1 + at.exp(-x)), special.expit),
    "sigmoid, a quotient": Case(lambda x: at.exp(x) / (1 + at.exp(x)), special.expit),
    "sigmoid, by a log": Case(lambda x: at.exp(-at.log(1 + at.exp(-x))), special.expit),
    "sigmoid, the other": Case(lambda x: 1 - 1 / (1 + at.exp(-x)), lambda x: special.expit(-x)),
    "softplus": Case(lambda x: at.log(1 + at.exp(x)), lambda x: np.logaddexp(0, x)),
    "log of sigmoid": Case(lambda x: at.log(1 / (1 + at.exp(-x))), lambda x: -np.logaddexp(0, -x)),
    "logit of sigmoid": Case(lambda x: at.log(_sigmoid(x) / (1 - _sigmoid(x))), lambda x: x),
    "expm1": Case(lambda x: at.exp(x) - 1, np.expm1),
    "log1mexp": Case(lambda x: at.log(1 - at.exp(-at.abs(x))), _log1mexp),
    "log of exp": Case(lambda x: at.log(at.exp(x)), lambda x: x),
    "tanh": Case(lambda x: (at.exp(x) - at.exp(-x)) / (at.exp(x) + at.exp(-x)), np.tanh),
    "tanh, of 2x": Case(lambda x: (at.exp(2 * x) - 1) / (at.exp(2 * x) + 1), np.tanh),
    "slope of sigmoid": Case(
        lambda x: at.exp(x) / (1 + at.exp(x)) ** 2, lambda x: special.expit(x) * special.expit(-x)
    ),
    "log of cosh": Case(lambda x: at.log((at.exp(x) + at.exp(-x)) / 2), _logcosh),
    "entropy": Case(
        lambda x: at.switch(at.eq(x, 0), 0, x * at.log(x)), lambda x: special.xlogy(x, x)
    ),
}

TWO: dict[str, Case] = {
    "logaddexp": Case(lambda x, y: at.log(at.exp(x) + at.exp(y)), np.logaddexp),
    "log of a quotient": Case(lambda x, y: at.log(at.exp(x) / at.exp(y)), lambda x, y: x - y),
    "share": Case(
        lambda x, y: at.exp(x) / (at.exp(x) + at.exp(y)),
        lambda x, y: np.where(np.isfinite(x) & (x == y), 0.5, special.expit(x - y)),
    ),
}

ROWS: dict[str, Case] = {
    "logsumexp": Case(
        lambda x: at.log(at.exp(x).sum(axis=1)), lambda x: special.logsumexp(x, axis=1)
    ),
    "softmax": Case(
        lambda x: at.exp(x) / at.exp(x).sum(axis=1, keepdims=True),
        lambda x: special.softmax(x, axis=1),
    ),
    "log softmax": Case(
        lambda x: at.log(at.exp(x) / at.exp(x).sum(axis=1, keepdims=True)),
        lambda x: special.log_softmax(x, axis=1),
    ),
}


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + at.exp(-x))


def _assert_known(case: Case, inputs: list[Any], given: list[Any]) -> None:
    out = case.written(*inputs)
    with np.errstate(all="ignore"):
        (found,) = function(inputs, [out])(*given)
        known = case.known(*given)
    np.testing.assert_allclose(found, known, rtol=1e-13, atol=1e-320)


@pytest.mark.parametrize("case", ONE.values(), ids=ONE)
def test_functions_of_one(case: Case) -> None:
    _assert_known(case, [at.dvector("x")], [VALUES])


@pytest.mark.parametrize("case", TWO.values(), ids=TWO)
def test_functions_of_two(case: Case) -> None:
    given = [g.ravel() for g in np.meshgrid(VALUES, VALUES)]
    _assert_known(case, list(at.dvectors("x", "y")), given)


@pytest.mark.parametrize("case", ROWS.values(), ids=ROWS)
def test_functions_of_rows(case: Case) -> None:
    rows = [[a, b, 0.5] for a in VALUES for b in (-np.inf, -800.0, 0.0, 800.0)]
    _assert_known(case, [at.dmatrix("x")], [np.array(rows)])


@pytest.mark.spared
@pytest.mark.parametrize("case", ONE.values(), ids=ONE)
def test_slopes_that_stock_computes_are_computed(case: Case) -> None:
    x = at.dvector("x")
    slope = grad(case.written(x).sum(), x)
    with np.errstate(all="ignore"):
        (found,), (theirs,) = (f([x], [slope])(VALUES) for f in (function, stock))
    assert np.isfinite(found[np.isfinite(theirs)]).all()
