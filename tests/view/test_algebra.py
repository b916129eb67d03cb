"""The axioms of forms: what is equal modulo them is one object, and forms keep their values."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kanrewrite import registry
from kanrewrite.laws import Laws
from kanrewrite.terms import T
from kanrewrite.view.algebra import Algebra
from kanrewrite.view.forms import App, Form, Leaf, Lin, Prod, Sum
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.matching import exact_root
from kanrewrite.view.sums import _apart_by_an_exponential, _like

NAMES = ("a", "b", "c")
HALF = Fraction(1, 2)
LAWS = Laws(registry.relations())
#: What a form and the expression that it reads are computed to.
DIGITS = 50

Tree = Any

numbers = st.fractions(Fraction(-3), Fraction(3), max_denominator=4)
trees: st.SearchStrategy[Tree] = st.recursive(
    st.sampled_from(NAMES) | numbers,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(("add", "sub", "mul", "div")), inner, inner),
        st.tuples(st.sampled_from(("neg", "exp", "log", "sqrt", "abs")), inner),
        st.tuples(st.just("pow"), inner, st.sampled_from((-2, -1, 2, 3))),
    ),
    max_leaves=8,
)
values = st.fixed_dictionaries(dict.fromkeys(NAMES, numbers.filter(bool)))


def form_of(tree: Tree, algebra: Algebra) -> Form:
    if isinstance(tree, str):
        return algebra.leaf(tree, (False,))
    if isinstance(tree, Fraction):
        return algebra.const(tree)
    name, *operands = tree
    if name == "pow":
        return algebra.pow(form_of(operands[0], algebra), Fraction(operands[1]))
    inner = [form_of(operand, algebra) for operand in operands]
    if name == "sqrt":
        return algebra.pow(inner[0], HALF)
    made: Form = getattr(algebra, name)(*inner)
    return made


def real(value: Any) -> Any:
    """A number of moderate size; examples with others are dropped."""
    assume(mpmath.isfinite(value) and not isinstance(value, mpmath.mpc) and abs(value) < 1e6)
    return value


def divisor(value: Any) -> Any:
    assume(abs(value) > 1e-3)
    return value


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / divisor(y),
    "neg": lambda x: -x,
    "exp": mpmath.exp,
    "log": lambda x: mpmath.log(divisor(x)),
    "sqrt": mpmath.sqrt,
    "abs": abs,
}


def value_of(tree: Tree, known: dict[str, Fraction]) -> Any:
    if isinstance(tree, str):
        return mpmath.mpmathify(known[tree])
    if isinstance(tree, Fraction):
        return mpmath.mpmathify(tree)
    name, *operands = tree
    if name == "pow":
        base = value_of(operands[0], known)
        return real((divisor(base) if operands[1] < 0 else base) ** operands[1])
    return real(FUNCTIONS[name](*(value_of(operand, known) for operand in operands)))


def valued(form: Form, known: dict[str, Fraction]) -> Any:
    """What a form is worth."""
    if isinstance(form, Leaf):
        return mpmath.mpmathify(known[form.var])
    if isinstance(form, Sum | Lin):
        terms = (mpmath.mpmathify(c) * valued(m, known) for m, c in form.terms)
        return mpmath.fsum(terms)
    if isinstance(form, Prod):
        out = mpmath.mpmathify(form.coeff) * mpmath.exp(valued(form.expo, known))
        for factor, k in form.factors:
            out *= mpmath.power(valued(factor, known), mpmath.mpmathify(k))
        return out
    assert isinstance(form, App)
    functions = {T.log: mpmath.log, T.abs: abs, T.pow: mpmath.power, T.ones_like: lambda x: 1}
    return functions[form.op](*(valued(f, known) for f in form.forms))


@pytest.fixture
def algebra() -> Algebra:
    return Algebra()


@given(trees, values)
def test_a_form_is_worth_what_it_reads(tree: Tree, known: dict[str, Fraction]) -> None:
    with mpmath.workdps(DIGITS):
        expected = value_of(tree, known)
        found = valued(form_of(tree, Algebra()), known)
        # Roots and logs of numbers are floats in a form, so it has a double's precision.
        assert abs(found - expected) <= 1e-6 * max(1, abs(expected)), tree


@given(trees, trees)
def test_sums_and_products_commute(x: Tree, y: Tree) -> None:
    algebra = Algebra()
    a, b = form_of(x, algebra), form_of(y, algebra)
    assert algebra.add(a, b) is algebra.add(b, a)
    assert algebra.mul(a, b) is algebra.mul(b, a)


@given(trees, trees, trees)
def test_products_associate(x: Tree, y: Tree, z: Tree) -> None:
    algebra = Algebra()
    a, b, c = (form_of(t, algebra) for t in (x, y, z))
    assert algebra.mul(algebra.mul(a, b), c) is algebra.mul(a, algebra.mul(b, c))


#: Terms without a common factor but numbers and exponentials, which sums put into their terms.
terms: st.SearchStrategy[Tree] = st.tuples(
    st.just("mul"),
    numbers,
    st.sampled_from(NAMES) | st.tuples(st.just("exp"), st.sampled_from(NAMES) | numbers),
)


@given(terms, terms, terms)
def test_sums_associate(x: Tree, y: Tree, z: Tree) -> None:
    algebra = Algebra()
    a, b, c = (form_of(t, algebra) for t in (x, y, z))
    assert algebra.add(algebra.add(a, b), c) is algebra.add(a, algebra.add(b, c))


@given(trees)
def test_units_and_inverses(x: Tree) -> None:
    algebra = Algebra()
    a = form_of(x, algebra)
    assert algebra.add(a, algebra.zero) is a
    assert algebra.mul(a, algebra.one) is a
    assert algebra.sub(a, a) is algebra.zero
    assert algebra.neg(algebra.neg(a)) is a
    if a is not algebra.zero and algebra.parts(a)[0] != 0:
        assert algebra.div(a, a) is algebra.one
        assert algebra.div(algebra.one, algebra.div(algebra.one, a)) is a


@given(terms, terms)
def test_exponentials_turn_sums_into_products(x: Tree, y: Tree) -> None:
    algebra = Algebra()
    a, b = form_of(x, algebra), form_of(y, algebra)
    assert algebra.exp(algebra.add(a, b)) is algebra.mul(algebra.exp(a), algebra.exp(b))


@given(terms)
def test_a_log_undoes_an_exponential_where_a_relation_says_so(x: Tree) -> None:
    lifting = Lifting(laws=LAWS)
    a = form_of(x, lifting)
    assert lifting.log(lifting.exp(a)) is a


def test_an_exponential_undoes_a_log(algebra: Algebra) -> None:
    a, b = algebra.leaf("a", (False,)), algebra.leaf("b", (False,))
    total = algebra.add(a, algebra.exp(b))
    for form in (total, algebra.exp(a)):
        assert algebra.exp(algebra.log(form)) is form
    for form in (a, algebra.mul(a, algebra.exp(b))):  # which may be negative, and have no log
        assert algebra.exp(algebra.log(form)) is algebra.mul(form, algebra.defined(a))
    squared = algebra.exp(algebra.mul(algebra.const(-2), algebra.log(a)))
    assert squared is algebra.mul(algebra.pow(a, Fraction(-2)), algebra.defined(a))


def test_the_complement_of_a_logistic_function(algebra: Algebra) -> None:
    e = algebra.exp(algebra.leaf("a", (False,)))
    total = algebra.add(algebra.one, e)
    complement = algebra.sub(algebra.one, algebra.div(algebra.one, total))
    assert complement is algebra.div(e, total)


def test_the_square_of_a_root(algebra: Algebra) -> None:
    a, b = algebra.leaf("a", (False,)), algebra.leaf("b", (False,))
    root = algebra.pow(algebra.mul(a, b), HALF)
    whole = algebra.mul(a, b)
    assert algebra.mul(root, root) is algebra.mul(whole, algebra.defined(whole))
    assert algebra.mul(root, root, algebra.pow(whole, Fraction(-1))) is algebra.defined(whole)
    assert algebra.pow(algebra.pow(a, Fraction(2)), HALF) is algebra.abs(a)
    assert algebra.abs(algebra.neg(a)) is algebra.abs(a)


def test_sizes_of_powers() -> None:
    algebra = Algebra()
    a = algebra.leaf("a", (False,))
    size, root = algebra.abs(a), algebra.pow(a, HALF)
    assert algebra.pow(size, Fraction(2)) is algebra.mul(size, size) is algebra.mul(a, a)
    assert algebra.abs(algebra.mul(a, a, a)) is algebra.pow(size, Fraction(3))
    assert algebra.abs(root) is not algebra.pow(size, HALF)  # nan where a is negative


def test_what_is_in_every_term_leaves_a_sum(algebra: Algebra) -> None:
    a, b, c = (algebra.leaf(name, (False,)) for name in NAMES)
    e = algebra.exp(c)
    total = algebra.add(algebra.mul(a, e), algebra.mul(b, e))
    assert total is algebra.mul(e, algebra.add(a, b))
    assert not algebra.parts(algebra.div(total, e))[1].terms


def test_different_dtypes_share_nothing() -> None:
    one, other = Algebra("float64"), Algebra("float32")
    assert one.leaf("a", ()) is not other.leaf("a", ())
    assert (one.leaf("a", ()).home, other.leaf("a", ()).home) == (one, other)


@pytest.mark.parametrize("number", [10**400, Fraction(1, 10**400), 10**30, Fraction(1, 10**30)])
@pytest.mark.parametrize("power", [-2, 2, 3, Fraction(1, 3)])
def test_numbers_far_from_1_have_exact_roots_or_none(number: Any, power: Any) -> None:
    root = exact_root(Fraction(number), Fraction(power))
    assert root is None or root**power == number


def test_a_number_among_exponents_is_kept_at_any_rank() -> None:
    """It has no rank, and is one form, whatever it stands beside."""
    a = Lifting(laws=LAWS)
    number, entry = a.leaf("s", ()), a.leaf("x", (False,))
    hidden: Any = (number,)
    marked = a.app(T.kept, a.lin({entry: Fraction(1)}), hidden, bcast=(False,))
    assert _like(marked, a.lin({number: Fraction(1)}), a).bcast == ()


def test_exponents_apart_by_an_exponential_are_those_found_pair_by_pair() -> None:
    """Also where both have a part of it, or the larger one more."""
    a = Lifting(laws=LAWS)
    x, y = (a.leaf(name, ()) for name in NAMES[:2])
    towers = a.exp(a.lin({x: Fraction(1)})), a.exp(a.lin({y: Fraction(1)}))
    numbers = [Fraction(n) for n in (-3, -1, 0, 2)]
    known = [
        a.lin({t: c for t, c in ((x, k), (towers[0], m), (towers[1], n)) if c})
        for k in numbers[2:]
        for m in numbers
        for n in numbers[1:]
    ]
    wanted = set()
    for low, high in permutations(known, 2):
        gap = a.plus(low, high, Fraction(-1)).terms
        if len(gap) == 1 and gap[0][0] in towers and gap[0][1] < 0:
            wanted.add((low, high))
    found = list(_apart_by_an_exponential(known, a))
    assert len(found) == len(set(found))
    assert set(found) == wanted
    assert len(wanted) > len(known)
