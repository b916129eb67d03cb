"""Many patterns at once: a discrimination net over terms modulo a theory.

A term is first told apart by its head, then by the symbols of its operands, then by what occurs
anywhere in it; only the patterns that agree with all three are matched. A pattern whose head may
be anything, modulo units, is a candidate everywhere.

References
----------
L. Bachmair, T. Chen, I. V. Ramakrishnan, "Associative-commutative discrimination nets", 1993.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Generic, TypeVar

from kanrewrite.ac.interned import LEAF, Interned, Symbol
from kanrewrite.ac.matching import Matcher, Rest, Substitution, matcher
from kanrewrite.ac.shape import heads, keeps_apart, required
from kanrewrite.ac.terms import store
from kanrewrite.errors import DuplicateKey, NoSuchKey
from kanrewrite.theory import Theory

Key = TypeVar("Key", bound=Hashable)


@dataclass(eq=False)
class _Entry(Generic[Key]):
    """A pattern of the net.

    Attributes
    ----------
    key, matcher, order
        Its name, its matcher, and when it was added.
    bits
        The symbols that occur in every instance.
    lists
        The lists of the net that hold it.
    """

    key: Key
    matcher: Matcher
    order: int
    bits: int
    lists: list[list[_Entry[Key]]] = field(default_factory=list)


@dataclass
class _Node(Generic[Key]):
    """The patterns of one head: by a symbol that must be among the operands."""

    by_operand: dict[Symbol, list[_Entry[Key]]] = field(default_factory=dict)
    others: list[_Entry[Key]] = field(default_factory=list)


class Index(Generic[Key]):
    """Patterns by key, found by the terms they may match.

    Parameters
    ----------
    theory
        What the operators obey, in patterns and terms.

    Examples
    --------
    >>> from unification import var
    >>> from kanrewrite.ac import term
    >>> theory = Theory("sums").ac("add")
    >>> x, y = var("x"), var("y")
    >>> index = Index(theory)
    >>> index.add("f", ("add", ("f", x), y))
    >>> index.add("g", ("add", ("g", x), y))
    >>> list(index.match(term(("add", "a", ("g", "b")), theory)))
    [('g', {~x: 'b', ~y: 'a'})]
    """

    def __init__(self, theory: Theory):
        self.theory = theory
        self._store = store(theory)
        self._entries: dict[Key, _Entry[Key]] = {}
        self._nodes: dict[Symbol, _Node[Key]] = {}
        self._anywhere: list[_Entry[Key]] = []
        self._added = count()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[Key]:
        return iter(self._entries)

    def add(self, key: Key, pattern: Any) -> None:
        """Add a pattern.

        Parameters
        ----------
        key
            Its name.
        pattern
            A term with logic variables.

        Raises
        ------
        DuplicateKey
            If there is a pattern of that name.
        """
        if key in self._entries:
            raise DuplicateKey(key)
        compiled = matcher(self._store.intern(pattern))
        bits = 0 if compiled.cancels else required(compiled.pattern)
        entry = _Entry(key, compiled, next(self._added), bits)
        self._entries[key] = entry
        entry.lists.extend(self._places(compiled.pattern))
        for entries in entry.lists:
            entries.append(entry)

    def remove(self, key: Key) -> None:
        """Remove a pattern.

        Parameters
        ----------
        key
            Its name.

        Raises
        ------
        NoSuchKey
            If there is none of that name.
        """
        entry = self._entries.pop(key, None)
        if entry is None:
            raise NoSuchKey(key)
        for entries in entry.lists:
            entries.remove(entry)

    def candidates(self, term: Interned) -> Sequence[Key]:
        """The patterns that may match a term, in the order in which they were added.

        Parameters
        ----------
        term
            A term of the theory, from `kanrewrite.ac.term`.

        Returns
        -------
        sequence of keys
            All that match, at the root or inside a larger product, and few others.
        """
        return [entry.key for entry in self._found(term)]

    def match(self, term: Interned) -> Iterator[tuple[Key, Substitution]]:
        """The answers of every pattern, in the order in which they were added.

        Parameters
        ----------
        term
            A term of the theory.

        Yields
        ------
        tuple
            A key and a substitution, the same as each pattern's own matcher gives.
        """
        found = self._found(term)
        return self._matches(found, term) if found else iter(())

    def extend(self, term: Interned) -> Iterator[tuple[Key, Substitution, Rest]]:
        """The same with room around each pattern, see `kanrewrite.ac.Matcher.extend`.

        Parameters
        ----------
        term
            A term of the theory.

        Yields
        ------
        tuple
            A key, a substitution, and what is left around the pattern.
        """
        for entry in self._found(term):
            for substitution, rest in entry.matcher.extend(term):
                yield entry.key, substitution, rest

    @staticmethod
    def _matches(found: list[_Entry[Key]], term: Interned) -> Iterator[tuple[Key, Substitution]]:
        for entry in found:
            for substitution in entry.matcher.match(term):
                yield entry.key, substitution

    def _found(self, term: Interned) -> list[_Entry[Key]]:
        below = term.below
        node = self._nodes.get(term.symbol)
        if node is None:
            return [entry for entry in self._anywhere if not entry.bits & ~below]
        lists = [node.others, self._anywhere]
        by_operand = node.by_operand
        if by_operand:
            symbols = term.heads or dict.fromkeys(arg.symbol for arg in term.args)
            lists.extend(by_operand[symbol] for symbol in symbols if symbol in by_operand)
        found = [entry for entries in lists for entry in entries if not entry.bits & ~below]
        if len(found) > 1:
            found.sort(key=lambda entry: entry.order)
        return found

    def _places(self, pattern: Interned) -> Iterator[list[_Entry[Key]]]:
        """The lists in which a pattern is looked for: one for each head an instance can have."""
        if matcher(pattern).cancels:
            yield self._anywhere
            return
        possible, unit = heads(pattern), pattern.symbol.unit
        # With room around it, a product that can be its unit matches within anything.
        if possible is None or (unit is not None and pattern.variables and unit.symbol in possible):
            yield self._anywhere
            return
        for head in possible:
            node = self._nodes.setdefault(head, _Node())
            symbols = _inside(pattern) if head is pattern.symbol else []
            if symbols:
                # The operand that tells most patterns apart: the one with the fewest so far.
                rarest = min(symbols, key=lambda symbol: len(node.by_operand.get(symbol, ())))
                yield node.by_operand.setdefault(rarest, [])
            else:
                yield node.others


def _inside(pattern: Interned) -> list[Symbol]:
    """The symbols that an operand has as head in every instance with the pattern's own head."""
    found: list[Symbol] = []
    for arg in pattern.args:
        if not arg.variables or keeps_apart(arg, pattern.symbol):
            shape = heads(arg)
            # Leaves tell little: most terms have some.
            if shape is not None and len(shape) == 1 and LEAF not in shape:
                found.extend(shape)
    return found
