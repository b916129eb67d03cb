r"""The logistic function $1/(1 + e^{-x})$, its integral softplus, and the hyperbolic tangent.

References
----------
C. Dugas, Y. Bengio, F. Bélisle, C. Nadeau, R. Garcia, "Incorporating second-order functional
knowledge for better option pricing", Advances in Neural Information Processing Systems 13, 2000.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, eq, relation


@relation(role=("rewrite", "define"), where="exponents")
def tanh_quotient(x: Float) -> Iterator[Eq]:
    r"""$\tanh x = (e^{2x} - 1) / (e^{2x} + 1)$."""
    yield eq((T.exp(2 * x) - 1) / (T.exp(2 * x) + 1), T.tanh(x))


@relation(role=("rewrite", "define"), where="exponents")
def sigmoid_reciprocal(x: Float) -> Iterator[Eq]:
    r"""$\sigma(x) = 1/(1 + e^{-x})$, and $\sigma(-x) = 1/(1 + e^x) = 1 - \sigma(x)$."""
    yield eq(1 / (1 + T.exp(-x)), T.sigmoid(x))
    yield eq(1 / (1 + T.exp(x)), T.sigmoid(-x))


@relation(role=("rewrite", "define"), where="exponents")
def softplus_log(x: Float) -> Iterator[Eq]:
    r"""$\mathrm{softplus}(x) = \log(1 + e^x)$."""
    yield eq(T.log(1 + T.exp(x)), T.softplus(x))


@relation(where="exponents")
def sigmoids_multiply(x: Float) -> Iterator[Eq]:
    r"""$\sigma(x) \sigma(-x) = 1 / (4 \cosh^2 (x/2))$, the slope of both functions."""
    yield eq(T.sigmoid(x) * T.sigmoid(-x), 1 / (4 * T.sqr(T.cosh(x / 2))))


@tanh_quotient.example
def _tanh() -> tuple[Any, Any]:
    x = at.vector("x")
    return (at.exp(x) - at.exp(-x)) / (at.exp(x) + at.exp(-x)), at.tanh(x)


@tanh_quotient.non_example
def _coth() -> Any:
    x = at.vector("x")
    return (at.exp(2 * x) + 1) / (at.exp(2 * x) - 1)


@sigmoid_reciprocal.example
def _sigmoid() -> tuple[Any, Any]:
    x = at.vector("x")
    return at.exp(x) / (1 + at.exp(x)), at.sigmoid(x)


@sigmoid_reciprocal.example
def _complement() -> tuple[Any, Any]:
    x = at.vector("x")
    return 1 - 1 / (1 + at.exp(-x)), at.sigmoid(-x)


@sigmoid_reciprocal.non_example
def _bose_einstein() -> Any:
    x = at.vector("x")
    return 1 / (1 - at.exp(-x))


@sigmoids_multiply.example
def _slope() -> tuple[Any, Any]:
    x = at.vector("x")
    return 1 - at.square(at.tanh(x)), 1 / at.square(at.cosh(x))


@sigmoids_multiply.example
def _slope_of_exponentials() -> tuple[Any, Any]:
    x = at.vector("x")
    return at.exp(-x) / (1 + at.exp(-x)) ** 2, 0.25 / at.square(at.cosh(0.5 * x))


@sigmoids_multiply.non_example
def _square() -> Any:
    x = at.vector("x")
    return at.square(at.sigmoid(x))


@softplus_log.example
def _softplus() -> tuple[Any, Any]:
    x = at.vector("x")
    return at.log(at.exp(x) + 1), at.softplus(x)


@softplus_log.non_example
def _another_constant() -> Any:
    x = at.vector("x")
    return at.log(3 + at.exp(x))
