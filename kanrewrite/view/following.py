"""Following: forms taken apart, and put together again, as lifts say."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from unification import Var

from kanrewrite.guards import Condition, constant_along, nonnegative, positive, same_shape
from kanrewrite.laws import Lift, Part, Statement
from kanrewrite.terms import T, Term, parameters_of
from kanrewrite.view.algebra import is_ones
from kanrewrite.view.forms import ONE, App, Form, Lin, Terms
from kanrewrite.view.heat import summed
from kanrewrite.view.instantiate import REDUCTIONS, instantiate
from kanrewrite.view.zeros import may_vanish, quotient

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting

Bindings = dict[Any, Any]
Factors = tuple[tuple[Form, Fraction], ...]


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
            mine = {m: c for m, c in mine.items() if not _stays(part, m, factors)}
            exponents = {m: c for m, c in exponents.items() if m not in mine}
            b[part.variable] = a.lin(mine)
            if not mine:
                return None
            continue
        if part.each:
            return _each(lift, part, form, b, a)
        powers = {m: c for m, c in exponents.items() if _meets_power(part, m, b, a)}
        powers = {m: c for m, c in powers.items() if not _stays(part, m, factors)}
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


# -- statements -------------------------------------------------------------------------------


def stated(shape: tuple[Any, ...], operands: tuple[Any, ...], a: Lifting) -> Any:
    """The right side of what relations state of an operator over some operands, and its bindings.

    Parameters
    ----------
    shape : tuple
        The operator and those of its operands, see `kanrewrite.laws.Laws.stated`.
    operands : tuple
        What the operands are: forms, or ``(operator, operand, ...)`` where it is known of which.
    a : Lifting
        Where the forms are made.

    Returns
    -------
    tuple of term and bindings, or None
    """
    for statement in a.laws.stated(*shape):
        bindings = _stands_for(statement, operands, a)
        if bindings is not None:
            a.ran[statement.relation] = None
            return statement.right, bindings
    return None


def becomes(shape: tuple[Any, ...], operands: tuple[Any, ...], a: Lifting) -> Form | None:
    """What relations state that an operator over some operands is, None where they say nothing."""
    found = stated(shape, operands, a)
    if found is None:
        return None
    right, bindings = found
    whole: Form = instantiate(right, bindings, a, a.laws.definitions)
    return whole


def _stands_for(statement: Statement, operands: tuple[Any, ...], a: Lifting) -> Bindings | None:
    b: Bindings = {}
    for pattern, value in zip(statement.left[1:], operands, strict=True):
        if not _bound(pattern, value, b, a):
            return None
    return b if all(_is_proved(c, b) or holds(c, b, a) for c in statement.conditions) else None


def _is_proved(condition: Condition, b: Bindings) -> bool:
    """Tell whether a form is asked to be positive that is neither negative nor zero.

    Or whether lengths are asked to be alike, of which an algorithm knows more than dimensions tell.
    """
    if condition.guard.name != positive.name:
        return condition.guard.name == same_shape.name
    form = b[condition.arguments[0]]
    return bool(form.nonneg) and not may_vanish(form)


def _bound(pattern: Any, value: Any, b: Bindings, a: Lifting) -> bool:
    """Bind the parameters of a pattern, and tell whether it can be the value."""
    if isinstance(pattern, Var):
        return b.setdefault(pattern, value) is value or b[pattern] == value
    if not isinstance(pattern, Term):
        return value is pattern or bool(value is a.const(pattern))
    if pattern[0] is T.mul and isinstance(value, Form):
        return _factor_bound(pattern, value, b, a)
    if isinstance(value, App):
        value = (value.op, *value.args)
    if not isinstance(value, tuple) or pattern[0] is not value[0]:
        return False
    given = pattern[1:-1] if pattern[0] in REDUCTIONS and pattern[-1] is True else pattern[1:]
    pairs = zip(given, value[1:], strict=False)
    return len(given) == len(value) - 1 and all(_bound(p, v, b, a) for p, v in pairs)


def _factor_bound(pattern: Term, value: Form, b: Bindings, a: Lifting) -> bool:
    """Bind the one factor that is not known: what is left without the others."""
    free = [p for p in pattern[1:] if not set(parameters_of(p)) <= set(b)]
    known = (instantiate(p, b, a) for p in pattern[1:] if p not in free)
    left = quotient(value, a.mul(*known), a)
    return left is not None and len(free) == 1 and _bound(free[0], left, b, a)


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


def _stays(part: Part, exponent: Form, factors: Factors) -> bool:
    """Tell whether an exponential stays in an operator that joins several positions."""
    joins = any(c.guard.name == constant_along.name for c in part.conditions)
    return joins and summed(exponent, factors)


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
