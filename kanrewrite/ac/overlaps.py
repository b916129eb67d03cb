"""Overlaps of equations: where one applies within an instance of another's side.

They are the starting points of critical pairs and of coherence modulo a theory: a product's
equation applies to a part of a product too, which extension variables stand for.

References
----------
G. Peterson, M. Stickel, "Complete sets of reductions for some equational theories", JACM 28, 1981.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from unification import Var, var

from kanrewrite.ac.bags import minus, operands
from kanrewrite.ac.goals import Known
from kanrewrite.ac.interned import LEAF, VARIABLE, Interned
from kanrewrite.ac.shape import heads
from kanrewrite.ac.terms import Store, store
from kanrewrite.ac.unification import Unifiers
from kanrewrite.errors import Incomplete
from kanrewrite.theory import Theory


@dataclass(frozen=True)
class Overlap:
    """One way in which an equation's side applies within a rule's.

    Attributes
    ----------
    position
        Where in the rule's side, in canonical form: indices of nested tuples, operators at 0.
    subterm
        What is there.
    unifier
        The substitution that makes the two equal, over the rule's variables and the fresh ones.
    renamed
        The equation's variables and the fresh ones that stand for them.
    around_rule, around_equation
        Variables for what the product holds besides the rule's, or the equation's, side; None
        where there is nothing else.
    """

    position: tuple[int, ...]
    subterm: Any
    unifier: dict[Var, Any]
    renamed: dict[Var, Var]
    around_rule: Var | None = None
    around_equation: Var | None = None


def overlaps(
    rule: Any, equation: Any, theory: Theory, steps: int | None = None, root: bool = True
) -> Iterator[Overlap]:
    """The overlaps of an equation's side with the operators of a rule's side.

    Parameters
    ----------
    rule
        The rule's left-hand side.
    equation
        The side from which the equation is applied; its variables are renamed.
    theory
        What the operators obey.
    steps
        How many steps the search for the unifiers at one position may take: after them the others
        at that position are left out.  Without it all are found, none an instance of another.
    root
        Whether those at the root are wanted, which are the same with the sides exchanged.

    Yields
    ------
    Overlap
        For each position that is no variable and each unifier, lazily; those in which the two have
        no operand in common are left out, as is what could be left off both sides.

    Examples
    --------
    >>> x, y, z = var("x"), var("y"), var("z")
    >>> theory = Theory("products").ac("mul")
    >>> rule, equation = ("log", ("mul", x, y)), ("mul", ("exp", z), "a")
    >>> found = list(overlaps(rule, equation, theory))
    >>> sorted({(overlap.position, overlap.around_equation is None) for overlap in found})
    [((1,), False), ((1,), True)]
    """
    terms = store(theory)
    left, right = terms.intern(rule), terms.intern(equation)
    renamed = {v.plain: var(prefix="o") for v in right.variables}
    other = Known(terms, renamed)(right)
    for position, subterm in _positions(left, ()):
        if not (position or root):
            continue
        for mine, theirs in _extensions(subterm, other, root=not position):
            if _is_hopeless(subterm, other, mine, theirs):
                continue
            found = _overlapping(terms, position, subterm, other, renamed, mine, theirs, steps)
            try:
                yield from found
            except Incomplete:
                if steps is None:
                    raise


def _positions(
    term: Interned, position: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], Interned]]:
    if term.symbol is VARIABLE:
        return
    yield position, term
    for k, arg in enumerate(term.args):
        # Equal operands side by side are the same place.
        if k == 0 or arg is not term.args[k - 1]:
            yield from _positions(arg, (*position, k + 1))


def _extensions(
    subterm: Interned, other: Interned, root: bool
) -> list[tuple[Var | None, Var | None]]:
    """The extension variables to try: with a unit these may be it, without they may be absent."""
    symbol = other.symbol
    if subterm.symbol is not symbol or not (symbol.associative and symbol.commutative):
        return [(None, None)]
    mine, theirs = var(prefix="e"), var(prefix="e")
    if symbol.unit is not None:
        return [(mine if root else None, theirs)]
    found: list[tuple[Var | None, Var | None]] = [(None, None), (None, theirs)]
    return [*found, (mine, None), (mine, theirs)] if root else found


def _is_hopeless(subterm: Interned, other: Interned, mine: Var | None, theirs: Var | None) -> bool:
    """Whether an operand of one side can be none of the other's: the search would say it late."""
    mine_heads, their_heads = heads(subterm), heads(other)
    if mine_heads is not None and their_heads is not None and not mine_heads & their_heads:
        return True
    if subterm.symbol is not other.symbol or not subterm.heads:
        return False
    for one, two, around in ((subterm, other, theirs), (other, subterm, mine)):
        if around is None and two.symbol.unit is None and VARIABLE not in two.heads:
            missing = any(head not in two.heads for head in one.heads if head is not VARIABLE)
            if missing or not set(one.heads.get(LEAF, ())) <= set(two.heads.get(LEAF, ())):
                return True
    return False


def _overlapping(
    terms: Store,
    position: tuple[int, ...],
    subterm: Interned,
    other: Interned,
    renamed: dict[Var, Var],
    mine: Var | None,
    theirs: Var | None,
    steps: int | None,
) -> Iterator[Overlap]:
    symbol = other.symbol
    sides = []
    for side, around in ((subterm, mine), (other, theirs)):
        sides.append(side if around is None else terms.make(symbol, (side, terms.leaf(around))))
    for unifier in Unifiers(terms, [(sides[0], sides[1])], steps=steps, few=steps is not None):
        tight = unifier
        if mine is not None and theirs is not None:
            known = Known(terms, unifier)
            around = [operands(symbol, known(v)) for v in (mine, theirs)]
            whole = [operands(symbol, known(side)) for side in (other, subterm)]
            if all(minus(rest, args) is not None for rest, args in zip(around, whole, strict=True)):
                continue
            spare = {v for v in around[0] if v.symbol is VARIABLE and v in around[1]}
            if spare and symbol.unit is None:
                continue
            tight = _without(terms, unifier, spare, symbol.unit)
        yield Overlap(position, subterm.plain, tight, renamed, mine, theirs)


def _without(
    terms: Store, unifier: dict[Var, Any], spare: set[Interned], unit: Interned | None
) -> dict[Var, Any]:
    """A unifier in which variables that stand on both sides of the overlap are the unit."""
    if unit is None or not spare:
        return unifier
    known = Known(terms, {v.plain: unit.plain for v in spare})
    bound = {v: known(value).plain for v, value in unifier.items()}
    return {**{v.plain: unit.plain for v in spare}, **bound}
