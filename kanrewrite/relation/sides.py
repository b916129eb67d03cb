"""What may be a side of an equation: terms of `T`, parameters, numbers and constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from numbers import Integral
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.compile.sharedvalue import SharedVariable
from aesara.graph.basic import Constant, Variable, graph_inputs
from aesara.tensor.var import TensorConstant

from kanrewrite import errors
from kanrewrite.ac import Eq
from kanrewrite.errors import RelationError
from kanrewrite.guards import Condition, is_bool, is_float, is_int
from kanrewrite.terms import ELEMENTWISE, Operator, T, Term, is_variable, parts_of, show
from kanrewrite.unify.building import elementwise_op

Fail = Callable[[str], RelationError]
#: Guards of tensors, which no axes are.
_TENSORS = (is_float, is_int, is_bool)
#: Operators of two tensors that are not elementwise.
_OF_TWO = (T.dot, T.batched_dot, T.logaddexp)


def check(equation: Eq, fail: Fail) -> None:
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


def check_axes(equation: Eq, conditions: Iterable[Condition], fail: Fail) -> None:
    """Refuse a parameter that is annotated as a tensor where axes stand.

    Raises
    ------
    RelationError
        If there is one.
    """
    tensors = {x for c in conditions if c.guard in _TENSORS for x in c.variables}
    for side in (equation.lhs, equation.rhs):
        for part in filter(_is_term, parts_of(side)):
            head = part[0]
            settings = part[len(part) - len(head.parameters) :]
            for name, value in zip(head.parameters, settings, strict=True):
                if name == "axis" and is_variable(value) and value in tensors:
                    raise fail(errors.tensor_as_axes(str(value), show(part)))


def plain(side: Any) -> Any:
    """A side whose arrays are constants, which can be compared, and those of one number a number.

    Examples
    --------
    >>> from kanrewrite.terms import Param, T
    >>> plain(T.exp(np.array(2.0) * Param("plain:x")))
    exp(2.0 * x)
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
        op: Any = head.op or elementwise_op(head.name)
        wanted = getattr(getattr(op, "scalar_op", None), "nin", -1)
        if wanted >= 0 and wanted != len(parts):
            yield errors.wrong_number_of_operands(show(term), wanted, len(parts))
    if head in _OF_TWO and len(parts) != 2:
        yield errors.wrong_number_of_operands(show(term), 2, len(parts))
    for name, value in zip(
        head.parameters, parts[len(parts) - len(head.parameters) :], strict=True
    ):
        if name == "axis" and not _is_axes(value):
            yield errors.not_axes(show(term), value)


def _is_axes(value: Any) -> bool:
    several = value if isinstance(value, tuple | list) else (value,)
    return value is None or all(isinstance(x, Integral) or is_variable(x) for x in several)
