"""Own Ops: a lift or a sink that somebody states makes values and derivatives right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import aesara
import numpy as np
import pytest
from aesara.graph.op import Op
from aesara.printing import debugprint

from kanrewrite import Eq, Float, T, eq, registry, relation
from tests.laws.ops import at, flip, pool, tops, twice
from tests.sparing import sparing
from tests.view.common import truth
from tests.view.uses import falsified

FLIP, POOL, TOPS, TWICE = map(T.of, (flip, pool, tops, twice))


@relation(role="lift")
def flips(a: Float, r: Float) -> Iterator[Eq]:
    """What is flipped passes products and exponentials."""
    yield eq(FLIP(T.exp(a) * r), T.exp(FLIP(a)) * FLIP(r))


@relation(role="lift")
def repeats(a: Float, r: Float) -> Iterator[Eq]:
    """What is repeated passes products and exponentials."""
    yield eq(TWICE(T.exp(a) * r), T.exp(TWICE(a)) * TWICE(r))


@relation(role="sink")
def pool_shifts(a: Float, r: Float) -> Iterator[Eq]:
    """The larger exponent leaves a sum of pairs."""
    m = T.finite(TOPS(a))
    yield eq(POOL(T.exp(a) * r), T.exp(m) * POOL(T.exp(a - TWICE(m)) * r))


#: The same by Aesara's own Ops, which the library knows.
KNOWN: dict[Op, Callable[[Any], Any]] = {
    flip: lambda x: x[:, ::-1],
    pool: lambda x: x[:, ::2] + x[:, 1::2],
}

x, v = at.dmatrices("x", "v")
STATED: dict[Op, list[Any]] = {flip: [flips], pool: [pool_shifts, repeats]}
#: What is written is run, after what relations make of it.
AS_WRITTEN = aesara.compile.mode.Mode(linker="py", optimizer="merge")


def stabilized(outputs: list[Any], stated: list[Any]) -> list[Any]:
    """What the library and some relations make of graphs."""
    with registry.disabled():
        registry.enable()
        for one in stated:
            registry.register(one)
        try:
            return registry.stabilize(outputs)
        finally:
            for one in stated:
                registry.unregister(one)


def derived(op: Callable[[Any], Any], build: Callable[[Any, Any], Any]) -> list[Any]:
    """A value, its gradient, and the product of its Hessian with a vector."""
    y = build(op, x)
    weights = at.arange(y.size, dtype="float64").reshape(y.shape) + 1
    gradient = aesara.grad((y * weights).sum(), x)
    return [y, gradient, aesara.grad((gradient * v).sum(), x)]


BUILDS: dict[str, Callable[[Any, Any], Any]] = {
    "log": lambda op, x: at.log(op(at.exp(x))),
    "log_of_weighted": lambda op, x: at.log(op(at.exp(x) * (1 + x**2))),
    "ratio": lambda op, x: op(at.exp(x) * at.tanh(x)) / op(at.exp(x)),
}


@pytest.mark.spared
@pytest.mark.parametrize("build", sparing(BUILDS, 2))
@pytest.mark.parametrize("op", STATED, ids=str)
def test_values_and_derivatives_are_right(op: Op, build: str) -> None:
    outputs = stabilized(derived(op, BUILDS[build]), STATED[op])
    mine = aesara.function([x, v], outputs, mode=AS_WRITTEN)
    known = derived(KNOWN[op], BUILDS[build])
    rng = np.random.default_rng(3)
    for magnitude in (1.0, 1e3, -1e4):
        where = magnitude + rng.normal(size=(3, 4)) * abs(magnitude) ** 0.5
        values = [where, rng.normal(size=(3, 4))]
        with np.errstate(all="ignore"):
            found = mine(*values)
        atol = 1e-13 * max(1, abs(magnitude))  # what rounding does to exponents so large
        for one, expected in zip(found, truth(known, [x, v], values), strict=True):
            np.testing.assert_allclose(one, expected, rtol=1e-9, atol=atol)


@pytest.mark.parametrize("op", [*STATED, tops], ids=str)
def test_an_op_of_which_nothing_is_said_is_a_leaf(op: Op) -> None:
    graph = at.log(op(at.exp(x)))
    before = debugprint(graph, file="str", id_type="int")
    assert debugprint(stabilized([graph], []), file="str", id_type="int") == before


def test_what_is_said_of_one_op_changes_nothing_of_another() -> None:
    graph = at.log(tops(at.exp(x))) + at.log(pool(at.exp(x)))
    (found,) = stabilized([graph], STATED[flip])
    assert debugprint(found, file="str") == debugprint(stabilized([graph], []), file="str")


def test_exponents_that_are_broadcast() -> None:
    column = at.dcol("column")
    graph = at.log(flip(at.exp(x) * at.exp(-column)))
    (found,) = stabilized([graph], STATED[flip])
    values = np.array([[1e3, -1e3, 0.5]]), np.array([[1e3]])
    with np.errstate(all="ignore"):
        value = aesara.function([x, column], found, mode=AS_WRITTEN)(*values)
    np.testing.assert_allclose(value, values[0][:, ::-1] - values[1])


@pytest.mark.parametrize("op", STATED, ids=str)
def test_what_runs_is_the_equation(op: Op) -> None:
    graphs = derived(op, BUILDS["log"])[:1]
    with_it = debugprint(stabilized(graphs, STATED[op]), file="str")
    for one in STATED[op][:1]:
        others = [r for r in STATED[op] if r is not one]
        assert debugprint(stabilized(graphs, others), file="str") != with_it
        assert debugprint(stabilized(graphs, [falsified(one), *others]), file="str") != with_it
