"""Terms with other terms in the place of their variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kanrewrite.ac.interned import APPLY, VARIABLE, Interned, Symbol
from kanrewrite.ac.shape import operands_first
from kanrewrite.ac.terms import Store


class Held:
    """What the other operators have for a product of a group: a head over the product's name.

    Two such terms are equal where their names are; to all else they are what has another head.
    Where the product is known they are that.

    Parameters
    ----------
    group
        The group's operator.
    """

    __slots__ = ("group",)

    def __init__(self, group: Symbol):
        self.group = group

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and other.group is self.group

    def __hash__(self) -> int:
        return hash((Held, self.group))


def under(
    terms: Store,
    term: Interned,
    value: Callable[[Interned], Interned | None],
    done: dict[Interned, Interned] | None = None,
    tick: Callable[[int], object] = int,
) -> Interned:
    """A term with its variables replaced, and what they are replaced by, until none has a value.

    Parameters
    ----------
    terms
        Where the term is interned.
    term
        The term.
    value
        What stands for a variable, None for the variable itself; no variable may reach itself.
    done
        What some terms are, known from before; it is added to.
    tick
        Called with the number of operands of each term that is made; it may raise.

    Returns
    -------
    Interned
    """
    # Not recursive: terms, and chains of variables, are longer than Python's stack.
    done = {} if done is None else done
    if not term.variables:
        return term
    stack = [term]
    spread: dict[Interned, Sequence[Interned]] = {}
    while stack:
        one = stack[-1]
        if one in done:
            stack.pop()
            continue
        if one.symbol is VARIABLE:
            bound = value(one)
            if bound is None or bound is one:
                done[one] = stack.pop()
                continue
            needs: Sequence[Interned] = (bound,)
        else:
            if one not in spread:
                spread[one] = _spread(one, value, done) if one.symbol.associative else one.args
            bound, needs = one, spread[one]
        open_ones = [need for need in needs if need.variables and need not in done]
        if open_ones:
            stack.extend(open_ones)
            continue
        stack.pop()
        if one.symbol is VARIABLE:
            assert bound is not None
            done[one] = done.get(bound, bound)
        else:
            tick(1 + len(needs))
            done[one] = rebuilt(terms, one, [done.get(arg, arg) for arg in needs])
    return done[term]


def _spread(
    term: Interned,
    value: Callable[[Interned], Interned | None],
    done: dict[Interned, Interned],
) -> list[Interned]:
    """The operands of a product, those of the products that variables are among them."""
    found = []
    stack = list(reversed(term.args))
    while stack:
        arg = stack.pop()
        bound = (done.get(arg) or value(arg)) if arg.symbol is VARIABLE else None
        if bound is None or bound is arg:
            found.append(arg)
        elif bound.symbol is term.symbol:
            stack.extend(reversed(bound.args))
        elif bound.symbol is VARIABLE:
            stack.append(bound)
        else:
            found.append(bound)
    return found


def rebuilt(terms: Store, term: Interned, args: Sequence[Interned]) -> Interned:
    """A term's head over other operands.

    Parameters
    ----------
    terms
        Where the term is interned.
    term
        An application.
    args
        Its new operands.
    """
    if term.symbol.group is not None:
        return terms.invert(term.symbol.group, args[0])
    if term.symbol is APPLY:
        return terms.apply(args[0].plain, args[1:])
    if isinstance(term.symbol.op, Held) and args[0].symbol is not VARIABLE:
        return args[0]
    return terms.make(term.symbol, args)


def with_others(terms: Store, term: Interned, new: Mapping[Interned, Interned]) -> Interned:
    """A term with some leaves or variables replaced.

    Parameters
    ----------
    terms
        Where the term is interned.
    term
        The term.
    new
        What stands for them.
    """
    if not new:
        return term
    done: dict[Interned, Interned] = {}
    for one in operands_first(term):
        if one in new:
            done[one] = new[one]
        elif one.args:
            done[one] = rebuilt(terms, one, [done[arg] for arg in one.args])
        else:
            done[one] = one
    return done[term]
