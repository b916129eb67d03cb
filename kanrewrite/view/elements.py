"""Elements: which tensors the terms of an exponent are of, and in which rows.

Terms that no element is common to are bounded by themselves: in the sum of ``x[t] - max(x[t])``
over the steps of a sequence each step is, though x is the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from aesara.graph.basic import Constant

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Lin, remembered
from kanrewrite.view.moves import Index

#: What is the largest of its operands.
LARGEST = {T.shift, T.max, T.maximum}
#: A tensor, and the indices along some of its axes at which it is taken.
Place = tuple[Form, frozenset[tuple[int, int]]]


@remembered
def places(form: Form) -> frozenset[Place]:
    """What a term of an exponent is, or is the largest of, as it was before it was moved."""
    if isinstance(form, Lin):
        return frozenset().union(*(places(m) for m, _ in form.terms))
    if isinstance(form, App) and form.op is T.subtensor and isinstance(form.args[1], Index):
        return _taken(form.args[0], form.args[1])
    if isinstance(form, App) and form.op in (*LARGEST, T.dimshuffle, T.subtensor, T.kept):
        return frozenset().union(*map(places, form.forms))
    return frozenset([(form, frozenset())])


def _taken(inner: Form, index: Index) -> frozenset[Place]:
    """The places of what an index takes of a tensor, or of its maximum along other axes."""
    at = {d: e for d, e in enumerate(map(_integer, index.entries)) if e is not None}
    terms = [inner]
    if isinstance(inner, App) and inner.op in (T.max, T.shift) and isinstance(inner.args[0], Lin):
        at = {d: e for d, e in at.items() if d not in inner.args[1]}
        terms = [m for m, _ in inner.args[0].terms]
    found: set[Place] = set()
    for m in terms:
        if isinstance(m, App) and places(m) != {(m, frozenset())}:  # it was moved before
            found |= places(m)
        elif len(m.bcast) == len(index.entries):
            found.add((m, frozenset((d, e) for d, e in at.items() if not m.bcast[d])))
        else:
            found.add((m, frozenset()))
    return frozenset(found)


def _integer(entry: Any) -> int | None:
    """An index that is known to count from the first element."""
    value = entry.data if isinstance(entry, Constant) else entry
    known = isinstance(value, int | np.integer | np.ndarray) and not np.ndim(value)
    return int(value) if known and value >= 0 else None


def rows(each: Iterable[Iterable[Place]]) -> list[set[tuple[Form, tuple[int, ...]]]]:
    """The same, by an index along an axis at which each of them takes the tensor, if there is one.

    Two that have nothing in common are of different elements.
    """
    given = [list(found) for found in each]
    axes: dict[Form, set[int]] = {}
    for form, at in (place for found in given for place in found):
        mine = {d for d, _ in at}
        axes[form] = axes[form] & mine if form in axes else mine
    along = {form: min(common) for form, common in axes.items() if common}
    return [
        {(form, tuple(e for d, e in at if d == along.get(form))) for form, at in found}
        for found in given
    ]
