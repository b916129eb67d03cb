"""Equations of groups, apart from those of the other operators: names stand for what is between."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unification import var

from kanrewrite.ac.bags import operands
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.replacing import Held, rebuilt
from kanrewrite.ac.syntax import PAIR
from kanrewrite.ac.terms import Store

#: An equation between products of a group.
Row = tuple[Symbol, Interned, Interned]


class Separation:
    """Equations whose terms have a group's operators at the root, or nowhere.

    Ground terms are left as they are: to all but its root's operator such a term is a constant.

    Parameters
    ----------
    terms
        Where the terms are interned.
    names
        The variables that stand for some terms already.

    Attributes
    ----------
    rows
        The equations of groups, between products of which each operand is a variable or ground.
    names
        With those that were needed.
    """

    def __init__(self, terms: Store, names: Mapping[Interned, Interned]):
        self._terms = terms
        self.names = dict(names)
        self.rows: list[Row] = []

    def __call__(self, s: Interned, t: Interned) -> list[tuple[Interned, Interned]] | None:
        """Equations to solve in the place of one; None if it has no group's operator inside.

        Parameters
        ----------
        s, t
            Its sides.
        """
        if PAIR in (s.symbol.op, t.symbol.op):
            return None
        for one, other in ((s, t), (t, s)):
            if is_known_product(one, other):
                return [(one.args[0], other)]
        if not (holds_products(s) or holds_products(t)):
            return None
        known = len(self.names)
        found = []
        if is_product(s) or is_product(t):
            symbol = s.symbol if is_product(s) else t.symbol
            group = symbol.group or symbol
            self.rows.append((group, self._row_side(group, s), self._row_side(group, t)))
        else:
            found.append((self._bare(s), self._bare(t)))
        found.extend((name, one) for one, name in [*self.names.items()][known:])
        return found

    def _row_side(self, group: Symbol, side: Interned) -> Interned:
        parts = []
        for part in operands(group, side):
            inverse = part.symbol is group.inverse
            (bare,) = part.args if inverse else (part,)
            if bare.variables and bare.symbol is not VARIABLE:
                bare = self._name(bare)
            parts.append(self._terms.invert(group, bare) if inverse else bare)
        return self._terms.make(group, parts)

    def _name(self, term: Interned) -> Interned:
        if term not in self.names:
            self.names[term] = self._terms.leaf(var(prefix="u"))
        return self.names[term]

    def _bare(self, term: Interned) -> Interned:
        """A term with names in the place of the outermost products."""
        return _with(self._terms, term, lambda one: self._name(one) if is_product(one) else None)


def is_product(term: Interned) -> bool:
    """Whether a term with variables has a group's operator or its inverse at its root.

    Parameters
    ----------
    term
        A canonical term.
    """
    symbol = term.symbol
    return bool(term.variables) and (symbol.inverse is not None or symbol.group is not None)


def holds_products(term: Interned) -> bool:
    """Whether a term is such a product, or has one inside.

    Parameters
    ----------
    term
        A canonical term.
    """
    seen: set[Interned] = set()
    stack = [term]
    while stack:
        one = stack.pop()
        if one.variables and one not in seen and one.symbol is not VARIABLE:
            if is_product(one):
                return True
            seen.add(one)
            stack.extend(one.args)
    return False


def held(terms: Store, group: Symbol) -> Interned:
    """A product of a group of which nothing is known, as the other operators have it.

    Parameters
    ----------
    terms
        Where it is interned.
    group
        The group's operator.
    """
    return terms.make(terms.symbol(Held(group), 1), (terms.leaf(var(prefix="u")),))


def is_known_product(one: Interned, other: Interned) -> bool:
    """Whether one term is held for a product of a group, and the other is such a product, ground.

    Parameters
    ----------
    one, other
        Terms.
    """
    held = isinstance(one.symbol.op, Held)
    return held and not other.variables and is_product_of(one.symbol.op.group, other)


def is_product_of(group: Symbol, term: Interned) -> bool:
    """Whether a term has a group's operator or its inverse at its root, or is its unit.

    Parameters
    ----------
    group
        The group's operator.
    term
        The term.
    """
    return term is group.unit or group in (term.symbol, term.symbol.group)


def released(terms: Store, term: Interned) -> Interned:
    """A term with the names of products in the place of what is held for them.

    Parameters
    ----------
    terms
        Where the term is interned.
    term
        The term.
    """
    return _with(terms, term, lambda one: one.args[0] if isinstance(one.symbol.op, Held) else None)


def _with(terms: Store, term: Interned, other: Callable[[Interned], Interned | None]) -> Interned:
    """A term with others in the place of some of its applications, the outermost ones."""
    done: dict[Interned, Interned] = {}
    stack = [term]
    while stack:
        one = stack[-1]
        if one in done or not one.variables or one.symbol is VARIABLE:
            done.setdefault(stack.pop(), one)
            continue
        new = other(one)
        waiting = [] if new is not None else [arg for arg in one.args if arg not in done]
        if waiting:
            stack.extend(waiting)
        else:
            done[stack.pop()] = new or rebuilt(terms, one, [done[arg] for arg in one.args])
    return done[term]
