"""Nodes of implicit derivatives, and what happens where there is none."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aesara.gradient import DisconnectedInputError, DisconnectedType, disconnected_type
from aesara.graph.null_type import NullType

from kanrewrite.errors import disconnected_variable
from kanrewrite.gradient.explicit import dual_type, push
from kanrewrite.gradient.names import Var, eager_grad, without_test_values
from kanrewrite.gradient.ops import Gradient, Pushforward
from kanrewrite.gradient.path import closed_path, connected, continuous
from kanrewrite.gradient.types import gradients_are_like_variables


def implicit_gradients(
    ends: Mapping[Var, Var],
    wrt: Sequence[Var],
    leaves: Iterable[Var],
    disconnected: str,
) -> dict[Var, Var]:
    """Gradients that are not written out.

    Parameters
    ----------
    ends
        From what is differentiated to the gradients that arrive there.
    wrt
        Different variables to differentiate with respect to.
    leaves
        Variables that are not differentiated through.
    disconnected : {'ignore', 'warn', 'raise'}
        What to do about a variable that is not reached.

    Returns
    -------
    dict
        From each of `wrt` to its gradient, of `DisconnectedType` or `NullType` where there is
        none.

    Raises
    ------
    aesara.gradient.DisconnectedInputError
        If a variable is not reached and `disconnected` is ``'raise'``.
    """
    leaves = set(leaves)
    reached = connected(ends, wrt, leaves)
    found = {v: disconnected_type() for v in wrt if v not in reached}
    if reached:
        found |= _gradients(ends, reached, leaves)
    for v, gradient in found.items():
        if isinstance(gradient.type, DisconnectedType):
            refuse(v, disconnected)
    return found


def refuse(v: Var, disconnected: str) -> None:
    """Raise or warn about a variable without a derivative, or do neither.

    Parameters
    ----------
    v
        The variable.
    disconnected : {'ignore', 'warn', 'raise'}
        Which.
    """
    if disconnected == "raise":
        raise DisconnectedInputError(disconnected_variable(v))
    if disconnected == "warn":
        warnings.warn(disconnected_variable(v), stacklevel=5)


def _gradients(ends: Mapping[Var, Var], wrt: Sequence[Var], leaves: set[Var]) -> dict[Var, Var]:
    path, entering, trail = closed_path(list(ends), wrt, leaves)
    types = [v.type for v in wrt]
    if not gradients_are_like_variables(path):
        # What Aesara makes of it is looked at for its types and forgotten.
        seen = dict(zip(wrt, _explicit(ends, wrt, leaves), strict=True))
        odd = {v: g for v, g in seen.items() if isinstance(g.type, NullType | DisconnectedType)}
        if odd:
            rest = [v for v in wrt if v not in odd]
            return odd | (_gradients(ends, rest, leaves) if rest else {})
        types = [g.type for g in seen.values()]
    point = [in_dtype_of(y, g) for y, g in ends.items()]
    op: Any = Gradient(path, [g.type for g in point], types)
    return dict(zip(wrt, op(*entering, *trail, *point, return_list=True), strict=True))


@without_test_values
def _explicit(ends: Mapping[Var, Var], wrt: Sequence[Var], leaves: set[Var]) -> list[Var]:
    result: list[Var] = eager_grad(
        None,
        list(wrt),
        consider_constant=[v for v in leaves if v not in ends],
        known_grads=dict(ends),
        disconnected_inputs="ignore",
        return_disconnected="disconnected",
        null_gradients="return",
    )
    return result


def in_dtype_of(v: Var, gradient: Any) -> Any:
    """A gradient in the dtype of the floating variable that it is for; else as it is."""
    dtype = getattr(v.type, "dtype", None)
    return gradient.astype(dtype) if continuous(v) and dtype != gradient.dtype else gradient


def implicit_tangents(
    outputs: Sequence[Var],
    wrt: Sequence[Var],
    directions: Sequence[Var],
    leaves: Iterable[Var],
) -> dict[Var, Var]:
    """Tangents that are not written out.

    Parameters
    ----------
    outputs
        Different variables, each a function of one of `wrt` at least.
    wrt
        Different variables to differentiate with respect to.
    directions
        How `wrt` move.
    leaves
        Variables that are not differentiated through.

    Returns
    -------
    dict
        From each of `outputs` to its tangent.
    """
    path, entering, trail = closed_path(outputs, wrt, leaves)
    point = [d.astype(dual_type(v).dtype) for v, d in zip(wrt, directions, strict=True)]
    if not gradients_are_like_variables(path):
        # Written out and forgotten, so that a derivative that is missing is missed here.
        push(path.outputs, path.wrt, [d.type() for d in point])
    op: Any = Pushforward(path, [d.type for d in point], [dual_type(y) for y in outputs])
    return dict(zip(outputs, op(*entering, *trail, *point, return_list=True), strict=True))
