"""What terms are made of: symbols, and one object for all terms equal modulo a theory."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from weakref import ref

if TYPE_CHECKING:
    from kanrewrite.ac.terms import Store

NO_HEADS: Mapping[Symbol, tuple[Interned, ...]] = MappingProxyType({})
NO_VARIABLES: frozenset[Interned] = frozenset()
_serials = count()
_symbols = count()
_BITS = 120


class Symbol:
    """An operator as one store knows it; compared by identity.

    A free operator has one symbol for each number of operands.
    """

    __slots__ = (
        "__weakref__", "associative", "bit", "commutative", "group", "inverse", "op", "unit",
    )  # fmt: skip

    def __init__(self, op: Any, associative: bool = False, commutative: bool = False):
        self.op = op
        self.associative = associative
        self.commutative = commutative
        self.unit: Interned | None = None
        #: Of a group's operator the symbol of its inverse; of that one, the group's operator.
        self.inverse: Symbol | None = None
        self.group: Symbol | None = None
        # A few bits shared by all symbols, as in a Bloom filter: one test of an int tells most
        # terms that lack a symbol; the others are told apart by the matcher.
        self.bit = 1 << next(_symbols) % _BITS if op is not None else 0

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
    tables
        What matchers looked up in the operands, kept for the next ones.
    """

    __slots__ = (
        "__weakref__", "args", "below", "heads", "plain", "serial", "store", "symbol", "tables",
        "variables",
    )  # fmt: skip

    args: tuple[Interned, ...]

    def __init__(self, store: Store, symbol: Symbol, args: tuple[Interned, ...], plain: Any):
        self.store = store
        self.symbol = symbol
        self.args = args
        self.plain = plain
        self.serial = next(_serials)
        self.heads = NO_HEADS
        self.variables = NO_VARIABLES
        self.tables: dict[Any, Any] | None = None
        self.below = symbol.bit
        for arg in args:
            self.below |= arg.below
            if arg.variables:
                self.variables |= arg.variables

    def __repr__(self) -> str:
        return f"term({self.plain!r})"


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
