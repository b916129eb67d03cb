"""What is not a number stays visible where sums have cancelled what it was in.

The shares of a softmax add up to 1 whatever its exponents are, so the sum is read as 1, and its
slope as 0.  Where an exponent is no number, the sum is none; a result for which nothing of that
exponent is left says so by itself.  (Where elements cancel, see `kanrewrite.view.visible`.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Apply, Variable
from aesara.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from aesara.tensor.math import Sum as SumOp
from aesara.tensor.special import LogSoftmax, Softmax, SoftmaxGrad

from kanrewrite.terms import T, operator_of
from kanrewrite.view.algebra import is_ones
from kanrewrite.view.forms import (
    App,
    Form,
    Leaf,
    Lin,
    Sum,
    operators_within,
    pieces,
    remembered,
    within,
)
from kanrewrite.view.nodes import FLOATS
from kanrewrite.view.read import View
from kanrewrite.view.visible import SHOWING, is_unmasked

#: What is nan along an axis where one element there is.
ALONG = Softmax | LogSoftmax | SoftmaxGrad

#: What shows along axes that something there is nan.
TOTALS = {T.sum, T.max, T.others, T.prod, T.cumsum, T.dot, T.batched_dot}

#: The leaves of which more is kept are no more than these.
FEW = 4


class Loss(NamedTuple):
    """A variable that is nan where a leaf is, and the nodes through which it has come."""

    seen: Variable[Any, Any]
    route: tuple[Apply[Any], ...]


class Lost:
    """Which leaves were in sums that variables are made of, and are in none of their forms.

    Parameters
    ----------
    view
        What has read the variables.
    clients
        Who uses each of them.
    """

    def __init__(self, view: View, clients: Mapping[Variable[Any, Any], Sequence[Any]]):
        self._view = view
        self._clients = clients
        self._losses: dict[Variable[Any, Any], dict[Leaf, Loss]] = {}
        for var in view.variables:
            losses = self._found(var, var.owner) if var.owner is not None else None
            if losses:
                self._losses[var] = losses

    def of(self, var: Variable[Any, Any]) -> dict[Loss, list[Leaf]]:
        """What has to be seen for a variable, with the leaves that it has lost."""
        found: dict[Loss, list[Leaf]] = {}
        for leaf, loss in self._losses.get(var, {}).items():
            if not self._is_summed(leaf, var) and not self._is_summed_after(leaf, var):
                found.setdefault(loss, []).append(leaf)
        return found

    def shown(self, new: Variable[Any, Any], var: Variable[Any, Any]) -> Variable[Any, Any]:
        """What replaces a variable, nan where the sums in it would be."""
        for (seen, route), leaves in self.of(var).items():
            given: Any = reduce(at.or_, (at.any(at.isnan(leaf.var)) for leaf in leaves))
            flag: Any = at.and_(at.isnan(seen), given)
            for node in route:
                flag = _through(node, flag)
            new = at.switch(flag, at.constant(np.array(np.nan, new.type.dtype)), new)
        return new

    def _is_summed(self, leaf: Leaf, var: Variable[Any, Any]) -> bool:
        return bool(_leaves(leaf) & _summed(self._view.read(var)))

    def _is_summed_after(self, leaf: Leaf, var: Variable[Any, Any]) -> bool:
        """Tell whether all that a variable is used for is made of sums of a leaf."""
        users = [node.outputs[0] for node, _ in self._clients.get(var, ()) if node != "output"]
        return len(users) == len(self._clients.get(var, ())) > 0 and all(
            self._view.is_read(user) and self._is_summed(leaf, user) for user in users
        )

    def _found(self, var: Variable[Any, Any], node: Apply[Any]) -> dict[Leaf, Loss]:
        """The leaves that a variable has lost, those first that its operands have."""
        if not _shows(node):
            return {}
        found: dict[Leaf, Loss] = {}
        for operand in node.inputs:
            for leaf, loss in self._losses.get(operand, {}).items():
                found.setdefault(leaf, loss._replace(route=(*loss.route, node)))
        made = self._view.read(var)
        for operand in node.inputs:
            if operand.type.dtype != var.type.dtype or not self._view.is_read(operand):
                continue
            form = self._view.read(operand)
            gone = _summed(form) & ~_summed(made)
            if not isinstance(node.op, Elemwise | DimShuffle):
                gone |= _leaves(form) & ~_leaves(made)
            if gone and T.scatter in operators_within(form):
                continue  # what is among zeros is left out
            parts = within(form) if gone else {}
            for leaf in (part for part in parts if isinstance(part, Leaf)):
                if _leaves(leaf) & gone and _may_be_nan(leaf.var):
                    found.setdefault(leaf, Loss(operand, (node,)))
        return dict(list(found.items())[:FEW])


@remembered
def _leaves(form: Form) -> int:
    """The leaves of a form, a bit each, but for those that only its lengths are of."""
    own = 1 << form.uid if isinstance(form, Leaf) else 0
    return own if is_ones(form) else reduce(or_, map(_leaves, pieces(form)), own)


@remembered
def _summed(form: Form) -> int:
    """The leaves that a form adds up along axes, without what masks hide there."""
    if isinstance(form, App) and form.op in TOTALS:
        return reduce(or_, map(_unmasked, pieces(form)), 0)
    return 0 if is_ones(form) else reduce(or_, map(_summed, pieces(form)), 0)


@remembered
def _unmasked(form: Form) -> int:
    """The leaves of a form, but for those of terms that a mask multiplies."""
    if isinstance(form, Sum | Lin):
        return reduce(or_, map(_unmasked, pieces(form)), 0)
    return _leaves(form) if is_unmasked(form) else 0


def _may_be_nan(var: Any) -> bool:
    """Tell whether a leaf is a float, and not what was cast from an integer."""
    if not isinstance(var, Variable) or var.type.dtype not in FLOATS:
        return False
    given = var.owner.inputs if var.owner is not None else ()
    return all(getattr(i.type, "dtype", None) in FLOATS for i in given)  # None has no dtype


def _shows(node: Apply[Any]) -> bool:
    """Tell whether a node is nan where what it is made of is, or along an axis there."""
    if isinstance(node.op, Elemwise):
        return operator_of(node.op) in SHOWING
    return isinstance(node.op, SumOp | DimShuffle | ALONG)


def _through(node: Apply[Any], flag: Any) -> Any:
    """Where a node is nan, of where an operand is."""
    op = node.op
    if not flag.type.ndim:
        return flag
    if isinstance(op, CAReduce):
        return at.any(flag, axis=op.axis)
    if isinstance(op, DimShuffle):
        return flag.dimshuffle(op.new_order)
    if isinstance(op, ALONG):
        return at.any(flag, axis=op.axis, keepdims=True)
    return flag
