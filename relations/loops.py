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

from kanrewrite import Eq, Float, T, eq, relation


@relation(direction=None)
def loop_levels(s: Float) -> Iterator[Eq]:
    """A loop carries a state as a power of e and the rest, where its log is asked for.

    The exponent is the whole number next to the log of its size, or that log, and the rest a sign.
    Beside a state it carries what that lacks to a number, where a step takes it from one.
    """
    log = T.log(T.abs(s))
    whole = T.round_half_to_even(log)
    yield eq(s * T.exp(-whole) * T.exp(whole), s)
    yield eq(T.sgn(s) * T.exp(log), s)
    yield eq(1 - (1 - s), s)


@loop_levels.example
def _level_and_sign() -> tuple[Any, Any]:
    x = at.matrix("x")
    return at.sgn(x) * at.exp(at.log(at.abs(x))), x


@loop_levels.non_example
def _without_a_sign() -> tuple[Any, Any]:
    x = at.matrix("x")
    return at.exp(at.log(at.abs(x))), x
