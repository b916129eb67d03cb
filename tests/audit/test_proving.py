"""What is proved holds: random inputs in the ranges stay in the intervals."""

from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode
from aesara.tensor import special
from hypothesis import given
from hypothesis import strategies as st

from kanrewrite.audit import audit
from kanrewrite.audit.inputs import inputs_of
from kanrewrite.audit.intervals import Interval, div, mul, power
from kanrewrite.audit.proving import proved

x: Any = at.dmatrix("x")
y: Any = at.dmatrix("y")
f: Any = at.fmatrix("f")

PLAIN: Any = {"linker": "py", "optimizer": None}
GRAPHS: list[tuple[Any, dict[Any, tuple[float, float]]]] = [
    (at.log(1 + at.exp(x)) * at.tanh(y) - at.sqrt(y), {x: (-700, 700), y: (0, 1e300)}),
    (at.exp(x - x.max(axis=1, keepdims=True)).sum(axis=0), {x: (-1e4, 1e4)}),
    (at.exp(x - x.max()) / (1 + at.square(y)), {x: (-1e4, 1e4), y: (-1e154, 1e154)}),
    (special.log_softmax(x, axis=0) * special.softmax(y, axis=1), {x: (-1e9, 1e9), y: (-5, 5)}),
    (at.switch(x > y, x / (2 + at.cos(y)), y**3), {x: (-1e5, 1e5), y: (-10, 3)}),
    (at.log1p(at.maximum(x, 0)) + at.clip(y, -1, x.sum()), {x: (-4, 4), y: (-9, 9)}),
    (at.dot(x, y.T) / x.shape[0], {x: (-3, 3), y: (-7, 0)}),
    (at.concatenate([x[0], at.cumsum(y[:, 0])]).mean(), {x: (-3, 3), y: (-7, 1e6)}),
    (at.sigmoid(x) * at.expm1(-at.abs(y)) + at.sgn(x), {x: (-1e308, 1e308), y: (-1e308, 1e308)}),
    (at.sqrt(at.square(f).sum(axis=1)) / (1 + at.exp(f)).prod(), {f: (-3, 3)}),
    (at.inc_subtensor(x[0], y[0]) - 1 / (y + 10), {x: (0, 1), y: (-9, 9)}),
    (2.0 ** at.minimum(x, 900) + x**-2, {x: (1e-3, 1e200)}),
    (at.erf(x) + at.erfc(y) + at.arctan(x) + at.softplus(y) + at.log(at.cosh(y)), {y: (-300, 700)}),
]


def drawn(rng: np.random.Generator, low: float, high: float, shape: tuple[int, ...]) -> Any:
    """Numbers of a range: evenly, by magnitude, and its ends."""
    with np.errstate(all="ignore"):
        even = low / 2 + (high / 2 - low / 2) * rng.random(shape) + low / 2
        sizes = 10.0 ** rng.uniform(-300, 300, shape) * rng.choice([-1.0, 1.0], shape)
    ends = rng.choice([low, high, 0.0], shape)
    return np.clip(np.choose(rng.integers(0, 3, shape), [even, sizes, ends]), low, high)


@pytest.mark.parametrize("case", range(len(GRAPHS)))
def test_what_is_proved_holds_for_thousands_of_inputs(case: int) -> None:
    graph, ranges = GRAPHS[case]
    known = inputs_of([graph], ranges, None)
    parts = [p for p in proved(known, [graph]) if p.verdict == "proved"]
    assert parts
    run = aesara.function(
        [i.variable for i in known],
        [p.variable for p in parts],
        mode=Mode(**PLAIN),
    )
    rng = np.random.default_rng(case)
    count = 0
    while count < 20_000:
        n = int(rng.integers(1, 40))
        values = [drawn(rng, i.low, i.high, (n, n)).astype(i.dtype) for i in known]
        with np.errstate(all="ignore"):
            results = run(*values)
        for part, result in zip(parts, results, strict=True):
            assert np.isfinite(result).all(), part
            assert (result >= part.low).all(), part
            assert (result <= part.high).all(), part
        count += sum(v.size for v in values)


@pytest.mark.parametrize(
    ("graph", "ranges", "is_proved"),
    [
        (at.exp(x), {x: (-1e300, 709)}, True),
        (at.exp(x), {x: (-1, 710)}, False),
        (at.exp(f), {f: (-1, 90)}, False),
        (at.log(x), {x: (0, 1)}, False),
        (at.log(x), {x: (1e-300, 1)}, True),
        (x / y, {x: (0, 1), y: (-1, 1)}, False),
        (x / y, {x: (0, 1), y: (0.5, 1)}, True),
        (x - y, {x: (-1e308, 1e308), y: (-1e308, 1e308)}, False),
        (at.exp(x - x.max(axis=0)), {x: (-1e5, 1e5)}, True),
        (at.exp(x - x.max(axis=1)), {x: (-1e5, 1e5)}, False),
        (at.exp(x - y.max(axis=0)), {x: (-1e5, 1e5), y: (-1e5, 1e5)}, False),
        (at.sqrt(1 - at.square(x)), {x: (-1, 1)}, False),
    ],
    ids=str,
)
def test_ranges_decide(graph: Any, ranges: Any, is_proved: bool) -> None:
    known = inputs_of([graph], ranges, None)
    last = proved(known, [graph])[-1]
    assert (last.verdict == "proved") is is_proved
    assert bool(last.why) is not is_proved


def test_reasons_name_the_operator_that_begins_it() -> None:
    found = audit(at.log(at.exp(x)).sum(), {x: (-1, 800)}, as_written=True)
    assert found.part(found.outputs[0]).why == "exp may be inf"


floats = st.floats(allow_nan=False, allow_infinity=True)


@given(st.tuples(floats, floats), st.tuples(floats, floats), st.floats(0, 1), st.floats(0, 1))
def test_products_and_quotients_lie_where_they_are_said_to(
    a: tuple[float, float], b: tuple[float, float], s: float, t: float
) -> None:
    first, second = Interval(min(a), max(a)), Interval(min(b), max(b))
    for rule, op in ((mul, np.multiply), (lambda p, q: div(p, q, 1e-308), np.divide)):
        found = rule(first, second)
        for u in (first.low, first.high, _between(first, s)):
            for v in (second.low, second.high, _between(second, t)):
                with np.errstate(all="ignore"):
                    value = float(op(np.float64(u), np.float64(v)))
                assert found.nan if np.isnan(value) else _near(found, value)


def _between(i: Interval, t: float) -> float:
    low, high = max(i.low, -1e308), min(i.high, 1e308)
    return min(max(low * (1 - t) + high * t, i.low), i.high)


def _near(i: Interval, value: float) -> bool:
    room = 1e-15 * abs(value) if np.isfinite(value) else 0.0
    return i.low - room <= value <= i.high + room


@given(st.floats(-50, 50), st.floats(-50, 50), st.integers(1, 9))
def test_powers(a: float, b: float, n: int) -> None:
    i = Interval(min(a, b), max(a, b))
    for value in (a, b, (a + b) / 2):
        assert _near(power(i, n), value**n)
