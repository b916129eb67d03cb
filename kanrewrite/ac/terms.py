"""Interned terms: one object for all terms that are equal modulo a theory.

Every term is kept in a canonical form (Eker 2003, section 3: operands of an associative operator
flattened, those of a commutative one sorted, of an idempotent one kept once, units dropped,
inverses cancelled) and hash-consed,
so that equality modulo the theory is an identity test and each term carries what a matcher asks
first: its operands by head symbol, its size, and the symbols that occur in it.

References
----------
S. Eker, "Associative-commutative rewriting on large terms", RTA 2003.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from cons import cons
from unification import Var

from kanrewrite.ac.bags import cancelled, flat
from kanrewrite.ac.interned import APPLY, LEAF, VARIABLE, Interned, Symbol, Table
from kanrewrite.ac.syntax import PAIR, decompose, identity, is_leaf_type, is_variable
from kanrewrite.border import checked
from kanrewrite.theory import NO_UNIT, Theory

_by_serial = attrgetter("serial")
#: Types whose values are leaves with Python's own equality: no need to ask `identity`.
_SIMPLE = frozenset({str, int, bool, type(None), Var})

Memo = dict[int, tuple[Any, Interned]]


class Store:
    """All interned terms of one theory.

    Parameters
    ----------
    theory
        What the operators obey.
    """

    def __init__(self, theory: Theory):
        self.theory = theory
        self._terms = Table()
        self._symbols = Table()
        self._declared: dict[Hashable, Symbol] = {}
        self._inverses: dict[Hashable, Symbol] = {}
        self._divisions: dict[Hashable, Symbol] = {}
        for op, known in theory.items():
            symbol = self._declared[op] = Symbol(
                op, known.associative, known.commutative, known.idempotent
            )
            if known.inverse is not None:
                symbol.inverse = self._inverses[known.inverse] = Symbol(known.inverse)
                symbol.inverse.group = symbol
            if known.division is not None:
                self._divisions[known.division] = symbol
        for op, known in theory.items():
            if known.unit is not NO_UNIT:
                self._declared[op].unit = self.intern(known.unit)

    @property
    def has_groups(self) -> bool:
        """Whether an operator has an inverse."""
        return bool(self._inverses)

    @property
    def symbols(self) -> Iterable[Symbol]:
        """The symbols of the declared operators."""
        return self._declared.values()

    def intern(self, subject: Any, memo: Memo | None = None) -> Interned:
        """The canonical form of a term.

        Parameters
        ----------
        subject
            Nested tuples, etuples, a graph variable, a leaf; interned terms may stand in it.
        memo
            What has been interned before, by the id of the object; it is added to.

        Returns
        -------
        Interned
        """
        # Not recursive: graphs are deeper than Python's stack, and share subterms.
        memo = {} if memo is None else memo
        frames: list[tuple[Any, Any, Iterator[Any], list[Interned]]] = []
        frames.append((None, None, iter((subject,)), []))
        while True:
            source, op, rest, done = frames[-1]
            for operand in rest:
                known = self._atom(operand, memo)
                if known is None:
                    parts = decompose(operand)
                    assert parts is not None
                    frames.append((operand, parts[0], iter(parts[1]), []))
                    break
                done.append(known)
            else:
                frames.pop()
                if not frames:
                    return done[0]
                term = self.apply(op, done)
                memo[id(source)] = source, term
                frames[-1][3].append(term)

    def _atom(self, value: Any, memo: Memo) -> Interned | None:
        """A term that needs no descent, or None."""
        kind = type(value)
        if kind in _SIMPLE:
            return self.leaf(value)
        if kind is Interned:
            return value if value.store is self else self.intern(value.plain)
        if is_leaf_type(kind):
            return self.leaf(value)
        known = memo.get(id(value))
        if known is not None:
            return known[1]
        return None if decompose(value) is not None else self.leaf(value)

    def leaf(self, value: Any) -> Interned:
        """The term of a leaf or logic variable."""
        kind = type(value)
        key = (kind, value if kind in _SIMPLE else identity(value))
        known = self._terms.get(key)
        if known is not None and (term := known()) is not None:
            return term  # type: ignore[no-any-return]
        term = Interned(self, VARIABLE if is_variable(value) else LEAF, (), value)
        if term.symbol is VARIABLE:
            term.variables = frozenset((term,))
        self._terms.keep(key, term)
        return term

    def apply(self, op: Any, args: Sequence[Interned]) -> Interned:
        """The canonical form of an operator's application to terms.

        Parameters
        ----------
        op
            An operator of the theory or a free one; a logic variable or a term applies as such.
        args
            Interned operands.

        Returns
        -------
        Interned
        """
        try:
            symbol = self._declared.get(op)
        except TypeError:  # unhashable: a term with an unhashable leaf, or an etuple
            return self._build(APPLY, (self.intern(op), *args))
        if symbol is not None:
            return self.make(symbol, args)
        if len(args) == 1 and op in self._inverses:
            return self.invert(self._inverses[op].group, args[0])
        if len(args) == 2 and op in self._divisions:
            group = self._divisions[op]
            return self.make(group, (args[0], self.invert(group, args[1])))
        return self.make(self.symbol(op, len(args)), args, op)

    def symbol(self, op: Hashable, arity: int) -> Symbol:
        """The symbol of an operator with that many operands.

        Parameters
        ----------
        op
            The operator.
        arity
            How many operands; it matters for free operators only.

        Returns
        -------
        Symbol
        """
        declared = self._declared.get(op)
        if declared is not None:
            return declared
        if arity == 1 and op in self._inverses:
            return self._inverses[op]
        key = (op, arity)
        known = self._symbols.get(key)
        if known is not None and (symbol := known()) is not None:
            return symbol  # type: ignore[no-any-return]
        if is_variable(op) or (type(op) is not str and decompose(op) is not None):
            return APPLY
        return self._symbols.keep(key, Symbol(op))  # type: ignore[no-any-return]

    def make(self, symbol: Symbol, args: Sequence[Interned], op: Any = None) -> Interned:
        """The canonical form of a symbol's application to canonical terms.

        Parameters
        ----------
        symbol
            The head.
        args
            The operands, as many as there are.
        op
            Where the symbol is `APPLY`, what is applied.

        Returns
        -------
        Interned
        """
        if symbol.op is PAIR and (whole := self._sequence(*args)) is not None:
            return whole
        if symbol.associative:
            args = flat(symbol, args)
        if symbol.unit is not None:
            args = [arg for arg in args if arg is not symbol.unit]
        if symbol.inverse is not None:
            args = cancelled(symbol.inverse, args)
        if symbol.idempotent:
            args = list(dict.fromkeys(args))
        if symbol.commutative:
            args = sorted(args, key=_by_serial)
        if symbol is APPLY and op is not None:
            args = (self.intern(op), *args)
        return self.build(symbol, tuple(args))

    def build(self, symbol: Symbol, args: tuple[Interned, ...]) -> Interned:
        """A symbol's application to operands that are flat, sorted and free of units already.

        Parameters
        ----------
        symbol
            The head.
        args
            Operands as a canonical term has them, or a part of those in the same order.

        Returns
        -------
        Interned
        """
        if len(args) < 2:
            if len(args) == 1 and (symbol.associative or symbol.unit is not None):
                return args[0]
            if not args and symbol.unit is not None:
                return symbol.unit
        return self._build(symbol, args)

    def _build(self, symbol: Symbol, args: tuple[Interned, ...]) -> Interned:
        key = (symbol, args)
        known = self._terms.get(key)
        if known is not None and (term := known()) is not None:
            return term  # type: ignore[no-any-return]
        plain = [arg.plain for arg in args]
        if symbol.maker is not None:
            term = Interned(self, symbol, args, symbol.maker(plain))
        else:
            whole = tuple(plain) if symbol is APPLY else (symbol.op, *plain)
            term = Interned(self, symbol, args, whole)
        if symbol.associative and symbol.commutative:
            heads: dict[Symbol, list[Interned]] = {}
            for arg in dict.fromkeys(args):
                heads.setdefault(arg.symbol, []).append(arg)
            term.heads = {head: tuple(ones) for head, ones in heads.items()}
        self._terms.keep(key, term)
        return term

    def _sequence(self, first: Interned, rest: Interned) -> Interned | None:
        """What a pair is when its rest is known."""
        if rest.symbol is VARIABLE or not isinstance(rest.plain, list | tuple):
            return None
        return self.intern(cons(first.plain, rest.plain))

    def invert(self, group: Symbol | None, term: Interned) -> Interned:
        """The inverse of a term in a group, pushed into its products.

        Parameters
        ----------
        group
            The symbol of a group's operator.
        term
            A canonical term.

        Returns
        -------
        Interned
        """
        assert group is not None
        assert group.inverse is not None
        if term is group.unit:
            return term
        if term.symbol is group.inverse:
            return term.args[0]
        if term.symbol is not group:
            return self._build(group.inverse, (term,))
        # A product's operands are no products: one step down is enough.
        inverted = [
            arg.args[0] if arg.symbol is group.inverse else self._build(group.inverse, (arg,))
            for arg in term.args
        ]
        return self.make(group, inverted)


@cache
def store(theory: Theory) -> Store:
    """The one store of a theory.

    Parameters
    ----------
    theory
        Equal theories share their store.

    Returns
    -------
    Store
    """
    return Store(theory)


@checked
def term(subject: Any, theory: Theory, memo: Memo | None = None) -> Interned:
    """The interned form of a term: equal modulo the theory means identical.

    Parameters
    ----------
    subject
        Nested tuples ``(op, arg, ...)``, etuples, graph variables or leaves, mixed freely; interned
        terms of the same theory may stand in it.
    theory
        What the operators obey.
    memo
        A dict that keeps what was interned, by the id of the object, for further calls: worth it
        for terms of one graph that share subterms, as long as the graph does not change.

    Returns
    -------
    Interned

    Examples
    --------
    >>> theory = Theory("sums").ac("add", unit=0)
    >>> term(("add", "a", ("add", "b", 0)), theory) is term(("add", "b", "a"), theory)
    True
    """
    return store(theory).intern(subject, memo)
