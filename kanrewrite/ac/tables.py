"""Look-ups in a term's operands, made when first needed and kept with the term.

They join the parts of a pattern that share a variable: of n operands only those are tried that hold
what the variable is bound to, or have anything in common with the part matched before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from kanrewrite.ac.bags import multiplicities, operands
from kanrewrite.ac.interned import Interned, Symbol
from kanrewrite.ac.splitting import pairs

Table = dict[Interned, tuple[Interned, ...]]
Found = TypeVar("Found")


def holders(term: Interned, head: Symbol, at: int) -> Table:
    """The operands with a head, by what each has as its operand number `at`.

    Parameters
    ----------
    term
        A term whose operator is associative and commutative.
    head
        A free symbol.
    at
        A position.
    """
    key = (head, at)
    return _kept(term, key) or _keep(term, key, _by_operand(term, head, at))


def partners(term: Interned, head: Symbol) -> Table:
    """The operands with a head, each with those others that have an operand in common with it.

    Parameters
    ----------
    term
        A term whose operator is associative and commutative.
    head
        The symbol of an operator without unit: a variable in two products of it is not empty.
    """
    known = _kept(term, (head, None))
    if known is not None:
        return known
    holding = _by_operand(term, head, None)
    often = multiplicities(term.args)
    found: Table = {}
    for one in term.heads.get(head, ()):
        others = dict.fromkeys(other for arg in one.args for other in holding[arg])
        if often(one) == 1:
            del others[one]
        if others:
            found[one] = tuple(others)
    return _keep(term, (head, None), found)


def shares(term: Interned, symbol: Symbol) -> Iterable[tuple[Any, Any]]:
    """The ways in which two variables share all operands of a product, kept where there are few.

    Parameters
    ----------
    term
        The product, modulo a unit any term.
    symbol
        Its operator.
    """
    if term.symbol is not symbol:
        return pairs(symbol, operands(symbol, term))
    known = None if term.tables is None else term.tables.get(symbol)
    if known is None:
        known = pairs(symbol, term.args)
        if isinstance(known, list):
            _keep(term, symbol, known)
    found: Iterable[tuple[Any, Any]] = known
    return found


def _by_operand(term: Interned, head: Symbol, at: int | None) -> Table:
    found: dict[Interned, list[Interned]] = {}
    for one in term.heads.get(head, ()):
        for arg in one.args if at is None else one.args[at : at + 1]:
            found.setdefault(arg, []).append(one)
    return {arg: tuple(ones) for arg, ones in found.items()}


def _kept(term: Interned, key: object) -> Table | None:
    table: Table | None = None if term.tables is None else term.tables.get(key)
    return table


def _keep(term: Interned, key: object, table: Found) -> Found:
    if term.tables is None:
        term.tables = {}
    term.tables[key] = table
    return table
