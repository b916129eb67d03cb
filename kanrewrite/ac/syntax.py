"""How a value reads as a term: an operator with operands, a logic variable, or a leaf."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from aesara.graph.basic import Constant, Variable
from cons import cons
from cons.core import ConsPair
from etuples.core import ExpressionTuple
from unification import isvar
from unification.core import _unify as registered


@dataclass(frozen=True)
class Maker:
    """The operator of values that are no tuples: what makes one of its parts.

    Attributes
    ----------
    kind
        The type.
    names
        The keys of a dict, the attributes of an object.
    """

    kind: type
    names: tuple[Any, ...] = ()

    def __call__(self, parts: list[Any]) -> Any:
        """A value of these parts, in the order of the names.

        Parameters
        ----------
        parts
            Plain terms.
        """
        if self.kind is list:
            return parts
        if self.kind is ConsPair:
            return cons(*parts)
        named = dict(zip(self.names, parts, strict=True))
        if self.kind is dict:
            return named
        made: Any = object.__new__(self.kind)
        for name, value in named.items():
            object.__setattr__(made, name, value)
        return made


#: The operator of pairs whose rest is a variable.
PAIR = Maker(ConsPair)


@singledispatch
def decompose(value: Any) -> tuple[Any, Iterable[Any]] | None:
    """The operator and the operands of an application, None for a leaf.

    Register a type here to let its values be terms. A type that logical-unification knows how to
    unify is a term over its attributes without that; so are lists, dicts and ``cons`` pairs.

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
    if not _is_registered(type(value)):
        return None
    names = tuple(getattr(type(value), "__slots__", ()) or sorted(vars(value)))
    return Maker(type(value), names), [getattr(value, name) for name in names]


@decompose.register
def _(value: list) -> tuple[Any, Iterable[Any]] | None:  # type: ignore[type-arg]
    return Maker(list), value


@decompose.register
def _(value: dict) -> tuple[Any, Iterable[Any]] | None:  # type: ignore[type-arg]
    names = tuple(sorted(value, key=repr))
    return Maker(dict, names), [value[name] for name in names]


@decompose.register(ConsPair)
def _(value: Any) -> tuple[Any, Iterable[Any]] | None:
    return PAIR, (value.car, value.cdr)


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


#: What is known of types, as long as logical-unification is told no more.
_leaf_types: dict[tuple[type, int], bool] = {}


def is_leaf_type(kind: type) -> bool:
    """Whether no value of a type is an application."""
    key = kind, len(registered.funcs)
    known = _leaf_types.get(key)
    if known is None:
        default = decompose.dispatch(kind) is decompose.dispatch(object)
        known = _leaf_types[key] = default and not _is_registered(kind)
    return known


#: Packages whose types have a reading of their own here, or none.
_OWN = frozenset({"aesara", "builtins", "collections", "cons", "etuples", "kanren", "unification"})


def _is_registered(kind: type) -> bool:
    """Whether logical-unification was told how to unify a type."""
    return any(
        (one, one, Mapping) in registered.funcs and one.__module__.partition(".")[0] not in _OWN
        for one in kind.__mro__
    )


def is_variable(value: Any) -> bool:
    """Whether a leaf is a logic variable."""
    return bool(isvar(value))
