"""What is chosen, where it is: there the mask that a choice is read as is 1.

``switch(m, 1/switch(m, x, 0), 0)`` is ``m * (1/x)``. As ``m * (1/(m*x))`` it would be 1/x, and
what the outer choice hides would be shown.
"""

from __future__ import annotations

from typing import Any

from kanrewrite.view.forms import App, Form, is_elementwise, pieces, remembered
from kanrewrite.view.heat import is_mask


def under(form: Form, outer: Form, a: Any) -> Form:
    """``form * outer``, of what was computed apart from the masks in what it is multiplied with."""
    for f, k in a.parts(outer)[2]:
        if k > 0 and is_mask(f):
            form = where_kept(form, f, a)
    product: Form = a.mul(form, outer)
    return product


def where_kept(form: Form, mask: App, a: Any) -> Form:
    """A form with 1 for a mask, wherever it is of the same element.

    Parameters
    ----------
    form
        What is chosen.
    mask
        What the choice is read as.
    a
        The algebra.
    """
    if mask not in _masks(form):
        return form
    known: dict[Form, Form] = {mask: a.one}

    def there(part: Form) -> Form:
        if part not in known:
            opened = is_elementwise(part) and pieces(part)
            known[part] = a.map(part, there) if opened else part
        return known[part]

    return there(form)


@remembered
def _masks(form: Form) -> frozenset[Form]:
    """The masks in a form that are of the same element."""
    own = frozenset([form]) if is_mask(form) else frozenset[Form]()
    return own.union(*map(_masks, pieces(form))) if is_elementwise(form) else own
