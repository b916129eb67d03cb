"""What is chosen, where it is: there the mask that a choice is read as is 1.

``switch(m, 1/switch(m, x, 0), 0)`` is ``m * (1/x)``. As ``m * (1/(m*x))`` it would be 1/x, and
what the outer choice hides would be shown.
"""

from __future__ import annotations

from kanrewrite.view.forms import App, Form, is_elementwise, pieces, remembered
from kanrewrite.view.heat import is_mask
from kanrewrite.view.lifting import Lifting


def where_kept(form: Form, mask: App, a: Lifting) -> Form:
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
