"""How a value reads as a term: an operator with operands, a logic variable, or a leaf."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache, singledispatch
from typing import Any

from aesara.graph.basic import Constant, Variable
from etuples.core import ExpressionTuple
from unification import isvar


@singledispatch
def decompose(value: Any) -> tuple[Any, Iterable[Any]] | None:  # noqa: ARG001  # registered types use it
    """The operator and the operands of an application, None for a leaf.

    Register a type here to let its values be terms.

    Parameters
    ----------
    value
        Any Python value.

    Examples
    --------
    >>> decompose(("add", 1, 2))
    ('add', (1, 2))
    >>> decompose("add") is None
    True
    """
    return None


@decompose.register
def _(value: tuple) -> tuple[Any, Iterable[Any]] | None:  # type: ignore[type-arg]
    return (value[0], value[1:]) if value else None


@decompose.register(ExpressionTuple)
def _(value: Any) -> tuple[Any, Iterable[Any]] | None:
    return (value[0], tuple(value)[1:]) if len(value) else None


@decompose.register(Variable)
def _(value: Any) -> tuple[Any, Iterable[Any]] | None:
    node = value.owner
    # (op, inputs) does not say which of several outputs is meant: such a variable is a leaf.
    if node is None or len(node.outputs) != 1:
        return None
    return node.op, node.inputs


@singledispatch
def identity(leaf: Any) -> Hashable:
    """What two equal leaves share: Python's equality within one type, with 0.0 and -0.0 apart.

    Unhashable leaves and graph variables are equal to themselves only; Aesara constants are equal
    by their signature (type and data).

    Examples
    --------
    >>> identity(0.0) == identity(-0.0), identity("a") == identity("a")
    (False, True)
    """
    try:
        hash(leaf)
    except TypeError:
        return id(leaf)
    return leaf  # type: ignore[no-any-return]


@identity.register
def _(leaf: float) -> Hashable:
    return float.hex(leaf)


@identity.register(Variable)
def _(leaf: Any) -> Hashable:
    return id(leaf)


@identity.register(Constant)
def _(leaf: Any) -> Hashable:
    signature: Hashable = leaf.signature()
    return signature


@cache
def is_leaf_type(kind: Hashable) -> bool:
    """Whether no value of a type is an application."""
    assert isinstance(kind, type)
    return decompose.dispatch(kind) is decompose.dispatch(object)


def is_variable(value: Any) -> bool:
    """Whether a leaf is a logic variable."""
    return bool(isvar(value))
