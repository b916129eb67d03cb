"""The meaning of scalar Ops on complex numbers: mpmath's own, without scales."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add, mul
from typing import Any

import aesara.scalar.basic as scalar


def _of(name: str) -> Callable[..., Any]:
    return lambda a, *x: getattr(a.context, name)(*x)


def _real(f: Callable[[Any], Any]) -> Callable[..., Any]:
    # a complex Op with a real output: back to the numbers of floats
    return lambda a, x: a.of(f(x))


COMPLEX: dict[type, Callable[..., Any]] = {
    scalar.Add: lambda _, *x: reduce(add, x),
    scalar.Sub: lambda _, x, y: x - y,
    scalar.Mul: lambda _, *x: reduce(mul, x),
    scalar.TrueDivide: lambda _, x, y: x / y,
    scalar.Pow: lambda _, x, y: x**y,
    scalar.Neg: lambda _, x: -x,
    scalar.Reciprocal: lambda _, x: 1 / x,
    scalar.Sqr: lambda _, x: x * x,
    scalar.Identity: lambda _, x: x,
    scalar.Cast: lambda _, x: x,
    scalar.Second: lambda _, __, y: y,
    scalar.Switch: lambda _, c, x, y: x if c else y,
    scalar.EQ: lambda _, x, y: x == y,
    scalar.NEQ: lambda _, x, y: x != y,
    scalar.Conj: lambda _, x: x.conjugate(),
    scalar.Real: _real(lambda x: x.real),
    scalar.Imag: _real(lambda x: x.imag),
    scalar.Abs: _real(abs),
    scalar.Complex: lambda a, x, y: a.context.mpc(x.real, y.real),
    scalar.ComplexFromPolar: lambda a, r, t: r * a.context.expj(t.real),
    scalar.Exp: _of("exp"),
    scalar.Log: _of("log"),
    scalar.Sqrt: _of("sqrt"),
    scalar.Sin: _of("sin"),
    scalar.Cos: _of("cos"),
    scalar.Tan: _of("tan"),
    scalar.Sinh: _of("sinh"),
    scalar.Cosh: _of("cosh"),
    scalar.Tanh: _of("tanh"),
    scalar.Expm1: _of("expm1"),
    scalar.Log1p: lambda a, x: a.context.log(1 + x),
}
