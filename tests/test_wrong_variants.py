"""Wrong variants of the library's own relations are refused, all that are wrong.

Most are refused by a counterexample.  The others state nothing: a sign put before the operand of a
log, as in ``log(-(1 + exp(x))) == softplus(x)``, leaves a matched side that has no value anywhere.
"""

from copy import copy
from typing import Any

import pytest

from kanrewrite.registry.sources import of_library
from kanrewrite.relation import Relation
from kanrewrite.verify import Report, main_report, mutations, verify
from kanrewrite.verify.checker import NOWHERE
from tests.sparing import sparing

#: Of those that keep digits, the ones whose choices samples decide both ways: a change in what is
#: chosen out of the range of a dtype, or within an approximation's error, is seldom seen.  So are
#: those of approximations, whose last terms are within that error.
KEEP_DIGITS = (
    "angle_sums",
    "angles_difference",
    "arcs_near_one",
    "arctangents_difference",
    "inverse_hyperbolic",
    "powers_difference",
    "reciprocals_difference",
    "root_less_side",
    "roots_difference",
)
LIBRARY = {
    r.name: r
    for r in of_library()
    if r.name in KEEP_DIGITS or (r.where != "digits" and not any(e.error for e in r.equations))
}
#: Changes that change nothing: a cosine is even, twice a number has its sign, as what it divides
#: has, a gap has its size, the log of what is not positive has no value, nor has a root of what is
#: negative, deviations of one of two may be from any number, what is filled is a shape, and what is
#: measured has one, a square has no sign, a vector one axis, a softmax does not change with what is
#: the same along its axis, whatever that is, and two forms between which is chosen are equal.
TRUE = (
    "cosh(x / -2)",
    "sgn(2 * ",
    "(2 * r)",
    " / r, 0)",
    "log(-abs(s))",
    "abs(y - x)",
    "log(switch(c, -a, b))",
    "log(switch(c, a, -b))",
    "log((-a)**t)",
    "log(prod(-a,",
    "sum(fill(-a,",
    "sum(fill(2 * a,",
    "sqr(sinh(",
    "== softmax(v)",
    "arccos(1 - x), 2 * arcsin(",
    "cosh(a) - cosh(b), 2 * (sinh(",
    "sinh(a) - sinh(b), 2 * (cosh(",
    "- 0.6931471805599453, log1p(",
    "sqr(tanh(-x))",
    "sqr(mean(-x, ",
    "sqr(sum(-x, ",
    "size(-",
    "size(sqr(2 * ",
    "size(2 * ",
    "size(x * -",
    "size(x * (",
    "size(x, axis=axis) * sum(x * y, ",
    "size(x / y",
    "((x - 2 * mean(x, ",
    "((x + mean(x, ",
    "((x - -mean(x, ",
    "((x - mean(-x, ",
    "((x - mean(2 * x, ",
    "((x - mean(x, keepdims",
    "* (y - 2 * mean(y, ",
    "* (y + mean(y, ",
    "* (y - -mean(y, ",
    "* (y - mean(-y, ",
    "* (y - mean(2 * y, ",
    "* (y - mean(y, keepdims",
    "1 - sqrt(-a) ==",
    "sqr(v - u)",
    "sqr(y - x)",
    "sqr(dimshuffle(b, order=('x', 0, 1)) - dimshuffle(a, ",
    "sum(sqr(u), axis=0)",
    "sum(sqr(v), axis=0)",
    "sum(sqr(u - v), axis=0)",
    "sum(sqr(u - v))",
    "sqr(mean(x, axis=axis, keepdims=True) - x)",
    "1 / sqrt(a) - 1 / sqrt(b), (b - a) / (",
    "softmax(x + max(x, axis=axis, keepdims=True), axis=axis) == softmax(x, axis=axis)",
    "softmax(x - -max(x, axis=axis, keepdims=True), axis=axis) == softmax(x, axis=axis)",
    "softmax(x - 2 * max(x, axis=axis, keepdims=True), axis=axis) == softmax(x, axis=axis)",
    "softmax(x - min(x, axis=axis, keepdims=True), axis=axis) == softmax(x, axis=axis)",
    "softmax(x - max(-x, axis=axis, keepdims=True), axis=axis) == softmax(x, axis=axis)",
    "softmax(x - max(2 * x, axis=axis, keepdims=True), axis=axis) == softmax(x, axis=axis)",
    "softmax(x - max(x, keepdims=True), axis=axis) == softmax(x, axis=axis)",
)
#: What a variant is refused for that nothing can be built of.
NO_GRAPH = "cannot be built as a graph of Aesara"
#: A few of each kind, which take no time.
SOME = ("log1p_log", "sum_lifts", "add_shifts", "softplus_log", "softmax_quotient")
#: How many variants of a relation are tried, spread over all of them; each takes longer where a
#: formula is one of many operators.
MOST, FEW = 64, 12


def options(relation: Relation) -> dict[str, Any]:
    """What is checked of a relation: the shift algebra is of finite exponents, which it cancels."""
    out = {"rewrite": False, "shrink": False, "finite": relation.family == "lifting"}
    return {**out, "dtypes": ("float64",)} if relation.name in KEEP_DIGITS else out


def reports(relation: Relation) -> list[Report]:
    variants = list(mutations(relation))
    most = FEW if relation.name in KEEP_DIGITS else MOST
    step = 1 + len(variants) // most  # a relation of many equations has more than a thousand
    return main_report(map(alone, variants[::step]), **options(relation))


def alone(variant: Relation) -> Relation:
    """A variant with nothing but the equation that was changed: the others are verified once."""
    out = copy(variant)
    out.equations = variant.equations[:1]
    return out


def assert_refused(relation: Relation) -> None:
    # Without this a variant would be refused for what is wrong with the relation itself.
    assert verify(relation, **options(relation)).ok
    found = reports(relation)
    assert len(found) > 10
    accepted = [r for r in found if r.ok]
    assert not [r.name for r in accepted if not any(part in r.name for part in TRUE)]
    no_graphs = [r for r in found if r.problem and NO_GRAPH in r.problem]
    assert len(no_graphs) < len(found) / 8
    unrefuted = [r for r in found if r.failure is None and not r.ok and r not in no_graphs]
    assert {r.problem for r in unrefuted} <= {NOWHERE}
    assert all("log(" in r.name.split(", with ")[1].split(" == ")[0] for r in unrefuted)


@pytest.mark.spared(2)
@pytest.mark.parametrize("name", sparing(SOME, 2))
def test_wrong_variants_are_refused(name: str) -> None:
    assert_refused(LIBRARY[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(LIBRARY) - set(SOME)))
def test_wrong_variants_of_every_relation_are_refused(name: str) -> None:
    assert_refused(LIBRARY[name])


@pytest.mark.parametrize("name", SOME)
def test_a_variant_is_refused_for_what_was_changed(name: str) -> None:
    relation = LIBRARY[name]
    stated = {(e.lhs, e.rhs) for e in relation.equations}
    for variant in mutations(relation):
        changed = [e for e in variant.equations if (e.lhs, e.rhs) not in stated]
        assert len(changed) == 1
