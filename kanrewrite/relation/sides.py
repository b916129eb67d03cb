"""What may be a side of an equation: terms of `T`, parameters, numbers and constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.compile.sharedvalue import SharedVariable
from aesara.graph.basic import Constant, Variable, graph_inputs
from aesara.tensor.elemwise import Elemwise
from aesara.tensor.var import TensorConstant

from kanrewrite import errors
from kanrewrite.ac import Eq
from kanrewrite.errors import RelationError
from kanrewrite.terms import ELEMENTWISE, Operator, Term, is_variable, parts_of, show
from kanrewrite.unify.building import elementwise_op


def check(equation: Eq, fail: Callable[[str], RelationError]) -> None:
    """Refuse an equation whose sides could not be matched or built.

    Raises
    ------
    RelationError
        For a side that is no term, an operator over too many operands, axes that are no integers,
        and an error that is no number.
    """
    if not isinstance(equation.error, int | float) or not equation.error >= 0:
        raise fail(errors.not_an_error(equation.error))
    for side in (equation.lhs, equation.rhs):
        if not _is_side(side):
            raise fail(errors.not_a_side(side))
        for part in filter(_is_term, parts_of(side)):
            for problem in _problems(part):
                raise fail(problem)
        for part in parts_of(side):
            if isinstance(part, Variable) and not _is_side(part):
                raise fail(errors.not_a_side(part))


def plain(side: Any) -> Any:
    """A side whose arrays are constants, which can be compared, and those of one number a number.

    Examples
    --------
    >>> from kanrewrite.terms import Param, T
    >>> plain(T.exp(np.array(2.0) * Param("plain:x")))
    exp(2 * x)
    """
    if isinstance(side, Term):
        parts = tuple(map(plain, side))
        same = all(new is old for new, old in zip(parts, side, strict=True))
        return side if same else Term(parts)  # what is written once stays one object
    value = side.data if isinstance(side, TensorConstant) else side
    if not isinstance(value, np.ndarray):
        return side
    return at.constant(value) if value.ndim else value.item()


def _is_side(side: Any) -> bool:
    if isinstance(side, Variable):  # a graph of its own would bring its inputs along
        return all(isinstance(x, Constant | SharedVariable) for x in graph_inputs([side]))
    return (
        _is_term(side)
        or is_variable(side)
        or isinstance(side, int | float | np.generic | np.ndarray)
    )


def _is_term(part: Any) -> bool:
    return isinstance(part, Term) and isinstance(part[0], Operator)


def _problems(term: Term) -> Iterator[str]:
    """What is wrong with an operator's operands and parameters."""
    head, *parts = term
    if head in ELEMENTWISE and not head.parameters:
        op: Elemwise | None = elementwise_op(head.name)
        wanted = getattr(getattr(op, "scalar_op", None), "nin", -1)
        if wanted >= 0 and wanted != len(parts):
            yield errors.wrong_number_of_operands(show(term), wanted, len(parts))
    for name, value in zip(
        head.parameters, parts[len(parts) - len(head.parameters) :], strict=True
    ):
        if name == "axis" and not _is_axes(value):
            yield errors.not_axes(show(term), value)


def _is_axes(value: Any) -> bool:
    several = value if isinstance(value, tuple | list) else (value,)
    return value is None or all(isinstance(x, Integral) or is_variable(x) for x in several)
