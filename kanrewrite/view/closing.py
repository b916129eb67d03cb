"""Closing: operands that are read as leaves, since what they are made of is not asked for.

A sum asks for it where its terms may cancel: ``a*p - a*p**2`` is ``a*p*(1 - p)``, of which a p
close to 1 leaves ``exp(-x)``.  Terms with other factors, as the products of gates that a memory
adds up, do not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from aesara.graph.basic import Apply, Variable
from aesara.tensor.elemwise import Elemwise

from kanrewrite.terms import T, operator_of
from kanrewrite.view.demand import Demand
from kanrewrite.view.forms import App, Form, Lin, Prod, Sum, pieces, remembered
from kanrewrite.view.heat import holds_others, hot, shows
from kanrewrite.view.levels import bounded, independent, level, overflows
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.places import moved
from kanrewrite.view.sinking import sunk
from kanrewrite.view.source import Source

Graph = Variable[Any, Any]
#: How many operators and leaves a form may be written with and still be looked into further on.
LARGEST = 64
#: What closed operands stand for.
Closed = Mapping[Form, Form]


def closable(
    node: Apply[Any], forms: Mapping[Graph, Form], view: Source, algebra: Lifting, demand: Demand
) -> tuple[dict[Graph, Form], dict[Form, Form]]:
    """The operands of a node of which it is enough to know the value, closed.

    Parameters
    ----------
    node
        Of which nobody asks more of an operand than its value, as far as heads tell.
    forms
        What its operands are read as.
    view
        Who reads variables.
    algebra
        Where the forms are made.
    demand
        What is asked of the variables.

    Returns
    -------
    dict, dict
        What the operands are read as then, and the forms that their closed parts stand for.
    """
    given: dict[Graph, Form] = {}
    closed: dict[Form, Form] = {}
    for i, f in forms.items():
        if weight(f) <= LARGEST or not hot(f) or demand.asks(node, i):
            continue
        if holds_others(f):  # own terms may cancel in sums of it
            continue
        if in_range(f, algebra):
            given[i] = view.leaf(i, algebra)
            closed[given[i]] = f
        elif (rest := without_excess(f, algebra)) is not None:
            part = algebra.app(T.closed, rest)
            given[i] = algebra.mul(algebra.div(f, rest), part)
            closed[part] = rest
    return given, closed


def without_excess(form: Form, a: Lifting) -> Form | None:
    """A product without the exponents that take it out of range, if that is enough and long.

    What is in range of it is closed; where the rest is divided again by what is as large, as
    that of the slope of a gate, it is found to be in range then.
    """
    expo = level(form, a)
    if not isinstance(form, Prod) or expo is None or not form.expo.terms:
        return None
    excess = {m for e in independent(expo, a) if not bounded(e, a) for m, _ in e.terms}
    outside = a.lin({m: c for m, c in form.expo.terms if m in excess})
    if not outside.terms:
        return None
    rest = a.div(form, a.exp(outside))
    return rest if weight(rest) > LARGEST and hot(rest) and not overflows(rest, a) else None


def in_range(form: Form, a: Lifting) -> bool:
    """Tell whether a form is in range, if what is outside of its scatters goes into them."""
    if not overflows(form, a):
        return True
    terms = sunk(form, a) if isinstance(form, Prod) else None
    return terms is not None and not any(overflows(t, a) for _, t in terms)


@remembered
def weight(form: Form) -> int:
    """How many operators and leaves a form is written with; what is closed counts as one."""
    if isinstance(form, App) and form.op is T.closed:
        return 1
    return 1 + sum(map(weight, pieces(form)))


def is_sum(node: Apply[Any]) -> bool:
    """Tell whether a node adds or subtracts."""
    return isinstance(node.op, Elemwise) and operator_of(node.op) in (T.add, T.sub)


def parted(form: Form, closed: Collection[Form], a: Lifting) -> bool:
    """Tell whether a product is out of range and has closed variables as factors, or such terms.

    They may be what brings the rest of it back.
    """
    if isinstance(form, Sum):
        return any(parted(m, closed, a) for m, _ in form.terms)
    if isinstance(form, App) and form.op in (T.dot, T.batched_dot, T.dimshuffle):
        held = any(_holds(f, closed, set()) for f in form.forms)
    else:
        held = any(_is_closed(f, closed) for f, _ in a.parts(form)[2])
    return held and overflows(form, a)


def cancel(forms: Iterable[Form], closed: Collection[Form], a: Lifting) -> bool:
    """Tell whether two terms of a sum differ in what closed variables stand for, and a number."""
    terms = dict.fromkeys(m for form in forms for m in a.terms_of(form))
    without: set[Form] = set()
    if not any(_holds(m, closed, without) for m in terms):
        return False
    found: dict[Form, Form] = {}
    for m in terms:
        coeff, expo, factors = a.parts(m)
        kept = {f: k for f, k in factors if not (hot(f) or _holds(f, closed, without))}
        if found.setdefault(a.prod(coeff, expo, kept), m) is not m:
            return True
    return False


def _is_closed(form: Form, closed: Collection[Form]) -> bool:
    """Tell whether a form is a closed variable, maybe moved."""
    return moved(form)[1] in closed


def _holds(form: Form, closed: Collection[Form], without: set[Form]) -> bool:
    """Tell whether a closed variable shows in a form: none does in those ``without``, a set."""
    stack, seen = [form] if closed else [], set()
    while stack:
        part = stack.pop()
        if part in closed:
            return True
        if part in seen or part in without:  # forms share their parts
            continue
        seen.add(part)
        if isinstance(part, App) and shows(part):
            stack.extend(part.forms)
        elif isinstance(part, Prod):
            stack.extend(f for f, _ in part.factors)
        elif isinstance(part, Sum):
            stack.extend(m for m, _ in part.terms)
    without |= seen
    return False


def opened(form: Form, closed: Closed, a: Lifting) -> Form:
    """A form with what the closed parts in its factors and terms stand for."""
    known: dict[Form, Form] = {}
    without: set[Form] = set()

    def whole(part: Form) -> Form:
        if part not in known:
            known[part] = made(part)
        return known[part]

    def made(part: Form) -> Form:
        if part in closed:
            return closed[part]
        if not _holds(part, closed, without):
            return part
        if isinstance(part, Prod):
            rest = a.prod(part.coeff, part.expo, {})
            return a.mul(rest, *(a.pow(whole(f), k) for f, k in part.factors))
        if isinstance(part, Sum):
            return a.add(*(a.mul(a.const(c), whole(m)) for m, c in part.terms))
        return _moved(part, whole, a) if isinstance(part, App) else part

    return whole(form)


def _moved(form: App, change: Callable[[Form], Form], a: Lifting) -> Form:
    """A sum along axes, or a move, of something changed; what another operator gives stays."""
    if isinstance(form.forms[0], Lin):
        return form
    if form.op is T.sum:
        return a.sum(change(form.args[0]), form.args[1])
    if form.op in (T.dimshuffle, T.subtensor):
        return a.move(change(form.args[0]), form.args[1])
    return form
