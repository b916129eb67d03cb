"""Products: what a rule says of sums of products, and of products of matrices, in other words.

Aesara has operators of its own for them: a sum of products of vectors is their ``dot``, one along
an axis of a matrix is that of the matrix and a vector, and products of matrices are grouped
anyhow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import aesara.tensor as at
from unification import isvar

from kanrewrite.ac import Eq, eq
from kanrewrite.guards import ndim
from kanrewrite.relation import Rule, substitute
from kanrewrite.rewriter.heads import required
from kanrewrite.rewriter.sides import AXIS, X, Y, first_match, is_term, ways
from kanrewrite.terms import ELEMENTWISE, Param, T, parameters_of, parts_of, with_part
from kanrewrite.unify import as_graph

_LEFT, _RIGHT = Param("wording:left"), Param("wording:right")
_SUMMED = T.sum(X * Y, AXIS)
#: What Aesara has operators of its own for.
_OF_VECTORS = tuple(
    stated
    for body, whole in (
        (X * Y, T.dot(X, Y)),
        (X**2, T.dot(X, X)),
        (T.sqr(X), T.dot(X, X)),
    )
    for kept in (False, True)
    for stated in (
        eq(T.sum(body, AXIS, keepdims=kept), whole),
        eq(T.mean(body, AXIS, keepdims=kept), whole / T.size(X, 0)),
    )
)


def of_products(rule: Rule) -> Iterator[Rule]:
    """A rule with products, or sums of them, in the operators that Aesara has for them."""
    for equation in _OF_VECTORS:
        yield from _of_vectors(rule, equation)
    yield from _of_matrices(rule)
    yield from _as_sums(rule)
    yield from _regrouped(rule)
    yield from _in_longer_products(rule)


def _of_vectors(rule: Rule, equation: Eq) -> Iterator[Rule]:
    """A rule about sums along the one axis that there is, which need not be named."""
    pattern, vectors = rule.pattern, dict[Any, None]()
    for part in parts_of(rule.pattern):
        if is_term(part) and part[0] is equation.lhs[0] and _is_elementwise(part[1]):
            for found in first_match(equation, part):
                pattern = with_part(pattern, part, substitute(equation.rhs, found))
                vectors.update(dict.fromkeys(parameters_of(part[1])))
    if not vectors:
        return
    left = set(parameters_of(pattern))
    lost = {p: (0,) for p in parameters_of(rule.pattern) if p not in left}
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
    for part in dict.fromkeys(p for p in parts_of(pattern) if is_term(p) and p[0] is T.dot):
        if part[1] != part[2]:
            yield with_part(pattern, part, T.dot(part[2], part[1]))


def _of_matrices(rule: Rule) -> Iterator[Rule]:
    """A rule about one sum of something times a parameter, for a matrix and a vector.

    The sum of the parameter itself, as an average by weights divides by, is that of the vector.
    """
    for part in (p for p in parts_of(rule.pattern) if is_term(p) and p[0] is T.sum):
        for found in ways(_SUMMED, part):
            vector, body, axis = found[Y], found[X], found[AXIS]
            matrices = dict.fromkeys(parameters_of(body))
            if any(_asks_dimensions(rule, x, 1) for x in matrices):
                continue
            if _is_weighted(rule.pattern, part, vector, body, axis):
                sizes = (ndim[1](vector), *map(ndim[2], matrices))
                kept = [c for c in rule.conditions if axis not in c.variables]
                conditions = tuple(dict.fromkeys([*kept, *sizes]))
                for pattern, meant in _weighted(rule.pattern, part, vector, body, axis):
                    replacement = substitute(rule.replacement, meant)
                    yield replace(
                        rule, pattern=pattern, replacement=replacement, conditions=conditions
                    )


def _is_weighted(pattern: Any, part: Any, vector: Any, body: Any, axis: Any) -> bool:
    """Whether a sum is one of elementwise operators times a parameter that is nowhere else."""
    if not (isvar(vector) and isvar(axis)) or not _is_elementwise(part[1]):
        return False
    often, own = Counter(parameters_of(pattern)), T.sum(vector, axis)
    known = 1 + sum(p == own for p in parts_of(pattern))
    return often[vector] == often[axis] == known and vector not in set(parameters_of(body))


def _weighted(
    pattern: Any, part: Any, vector: Any, body: Any, axis: Any
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """A pattern for a matrix and a vector along either axis, and what parameters stand for."""
    own = T.sum(vector, axis)
    rest = with_part(pattern, own, T.sum(vector, 0, keepdims=True))
    for whole, along, order in (
        (T.dot(body, vector), (1,), ("x", 0)),
        (T.dot(vector, body), (0,), (0, "x")),
    ):
        row = T.dimshuffle(vector, order)
        meant = {axis: along, vector: row}
        yield with_part(rest, part, whole), meant
        if rest != pattern:
            yield with_part(rest, part, T.sum(body * row, along)), meant


def _as_sums(rule: Rule) -> Iterator[Rule]:
    """A rule about inner products of vectors, some of which are written as sums."""
    products = [p for p in parts_of(rule.pattern) if is_term(p) and p[0] is T.dot]
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
    for part in dict.fromkeys(p for p in parts_of(rule.pattern) if is_term(p) and p[0] is T.dot):
        one, other = part[1:]
        if is_term(one) and one[0] is T.dot and isvar(one[2]):
            middle, whole = one[2], T.dot(one[1], T.dot(one[2], other))
        elif is_term(other) and other[0] is T.dot and isvar(other[1]):
            middle, whole = other[1], T.dot(T.dot(one, other[1]), other[2])
        else:
            continue
        conditions = tuple(dict.fromkeys([*rule.conditions, ndim[2](middle)]))
        pattern = with_part(rule.pattern, part, whole)
        yield replace(rule, pattern=pattern, conditions=conditions)


def _in_longer_products(rule: Rule) -> Iterator[Rule]:
    """A rule about a product of matrices that begins in one to its left, or ends to its right."""
    head, *parts = rule.pattern
    if head is not T.dot or required(rule.pattern) <= {"dot"}:
        return
    (one, other), result = parts, rule.replacement
    for more, pattern, replacement, middle in (
        (_LEFT, T.dot(T.dot(_LEFT, one), other), T.dot(_LEFT, result), one),
        (_RIGHT, T.dot(one, T.dot(other, _RIGHT)), T.dot(result, _RIGHT), other),
    ):
        if more in set(parameters_of(rule.pattern)) or not _is_matrix(middle):
            continue
        matrices = map(ndim[2], dict.fromkeys(parameters_of(middle)))
        conditions = tuple(dict.fromkeys([*rule.conditions, *matrices]))
        yield replace(rule, pattern=pattern, replacement=replacement, conditions=conditions)


def _is_matrix(part: Any) -> bool:
    """Whether a part of a pattern is a matrix where all its parameters are."""
    matrices = {parameter: at.dmatrix() for parameter in parameters_of(part)}
    try:
        return bool(as_graph(substitute(part, matrices)).type.ndim == 2)
    except Exception:  # noqa: BLE001  # whatever an Op, or a setting that is a parameter, raises
        return False


def _asks_dimensions(rule: Rule, parameter: Any, number: int) -> bool:
    """Whether a parameter is to have so many dimensions."""
    return ndim[number](parameter) in rule.conditions


def _is_elementwise(body: Any) -> bool:
    return all(part[0] in ELEMENTWISE for part in parts_of(body) if is_term(part))
