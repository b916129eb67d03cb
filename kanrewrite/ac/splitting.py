"""The ways to take a part of a multiset, in little work for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

from kanrewrite.ac.bags import Args, minus, plain, plain_runs
from kanrewrite.ac.interned import Symbol

X = TypeVar("X")
#: How many splittings are made at once: enough to spread the cost of a generator's step.
_BATCH = 64
#: By how much the largest part may be too large for parts to be made first, and refused then.
_SLACK = 4


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
    first, *outer = list(_blocks(items)) or [[((), ())]]
    for part, left in _joined(outer):
        for a, b in first:
            yield a + part, b + left


def _joined(
    blocks: Sequence[list[tuple[tuple[X, ...], tuple[X, ...]]]],
) -> Iterator[tuple[tuple[X, ...], tuple[X, ...]]]:
    """A part of each block, together, and what is left of all."""
    at = [0] * len(blocks)
    while True:
        chosen = [block[k] for block, k in zip(blocks, at, strict=True)]
        yield tuple([x for a, _ in chosen for x in a]), tuple([x for _, b in chosen for x in b])
        for k, block in enumerate(blocks):
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


def meeting(args: Args, times: int, symbol: Symbol, others: Args) -> Iterator[tuple[Args, Args]]:
    """The parts of a multiset that are operands of another operator's product too.

    A part of several operands is one operand of the other product: it is found there.

    Parameters
    ----------
    args
        The multiset, of operands of a product.
    times
        How often the part is taken.
    symbol
        The operator of that product.
    others
        The operands of the other product.

    Yields
    ------
    tuple
        The part, and what is left of the multiset.
    """
    parts: list[Args] = [(one,) for one in dict.fromkeys(args)]
    parts.extend(other.args for other in dict.fromkeys(others) if other.symbol is symbol)
    if symbol.unit is not None:
        parts.append(())
    for part in parts:
        left = minus(args, part * times)
        if left is not None:
            yield part, left


def singles_first(
    args: Args, times: int, symbol: Symbol, parts: Iterable[tuple[Args, Args]]
) -> Iterator[tuple[Args, Args]]:
    """The parts of a multiset, those of one operand first: a sort has most often one of these.

    Parameters
    ----------
    args
        The multiset, of operands of a product.
    times
        How often the part is taken.
    symbol
        The operator of the product.
    parts
        All parts, each with what is left.
    """
    yield from meeting(args, times, symbol, ())
    yield from (pair for pair in parts if len(pair[0]) > 1)


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
        return chain.from_iterable(self._batches())

    def _batches(self) -> Iterator[list[tuple[Any, Any]]]:
        """The pairs, a few elements' at a time: made and given away without a step for each."""
        op = self.op
        first, *outer = list(_blocks(self.items)) or [[((), ())]]
        begun = [((op, *a), (op, *b)) for a, b in first]
        for part, left in _joined(outer):
            batch = [(a + part, b + left) for a, b in begun]
            yield batch if len(part) > 1 and len(left) > 1 else list(self._proper(batch))

    def _proper(self, batch: list[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """The pairs of products, where these may have one operand or none."""
        op, unit = self.op, self.unit
        for a, b in batch:
            if len(a) > 2 and len(b) > 2:
                yield a, b
            elif unit or (len(a) > 1 and len(b) > 1):
                yield plain(op, unit, a[1:]), plain(op, unit, b[1:])


def pairs(symbol: Symbol, args: Args) -> Iterable[tuple[Any, Any]]:
    """`Pairs`, made at once where there are few, to go through them more than once."""
    lazily = Pairs(symbol, args)
    return list(lazily) if len(args) < _BATCH.bit_length() else lazily
