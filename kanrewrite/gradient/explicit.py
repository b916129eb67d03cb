"""Explicit derivatives: the two maps that everything else is made of.

Reverse mode is Aesara's. Forward mode is its transpose: the gradient with respect to ``u`` of
``<pull(u), v>``, linear in ``u``, so that one registration of a gradient serves both [1]_.

References
----------
.. [1] J. Townsend, "A new trick for calculating Jacobian vector products", 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import aesara.tensor as at
from aesara.configdefaults import config
from aesara.gradient import NullTypeGradError
from aesara.graph.basic import ancestors
from aesara.tensor.type import TensorType

from kanrewrite.gradient.marks import Mark
from kanrewrite.gradient.names import Var, eager_grad, eager_rop, without_test_values
from kanrewrite.gradient.override import override
from kanrewrite.gradient.path import continuous, substituted
from kanrewrite.gradient.recursions import differentiable


@without_test_values
def pull(
    outputs: Sequence[Var],
    wrt: Sequence[Var],
    upstream: Sequence[Var],
    stops: Sequence[Var] = (),
) -> list[Var]:
    """Upstream gradients times the Jacobian: reverse mode.

    Parameters
    ----------
    outputs
        What is differentiated. Contributions add up, also where one output is made of another.
    wrt
        With respect to what.
    upstream
        The gradient that arrives at each output.
    stops
        What is not differentiated through.

    Returns
    -------
    list of Variable
        One gradient for each of `wrt`; zeros where nothing arrives.
    """
    outputs, wrt, stops = differentiable(*override(outputs, wrt, stops))
    known: dict[Var, Var] = {}
    for y, g in zip(outputs, upstream, strict=True):
        # A mark tells two outputs apart that rewriting has made one. Aesara refuses a gradient
        # that reaches an integer through an Op, so integers go without; nothing is behind them.
        end = Mark()(y) if continuous(y) else y
        known[end] = known[end] + g if end in known else g
    result: list[Var] = eager_grad(
        None,
        wrt,
        consider_constant=stops,
        known_grads=known,
        disconnected_inputs="ignore",
        add_names=False,
    )
    return result


@without_test_values
def push(
    outputs: Sequence[Var],
    wrt: Sequence[Var],
    directions: Sequence[Var],
    stops: Sequence[Var] = (),
) -> list[Var]:
    """The Jacobian times directions: forward mode.

    Parameters
    ----------
    outputs
        What is differentiated.
    wrt
        With respect to what.
    directions
        How each of `wrt` moves.
    stops
        What is not differentiated through.

    Returns
    -------
    list of Variable
        How each output moves; zeros where it does not.
    """
    try:
        return _transposed(outputs, wrt, directions, stops)
    except (NotImplementedError, NullTypeGradError):
        # An Op whose gradient has no gradient may still have an R_op.
        moving = dict(zip(wrt, directions, strict=True))
        moving = {v: at.zeros_like(v) for v in stops} | moving
        result: list[Var] = eager_rop(
            list(outputs), list(moving), list(moving.values()), disconnected_outputs="ignore"
        )
        return result


def _transposed(
    outputs: Sequence[Var],
    wrt: Sequence[Var],
    directions: Sequence[Var],
    stops: Sequence[Var],
) -> list[Var]:
    dual = [dual_type(y)() for y in outputs]
    pulled = pull(outputs, wrt, dual, stops)
    total = reduce(add, ((g * v).sum() for g, v in zip(pulled, directions, strict=True)))
    (total,), roots, _ = differentiable([total], dual, [])
    tangents = eager_grad(total, roots, disconnected_inputs="ignore", add_names=False)
    zeros = [at.zeros_like(y, dtype=u.type.dtype) for u, y in zip(dual, outputs, strict=True)]
    return _without(tangents, dict(zip(dual, zeros, strict=True)))


def dual_type(v: Any) -> Any:
    """The type of a gradient that arrives at `v`, or of a direction in which it moves."""
    if continuous(v):
        return v.type
    return TensorType(config.floatX, shape=v.type.shape)


def _without(results: list[Var], zero: dict[Var, Var]) -> list[Var]:
    """Put zeros for the dual variables, on which a linear map's derivative does not depend."""
    if zero.keys().isdisjoint(ancestors(results)):
        return results
    return substituted(results, zero)
