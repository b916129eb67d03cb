"""Loops carry what relations state: falsified they carry something else, without them nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode
from aesara.graph.fg import FunctionGraph
from aesara.printing import debugprint

from kanrewrite import registry
from kanrewrite.inner.carrying import LevelsPass
from kanrewrite.inner.levels import LACKS, LOGS, WHOLE, Levels
from kanrewrite.registry.database import LibraryPass
from kanrewrite.relation import Relation
from kanrewrite.view.carrying import carrying
from tests.view.uses import falsified

LIBRARY = {r.name: r for r in registry.usual()}
LAWS = LibraryPass(tuple(LIBRARY.values())).lifting.laws
PLAIN = Mode(linker="py", optimizer="merge")


def product(x: Any) -> Any:
    """The log of what is multiplied in each step."""
    return at.log(aesara.scan(lambda r, s: s * at.exp(r), [x], [at.exp(x[0])])[0][-1])


def of_any_sign(x: Any) -> Any:
    """The log of the size of a product that may be negative."""
    step = aesara.scan(lambda r, s: s * r * at.exp(r), [x], [x[0] * at.exp(x[0])])[0]
    return at.log(at.abs(step[-1]))


def believed(x: Any) -> Any:
    """The log of odds that a step makes of a probability, and what that lacks to 1."""

    def step(row: Any, p: Any) -> Any:
        q = p * at.exp(row / 4)
        return q / (q + (1 - p))

    return at.log(aesara.scan(step, [x], [at.ones(2) / 2])[0][-1])


#: What is asked for of loops, and the relations that are followed for it.
ASKED: list[tuple[Callable[[Any], Any], str]] = [
    (product, LOGS), (of_any_sign, LOGS), (product, WHOLE), (of_any_sign, WHOLE),
    (believed, LACKS),
]  # fmt: skip


def carried(build: Callable[[Any], Any], relations: Iterable[Relation]) -> FunctionGraph:
    """A graph in which loops carry what relations state."""
    x = at.matrix("x")
    fgraph = FunctionGraph([x], [build(x)], clone=True)
    LevelsPass(lambda: carrying(LAWS), Levels(relations)).apply(fgraph)
    return fgraph


def computed(fgraph: FunctionGraph) -> Any:
    values = np.random.default_rng(0).normal(size=(3, 2))
    return aesara.function(fgraph.inputs, fgraph.outputs, mode=PLAIN)(values)[0]


def text(fgraph: FunctionGraph) -> str:
    return str(debugprint(fgraph, file="str"))


@pytest.mark.spared
@pytest.mark.parametrize(("build", "name"), ASKED)
def test_what_is_carried_is_the_equation(build: Callable[[Any], Any], name: str) -> None:
    stated = [LIBRARY[n] for n in (LOGS, LACKS)] if name == LOGS else list(LIBRARY.values())
    false = [falsified(r) if r.name == name else r for r in stated]
    x = at.matrix("x")
    written, right = FunctionGraph([x], [build(x)], clone=True), carried(build, stated)
    assert text(right) != text(written)
    np.testing.assert_allclose(computed(right), computed(written), rtol=1e-9)
    wrong = carried(build, false)
    assert text(wrong) != text(right)
    if name != LACKS:  # what would lack something else is no product, and not carried
        assert np.abs(computed(wrong) - computed(written)).max() > 0.1


@pytest.mark.spared(2)
@pytest.mark.parametrize(("build", "name"), ASKED[2:])
def test_what_is_not_stated_is_not_carried(build: Callable[[Any], Any], name: str) -> None:
    others = [r for r in LIBRARY.values() if r.name != name]
    without, right = (carried(build, relations) for relations in (others, LIBRARY.values()))
    assert text(without) != text(right)
    np.testing.assert_allclose(computed(without), computed(right), rtol=1e-9)
