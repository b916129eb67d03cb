"""Functions that a formula of the benchmark is written with: of Aesara's variables, or mpmath's."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import aesara.tensor as at
import mpmath
from aesara.graph.basic import Variable


class _Pi:
    """The number: a float beside variables, exact beside mpmath's numbers."""

    def __mul__(self, other: Any) -> Any:
        return (math.pi if isinstance(other, Variable) else +mpmath.pi) * other

    __rmul__ = __mul__


pi = _Pi()


class Formula(NamedTuple):
    """A formula: its name, its inputs, how it is built, and for which inputs it is asked."""

    name: str
    arguments: tuple[str, ...]
    build: Callable[..., Any]
    where: Callable[..., Any] | None = None


def _function(name: str, exact: str) -> Callable[[Any], Any]:
    def apply(x: Any) -> Any:
        if isinstance(x, Variable):
            return getattr(at, name)(x)
        return getattr(mpmath, exact)(x)

    return apply


sqrt, exp, log = _function("sqrt", "sqrt"), _function("exp", "exp"), _function("log", "log")
sin, cos, tan = _function("sin", "sin"), _function("cos", "cos"), _function("tan", "tan")
sinh, cosh, tanh = _function("sinh", "sinh"), _function("cosh", "cosh"), _function("tanh", "tanh")
asin, acos = _function("arcsin", "asin"), _function("arccos", "acos")
atan = _function("arctan", "atan")
log1p, expm1 = _function("log1p", "log1p"), _function("expm1", "expm1")
fabs = _function("abs", "fabs")


def atan2(y: Any, x: Any) -> Any:
    """The angle of a point."""
    if isinstance(x, Variable) or isinstance(y, Variable):
        return at.arctan2(y, x)
    if isinstance(x, mpmath.mpc) or isinstance(y, mpmath.mpc):
        raise ValueError("a point has real coordinates")
    return mpmath.atan2(y, x)


def cbrt(x: Any) -> Any:
    """The cube root of what is positive."""
    third: Any = 1 / 3 if isinstance(x, Variable) else mpmath.mpf(1 / 3)
    return x**third


def half_pi(like: Any) -> Any:
    """A right angle."""
    return math.pi / 2 if isinstance(like, Variable) else mpmath.pi / 2


def written_in(path: Path) -> tuple[Formula, ...]:
    """The formulas of a file: on each line a name, inputs, an expression, and where it is asked."""
    found = []
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        name, inputs, *parts = (part.strip() for part in line.split(" | "))
        functions = (eval(f"lambda {inputs}: {part}", globals()) for part in parts)
        found.append(Formula(name, tuple(inputs.split(", ")), *functions))
    return tuple(found)
