"""What a pattern's instances can look like: their heads, and the symbols they must contain.

Modulo a unit, ``mul(x, y)`` can become any term (``x`` being 1).  A matcher needs to know which
patterns keep their head, to look for them by it.
"""

from __future__ import annotations

from kanrewrite.ac.interned import APPLY, LEAF, VARIABLE, Interned, Symbol


def heads(pattern: Interned) -> frozenset[Symbol] | None:
    """The symbols an instance of a pattern can have as head; None for any.

    Parameters
    ----------
    pattern
        A canonical term with variables.
    """
    symbol = pattern.symbol
    if symbol is VARIABLE:
        return None
    if not pattern.variables:
        return frozenset((symbol,))
    if symbol is APPLY and pattern.args[0].symbol is VARIABLE:
        return None
    if symbol.group is not None:
        inner = heads(pattern.args[0])
        # An inverse is pushed into products, and gone from inverses and units.
        gone = {symbol, symbol.group, LEAF}
        return None if inner is None or inner & gone else frozenset((symbol,))
    if symbol.unit is None:
        return frozenset((symbol,))
    return _collapsing(pattern, symbol.unit)


def _collapsing(pattern: Interned, unit: Interned) -> frozenset[Symbol] | None:
    """The heads of a pattern with a unit: its own, or an operand's where the others vanish."""
    found = {pattern.symbol}
    stuck = [arg for arg in pattern.args if not _vanishes(arg, unit)]
    for arg in dict.fromkeys(pattern.args):
        if len(stuck) - (arg in stuck) == 0 and pattern.args.count(arg) == 1:
            inner = heads(arg)
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
    possible = heads(pattern)
    return possible is None or unit.symbol in possible


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


def required(pattern: Interned) -> int:
    """The bits of symbols that occur in every instance of a pattern."""
    if not pattern.variables:
        return pattern.below
    symbol = pattern.symbol
    bits = 0 if symbol is VARIABLE or symbol.unit is not None else symbol.bit
    if heads(pattern) is None:
        bits = 0
    for arg in pattern.args:
        bits |= required(arg)
    return bits
