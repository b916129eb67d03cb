"""What a graph may have in the place of what a user's relation says.

Each equation is followed from left to right, wherever its left side is a part of a pattern: what
holds of ``log(x / y)`` holds of ``log(x) - log(y)`` where that is defined, and what is said of
softplus holds of ``log(1 + exp(x))``. Never the other way round: who says something of
``log(1 + exp(x))`` says nothing of softplus, which is right where that overflows.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from unification import isvar

from kanrewrite.ac import Eq, eq, term
from kanrewrite.guards import is_int
from kanrewrite.relation import REAL, Rule, substitute
from kanrewrite.rewriter.growing import is_growing
from kanrewrite.rewriter.products import of_products
from kanrewrite.rewriter.sides import (
    AXIS,
    Found,
    X,
    Y,
    Z,
    are_tensors,
    first_match,
    is_number,
    is_term,
)
from kanrewrite.rewriter.signs import signed_pattern
from kanrewrite.terms import (
    ELEMENTWISE,
    Param,
    T,
    parameters_of,
    parts_of,
    with_part,
)

#: In how many other ways a pattern is put.
WORDINGS = 16
_N, _LOW, _HIGH = (Param(f"wording:{name}") for name in ("number", "low", "high"))
#: What a logarithm and a root pass: they are defined on the right only where both operands are.
_PASSED = (
    eq(T.log(1 / X), -T.log(X)),
    eq(T.log(X / Y), T.log(X) - T.log(Y)),
    eq(T.log(X / Y), -T.log(Y / X)),
    eq(T.log(X * Y), T.log(X) + T.log(Y)),
    eq(T.log(T.mean(X, AXIS)), T.log(T.sum(X, AXIS)) - T.log(T.size(X, AXIS))),
    eq(T.log(T.sqrt(X)), T.log(X) / 2),
    eq(T.sqrt(X * Y), T.sqrt(X) * T.sqrt(Y)),
    eq(T.sqrt(X / Y), T.sqrt(X) / T.sqrt(Y)),
)
_COLUMN, _ROW = T.dimshuffle(X, (0, "x")), T.dimshuffle(Y, ("x", 0))
#: What is multiplied out, and where a sign is that a difference has taken.
_SPREAD = (
    eq(_COLUMN * _ROW, T.dot(_COLUMN, _ROW)),
    eq(X * (Y + Z), X * Y + X * Z),
    eq(X * (Y - Z), X * Y - X * Z),
    eq(-((X - Y) / Z), (Y - X) / Z),
    eq(-(Z * (X - Y)), Z * (Y - X)),
    eq(T.maximum(-X, 0), -T.minimum(X, 0)),
    eq(T.maximum(X, 0), -T.minimum(-X, 0)),
    eq(T.minimum(-X, 0), -T.maximum(X, 0)),
    eq(T.minimum(X, 0), -T.maximum(-X, 0)),
    eq(T.exp(-X), 1 / T.exp(X)),
    eq(T.exp(-X / Y), 1 / T.exp(X / Y)),
)
#: The same with a number, of which Aesara leaves one or the other.
_SCALED = (
    eq(_N * (Y + Z), _N * Y + _N * Z),
    eq((Y + Z) / _N, Y / _N + Z / _N),
    eq(_N * T.dot(Y, Z), T.dot(_N * Y, Z)),
)
#: A quotient whose divisor holds what is divided, and one without.
_FRACTIONS = (
    eq(X / (Y - X), 1 / (Y / X - 1)),
    eq(X / (Y + X), 1 / (Y / X + 1)),
    eq(1 / (Y / X - 1), X / (Y - X)),
    eq(1 / (Y / X + 1), X / (Y + X)),
)
#: What numbers may stand in: either side of a comparison, or of a difference, comes first.
_COMPARED = (
    eq(T.maximum(X - Y, 0), -T.minimum(Y - X, 0)),
    eq(T.minimum(X - Y, 0), -T.maximum(Y - X, 0)),
    eq(T.lt(X, Y), T.gt(Y, X)),
    eq(T.gt(X, Y), T.lt(Y, X)),
    eq(T.le(X, Y), T.ge(Y, X)),
    eq(T.ge(X, Y), T.le(Y, X)),
)
#: What keeps to a range, the lower end of which is no more than the upper one.
_RANGES = (
    eq(T.clip(X, _LOW, _HIGH), T.minimum(T.maximum(X, _LOW), _HIGH)),
    eq(T.minimum(T.maximum(X, _LOW), _HIGH), T.maximum(T.minimum(X, _HIGH), _LOW)),
    eq(T.maximum(T.minimum(X, _HIGH), _LOW), T.clip(X, _LOW, _HIGH)),
)
#: And what a logarithm of a parameter is, where that stands elsewhere, too.
_TURNED = eq(T.log(X), -T.log(1 / X))


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
        if alone and operator[0] not in {part[0] for part in parts_of(meaning) if is_term(part)}:
            yield eq(operator, meaning)
            return


def in_other_words(rule: Rule) -> Iterator[Rule]:
    """The rules that say the same of what a graph may have instead.

    Examples
    --------
    >>> from itertools import islice
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
        if not is_term(part):
            continue
        for equation in _of_head().get(part[0], ()):
            for found in first_match(equation, part, _ASKED.get(equation, are_tensors)):
                other = with_part(pattern, part, substitute(equation.rhs, found))
                yield replace(rule, pattern=other)
        if part[0] is T.log and isvar(part[1]) and often[part[1]] > 1:
            other = with_part(pattern, part, substitute(_TURNED.rhs, {X: part[1]}))
            yield replace(rule, pattern=other)
    yield from _twice(rule)
    yield from of_products(rule)


@cache
def _of_head() -> dict[Any, list[Eq]]:
    """The equations by the operators of their left sides, which those of what they match are."""
    found: dict[Any, list[Eq]] = {}
    for equation in (*meanings(), *_PASSED, *_SPREAD, *_ASKED):
        found.setdefault(equation.lhs[0], []).append(equation)
    return found


def _is_scaled(found: Found) -> bool:
    return is_number(found[_N]) and found[_N] not in (0, 1) and are_tensors(found)


def _is_range(found: Found) -> bool:
    low, high = found[_LOW], found[_HIGH]
    return is_number(low) and is_number(high) and low <= high and are_tensors(found)


def _is_fraction(found: Found) -> bool:
    return not is_number(found[X])


#: What parameters may stand for: tensors unless told here, not numbers that are written.
_ASKED: dict[Eq, Callable[[Found], bool]] = {
    **dict.fromkeys(_SCALED, _is_scaled),
    **dict.fromkeys(_FRACTIONS, _is_fraction),
    **dict.fromkeys(_COMPARED, lambda found: True),
    **dict.fromkeys(_RANGES, _is_range),
}


def _twice(rule: Rule) -> Iterator[Rule]:
    """A rule about two times an integer, for what is added to itself: of floats that is read."""
    if not any(c.guard == is_int for c in rule.conditions):
        return
    for part in dict.fromkeys(filter(is_term, parts_of(rule.pattern))):
        others = [x for x in part[1:] if not (is_number(x) and x == 2)]
        if part[0] is T.mul and len(part) == 3 and len(others) == 1:
            doubled = T.add(others[0], others[0])
            yield replace(rule, pattern=with_part(rule.pattern, part, doubled))


def _read(pattern: Any) -> Any:
    """A pattern as a match reads it: two that are one say the same."""
    return term(signed_pattern(pattern), REAL)
