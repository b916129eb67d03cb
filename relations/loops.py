r"""Loops: what is multiplied in each step leaves the range of floats, its log does not.

References
----------
L. R. Rabiner, "A tutorial on hidden Markov models and selected applications in speech recognition",
Proceedings of the IEEE 77(2), 1989, section V.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Constant, Eq, Float, T, Theory, eq, positive, relation


@relation(direction=None)
def loop_levels(s: Float) -> Iterator[Eq]:
    """A loop carries a state as its log, and its sign if it has one, where the log is asked for."""
    yield eq(T.exp(T.log(s)), s).when(positive(s))
    yield eq(T.sgn(s) * T.exp(T.log(T.abs(s))), s)


@relation(direction=None)
def loop_exponents(s: Float) -> Iterator[Eq]:
    """The exponent is the whole number next to the log of a state, beside which is what is left.

    The digits of a state as large as ``exp(1e5)`` are in the rest: a log of that size has eleven.
    """
    whole, other = (T.round_half_to_even(T.log(size)) for size in (s, T.abs(s)))
    yield eq(s * T.exp(-whole) * T.exp(whole), s).when(positive(s))
    yield eq(s * T.exp(-other) * T.exp(other), s)


@relation(direction=None, theory=Theory("no axioms"))
def loop_complements(n: Constant, s: Float) -> Iterator[Eq]:
    """Beside a state a loop carries what that lacks to a number, where a step takes it from one.

    By the axioms of sums both sides are the same; what is carried are the parts of the left one.
    """
    yield eq(n - (n - s), s)


@loop_levels.example
def _level_and_sign() -> tuple[Any, Any]:
    x = at.matrix("x")
    return at.sgn(x) * at.exp(at.log(at.abs(x))), x


@loop_levels.non_example
def _without_a_sign() -> tuple[Any, Any]:
    x = at.matrix("x")
    return at.exp(at.log(at.abs(x))), x


@loop_exponents.example
def _exponent_and_rest() -> tuple[Any, Any]:
    x = at.matrix("x")
    whole = at.round(at.log(at.abs(x)), mode="half_to_even")
    return x * at.exp(-whole) * at.exp(whole), x


@loop_exponents.non_example
def _of_another_number() -> tuple[Any, Any]:
    x = at.matrix("x")
    one, other = (at.round(v, mode="half_to_even") for v in (x, at.log(at.abs(x))))
    return x * at.exp(-one) * at.exp(other), x


@loop_complements.example
def _less_what_it_lacks() -> tuple[Any, Any]:
    x = at.matrix("x")
    return 1 - (1 - x), x


@loop_complements.non_example
def _less_another_number() -> tuple[Any, Any]:
    x = at.matrix("x")
    return 1 - (2 - x), x
