"""Random relations of what is computed along an axis: none is left out, and nearly all fire."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kanrewrite import Axis, Eq, Float, T, eq, relation
from kanrewrite.errors import RelationError
from kanrewrite.relation import Relation, substitute
from kanrewrite.terms import Param
from kanrewrite.unify import as_graph
from tests.users.common import at, canonical, rewritten, same

A, B = at.matrices("ab")
#: What a pattern is of two parameters along an axis.
Side = Callable[[Any, Any, Any], Any]

UNARY = [
    getattr(T, name)
    for name in (
        "exp", "log", "tanh", "sigmoid", "softplus", "sqr", "sqrt", "abs", "cosh", "sin", "log1p",
        "expm1", "reciprocal", "neg", "erf",
    )
]  # fmt: skip
BINARY: list[Callable[[Any, Any], Any]] = [
    lambda u, v: u + v, lambda u, v: u - v, lambda u, v: u * v, lambda u, v: u / v,
]  # fmt: skip
WITH_NUMBERS: list[Callable[[Any], Any]] = [
    lambda u: 2 * u, lambda u: u / 2, lambda u: 1 - u, lambda u: u + 3, lambda u: u**2,
]  # fmt: skip
REDUCED = [T.sum, T.sum, T.sum, T.mean, T.max, T.min, T.prod]
OF_TWO: list[Callable[[Any, Any], Any]] = [
    lambda u, v: u, lambda u, v: u / v, lambda u, v: u * v, lambda u, v: u - v,
    lambda u, v: T.log(u), lambda u, v: u / T.sqrt(v), lambda u, v: T.log(u) - T.log(v),
    lambda u, v: u / (u + v), lambda u, v: T.log(1 + u),
]  # fmt: skip


def elementwise(rng: random.Random, depth: int) -> Side:
    """An elementwise formula, with reductions that keep their dimensions among its operands."""
    if depth == 0:
        return rng.choice([lambda x, y, axis: x, lambda x, y, axis: y])
    kind, inner = rng.random(), elementwise(rng, depth - 1)
    if kind < 0.5:
        f = rng.choice(UNARY)
        return lambda x, y, axis: f(inner(x, y, axis))
    if kind < 0.6:
        f = rng.choice(WITH_NUMBERS)
        return lambda x, y, axis: f(inner(x, y, axis))
    join, other = rng.choice(BINARY), elementwise(rng, depth - 1)
    if kind < 0.85:
        return lambda x, y, axis: join(inner(x, y, axis), other(x, y, axis))
    reduce = rng.choice(REDUCED)
    return lambda x, y, axis: join(inner(x, y, axis), reduce(x * y, axis, keepdims=True))


def random_side(rng: random.Random) -> Side:
    """A function of one or two reductions along the axis."""
    of, first, second = rng.choice(OF_TWO), rng.choice(REDUCED), rng.choice(REDUCED)
    one, other = elementwise(rng, rng.choice([1, 2, 2, 3])), elementwise(rng, rng.choice([1, 2]))
    return lambda x, y, axis: of(first(one(x, y, axis), axis), second(other(x, y, axis), axis))


def stated(side: Side) -> Relation | None:
    """The relation, with anything on its right side; None where it is refused as it is stated."""

    def found(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
        yield eq(side(x, y, axis), T.erf(T.sum(x + y, axis)))

    try:
        return relation(found)
    except RelationError:  # one of its parameters is on the right side alone
        return None


X, Y, AXIS = (Param(f"random:{name}") for name in ("x", "y", "axis"))
SEEDS = [7, *(pytest.param(n, marks=pytest.mark.slow) for n in range(7))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_relations_are_followed(seed: int) -> None:
    fired, graphs = 0, 0
    for number in range(16):
        side = random_side(random.Random(f"{seed}/{number}"))
        made = stated(side)
        if made is None:
            continue
        whole = as_graph(substitute(side(X, Y, AXIS), {X: A, Y: B, AXIS: 1}))
        for graph in (whole, whole[:, None], 2 * whole + A[:, 0]):
            written = canonical(graph)
            new = rewritten(written, made)  # a warning that it was left out is an error
            fired += not same(new, written)
            graphs += 1
    assert graphs > 15
    assert fired >= 0.75 * graphs
