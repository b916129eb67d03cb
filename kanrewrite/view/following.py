"""Following: forms taken apart, and put together again, as lifts say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from unification import Var

from kanrewrite.guards import Condition, constant_along, nonnegative
from kanrewrite.laws import Lift, Part
from kanrewrite.terms import T
from kanrewrite.view.algebra import is_ones
from kanrewrite.view.forms import ONE, App, Form, Lin, Terms
from kanrewrite.view.instantiate import instantiate

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting

Bindings = dict[Any, Any]


class Taken(NamedTuple):
    """What a lift takes out of an operator: a form, and the operand that stays."""

    outside: Form
    rest: Form | None


def lifted(lifts: tuple[Lift, ...], form: Form, parameters: tuple[Any, ...], a: Lifting) -> Any:
    """What is outside of an operator, what combines it, and what stays inside.

    Returns
    -------
    tuple or None
        The operator around, the forms outside and the form inside, which is None where all of it
        left; None where nothing leaves.
    """
    outside: list[Form] = []
    around = None
    left: Form | None = form
    while left is not None:
        for lift in lifts:
            if outside and lift.around is not around:
                continue  # it is followed when what is inside is made
            taken = _taken(lift, left, parameters, a)
            if taken is not None:
                a.ran[lift.relation] = None
                outside.append(taken.outside)
                around, left = lift.around, taken.rest
                break
        else:
            break
    return (around, outside, left) if outside else None


def _taken(lift: Lift, form: Form, parameters: tuple[Any, ...], a: Lifting) -> Taken | None:
    bindings: Bindings = {}
    for stated, value in zip(lift.parameters, parameters, strict=False):
        if isinstance(stated, Var):
            bindings[stated] = value
        elif stated is not value and stated is not True and stated != value:
            return None  # (a view reads all reductions as ones that keep their dimensions)
    if lift.inside is T.mul:
        return _of_product(lift, form, bindings, a)
    if lift.inside is T.add:
        return _of_sum(lift, form, bindings, a)
    return _of_operator(lift, form, bindings, a)


def _of_product(lift: Lift, form: Form, b: Bindings, a: Lifting) -> Taken | None:
    coeff, expo, factors = a.parts(form)
    number, exponents, left = coeff, dict(expo.terms), dict(factors)
    for part in lift.parts:
        if part.exponent:
            mine = {m: c for m, c in exponents.items() if _meets(part, m, b, a)}
            exponents = {m: c for m, c in exponents.items() if m not in mine}
            b[part.variable] = a.lin(mine)
            if not mine:
                return None
            continue
        if part.each:
            return _each(lift, part, form, b, a)
        powers = {m: c for m, c in exponents.items() if _meets_power(part, m, b, a)}
        taken = {f: k for f, k in left.items() if _meets_factor(part, f, k, b, a)}
        exponents = {m: c for m, c in exponents.items() if m not in powers}
        left = {f: k for f, k in left.items() if f not in taken}
        own, number = (number, ONE) if _meets(part, a.const(number), b, a) else (ONE, number)
        b[part.variable] = a.prod(own, a.lin(powers), taken)
    rest = a.prod(number, a.lin(exponents), left)
    if rest is form or (lift.rest is None and rest is not a.one):
        return None
    return _built(lift, b, rest, a)


def _each(lift: Lift, part: Part, form: Form, b: Bindings, a: Lifting) -> Taken | None:
    """The first factor that leaves; the next one leaves what is left."""
    coeff, expo, factors = a.parts(form)
    if abs(coeff) != 1 and (expo.terms or factors) and _meets(part, a.const(abs(coeff)), b, a):
        b[part.variable] = a.const(abs(coeff))
        return _built(lift, b, a.prod(coeff / abs(coeff), expo, dict(factors)), a)
    alone = coeff == 1 and not expo.terms and len(factors) == 1
    for f, k in () if alone else factors:
        if _meets(part, f, b, a) and not is_ones(f):
            b[part.variable] = a.pow(f, k)
            rest = a.prod(coeff, expo, {g: j for g, j in factors if g is not f})
            return _built(lift, b, rest, a)
    return None


def _of_sum(lift: Lift, form: Form, b: Bindings, a: Lifting) -> Taken | None:
    left = a.terms_of(form)
    for part in lift.parts:
        mine = {m: c for m, c in left.items() if _meets(part, m, b, a)}
        left = {m: c for m, c in left.items() if m not in mine}
        if not mine:
            return None
        b[part.variable] = a.add_terms(mine)
    if lift.rest is None and left:
        return None
    return _built(lift, b, _exponent_like(form, left, a), a)


def _exponent_like(form: Form, terms: Terms, a: Lifting) -> Form:
    """What is left of an exponent is one."""
    return a.lin(terms) if isinstance(form, Lin) else a.add_terms(terms)


def _of_operator(lift: Lift, form: Form, b: Bindings, a: Lifting) -> Taken | None:
    coeff, expo, factors = a.parts(form)
    if coeff != 1 or expo.terms or len(factors) != 1:
        return None
    (f, k), *_ = factors
    if lift.inside is T.pow and k != 1:
        values: tuple[Any, ...] = (f, a.const(k))
    elif k == 1 and isinstance(f, App) and f.op is lift.inside and not _chooses_exponents(f):
        values = f.args
    else:
        return None
    b.update(zip(lift.operands, values, strict=False))
    return _built(lift, b, None, a)


def _chooses_exponents(form: App) -> bool:
    return form.op is T.switch and isinstance(form.args[1], Lin)


def _built(lift: Lift, b: Bindings, rest: Form | None, a: Lifting) -> Taken | None:
    if lift.rest is not None and lift.rest not in b:
        b[lift.rest] = rest
    if not all(holds(c, b, a) for c in lift.conditions):
        return None
    outside: Form = instantiate(lift.outside, b, a)
    return Taken(outside, rest if lift.around is not None else None)


# -- guards ----------------------------------------------------------------------------------


def _meets(part: Part, form: Form, b: Bindings, a: Lifting) -> bool:
    return all(holds(c, {**b, part.variable: form}, a) for c in part.conditions)


def _meets_factor(part: Part, form: Form, k: Any, b: Bindings, a: Lifting) -> bool:
    if k == 1:
        return _meets(part, form, b, a)
    return all(
        holds(c, {**b, part.variable: form}, a)
        or (c.guard.name == nonnegative.name and k.denominator == 1 and k.numerator % 2 == 0)
        for c in part.conditions
    )


def _meets_power(part: Part, exponent: Form, b: Bindings, a: Lifting) -> bool:
    """Tell whether the exponential of something meets what is asked; its sign is no question."""
    signless = (c for c in part.conditions if c.guard.name != nonnegative.name)
    return all(holds(c, {**b, part.variable: exponent}, a) for c in signless)


def holds(condition: Condition, bindings: Bindings, a: Lifting) -> bool:
    """Tell whether a condition holds of forms."""
    values = [bindings.get(x, x) for x in condition.arguments]
    if condition.guard.name == constant_along.name:
        axes = (values[1],) if isinstance(values[1], int) else values[1]
        return a.constant(values[0], axes)
    if condition.guard.name == nonnegative.name:
        return bool(values[0].nonneg)
    return bool(condition.holds(bindings))
