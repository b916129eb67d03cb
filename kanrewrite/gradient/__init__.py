"""Implicit derivatives: Ops that the compiler expands after it has seen the cost.

``aesara.grad`` writes a gradient's graph out at once, before shapes are known and before any
rewrite has recognised what is being differentiated. The functions here have its signature and
give a node that stands for the gradient, and is written out while a function is compiled: after
the cost was canonicalized and stabilized, so that a hand-written softmax contributes the
gradient of a softmax.
"""

from kanrewrite.gradient.interface import grad, value_and_grad
from kanrewrite.gradient.jax_native import NATIVE
from kanrewrite.gradient.linear import Linearization
from kanrewrite.gradient.ops import Gradient, Pushforward
from kanrewrite.gradient.products import hessian, hvp, jacobian, jvp, vjp
from kanrewrite.gradient.registration import TAG, register_expansion
from kanrewrite.gradient.rules import (
    register_gradient,
    registered_gradient,
    unregister_gradient,
)
from kanrewrite.gradient.within import within_gradient

__all__ = [
    "NATIVE",
    "TAG",
    "Gradient",
    "Linearization",
    "Pushforward",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "register_expansion",
    "register_gradient",
    "registered_gradient",
    "unregister_gradient",
    "value_and_grad",
    "vjp",
    "within_gradient",
]
