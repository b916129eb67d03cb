"""Contractions: which axis of each side of a dot product is summed, and where the others go."""

from __future__ import annotations

from typing import NamedTuple

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form


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
