"""Conditions as factors, in numbers and in sums of them: where all are false nothing is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.view.common import assert_right, at, function, grad, stock

A, W = at.dvector("a"), at.dvector("w")
E = at.exp(A)
BELOW = at.lt(A, 0)

CASES: dict[str, Callable[[], Any]] = {
    "an integer": lambda: E * at.cast(BELOW, "int8"),
    "1 less an integer": lambda: E * (1 - at.cast(at.gt(A, 0), "int8")),
    "1 less 1 less it": lambda: E * (1 - (1 - at.cast(BELOW, "int64"))),
    "a sum": lambda: E * (BELOW * W + at.gt(A, 1e9) * W),
    "slope of a clipped ratio": lambda: grad((at.minimum(E, at.clip(E, 0.25, 1.0)) * W).sum(), A),
    "slope of a clipped gain": lambda: grad(at.minimum(E * W, at.clip(E, 0.25, 1.0) * W).sum(), A),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_hidden_is_zero_however_large(name: str) -> None:
    value = CASES[name]()
    ours = function([A, W], [value])
    with np.errstate(over="ignore", invalid="ignore"):
        (found,) = ours(np.array([-1.0, 1.0, 800.0]), np.ones(3))
        (hidden,) = ours(np.array([np.nan, 0.5, -0.5]), np.ones(3))
    np.testing.assert_allclose(found, [np.exp(-1), 0, 0], rtol=1e-15)
    assert np.isnan(hidden[0])
    np.testing.assert_allclose(hidden[1:], [0, np.exp(-0.5)], rtol=1e-15)


def test_an_integer_that_is_no_condition_is_a_number() -> None:
    n = at.lvector("n")
    ours = function([A, n], [E * (1 - n), E * at.cast(n, "int8")])
    given = np.array([0.5, -1.0]), np.array([3, -2])
    np.testing.assert_allclose(ours(*given)[0], np.exp(given[0]) * (1 - given[1]), rtol=1e-15)
    np.testing.assert_allclose(ours(*given)[1], np.exp(given[0]) * given[1], rtol=1e-15)


def masked_quotient(root: bool = False) -> Any:
    """1 over what is chosen, 0 where nothing is: there ``m * (1/m)`` is not 1."""
    below = at.switch(BELOW, W * W if root else W, 0)
    return at.switch(BELOW, 1 / (at.sqrt(below) if root else below), 0)


DIVIDED: dict[str, Callable[[], Any]] = {
    "summed": lambda: (E * masked_quotient()).sum() / E.sum(),
    "added": lambda: (E * masked_quotient() + at.exp(W)) / (E + at.exp(W)),
    "under a root": lambda: (E * masked_quotient(root=True)).sum() / E.sum(),
    "squared": lambda: (E * masked_quotient() ** 2).sum() / E.sum(),
    "twice": lambda: (E * (1 / (1 / at.switch(BELOW, W, 0)))).sum() / E.sum(),
    "a slope": lambda: grad((E * masked_quotient()).sum() / E.sum(), W),
    "a slope in the exponent": lambda: grad((E * masked_quotient()).sum() / E.sum(), A),
}


@pytest.mark.parametrize("name", DIVIDED)
def test_what_is_not_chosen_divides_by_nothing(name: str) -> None:
    graph = DIVIDED[name]()
    given = np.array([-1.0, 2.0, -0.5]), np.array([0.5, 0.2, -0.4])
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted, found = (f([A, W], graph)(*given) for f in (stock, function))
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_masked_attention_has_products_of_its_hessian() -> None:
    """A length that is not specified is ``None``, which has no dtype."""
    q, k, v = at.dmatrices("qkv")
    logits = at.switch(np.tri(3) > 0, at.dot(q, k.T) / 2.0, -np.inf)
    weights = at.exp(logits) / at.exp(logits).sum(axis=-1, keepdims=True)
    slope = grad((at.dot(weights, v) * np.arange(1, 7.0).reshape(3, 2)).sum(), k)
    product = grad((slope * at.cos(k)).sum(), k)
    rng = np.random.default_rng(0)
    values = [3 * rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), rng.normal(size=(3, 2))]
    assert_right([q, k, v], [product], values)
