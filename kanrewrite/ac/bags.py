"""Operations on multisets of operands, as compiled matchers use them.

A multiset is the operands' canonical tuple: equal ones side by side, so that a part of it taken in
order is canonical too and needs no sorting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

from kanrewrite.ac.interned import APPLY, LEAF, VARIABLE, Interned, Symbol

Args = tuple[Interned, ...]
Heads = dict[Symbol, Args]
by_serial = attrgetter("serial")
#: Operands that are counted one by one; beyond, all at once.
_FEW = 128


def operands(symbol: Symbol, term: Interned) -> Args:
    """A term read as a product of `symbol`: its operands, none for the unit, else itself."""
    if term.symbol is symbol:
        return term.args
    return () if term is symbol.unit else (term,)


def flat(symbol: Symbol, args: Sequence[Interned]) -> Sequence[Interned]:
    """Operands of an associative operator, with those of its products in their place."""
    if all(arg.symbol is not symbol for arg in args):
        return args
    return [x for arg in args for x in (arg.args if arg.symbol is symbol else (arg,))]


def cancelled(inverse: Symbol, args: Sequence[Interned]) -> Sequence[Interned]:
    """Operands of a group without those that an inverse among them cancels."""
    against = Counter(arg.args[0] for arg in args if arg.symbol is inverse)
    if not against:
        return args
    common = against & Counter(arg for arg in args if arg.symbol is not inverse)
    if not common:
        return args
    gone = [common, Counter(common)]
    kept = []
    for arg in args:
        base, left = (arg.args[0], gone[1]) if arg.symbol is inverse else (arg, gone[0])
        if left[base]:
            left[base] -= 1
        else:
            kept.append(arg)
    return kept


def opened(symbol: Symbol, term: Interned) -> tuple[Args, Heads]:
    """The operands of a term read as a product of `symbol`, and the same by head."""
    if term.symbol is symbol:
        return term.args, term.heads  # type: ignore[return-value]
    if term is symbol.unit:
        return (), {}
    return (term,), {term.symbol: (term,)}


def of_heads(heads: Heads, symbols: Iterable[Symbol]) -> Iterator[Interned]:
    """The operands with one of these heads."""
    for symbol in symbols:
        yield from heads.get(symbol, ())


def applied(term: Interned, arity: int) -> Args | None:
    """A free application as operator and operands, if it has that many in all."""
    if term.symbol is APPLY:
        return term.args if len(term.args) == arity else None
    free = term.symbol is not LEAF and term.symbol is not VARIABLE
    symbol = term.symbol
    if free and len(term.args) == arity - 1 and not (symbol.associative or symbol.commutative):
        return (term.store.leaf(symbol.op), *term.args)
    return None


def minus(args: Args, removed: Args) -> Args | None:
    """What is left of a multiset without another, None if it does not hold that one."""
    if len(removed) == 1:
        try:
            at = args.index(removed[0])
        except ValueError:
            return None
        return args[:at] + args[at + 1 :]
    if not removed:
        return args
    gone = Counter(removed)
    left = []
    for arg in args:
        if gone[arg] > 0:
            gone[arg] -= 1
        else:
            left.append(arg)
    return tuple(left) if len(left) + len(removed) == len(args) else None


def divided(args: Args, times: int) -> Args | None:
    """The multiset that makes `args` when taken `times` times, None if there is none."""
    part = args[::times]
    if len(part) * times == len(args) and all(args[k::times] == part for k in range(1, times)):
        return part
    return None


def runs(args: Iterable[Interned]) -> list[tuple[Interned, int]]:
    """The distinct operands with their multiplicities."""
    return [(arg, sum(1 for _ in same)) for arg, same in groupby(args)]


def uneven(args: Args, times: int) -> int:
    """How many distinct operands of a multiset nothing that is taken so many times can hold all of.

    Parameters
    ----------
    args
        The multiset.
    times
        A number of which all that is taken is taken a multiple.
    """
    return sum(count % times > 0 for _, count in runs(args))


def plain_runs(args: Iterable[Interned]) -> list[tuple[Any, int]]:
    """The same with plain terms."""
    return [(arg.plain, sum(1 for _ in same)) for arg, same in groupby(args)]


def shared(args: Args, times: int, *others: tuple[Args, int]) -> list[tuple[Interned, int]]:
    """The multiset of which any part can be taken `times` times from `args`, and so from others."""
    counts = [(Counter(other), often) for other, often in others]
    found = []
    for arg, count in runs(args):
        least = min((other[arg] // often for other, often in counts), default=count)
        number = min(count // times, least)
        if number:
            found.append((arg, number))
    return found


def multiplicities(args: Args) -> Callable[[Interned], int]:
    """How often each operand occurs: asked of all, this must not go through all of them."""
    return args.count if len(args) < _FEW else Counter(args).__getitem__


def plain(op: Any, unit: tuple[Any, ...], args: Sequence[Any]) -> Any:
    """The plain product of plain terms; `unit` holds the unit, if there is one."""
    if len(args) > 1:
        return (op, *args)
    return args[0] if args else unit[0]


def product(symbol: Symbol, args: Args) -> Any:
    """The plain product of canonical operands."""
    if len(args) == 1:
        return args[0].plain
    return (symbol.op, *[arg.plain for arg in args]) if args else unit_of(symbol)


def leftover(term: Interned, symbol: Symbol, picks: Args) -> Any:
    """The plain product of a term's operands without some that it has; None for an empty one."""
    if len(picks) > _FEW:
        left = minus(operands(symbol, term), picks)
        return None if left is None else product(symbol, left)
    if term.symbol is not symbol:
        args: Args = operands(symbol, term)
        whole: tuple[Any, ...] = (symbol.op, *(arg.plain for arg in args))
    else:
        args, whole = term.args, term.plain
    for pick in picks:
        at = args.index(pick)
        args = args[:at] + args[at + 1 :]
        whole = whole[: at + 1] + whole[at + 2 :]
    if len(whole) > 2:
        return whole
    if len(whole) == 2:
        return whole[1]
    return unit_of(symbol)


def unit_of(symbol: Symbol) -> Any:
    """The plain unit of an operator, None without one."""
    return None if symbol.unit is None else symbol.unit.plain


def arrangements(
    symbol: Symbol, term: Interned, wanted: Sequence[Interned | frozenset[Symbol] | None]
) -> Iterable[Args]:
    """The ways to read a term as a commutative application to some operands, lazily.

    Modulo a unit, operands beyond those of the term are the unit, and any term is one operand.

    Parameters
    ----------
    symbol
        The operator.
    term
        The term.
    wanted
        What each operand must be, or the heads that it may have; None for any operand.
    """
    args, unit = term.args if term.symbol is symbol else None, symbol.unit
    if unit is not None:
        one = () if term is unit else (term,)
        readings = dict.fromkeys(
            (*some, *[unit] * (len(wanted) - len(some))) for some in (args, one) if some is not None
        )
        return chain.from_iterable(_arranged(reading, wanted) for reading in readings)
    if args is None or len(args) != len(wanted):
        return ()
    if len(args) == 2:
        return ((args[0], args[1]), (args[1], args[0])) if args[0] is not args[1] else (args,)
    return _arranged(args, wanted)


def _arranged(args: Args, wanted: Sequence[Interned | frozenset[Symbol] | None]) -> Iterator[Args]:
    if len(args) != len(wanted):
        return iter(())
    return orders(args, [_admitted(args, one) for one in wanted])


def _admitted(args: Args, wanted: Interned | frozenset[Symbol] | None) -> Collection[Interned]:
    if wanted is None:
        return args
    if isinstance(wanted, Interned):
        return (wanted,)
    return [arg for arg in args if arg.symbol in wanted]


def orders(args: Args, admitted: Sequence[Collection[Interned]]) -> Iterator[Args]:
    """The orders of some operands in which each place has one that it admits.

    Parameters
    ----------
    args
        The operands.
    admitted
        For each place, what may be there.

    Yields
    ------
    tuple
        Each order once.
    """
    left = Counter(args)
    every = list(left)
    choices = [
        every if some is args else [one for one in dict.fromkeys(some) if one in left]
        for some in admitted
    ]
    # Places with few choices come first, so that what cannot be ends soon.
    places = sorted(range(len(args)), key=lambda place: len(choices[place]))
    chosen: list[Interned] = []
    streams = [iter(choices[places[0]])] if places else []
    while streams:
        one = next((one for one in streams[-1] if left[one]), None)
        if one is None:
            streams.pop()
            if chosen:
                left[chosen.pop()] += 1
            continue
        left[one] -= 1
        chosen.append(one)
        if len(chosen) < len(places):
            streams.append(iter(choices[places[len(chosen)]]))
            continue
        at = dict(zip(places, chosen, strict=True))
        yield tuple([at[place] for place in range(len(places))])
        left[chosen.pop()] += 1
