"""Checking relations: true ones hold, wrong ones are refused with a small counterexample."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Any

import aesara.tensor as at
import numpy as np
import pytest
from aesara.graph.rewriting.basic import GraphRewriter, in2out
from aesara.tensor import special
from etuples import etuple
from kanren import eq as same
from kanren import lall
from unification import var

from kanrewrite.guards import (
    Axis,
    Bool,
    Constant,
    Elementwise,
    Float,
    Int,
    constant_along,
    is_float,
    ndim,
    nonnegative,
    positive,
)
from kanrewrite.relation import Eq, Relation, Rule, eq, relation
from kanrewrite.rewriter import RelationRewriter
from kanrewrite.terms import Param, T
from kanrewrite.verify import Report, main_report, mutations, verify
from kanrewrite.verify.branches import around_choices
from kanrewrite.verify.settings import draw, roles_of, settings
from kanrewrite.verify.shrinking import shrunk
from tests.sparing import sparing
from tests.standin import TermView

Still = Annotated[Param, is_float, constant_along["axis"]]
Matrix = Annotated[Param, is_float, ndim[2]]
Positive = Annotated[Param, is_float, positive]


@relation
def softmax_quotient(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(x) / T.sum(T.exp(x), axis, keepdims=True), T.softmax(x, axis))


@relation
def log_of_softmax(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.log(T.softmax(x, axis)), T.log_softmax(x, axis))


@relation
def weighted_shift(x: Float, w: Float, axis: Axis) -> Iterator[Eq]:
    m = T.max(x, axis, keepdims=True)
    shifted = T.exp(x - m) / T.sum(w * T.exp(x - m), axis, keepdims=True)
    yield eq(T.exp(x) / T.sum(w * T.exp(x), axis, keepdims=True), shifted)


@relation
def softmax_gradient(g: Float, x: Float, axis: Axis) -> Iterator[Eq]:
    p = T.softmax(x, axis)
    yield eq(p * (g - T.sum(g * p, axis, keepdims=True)), T.softmax_grad(g, p, axis))


@relation(direction="both")
def sum_lifts(a: Still, b: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(a * b, axis, keepdims=True), a * T.sum(b, axis, keepdims=True))


@relation
def sum_lifts_one_way(a: Still, b: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(a * b, axis, keepdims=True), a * T.sum(b, axis, keepdims=True))


@relation
def sigmoid_quotient(x: Float) -> Iterator[Eq]:
    yield eq(1 / (1 + T.exp(-x)), T.sigmoid(x))


@relation
def log_one_minus_sigmoid(x: Float) -> Iterator[Eq]:
    yield eq(T.log(1 - T.sigmoid(x)), -T.softplus(x))


@relation
def tanh_quotient(x: Float) -> Iterator[Eq]:
    yield eq((T.exp(2 * x) - 1) / (T.exp(2 * x) + 1), T.tanh(x))


@relation
def log_difference(x: Float) -> Iterator[Eq]:
    yield eq(T.log(1 - T.exp(x)), T.log1mexp(x))


@relation
def log_product(a: Positive, b: Positive) -> Iterator[Eq]:
    yield eq(T.log(a * b), T.log(a) + T.log(b))


@relation
def power_of_exp(x: Float, c: Constant) -> Iterator[Eq]:
    yield eq(T.exp(x) ** c, T.exp(c * x))


@relation
def moved(f: Elementwise, x: Float, order: Any) -> Iterator[Eq]:
    yield eq(T.dimshuffle(T.exp(x), order), T.exp(T.dimshuffle(x, order)))


@relation
def switched(c: Bool, a: Float, b: Float) -> Iterator[Eq]:
    yield eq(T.exp(T.switch(c, a, b)), T.switch(c, T.exp(a), T.exp(b)))


TRUE = [
    softmax_quotient,
    log_of_softmax,
    weighted_shift,
    softmax_gradient,
    sum_lifts_one_way,
    sigmoid_quotient,
    log_one_minus_sigmoid,
    tanh_quotient,
    log_difference,
    log_product,
    power_of_exp,
    switched,
]


@pytest.mark.spared
@pytest.mark.parametrize("true", sparing(TRUE), ids=lambda r: r.name)
def test_a_true_relation_holds(true: Relation) -> None:
    report = verify(true, samples=15, view=TermView)
    assert report.ok, str(report)
    assert report.elements > 20
    assert report.rewrites
    assert report.ulps_before.keys() == report.ulps_after.keys() == {"float64", "float32"}


NOWHERE = "the matched side is not finite in any setting"
SUM = {"keepdims": True}
ONE_TENSOR = {
    "a sign": lambda x: eq(1 / (1 + T.exp(x)), T.sigmoid(x)),
    "only where positive": lambda x: eq(T.sqrt(x * x), x),
    "a constant of too few digits": lambda x: eq(T.exp2(x), T.exp(x * 0.693147180)),
    "another constant": lambda x: eq(T.exp2(x), T.exp(x * 0.6931471805599463)),
    "nowhere defined": lambda x: eq(T.log(-T.exp(x)), T.softplus(x)),
    "true of small numbers": lambda x: eq(T.exp(x), T.exp(x) + T.exp(2 * x - 500)),
    "true of large numbers": lambda x: eq(T.softplus(x), T.maximum(x, 0)),
}
TWO_TENSORS = {
    "only where both are positive": lambda x, y: eq(T.log(x * y), T.log(x) + T.log(y)),
    "not commutative": lambda x, y: eq(T.dot(x, y), T.dot(y, x)),
    "broadcast to another shape": lambda x, y: eq(x + 0 * x, x + 0 * y),
}
TENSOR_AND_AXIS = {
    "another axis": lambda x, a: eq(T.exp(x) / T.sum(T.exp(x), a, **SUM), T.softmax(x, 0)),
    "not kept": lambda x, a: eq(T.exp(x) / T.sum(T.exp(x), a), T.softmax(x, a)),
    "nan for masked rows": lambda x, a: eq(
        T.sum(T.exp(x), a, **SUM),
        T.exp(T.max(x, a, **SUM)) * T.sum(T.exp(x - T.max(x, a, **SUM)), a, **SUM),
    ),
}


def assert_refused(stated: Relation) -> None:
    report = verify(stated, rewrite=False)
    assert report.failure is not None or report.problem == NOWHERE, str(report)
    assert stated.name in str(report)


@pytest.mark.parametrize("name", ONE_TENSOR)
def test_a_wrong_relation_is_refused(name: str) -> None:
    @relation
    def wrong(x: Float) -> Iterator[Eq]:
        yield ONE_TENSOR[name](x)

    assert_refused(wrong)


@pytest.mark.parametrize("name", TWO_TENSORS)
def test_a_wrong_relation_of_two_tensors_is_refused(name: str) -> None:
    @relation(direction=None)
    def wrong(x: Float, y: Float) -> Iterator[Eq]:
        yield TWO_TENSORS[name](x, y)

    assert_refused(wrong)


@pytest.mark.parametrize("name", TENSOR_AND_AXIS)
def test_a_wrong_relation_along_an_axis_is_refused(name: str) -> None:
    @relation
    def wrong(x: Float, axis: Axis) -> Iterator[Eq]:
        yield TENSOR_AND_AXIS[name](x, axis)

    assert_refused(wrong)


def test_the_counterexample_is_small() -> None:
    @relation
    def root(x: Float) -> Iterator[Eq]:
        yield eq(T.sqrt(x * x), x)

    found = verify(root).failure
    assert found is not None
    assert found.size == 1
    assert "becomes -1.0" in found.why
    assert found.bindings == {"x": "[[-1.0]] (float64, shape (1, 1))"}
    assert "sqrt(x * x) -> x" in str(verify(root))


def test_a_difference_between_entries_needs_two_of_them() -> None:
    @relation
    def total(x: Float, axis: Axis) -> Iterator[Eq]:
        yield eq(T.sum(T.exp(x), axis, keepdims=True), T.max(T.exp(x), axis, keepdims=True))

    found = verify(total).failure
    assert found is not None
    assert found.size == 2


def test_the_direction_in_use_decides() -> None:
    one_way = verify(sum_lifts_one_way, rewrite=False)
    assert one_way.ok
    assert not one_way.reversible  # an infinite factor times the entries that sum to one: nan
    assert "not true backward" in str(one_way)
    assert not verify(sum_lifts, rewrite=False).ok


@pytest.mark.slow
def test_a_rounded_constant_stands_for_what_rounds_to_it() -> None:
    @relation
    def base_two(x: Float) -> Iterator[Eq]:
        yield eq(T.exp2(x), T.exp(x * 0.6931471805599453))
        yield eq(T.log2(x), T.log(x) * 1.4426950408889634)

    report = verify(base_two, view=TermView, samples=20, dtypes=("float64",))
    assert report.ok, str(report)


def test_values_can_be_finite_only() -> None:
    @relation
    def exponents_cancel(x: Float, y: Float) -> Iterator[Eq]:
        m = T.maximum(x, y)
        yield eq(T.exp(x) + T.exp(y), T.exp(m) * (T.exp(x - m) + T.exp(y - m)))

    failure = verify(exponents_cancel, rewrite=False).failure
    assert failure is not None
    assert "-inf" in failure.bindings["x"]
    assert verify(exponents_cancel, rewrite=False, finite=True).ok


def test_a_shift_is_finite_of_masked_and_of_empty_rows() -> None:
    @relation
    def shifted(x: Float, axis: Axis) -> Iterator[Eq]:
        m = T.shift(x, axis)
        total = T.exp(m) * T.sum(T.exp(x - m), axis, keepdims=True)
        yield eq(T.sum(T.exp(x), axis, keepdims=True), total)

    assert verify(shifted, rewrite=False).ok


def test_a_relation_that_is_only_a_goal_is_checked_as_it_is_stated() -> None:
    @relation(direction=None)
    def commutes(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.maximum(x, y), T.maximum(y, x))

    report = verify(commutes, view=TermView)
    assert report.ok
    assert report.elements > 100
    assert not report.rewrites


def test_derived_rules_are_checked_too() -> None:
    x, a = softmax_quotient.parameters
    good = Rule(softmax_quotient, T.softmax(-x, a) * T.exp(x), T.exp(x) * T.softmax(-x, a))
    bad = Rule(softmax_quotient, T.softmax(-x, a) * T.exp(x), T.exp(-x) * T.softmax(x, a))
    assert verify(softmax_quotient, rewrite=False, samples=9, derived=[good]).ok
    report = verify(softmax_quotient, rewrite=False, derived=[bad])
    assert report.failure is not None
    assert report.failure.rule == str(bad)


class Forgetful(TermView):
    """Builds what was asked for, but in float64."""

    def build(self, form: Any, like: Any) -> Any:
        built = super().build(form, like)
        return built.astype("float64") if like.type.dtype == "float32" else built


class Flattening(TermView):
    def build(self, form: Any, like: Any) -> Any:
        return super().build(form, like).dimshuffle("x", *range(like.type.ndim))


class Careless(TermView):
    def build(self, form: Any, like: Any) -> Any:
        return super().build(form, like) * 1.5


def test_what_the_rewriter_builds_is_compared() -> None:
    report = verify(sigmoid_quotient, view=Careless)
    assert report.failure is not None
    assert report.failure.why.startswith("rewritten, the value")


def test_a_rewriter_that_is_left_out_is_a_failure() -> None:
    report = verify(sigmoid_quotient, view=Forgetful, dtypes=("float32",))
    assert report.failure is not None
    assert "float32" in report.failure.why
    assert "was left out" in report.failure.why


def test_a_rewriter_that_refuses_is_none() -> None:
    # another broadcast pattern is refused without a warning: the equation is all there is to check
    report = verify(sigmoid_quotient, samples=9, view=Flattening)
    assert report.ok
    assert report.rewrites == report.settings  # what is spelled as the relation is needs no view


class Squaring(GraphRewriter):
    def apply(self, fgraph: Any) -> None:
        out = fgraph.outputs[0]
        fgraph.replace(out, out**2, import_missing=False)


def test_what_whole_passes_build_is_compared() -> None:
    view = partial(RelationRewriter, sigmoid_quotient, TermView)
    walk = in2out(view(), name="walk")
    report = verify(sigmoid_quotient, rewrite=False, passes=[walk], samples=12)
    assert report.ok
    assert report.rewrites > 10
    report = verify(sigmoid_quotient, rewrite=False, passes=[walk, Squaring()])
    assert report.failure is not None
    assert report.failure.why.startswith("rewritten, the value")


def test_errors_are_measured() -> None:
    report = verify(softmax_quotient, view=TermView)
    assert report.ulps_before["float64"] == np.inf
    assert report.ulps_after["float64"] < 4
    assert "float64 off by inf ulp before" in str(report)


def test_integers_and_dimensions_that_guards_ask_for() -> None:
    @relation
    def labels(
        i: Int, x: Annotated[Param, is_float, ndim[2]], y: Annotated[Param, nonnegative]
    ) -> Any:
        yield eq(i * T.sqrt(y) * T.sqrt(y) + T.sum(x), T.sum(x) + y * i)

    assert verify(labels, rewrite=False, samples=15).ok


def test_an_unbuildable_relation_is_refused() -> None:
    @relation
    def unbuildable(x: Float) -> Iterator[Eq]:
        yield eq(T.mask(x), x)

    report = verify(unbuildable)
    assert not report.ok
    assert "no setting can be built" in report.problem


def test_conditions_that_nothing_meets_are_reported() -> None:
    @relation
    def impossible(x: Annotated[Param, is_float, ndim[9]]) -> Iterator[Eq]:
        yield eq(T.exp(x), 1 / T.exp(-x))

    assert verify(impossible).problem == "no setting satisfies its conditions"


# --- goal constructors and examples -------------------------------------------------------------
def example_graph() -> tuple[Any, Any]:
    x: Any = at.matrix("x", dtype="float64")
    return at.log(special.softmax(x, axis=1)), special.log_softmax(x, axis=1)


def test_examples_are_compared() -> None:
    @relation
    def fine(x: Float, axis: Axis) -> Iterator[Eq]:
        yield eq(T.log(T.softmax(x, axis)), T.log_softmax(x, axis))

    fine.example(example_graph)
    assert verify(fine, rewrite=False, samples=15).ok

    @fine.example
    def wrong_axis() -> tuple[Any, Any]:
        x: Any = at.matrix("x", dtype="float64")
        return at.log(special.softmax(x, axis=1)), special.log_softmax(x, axis=0)

    report = verify(fine, rewrite=False, samples=15)
    assert report.failure is not None
    assert report.failure.rule == "fine's example wrong_axis"


def inverse_of_log(name: str) -> Relation:
    @relation
    def undone(before: Any, after: Any) -> Any:
        x = var()
        return lall(same(before, etuple(at.exp, etuple(getattr(at, name), x))), same(after, x))

    @undone.example
    def undoing() -> tuple[Any, Any]:
        x: Any = at.dmatrix("x")
        return 1 + at.exp(getattr(at, name)(x)), 1 + x if name == "log" else None

    return undone


def test_a_goal_constructor_is_checked_by_its_examples() -> None:
    report = verify(inverse_of_log("log"), view=TermView)
    assert report.ok
    assert report.rewrites == 1
    report = verify(inverse_of_log("log1p"), view=TermView)
    assert report.failure is not None
    assert report.failure.rule == "undone's example undoing"

    @relation
    def unheard(before: Any, after: Any) -> Any:
        return same(before, after)

    assert verify(unheard).problem == "it has no equation and no example that could be checked"


# --- choices ------------------------------------------------------------------------------------
@relation
def sine_less(x: Float) -> Iterator[Eq]:
    yield eq(T.sin(x) - x, T.switch(T.lt(T.abs(x), 1e-3), x**3 / 6, T.sin(x) - x))


@relation
def log_between(x: Float) -> Iterator[Eq]:
    between = T.and_(T.gt(x, 100.0), T.lt(x, 101.0))
    yield eq(T.log(1 + x), T.switch(between, x, T.log1p(x)))


@relation
def product_near(x: Float, y: Float) -> Iterator[Eq]:
    near = T.and_(T.lt(T.abs(x - y), 1e-3), T.gt(x * y, 50))
    yield eq(x * x - y * y, T.switch(near, (x - y) * x, (x - y) * (x + y)))


@relation
def infinite(x: Float) -> Iterator[Eq]:
    yield eq(T.tanh(x), T.switch(T.isinf(x), 0, T.tanh(x)))


@relation
def one_number(x: Float) -> Iterator[Eq]:
    yield eq(T.tanh(x), T.switch(T.eq(x, 17.25), 0, T.tanh(x)))


@pytest.mark.spared
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("wrong", [sine_less, log_between, product_near, infinite, one_number])
def test_a_branch_that_is_wrong_is_found(wrong: Relation, dtype: str) -> None:
    report = verify(wrong, rewrite=False, samples=3, dtypes=(dtype,))
    assert report.failure is not None
    assert report.failure.size <= 2


def test_samples_are_next_to_where_is_chosen() -> None:
    x: Any = at.dvector("x")
    out = at.switch(at.lt(abs(x), 0.3), x, at.maximum(x, x * x - 7))
    found = around_choices([out], {x: np.array([0.5])})
    assert found is not None
    assert {0.3, np.nextafter(0.3, 0), -0.3, np.nextafter(-0.3, 0)} <= set(found[x])
    for root in ((1 + np.sqrt(29)) / 2, (1 - np.sqrt(29)) / 2):
        near = found[x][np.abs(found[x] - root) < 1e-15 * abs(root) * 4]
        assert len(set(near)) == 2
    assert around_choices([at.exp(x)], {x: np.array([0.5])}) is None


# --- mutations ----------------------------------------------------------------------------------
def test_mutations_change_one_thing() -> None:
    texts = [variant.text for variant in mutations(sigmoid_quotient)]
    assert "1 / (1 + exp(x)) == sigmoid(x)" in texts
    assert "1 / (1 - exp(-x)) == sigmoid(x)" in texts
    assert "1 / (2 + exp(-x)) == sigmoid(x)" in texts
    assert "1 / (1 + exp(-x)) == 2 * sigmoid(x)" in texts
    assert sigmoid_quotient.text not in texts
    assert len(set(texts)) == len(texts)
    axes = [variant.text for variant in mutations(softmax_quotient)]
    assert "exp(x) / sum(exp(x), axis=axis, keepdims=True) == softmax(x, axis=0)" in axes
    assert "exp(x) / sum(exp(x), axis=axis) == softmax(x, axis=axis)" in axes


def test_changes_that_do_not_matter_are_no_mutations() -> None:
    @relation
    def squares(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.log(T.sqr(x * y)), 2 * T.log(T.abs(x * y)))
        yield eq(T.gt(T.exp(x) * y, 0), T.gt(y, 0))

    texts = " ".join(variant.text for variant in mutations(squares))
    assert "sqr(-x" not in texts
    assert "sqr(2 * x * y)" in texts
    assert "gt(exp(-x) * y, 0)" not in texts
    assert "gt(exp(x) * (-y), 0)" in texts
    assert "-gt(" not in texts

    @relation
    def shifts(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
        yield eq(T.softmax(x + y, axis), T.softmax(x, axis)).when(constant_along(y, axis))

    texts = " ".join(variant.text for variant in mutations(shifts))
    assert "x - y" not in texts
    assert "-y" not in texts
    assert "2 * x + y" in texts


def accepted(relations: Sequence[Relation]) -> tuple[int, list[str]]:
    variants = [variant for true in relations for variant in mutations(true)]
    reports = main_report(variants, rewrite=False, shrink=False)
    return len(variants), [report.name for report in reports if report.ok]


def test_wrong_variants_are_refused() -> None:
    count, wrongly = accepted([softmax_quotient, sigmoid_quotient, log_product])
    assert count > 60
    assert not wrongly


@pytest.mark.slow
def test_nearly_all_wrong_variants_are_refused() -> None:
    count, wrongly = accepted(TRUE)
    assert count > 300
    assert len(wrongly) <= count / 100, wrongly


# --- settings and shrinking ---------------------------------------------------------------------
def test_roles_come_from_the_places() -> None:
    x, a, f, c = (Param(f"roles:{name}") for name in "xafc")
    assert roles_of([T.switch(c, T.sum(x, a), x)]) == {c: "bool", x: "tensor", a: "axis"}
    assert roles_of([T.dimshuffle(x, f)]) == {x: "tensor", f: "order"}


def test_settings_cover_the_shapes_and_repeat() -> None:
    x, a = softmax_quotient.parameters
    rule = softmax_quotient.rules()[0]
    terms = (rule.pattern, rule.replacement)
    first, again = (list(settings(terms, rule.conditions, 3, "float64", 60)) for _ in range(2))
    assert [s.bindings[a] for s in first] == [s.bindings[a] for s in again]
    for s, t in zip(first, again, strict=True):
        for value, other in zip(s.values.values(), t.values.values(), strict=True):
            np.testing.assert_array_equal(value, other)
    lengths = {n for s in first for value in s.values.values() for n in value.shape}
    assert lengths >= {0, 1, 2, 3}
    axes = [s.bindings[a] for s in first]
    assert None in axes
    assert any(isinstance(axis, tuple) for axis in axes)
    assert any(isinstance(axis, int) and axis < 0 for axis in axes)
    assert any(1 in s.bindings[x].type.shape for s in first)


def test_values_are_the_same_in_every_dtype() -> None:
    for regime in ("benign", "wide", "ties", "large", "masked"):
        double, single = (
            draw(np.random.default_rng(1), (3, 4), regime, dtype)
            for dtype in ("float64", "float32")
        )
        np.testing.assert_array_equal(double, single)


def test_shrinking_keeps_what_fails() -> None:
    x: Any = at.dmatrix("x")
    start = {x: np.array([[7.5, 3.0, -4.0], [100.0, 2.0, 9.0]])}
    small = shrunk(start, lambda values: bool((values[x] < 0).any()))
    np.testing.assert_array_equal(small[x], [[-1.0]])


def test_a_report_on_many() -> None:
    reports = main_report([sigmoid_quotient, log_difference], samples=6, rewrite=False)
    assert [report.name for report in reports] == ["sigmoid_quotient", "log_difference"]
    assert all(isinstance(report, Report) and report.reversible for report in reports)


@pytest.mark.parametrize("sign", [1, -1])
def test_what_rounding_takes_is_put_back_whatever_a_sum_is_rounded_to(sign: int) -> None:
    @relation(where="digits")
    def exponents_less(a: Float, b: Float) -> Iterator[Eq]:
        """In real numbers nothing is lost, whatever is said of it."""
        near = T.tensor_copy(a + b)
        yield eq(T.exp(a + b), T.exp(near) * T.exp(sign * (a - (near - b))))

    assert verify(exponents_less, rewrite=False, finite=True).ok == (sign == 1)
