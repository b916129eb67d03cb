"""What a graph may have in the place of what a user's relation says.

Each equation is followed from left to right, wherever its left side is a part of a pattern: what
holds of ``log(x / y)`` holds of ``log(x) - log(y)`` where that is defined, and what is said of
softplus holds of ``log(1 + exp(x))``. Never the other way round: who says something of
``log(1 + exp(x))`` says nothing of softplus, which is right where that overflows.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

from unification import isvar

from kanrewrite.ac import Eq, eq, match, term
from kanrewrite.guards import is_int, ndim
from kanrewrite.relation import REAL, Rule, substitute
from kanrewrite.rewriter.growing import is_growing
from kanrewrite.rewriter.signs import signed_pattern
from kanrewrite.terms import ELEMENTWISE, Param, T, Term, parameters_of, parts_of, with_part
from kanrewrite.theory import Theory

#: In how many other ways a pattern is put.
WORDINGS = 16
_SYNTAX = Theory("wording").c(T.mul).c(T.maximum).c(T.minimum)
_X, _Y, _Z, _AXIS = (Param(f"wording:{name}") for name in ("x", "y", "z", "axis"))
_N, _LOW, _HIGH = (Param(f"wording:{name}") for name in ("number", "low", "high"))
#: What a logarithm and a root pass: they are defined on the right only where both operands are.
_PASSED = (
    eq(T.log(1 / _X), -T.log(_X)),
    eq(T.log(_X / _Y), T.log(_X) - T.log(_Y)),
    eq(T.log(_X / _Y), -T.log(_Y / _X)),
    eq(T.log(_X * _Y), T.log(_X) + T.log(_Y)),
    eq(T.log(T.sqrt(_X)), T.log(_X) / 2),
    eq(T.sqrt(_X * _Y), T.sqrt(_X) * T.sqrt(_Y)),
    eq(T.sqrt(_X / _Y), T.sqrt(_X) / T.sqrt(_Y)),
)
_COLUMN, _ROW = T.dimshuffle(_X, (0, "x")), T.dimshuffle(_Y, ("x", 0))
#: What is multiplied out, and where a sign is that a difference has taken.
_SPREAD = (
    eq(_COLUMN * _ROW, T.dot(_COLUMN, _ROW)),
    eq(_X * (_Y + _Z), _X * _Y + _X * _Z),
    eq(_X * (_Y - _Z), _X * _Y - _X * _Z),
    eq(-((_X - _Y) / _Z), (_Y - _X) / _Z),
    eq(-(_Z * (_X - _Y)), _Z * (_Y - _X)),
    eq(T.maximum(-_X, 0), -T.minimum(_X, 0)),
    eq(T.minimum(-_X, 0), -T.maximum(_X, 0)),
    eq(T.exp(-_X), 1 / T.exp(_X)),
    eq(T.exp(-_X / _Y), 1 / T.exp(_X / _Y)),
)
#: The same with a number, of which Aesara leaves one or the other.
_SCALED = (
    eq(_N * (_Y + _Z), _N * _Y + _N * _Z),
    eq((_Y + _Z) / _N, _Y / _N + _Z / _N),
    eq(_N * T.dot(_Y, _Z), T.dot(_N * _Y, _Z)),
)
#: A quotient whose divisor holds what is divided, and one without.
_FRACTIONS = (
    eq(_X / (_Y - _X), 1 / (_Y / _X - 1)),
    eq(_X / (_Y + _X), 1 / (_Y / _X + 1)),
    eq(1 / (_Y / _X - 1), _X / (_Y - _X)),
    eq(1 / (_Y / _X + 1), _X / (_Y + _X)),
)
#: What numbers may stand in: either side of a comparison comes first, as written.
_COMPARED = (
    eq(T.lt(_X, _Y), T.gt(_Y, _X)),
    eq(T.gt(_X, _Y), T.lt(_Y, _X)),
    eq(T.le(_X, _Y), T.ge(_Y, _X)),
    eq(T.ge(_X, _Y), T.le(_Y, _X)),
)
#: What keeps to a range, the lower end of which is no more than the upper one.
_RANGES = (
    eq(T.clip(_X, _LOW, _HIGH), T.minimum(T.maximum(_X, _LOW), _HIGH)),
    eq(T.minimum(T.maximum(_X, _LOW), _HIGH), T.maximum(T.minimum(_X, _HIGH), _LOW)),
    eq(T.maximum(T.minimum(_X, _HIGH), _LOW), T.clip(_X, _LOW, _HIGH)),
)
_SUMMED = T.sum(_X * _Y, _AXIS)
#: What Aesara has operators of its own for.
_OF_VECTORS = (
    eq(_SUMMED, T.dot(_X, _Y)),
    eq(T.sum(_X**2, _AXIS), T.dot(_X, _X)),
)
#: And what a logarithm of a parameter is, where that stands elsewhere, too.
_TURNED = eq(T.log(_X), -T.log(1 / _X))


@cache
def meanings() -> tuple[Eq, ...]:
    """What the library says that elementwise operators of one operand mean."""
    from kanrewrite.relations import elementary, sigmoid  # the library is loaded when it is used

    members = (vars(module).values() for module in (sigmoid, elementary))
    relations = dict.fromkeys(r for each in members for r in each if hasattr(r, "equations"))
    stated = (e for r in relations if "define" in r.roles for e in r.equations)
    return tuple(e for side in stated for e in _meanings(side))


def _meanings(equation: Eq) -> Iterator[Eq]:
    """An equation with the operator that it explains on the left."""
    for operator, meaning in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        alone = operator[0] in ELEMENTWISE and len(operator) == 2 and isvar(operator[1])
        if alone and operator[0] not in {part[0] for part in parts_of(meaning) if _is_term(part)}:
            yield eq(operator, meaning)
            return


def in_other_words(rule: Rule) -> Iterator[Rule]:
    """The rules that say the same of what a graph may have instead.

    Examples
    --------
    >>> from kanrewrite.relation import relation
    >>> @relation
    ... def divergence(p, q):
    ...     yield eq(p * T.log(p / q), p * T.log1p((p - q) / q))
    >>> for rule in divergence.rules():
    ...     for other in islice(in_other_words(rule), 3):
    ...         print(other.pattern)
    p * (log(p) - log(q))
    p * (-log(q / p))
    p * log(p) - p * log(q)
    """
    seen = {(_read(rule.pattern), rule.conditions)}
    waiting = deque([rule])
    while waiting and len(seen) <= WORDINGS:
        for other in _once(waiting.popleft()):
            read = _read(other.pattern), other.conditions
            if read in seen or is_growing(other, whole=True):
                continue
            seen.add(read)
            waiting.append(other)
            yield other


def _once(rule: Rule) -> Iterator[Rule]:
    """A rule with one part of its pattern put in another way."""
    pattern = rule.pattern
    often = Counter(parameters_of(pattern))
    for part in parts_of(pattern):
        if not _is_term(part):
            continue
        for equation in _of_head().get(part[0], ()):
            for found in _matches(equation, part):
                other = with_part(pattern, part, substitute(equation.rhs, found))
                yield replace(rule, pattern=other)
        if part[0] is T.log and isvar(part[1]) and often[part[1]] > 1:
            other = with_part(pattern, part, substitute(_TURNED.rhs, {_X: part[1]}))
            yield replace(rule, pattern=other)
    yield from _twice(rule)
    for equation in _OF_VECTORS:
        yield from _of_vectors(rule, equation)
    yield from _of_matrices(rule)
    yield from _as_sums(rule)
    yield from _regrouped(rule)


@cache
def _of_head() -> dict[Any, list[Eq]]:
    """The equations by the operators of their left sides, which those of what they match are."""
    found: dict[Any, list[Eq]] = {}
    for equation in (*meanings(), *_PASSED, *_SPREAD, *_ASKED):
        found.setdefault(equation.lhs[0], []).append(equation)
    return found


def _matches(equation: Eq, part: Term) -> Iterator[dict[Any, Any]]:
    """How a part is the left side of an equation, parameters standing for what they may."""
    asked = _ASKED.get(equation, _are_tensors)
    yield from islice(filter(asked, islice(match(equation.lhs, part, _SYNTAX), _WAYS)), 1)


def _are_tensors(found: Mapping[Any, Any]) -> bool:
    return not any(_is_number(found.get(x)) for x in (_X, _Y, _Z))


def _is_scaled(found: Mapping[Any, Any]) -> bool:
    return _is_number(found[_N]) and found[_N] not in (0, 1) and _are_tensors(found)


def _is_range(found: Mapping[Any, Any]) -> bool:
    low, high = found[_LOW], found[_HIGH]
    return _is_number(low) and _is_number(high) and low <= high and _are_tensors(found)


def _is_fraction(found: Mapping[Any, Any]) -> bool:
    return not _is_number(found[_X])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


#: In how many ways an equation is tried at a part, since factors commute.
_WAYS = 4
#: What parameters may stand for: tensors unless told here, not numbers that are written.
_ASKED: dict[Eq, Callable[[Mapping[Any, Any]], bool]] = {
    **dict.fromkeys(_SCALED, _is_scaled),
    **dict.fromkeys(_FRACTIONS, _is_fraction),
    **dict.fromkeys(_COMPARED, lambda found: True),
    **dict.fromkeys(_RANGES, _is_range),
}


def _twice(rule: Rule) -> Iterator[Rule]:
    """A rule about two times an integer, for what is added to itself: of floats that is read."""
    if not any(c.guard == is_int for c in rule.conditions):
        return
    for part in dict.fromkeys(filter(_is_term, parts_of(rule.pattern))):
        others = [x for x in part[1:] if not (_is_number(x) and x == 2)]
        if part[0] is T.mul and len(part) == 3 and len(others) == 1:
            doubled = T.add(others[0], others[0])
            yield replace(rule, pattern=with_part(rule.pattern, part, doubled))


def _of_vectors(rule: Rule, equation: Eq) -> Iterator[Rule]:
    """A rule about sums along the one axis that there is, which need not be named."""
    pattern, vectors = rule.pattern, dict[Any, None]()
    for part in parts_of(rule.pattern):
        if _is_term(part) and part[0] is T.sum and _is_elementwise(part[1]):
            for found in _matches(equation, part):
                pattern = with_part(pattern, part, substitute(equation.rhs, found))
                vectors.update(dict.fromkeys(parameters_of(part[1])))
    if not vectors:
        return
    left = set(parameters_of(pattern))
    lost = {p: None for p in parameters_of(rule.pattern) if p not in left}
    asked = [c for c in rule.conditions if not lost.keys() & set(c.variables)]
    for words in (pattern, *_with_products_turned(pattern)):
        yield replace(
            rule,
            pattern=words,
            replacement=substitute(rule.replacement, lost),
            conditions=tuple(dict.fromkeys([*asked, *map(ndim[1], vectors)])),
        )


def _with_products_turned(pattern: Any) -> Iterator[Any]:
    """A pattern with one inner product, which commutes, the other way round."""
    for part in dict.fromkeys(p for p in parts_of(pattern) if _is_term(p) and p[0] is T.dot):
        if part[1] != part[2]:
            yield with_part(pattern, part, T.dot(part[2], part[1]))


def _of_matrices(rule: Rule) -> Iterator[Rule]:
    """A rule about one sum of something times a parameter, for a matrix times a vector."""
    often = Counter(parameters_of(rule.pattern))
    for part in (p for p in parts_of(rule.pattern) if _is_term(p) and p[0] is T.sum):
        for found in islice(match(_SUMMED, part, _SYNTAX), _WAYS):
            vector, body, axis = found[_Y], found[_X], found[_AXIS]
            matrices = dict.fromkeys(parameters_of(body))
            alone = isvar(vector) and often[vector] == 1 and isvar(axis) and often[axis] == 1
            if not alone or vector in matrices or not _is_elementwise(part[1]):
                continue
            sizes = (ndim[1](vector), *map(ndim[2], matrices))
            kept = [c for c in rule.conditions if axis not in c.variables]
            for product, along, order in (
                (T.dot(body, vector), (1,), ("x", 0)),
                (T.dot(vector, body), (0,), (0, "x")),
            ):
                meant = {axis: along, vector: T.dimshuffle(vector, order)}
                yield replace(
                    rule,
                    pattern=with_part(rule.pattern, part, product),
                    replacement=substitute(rule.replacement, meant),
                    conditions=tuple(dict.fromkeys([*kept, *sizes])),
                )


def _as_sums(rule: Rule) -> Iterator[Rule]:
    """A rule about inner products of vectors, some of which are written as sums."""
    products = [p for p in parts_of(rule.pattern) if _is_term(p) and p[0] is T.dot]
    if any(isvar(x) and _asks_dimensions(rule, x, 2) for p in products for x in p[1:]):
        return
    inner = list(dict.fromkeys(p for p in products if all(map(isvar, p[1:]))))
    for chosen in ([p] for p in inner) if len(inner) < 2 else (*([p] for p in inner), inner):
        pattern = rule.pattern
        turned = rule.pattern
        for number, part in enumerate(chosen):
            axis = Param(f"wording:{number}:axis")
            pattern = with_part(pattern, part, T.sum(part[1] * part[2], axis))
            turned = with_part(turned, part, T.dot(part[2], part[1]))
        vectors = (ndim[1](x) for part in chosen for x in part[1:])
        conditions = tuple(dict.fromkeys([*rule.conditions, *vectors]))
        yield replace(rule, pattern=pattern, conditions=conditions)
        yield replace(rule, pattern=turned, conditions=conditions)


def _regrouped(rule: Rule) -> Iterator[Rule]:
    """A rule about a product of products of matrices, grouped in another way."""
    for part in dict.fromkeys(p for p in parts_of(rule.pattern) if _is_term(p) and p[0] is T.dot):
        one, other = part[1:]
        if _is_term(one) and one[0] is T.dot and isvar(one[2]):
            middle, whole = one[2], T.dot(one[1], T.dot(one[2], other))
        elif _is_term(other) and other[0] is T.dot and isvar(other[1]):
            middle, whole = other[1], T.dot(T.dot(one, other[1]), other[2])
        else:
            continue
        conditions = tuple(dict.fromkeys([*rule.conditions, ndim[2](middle)]))
        pattern = with_part(rule.pattern, part, whole)
        yield replace(rule, pattern=pattern, conditions=conditions)


def _asks_dimensions(rule: Rule, parameter: Any, number: int) -> bool:
    """Whether a parameter is to have so many dimensions."""
    return ndim[number](parameter) in rule.conditions


def _is_elementwise(body: Any) -> bool:
    return all(part[0] in ELEMENTWISE for part in parts_of(body) if _is_term(part))


def _read(pattern: Any) -> Any:
    """A pattern as a match reads it: two that are one say the same."""
    return term(signed_pattern(pattern), REAL)


def _is_term(part: Any) -> bool:
    return isinstance(part, Term)
