"""Derivatives that hold their own exponents are computed from shifted ones, if that is proved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kanrewrite import registry
from kanrewrite.view import View
from kanrewrite.view.centring import Generator, candidates
from tests.sparing import sparing
from tests.view.common import PLAIN, assert_right, at, function, grad, ops, stock, truth

KEPT: dict[str, Any] = {"axis": 1, "keepdims": True}
#: Rows of numbers that are large and close together.
ROWS = np.array([[9000.5, 9001.0, 8999.25], [-7000.0, -7001.5, -7000.5]])
G, H = np.array([[1.0, -0.5, 0.25], [0.5, 2.0, -1.0]]), np.sin(np.arange(6.0)).reshape(2, 3)

x, g, h = at.dmatrices("x", "g", "h")
t, u = at.dscalars("t", "u")


def soft(z: Any) -> Any:
    return at.exp(z) / at.exp(z).sum(**KEPT)


def average(scale: Any) -> Any:
    """The average of x under its softmax, as an operator of Boltzmann does."""
    return (soft(scale * x) * x).sum(**KEPT)


def entropy() -> Any:
    e = at.exp(x)
    return at.log(e.sum(**KEPT)) - (e * x).sum(**KEPT) / e.sum(**KEPT)


GRAPHS: dict[str, Any] = {
    "average": average(2.0),
    "average by a variable": average(t),
    "least": average(-1.0),
    "temperature": soft(x / t),
    "inverse temperature": soft(t * x),
    "entropy": entropy(),
}


def derivatives(graph: Any) -> list[Any]:
    """The first derivatives in x and t, and a second one."""
    slopes = grad((g[:, : graph.shape[1]] * graph).sum(), [x, t], disconnected_inputs="ignore")
    return [*slopes, grad((h * slopes[0]).sum(), x)]


@pytest.mark.spared
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("temperature", sparing([2.0, -0.5]))
def test_large_common_parts_cost_no_digits(graph: Any, temperature: float) -> None:
    values = [ROWS, temperature, G, H]
    assert_right([x, t, g, h], derivatives(graph), values, rtol=1e-11, atol=1e-12)


def test_float32_keeps_its_digits_too() -> None:
    z, c, s = at.fmatrix("z"), at.fmatrix("c"), at.fscalar("s")
    slope = grad((c * soft(z / s)).sum(), s)
    values = [ROWS.astype("float32"), np.float32(2.0), G.astype("float32")]
    assert_right([z, s, c], [slope], values, rtol=1e-5)
    with np.errstate(all="ignore"):
        found = stock([z, s, c], slope)(*values)
    assert not np.isclose(found, truth([slope], [z, s, c], values)[0], rtol=1e-5)


def test_without_an_exponential_that_weighs_nothing_else_there_is_no_shift() -> None:
    """What is masked may be the largest: its difference to the others has none of their digits."""
    w = at.dmatrix("w")
    e = w * at.exp(x)
    y = grad((g * (e * x).sum(**KEPT) / e.sum(**KEPT)).sum(), x)
    masked = np.array([[1e17, 0.25, 1.5]])
    assert_right([x, w, g], [y], [masked, np.array([[0.0, 1.0, 1.0]]), G[:1, :1] * [[1, 1, 1]]])


def test_the_smallest_counts_where_exponents_are_negative() -> None:
    values = [np.array([[1e17, 0.25, 1.5]]), -1.0, G[:1]]
    assert_right([x, t, g], [grad((g * average(t)).sum(), x)], values)
    assert_right([x, t, g], [grad((g * soft(x * t)).sum(), t)], values)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_an_inverse_temperature_may_be_zero(value: float) -> None:
    slopes = grad((g * soft(t * x)).sum(), [x, t])
    assert_right([x, t, g], slopes, [ROWS, value, G], rtol=1e-11)


def test_masked_logits_are_as_they_were() -> None:
    logits = np.array([[-np.inf, 1.0, 2.0], [-np.inf, -np.inf, -np.inf]])
    slope = grad((g * soft(x)).sum(), x)
    with np.errstate(all="ignore"):
        found, expected = (f([x, g], slope)(logits, G) for f in (function, stock))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


SCALED: Any = at.exp(4 * x)
#: Soft maxima less averages: logs that no relation replaces.
GAPS: dict[str, Any] = {
    "mean": at.log(SCALED.mean(1)) / 4 - (x * SCALED).sum(1) / SCALED.sum(1),
    "scaled": at.log(SCALED.sum(1)) / 4 - (x * SCALED).sum(1) / SCALED.sum(1),
    "weighed": g[:, 0] * ((x * SCALED).mean(1) / SCALED.mean(1) - at.log(SCALED.mean(1)) / 4),
    "variance": at.log(SCALED.mean(1)) / 2
    - 2 * (x * SCALED).sum(1) / SCALED.sum(1)
    + ((x - x.mean(**KEPT)) ** 2).sum(1),
}


@pytest.mark.spared
@pytest.mark.parametrize("graph", GAPS.values(), ids=GAPS)
def test_logs_beside_averages_are_centred(graph: Any) -> None:
    """A log of a sum grows with its exponents, as what it is compared with does."""
    for rows in (G, ROWS, ROWS + 1e8):
        assert_right([x, g], [graph], [rows, G], rtol=1e-13)


def test_logs_that_relations_replace_are_not_centred() -> None:
    e = at.exp(x)
    y = at.log(e.sum(1)) - (x * e).sum(1) / e.sum(1)
    found = ops(function([x], y, PLAIN))
    assert found["Softmax"] == found["LogSoftmax"] == 1
    assert not found["Supremum"]


# -- what is proved --------------------------------------------------------------------------------


def shifts(graph: Any, logs: bool = False) -> list[bool]:
    """For each candidate whether the graph does not change with it."""
    view = View(registry.relations())
    form = view.read(graph)
    algebra: Any = form.home
    return [Generator(s, algebra).kills(form) for s in candidates(form, algebra, logs)]


def test_derivatives_are_proved_not_to_change() -> None:
    slope = grad((g[:, :1] * average(2.0)).sum(), x)
    assert shifts(slope) == [True]
    assert shifts(grad((h * slope).sum(), x)) == [True]
    assert shifts(grad((g * soft(x / t)).sum(), t)) == [True]


def test_what_changes_is_not() -> None:
    slope = grad((g[:, :1] * average(2.0)).sum(), x)
    mean = (soft(x) * x).sum(**KEPT)
    for graph in (mean, soft(x) * x, soft(x) * (x - 2 * mean), slope + x * soft(x)):
        assert set(shifts(graph)) == {False}


def test_logs_are_asked_where_they_are_wanted() -> None:
    gap = at.log(SCALED.sum(1)) / 4 - (x * SCALED).sum(1) / SCALED.sum(1)
    assert shifts(gap) == []
    assert shifts(gap, logs=True) == [True]
    assert shifts(at.log(SCALED.sum(1)) / 2 - (x * SCALED).sum(1) / SCALED.sum(1), True) == [False]


def test_what_holds_no_exponent_outside_is_not_tried() -> None:
    assert shifts(soft(x) * (g - (soft(x) * g).sum(**KEPT))) == []
    assert shifts(soft(x + g)) == []
    assert shifts(x - at.log(at.exp(x).sum(**KEPT))) == []


def test_no_maximum_is_taken_where_nothing_is_gained() -> None:
    f = function([x, g], grad((g * soft(x)).sum(), x), PLAIN)
    assert ops(f) == {"Softmax": 1, "SoftmaxGrad": 1}
    e = at.exp(x)
    masked = g * e * x / (g * e).sum(**KEPT)
    assert shifts(masked) == []


#: Three numbers each, large and close together, and what is multiplied by them.
THREE = [np.array([0.5, 1.25, -0.75]), np.array([1.0, -0.25, 0.5]), np.array([-0.5, 0.75, 1.5])]
a, b, c = at.dvectors("a", "b", "c")


def written_out(*arms: Any) -> dict[str, Any]:
    """What does not change with its exponents, of shares that are written out."""
    powers = [at.exp(v / t) for v in arms]
    mean = sum(e * v for e, v in zip(powers, arms, strict=True)) / sum(powers)
    square = sum(e * v**2 for e, v in zip(powers, arms, strict=True)) / sum(powers)
    soft_maximum = t * at.log(sum(powers))
    return {
        "variance": square - mean**2,
        "slope of a mean": grad(mean.sum(), arms[0]),
        "slope in a temperature": grad(mean.sum(), t),
        "curvature in a temperature": grad(grad(soft_maximum.sum(), t), t),
        "mixed curvature": grad(grad(soft_maximum.sum(), t), arms[0]),
    }


@pytest.mark.spared
@pytest.mark.parametrize("arms", [(a, b), (a, b, c)], ids=["two", "three"])
@pytest.mark.parametrize("what", sparing(written_out(a, b), 2))
def test_what_is_written_out_is_shifted_together(what: str, arms: Any) -> None:
    graph = written_out(*arms)[what]
    f = function([a, b, c, t], [graph])
    for far in (0.0, 4096.0, -65536.0):
        for temperature in (0.5, -2.0):  # by which nothing is rounded
            values = [*(v + far for v in THREE), temperature]
            assert_right([a, b, c, t], [graph], values, rtol=1e-10, atol=1e-13, compiled=f)


def test_what_is_written_out_and_changes_is_not_shifted() -> None:
    e, f = at.exp(a), at.exp(b)
    for above in (a * e + b * f, a * e - b * f, a * e + 2 * b * f):
        assert True not in shifts(above / (e + f))


def test_a_proof_leaves_no_trace() -> None:
    """Sums that only it has made share no maximum with those of the graph."""
    view, graph = View(registry.relations()), written_out(a, b)["curvature in a temperature"]
    form = view.read(graph)
    algebra: Any = form.home
    before = {axes: list(found) for axes, found in algebra.exponents_along.items()}
    proved = [Generator(shift, algebra).kills(form) for shift in candidates(form, algebra)]
    assert True in proved
    assert {axes: list(found) for axes, found in algebra.exponents_along.items()} == before


@pytest.mark.spared(2)
@pytest.mark.parametrize("level", sparing([900.0, 0.0, 9e5]))
@pytest.mark.parametrize("wanted", ["logits", "temperature"])
def test_what_is_computed_apart_is_opened_where_that_shows_a_shift(
    wanted: str, level: float
) -> None:
    """As second derivatives of a variance do, of which a part is a sum in range by itself."""
    x, w = at.dvectors("x", "w")
    t = at.dscalar("t")
    e = at.exp(-x / t)
    variance = (x**2 * e).sum() / e.sum() - ((x * e).sum() / e.sum()) ** 2
    product = grad((grad(variance, x) * w).sum(), x if wanted == "logits" else t)
    values = [np.array([0.5, -1.0, 0.25, 1.0, 2.0]) + level, np.array([0.3, -0.7, 1.0, 0.2, -0.5])]
    assert_right([x, w, t], [product], [*values, np.asarray(0.25)], rtol=1e-12)


@pytest.mark.parametrize("level", sparing([900.0, 0.0, 9e5]))
def test_what_is_computed_apart_is_opened_where_it_changes_though_the_rest_does_not(
    level: float,
) -> None:
    """Of the mixed derivative of a variance in the temperature, one long sum does."""
    x, w = at.dvectors("x", "w")
    t = at.dscalar("t")
    variance = grad(grad(at.log(at.exp(-x * t).sum()), t), t)
    product = grad((grad(t**2 * variance, x) * w).sum(), t)
    values = [np.array([0.5, -1.0, 0.25, 2.0]) + level, np.array([0.3, -0.7, 1.0, 0.2])]
    assert_right([x, w, t], [product], [*values, np.asarray(0.8)], rtol=1e-10)
