r"""The gradient of softmax: $J^T g = p (g - \sum p g)$ with $J = \mathrm{diag}(p) - p p^T$.

References
----------
J. S. Bridle, "Training stochastic model recognition algorithms as networks can lead to maximum
mutual information estimation of parameters", Advances in Neural Information Processing Systems 2,
1989.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at
from aesara.gradient import grad
from aesara.tensor.special import SoftmaxGrad, softmax

from kanrewrite import Axis, ConstantAlong, Eq, Float, T, eq, relation, same_shape


@relation(family="softmax", where="exponents")
def softmax_gradient(p: Float, g: Float, axis: Axis) -> Iterator[Eq]:
    r"""The product of an upstream gradient with the Jacobian of softmax.

    $J = \mathrm{diag}(p) - p p^T$, so $J^T g = p (g - \sum p g)$.
    """
    soft = T.softmax(p, axis)
    mean = T.sum(g * soft, axis, keepdims=True)
    yield eq(soft * (g - mean), T.softmax_grad(g, soft, axis))
    yield eq(soft * g - soft * mean, T.softmax_grad(g, soft, axis))


@relation(role="define", family="softmax")
def softmax_gradient_meaning(s: Float, g: Float, axis: Axis) -> Iterator[Eq]:
    """What the Op that computes gradients of softmax computes, whatever it is given."""
    yield eq(T.softmax_grad(g, s, axis), s * (g - T.sum(g * s, axis, keepdims=True)))


@relation(role="lift", family="softmax")
def softmax_gradient_shifts(
    x: Float,
    g: Float,
    c: ConstantAlong["axis"],  # type: ignore[name-defined, valid-type]  # noqa: F821, UP037
    axis: Axis,
) -> Iterator[Eq]:
    r"""$J c = 0$ for a constant c: what J is applied to may be shifted, or multiplied with.

    Only where all shares are there: of two rows that have one x, and its share 1, each is not $J$.
    """
    soft = T.softmax(x, axis)
    slope = T.softmax_grad(g, soft, axis)
    product, shifted = x * slope, (x - c) * slope
    for left, right in (
        (T.softmax_grad(g - c, soft, axis), slope),
        (T.sum(shifted, axis, keepdims=True), T.sum(product, axis, keepdims=True)),
    ):
        yield eq(left, right).when(same_shape(x, g))


@softmax_gradient.example
def _gradient() -> tuple[Any, Any]:
    x, g = at.matrices("x", "g")
    p = softmax(x, axis=1)
    return p * (g - (p * g).sum(axis=1, keepdims=True)), grad((p * g).sum(), x)


@softmax_gradient.non_example
def _sign() -> Any:
    x, g = at.matrices("x", "g")
    p = softmax(x, axis=1)
    return p * (g + (p * g).sum(axis=1, keepdims=True))


@softmax_gradient_meaning.example
def _of_anything() -> tuple[Any, Any]:
    s, g = at.matrices("s", "g")
    written = s * (g - (g * s).sum(axis=1, keepdims=True))
    return SoftmaxGrad(axis=1)(g, s), written


@softmax_gradient_meaning.non_example
def _along_another_axis() -> tuple[Any, Any]:
    s, g = at.matrices("s", "g")
    written = s * (g - (g * s).sum(axis=1, keepdims=True))
    return SoftmaxGrad(axis=0)(g, s), written


@softmax_gradient_shifts.example
def _of_shifted() -> tuple[Any, Any]:
    x, g, c = at.matrix("x"), at.matrix("g"), at.col("c")
    p = softmax(x, axis=1)
    return SoftmaxGrad(axis=1)(g - c, p), SoftmaxGrad(axis=1)(g, p)


@softmax_gradient_shifts.non_example
def _shifted_along_the_axis() -> tuple[Any, Any]:
    x, g, c = at.matrix("x"), at.matrix("g"), at.row("c")
    p = softmax(x, axis=1)
    return SoftmaxGrad(axis=1)(g - c, p), SoftmaxGrad(axis=1)(g, p)
