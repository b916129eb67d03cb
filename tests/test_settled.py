"""A graph that a pass has left is known again, as it is or cloned, and costs a look-up a node."""

from __future__ import annotations

import pickle
from cProfile import Profile
from pstats import Stats
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import optdb
from aesara.graph.basic import Constant
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.db import RewriteDatabaseQuery

from kanrewrite import registry
from kanrewrite.registry.database import LibraryPass
from kanrewrite.registry.settled import Mark, settle, settled
from tests.benchmarks.arithmetic import SQUASHED, large
from tests.benchmarks.unrolled import MODELS

X, Y = at.dvectors("x", "y")
#: A look-up a node: so many calls.
CALLS = 30


def model(name: str) -> FunctionGraph:
    """Value and gradients of a model, as they are when the library sees them."""
    make, steps = MODELS[name]
    shaped, loss = make(steps[0])
    inputs = [v for v, _ in shaped]
    gradients: Any = aesara.grad(loss, inputs)
    fgraph = FunctionGraph(inputs, [loss, *gradients], clone=True)
    optdb.query(RewriteDatabaseQuery(include=["canonicalize"])).rewrite(fgraph)
    return fgraph


def elsewhere(fgraph: FunctionGraph) -> FunctionGraph:
    return FunctionGraph(fgraph.inputs, fgraph.outputs, clone=True)


@pytest.mark.spared
@pytest.mark.parametrize("name", ["hidden", "memory", "labels", "regimes", "attention"])
def test_what_a_pass_has_built_it_leaves(name: str) -> None:
    fgraph, library = model(name), LibraryPass(registry.usual())
    library.apply(fgraph)
    assert library.lifting.built_count > 0
    nodes = set(fgraph.apply_nodes)
    for again in (fgraph, fgraph.clone(), elsewhere(fgraph)):
        library.apply(again)
        assert library.lifting.read_count == library.lifting.form_count == 0
        assert len(again.apply_nodes) == len(nodes)
    assert fgraph.apply_nodes == nodes


def test_a_second_pass_costs_a_look_up_a_node() -> None:
    inputs, outputs = large("shared", 4000, SQUASHED["softplus"])
    fgraph, library = FunctionGraph(inputs, outputs, clone=False), LibraryPass(registry.usual())
    library.apply(fgraph)
    assert library.lifting.read_count > 0
    profile = Profile()
    profile.runcall(library.apply, fgraph)
    total: int = Stats(profile).total_calls  # type: ignore[attr-defined]
    assert total < CALLS * len(fgraph.apply_nodes)


def known(output: Any) -> FunctionGraph:
    fgraph = FunctionGraph([X, Y], [output], clone=True)
    settle(fgraph, "key")
    assert settled(fgraph, "key")
    return fgraph


def test_another_pass_does_not_know_it() -> None:
    assert not settled(known(at.exp(X)), "other")


def test_what_has_changed_is_not_known() -> None:
    fgraph = known(at.exp(X) + at.exp(Y))
    add = fgraph.outputs[0].owner
    fgraph.replace(add.inputs[1], at.sin(fgraph.inputs[1]), import_missing=False)
    assert not settled(fgraph, "key")


def test_another_input_in_its_place_is_not_known() -> None:
    fgraph = known(at.exp(X) - at.sin(Y))
    x, y = fgraph.inputs
    fgraph.replace(x, y)
    assert not settled(fgraph, "key")


def test_a_part_of_it_is_not_known() -> None:
    fgraph = known(at.exp(X) + at.exp(Y))
    inner = fgraph.outputs[0].owner.inputs[0]
    assert not settled(FunctionGraph(fgraph.inputs, [inner], clone=True), "key")


def test_another_use_is_seen() -> None:
    fgraph = known(at.exp(X) + at.exp(Y))
    inner = fgraph.outputs[0].owner.inputs[0]
    more = FunctionGraph(fgraph.inputs, [*fgraph.outputs, inner], clone=True)
    assert not settled(more, "key")


def test_two_clones_of_an_input_are_two() -> None:
    fgraph = known(at.exp(X) - at.sin(X))
    exp, sin = fgraph.outputs[0].owner.inputs
    fresh = exp.owner.inputs[0].clone()
    sub = fgraph.outputs[0].owner
    sub.inputs[1] = at.sin(fresh)
    sub.inputs[1].owner.tag = sin.owner.tag
    assert not settled(FunctionGraph([*fgraph.inputs, fresh], [sub.outputs[0]], clone=False), "key")


def test_constants_are_what_their_values_are() -> None:
    fgraph = known(at.exp(X) * 2.5)
    assert settled(elsewhere(fgraph), "key")
    (number,) = (v for v in fgraph.variables if isinstance(v, Constant))
    fgraph.replace(number, at.constant(np.asarray(7, number.type.dtype)))
    assert not settled(fgraph, "key")


def test_marks_are_tuples_to_who_loads_them() -> None:
    fgraph = known(at.exp(X))
    mark = vars(fgraph.outputs[0].owner.tag)["kanrewrite_mark"]
    assert type(mark) is Mark
    assert type(pickle.loads(pickle.dumps(mark))) is tuple
