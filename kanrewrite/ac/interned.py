"""What terms are made of: symbols, and one object for all terms equal modulo a theory."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from weakref import ref

from kanrewrite.ac.syntax import Maker

if TYPE_CHECKING:
    from kanrewrite.ac.terms import Store

NO_HEADS: Mapping[Symbol, tuple[Interned, ...]] = MappingProxyType({})
NO_VARIABLES: frozenset[Interned] = frozenset()
#: Stands for what has not been asked about a term yet.
UNKNOWN: Any = object()
_serials = count()
_symbols = count()
_BITS = 120


class Symbol:
    """An operator as one store knows it; compared by identity.

    A free operator has one symbol for each number of operands.
    """

    __slots__ = (
        "__weakref__", "associative", "bit", "commutative", "group", "idempotent", "inverse",
        "maker", "op", "unit",
    )  # fmt: skip

    def __init__(
        self,
        op: Any,
        associative: bool = False,
        commutative: bool = False,
        idempotent: bool = False,
    ):
        self.op = op
        #: What makes values that are no tuples.
        self.maker = op if isinstance(op, Maker) else None
        self.associative = associative
        self.commutative = commutative
        self.idempotent = idempotent
        self.unit: Interned | None = None
        #: Of a group's operator the symbol of its inverse; of that one, the group's operator.
        self.inverse: Symbol | None = None
        self.group: Symbol | None = None
        # A few bits shared by all symbols, as in a Bloom filter: one test of an int tells most
        # terms that lack a symbol; the others are told apart by the matcher.
        self.bit = 1 << next(_symbols) % _BITS if op is not None else 0

    @property
    def collapses(self) -> bool:
        """Whether an application may equal one of its operands, whatever head that has."""
        return self.unit is not None or self.idempotent

    def __repr__(self) -> str:
        return f"<{self.op!r}>"


class Interned:
    """A term in canonical form; equal terms of one theory are one object.

    Attributes
    ----------
    symbol
        The head; `LEAF` or `VARIABLE` where there are no operands.
    args
        The operands: with repetition and in canonical order where the operator commutes.
    heads
        Of an associative-commutative term, its distinct operands by their symbol.
    plain
        The term as nested tuples and leaves.
    below
        The bits of the symbols that occur in the term.
    variables
        The logic variables that occur in it.
    possible, needed
        The heads that an instance can have, and the bits it must have; see `kanrewrite.ac.shape`.
    tables
        What matchers looked up in the operands, kept for the next ones.
    """

    __slots__ = (
        "__weakref__", "args", "below", "heads", "needed", "plain", "possible", "serial", "store",
        "symbol", "tables", "variables",
    )  # fmt: skip

    args: tuple[Interned, ...]
    below: int
    variables: frozenset[Interned]

    def __init__(self, store: Store, symbol: Symbol, args: tuple[Interned, ...], plain: Any):
        self.store = store
        self.symbol = symbol
        self.args = args
        self.plain = plain
        self.serial = next(_serials)
        self.heads = NO_HEADS
        self.tables: dict[Any, Any] | None = None
        self.possible = self.needed = UNKNOWN
        below, found = symbol.bit, NO_VARIABLES
        several: list[frozenset[Interned]] = []
        for arg in args:
            below |= arg.below
            theirs = arg.variables
            if theirs and theirs is not found:
                if found:
                    several.append(theirs)
                else:
                    found = theirs
        # Joined at once: one by one would be quadratic in the width.
        self.variables = found.union(*several) if several else found
        self.below = below

    def __repr__(self) -> str:
        return f"term({text(self.plain)})"


def text(plain: Any) -> str:
    """The text of a term, however deep, cut where it gets long."""
    parts: list[str] = []
    stack: list[Any] = [plain]
    length = 0
    while stack and length < _LONGEST:
        one = stack.pop()
        if type(one) is tuple and one:
            stack.append(_CLOSE)
            rest = [x for arg in reversed(one[1:_LONGEST]) for x in (arg, _COMMA)]
            stack.extend([*rest, one[0]])
            parts.append("(")
        else:
            parts.append(str(one) if isinstance(one, _Mark) else repr(one))
        length += len(parts[-1])
    return "".join(parts) + ("..." if stack else "")


class _Mark(str):
    """What stands between operands."""

    __slots__ = ()


_COMMA, _CLOSE = _Mark(", "), _Mark(")")
#: How long a text gets.
_LONGEST = 2_000

LEAF = Symbol(None)
VARIABLE = Symbol(None)
#: Applies a term to terms: heads that are logic variables or terms themselves.
APPLY = Symbol("apply")


class _Entry(ref):  # type: ignore[type-arg]
    """A weak reference that knows its key, so that a dead object frees its entry."""

    __slots__ = ("key",)

    key: Hashable


class Table(dict[Hashable, _Entry]):
    """Objects by key, kept no longer than someone else keeps them."""

    __repr__ = object.__repr__

    def keep(self, key: Hashable, value: Any) -> Any:
        """Add an object that is not in the table, and return it.

        Parameters
        ----------
        key
            Its key.
        value
            The object.
        """
        entry = _Entry(value, self._free)
        entry.key = key
        self[key] = entry
        return value

    def _free(self, entry: _Entry) -> None:
        if self.get(entry.key) is entry:
            del self[entry.key]
