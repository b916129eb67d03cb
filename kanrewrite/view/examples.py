"""Examples: numbers for forms, so that no proof is looked for of a bound that they contradict.

In some, every tensor is of one element, along which a maximum is the element itself and a move
does nothing.  In the others the elements of an input differ, and along the axes of a maximum there
are all combinations of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from kanrewrite.guards.bounds import assumed
from kanrewrite.terms import ELEMENTWISE, Operator, T
from kanrewrite.view.forms import App, Form, Leaf, Lin, Prod, Sum, remembered

Values = NDArray[np.float64]

#: How many examples of each kind there are, and the rounding of what is computed of them.
COUNT, ROUNDING = 8, 1e-6
MOVED = {T.dimshuffle, T.drop, T.subtensor}
#: What is the largest of the elements of its operand.
TOPS = {T.max, T.shift}
#: What one element is the same after.
STILL = {T.sum, T.prod, T.min, T.cumsum, T.kept, T.reshape, T.alloc, *TOPS, *MOVED}
COMPUTED: dict[Operator, Callable[..., Any]] = {
    T.log: np.log,
    T.abs: np.abs,
    T.pow: np.power,
    T.dot: np.multiply,
    T.batched_dot: np.multiply,
    T.switch: lambda cond, yes, no: np.where(cond > 0, yes, no),
}
_UNKNOWN = np.full(COUNT, np.nan)


@remembered
def contradicted(expo: Form) -> bool:
    """Tell whether an exponent is above 0 in one of the examples."""
    if not isinstance(expo, Lin) or not expo.terms:
        return False
    with np.errstate(all="ignore"):
        coeffs = np.array([float(c) for _, c in expo.terms])
        values = np.stack([_shown(m) for m, _ in expo.terms])
        total, size = coeffs @ values, np.abs(coeffs) @ np.abs(values) + 1
        return bool(np.any(np.isfinite(total) & (total > ROUNDING * size)))


@remembered
def _shown(form: Form) -> Values:
    """The values of a form in all examples."""
    return np.concatenate([alone(form), among(form)])


@remembered
def alone(form: Form) -> Values:
    """The values of a form where tensors have one element, nan where they are not known."""
    if isinstance(form, Leaf):
        middle, _, _ = _drawn(form)
        return middle
    if isinstance(form, App) and form.op in STILL:
        return alone(form.forms[0])
    return _computed(form, alone)


@remembered
def among(form: Form) -> Values:
    """The values of an element of a form among others, nan where they are not known."""
    if isinstance(form, Leaf):
        return _element(form, form)
    if isinstance(form, App) and form.op in MOVED:
        root = _root(form)
        if isinstance(root, Leaf):
            kept = [d for d in getattr(form.args[1], "order", ("x", "x", 0)) if d != "x"]
            in_order = form.op is T.dimshuffle and kept == sorted(kept)
            return among(form.args[0]) if in_order else _element(form, root)
        return among(root) if isinstance(root, App) and root.op in TOPS else _UNKNOWN
    if isinstance(form, App) and form.op in TOPS:
        return _largest(form.args[0])
    whole = isinstance(form, App) and form.op in {*STILL, T.dot, T.batched_dot}
    return _UNKNOWN if whole else _computed(form, among)


def _largest(form: Form) -> Values:
    """The largest element of a combination of inputs, each of which is there once."""
    roots = [_root(m) for m, _ in form.terms] if isinstance(form, Lin) else []
    inputs = [root for root in roots if isinstance(root, Leaf)]
    tops = [root for root in roots if isinstance(root, App) and root.op in TOPS]
    if not roots or len(set(inputs)) + len(tops) < len(roots):
        return _UNKNOWN
    total = np.zeros(COUNT)
    for (m, c), root in zip(form.terms, roots, strict=True):  # type: ignore[attr-defined]
        own = isinstance(root, Leaf) and not all(m.bcast)
        middle, width = _drawn(root)[:2] if own else (among(m), np.zeros(COUNT))
        total = total + float(c) * middle + float(abs(c)) * width
    return total


def _element(form: Form, root: Leaf) -> Values:
    """An element that a move takes of an input."""
    middle, width, _ = _drawn(root)
    return middle if all(root.bcast) else middle + width * _drawn(form)[2]


def _root(form: Form) -> Form:
    while isinstance(form, App) and form.op in MOVED:
        form = form.args[0]
    return form


def _drawn(form: Form) -> tuple[Values, Values, Values]:
    """The middle of the elements of an input, how far they are from it, and where one is."""
    rng = np.random.default_rng(form.uid)
    middle, width = rng.normal(size=COUNT), rng.uniform(size=COUNT)
    place = rng.uniform(-1, 1, size=COUNT)
    if form.nonneg:
        middle = np.abs(middle) + 1
    elif isinstance(form, Leaf) and assumed(form.var).high <= 0:
        middle = -np.abs(middle) - 1
    return middle, width, place


def _added(form: Lin | Sum, values: Callable[[Form], Values]) -> Values:
    return sum((float(c) * values(m) for m, c in form.terms), np.zeros(COUNT))


def _computed(form: Form, values: Callable[[Form], Values]) -> Values:
    """What elementwise operators, and what is like them, make of values."""
    if isinstance(form, Lin | Sum):
        return _added(form, values)
    if isinstance(form, Prod):
        out = float(form.coeff) * np.exp(_added(form.expo, values))
        for f, k in form.factors:
            out = out * values(f) ** float(k)
        return out
    assert isinstance(form, App)
    operands = [values(f) for f in form.forms if not _is_mark(f)]
    if form.op in (T.maximum, T.minimum):
        extreme = np.maximum if form.op is T.maximum else np.minimum
        return np.asarray(extreme.reduce(operands))
    if form.op in COMPUTED:
        return np.asarray(COMPUTED[form.op](*operands))
    if form.op in (T.ones_like, T.defined):
        return np.ones(COUNT)
    if form.op not in ELEMENTWISE:
        return _UNKNOWN
    phase = crc32(form.op.name.encode()) % 997  # any function that is continuous
    mixed: Values = sum((n * v for n, v in enumerate(operands, 2)), np.full(COUNT, float(phase)))
    return np.asarray(np.sin(mixed))


def _is_mark(form: Form) -> bool:
    """Tell whether an operand of a maximum says no more than that another one may be hidden."""
    return isinstance(form, Leaf) and isinstance(form.var, tuple)
