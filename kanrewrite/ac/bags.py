"""Operations on multisets of operands, as compiled matchers use them.

A multiset is the operands' canonical tuple: equal ones side by side, so that a part of it taken in
order is canonical too and needs no sorting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, permutations
from operator import attrgetter
from typing import Any, TypeVar

from kanrewrite.ac.interned import APPLY, LEAF, VARIABLE, Interned, Symbol

Args = tuple[Interned, ...]
Heads = dict[Symbol, Args]
X = TypeVar("X")
by_serial = attrgetter("serial")
#: How many splittings are made at once: enough to spread the cost of a generator's step.
_BATCH = 64
#: Operands that are counted one by one; beyond, all at once.
_FEW = 128
#: By how much the largest part may be too large for parts to be made first, and refused then.
_SLACK = 4


def operands(symbol: Symbol, term: Interned) -> Args:
    """A term read as a product of `symbol`: its operands, none for the unit, else itself."""
    if term.symbol is symbol:
        return term.args
    return () if term is symbol.unit else (term,)


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


def distributed(
    rows: Sequence[tuple[Args, tuple[int, ...]]], needed: Sequence[int]
) -> Iterator[tuple[Args, ...]]:
    """Every way to give variables that share several multisets their values.

    An operand is distributed independently of the others, so that one which cannot be ends the
    search at once (Hullot 1980 solves these systems constant by constant, too).

    Parameters
    ----------
    rows
        Multisets, and how often each variable is taken from them.
    needed
        The positions of variables that must not be empty.

    Yields
    ------
    tuple
        A value for each variable.

    References
    ----------
    J.-M. Hullot, "Compilation de formes canoniques dans des théories équationnelles", 1980.
    """
    often = tuple(times for _, times in rows)
    counts = [Counter(args) for args, _ in rows]
    elements = sorted(dict.fromkeys(arg for args, _ in rows for arg in args), key=by_serial)
    ways = [_ways(tuple(count[one] for count in counts), often) for one in elements]
    if not all(ways):
        return
    size = len(often[0])
    for chosen in _all_needed(ways, frozenset(needed)):
        yield tuple(
            tuple(
                one
                for one, numbers in zip(elements, chosen, strict=True)
                for _ in range(numbers[v])
            )
            for v in range(size)
        )


def _all_needed(
    ways: Sequence[Sequence[tuple[int, ...]]], needed: frozenset[int]
) -> Iterator[list[tuple[int, ...]]]:
    """One way for each operand, so that every variable that must not be empty takes something."""
    # What the operands from some place on can still give: a choice that misses some ends at once.
    reach: list[frozenset[int]] = [frozenset()]
    for way in reversed(ways):
        here = {v for numbers in way for v in needed if numbers[v]}
        reach.append(reach[-1] if here <= reach[-1] else reach[-1] | here)
    reach.reverse()
    chosen: list[tuple[int, ...]] = []
    missing = [needed]
    open_ones = [iter(ways[0])] if ways else []
    if not ways and not needed:
        yield []
    while open_ones:
        numbers = next(open_ones[-1], None)
        if numbers is None:
            open_ones.pop()
            missing.pop()
            if chosen:
                chosen.pop()
            continue
        left = missing[-1]
        if left:
            left = left - {v for v in left if numbers[v]}
            if not left <= reach[len(chosen) + 1]:
                continue
        chosen.append(numbers)
        if len(chosen) == len(ways):
            yield chosen
            chosen.pop()
        else:
            missing.append(left)
            open_ones.append(iter(ways[len(chosen)]))


@lru_cache(maxsize=4096)
def _ways(
    counts: tuple[int, ...], often: tuple[tuple[int, ...], ...]
) -> tuple[tuple[int, ...], ...]:
    """How many of one operand each variable may take, given how many each multiset has."""
    if not often[0]:
        return ((),) if not any(counts) else ()
    first = tuple(times[0] for times in often)
    rest = tuple(times[1:] for times in often)
    found: list[tuple[int, ...]] = []
    taken = 0
    while all(count >= taken * times for count, times in zip(counts, first, strict=True)):
        left = tuple(c - taken * times for c, times in zip(counts, first, strict=True))
        found.extend((taken, *others) for others in _ways(left, rest))
        taken += 1
    return tuple(found)


def splits(
    items: Sequence[tuple[X, int]], times: int = 1, most: int | None = None
) -> Iterator[tuple[tuple[X, ...], tuple[X, ...]]]:
    """Every way to take a part `times` times from a multiset: the part, and what is left.

    Parameters
    ----------
    items
        Distinct elements with their multiplicities.
    times
        How often the part is taken.
    most
        The largest size of a part, None for any.

    Yields
    ------
    tuple
        The part and the rest, in the order of `items`; no part twice, and each after work linear in
        the size of the multiset.

    Examples
    --------
    >>> list(splits([("a", 2), ("b", 1)], times=2))
    [(('a',), ('b',)), ((), ('a', 'a', 'b'))]
    >>> list(splits([("a", 1), ("b", 1)], most=1))
    [(('a',), ('b',)), (('b',), ('a',)), ((), ('a', 'b'))]
    """
    if len(items) == 1 and most is None:
        ((item, count),) = items
        for k in range(count // times, -1, -1):
            yield (item,) * k, (item,) * (count - k * times)
        return
    if times > 1 or most is not None:
        largest = sum(count // times for _, count in items)
        if times > 1 or (most is not None and most + _SLACK < largest):
            yield from _bounded(items, times, largest if most is None else most)
            return
    for part, left in _whole(items):
        if most is None or len(part) <= most:
            yield part, left


def _bounded(
    items: Sequence[tuple[X, int]], times: int, most: int
) -> Iterator[tuple[tuple[X, ...], tuple[X, ...]]]:
    """The parts of at most some size; as many of the first elements as possible first."""
    if most < 0:
        return
    limits = [count // times for _, count in items]
    able = [k for k, limit in enumerate(limits) if limit]
    numbers = [0] * len(items)
    free, refill = most, 0
    while True:
        for k in able[refill:]:
            numbers[k] = min(limits[k], free)
            free -= numbers[k]
        yield (
            tuple([x for (x, _), n in zip(items, numbers, strict=True) for _ in range(n)]),
            tuple(
                [x for (x, c), n in zip(items, numbers, strict=True) for _ in range(c - n * times)]
            ),
        )
        last = next((at for at in range(len(able) - 1, -1, -1) if numbers[able[at]]), None)
        if last is None:
            return
        numbers[able[last]] -= 1
        free, refill = free + 1, last + 1


def _whole(
    items: Sequence[tuple[X, int]],
) -> Iterator[tuple[tuple[X, ...], tuple[X, ...]]]:
    """All parts, a few elements' at a time: that spreads the cost of a generator's step."""
    blocks = list(_blocks(items))
    if not blocks:
        yield (), ()
        return
    first, outer = blocks[0], blocks[1:]
    if not outer:
        yield from first
        return
    at = [0] * len(outer)
    while True:
        chosen = [block[k] for block, k in zip(outer, at, strict=True)]
        part = tuple([x for a, _ in chosen for x in a])
        left = tuple([x for _, b in chosen for x in b])
        for a, b in first:
            yield a + part, b + left
        for k, block in enumerate(outer):
            at[k] += 1
            if at[k] < len(block):
                break
            at[k] = 0
        else:
            return


def _blocks(
    items: Sequence[tuple[X, int]],
) -> Iterator[list[tuple[tuple[X, ...], tuple[X, ...]]]]:
    """The ways to take a part of a few elements, for all of them in turn."""
    pairs: list[tuple[tuple[X, ...], tuple[X, ...]]] = [((), ())]
    for item, count in items:
        if len(pairs) > 1 and len(pairs) * (count + 1) > _BATCH:
            yield pairs
            pairs = [((), ())]
        ways = [((item,) * k, (item,) * (count - k)) for k in range(count, -1, -1)]
        pairs = [(a + c, b + d) for a, b in pairs for c, d in ways]
    if items:
        yield pairs


class Pairs:
    """Two variables that share a multiset between them, as pairs of plain terms.

    Parameters
    ----------
    symbol
        The operator; with a unit, one of the two may be it.
    args
        The multiset.
    """

    __slots__ = ("items", "op", "size", "unit")

    def __init__(self, symbol: Symbol, args: Args):
        self.op = symbol.op
        self.unit = () if symbol.unit is None else (symbol.unit.plain,)
        self.items = plain_runs(args)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        op, unit = self.op, self.unit
        for a, b in splits(self.items):
            if a and b:
                yield (op, *a) if len(a) > 1 else a[0], (op, *b) if len(b) > 1 else b[0]
            elif unit:
                yield plain(op, unit, a), plain(op, unit, b)


def pairs(symbol: Symbol, args: Args) -> Iterable[tuple[Any, Any]]:
    """`Pairs`, made at once where there are few, to go through them more than once."""
    lazily = Pairs(symbol, args)
    return list(lazily) if len(args) < _BATCH.bit_length() else lazily


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


def arrangements(symbol: Symbol, term: Interned, arity: int) -> Iterable[Args]:
    """The ways to read a term as a commutative application to `arity` operands.

    Modulo a unit, operands beyond those of the term are the unit, and any term is one operand.
    """
    if symbol.unit is None:
        args = term.args
        if len(args) != arity:
            return ()
        if arity == 2:
            return ((args[0], args[1]), (args[1], args[0])) if args[0] is not args[1] else (args,)
        return dict.fromkeys(permutations(args))
    whole = () if term is symbol.unit else (term,)
    ways = dict.fromkeys(permutations(whole + (symbol.unit,) * (arity - len(whole))))
    if term.symbol is symbol and len(term.args) <= arity:
        padded = term.args + (symbol.unit,) * (arity - len(term.args))
        ways.update(dict.fromkeys(permutations(padded)))
    return ways
