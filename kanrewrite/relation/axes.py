"""Axes that a pattern names by number: they are those axes, however a graph spells them.

A graph's axes are ascending numbers from 0 on, and what a pattern's ``-1`` is depends on what it
matches.  So a pattern's number becomes a variable, which a match must bind to that axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unification import Var, isvar

from kanrewrite.guards import Axes, Condition, Guard, ndim_of, normal_axes
from kanrewrite.terms import Param, Term

#: An axis as a pattern has it, by the variable that stands for it.
Named = dict[Var, tuple[Axes, Any]]


def freed(pattern: Any, prefix: str = "") -> tuple[Any, Named]:
    """A pattern with variables for the axes that it names, and what each must be.

    Parameters
    ----------
    pattern : term
        What is matched.
    prefix : str
        Before the names of the variables, which are one variable where they have one name.

    Returns
    -------
    tuple of term and dict
        The dict has, for each variable, the axis as it was written and the operand that it is of.

    Examples
    --------
    >>> from kanrewrite.terms import T
    >>> freed(T.sum(Param("freed:x"), axis=-1))[0]
    sum(x, axis=axis=-1)
    """
    named: Named = {}
    return _freed(pattern, named, prefix), named


def _freed(term: Any, named: Named, prefix: str) -> Any:
    if not isinstance(term, Term):
        return term
    head, *parts = term
    tensors = len(parts) - len(head.parameters)
    operands = [_freed(part, named, prefix) for part in parts[:tensors]]
    settings = []
    for name, value in zip(head.parameters, parts[tensors:], strict=True):
        if name == "axis" and head.kind is None and not isvar(value) and head.name != "join":
            # Two sums over one axis of one operand are one term; of others they are not.
            variable = Param(f"{prefix}{len(named)}:axis={value}")
            same = (v for v, known in named.items() if known == (value, operands[0]))
            variable = next(same, variable)
            named[variable] = (value, operands[0])
            settings.append(variable)
        else:
            settings.append(value)
    return Term((head, *operands, *settings))


def are_as_named(named: Named, bindings: Mapping[Any, Any], ndims: Iterator[int | None]) -> bool:
    """Whether the axes that a match has found are those that a pattern names."""
    return all(
        n is not None and is_axis(value, bindings[variable], n)
        for (variable, (value, _)), n in zip(named.items(), ndims, strict=True)
    )


def asked(named: Named) -> Iterator[Condition]:
    """What is asked of a match: that the axes found are those that a pattern names."""
    for variable, (value, operand) in named.items():
        yield Condition(_is_named, (variable, value, operand))


def is_axis(named: Axes, found: Any, ndim: int) -> bool:
    """Whether axes in any spelling are these of a tensor with so many dimensions.

    Examples
    --------
    >>> is_axis(-1, (1,), 2), is_axis(1, (1,), 1), is_axis(None, (0, 1), 2), is_axis((1, 0), 0, 2)
    (True, False, True, False)
    """
    axes = named if isinstance(named, tuple) else () if named is None else (named,)
    if any(not -ndim <= axis < ndim for axis in axes):
        return False
    return normal_axes(named, ndim) == normal_axes(found, ndim)


def _is_axis_of(found: Any, named: Axes, operand: Any) -> bool:
    ndim = ndim_of(operand)
    return ndim is not None and is_axis(named, found, ndim)


_is_named = Guard("is_axis", _is_axis_of)
