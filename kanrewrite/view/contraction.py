"""Contractions: which axis of each side of a dot product is summed, and where the others go."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Prod, Terms, Totals
from kanrewrite.view.heat import hot
from kanrewrite.view.zeros import may_vanish

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting


class Side(NamedTuple):
    """One side of a dot product."""

    form: Form
    #: The axis that is summed.
    axis: int
    #: The order in which what is constant along that axis enters (batch, rows, columns).
    order: tuple[int | str, ...]


def sides(left: Form, right: Form, batch: int) -> tuple[Side, Side]:
    """Both sides of a dot product with a number of batch dimensions in front."""
    rows, columns = left.ndim - batch - 1, right.ndim - batch - 1
    order_left = (*range(batch + rows), *["x"] * columns)
    order_right = (*range(batch), *["x"] * rows, *[right.ndim - 1] * columns)
    summed = batch if columns else right.ndim - 1
    return Side(left, left.ndim - 1, order_left), Side(right, summed, order_right)


def sides_of(form: App) -> tuple[Side, Side]:
    """Both sides of a form that is a dot product."""
    left, right = form.args
    return sides(left, right, int(form.op is T.batched_dot))


def leave(still: Terms, order: tuple[int | str, ...], level: Totals, a: Lifting) -> None:
    """Add what is constant along the axis that is summed to the level of the product."""
    for m, c in still.items():
        for n, d in a.terms_of(a.shuffle(m, order) if m.bcast else m).items():
            level[n] += c * d


def as_sum(form: App, a: Lifting) -> tuple[Form, int] | None:
    """A product of a matrix and a vector as products to be summed, and the axis, which is dropped.

    The largest exponential of a side may meet a zero of the other one, or a smaller exponential;
    only element by element that shows.  The products are as many as the matrix has elements; of
    two matrices they would be more.
    """
    left, right = form.args
    batch = int(form.op is T.batched_dot)
    rows, columns = left.ndim - batch - 1, right.ndim - batch - 1
    if rows and columns:
        return None
    lead = tuple(range(batch))
    wide_left = a.shuffle(left, (*lead, *range(batch, left.ndim), *["x"] * columns))
    wide_right = a.shuffle(right, (*lead, *["x"] * rows, *range(batch, right.ndim)))
    whole = wide_right if columns else wide_left
    return a.spread(a.mul(wide_left, wide_right), whole), batch + rows


def needs_sum(form: App) -> bool:
    """Tell whether the maxima of the sides of a dot product may not meet."""
    left, right = form.args
    return (hot(left) and hot(right)) or may_vanish(left) or may_vanish(right)


def summed(form: Form, a: Lifting) -> Form:
    """A form in which each product of a matrix and a vector is a sum."""
    if isinstance(form, App) and form.op in (T.dot, T.batched_dot):
        found = as_sum(form, a)
        if found is None:
            return form
        body, axis = found
        return a.drop(a.sum(body, (axis,)), (axis,))
    if isinstance(form, Prod):
        return a.mul(
            a.prod(form.coeff, form.expo, {}), *(a.pow(summed(f, a), k) for f, k in form.factors)
        )
    if isinstance(form, App) and form.op is T.dimshuffle:
        return a.move(summed(form.args[0], a), form.args[1])
    return form
