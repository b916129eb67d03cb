"""A reduction is built once, in whichever order of its dimensions it is needed."""

from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.graph.fg import FunctionGraph

from kanrewrite import registry
from kanrewrite.ops import Supremum
from kanrewrite.view.context import PLAIN
from kanrewrite.view.forms import ONE, Lin
from kanrewrite.view.passes import LiftingPass
from kanrewrite.view.read import View
from kanrewrite.view.turning import turned, turned_around, turns
from tests.benchmarks.unrolled import regimes

X: Any = at.dmatrix("x")
W: Any = at.dmatrix("w")
V: Any = at.dvector("v")


def rewritten(outputs: list[Any]) -> FunctionGraph:
    fgraph = FunctionGraph(outputs=outputs, clone=False)
    LiftingPass(registry.relations()).apply(fgraph)
    return fgraph


def maxima(fgraph: FunctionGraph) -> int:
    return sum(isinstance(node.op, Supremum) for node in fgraph.apply_nodes)


@pytest.mark.parametrize(
    ("outputs", "count"),
    [
        ([at.log(at.exp(X).sum(axis=1)), at.log(at.exp(X.T).sum(axis=0))], 1),
        ([at.log(at.exp(V).sum()), at.log(at.exp(V.dimshuffle("x", 0)).sum(axis=1))], 1),
        ([at.log(at.exp(V).sum()), at.log(at.exp(V.dimshuffle(0, "x")).sum(axis=0)) * X], 1),
        ([at.log(at.exp(X).sum(axis=1)), at.log(at.exp(X).sum(axis=0))], 2),
        ([at.log(at.exp(X).sum(axis=1)), at.log(at.exp(3 * X).sum(axis=1))], 1),
    ],
    ids=["transposed", "row", "column", "along another axis", "of a multiple"],
)
def test_one_maximum_serves_all_orders(outputs: list[Any], count: int) -> None:
    inputs = [X, V]
    fgraph = rewritten(outputs)
    assert maxima(fgraph) == count
    function = aesara.function(
        inputs, fgraph.outputs, mode="FAST_COMPILE", on_unused_input="ignore"
    )
    x, v = np.arange(12.0).reshape(3, 4) * 300, np.arange(4.0) * 500
    assert all(np.isfinite(value).all() for value in function(x, v))


@pytest.mark.slow
def test_steps_of_a_filter_share_their_maxima() -> None:
    counts = []
    for steps in (2, 3, 4):
        inputs, loss = regimes(steps)
        gradients: Any = aesara.grad(loss, [v for v, _ in inputs])
        counts.append(maxima(rewritten([loss, *gradients])))
    assert counts[2] - counts[1] <= 6
    assert counts[2] - counts[1] == counts[1] - counts[0]


def test_a_turn_and_its_way_back() -> None:
    view = View()
    a = view.algebra("float64")
    shift = a.shift(a.lin({view.read(X): ONE}), (1,))
    assert turns(shift) == [(1, 0)]
    other, back = turned(shift, (1, 0), a)
    assert other is a.shuffle(shift, (1, 0))
    assert a.move(other, back) is shift
    assert turned_around(PLAIN, shift, (1, 0), a) == PLAIN


def test_where_a_sum_divides_is_turned_too() -> None:
    view = View()
    a = view.algebra("float64")
    x, mask = a.lin({view.read(X): ONE}), view.read(W)
    around = PLAIN._replace(masks={(x, (1,)): frozenset([(mask,)])})
    form = a.shift(x, (1,))
    found = turned_around(around, form, (1, 0), a)
    assert found is not None
    ((lin, axes),) = found.masks
    assert isinstance(lin, Lin)
    assert a.shuffle(a.add_terms(dict(lin.terms)), (1, 0)) is view.read(X)
    assert axes == (0,)
    assert found.masks[lin, axes] == frozenset([(a.shuffle(mask, (1, 0)),)])
    vector = PLAIN._replace(masks={(a.lin({view.read(V): ONE}), (0,)): frozenset([()])})
    assert turned_around(vector, form, (1, 0), a) is None
