"""The reference: laws of its numbers, known values, infinities, rounding, and what it refuses."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import aesara
import aesara.tensor as at
import mpmath
import numpy as np
import pytest
from aesara.graph.basic import Apply, io_toposort
from aesara.graph.op import Op
from aesara.scalar import UnaryScalarOp
from aesara.scalar.basic import same_out
from aesara.tensor import special
from aesara.tensor.elemwise import Elemwise
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

from kanrewrite import errors, reference
from kanrewrite.reference import evaluation, registry
from kanrewrite.reference.products import Products
from kanrewrite.reference.scales import Arithmetic, Real, is_nan, lead, magnitude, real

INF = math.inf
floats = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e3, 1e3)


def value(build: Any, *arguments: float, **options: Any) -> Any:
    """One number: `build` of float64 scalars, evaluated."""
    inputs = [at.dscalar() for _ in arguments]
    known = dict(zip(inputs, arguments, strict=True))
    return reference.evaluate([build(*inputs)], known, **options)[0].item()


def rounded(build: Any, *arguments: float) -> float:
    return float(reference.round_to([value(build, *arguments)], "float64").item())


def same(x: float, y: float) -> bool:
    return x == y or (math.isnan(x) and math.isnan(y))


# --- laws ---------------------------------------------------------------------------------------
@given(floats, floats)
def test_a_sum_loses_nothing(x: float, y: float) -> None:
    assert value(lambda x, y: (x + y) - x, x, y) == y


@given(floats, floats.filter(bool))
def test_a_quotient_undoes_a_product(x: float, y: float) -> None:
    assert mpmath.almosteq(value(lambda x, y: x * y / y, x, y), x, 1e-40)


@given(st.floats(-1e300, 1e300))
def test_log_undoes_exp(x: float) -> None:
    assert mpmath.almosteq(value(lambda x: at.log(at.exp(x)), x), x, 1e-40)


@given(st.floats(-1e15, 1e15), st.floats(-1e15, 1e15))
def test_products_of_exponentials_add_their_exponents(x: float, y: float) -> None:
    ratio = value(lambda x, y: at.exp(x) * at.exp(y) / at.exp(x + y) - 1, x, y)
    assert ratio == 0


@given(st.floats(-1e18, 1e18))
def test_the_two_sides_of_a_sigmoid(x: float) -> None:
    direct = value(lambda x: at.log(1 - 1 / (1 + at.exp(-x))), x)
    assert mpmath.almosteq(direct, value(lambda x: -at.softplus(x), x), 1e-25)


@given(st.lists(st.floats(-1e18, 1e18), min_size=1, max_size=6))
def test_softmax_is_shifted_log_softmax(row: list[float]) -> None:
    x: Any = at.dvector()
    e = at.exp(x)
    outputs = [at.log(e / e.sum()), special.log_softmax(x[None], axis=1)[0]]
    spelled, named = reference.evaluate(outputs, {x: np.array(row)})
    assert all(mpmath.almosteq(a, b, 1e-24) for a, b in zip(spelled, named, strict=True))


@given(st.floats(-1e300, 1e300))
def test_sums_and_differences_of_hyperbolic_functions(x: float) -> None:
    assert value(lambda x: at.cosh(x) ** 2 - at.sinh(x) ** 2 - 1, min(max(x, -1e3), 1e3)) == 0
    assert value(lambda x: at.tanh(x) * (at.exp(2 * x) + 1) - at.expm1(2 * x), x) == 0


@given(st.floats(1e-300, 30))
def test_erf_and_erfc_sum_to_one(x: float) -> None:
    assert value(lambda x: at.erf(x) + at.erfc(x) - 1, x) == 0
    assert value(lambda x: 1 - at.erf(x), x) > 0


@given(floats)
def test_rounding_gives_the_float_back(x: float) -> None:
    assert reference.round_to([mpf(x)], "float64").item() == x
    with np.errstate(over="ignore"):
        assert reference.round_to([mpf(x)], "float32").item() == np.float32(x)
        assert reference.round_to([mpf(x)], "float16").item() == np.float16(x)


@given(floats)
def test_whole_numbers(x: float) -> None:
    for ours, theirs in ((at.floor, np.floor), (at.ceil, np.ceil), (at.trunc, np.trunc)):
        assert value(ours, x) == theirs(x)
    assert value(at.round_half_to_even, x) == np.rint(x)


@given(moderate, moderate)
def test_comparisons_are_those_of_the_floats(x: float, y: float) -> None:
    assert value(lambda x, y: at.lt(x, y), x, y) == (x < y)
    assert value(lambda x, y: at.maximum(x, y), x, y) == max(x, y)
    assert value(lambda x, y: at.eq(x, y), x, y) == (x == y)


@given(moderate, st.floats(-1e3, 1e3).filter(bool))
def test_division_with_remainder(x: float, y: float) -> None:
    assert value(lambda x, y: (x // y) * y + x % y - x, x, y) == 0


# --- known values -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("build", "x", "digits"),
    [
        (at.exp, 1.0, "2.71828182845904523536028747135266249775724709369995"),
        (at.log, 2.0, "0.693147180559945309417232121458176568075500134360255"),
        (at.erf, 1.0, "0.842700792949714869341220635082609259296066997966302"),
        (at.gammaln, 0.5, "0.572364942924700087071713675676529355823647406457655"),
        (at.gamma, 0.5, "1.77245385090551602729816748334114518279754945612239"),
        (at.psi, 1.0, "-0.577215664901532860606512090082402431042159335939924"),
        (at.tri_gamma, 1.0, "1.64493406684822643647241516664602518921894990120680"),
        (at.arctan, 1.0, "0.785398163397448309615660845819875721049292349843776"),
        (at.sqrt, 2.0, "1.41421356237309504880168872420969807856967187537695"),
        (at.sin, 1e22, "-0.852200849767188801772705893753029368261762150410043656"),
    ],
)
def test_known_values(build: Any, x: float, digits: str) -> None:
    with mpmath.workdps(60):
        assert mpmath.almosteq(value(build, x), mpf(digits), 1e-45)


@pytest.mark.parametrize(
    ("build", "x", "expected"),
    [
        (lambda x: at.log(1 - 1 / (1 + at.exp(-x))), 1e18, "-1e18"),
        (lambda x: at.log(at.erfc(x)) / x**2, 1e9, "-1.000000000000000021295487"),
        (lambda x: at.log1mexp(-x), 1e-300, "-690.77552789821370520539"),
        (lambda x: at.log(-at.expm1(-x)), 1e-300, "-690.77552789821370520539"),
        (lambda x: 1 - at.cos(x), 1e-200, "5e-401"),
        (lambda x: at.log(1 - at.tanh(x)), 1e17, "-2e17"),
        (lambda x: at.sqrt(x**2 + 1) - x, 1e100, "5e-101"),
        (lambda x: at.exp(x) - at.sqrt(at.exp(x)) ** 2, 0.3, "0"),
        (lambda x: at.log(at.exp(x) * at.exp(-x)), 0.3, "0"),
        (lambda x: -at.log(at.exp(x) / (at.exp(x) + at.exp(-1e5))), 0.3, "5.2585e-43430"),
        (lambda x: at.exp(x) / at.exp(x + 1), 1e300, "0.367879441171442321595523770161"),
        (lambda x: at.arctan(x) - np.pi / 2, 1e300, "6.1232339957367658860e-17"),
        (lambda x: at.sin(x + 1) - at.sin(x), 1e308, "-0.95843593077467405434"),
        (lambda x: at.cos(x + 1e-3) - at.cos(x), 1e200, "0.00064358608533253092473"),
    ],
)
def test_cancellations_that_no_precision_resolves(build: Any, x: float, expected: str) -> None:
    tolerance = 1e-4 if "e-43430" in expected else 1e-15
    assert mpmath.almosteq(value(build, x), mpf(expected), tolerance)


def test_two_precisions_alone_would_agree_on_a_wrong_answer() -> None:
    for digits in (50, 100, 200):
        with mpmath.workdps(digits):
            assert 1 - 1 / (1 + mpmath.exp(-1000)) == 0
    assert value(lambda x: at.log(1 - 1 / (1 + at.exp(-x))), 1000.0) == -1000


# --- infinities and nan -------------------------------------------------------------------------
@pytest.mark.spared
@pytest.mark.parametrize("x", [-INF, -2.0, -0.0, 0.0, 1.0, 2.0, INF, math.nan])
@pytest.mark.parametrize(
    "name",
    [
        *("exp", "log", "log1p", "expm1", "exp2", "sqrt", "square", "tanh", "sigmoid", "softplus"),
        *("erf", "erfc", "sin", "cos", "arctan", "arcsinh", "cosh", "sinh", "abs", "sgn", "floor"),
        *("isnan", "isinf", "log2", "log10", "arcsin", "arctanh", "arccosh", "trunc", "gammaln"),
    ],
)
def test_special_values_are_those_of_ieee_754(name: str, x: float) -> None:
    if name == "gammaln" and x == -INF:
        return  # scipy has -inf or inf there, of a function with ever more poles
    op = getattr(at, name)
    variable = at.dscalar()
    function = aesara.function([variable], op(variable), mode=aesara.Mode("py", "merge"))
    with np.errstate(all="ignore"):
        expected = function(x)
    got = reference.round_to(reference.evaluate([op(variable)], {variable: x})[0], "float64")
    np.testing.assert_allclose(got, expected, rtol=1e-14)


@pytest.mark.parametrize("x", [-INF, -1.5, 0.0, 1.0, 2.0, INF, math.nan])
@pytest.mark.parametrize("y", [-INF, -2.0, -1.0, 0.0, 0.5, 3.0, INF, math.nan])
def test_binary_special_values(x: float, y: float) -> None:
    xs, ys = np.float64(x), np.float64(y)
    with np.errstate(all="ignore"):
        for build, expected in [
            (lambda x, y: x + y, xs + ys),
            (lambda x, y: x * y, xs * ys),
            (lambda x, y: x / y, xs / ys),
            (lambda x, y: at.maximum(x, y), np.maximum(xs, ys)),
            (lambda x, y: x <= y, xs <= ys),
            (lambda x, y: at.neq(x, y), xs != ys),
        ]:
            assert same(rounded(build, x, y), expected)
        if not (x == -INF and y == 0.5):  # numpy has an infinity there, without a sign to root
            power = rounded(lambda x, y: x**y, x, y)
            np.testing.assert_allclose(power, xs**ys, rtol=1e-15)


def test_a_masked_row_is_nothing_special() -> None:
    x = at.dvector()
    (p,) = reference.evaluate([at.exp(x) / at.exp(x).sum()], {x: [-INF, 0.0, -INF]})
    assert list(p) == [0, 1, 0]
    (p,) = reference.evaluate([at.exp(x) / at.exp(x).sum()], {x: [-INF, -INF]})
    assert all(map(mpmath.isnan, p))


# --- towers of exponentials, precision, refusals ------------------------------------------------
def test_a_tower_of_exponentials_saturates_or_is_refused() -> None:
    def tower(x: Any) -> Any:
        return at.exp(-at.exp(x))

    assert value(tower, 1e18) == 0
    assert value(tower, 1e3) > 0
    with pytest.raises(errors.BeyondReference, match=r"exp of a finite argument beyond 2\*\*16384"):
        value(tower, 1e18, saturate=False)


def test_what_does_not_converge_says_where() -> None:
    # three digits do not hold enough of the cosine for any agreement to 25 digits
    with pytest.raises(errors.NotConverged, match=r"with 3 digits.*max_digits"):
        value(lambda x: at.cos(x), 0.5, digits=2, max_digits=3)


def test_an_input_without_a_value() -> None:
    x, y = at.dscalars("xy")
    with pytest.raises(errors.NoValue, match="needs a value for y"):
        reference.evaluate([x + y], {x: 1.0})


def test_intermediate_values_and_shared_variables() -> None:
    x = at.dscalar("x")
    half = aesara.shared(0.5)
    e = at.exp(x)
    assert reference.evaluate([e * half], {e: 3.0})[0].item() == 1.5


class Mystery(Op):
    __props__ = ()

    def make_node(self, *inputs: Any) -> Apply[Any]:
        return Apply(self, list(inputs), [at.dvector()])

    def perform(self, node: Any, inputs: Any, outputs: Any, params: Any = None) -> None:
        outputs[0][0] = np.asarray(inputs[0], dtype="float64") / 4


class Cube(UnaryScalarOp):
    output_types_preference = staticmethod(same_out)


@pytest.fixture
def _registry() -> Iterator[None]:
    scalar = dict(registry.SCALAR)
    yield
    registry.SCALAR.clear()
    registry.SCALAR.update(scalar)


def test_an_unknown_op_is_run_on_integers_only() -> None:
    i, x = at.lvector(), at.dvector()
    assert list(reference.evaluate(Mystery().make_node(i).outputs, {i: [1, 2]})[0]) == [0.25, 0.5]
    with pytest.raises(errors.NoMeaning, match=r"Mystery.*@kanrewrite.reference.register\(Mystery"):
        reference.evaluate(Mystery().make_node(x).outputs, {x: [1.0]})


@pytest.mark.usefixtures("_registry")
def test_a_scalar_op_can_be_given_a_meaning() -> None:
    x = at.dvector()
    kind: Any = Cube
    cube: Any = Elemwise(kind(name="cube"))(x)
    with pytest.raises(errors.NoMeaning, match="Cube"):
        reference.evaluate([cube], {x: [1.0]})

    @reference.register(Cube)
    def meaning(arithmetic: Arithmetic, x: Real) -> Real:
        return arithmetic.mul(x, arithmetic.mul(x, x))

    assert list(reference.evaluate([cube], {x: [2.0, -3.0]})[0]) == [8, -27]


def test_the_first_precision_does_not_change_the_value() -> None:
    x = at.dvector()
    slope: Any = at.grad(at.logsumexp(x), x)
    (g,) = reference.evaluate([slope], {x: [700.0, -3.0]}, digits=20)
    (h,) = reference.evaluate([slope], {x: [700.0, -3.0]}, digits=400)
    assert all(mpmath.almosteq(a, b, 1e-25) for a, b in zip(g, h, strict=True))


def test_the_cross_entropy_ops_of_nnet() -> None:
    from aesara.tensor import nnet

    x: Any = at.dmatrix()
    b: Any = at.dvector()
    labels = at.lvector()
    known = {x: [[1.0, -2.0, 800.0], [0.5, 0.25, 0.0]], b: [0.0, 1.0, -1.0], labels: [0, 1]}
    fused: Any = nnet.basic.crossentropy_softmax_argmax_1hot_with_bias(x, b, labels)
    p: Any = special.softmax(x + b, axis=1)
    picked = -at.log(p[at.arange(2), labels])
    expected = [picked, p, at.argmax(x + b, axis=1)]
    expected += [at.grad(picked.sum(), x), at.concatenate([at.ones((2, 1)), p], axis=1)]
    got = [*fused, at.grad(fused[0].sum(), x), nnet.basic.prepend_1_to_each_row(p)]
    got += [nnet.basic.crossentropy_categorical_1hot(p, labels), nnet.basic.softmax_with_bias(x, b)]
    expected += [picked, p]
    for ours, theirs in zip(
        reference.evaluate(got, known), reference.evaluate(expected, known), strict=True
    ):
        pairs = zip(ours.flat, theirs.flat, strict=True)
        assert all(mpmath.almosteq(mpf(u), mpf(v), 1e-25) for u, v in pairs)


# --- the numbers themselves ---------------------------------------------------------------------
def test_parts_stay_apart_and_in_order() -> None:
    a = Arithmetic(50)
    terms = [a.of(mpf(2) ** -(200 * k)) for k in range(8)]
    total = a.total(terms)
    sizes = [magnitude(part) for part in total.parts]
    assert sizes == sorted(sizes, reverse=True)
    assert len(total.parts) == a.scales
    assert total.floor == magnitude(lead(terms[a.scales])) + 1


def test_what_lies_below_the_floor_is_dropped() -> None:
    a = Arithmetic(50)
    x = a.add(real(1.0), a.of(mpf(2) ** -1000))
    assert a.sub(a.mul(x, a.inv(x)), real(1.0)).parts == ()


def test_nan_is_nan_through_everything() -> None:
    a = Arithmetic(50)
    nan = real(math.nan)
    for result in (a.add(nan, real(1.0)), a.mul(real(0.0), nan), a.div(real(0.0), nan)):
        assert is_nan(result)
    assert a.compare(nan, nan) is None


# --- rounding and ulps --------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_rounding_at_the_edges(dtype: str) -> None:
    info = np.finfo(dtype)
    tiny, largest = mpf(float(info.smallest_subnormal)), mpf(float(info.max))
    ulp = mpf(2) ** (int(info.maxexp) - info.nmant - 1)
    exact = [
        tiny / 2,
        tiny * 0.75,
        tiny * 1.5,
        largest + ulp / 2,
        largest + ulp / 2.01,
        -largest * 2,
    ]
    expected = [0, tiny, 2 * tiny, INF, largest, -INF]
    assert list(reference.round_to(exact, dtype)) == [float(v) for v in expected]


def test_ties_go_to_even() -> None:
    eps = mpf(2) ** -52
    with mpmath.workdps(60):
        exact = [1 + eps / 2, 1 + eps * 3 / 2, 1 + eps / 2 + mpf(2) ** -150]
    assert list(reference.round_to(exact, "float64")) == [1, 1 + 2 * 2.0**-52, 1 + 2.0**-52]


def test_integers_and_complex_numbers_are_rounded_too() -> None:
    assert reference.round_to(np.array([1, 2]), "float32").dtype == "float32"
    third = reference.round_to(np.array([mpmath.mpc(1, 2) / 3], dtype=object), "complex64")
    assert third.dtype == "complex64"
    assert third.item() == np.complex64(complex(1, 2) / 3)


@pytest.mark.parametrize(
    ("actual", "truth", "expected"),
    [
        (1.0, mpf(1), 0),
        (1 + 2.0**-52, mpf(1), 1),
        (1 - 2.0**-53, mpf(1), 0.5),
        (0.0, mpf(5e-324), 1),
        (0.0, mpf(2) ** -1100, mpf(2) ** -26),
        (INF, mpf(10) ** 400, 0),
        (INF, mpf("inf"), 0),
        (-INF, mpf("inf"), INF),
        (math.nan, mpf("nan"), 0),
        (math.nan, mpf(1), INF),
        (INF, mpf(1), INF),
        (1.0, mpf("nan"), INF),
        (1e300, mpf(10) ** 400, INF),
    ],
)
def test_errors_in_ulps(actual: float, truth: Any, expected: float) -> None:
    assert reference.ulps([actual], [truth], "float64").item() == float(expected)


def test_ulps_of_a_smaller_dtype() -> None:
    assert reference.ulps(np.float32(1) + np.float32(2**-23), mpf(1), "float32").item() == 1


def test_a_zero_that_was_left_above_the_scales_is_looked_at_again() -> None:
    r = at.dvector("r")

    def odds(r: Any, p: Any) -> Any:
        return p * at.exp(r) / (p * at.exp(r) + (1 - p))

    p = aesara.scan(odds, [r], [at.constant(np.float64(0.5))])[0][-1]
    given = 46.875 * np.array([5, 7, 6, 9, -8, -5])
    slope: Any = aesara.grad(p, r)
    (slopes,) = reference.evaluate([slope], {r: given})
    np.testing.assert_allclose(slopes.astype(float), np.exp(-given.sum()), 1e-12)


def _slope_of_a_share(z: float) -> Any:
    """The slope of ``-log(1 - sigmoid(z))`` beside an exponential whose scales lie in between."""
    u, v = at.dscalars("u", "v")
    large = at.log(1 + at.exp(u))
    kept = (1 - at.exp(v) / (at.exp(v) + 1)) * large * at.exp(-large)
    slope: Any = aesara.grad(-at.log(kept), v)
    return reference.evaluate([slope], {u: 11091.5, v: z})[0].item()


def test_more_scales_are_kept_where_others_lie_in_between() -> None:
    assert float(_slope_of_a_share(60000.0)) == 1.0


@pytest.mark.slow
def test_a_zero_that_may_be_anything_is_no_answer() -> None:
    with pytest.raises(errors.NotConverged, match="is zero as far as 2000 digits tell"):
        _slope_of_a_share(1e6)


def test_what_disagrees_further_on_than_is_printed_is_not_told_to_be_zero() -> None:
    error = errors.NotConverged("y", (0,), 50, ["1.5", "1.5"])
    assert "no value that two precisions agree on: 1.5, then 1.5 with 50" in str(error)


@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_sums_of_more_operands_than_a_ufunc_takes(dtype: str) -> None:
    xs = [at.vector(dtype=dtype) for _ in range(40)]
    (total,) = reference.evaluate([at.add(*xs)], {x: np.arange(3) for x in xs})
    assert [float(x) for x in total] == [0, 40, 80]


def test_what_is_written_twice_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gradient writes what is below it again, with constants of its own."""
    seen: list[Any] = []

    def counted(op: Any, *rest: Any) -> Any:
        seen.append(op)
        return registry.meaning(op, *rest)

    monkeypatch.setattr(evaluation, "meaning", counted)
    x, y = at.dvectors("x", "y")
    twice: Any = at.exp(x + 2.0) * at.exp(x + 2.0) + at.exp(y + 2.0)
    arithmetic = Arithmetic(50)
    [there] = evaluation.run([twice], {x: [1.0], y: [3.0]}, arithmetic)
    assert math.isclose(float(arithmetic.number(there[0])), math.exp(6.0) + math.exp(5.0))
    assert len(seen) < len(list(io_toposort([x, y], [twice])))
    # What is given is not what its like is.
    first, second = at.exp(x), at.exp(x)
    [given] = evaluation.run([first + second], {x: [0.0], first: [5.0]}, arithmetic)
    assert float(arithmetic.number(given[0])) == 6.0


@given(st.floats(1e-60, 1e-20), st.sampled_from([50, 100]))
def test_a_series_in_one_part_is_that_of_horner(t: float, digits: int) -> None:
    a = Arithmetic(digits)
    x = real(math.ldexp(t, -150))  # parts are farther from each other than half the digits
    for coefficients in (a.inverse_factorials, a.harmonics):
        horner = coefficients[-1]
        for coefficient in reversed(coefficients[:-1]):
            horner = a.add(coefficient, a.mul(horner, x))
        gap = a.sub(a.series(x, coefficients), horner)
        least = len(coefficients) * magnitude(x.parts[0])
        assert not gap.parts or magnitude(gap.parts[0]) < least + a.bits


def of_rows(kind: str, rng: np.random.Generator) -> tuple[Any, Any]:
    rows, columns = rng.normal(size=(3, 40)), rng.normal(size=(4, 40))
    if kind == "cancelling":
        rows, columns = np.hstack([rows, -rows]), np.hstack([columns, columns])
        rows[:, 0] += 2.0**-50
    elif kind == "far apart":
        rows *= 10.0 ** rng.uniform(-80, 80, rows.shape)
    elif kind == "with zeros":
        rows[rng.random(rows.shape) < 0.7] = 0.0
        rows[0] = 0.0
    elif kind == "not finite":
        rows[0, 3], rows[1, 4], columns[2, 5] = INF, math.nan, -INF
    return rows, columns


@pytest.mark.parametrize(
    "kind", ["ordinary", "cancelling", "far apart", "with zeros", "not finite", "of parts"]
)
def test_inner_products_are_those_that_are_summed_part_by_part(kind: str) -> None:
    arithmetic = Arithmetic(50)
    rows, columns = (
        registry.lift(table, "float64", arithmetic)
        for table in of_rows(kind, np.random.default_rng(0))
    )
    if kind == "of parts":
        rows[0, 0] = arithmetic.add(rows[0, 0], real(1e-60))
    found = list(Products(rows, columns, arithmetic))
    for one, (row, column) in zip(found, itertools.product(rows, columns), strict=True):
        expected = arithmetic.total(arithmetic.mul(u, v) for u, v in zip(row, column, strict=True))
        assert one.floor == expected.floor
        assert len(one.parts) == len(expected.parts)
        for part, same_part in zip(one.parts, expected.parts, strict=True):
            a, b = mpmath.mp.make_mpf(part), mpmath.mp.make_mpf(same_part)
            assert a == b or is_nan(one) or abs(a - b) <= abs(b) * mpf(2) ** -100


@pytest.mark.parametrize("size", [1e20, 1e150, 1e300, -1e300])
def test_logs_of_towering_exponentials_keep_what_is_beside_the_exponent(size: float) -> None:
    x: Any = at.dmatrix("x")
    p = special.softmax(x, axis=1)
    log = at.log(at.exp(x).sum()) - x[0, 0]
    entropy = -(p * special.log_softmax(x, axis=1)).sum()
    for found in reference.evaluate([log, entropy], {x: np.full((1, 3), size)}):
        assert abs(found.item() - mpmath.log(3)) < 1e-15
