"""Events: where rewriting buys something, because exponentials meet there."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

from aesara.graph.basic import Apply
from aesara.scalar.basic import Cast
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import Elemwise
from aesara.tensor.math import Dot
from aesara.tensor.special import LogSoftmax, Softmax, SoftmaxGrad
from aesara.tensor.subtensor import AdvancedIncSubtensor, AdvancedIncSubtensor1, IncSubtensor

from kanrewrite.terms import T, operator_of
from kanrewrite.view.complements import as_exponential
from kanrewrite.view.firm import is_firm
from kanrewrite.view.forms import ONE, ZERO, App, Form, Leaf, Sum
from kanrewrite.view.heat import (
    exponents,
    fades,
    holds_others,
    hot,
    is_mask,
    is_others,
    over_softplus,
    slopes,
)
from kanrewrite.view.levels import bounded, level, negated, overflows, vanishes
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.merging import merged
from kanrewrite.view.nodes import axes_of
from kanrewrite.view.regions import told_apart
from kanrewrite.view.zeros import sums_kept

EXPONENTIALS = {T.exp, T.exp2, T.pow, T.expm1}


def is_exponential(node: Apply[Any]) -> bool:
    """Tell whether a node writes an exponential out."""
    return isinstance(node.op, Elemwise) and operator_of(node.op) in EXPONENTIALS


def is_risk(node: Apply[Any], inputs: list[Form], algebra: Lifting) -> bool:
    """Tell whether a node is an exponential, or divides by one that may vanish.

    That of what is near 0, as a share is, is no more than another number.
    """
    op = operator_of(node.op) if isinstance(node.op, Elemwise) else None
    if is_exponential(node):
        plain = inputs and op is not T.pow
        expo = algebra.lin(algebra.terms_of(inputs[0])) if plain else None
        return expo is None or not all(bounded(e, algebra) for e in (expo, negated(expo, algebra)))
    if op not in (T.true_div, T.reciprocal) or not inputs:
        return False
    return level(inputs[-1], algebra) is not algebra.no_exponent


def is_inverse(node: Apply[Any], inputs: list[Form], form: Form, algebra: Lifting) -> bool:
    """Tell whether a node divides by what can be out of range, though the quotient cannot."""
    op = operator_of(node.op) if isinstance(node.op, Elemwise) else None
    if op not in (T.true_div, T.reciprocal) or not hot(form):
        return False
    return overflows(inputs[-1], algebra) and not overflows(form, algebra)


def is_shifted(node: Apply[Any], inputs: list[Form], algebra: Lifting) -> bool:
    """Tell whether a node is a softmax of what was shifted by hand, which may be by an infinity.

    An input that is added, as a bias, is left: Aesara has an operator for that.
    """
    if not isinstance(node.op, Softmax | LogSoftmax):
        return False
    axes, terms = axes_of(node), list(algebra.terms_of(inputs[0]))
    still = [m for m in terms if m.constant_along(axes)]
    inputs_only = all(isinstance(m, Leaf) and m.var.owner is None for m in still)
    return len(still) < len(terms) and not inputs_only


def is_slope(form: Form, algebra: Lifting) -> bool:
    """Tell whether a form is the derivative of a tanh, ``exp(x)/(1 + exp(x))**2``, and a factor.

    One operator computes it; as ``1 - tanh(x)**2`` nothing is left of it where x is large.
    """
    _, expo, factors = algebra.parts(form)
    found = [f for f, k in factors if hot(f) and k == -2]
    if len(found) != 1 or sum(hot(f) for f, _ in factors) > 1:
        return False
    whole = algebra.add(algebra.one, algebra.exp(algebra.lin(dict(expo.terms))))
    return bool(expo.terms) and found[0] is whole


def meets(
    node: Apply[Any], inputs: list[Form], form: Form, algebra: Lifting, risky: bool, written: bool
) -> bool:
    """Tell whether a node brings exponentials together that cancel, or takes the log of one.

    ``risky`` tells whether an operand can overflow as it is written.  Where none can, as after a
    shift by hand, only what loses small numbers is worth rewriting: logs, roots, differences, and
    quotients by what may vanish.  ``written`` tells whether an exponential is written out in an
    operand: what fused operators alone compute, as ``1 - tanh(x)**2``, is left to them, unless one
    of them is enough for the result, as for ``1 + tanh(x)``.
    """
    hots = [f for f in inputs if hot(f)]
    if isinstance(node.op, Elemwise):
        name = operator_of(node.op).name
        if name in ("add", "sub"):
            return (
                (written and sum_gains(inputs, hots, form, algebra, risky))
                or (risky and form in algebra.regained and form not in inputs)
                or bool(left_out(form, algebra).difference(*(left_out(f, algebra) for f in inputs)))
                or (hot(form) and told_apart(form) is not None)
            )
        if name in ("mul", "true_div", "pow"):
            masked = risky and is_masked(form, algebra) and overflows(form, algebra)
            return masked or product_gains(name, inputs, hots, form, algebra, risky)
        if inputs and name in ("log", "log2", "log10", "log1p", "sqrt"):  # not of an integer
            if name.startswith("log") and log_gains(inputs[0], algebra):
                return True
            if name == "sqrt" and not risky and is_firm(inputs[0], algebra):
                return False
            # Of an exponential by itself log1p is a softplus; a share beside 1 is as it is written.
            share = name == "log1p" and bool(algebra.parts(inputs[0])[2])
            beside = [algebra.add(algebra.one, inputs[0])] if share else []
            levels = (level(f, algebra) for f in (inputs[0], *beside))
            return bool(hots) and all(expo is not algebra.no_exponent for expo in levels)
        if name in ("exp", "exp2", "expm1"):
            return risky and hot(form) and bool(algebra.parts(form)[2])
        return isinstance(node.op.scalar_op, Cast) and hot(form)
    if isinstance(node.op, (Dot, BatchedDot)):
        return risky and len(hots) > 1 and any(overflows(f, algebra) for f in hots)
    if isinstance(node.op, IncSubtensor | AdvancedIncSubtensor | AdvancedIncSubtensor1):
        return risky and comes_back(hots, form, algebra)
    return isinstance(node.op, SoftmaxGrad) and risky


def log_gains(form: Form, algebra: Lifting) -> bool:
    """Tell whether the log of a form asks for digits that are lost in it as it is written.

    As of what fades, of exponentials that cancel, and of sums in which one was found to be left
    out, which nobody writes.
    """
    return fades(form) or cancelling(form, algebra) or holds_others(form)


def comes_back(hots: list[Form], form: Form, algebra: Lifting) -> bool:
    """Tell whether what is out of range in the terms of a sum is not in the sum.

    Or, where terms have cancelled, is by far less so: as ``e**a * (b - b**2 / (1 + b))``, which is
    out of range with a only.
    """
    large = [f for f in hots if overflows(f, algebra)]
    if not large or not overflows(form, algebra):
        return bool(large)
    of_sum, levels = level(form, algebra), [level(f, algebra) for f in large]
    if of_sum is None or not _cancelled(hots, form, algebra):
        return False
    gaps = (algebra.plus(expo, of_sum, -ONE) for expo in levels if expo is not None)
    return not all(bounded(gap, algebra) for gap in gaps)


def _cancelled(terms: list[Form], form: Form, algebra: Lifting) -> bool:
    """Tell whether terms cancel, multiplied by what their sum is divided by."""
    divisors = algebra.denominators({form: ONE})
    if not divisors or not all(map(algebra.expands, terms)):
        return False
    by = algebra.prod(ONE, algebra.no_exponent, {f: -k for f, k in divisors.items()})
    parts = [algebra.mul(m, by) for f in terms for m, _ in algebra.expand(f)]
    whole = algebra.mul(form, by)
    if not all(map(algebra.expands, (whole, *parts))):
        return False
    left = dict(algebra.expand(whole))
    return any(m not in left for f in parts for m, _ in algebra.expand(f))


def is_masked(form: Form, algebra: Lifting) -> bool:
    """Tell whether a condition is a factor: where it is false the rest may be out of range.

    So may it be where all conditions are, if each term of a factor has one.
    """
    factors = (f for f, _ in algebra.parts(form)[2])
    return any(is_mask(f) or (isinstance(f, Sum) and sums_kept(f)) for f in factors)


def product_gains(
    name: str, inputs: list[Form], hots: list[Form], form: Form, algebra: Lifting, risky: bool
) -> bool:
    """Tell whether exponentials cancel in a product, a quotient or a power."""
    if name == "mul":
        if over_softplus(form) and not any(map(over_softplus, inputs)):
            return True
        return risky and infinity_meets_zero(hots, algebra)
    if name == "true_div":
        return over_softplus(form) or (len(hots) > 1 and both_leave(inputs[0], inputs[1], algebra))
    if not risky and hots and hots == inputs[:1] and is_firm(hots[0], algebra):
        return False
    return bool(hots) and not is_integer_power(form, hots[0], algebra)


def infinity_meets_zero(factors: list[Form], algebra: Lifting) -> bool:
    """Tell whether one factor can be out of range where another one has vanished."""
    large = [n for n, f in enumerate(factors) if overflows(f, algebra)]
    small = [n for n, f in enumerate(factors) if vanishes(f, algebra)] if large else []
    return any(m != n for m in large for n in small)


def both_leave(top: Form, bottom: Form, algebra: Lifting) -> bool:
    """Tell whether both sides of a quotient can be out of range, or both can have vanished."""
    if overflows(top, algebra) and overflows(bottom, algebra):
        return True
    if not vanishes(top, algebra):
        return False
    return vanishes(bottom, algebra) or vanishes_with(bottom, exponents(top), algebra)


def vanishes_with(form: Form, shown: Collection[Form], algebra: Lifting) -> bool:
    """Tell whether a difference is as small as an exponential in its exponents, of a shown one.

    As ``1 - exp(-exp(x))`` is, which is 0 where ``exp(x)`` has vanished.
    """
    differences = (f for f, k in algebra.parts(form)[2] if k > 0 and cancelling(f, algebra))
    inner = (exponents(m) for f in differences for m in exponents(f) if hot(m))
    return any(not found.isdisjoint(shown) for found in inner)


def is_integer_power(form: Form, base: Form, algebra: Lifting) -> bool:
    """Tell whether a form is a small integer power, which is computed as it is written."""
    return any(algebra.pow(base, Fraction(k)) is form for k in (-2, -1, 2, 3))


def sum_gains(
    inputs: list[Form], hots: list[Form], form: Form, algebra: Lifting, risky: bool
) -> bool:
    """Tell whether terms cancelled, a common factor came out, or exponentials are subtracted."""
    before_it = set().union(*(taken_back(f, algebra) for f in inputs))
    if taken_back(form, algebra) - before_it or merges(form, algebra) is not None:
        return True
    if not hots:
        return False
    mine = [held(f, algebra) for f in inputs]
    before = sum(len(algebra.terms_of(f)) for f in inputs)
    after = count_terms(form, algebra, set.intersection(*mine))
    if after < before and (risky or after <= 1):
        return True
    _, _, factors = algebra.parts(form)
    known = set().union(*mine)  # an operand is rebuilt by itself
    if any(cancelling(f, algebra) for f, _ in factors if f not in known):
        return True
    if not risky:
        return False
    if comes_back(hots, form, algebra):
        return True
    # A hot common factor came out, and no exponential stayed with only some of the terms.
    inner = bare_sums(form, algebra)
    even = len(inner) == 1 and not any(algebra.parts(m)[1].terms for m, _ in inner[0].terms)
    return len(hots) > 1 and even and any(hot(f) for f, _ in factors if f is not inner[0])


def takes_log_back(form: Form, algebra: Lifting) -> bool:
    """Tell whether a sum holds the log of a sum of exponentials, and what is of its size.

    ``x - log(sum(exp(x)))`` is small where both of its terms are large.
    """
    return bool(taken_back(form, algebra))


def taken_back(form: Form, algebra: Lifting) -> set[tuple[Form, Form]]:
    """The terms of a sum that are logs of sums of exponentials, each with one of its size.

    What the log is multiplied with, the other one may be multiplied with, too.
    """
    terms = algebra.terms_of(form)
    found: set[tuple[Form, Form]] = set()
    for m, c in terms.items():
        for log in held(m, algebra):
            if not (isinstance(log, App) and log.op is T.log and hot(log.args[0])):
                continue
            rest = algebra.div(m, log)
            if hot(rest):
                continue
            for n, d in terms.items():
                other = n if rest is algebra.one else algebra.div(n, rest)
                if n is not m and _of_its_size(other, log, c * d < 0, algebra):
                    found.add((m, n))
    return found


def _of_its_size(form: Form, log: App, opposed: bool, algebra: Lifting) -> bool:
    """Tell whether a form is as large as the log of a sum of exponentials, and may cancel it."""
    inner: Form = log.args[0]
    if (form, opposed) in slopes(inner):
        return True
    alike = held(inner, algebra) | {inner}
    if form in exponents(inner) or form in alike:
        return form in alike
    return not held(form, algebra).isdisjoint(exponents(inner) | alike)


def left_out(form: Form, algebra: Lifting) -> set[Form]:
    """The factors in a form that are sums that leave one term out, of what such sums divide.

    And what hides, or shows, where an index points to.
    """
    if not hot(form):
        return set()
    found: set[Form] = set()
    stack = [f for f, _ in algebra.parts(form)[2]]
    while stack:
        f = stack.pop()
        if isinstance(f, Sum):
            stack.extend(g for m, _ in f.terms for g in held(m, algebra))
        inner = f.args[0] if isinstance(f, App) and f.op in (T.dimshuffle, T.subtensor) else f
        if is_mask(f) and isinstance(given := f.args[0], App) and given.op is T.unpicked:
            found.add(f)
        if is_others(inner) and holds_others(inner.args[0]):
            found.add(inner)
    return found


def merges(form: Form, algebra: Lifting) -> Form | None:
    """A sum with two reductions made one, where the log of one meets what the other takes back."""
    return merged(form, algebra, lambda inner: takes_log_back(inner, algebra))


def bare_sums(form: Form, algebra: Lifting) -> list[Sum]:
    """The sums among the factors of a product."""
    return [f for f, k in algebra.parts(form)[2] if isinstance(f, Sum) and k == 1]


def held(form: Form, algebra: Lifting) -> set[Form]:
    """The factors of a product."""
    return {f for f, _ in algebra.parts(form)[2]}


def count_terms(form: Form, algebra: Lifting, around: Collection[Form]) -> int:
    """How many terms a sum has, whatever factor was taken out of it, as those around all terms."""
    if form is algebra.zero:
        return 0
    sums = (f for f, k in algebra.parts(form)[2] if isinstance(f, Sum) and k == 1)
    return max((len(f.terms) for f in sums if f not in around), default=1)


def cancelling(form: Form, algebra: Lifting) -> bool:
    """Tell whether a form is a sum of pure exponentials whose coefficients add up to zero."""
    if not isinstance(form, Sum) or sum((c for _, c in form.terms), ZERO):
        return False
    form = as_exponential(form, algebra)
    return all(not algebra.parts(m)[2] for m, _ in form.terms)
