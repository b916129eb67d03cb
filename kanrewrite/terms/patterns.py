"""Patterns: ``T``, its operators, and the terms they make."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from functools import cache, lru_cache, partial, singledispatch
from itertools import count
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import aesara.tensor as at
import aesara.tensor.math as math
import numpy as np
from aesara.graph.op import Op
from aesara.scalar.basic import ScalarOp
from aesara.tensor.basic import _as_tensor_variable
from aesara.tensor.elemwise import Elemwise
from unification import Var

from kanrewrite.errors import NotAnOp, NoTruth, PatternInGraph, UnknownOperator
from kanrewrite.terms.indices import hashable
from kanrewrite.terms.signatures import ALIASES, ANY, ARITY, PLAIN, REQUIRED, SIGNATURES

_fresh = count()


class Expression:
    """What can be computed with when writing a pattern: operators of Python build terms."""

    __slots__ = ()
    #: A number of NumPy on the left leaves the arithmetic to the expression.
    __array_ufunc__: ClassVar[None] = None

    def __add__(self, other: Any) -> Term:
        return T.add(self, other)

    def __radd__(self, other: Any) -> Term:
        return T.add(other, self)

    def __sub__(self, other: Any) -> Term:
        return T.sub(self, other)

    def __rsub__(self, other: Any) -> Term:
        return T.sub(other, self)

    def __mul__(self, other: Any) -> Term:
        return T.mul(self, other)

    def __rmul__(self, other: Any) -> Term:
        return T.mul(other, self)

    def __truediv__(self, other: Any) -> Term:
        return T.true_div(self, other)

    def __rtruediv__(self, other: Any) -> Term:
        return T.true_div(other, self)

    def __pow__(self, other: Any) -> Term:
        return T.pow(self, other)

    def __rpow__(self, other: Any) -> Term:
        return T.pow(other, self)

    def __floordiv__(self, other: Any) -> Term:
        return T.int_div(self, other)

    def __rfloordiv__(self, other: Any) -> Term:
        return T.int_div(other, self)

    def __mod__(self, other: Any) -> Term:
        return T.mod(self, other)

    def __rmod__(self, other: Any) -> Term:
        return T.mod(other, self)

    def __matmul__(self, other: Any) -> Term:
        return T.dot(self, other)

    def __and__(self, other: Any) -> Term:
        return T.and_(self, other)

    def __rand__(self, other: Any) -> Term:
        return T.and_(other, self)

    def __or__(self, other: Any) -> Term:
        return T.or_(self, other)

    def __ror__(self, other: Any) -> Term:
        return T.or_(other, self)

    def __xor__(self, other: Any) -> Term:
        return T.xor(self, other)

    def __rxor__(self, other: Any) -> Term:
        return T.xor(other, self)

    def __invert__(self) -> Term:
        return T.invert(self)

    def __lt__(self, other: Any) -> Term:
        return T.lt(self, other)

    def __le__(self, other: Any) -> Term:
        return T.le(self, other)

    def __gt__(self, other: Any) -> Term:
        return T.gt(self, other)

    def __ge__(self, other: Any) -> Term:
        return T.ge(self, other)

    def __neg__(self) -> Term:
        return T.neg(self)

    def __abs__(self) -> Term:
        return T.abs(self)


_COMPARISONS = frozenset({"lt", "le", "gt", "ge"})
#: Whether somebody's equations are being stated: Python may decide by a pattern only elsewhere.
_stating: ContextVar[bool] = ContextVar("stating", default=False)


@contextmanager
def _asking(asked: bool) -> Iterator[None]:
    token = _stating.set(asked)
    try:
        yield
    finally:
        _stating.reset(token)


def stating() -> AbstractContextManager[None]:
    """Have comparisons of patterns refuse to be true or false for a while.

    ``T.exp(x) if x > 0 else x`` would be one of the two, whatever x stands for.
    """
    return _asking(True)


class Term(Expression, tuple[Any, ...]):
    """An operator and its operands, with the arithmetic of expressions.

    Examples
    --------
    >>> T.exp(Param("x")) / 2
    exp(x) / 2
    """

    __slots__ = ()

    # A tuple's own `+` and `*` concatenate, and it compares; a term's operators build terms.
    __lt__ = Expression.__lt__  # type: ignore[assignment]
    __le__ = Expression.__le__  # type: ignore[assignment]
    __gt__ = Expression.__gt__  # type: ignore[assignment]
    __ge__ = Expression.__ge__  # type: ignore[assignment]
    __add__ = Expression.__add__
    __mul__ = Expression.__mul__
    __rmul__ = Expression.__rmul__

    def __bool__(self) -> bool:
        asked = _stating.get() and len(self) and isinstance(self[0], Operator)
        if asked and self[0].name in _COMPARISONS:
            with _asking(False):
                raise NoTruth(self)
        return len(self) > 0

    def __repr__(self) -> str:
        return show(self)


class Param(Expression, Var):  # type: ignore[misc]  # Var has no types
    """A parameter of a relation: a logic variable with the arithmetic of expressions."""

    __slots__ = ()
    #: Variables of one token are one object.  A table of our own, because in that of `Var` the
    #: token may belong to a plain `Var`, as those of Aesara's pattern rewrites do.
    _refs: ClassVar[WeakValueDictionary[Any, Param]] = WeakValueDictionary()

    def __bool__(self) -> bool:
        if _stating.get():
            raise NoTruth(self)
        return True

    def __repr__(self) -> str:
        return str(self.token).rsplit(":", 1)[-1]

    __str__ = __repr__


class Size(Param):
    """A parameter for a number of elements, which is never negative."""

    __slots__ = ()


@_as_tensor_variable.register(Term)
@_as_tensor_variable.register(Param)
def _(value: Any, *_: Any, **__: Any) -> Any:
    raise PatternInGraph(value)


class Operator:
    """A named operator; calling it writes a term.

    Two operators of one name are one object, so they compare by identity.  An Aesara `Op` that
    has no name in ``T`` is wrapped and named by its text.
    """

    __slots__ = ("__weakref__", "kind", "name", "op", "parameters")

    def __init__(self, name: str, op: Hashable = None, kind: type[Op] | None = None):
        self.name = name
        self.op = op
        #: A class of Ops, whose parameters are those of the operator.
        self.kind = kind
        self.parameters = SIGNATURES.get(name, {}) if kind is None else _parameters_of(kind)

    def __call__(self, *operands: Any, **parameters: Any) -> Term:
        """The term of this operator: operands first, then parameters by place or by name."""
        operands = tuple(x.item() if isinstance(x, np.number) else x for x in operands)
        if not self.parameters:
            if parameters:
                raise TypeError(f"T.{self.name} takes no parameter {', '.join(parameters)}")
            return Term((self, *operands))
        arity = ARITY.get(self.name, 1) if self.kind is None else None
        arity = len(operands) if arity is None else arity
        tensors, rest = operands[:arity], operands[arity:]
        values = dict(zip(self.parameters, rest, strict=False)) | parameters
        unknown = set(values) - set(self.parameters)
        if unknown:
            raise TypeError(f"T.{self.name} takes no parameter {', '.join(sorted(unknown))}")
        filled = [
            values.get(name, _anything(name) if default is ANY else default)
            for name, default in self.parameters.items()
        ]
        if "index" in self.parameters:
            filled = [hashable(value) for value in filled]
        if any(value is REQUIRED for value in filled):
            raise TypeError(f"T.{self.name} needs {', '.join(self.parameters)}")
        return Term((self, *tensors, *filled))

    def __repr__(self) -> str:
        return f"T.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.kind is not None:
            return (own_operator, (self.kind,))
        return (operator, (self.name,)) if self.op is None else (operator_of, (self.op,))


def _anything(name: str) -> Param:
    """What stands for a parameter that is not given."""
    return Param(f"{next(_fresh)}:{name}")


def _parameters_of(kind: type[Op]) -> dict[str, Any]:
    """The parameters of a class of Ops, and which of its outputs is meant."""
    props = dict.fromkeys(getattr(kind, "__props__", ()), ANY)
    return {**props, "output": getattr(kind, "default_output", None) or 0}


#: The operators of classes of Ops that somebody has written a pattern of.
OWN: dict[type[Op], Operator] = {}
#: The Op of a class that had these parameters: a class need not be made from its own.
MADE: dict[tuple[type[Op], tuple[Any, ...]], Op] = {}


def own_operator(kind: type[Op]) -> Operator:
    """The one operator of a class of Ops."""
    if kind not in OWN:
        OWN[kind] = Operator(kind.__name__, kind=kind)
    return OWN[kind]


@singledispatch
def pattern_of(op: Any) -> Callable[..., Term]:
    """What writes the pattern of an Op: called with what stands for its inputs.

    Other Ops that ``T`` has a name for are registered here.
    """
    if isinstance(op, type) and issubclass(op, Op):
        own = own_operator(op)
        left_open = {name: _anything(name) for name, x in own.parameters.items() if x is ANY}
        return partial(own, **left_open)
    if not isinstance(op, Op):
        raise NotAnOp(op)
    if isinstance(op, Elemwise) or not hasattr(op, "__props__"):
        return operator_of(op)
    settings = {name: getattr(op, name) for name in op.__props__}
    MADE.setdefault((type(op), tuple(settings.values())), op)
    whole = partial(own_operator(type(op)), **settings)

    def write(*operands: Any, output: int | None = None) -> Term:
        """The term of the Op itself; of its class, where another output than the first is meant."""
        number = own_operator(type(op)).parameters["output"] if output is None else output
        return whole(*operands, output=number) if number else operator_of(op)(*operands)

    return write


@cache
def operator(name: str) -> Operator:
    """The one operator of a name."""
    return Operator(name)


@cache
def _names_of_scalar_ops() -> dict[ScalarOp, str]:
    names: dict[ScalarOp, str] = {}
    for name, value in {**vars(at), **vars(math)}.items():
        if isinstance(value, Elemwise):
            names.setdefault(value.scalar_op, ALIASES.get(name, name))
    return names


@lru_cache(maxsize=4096)
def operator_of(op: Hashable) -> Operator:
    """The operator of an Aesara Op without parameters, whatever its inplace flavour."""
    if isinstance(op, Elemwise):
        name = _names_of_scalar_ops().get(op.scalar_op)
        if name is not None:
            return operator(name)
        return Operator(str(op.scalar_op), Elemwise(op.scalar_op))
    return Operator(str(op), op)


class Patterns:
    """The namespace ``T``: ``T.name`` is the operator of `aesara.tensor` of that name.

    Examples
    --------
    >>> T.log(T.sum(T.exp(Param("x")), axis=1))
    log(sum(exp(x), axis=1))
    """

    def __getattr__(self, name: str) -> Operator:
        if name.startswith("__"):
            raise AttributeError(name)
        canonical = ALIASES.get(name, name)
        if canonical in SIGNATURES or canonical in _elementwise() or canonical in PLAIN:
            # An attribute from now on: this is asked for at each step of reading a graph.
            found = vars(self)[name] = operator(canonical)
            return found
        near = get_close_matches(name, dir(self), n=3)
        raise UnknownOperator(name, near)

    @staticmethod
    def of(op: Any, **settings: Any) -> Callable[..., Term]:
        """What writes the pattern of any Op, or of a class of Ops.

        Parameters
        ----------
        op : Op or type
            An Op is matched with its parameters (its ``__props__``); of a class, those parameters
            that are named, and any others, which are the same wherever what is returned is used.

        Returns
        -------
        callable
            Takes what stands for the inputs of a node, all of them, and by name the parameters of
            a class and the number of an ``output``; the Op's default output unless it is given.

        Raises
        ------
        NotAnOp
            If it is something else, a Python function that builds a graph for one.
        TypeError
            For parameters: those belong to what is returned.

        Examples
        --------
        >>> from aesara.tensor.nlinalg import MatrixInverse
        >>> T.of(MatrixInverse())(Param("a"))
        MatrixInverse(a)
        """
        if settings:
            named = ", ".join(f"{name}={value!r}" for name, value in settings.items())
            raise TypeError(f"T.of takes the Op alone. Write T.of(op)(..., {named})")
        return pattern_of(op)

    def __dir__(self) -> list[str]:
        return sorted({*SIGNATURES, *_elementwise(), *ALIASES, *PLAIN})


@cache
def _elementwise() -> frozenset[str]:
    return frozenset(_names_of_scalar_ops().values()) | {"abs"}


T = Patterns()


#: Elementwise operators that exist in patterns only.
_IN_PATTERNS = frozenset({"mask", "ones_like", "finite", "defined"})


class _Elementwise:
    """Which operators act elementwise, whatever Aesara calls them."""

    def __contains__(self, op: object) -> bool:
        return isinstance(op, Operator) and (
            isinstance(op.op, Elemwise)
            or (op.op is None and (op.name in _elementwise() or op.name in _IN_PATTERNS))
        )


ELEMENTWISE = _Elementwise()

#: Operators that Python has a sign for, and how strongly each binds.
_INFIX = {
    "add": (" + ", 1),
    "sub": (" - ", 1),
    "mul": (" * ", 2),
    "true_div": (" / ", 2),
    "pow": ("**", 4),
}


def show(term: Any, strength: int = 0) -> str:
    """A pattern as Python text, the way it is written with ``T``."""
    if not isinstance(term, tuple) or not term or not isinstance(term[0], Operator):
        return str(term)
    head, *operands = term
    if head.name in _INFIX and len(operands) >= 2:
        sign, own = _INFIX[head.name]
        parts = [show(operands[0], own), *(show(x, own + 1) for x in operands[1:])]
        text = sign.join(parts)
        return f"({text})" if own < strength else text
    if head.name == "neg":
        text = f"-{show(operands[0], 3)}"
        return f"({text})" if strength > 2 else text
    tensors = len(operands) - len(head.parameters)
    texts = [show(x) for x in operands[:tensors]]
    for (name, default), value in zip(head.parameters.items(), operands[tensors:], strict=False):
        if value is not default:
            texts.append(f"{name}={show(value)}")
    return f"{head.name}({', '.join(texts)})"
