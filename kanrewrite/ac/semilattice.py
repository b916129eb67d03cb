"""Sets of operands of idempotent operators, as compiled matchers use them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, combinations, product

from kanrewrite.ac.bags import Args, by_serial
from kanrewrite.ac.distribution import FAILED
from kanrewrite.ac.interned import Interned, Symbol

Choice = tuple[int, ...]
#: How many operands are given to variables in the time of a step.
_TOGETHER = 8


def without(args: Args, held: Sequence[Collection[Interned]]) -> Args | None:
    """The operands of a set that no part holds, None if a part holds another.

    Parameters
    ----------
    args
        The set.
    held
        What each part of it holds.
    """
    gone: set[Interned] = set()
    gone.update(*held)
    rest = tuple([arg for arg in args if arg not in gone])
    return rest if len(rest) + len(gone) == len(args) else None


def beyond(args: Args, held: Collection[Interned]) -> Args:
    """The operands of a set that another does not hold."""
    gone = set(held)
    return tuple([arg for arg in args if arg not in gone])


def within(args: Args, symbol: Symbol, others: Args) -> Iterator[Args]:
    """The parts of a set that are operands of another operator's product too.

    Parameters
    ----------
    args
        The set.
    symbol
        Its operator.
    others
        The operands of the other product, among which parts of several operands are found.
    """
    if symbol.unit is not None:
        yield ()
    yield from ((one,) for one in args)
    whole = set(args)
    for other in others:
        if other.symbol is symbol and whole.issuperset(other.args):
            yield other.args


def subsets(args: Args, some: bool) -> Iterator[Args]:
    """The parts of a set, the small ones first.

    Parameters
    ----------
    args
        The set.
    some
        Whether a part has an operand.

    Examples
    --------
    >>> list(subsets(("a", "b"), some=True))
    [('a',), ('b',), ('a', 'b')]
    """
    return chain.from_iterable(combinations(args, n) for n in range(some, len(args) + 1))


def joined(
    rows: Sequence[tuple[Args, Args, Collection[int]]], size: int, needed: Collection[int]
) -> Iterator[tuple[Args, ...] | None]:
    """Every way to give variables parts of sets, of which each holds those of some variables.

    An element is given independently of the others, so that one which cannot be ends the search at
    once.

    Parameters
    ----------
    rows
        Sets; what of each its variables must hold together; the positions of its variables.
    size
        How many variables.
    needed
        The positions of variables that must not be empty.

    Yields
    ------
    tuple, optional
        A value for each variable, each combination once; the largest parts first. After one that
        took many steps, None now and then.

    Examples
    --------
    >>> from kanrewrite.ac import term
    >>> from kanrewrite.theory import Theory
    >>> whole = term(("max", "a", "b"), Theory("order").aci("max"))
    >>> len(list(joined([(whole.args, whole.args, [0, 1])], 2, [0, 1])))
    7
    """
    elements = sorted(dict.fromkeys(arg for args, _, _ in rows for arg in args), key=by_serial)
    ways = _ways(elements, rows, size)
    # What the elements from some place on can still give: it is not missed any later.
    reach: list[frozenset[int]] = [frozenset()]
    for n, way in enumerate(reversed(ways)):
        again = n and way is ways[-n]
        reach.append(reach[-1] if again else reach[-1] | way.able)
    reach.reverse()
    if not all(way.possible for way in ways) or not reach[0].issuperset(needed):
        return
    missing = [frozenset(needed)]
    chosen: list[Choice] = []
    streams = [ways[0].holding(missing[0] - reach[1])] if ways else []
    if not ways:
        yield ((),) * size
    while streams:
        numbers = next(streams[-1], None)
        if numbers is None:
            streams.pop()
            missing.pop()
            if chosen:
                chosen.pop()
            continue
        chosen.append(numbers)
        k = len(chosen)
        if k < len(ways):
            missing.append(frozenset(v for v in missing[-1] if not numbers[v]))
            streams.append(ways[k].holding(missing[-1] - reach[k + 1]))
            continue
        yield tuple(
            tuple([one for one, held in zip(elements, chosen, strict=True) if held[v]])
            for v in range(size)
        )
        for _ in range(size * len(elements) // (FAILED * _TOGETHER)):
            yield None
        chosen.pop()


def _ways(
    elements: Sequence[Interned],
    rows: Sequence[tuple[Args, Args, Collection[int]]],
    size: int,
) -> list[_Ways]:
    """Those of each element: the same for elements of the same sets."""
    sets = [(frozenset(args), frozenset(rest)) for args, rest, _ in rows]
    names = [frozenset(row[2]) for row in rows]
    known: dict[tuple[tuple[bool, bool], ...], _Ways] = {}
    ways = []
    for one in elements:
        within = tuple([(one in args, one in rest) for args, rest in sets])
        if within not in known:
            known[within] = _Ways([*zip(within, names, strict=True)], size)
        ways.append(known[within])
    return ways


class _Ways:
    """The ways in which variables may hold an element.

    Of each row it says whether the element is in its set, and whether one of its variables must
    hold it; and its variables.
    """

    def __init__(self, rows: Sequence[tuple[tuple[bool, bool], frozenset[int]]], size: int):
        self._size = size
        outside = {v for (is_in, _), names in rows if not is_in for v in names}
        #: The variables that may.
        self.able = frozenset(range(size)) - outside
        #: Of each of these sets of variables one must.
        self._must = [self.able & names for (_, is_left), names in rows if is_left]
        self.possible = all(self._must)

    def holding(self, fixed: Collection[int]) -> Iterator[Choice]:
        """Those in which some variables do."""
        for way in product(
            *((1,) if v in fixed else (1, 0) if v in self.able else (0,) for v in range(self._size))
        ):
            if all(any(way[v] for v in names) for names in self._must):
                yield way
