"""Signs: two exponentials that overflow are compared by their difference."""

from __future__ import annotations

from collections.abc import Iterator

from kanrewrite.terms import T
from kanrewrite.view.elements import LARGEST
from kanrewrite.view.forms import App, Form, Sum, within
from kanrewrite.view.heat import hot, is_choice
from kanrewrite.view.lifting import Lifting


def difference(a: Form, b: Form, algebra: Lifting) -> Form:
    """``a - b``, in each branch of a choice: nothing is left of the branch that equals b."""
    for whole, other, sign in ((a, b, 1), (b, a, -1)):
        if is_choice(whole):
            cond, *branches = whole.args
            gaps = [difference(branch, other, algebra) for branch in branches]
            yes, no = (algebra.mul(algebra.const(sign), gap) for gap in gaps)
            return yes if yes is no else algebra.app(T.switch, cond, yes, no)
    return algebra.sub(a, b)


def is_exact(gap: Form, algebra: Lifting) -> bool:
    """Tell whether the difference of equal values is computed as 0.

    Two exponentials have one exponent then, beside the same factors; more terms, a sum as a factor
    or in an exponent, or the log of a factor in one, are rounded.
    """
    return all(
        sum(c for _, c in total.terms) == 0
        and len(total.terms) == 2
        and len({algebra.parts(m)[2] for m, _ in total.terms}) == 1
        and not any(_is_rounded(m, algebra) for m, _ in total.terms)
        for total in _sums(gap, algebra)
    )


def tells_ties(gap: Form, algebra: Lifting) -> bool:
    """Tell whether a difference that is 0 as it is written is computed as 0.

    That of a product and the largest of such is, where the largest has the same factors: as the
    exponential of the largest sum of logs it is rounded in another way.
    """
    return not any(_is_less_the_largest(total, algebra) for total in _sums(gap, algebra))


def _sums(gap: Form, algebra: Lifting) -> Iterator[Sum]:
    """The sums of exponentials that a difference is 0 with, in each branch of a choice."""
    if isinstance(gap, App) and gap.op is T.switch:
        for branch in gap.forms[1:]:
            yield from _sums(branch, algebra)
    else:
        yield from (f for f, _ in algebra.parts(gap)[2] if isinstance(f, Sum) and hot(f))


def _is_less_the_largest(total: Sum, algebra: Lifting) -> bool:
    """Tell whether products, which are no powers alone, are taken from the power of a largest."""
    inside = within(*(algebra.parts(m)[1] for m, _ in total.terms))
    if not any(isinstance(f, App) and f.op in LARGEST for f in inside):
        return False
    powers = {m: c for m, c in total.terms if not algebra.parts(m)[2]}
    if len(powers) == len(total.terms) == 2:
        return False
    return any(all(c * d < 0 for n, d in total.terms if n is not m) for m, c in powers.items())


def _is_rounded(form: Form, algebra: Lifting) -> bool:
    """Tell whether a product holds exponentials that may be computed in two ways."""
    _, expo, factors = algebra.parts(form)
    return any(hot(f) for f, _ in (*factors, *expo.terms))
