"""What a pattern's instances can look like: their heads, and the symbols they must contain.

Modulo a unit, ``mul(x, y)`` can become any term (``x`` being 1).  A matcher needs to know which
patterns keep their head, to look for them by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from kanrewrite.ac.interned import APPLY, LEAF, UNKNOWN, VARIABLE, Interned, Symbol
from kanrewrite.ac.syntax import PAIR


def heads(pattern: Interned) -> frozenset[Symbol] | None:
    """The symbols an instance of a pattern can have as head; None for any.

    Parameters
    ----------
    pattern
        A canonical term with variables.
    """
    if pattern.possible is UNKNOWN:
        # Operands first, and not recursive: patterns are deeper than Python's stack.
        stack = [pattern]
        while stack:
            one = stack[-1]
            unknown = [arg for arg in _deciding(one) if arg.possible is UNKNOWN]
            if unknown:
                stack.extend(unknown)
            else:
                stack.pop().possible = _heads(one)
    found: frozenset[Symbol] | None = pattern.possible
    return found


def is_open(pattern: Interned) -> bool:
    """Whether a variable stands for an operator, or for the rest of an application.

    Parameters
    ----------
    pattern
        A canonical term.
    """
    symbol = pattern.symbol
    return symbol.op is PAIR or (symbol is APPLY and pattern.args[0].symbol is VARIABLE)


def _deciding(pattern: Interned) -> Sequence[Interned]:
    """The operands on which a pattern's head depends."""
    symbol = pattern.symbol
    changes = symbol.group is not None or (symbol.collapses and symbol is not VARIABLE)
    return pattern.args if changes and pattern.variables else ()


def _heads(pattern: Interned) -> frozenset[Symbol] | None:
    """The same, once it is known of the operands that decide it."""
    symbol = pattern.symbol
    if symbol is VARIABLE:
        return None
    if not pattern.variables:
        return frozenset((symbol,))
    if is_open(pattern):
        return None
    if symbol.group is not None:
        inner: frozenset[Symbol] | None = pattern.args[0].possible
        # An inverse is pushed into products, and gone from inverses and units.
        gone = {symbol, symbol.group, LEAF}
        return None if inner is None or inner & gone else frozenset((symbol,))
    if symbol.idempotent:
        return _joining(pattern)
    return frozenset((symbol,)) if symbol.unit is None else _collapsing(pattern, symbol.unit)


def _joining(pattern: Interned) -> frozenset[Symbol] | None:
    """The heads of an idempotent pattern: its own, or one that all its operands can have."""
    common: frozenset[Symbol] | None = None
    unit = pattern.symbol.unit
    for arg in pattern.args:
        if unit is not None and _vanishes(arg, unit):
            continue
        theirs: frozenset[Symbol] | None = arg.possible
        if theirs is not None:
            common = theirs if common is None else common & theirs
    if common is None or (unit is not None and all(_vanishes(a, unit) for a in pattern.args)):
        return None
    return common | {pattern.symbol}


def _collapsing(pattern: Interned, unit: Interned) -> frozenset[Symbol] | None:
    """The heads of a pattern with a unit: its own, or an operand's where the others vanish."""
    found = {pattern.symbol}
    stuck = [arg for arg in pattern.args if not _vanishes(arg, unit)]
    for arg in dict.fromkeys(pattern.args):
        if len(stuck) - (arg in stuck) == 0 and pattern.args.count(arg) == 1:
            inner: frozenset[Symbol] | None = arg.possible
            if inner is None:
                return None
            found |= inner
    if not stuck:
        found.add(unit.symbol)
    return frozenset(found)


def _vanishes(pattern: Interned, unit: Interned) -> bool:
    """Whether an instance of a pattern can be the unit (true where it is not known)."""
    if not pattern.variables:
        return pattern is unit
    return pattern.possible is None or unit.symbol in pattern.possible


def keeps_apart(pattern: Interned, outer: Symbol) -> bool:
    """Whether a pattern's instances are always exactly one operand of an operator.

    Parameters
    ----------
    pattern
        An operand of the operator, not a variable.
    outer
        The operator's symbol.
    """
    if not pattern.variables:
        return True
    possible = heads(pattern)
    if possible is None or outer in possible:
        return False
    return outer.unit is None or outer.unit.symbol not in possible


def are_rivals(parts: Iterable[Interned]) -> bool:
    """Whether two parts may match the same operand, which must be there twice then.

    Parameters
    ----------
    parts
        Patterns with heads of their own.
    """
    seen: set[Symbol] = set()
    for part in parts:
        possible = heads(part)
        assert possible is not None
        if not possible.isdisjoint(seen):
            return True
        seen |= possible
    return False


def required(pattern: Interned) -> int:
    """The bits of symbols that occur in every instance of a pattern."""
    for one in operands_first(pattern):
        if one.needed is UNKNOWN:
            one.needed = _required(one)
    bits: int = pattern.needed
    return bits


def _required(pattern: Interned) -> int:
    if not pattern.variables:
        return pattern.below
    symbol = pattern.symbol
    bits = 0 if symbol is VARIABLE or symbol.collapses else symbol.bit
    if heads(pattern) is None:
        bits = 0
    for arg in pattern.args:
        bits |= arg.needed
    return bits


def operands_first(term: Interned) -> Iterator[Interned]:
    """The subterms of a term, each once, its operands before it.

    Parameters
    ----------
    term
        A canonical term.
    """
    seen: set[Interned] = set()
    stack = [(term, False)]
    while stack:
        one, ready = stack.pop()
        if ready:
            yield one
        elif one not in seen:
            seen.add(one)
            stack.append((one, True))
            stack.extend((arg, False) for arg in one.args)


@lru_cache(maxsize=1)
def width(term: Interned) -> int:
    """How many operands a term has in all, shared ones once.

    Parameters
    ----------
    term
        A canonical term.
    """
    return sum(len(one.args) for one in operands_first(term))
