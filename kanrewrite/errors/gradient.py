"""Derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kanrewrite.errors.base import KanrewriteError, RelationError


class _Stops(AssertionError):
    """What ends a compilation: Aesara goes on after other errors of a rewrite, and logs them."""


class RuleLosesDerivative(KanrewriteError, ValueError, _Stops):
    """A rule for the gradient of an expression does not cover all of the expression."""

    def __init__(self, rule: str, expr: object, variables: Sequence[object]):
        names = ", ".join(map(str, variables)) or "no variable"
        super().__init__(
            f"the gradient rule {rule} answered for the expression {expr} with terms for {names}, "
            "but the expression depends on what is differentiated by another way too (or not on "
            "these at all), so a part of the derivative would be lost. Name variables of the "
            "expression that every such way passes through, or return None."
        )


class RuleTermMismatch(KanrewriteError, TypeError, _Stops):
    """A rule for the gradient of an expression gave a term of the wrong type."""

    def __init__(self, rule: str, variable: object, term: object):
        super().__init__(
            f"the gradient rule {rule} gave {variable} a gradient of type "
            f"{getattr(term, 'type', term)}; it must have as many dimensions as the variable."
        )


class StatesNoDerivative(KanrewriteError, TypeError):
    """A relation registered as a gradient that says nothing of derivatives."""

    def __init__(self, name: str, source: str):
        super().__init__(
            f"relation {name} ({source}) states no derivative. Write its equations as "
            "`yield eq(T.gradient(expression, variable, upstream), derivative)`, or register it "
            "with kanrewrite.register to rewrite graphs by it."
        )


class RelationLosesDerivative(RelationError, _Stops):
    """A relation states the derivative of an expression in a part of its variables only."""

    def __init__(self, name: str, source: str, expr: str, lost: Mapping[str, str]):
        ways = " and ".join(f"`{p}`, which is {v}," for p, v in lost.items())
        super().__init__(
            name,
            source,
            f"it matches {expr}, which depends on what is differentiated through {ways} too, but "
            "it states no gradient there, so a part of the derivative would be lost. State one, "
            "`yield eq(T.gradient(expression, variable, upstream), derivative)` for each variable, "
            f"or leave the relation out with kanrewrite.disabled({name!r}).",
        )
        self.lost = dict(lost)


class NothingToBeWithin(KanrewriteError, TypeError):
    """`within_gradient` was called without variables."""

    def __init__(self) -> None:
        super().__init__(
            "within_gradient() needs at least one variable: it is true where the graph is being "
            "differentiated with respect to something that one of its variables depends on."
        )


def disconnected_variable(variable: object) -> str:
    """The text of Aesara's DisconnectedInputError."""
    return (
        f"the gradient with respect to {variable} was asked for, but the cost is not a "
        "differentiable function of it: it is no part of the cost's graph, or only Ops without a "
        "gradient lie between. Leave it out of wrt, or pass disconnected_inputs='ignore' for a "
        "gradient of zero."
    )


def undefined_gradient(variable: object, why: str) -> str:
    """The text of Aesara's NullTypeGradError."""
    return (
        f"the gradient with respect to {variable} is undefined. {why} Pass "
        "null_gradients='return' for a placeholder in its place."
    )


class NotOneEach(KanrewriteError, ValueError):
    """Cotangents or directions do not fit what is differentiated."""

    def __init__(self, what: str, given: Sequence[object], of: str, variables: Sequence[object]):
        def kinds(vs: Sequence[object]) -> str:
            return ", ".join(f"{v} ({getattr(v, 'ndim', '?')}-d)" for v in vs) or "none"

        super().__init__(
            f"one {what} is needed for every {of}, with as many dimensions: the {of}s are "
            f"{kinds(variables)}, the {what}s given {kinds(given)}."
        )


class UnknownRows(KanrewriteError, ValueError):
    """A Jacobian is to be written row by row, and nobody knows how many rows it has."""

    def __init__(self, variable: Any):
        super().__init__(
            f"cannot write out the rows of the Jacobian of {variable} one by one: its type, "
            f"{variable.type}, does not say how many there are. Give it known lengths with "
            "aesara.tensor.specify_shape or TensorType(dtype, shape=...), or leave unroll=False, "
            "which loops over the rows with aesara.scan."
        )
