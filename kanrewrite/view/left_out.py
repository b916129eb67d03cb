"""Left out: what others, or others and more beside them, leave out of which sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from kanrewrite.view.forms import Axes, Form, Sum, Terms, added_up
from kanrewrite.view.heat import is_choice, is_others
from kanrewrite.view.lengths import is_thin
from kanrewrite.view.places import divisions


class LeftOut(NamedTuple):
    """What others leave out, the sum that it is left out of, along which axes, and the others."""

    own: Form
    whole: Form
    axes: Axes
    left: Form

    def share(self, a: Any) -> Form:
        """What is left out as a part of the sum."""
        found: Form = a.div(self.own, self.whole)
        return found


def leaving(form: Form, a: Any) -> LeftOut | None:
    """What the others, or the others and more beside them, as ``1 + others(e)``, leave out."""
    if is_others(form):
        body, axes = form.args
        return LeftOut(body, a.sum(body, axes), axes, form)
    if not isinstance(form, Sum):
        return None
    found = [(m, c) for m, c in form.terms if is_others(m)]
    if len(found) != 1:
        return None
    ((m, c),) = found
    body, axes = m.args
    rest = {n: d for n, d in form.terms if n is not m}
    if not all(n.constant_along(axes) for n in rest):
        return None
    whole = a.add_terms({**rest, a.sum(body, axes): c})
    return LeftOut(a.mul(a.const(c), body), whole, axes, form)


def left_in(form: Form, a: Any) -> Iterator[LeftOut]:
    """What is left out of the others that a product divides by, or may, for all that is known.

    Others that are in a sum, too, beside what may be negligible.
    """
    for f in (f for f, number in divisions(form, a) if number > 0):
        found = leaving(f, a)
        if found is not None:
            yield found
        elif isinstance(f, Sum):
            parts = (leaving(g, a) for m, _ in f.terms for g, k in a.parts(m)[2] if k > 0)
            yield from islice(filter(None, parts), 1)


def opened_at_others(form: Form, a: Any) -> Terms:
    """A form as terms, multiplied out where others divide in one of them, or are added."""
    parts = by_choice(form, a, partial(_holds_others, a=a))
    if parts is not None:
        return added_up(item for part in parts for item in opened_at_others(part, a).items())
    for f, k in a.parts(form)[2]:
        if k == 1 and isinstance(f, Sum) and any(_has_others(m, a) for m, _ in f.terms):
            around = a.div(form, f)
            opened = ((opened_at_others(a.mul(around, m), a), c) for m, c in f.terms)
            return added_up((n, c * d) for terms, c in opened for n, d in terms.items())
    own: Terms = a.terms_of(form)
    return own


def by_choice(form: Form, a: Any, holds: Callable[[Form], bool]) -> list[Form] | None:
    """What a choice multiplies, for each of its two, where one of them holds something."""
    for f, k in a.parts(form)[2]:
        if k == 1 and is_choice(f):
            cond, *either = f.args
            if any(map(holds, either)) and not is_thin(cond):
                around = a.div(form, f)
                kept = (a.mul(a.chosen(cond, g is either[0]), a.spread(g, f)) for g in either)
                return [a.mul(around, g) for g in kept]
    return None


def _holds_others(form: Form, a: Any) -> bool:
    """Tell whether others divide in a term of a form, or in one of a factor of one."""
    terms = list(a.terms_of(form))
    sums = (f for m in terms for f, k in a.parts(m)[2] if k == 1 and isinstance(f, Sum))
    return any(_has_others(m, a) for m in (*terms, *(n for f in sums for n, _ in f.terms)))


def _has_others(form: Form, a: Any) -> bool:
    """Tell whether a term divides by others, or is a share of them."""
    found = (leaving(f, a) for f, k in a.parts(form)[2] if k > 0)
    shares = (form is a.div(left_out.left, left_out.whole) for left_out in found if left_out)
    return any(left_in(form, a)) or any(shares)
