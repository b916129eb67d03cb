"""Look-ups in a term's operands, made when first needed and kept with the term.

They join the parts of a pattern that share a variable: of n operands only those are tried that hold
what the variable is bound to, or have anything in common with the part matched before.
"""

from __future__ import annotations

from kanrewrite.ac.terms import Interned, Symbol

Table = dict[Interned, tuple[Interned, ...]]


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
    return _kept(term, (head, at)) or _keep(term, (head, at), _by_operand(term, head, at))


def partners(term: Interned, head: Symbol) -> Table:
    """The operands with a head, each with those others that have an operand in common with it.

    Parameters
    ----------
    term
        A term whose operator is associative and commutative.
    head
        The symbol of an operator without unit: a variable in two products of it is not empty.
    """
    known = _kept(term, head)
    if known is not None:
        return known
    holding = _by_operand(term, head, None)
    found: Table = {}
    for one in term.heads.get(head, ()):
        others = dict.fromkeys(other for arg in one.args for other in holding[arg])
        if term.args.count(one) == 1:
            del others[one]
        if others:
            found[one] = tuple(others)
    return _keep(term, head, found)


def _by_operand(term: Interned, head: Symbol, at: int | None) -> Table:
    found: dict[Interned, list[Interned]] = {}
    for one in term.heads.get(head, ()):
        for arg in one.args if at is None else one.args[at : at + 1]:
            found.setdefault(arg, []).append(one)
    return {arg: tuple(ones) for arg, ones in found.items()}


def _kept(term: Interned, key: object) -> Table | None:
    return None if term.tables is None else term.tables.get(key)


def _keep(term: Interned, key: object, table: Table) -> Table:
    if term.tables is None:
        term.tables = {}
    term.tables[key] = table
    return table
