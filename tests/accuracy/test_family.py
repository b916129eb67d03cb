"""The family ``accuracy``: what it keeps, where it is on, and what it leaves alone."""

from typing import Any

import aesara
import aesara.tensor as at
import mpmath
import numpy as np
import pytest
from aesara.compile.mode import Mode

import kanrewrite
from kanrewrite import registry
from kanrewrite.cost import node_count
from tests.benchmarks.formulas import FORMULAS, Sample, family, graph_of, sample, stock
from tests.sparing import sparing

MODE = Mode("py", "fast_run").excluding("fusion", "inplace")
#: What each of these loses with the family, in bits; Aesara alone loses many more.
KEPT = {
    "length_two": 1.0,
    "next_root": 1.0,
    "next_log": 1.0,
    "root_plus": 6.0,
    "atan_next": 1.5,
    "one_less_cos": 1.0,
    "sine_minus": 1.0,
    "next_reciprocal": 1.0,
    "legs": 1.5,
    "rule_of_three": 1.5,
    "sine_step": 1.5,
    "haversine": 2.0,
    "symmetric_roots": 1.0,
    "redshift": 1.0,
    "bhattacharyya": 1.5,
    "near_doppler": 1.0,
    "exp_cos_less": 1.0,
    "acoth": 1.0,
    "debye": 1.0,
    "nlogn": 1.5,
    "tidal": 1.0,
    "tail": 1.0,
    "horizon": 3.0,
    "power_less": 1.0,
    "log_over_less": 1.0,
    "sinh_over_less": 1.0,
    "langevin": 1.0,
    "monic_plus": 1.0,
    "shape_cosh_gap": 1.0,
    "shape_sigm_gap": 1.0,
    "shape_sech": 1.0,
    "shape_log_pair": 1.0,
    "shape_odds_less": 1.0,
    "shape_second_root": 1.5,
    "shape_root_gap": 1.0,
    "shape_cos2": 1.0,
    "shape_rational_one": 1.0,
    "shape_half_angle": 1.0,
    "shape_log_quad": 1.0,
    "log_sinh": 1.0,
    "xlogx_step": 1.0,
    "recalled_ones_around": 1.0,
    "recalled_log_transform": 6.0,
    "fresh_mercator": 1.0,
    "fresh_triangle_side": 1.0,
    "fresh_fraction_pair": 1.0,
    "fresh_complex_moebius": 1.0,
    "fresh_complex_log_real": 1.0,
    "fresh_rapidity": 1.0,
    "fresh_horizon_dip": 1.0,
    "fresh_mid_sine": 1.0,
    "fresh_step_sinh": 1.0,
}
#: What the view reads as exponentials that the graph has not, or could group otherwise.
#: Then sums of which no term cancels, what a log has shifted, products that begin with a number.
LEFT_ALONE = (
    "poisson_donors",
    "logistic_share",
    "hyperbola",
    "quartic",
    "pie",
    "scattering",
    "logistic_sample",
    "turbine_three",
)


@pytest.fixture(autouse=True)
def _nothing_enabled() -> Any:
    with registry.disabled():
        yield


@pytest.mark.spared
@pytest.mark.parametrize("name", sparing(KEPT, 9))
def test_a_formula_keeps_its_digits(name: str) -> None:
    formula = next(f for f in FORMULAS if f.name == name)
    data = sample(formula, 24)
    assert stock(formula, data) > KEPT[name] + 2
    assert family(formula, data) < KEPT[name]


@pytest.mark.spared(2)
@pytest.mark.parametrize("name", sparing(LEFT_ALONE))
def test_nothing_gets_worse_by_over_a_bit(name: str) -> None:
    formula = next(f for f in FORMULAS if f.name == name)
    data = sample(formula, 24)
    assert family(formula, data) <= stock(formula, data) + 1


def test_it_is_on_by_name_only() -> None:
    registry.enable()
    assert "accuracy" not in {r.family for r in registry.enabled()}
    registry.enable("accuracy")
    assert "accuracy" in {r.family for r in registry.enabled()}


def compiled(inputs: list[Any], out: Any) -> Any:
    registry.enable()
    registry.enable("accuracy")
    return aesara.function(inputs, out, mode=MODE)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_length_is_what_it_was_where_nothing_leaves_the_range(dtype: str) -> None:
    x, y = at.vector("x", dtype=dtype), at.vector("y", dtype=dtype)
    out = at.sqrt(x**2 + y**2)
    a, b = np.random.default_rng(0).normal(size=(2, 100)).astype(dtype)
    with np.errstate(all="ignore"):
        result = compiled([x, y], out)(a, b)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, np.sqrt(a * a + b * b))


@pytest.mark.parametrize(("dtype", "size"), [("float64", 1e300), ("float32", 1e30)])
def test_a_length_stays_in_range(dtype: str, size: float) -> None:
    x, y = at.vector("x", dtype=dtype), at.vector("y", dtype=dtype)
    f = compiled([x, y], at.sqrt(x**2 + y**2))
    with np.errstate(all="ignore"):
        found = f(np.array([3 * size, 3 / size], dtype), np.array([4 * size, 4 / size], dtype))
    np.testing.assert_allclose(found, np.array([5 * size, 5 / size], dtype), rtol=1e-6)


def test_gradients_keep_their_digits() -> None:
    x: Any = at.dvector("x")
    f = compiled([x], aesara.grad(at.sqrt(x**2 + 1).sum(), x))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(f([1e200, -1e200, 0.5]), [1.0, -1.0, 0.5 / np.sqrt(1.25)])


def test_a_distance_of_rows_keeps_its_digits() -> None:
    x, y = at.dmatrices("x", "y")
    out = at.sqrt(at.sum(x, axis=1) ** 2 + at.sum(y, axis=1) ** 2)
    f = compiled([x, y], out)
    with np.errstate(all="ignore"):
        found = f(np.full((2, 3), 1e200), np.full((2, 3), 1e200))
    np.testing.assert_allclose(found, np.full(2, 3e200 * np.sqrt(2)))


def test_a_difference_that_only_adds_up_stays_as_it_is() -> None:
    x, y, z = at.dscalars("x", "y", "z")
    out = x - (x + y + z) / 3
    with registry.disabled():
        stock = aesara.function([x, y, z], out, mode=MODE)
    f = compiled([x, y, z], out)
    for number in (0.1, 7.3, 1e10):
        assert f(number, number, number) == stock(number, number, number)


def test_terms_that_a_right_side_subtracts_cancel_as_symbols() -> None:
    x: Any = at.dscalar("x")
    registry.enable("accuracy")
    (new,) = kanrewrite.stabilize([at.sqrt(x + 1) - at.sqrt(x)])
    assert node_count(new) <= 10
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(new.eval({x: 1e20}), 5e-11)


@pytest.mark.spared(2)
@pytest.mark.parametrize("library", [False, True])
def test_a_log_of_a_hyperbolic_cosine_is_a_small_graph(library: bool) -> None:
    x: Any = at.dvector("x")
    if library:
        registry.enable()
    registry.enable("accuracy")
    (new,) = kanrewrite.stabilize([at.log(at.cosh(x))])
    assert node_count(new) <= 20
    small = np.array([1e-150, -1e-8, 0.3, -0.4999])
    with mpmath.workdps(400):
        exact = [float(mpmath.log(mpmath.cosh(mpmath.mpf(v)))) for v in small]
    np.testing.assert_allclose(new.eval({x: small}), exact, rtol=4e-16)


@pytest.mark.parametrize(("number", "less"), [(1, 2), (3, 7), (0.1, 5)])
def test_the_rounding_of_a_root_is_no_factor(number: float, less: float) -> None:
    r, n = at.dvectors("r", "n")
    registry.enable("root_of_product")
    (new,) = kanrewrite.stabilize([r * at.sqrt(number * (n - less) / (1 - r * r))])
    assert new.owner.inputs[0] is r
    assert [v for v in new.owner.inputs[1].owner.inputs if v.owner.op == at.sqrt]


FIRED = {
    "the more special pattern": ("horizon", ["scaled_leg"]),
    "a number in the sum it is written in": ("acoth", ["log_quotient", "logs_difference"]),
    "a root as a divisor, a difference in a result": (
        "tail",
        ["fraction_less_one", "root_less_side", "scaled_square"],
    ),
    "the negative of an exponent": ("debye", ["exp_less_linear"]),
}


@pytest.mark.parametrize("case", sparing(FIRED, 2))
def test_what_fires(case: str) -> None:
    name, expected = FIRED[case]
    formula = next(f for f in FORMULAS if f.name == name)
    registry.enable("accuracy")
    with kanrewrite.trace() as steps:
        registry.stabilize([graph_of(formula)[1]])
    assert list(dict.fromkeys(e.name for e in steps.fired_events)) == expected


@pytest.mark.spared(2)
@pytest.mark.parametrize("number", [2.0, 3.0, 0.1])
def test_sums_with_numbers_stay_as_they_are_written(number: float) -> None:
    x = np.array([number * (1 + 1e-9), -number * (1 + 1e-9), number * 0.3])
    v: Any = at.dvector("x")
    with np.errstate(all="ignore"):
        found = compiled([v], at.log((v + number) / (v - number)))(x)
        np.testing.assert_array_equal(found, np.log((x + number) / (x - number)))


def test_a_choice_is_not_looked_for_in_itself() -> None:
    a, b = at.dvectors("a", "b")
    registry.enable("accuracy")
    with kanrewrite.trace() as steps:
        registry.stabilize([at.log(a) - at.log(b)])
    assert [e.name for e in steps.fired_events] == ["logs_difference"]


def test_a_quotient_of_squares_stays_in_range() -> None:
    a, b, c = at.dvectors("a", "b", "c")
    f = compiled([a, b, c], (a**2 + b**2) / (c**2 + b**2))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(f([3e200, 1e-200], [4e200, 0], [3e200, 2e-200]), [1, 0.25])


@pytest.mark.parametrize("names", [("squares_difference",), ("accuracy",)])
def test_a_difference_that_vanishes_has_no_sign(names: tuple[str, ...]) -> None:
    x: Any = at.dvector("x")
    registry.enable(*names)
    f = aesara.function([x], 1 / at.sqrt(1 - x**2), mode=MODE)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(f([1.0, -1.0, 0.0]), [np.inf, np.inf, 1.0])


def test_half_turns_near_whole_ones() -> None:
    x: Any = at.dvector("x")
    little = 2.0**-40
    registry.enable("half_turns")
    (new,) = kanrewrite.stabilize([at.sin(np.pi * x)])
    found = new.eval({x: np.array([1.0, 1 + little, 3 - little, -1 + little, 2 + little])})
    exact = np.sin(np.pi * little)
    np.testing.assert_allclose(found, [0, -exact, exact, -exact, exact], rtol=1e-15)


def test_the_tangent_of_a_right_angle_has_the_sign_that_the_float_next_to_it_has() -> None:
    x: Any = at.dvector("x")
    registry.enable("half_turns")
    (new,) = kanrewrite.stabilize([at.tan(np.pi * x)])
    angles = np.array([0.5, -0.5, 1.5, -1.5, 2.5, -0.0])
    np.testing.assert_array_equal(np.signbit(new.eval({x: angles})), np.signbit(angles))


#: Inputs at which a form that keeps digits elsewhere would lose them, or leave the range.
RIGHT_AS_WRITTEN = {
    "a double root": ("half_root_plus", (0.3, 0.3, 0.3), -1.0),
    "equal legs": ("quotient_of_roots", (76.7, 76.7), 0.0),
    "a large coefficient": ("positive_root", (0.25, 1.0, 1.7e308), 2.6076809620810593e154),
    "near a half turn": ("acos_one_less", (2 - 2.0**-50,), 3.141592611442945),
    "near one": ("asech_log", (1 - 2.0**-53,), 1.4901161193847656e-08),
    "nothing over little": ("schlick", (1e-310, 1e-310), 0.0),
}


@pytest.mark.parametrize("case", sparing(RIGHT_AS_WRITTEN))
def test_what_is_right_as_written_stays_right(case: str) -> None:
    name, values, truth = RIGHT_AS_WRITTEN[case]
    formula = next(f for f in FORMULAS if f.name == name)
    data = Sample(np.array(values)[:, None], np.array([truth]))
    assert family(formula, data) < 2


@pytest.mark.parametrize("c", [1.0, 1e300])
def test_a_root_out_of_range_is_not_divided_by(c: float) -> None:
    x, y = at.dvectors("x", "y")
    registry.enable("root_less_side")
    f = aesara.function([x, y], at.sqrt(x**2 + y) - x, mode=MODE)
    with np.errstate(all="ignore"):
        assert f([1e200], [c]) == [np.inf]  # as it is written, and for all to see


#: Formulas of formulas*.txt that a form of the family once made wrong, and where.
SPECIAL = {
    "no more than a half": ("t_statistic", (1.0, 3.0)),
    "products under products": ("fraction_of_product", (0.5, -0.3, -1.0, 1.7e308)),
    "a multiple of a divisor": ("third_root_minus", (2.3e-308, 3.0, -1.0)),
    "nothing to divide by": ("half_root_minus", (0.0, -2.0, 0.5)),
    "a number under a root": ("monic_plus", (1.0, -1.7e308)),
    "a part of what is out of range": ("vertex_height", (2.3e-308, 3.0, -1.0)),
    "a step from infinity": ("atan_next", (np.inf,)),
    "a factor that terms have in common": ("van_der_waals", (5e-324, 1.7e308, -0.5, 0.0, 0.25)),
    "squares that are not written": ("jet", (1.7, 3.0, -1.0, -1.7e308, 3.0, 1.0)),
}


@pytest.mark.spared(2)
@pytest.mark.parametrize("case", sparing(SPECIAL))
def test_special_inputs_are_what_they_were(case: str) -> None:
    name, values = SPECIAL[case]
    formula = next(f for f in FORMULAS if f.name == name)
    inputs, out = graph_of(formula)
    with registry.disabled():
        stock = aesara.function(inputs, out, mode=MODE)
    f = compiled(inputs, out)
    given = [np.array([value]) for value in values]
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(f(*given), stock(*given), rtol=1e-15)


def test_what_is_chosen_as_written_is_the_graphs_own_operator() -> None:
    x, n = at.dvectors("x", "n")
    out = n / (1 - x**2)
    registry.enable("over_large_square")
    (new,) = kanrewrite.stabilize([out])
    written = new.owner.inputs[2]
    assert written.owner.op == out.owner.op
    assert written.owner.inputs[0] is n


@pytest.mark.parametrize("spelled", [lambda p: p * p / 4, lambda p: (p / 2) ** 2])
def test_parameters_are_what_is_written_and_no_multiples(spelled: Any) -> None:
    p, q = at.dvectors("p", "q")
    registry.enable("root_less_side")
    with kanrewrite.trace() as steps:
        kanrewrite.stabilize([p / 2 - at.sqrt(spelled(p) - q)])
    (event,) = steps.fired_events
    assert "4.0 * q" not in str(event)


@pytest.mark.spared(2)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_a_variance_keeps_its_digits(axis: int | None) -> None:
    x: Any = at.dmatrix("x")
    f = compiled([x], (x**2).mean(axis=axis) - x.mean(axis=axis) ** 2)
    values = 1e8 + np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(f(values), values.var(axis=axis), rtol=1e-14)


NEVER_WORSE: dict[str, tuple[Any, tuple[float, float]]] = {
    "a power of what is exact": (lambda x, n: (1 + x) ** n, (-0.25, 100.0)),
    "a compound of what is exact": (lambda x, n: (1 + x) ** n - 1, (-0.25, -100.0)),
    "a sine of an exact sum": (lambda x, y: at.sin(x) / at.sin(x + y), (100.0, 0.5)),
    "factors of everyday size": (lambda x, y: 11 * (x * x) * (y * y) - 2.75, (1 + 2.0**-52, 0.5)),
    "the least number": (lambda x, y: x * (100 - y) / (1 - y), (5e-324, 1.7)),
    "a zero under a root": (lambda x, y: at.sqrt(x * x * y), (0.0, -1.0)),
    "a root of a number": (
        lambda x, y: at.arcsin(at.sqrt((1 - y**2) / (1 + 2 * x**2))),
        (0.0, 0.0),
    ),
    "a leg of a quotient": (lambda x, y: at.sqrt(x * x / (y * y) - 1), (1.0, 2.0**-53 - 1)),
    "powers of a quotient": (lambda x, y: 4 * ((x / y) ** 12 - (x / y) ** 6), (1e60, 1.5e60)),
    "a product around a fraction": (
        lambda x, y: x * (x * x + 3 * y) / (3 * x * x + y),
        (1e-100, 1e250),
    ),
}


@pytest.mark.spared
@pytest.mark.parametrize("case", sparing(NEVER_WORSE))
def test_what_is_right_stays_as_it_is(case: str) -> None:
    build, point = NEVER_WORSE[case]
    variables: list[Any] = list(at.dscalars("x", "y"))
    written = build(*variables)
    plain = aesara.function(variables, written, mode=MODE)
    registry.enable("accuracy")
    new = aesara.function(variables, written, mode=MODE)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(new(*point), plain(*point), rtol=3e-16)


@pytest.mark.spared(2)
@pytest.mark.parametrize("x", [1e-12, 0.3])
def test_powers_and_sums_that_are_rounded_keep_what_they_lose(x: float) -> None:
    base, power = at.dscalars("base", "power")
    registry.enable("accuracy")
    powers = aesara.function([base, power], (1 + base) ** power, mode=MODE)
    sines = aesara.function([base, power], at.sin(base + power), mode=MODE)
    with mpmath.workdps(60):
        exact = float((1 + mpmath.mpf(x)) ** 1000)
        sine = float(mpmath.sin(mpmath.mpf(x) + mpmath.mpf(355.0)))
    np.testing.assert_allclose(powers(x, 1000.0), exact, rtol=5e-16)
    np.testing.assert_allclose(sines(x, 355.0), sine, rtol=5e-16)


@pytest.mark.parametrize(
    ("written", "times"),
    [
        (lambda x: 1 / x - 1 / (x - 1), -1),
        (lambda x: 1 / (x + 1) - 1 / (x - 1), -2),
        (lambda x: 3 / (x - 1) - 3 / (x + 1), 6),
        (lambda x: 1 / (1 + x) + 1 / (1 - x), -2),
    ],
)
def test_fractions_are_joined_whichever_sum_has_the_minus(written: Any, times: int) -> None:
    x: Any = at.dvector("x")
    with registry.disabled():
        registry.enable("reciprocals_difference")
        function = aesara.function([x], written(x), mode=MODE)
    np.testing.assert_allclose(function([1e10, 1e100]), [times * 1e-20, times * 1e-200], rtol=1e-9)


def test_a_log_of_one_and_squares_stays_one_of_one_and_a_little() -> None:
    x, y = at.dvectors("x", "y")
    with registry.disabled():
        registry.enable("accuracy")
        out = at.log(1 + (2 * x + x * x + y * y))
        function = aesara.function([x, y], out, mode=MODE)
    np.testing.assert_allclose(function([1e-50, 0.0], [1e-40, 1e-30]), [2e-50, 1e-60], rtol=1e-15)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_norms_over_an_axis_take_squares_of_what_is_in_range(dtype: str) -> None:
    x: Any = at.matrix("x", dtype=dtype)
    size = 1e200 if dtype == "float64" else 1e30
    with registry.disabled():
        registry.enable("scaled_norm")
        out = at.sqrt((x**2).sum(axis=1))
        function = aesara.function([x], [out, aesara.grad(out.sum(), x)], mode=MODE)
    rows = np.array([[3, 4], [0.3, -0.4], [0, 0], [np.inf, 1]], dtype)
    with np.errstate(all="ignore"):
        for scale in (size, 1, 1 / size):
            norms, slopes = function(rows * np.asarray(scale, dtype))
            np.testing.assert_allclose(norms[:2], [5 * scale, 0.5 * scale], rtol=1e-6)
            np.testing.assert_allclose(slopes[:2], [[0.6, 0.8], [0.6, -0.8]], rtol=1e-6)
            assert norms[2:].tolist() == [0, np.inf]
        assert function(np.zeros((2, 0), dtype))[0].tolist() == [0, 0]


def test_what_a_reduction_adds_up_is_no_term_of_a_sum() -> None:
    """The density of a mixture: compiling met a ValueError, and left it as it was written."""
    x: Any = at.TensorType("float64", (7,))("x")
    w, m, s = (at.TensorType("float64", (3,))(name) for name in "wms")
    weights = at.exp(w) / at.exp(w).sum()
    normal = at.exp(-0.5 * ((x.dimshuffle(0, "x") - m) / at.exp(s)) ** 2) / at.exp(s)
    out = at.log((weights * normal).sum(axis=1)).sum()
    with registry.disabled():
        kanrewrite.enable()
        registry.enable("accuracy")
        with aesara.config.change_flags(on_opt_error="raise"):
            function = aesara.function([x, w, m, s], out, mode=MODE)
    values = [np.arange(7.0) - 3, np.array([800, 799, 0.0]), np.array([0.0, 1, 2]), np.zeros(3)]
    logits = -0.5 * (values[0][:, None] - values[2]) ** 2 + values[1]
    exact = mpmath.mp.fsum(
        mpmath.log(mpmath.fsum(map(mpmath.exp, row)))
        - mpmath.log(mpmath.fsum(map(mpmath.exp, values[1])))
        for row in logits.tolist()
    )
    np.testing.assert_allclose(function(*values), float(exact), rtol=1e-13)
