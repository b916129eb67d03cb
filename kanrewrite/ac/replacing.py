"""Terms with other terms in the place of their variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kanrewrite.ac.interned import APPLY, VARIABLE, Interned
from kanrewrite.ac.terms import Store


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
    return terms.make(term.symbol, args)
