"""`grad` and `value_and_grad`: Aesara's signature and errors, an implicit result."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from aesara.gradient import DisconnectedType, NullTypeGradError, _float_zeros_like
from aesara.graph.basic import Variable
from aesara.graph.null_type import NullType
from aesara.tensor import constant
from aesara.tensor.type import TensorType

from kanrewrite.border import AnyVariable, Variables, checked
from kanrewrite.errors import undefined_gradient
from kanrewrite.gradient.explicit import dual_type
from kanrewrite.gradient.implicit import implicit_gradients
from kanrewrite.gradient.names import Var, eager_grad
from kanrewrite.gradient.ops import Gradient
from kanrewrite.gradient.within import differentiated


@checked
def grad(
    cost: AnyVariable | None,
    wrt: Variables,
    consider_constant: Collection[AnyVariable] | None = None,
    disconnected_inputs: Literal["ignore", "warn", "raise"] = "raise",
    add_names: bool = True,
    known_grads: Mapping[Var, Var] | None = None,
    return_disconnected: Literal["none", "zero", "disconnected"] = "zero",
    null_gradients: Literal["raise", "return"] = "raise",
) -> Any:
    """The gradient of a cost, not written out before the cost has been rewritten.

    A drop-in for `aesara.grad`: the same arguments, the same errors, results of the same dtypes
    and values. The difference is when the gradient's own graph comes into being: after Aesara
    has canonicalized and kanrewrite has stabilized the cost, while a function is compiled.

    Parameters
    ----------
    cost : TensorVariable
        A scalar; None if `known_grads` says where to begin.
    wrt : Var or sequence of Variable
        What to differentiate with respect to: inputs, shared variables, or any intermediate
        result of the cost.
    consider_constant : sequence of Variable, optional
        Variables not to differentiate through.
    disconnected_inputs : {'ignore', 'warn', 'raise'}
        What to do if the cost is no differentiable function of one of `wrt`.
    add_names : bool
        Whether to name the results ``(d<cost>/d<wrt>)``.
    known_grads : dict, optional
        From variables to the gradients that are known to arrive at them.
    return_disconnected : {'zero', 'none', 'disconnected'}
        What to return for a disconnected variable: zeros, None, or a variable of
        `DisconnectedType`.
    null_gradients : {'raise', 'return'}
        What to do about a gradient that is undefined or not implemented.

    Returns
    -------
    Variable, or list or tuple of Variable
        As `wrt` is one variable, a list or a tuple.

    Raises
    ------
    TypeError
        If the cost is no scalar, or a known gradient no float.
    ValueError
        Without cost and known gradients.
    aesara.gradient.DisconnectedInputError
        If one of `wrt` is disconnected and `disconnected_inputs` is ``'raise'``.
    aesara.gradient.NullTypeGradError
        If a gradient is undefined and `null_gradients` is ``'raise'``.

    See Also
    --------
    value_and_grad, vjp, jvp, hvp, jacobian, hessian, within_gradient

    Examples
    --------
    >>> import aesara.tensor as at, kanrewrite
    >>> x = at.vector("x")
    >>> g = kanrewrite.grad(at.log(at.exp(x).sum()), x)
    >>> g
    Gradient{...}.0
    >>> g.eval({x: [1.0, 1.0]})
    array([0.5, 0.5])
    """
    call = _Call(
        consider_constant=consider_constant,
        disconnected_inputs=disconnected_inputs,
        add_names=add_names,
        known_grads=known_grads,
        return_disconnected=return_disconnected,
        null_gradients=null_gradients,
    )
    variables = list(wrt) if isinstance(wrt, Sequence) else [wrt]
    if not call.plain(cost, variables):
        # Aesara says what is wrong in its own words; what it accepts after all is its result.
        return eager_grad(cost, wrt, **call.options)
    results = call.results(cost, variables)
    if isinstance(wrt, tuple):
        return tuple(results)
    return results if isinstance(wrt, list) else results[0]


@checked
def value_and_grad(cost: AnyVariable, wrt: Variables, **options: Any) -> tuple[Any, Any]:
    """A cost and its gradient.

    Parameters
    ----------
    cost, wrt, **options
        See `grad`.

    Returns
    -------
    cost : TensorVariable
        The one given: not differentiated, so `within_gradient` is false in it.
    gradient : Var, or list or tuple of Variable
        See `grad`.

    Examples
    --------
    >>> import aesara, aesara.tensor as at, kanrewrite
    >>> x = at.scalar("x")
    >>> aesara.function([x], kanrewrite.value_and_grad(x**3, x))(2.0)
    [array(8.), array(12.)]
    """
    return cost, grad(cost, wrt, **options)


class _Call:
    """One call of `grad`."""

    def __init__(self, **options: Any):
        self.options = options
        self.known: dict[Var, Var] = dict(options["known_grads"] or {})

    def plain(self, cost: Any, wrt: Sequence[Any]) -> bool:
        """Whether the arguments are such that nothing needs Aesara's own words."""
        options = self.options
        return (
            (bool(self.known) if cost is None else _is_real_scalar(cost))
            and _are_variables([*self.known, *wrt])
            and all(map(_is_gradient, self.known.values()))
            and _are_variables(options["consider_constant"] or ())
            and options["disconnected_inputs"] in ("ignore", "warn", "raise")
        )

    def results(self, cost: Any, wrt: Sequence[Var]) -> list[Any]:
        """One result for each of `wrt`."""
        stops = list(self.options["consider_constant"] or ())
        known = ({} if cost is None else {cost: _one(cost)}) | self.known
        env = differentiated([*known, *stops, *wrt], wrt)
        ends = {env.get(y, y): g for y, g in known.items()}
        roots = [env.get(v, v) for v in wrt]
        # Where a gradient is known, what others would contribute is not asked for.
        leaves = {*(env.get(v, v) for v in stops), *ends}
        todo = list(dict.fromkeys(v for v in roots if v not in ends))
        starts = {y: g for y, g in ends.items() if y not in stops}
        found = ends | implicit_gradients(starts, todo, leaves, self.options["disconnected_inputs"])
        results = [found[v] for v in roots]
        if self.options["add_names"] and cost is not None and cost.name is not None:
            _name(results, roots, cost)
        return [self._finished(g, v) for g, v in zip(results, wrt, strict=True)]

    def _finished(self, gradient: Var, v: Var) -> Any:
        if isinstance(gradient.type, NullType):
            if self.options["null_gradients"] == "raise":
                raise NullTypeGradError(undefined_gradient(v, gradient.type.why_null))
            return gradient
        if not isinstance(gradient.type, DisconnectedType):
            return gradient
        choice = self.options["return_disconnected"].lower()
        if choice == "zero":
            return _float_zeros_like(v)
        return None if choice == "none" else gradient


def _is_gradient(g: Any) -> bool:
    return isinstance(g, Variable) and str(getattr(g.type, "dtype", "")).startswith("float")


def _are_variables(collection: Any) -> bool:
    return isinstance(collection, Iterable) and all(isinstance(v, Variable) for v in collection)


def _is_real_scalar(cost: Any) -> bool:
    return (
        isinstance(cost, Variable)
        and isinstance(cost.type, TensorType)
        and cost.type.ndim == 0
        and not cost.type.dtype.startswith("complex")
    )


def _one(cost: Any) -> Var:
    one: Var = constant(np.ones((), dual_type(cost).dtype))
    return one


def _name(gradients: Sequence[Var], wrt: Sequence[Var], cost: Any) -> None:
    for g, v in zip(gradients, wrt, strict=True):
        if v.name is not None and g.owner is not None and isinstance(g.owner.op, Gradient):
            g.name = f"(d{cost.name}/d{v.name})"
