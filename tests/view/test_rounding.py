"""What is lifted costs no digits where the whole is in range as it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from aesara.tensor.special import softmax

from tests.view.common import PLAIN, assert_right, at, function, grad, name_of, ops, stock

w, b, z = at.dvectors("wbz")


def test_a_power_beside_an_exponential_is_a_power_where_it_is_in_range() -> None:
    out = at.exp(-w) * b ** at.exp(w)
    assert ops(function([w, b], out, PLAIN))["pow"] == 2  # that of the sign is one
    values = [np.array([1.5, 4.0, 6.5, 5.0]), np.array([3.0, 1e-3, 1.7, 0.2])]
    expected = stock([w, b], out)(*values)
    np.testing.assert_allclose(function([w, b], out)(*values), expected, rtol=1e-15)


def test_a_power_that_is_out_of_range_comes_back() -> None:
    out = at.exp(-800 * w) * b ** (2 * w)
    assert_right([w, b], [out], [np.array([1.0, -1.0]), np.exp([398.0, 401.0])])


def test_a_square_of_a_product_is_no_product_of_squares() -> None:
    for k in (2, 3, -2):
        out = (w * b * at.exp(z)) ** k * at.exp(-k * z)
        values = [np.array([1e180, 3.0]), np.array([1e-180, 5.0]), np.array([2.0, -1.0])]
        assert_right([w, b, z], [out], values)


def test_logs_meet_what_they_cancel_beside_exponentials() -> None:
    u = at.fvector("u")
    share = at.exp(u) / at.exp(u).sum()
    slope = grad(at.exp(-(share * at.log(share)).sum()), u)
    value = np.array([0.5, 1.0, 2.0, -1.0, 3.0], "float32") + np.float32(65536)
    assert_right([u], [slope], [value], rtol=1e-5)


@pytest.mark.parametrize("shape", ["row", "matrix"])
def test_what_a_maximum_was_taken_of_is_subtracted_with_it(shape: str) -> None:
    y, mean, size = at.dvector("y"), at.drow("mean"), getattr(at, f"d{shape}")("size")
    gap = (y[:, None] - mean) / at.exp(size)
    loss = -at.log((at.exp(-0.5 * gap**2) / at.exp(size)).sum(1)).mean()
    sizes = np.array([[0.1, 0.2, 0.3], [0.4, -0.5, 0.6]])[: 1 if shape == "row" else 2]
    far = np.array([5e8, 1e9])
    assert_right(
        [y, mean, size], [grad(loss, size)], [far, np.array([[0.3, -0.5, 1.0]]), sizes], rtol=1e-6
    )


LOGS: dict[str, Callable[[Any, Any], Any]] = {
    "softplus": lambda d, q: at.log(1 + at.exp(-3 * d)),
    "softplus, shared": lambda d, q: at.log(1 + at.exp(-3 * d)) / at.log(1 + at.exp(-3 * d)).sum(),
    "three terms": lambda d, q: at.log(1 + at.exp(-3 * d) + at.exp(-2 * q * d)),
    "less one": lambda d, q: at.log(1 - at.exp(-3 * d)),
    "a product of several": lambda d, q: at.log((1 + at.exp(-3 * d)).prod()),
}


@pytest.mark.parametrize("build", LOGS.values(), ids=LOGS)
def test_a_log_keeps_its_digits_where_its_exponents_are_shares(
    build: Callable[[Any, Any], Any],
) -> None:
    x, y = at.dmatrix("x"), at.dvector("y")
    d, q = at.dot(softmax(x, axis=1), y), at.sigmoid(x).sum(axis=1)
    given = [np.array([[3.0, 4.0], [-3.0, -4.0]]), np.array([13.0, 17.0])]
    assert_right([x, y], [build(d, q)], given)


@pytest.mark.parametrize("size", [1e4, 1e9])
def test_a_large_number_times_what_may_be_zero_is_not_taken_apart(size: float) -> None:
    x, m, y = at.dmatrices("xmy")
    e = at.exp(x - size * (1 - m))
    log = at.log(e.sum(axis=1))
    assert _numbers(function([x, m], log, PLAIN)) == [size]
    rng = np.random.default_rng(0)
    kept = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    values = [rng.uniform(-2, 2, (2, 3)), kept, rng.uniform(-2, 2, (2, 3))]
    slope = grad((y * e / e.sum(axis=1, keepdims=True)).sum(), x)
    assert_right([x, m, y], [log, slope], values, rtol=1e-14, atol=1e-16)


def _numbers(compiled: Any) -> list[float]:
    """The numbers that a compiled function multiplies by, absolutely."""
    nodes = compiled.maker.fgraph.apply_nodes
    products = (node for node in nodes if name_of(node.op) == "mul")
    found = (getattr(i, "data", None) for node in products for i in node.inputs)
    return [abs(float(data.flat[0])) for data in found if data is not None]


AROUND: dict[str, Callable[[Any], Any]] = {
    "itself": lambda e: e,
    "its size": at.abs,
    "its square": at.square,
    "its root": lambda e: at.sqrt(at.abs(e)),
    "its reciprocal": lambda e: 1 / e,
    "a sum of sizes": lambda e: at.abs(e).sum(),
}


@pytest.mark.parametrize("build", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("signed", [w, b * w], ids=["a weight", "in common"])
def test_an_exponent_far_below_another_takes_no_digits_from_it(
    build: Callable[[Any], Any], signed: Any
) -> None:
    mixture = w * at.exp(b) + signed * at.exp(z)
    weights, near = np.array([0.75, -0.6, 1.3]), np.array([1.3, 0.7, -0.4])
    for values in ([weights, near, np.full(3, -1e7)], [weights, np.full(3, -1e7), near]):
        assert_right([w, b, z], [at.log(at.abs(build(mixture)))], values, rtol=1e-12)


NEARLY_NOTHING: dict[str, Callable[[Any, Any], Any]] = {
    "a log": lambda e, x: at.log(e * (3 - x)),
    "a log of a square": lambda e, x: at.log(e * (9 - x * x)),
    "a root": lambda e, x: at.sqrt(e * (9 - x * x)),
    "a log of a share": lambda e, x: at.log(e * (3 - x) / e.sum()),
}


@pytest.mark.parametrize("name", NEARLY_NOTHING)
def test_a_number_that_is_subtracted_from_is_not_divided_by(name: str) -> None:
    out = NEARLY_NOTHING[name](at.exp(w), z)
    values = [np.array([1.0, 2.0, 3.0]), 3 - 2.0**-51 * np.array([1.0, 2.0, 3.0])]
    expected = stock([w, z], out)(*values)
    np.testing.assert_allclose(function([w, z], out, PLAIN)(*values), expected, rtol=1e-14)


@pytest.mark.parametrize("far", [-1e9, -1e154])
@pytest.mark.parametrize("masked", [False, True])
def test_what_is_far_below_takes_no_digits_from_sums_in_sums(far: float, masked: bool) -> None:
    m = at.dvector("m") if masked else at.ones_like(z)
    inside = (m * at.exp(b) + at.exp(z)) / at.exp(z).sum()
    values = [np.full(3, far), np.array([0.5, -1.5, 0.25]), np.array([0.0, 1.0, -2.0])]
    assert_right(
        [b, z, w, *([m] if masked else [])],
        [at.log(abs(inside + at.exp(w)))],
        [*values, *([np.array([0.0, 2.0, 0.0])] if masked else [])],
        rtol=1e-14,
    )


@pytest.mark.parametrize("far", [-1e9, -np.inf])
@pytest.mark.parametrize("asked", [at.log, at.sgn, at.abs])
def test_what_is_far_below_takes_no_digits_from_products_of_sums(far: float, asked: Any) -> None:
    total = at.exp(b + w) + at.exp(z)
    slope = at.exp(w) / total - at.exp(2 * w + b) / total**2 + at.exp(w + b) / total**2
    values = [np.full(3, far), np.array([0.5, -1.5, 0.25]), np.array([0.0, 1.0, -2.0])]
    assert_right([b, z, w], [asked(at.abs(slope + at.square(w) / at.exp(z)))], values, rtol=1e-13)


@pytest.mark.parametrize("far", [-1e9, -1e154])
@pytest.mark.parametrize("power", [1, 2])
def test_what_is_far_below_takes_no_digits_through_the_largest_of_sums(
    far: float, power: int
) -> None:
    """The smallest graph of a second derivative of a forward pass that normalises each step."""
    weight, nothing = w * at.exp(z), w[::-1] * at.exp(b)
    inside = weight * nothing + z * at.exp(z) * (w - nothing * weight) ** power * weight
    values = [np.full(3, far), np.array([0.5, -1.5, 0.25]), np.array([0.75, -0.6, 1.3])]
    assert_right([b, z, w], [at.log(at.abs(inside))], values, rtol=1e-13)


def test_what_is_stacked_meets_its_largest_as_it_is() -> None:
    """An evidence bound with several samples, whose log weights are large and nearly equal."""
    x, weights, spread = at.dmatrices("xws")
    logs = []
    for noise in (-1.5, -0.5, 0.5):
        sample = at.dot(x, weights) + at.exp(at.dot(x, spread)) * noise
        likelihood = at.log(1 / (1 + at.exp(-sample))).sum(axis=1)
        logs.append(likelihood - 0.5 * (sample**2).sum(axis=1))
    bound = at.log(at.exp(at.stack(logs, axis=1)).mean(axis=1)).sum()
    rng = np.random.default_rng(12)
    values = [300 * rng.standard_normal((4, 3)), *rng.standard_normal((2, 3, 2))]
    values[2] /= 100
    assert_right([x, weights, spread], [grad(bound, weights)], values, rtol=1e-14)


def test_sums_of_logs_stay_factors_beside_what_others_divide() -> None:
    """Multiplied out, three digits of a slope were lost at everyday inputs."""
    weights = 1 / at.exp(w[None, :] - w[:, None]).sum(axis=1)
    out = -at.log(1 - weights).sum() * -(weights * at.log(weights)).sum()
    assert_right([w], [grad(out, w)], [np.array([0.0, 0.0, 7.0])], rtol=1e-13)
