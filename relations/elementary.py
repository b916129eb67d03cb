r"""Functions that are exact where their formulas cancel: log1p, expm1, log1mexp, and other bases.

References
----------
M. Maechler, "Accurately computing log(1 - exp(-|a|))", Rmpfr vignette, 2012.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import e, log, log2, log10
from typing import Any

import aesara.tensor as at

from kanrewrite import Axis, Eq, Float, T, eq, one_axis, positive, relation


@relation(role=("rewrite", "define"), where="exponents")
def log1mexp_log(x: Float) -> Iterator[Eq]:
    """The log of what is missing from an exponential to 1."""
    yield eq(T.log(1 - T.exp(x)), T.log1mexp(x))


@relation(role="define")
def log1p_log(x: Float) -> Iterator[Eq]:
    """The log of one and something."""
    yield eq(T.log1p(x), T.log(1 + x))


@relation(role=("rewrite", "define"), where="exponents")
def expm1_difference(x: Float) -> Iterator[Eq]:
    """How far an exponential is from 1."""
    yield eq(T.exp(x) - 1, T.expm1(x))


@relation(role="define")
def other_bases(x: Float) -> Iterator[Eq]:
    """Logs and exponentials of base 2 and 10 are those of base e, scaled."""
    yield eq(T.log2(x), T.log(x) * log2(e))
    yield eq(T.log10(x), T.log(x) * log10(e))
    yield eq(T.exp2(x), T.exp(x * log(2)))


@relation(role="define")
def hyperbolic(x: Float) -> Iterator[Eq]:
    """The even and the odd part of an exponential."""
    yield eq(T.cosh(x), (T.exp(x) + T.exp(-x)) / 2)
    yield eq(T.sinh(x), (T.exp(x) - T.exp(-x)) / 2)


@relation(role="define")
def running_products(a: Float, axis: Axis) -> Iterator[Eq]:
    """A running product is an exponential of which the exponents add up."""
    logs = T.cumsum(T.fill(a, T.log(a)), axis)
    yield eq(T.cumprod(a, axis), T.exp(logs)).when(positive(a), one_axis(axis))


@log1mexp_log.example
def _log1mexp() -> tuple[Any, Any]:
    x = at.vector("x")
    return at.log(1 - at.exp(x)), at.log1mexp(x)


@log1mexp_log.non_example
def _log_of_minus() -> Any:
    return at.log(2 - at.exp(at.vector("x")))


@expm1_difference.example
def _expm1() -> tuple[Any, Any]:
    x = at.vector("x")
    return at.exp(x) - 1, at.expm1(x)


@expm1_difference.non_example
def _exp_and_one() -> Any:
    return at.exp(at.vector("x")) + 1


@log1p_log.example
def _log1p() -> tuple[Any, Any]:
    x = at.vector("x")
    return at.log1p(x), at.log(1 + x)


@log1p_log.non_example
def _log_of_two_and() -> tuple[Any, Any]:
    x = at.vector("x")
    return at.log1p(x), at.log(2 + x)


@other_bases.example
def _log2() -> tuple[Any, Any]:
    x = at.vector("x")
    return at.log2(x), at.log(x) * log2(e)


@other_bases.non_example
def _log2_by_a_rounded_factor() -> tuple[Any, Any]:
    x = at.vector("x")
    return at.log2(x), at.log(x) * 1.4427


@hyperbolic.example
def _cosh() -> tuple[Any, Any]:
    x = at.vector("x")
    return at.cosh(x), (at.exp(x) + at.exp(-x)) / 2


@hyperbolic.non_example
def _sinh() -> tuple[Any, Any]:
    x = at.vector("x")
    return at.cosh(x), (at.exp(x) - at.exp(-x)) / 2


@running_products.example
def _surviving() -> tuple[Any, Any]:
    kept = 1 / (1 + at.exp(at.matrix("x")))
    logs = at.second(kept, at.log(kept))
    return at.cumprod(kept, axis=1), at.exp(at.cumsum(logs, axis=1))


@running_products.non_example
def _of_anything() -> tuple[Any, Any]:
    x = at.matrix("x")
    return at.cumprod(x, axis=1), at.exp(at.cumsum(at.second(x, at.log(x)), axis=1))
