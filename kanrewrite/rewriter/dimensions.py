"""What a rule says of dimensions that are moved, kept or dropped in another way than it states.

What holds of reductions that drop their dimensions holds of those that keep them, where nothing
else has any; what holds of a transposed parameter, of what is as if it were transposed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from unification import isvar

from kanrewrite.guards import Guard, broadcastable_of, ndim, normal_axes
from kanrewrite.relation import Rule, substitute
from kanrewrite.rewriter.growing import is_growing
from kanrewrite.rewriter.linear import KINDS, about_type, by_place
from kanrewrite.terms import ELEMENTWISE, Param, T, Term, parameters_of, with_part

REDUCTIONS = frozenset(
    {T.sum, T.prod, T.max, T.min, T.all, T.any, T.mean, T.var, T.std, T.logsumexp}
)
#: How the dimensions of a matrix are put in a transposed one.
_TURN = (1, 0)


def reductions(rule: Rule) -> Iterator[Rule]:
    """A rule, and the one that says the same of reductions which keep dimensions, or drop them.

    What is no reduction, as an Op of a user's, gets back the dimensions that it has lost.
    """
    yield rule
    sides = (rule.pattern, rule.replacement)
    axes = {axis for side in sides for axis in _outer_axes(side)}
    kept = {keeps for side in sides for keeps in _outer_axes(side, 3)}
    if len(axes) == 1 and len(kept) == 1 and None not in axes:
        pattern, replacement = (_flipped(side) for side in sides)
        yield replace(rule, pattern=pattern, replacement=replacement)
    elif not rule.relation.bundled:
        yield from _put_back(rule)


def _put_back(rule: Rule) -> Iterator[Rule]:
    """A rule about reductions, for those that keep dimensions, which its result gets back."""
    axes = dict.fromkeys(_outer_axes(rule.pattern))
    if len(axes) != 1 or set(_outer_axes(rule.pattern, 3)) != {False}:
        return
    (axis,) = axes
    axis = axis[1] if isinstance(axis, tuple) else axis
    if axis is not None:
        asked = [_are_listed(axis)] if isvar(axis) else []
        yield replace(
            rule,
            pattern=_flipped(rule.pattern),
            replacement=T.undrop(rule.replacement, axis),
            conditions=(*rule.conditions, *asked),
        )


_are_listed = Guard("are_listed", lambda axes: axes is not None)


def _outer_axes(term: Any, place: int = 2) -> Iterator[Any]:
    """The axes of the outermost reductions; None where a parameter stands beside them."""
    if isinstance(term, Term) and term[0] in REDUCTIONS:
        yield term[place] if place != 2 or isvar(term[2]) else ("axis", term[2])
    elif isinstance(term, Term) and term[0] is not T.size:  # a length is a number
        settings = len(term) - len(term[0].parameters)
        for part in term[1:settings]:
            yield from _outer_axes(part, place)
        if term[0].parameters:
            yield None  # a move, a softmax ...: it is about dimensions
    elif isvar(term):
        yield None


def _flipped(term: Any) -> Any:
    if not isinstance(term, Term):
        return term
    if term[0] in REDUCTIONS:
        return Term((*term[:3], not term[3]))
    return Term(map(_flipped, term))


def keeping(rule: Rule) -> Iterator[Rule]:
    """A rule about a reduction that is put back where it was, for one that keeps its dimensions."""
    pattern = _kept(rule.pattern)
    if pattern != rule.pattern:
        yield replace(rule, pattern=pattern)


def _kept(term: Any) -> Any:
    if not isinstance(term, Term):
        return term
    inner = term[1]
    if term[0] is T.dimshuffle and isinstance(inner, Term) and inner[0] in REDUCTIONS:
        order, axis = term[2], inner[2]
        if isinstance(order, tuple) and not isvar(axis) and not inner[3]:
            new = tuple(place for place, d in enumerate(order) if d == "x")
            rest = [d for d in order if d != "x"]
            if rest == list(range(len(rest))) and new == normal_axes(axis, len(order)):
                return Term((*map(_kept, inner[:3]), True))
    return Term(map(_kept, term))


def padded(rule: Rule) -> Iterator[Rule]:
    """A rule about reductions beside what they are of, whose dimensions Aesara puts back in front.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def centred(x):
    ...     yield eq(T.exp(x - T.max(x, 0)), T.exp(x) / T.exp(T.max(x, 0)))
    >>> for rule in centred.rules():
    ...     print(*padded(rule))
    exp(x - max(x, axis=0, keepdims=True)) -> exp(x) / exp(max(x, axis=0, keepdims=True))
    """
    orders: dict[Any, Param] = {}
    short = _shorter(rule)
    pattern = _padded(rule.pattern, orders, short)
    known = dict(orders)
    replacement = _padded(rule.replacement, orders)
    axes = [part[2] for part in filter(_is_reduction, known)]
    if pattern == rule.pattern or not all(isvar(axis) or _leads(axis) for axis in axes):
        return
    asked = [_is_leading(axis) for axis in dict.fromkeys(axes) if isvar(axis)]
    asked += [_pads(order) for part, order in known.items() if not _is_reduction(part)]
    unbound = (part for part in orders if part not in known and not _is_reduction(part))
    if next(unbound, None) is None:
        conditions = (*rule.conditions, *asked)
        yield replace(rule, pattern=pattern, replacement=replacement, conditions=conditions)


def _shorter(rule: Rule) -> frozenset[Any]:
    """The parameters that are to have fewer dimensions than others."""
    parameters = set(parameters_of(rule.pattern))
    known = {p: n for p in parameters for n in range(4) if ndim[n](p) in rule.conditions}
    most = 4 if parameters - known.keys() else max(known.values(), default=0)
    return frozenset(p for p, n in known.items() if n < most)


def _padded(
    term: Any, orders: dict[Any, Param], short: Collection[Any] = (), beside: bool = False
) -> Any:
    """A term whose short operands have the dimensions of the long ones beside them.

    Of each there is the order that puts dimensions before it, which a match binds.
    """
    if isvar(term) and beside and term in short:
        return T.dimshuffle(term, orders.setdefault(term, Param(f"{len(orders)}:pad")))
    if not isinstance(term, Term):
        return term
    head, *parts = term
    if beside and head not in ELEMENTWISE and _is_short(term):
        order = orders.setdefault(term, Param(f"{len(orders)}:pad"))
        inner = Term((head, *(_padded(part, orders, short) for part in parts)))
        return Term((*inner[:3], True)) if head in REDUCTIONS else T.dimshuffle(inner, order)
    beside = head in ELEMENTWISE and (beside or not all(_is_short(x, short) for x in parts))
    return Term((head, *(_padded(part, orders, short, beside) for part in parts)))


def _is_short(term: Any, short: Collection[Any] = ()) -> bool:
    """Whether a term has lost dimensions: reductions, what an index takes, what is made of them."""
    if not isinstance(term, Term):
        return not isvar(term) or term in short
    if term[0] in REDUCTIONS:
        return term[3] is False
    if term[0] is T.subtensor:
        index = term[2] if isinstance(term[2], tuple) else ()
        return any(isinstance(place, int) for place in index)
    return term[0] in ELEMENTWISE and all(_is_short(x, short) for x in term[1:])


def _is_reduction(part: Any) -> bool:
    return isinstance(part, Term) and part[0] in REDUCTIONS


def _leads(axes: Any) -> bool:
    """Whether axes are the first ones."""
    if axes is None:
        return True
    listed = axes if isinstance(axes, tuple) else (axes,)
    return sorted(listed) == list(range(len(listed)))


_is_leading = Guard("is_leading", _leads)


def _is_padding(order: Any) -> bool:
    """Whether an order puts new dimensions in front and leaves the others."""
    if not isinstance(order, tuple):
        return False
    kept = [d for d in order if d != "x"]
    return order == ("x",) * (len(order) - len(kept)) + tuple(range(len(kept)))


_pads = Guard("pads", _is_padding)


def turned(rule: Rule) -> Iterator[Rule]:
    """A rule about a parameter whose dimensions are moved, for what is as if they were.

    Aesara moves transpositions to where they cancel, and dimensions of length 1 into what is
    computed: instead of the moved parameter there is another, and that moved back instead of it.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def outer(x, a):
    ...     yield eq(T.dot(T.dimshuffle(x, (0, "x")), a), T.dot(T.exp(x), a))
    >>> for rule in outer.rules():
    ...     print(*turned(rule))
    dot(x, a) -> dot(exp(dimshuffle(x, order=(0,))), a) when is_moved(x, (0, 'x'))
    """
    turns = Counter(_moves(rule.pattern))
    often = Counter(parameters_of(rule.pattern))
    for (parameter, order), times in turns.items():
        longer = "x" in order
        if (longer and often[parameter] != times) or not about_type(rule, parameter):
            continue
        if rule.relation.bundled and (longer or often[parameter] != times):
            continue
        there = T.dimshuffle(
            parameter, tuple(map(order.index, range(len(order) - order.count("x"))))
        )
        pattern, result = (
            with_part(substitute(side, {parameter: there}), T.dimshuffle(there, order), parameter)
            for side in (rule.pattern, rule.replacement)
        )
        kept = (c for c in rule.conditions if parameter not in c.variables or c.guard in KINDS)
        asked = (*kept, _is_moved(parameter, order)) if longer else rule.conditions
        other = replace(rule, pattern=pattern, replacement=result, conditions=asked)
        if longer or not is_growing(other, whole=True):  # what it makes would be turned again
            yield other


def _as_if_moved(value: Any, order: tuple[int | str, ...]) -> bool:
    """Whether a value has length 1 where an order has a new dimension."""
    known = broadcastable_of(value)
    return (
        known is not None
        and len(known) == len(order)
        and all(one for one, d in zip(known, order, strict=True) if d == "x")
    )


_is_moved = Guard("is_moved", _as_if_moved)


def transposed(rule: Rule) -> Iterator[Rule]:
    """A rule about products of matrices, for the transposed products.

    Where its own result is one of those, only for products of what is transposed in the graph.
    """
    matrices = dict.fromkeys(_spine(rule.pattern))
    if not _has_product(rule.pattern):
        return
    if not all(about_type(rule, x) for x in matrices):
        return
    there = {x: T.dimshuffle(x, _TURN) for x in matrices}
    pattern = _turn(rule.pattern, there)
    if by_place(pattern) == by_place(rule.pattern):
        return
    result = T.dimshuffle(substitute(rule.replacement, there), _TURN)
    conditions = tuple(dict.fromkeys((*rule.conditions, *map(ndim[2], matrices))))
    other = replace(rule, pattern=pattern, replacement=result, conditions=conditions)
    if is_growing(other) or is_growing(replace(rule, pattern=pattern), whole=True):
        pattern, result = substitute(pattern, there), T.dimshuffle(rule.replacement, _TURN)
        other = replace(other, pattern=pattern, replacement=result)
    yield other


def _has_product(term: Any) -> bool:
    """Whether a product of matrices is an operand of products and sums, and of nothing else."""
    if not isinstance(term, Term) or (term[0] is not T.dot and term[0] not in ELEMENTWISE):
        return False
    return term[0] is T.dot or any(map(_has_product, term[1:]))


def _spine(term: Any) -> Iterator[Any]:
    """The parameters that are operands of products and sums, and of nothing else in them."""
    if isvar(term):
        yield term
    elif isinstance(term, Term) and (term[0] is T.dot or term[0] in ELEMENTWISE):
        for part in term[1:]:
            yield from _spine(part)


def _turn(term: Any, there: Mapping[Any, Any]) -> Any:
    """A product or sum of matrices transposed, over what stands for them transposed."""
    if not isinstance(term, Term):
        return term
    head, *parts = term
    if head is T.dot:
        parts.reverse()
    elif head not in ELEMENTWISE:
        return T.dimshuffle(substitute(term, there), _TURN)
    return Term((head, *(_turn(part, there) for part in parts)))


def _moves(term: Any) -> Iterator[tuple[Any, tuple[int | str, ...]]]:
    """The parameters of which all dimensions are put in another order, and the order."""
    if isinstance(term, Term):
        order = term[2] if term[0] is T.dimshuffle and isvar(term[1]) else ()
        kept = set(order) - {"x"} if isinstance(order, tuple) else set()
        if kept == set(range(len(kept))) and kept:
            yield term[1], order
        for part in term[1:]:
            yield from _moves(part)
