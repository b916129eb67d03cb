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

from kanrewrite import Axis, Eq, Float, T, eq, relation


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
