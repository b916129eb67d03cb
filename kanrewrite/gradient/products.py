"""Products with Jacobians and Hessians, and both written out."""

from __future__ import annotations

from typing import Any

from kanrewrite.border import AnyVariable, Variables, checked
from kanrewrite.gradient.interface import grad
from kanrewrite.gradient.linear import Linearization, taken_apart


@checked
def vjp(outputs: Variables, wrt: Variables, cotangents: Any, **options: Any) -> Any:
    """Cotangents times the Jacobian of `outputs` in `wrt`, not written out: reverse mode.

    Parameters
    ----------
    outputs, wrt, **options
        See `Linearization`.
    cotangents
        One for each output.

    Returns
    -------
    TensorVariable, or list or tuple of TensorVariable
        One for each of `wrt`. ``aesara.gradient.Lop`` gives the same where no output is made of
        another one; here contributions always add up.

    Examples
    --------
    >>> import aesara.tensor as at, kanrewrite
    >>> x, u = at.vectors("x", "u")
    >>> kanrewrite.vjp(x**2, x, u).eval({x: [1.0, 2.0], u: [1.0, 10.0]})
    array([ 2., 40.])
    """
    return Linearization(outputs, wrt, **options).vjp(cotangents)


@checked
def jvp(outputs: Variables, wrt: Variables, directions: Any, **options: Any) -> Any:
    """The Jacobian of `outputs` in `wrt` times directions, not written out: forward mode.

    Parameters
    ----------
    outputs, wrt, **options
        See `Linearization`.
    directions
        One for each of `wrt`.

    Returns
    -------
    TensorVariable, or list or tuple of TensorVariable
        One for each output, as from ``aesara.gradient.Rop``.

    Examples
    --------
    >>> import aesara.tensor as at, kanrewrite
    >>> x, v = at.vectors("x", "v")
    >>> kanrewrite.jvp((x**2).sum(), x, v).eval({x: [1.0, 2.0], v: [1.0, 10.0]})
    array(42.)
    """
    return Linearization(outputs, wrt, **options).jvp(directions)


@checked
def hvp(cost: AnyVariable, wrt: Variables, directions: Any, **options: Any) -> Any:
    """The Hessian of a cost times directions, not written out and without the Hessian.

    Parameters
    ----------
    cost, wrt, **options
        See `grad`.
    directions
        One for each of `wrt`.

    Returns
    -------
    TensorVariable, or list or tuple of TensorVariable
        One for each of `wrt`; zeros where the cost is linear.

    Notes
    -----
    The Hessian is symmetric, so this is the gradient's adjoint, reverse mode over reverse mode.

    Examples
    --------
    >>> import aesara.tensor as at, kanrewrite
    >>> x, v = at.vectors("x", "v")
    >>> kanrewrite.hvp((x**3).sum(), x, v).eval({x: [1.0, 2.0], v: [1.0, 10.0]})
    array([  6., 120.])
    """
    gradient = grad(cost, wrt, **options)
    constants = options.get("consider_constant")
    return vjp(gradient, wrt, directions, consider_constant=constants, disconnected_inputs="ignore")


@checked
def jacobian(expression: Variables, wrt: Variables, unroll: bool = False, **options: Any) -> Any:
    """The Jacobian of an expression.

    Parameters
    ----------
    unroll : bool
        Whether rows are written out one by one, see `Linearization.matrix`.
    expression, wrt, **options
        See `Linearization`. Unlike for ``aesara.gradient.jacobian``, any number of dimensions
        will do.

    Returns
    -------
    TensorVariable, or list or tuple of TensorVariable
        For every one of `wrt` a tensor of shape ``expression.shape + wrt.shape``.

    Examples
    --------
    >>> import aesara.tensor as at, kanrewrite
    >>> x = at.vector("x")
    >>> kanrewrite.jacobian(x[::-1] ** 2, x).eval({x: [1.0, 2.0]})
    array([[0., 4.],
           [2., 0.]])
    """
    return Linearization(expression, wrt, **options).matrix(unroll)


@checked
def hessian(cost: AnyVariable, wrt: Variables, unroll: bool = False, **options: Any) -> Any:
    """The Hessian of a cost in each variable.

    Parameters
    ----------
    unroll : bool
        Whether rows are written out one by one, see `Linearization.matrix`.
    cost, wrt, **options
        See `grad`. Unlike for ``aesara.gradient.hessian``, variables may have any number of
        dimensions.

    Returns
    -------
    TensorVariable, or list or tuple of TensorVariable
        For every one of `wrt` a tensor of shape ``wrt.shape + wrt.shape``: the blocks on the
        diagonal, as Aesara has them; for others use `jacobian` of `grad`.

    Examples
    --------
    >>> import aesara.tensor as at, kanrewrite
    >>> x = at.vector("x")
    >>> kanrewrite.hessian(x[0] ** 2 + x[0] * x[1], x).eval({x: [1.0, 2.0]})
    array([[2., 1.],
           [1., 0.]])
    """
    variables, as_wrt = taken_apart(wrt)
    constants = options.get("consider_constant")
    gradients = grad(cost, variables, **options)
    blocks = [
        jacobian(g, v, unroll, consider_constant=constants, disconnected_inputs="ignore")
        for g, v in zip(gradients, variables, strict=True)
    ]
    return as_wrt(blocks)
