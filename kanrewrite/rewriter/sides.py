"""Sides: how a part of a pattern is the left side of an equation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from kanrewrite.ac import Eq, match
from kanrewrite.terms import Operator, Param, T, Term
from kanrewrite.theory import Theory

SYNTAX = Theory("wording").c(T.mul).c(T.maximum).c(T.minimum)
X, Y, Z, AXIS = (Param(f"wording:{name}") for name in ("x", "y", "z", "axis"))
#: In how many ways an equation is tried at a part, since factors commute.
WAYS = 4
#: What parameters stand for.
Found = Mapping[Any, Any]


def are_tensors(found: Found) -> bool:
    """Tell whether parameters stand for tensors, and not for numbers that are written."""
    return not any(is_number(found.get(x)) for x in (X, Y, Z))


def is_number(value: Any) -> bool:
    """Tell whether something is a number that is written."""
    return isinstance(value, int | float)


def is_term(part: Any) -> bool:
    """Tell whether a part of a pattern is an operator over others."""
    return isinstance(part, Term)


def first_match(
    equation: Eq, part: Term, asked: Callable[[Found], bool] = are_tensors
) -> Iterator[dict[Any, Any]]:
    """How a part is the left side of an equation, parameters standing for what they may."""
    yield from islice(filter(asked, ways(equation.lhs, part)), 1)


def ways(pattern: Any, part: Term) -> Iterator[dict[Any, Any]]:
    """The first ways in which a part is a pattern, parameters standing for terms again."""
    for found in islice(match(pattern, part, SYNTAX), WAYS):
        yield {parameter: _stated(value) for parameter, value in found.items()}


def _stated(value: Any) -> Any:
    """What a parameter stands for as it would be stated; a match has it as a tuple."""
    if isinstance(value, tuple) and value and isinstance(value[0], Operator):
        return Term(map(_stated, value))
    return value
