"""What is stable as it was written comes out as it went in."""

from typing import Any

import aesara.tensor as at
import pytest
from aesara.compile.mode import optdb
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.db import RewriteDatabaseQuery

from kanrewrite import registry
from kanrewrite.view.passes import LiftingPass
from tests.benchmarks.arithmetic import SQUASHED, arithmetic
from tests.benchmarks.unrolled import encoder, gelu, gelu_by_tanh, relu
from tests.sparing import sparing
from tests.view.common import grad

X, Y, Z = at.dvectors("x", "y", "z")
M, N = at.dmatrices("m", "n")


def rebuilt(output: Any) -> int:
    """How many variables of a graph the pass builds anew."""
    lifting = LiftingPass(registry.relations())
    lifting.apply(FunctionGraph(outputs=[output], clone=True))
    return lifting.built_count


@pytest.mark.parametrize("seed", sparing(range(4), 2))
@pytest.mark.parametrize("name", ["nothing", "tanh", "sigmoid"])
def test_random_arithmetic(name: str, seed: int) -> None:
    _, output = arithmetic(80, SQUASHED[name], seed)
    assert rebuilt(output) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", sparing(["nothing", "tanh"]))
def test_large_arithmetic_is_not_even_read(name: str) -> None:
    _, output = arithmetic(2000, SQUASHED[name], 3)
    lifting = LiftingPass(registry.relations())
    lifting.apply(FunctionGraph(outputs=[output], clone=True))
    assert lifting.read_count == 0


@pytest.mark.slow
def test_of_arithmetic_is_read_what_may_meet() -> None:
    """The rest of the graph is a leaf to what is read."""
    _, output = arithmetic(2000, SQUASHED["tanh"], 3)
    lifting = LiftingPass(registry.relations())
    share = at.sigmoid(X) * output / (at.sigmoid(X + Y) + at.sigmoid(X))
    lifting.apply(FunctionGraph(outputs=[share], clone=True))
    assert lifting.built_count == 1
    assert lifting.read_count < 16


@pytest.mark.parametrize(
    "output",
    [
        at.tanh(X) + at.tanh(Y),
        at.tanh(X) * (at.tanh(Y) + Z),
        at.tanh(X) / (at.tanh(Y) + Z),
        at.sigmoid(X) + at.sigmoid(Y),
        at.sigmoid(X) * at.sigmoid(Y),
        at.softplus(X) + X,
        at.softplus(-X) - X,
        at.softplus(X) - Y,
    ],
    ids=str,
)
def test_fused_operators_where_nothing_cancels(output: Any) -> None:
    assert rebuilt(output) == 0


@pytest.mark.parametrize(
    "output",
    [
        at.softplus(X) - X,
        at.softplus(X) - (at.softplus(Y) + X),
        at.sigmoid(X) / at.sigmoid(X + Y),
        at.exp(X) * at.sigmoid(-Y),
    ],
    ids=str,
)
def test_fused_operators_that_cancel(output: Any) -> None:
    assert rebuilt(output) > 0


def test_what_is_taken_back_inside_a_sum_is_not_taken_back_again() -> None:
    inner = at.tanh(at.softplus(X) - X)
    assert rebuilt(inner) == 1
    assert rebuilt(at.softplus(X) - X + Y - at.tanh(Z)) == 1


def test_the_root_of_a_number_and_what_is_in_range() -> None:
    p, eps = at.special.softmax(M, axis=1), 1e-5
    deviation = (p - p.mean(axis=1, keepdims=True)) ** 2
    assert rebuilt(at.sqrt(deviation.mean(axis=1) + eps)) == 0
    assert rebuilt((deviation.sum(axis=1) + eps) ** 0.5) == 0
    assert rebuilt(at.sqrt((p**2).mean(axis=1))) > 0
    assert rebuilt(at.sqrt((at.exp(M) ** 2).mean(axis=1) + eps)) > 0


def test_the_sign_of_what_is_in_range() -> None:
    p = at.special.softmax(M, axis=1)
    assert rebuilt(grad(relu(at.dot(p, N) + X).sum(), N)) == 0
    assert rebuilt(grad(relu(at.exp(M) * N).sum(), N)) > 0
    assert rebuilt(grad(relu(p[:, :1] - p[:, 1:]).sum(), M)) > 0
    assert rebuilt(at.gt(1 - abs(X - at.sigmoid(Y)), 0)) > 0


@pytest.mark.parametrize("activation", sparing([relu, gelu_by_tanh, gelu]))
def test_layers_that_are_normalised(activation: Any) -> None:
    """Only where the loss takes its log, and at the largest of them all, something meets."""
    grown = []
    for layers in (1, 2):
        shaped, loss = encoder(layers, activation)
        inputs = [v for v, _ in shaped]
        fgraph = FunctionGraph(inputs, [loss, *grad(loss, inputs)], clone=True)
        optdb.query(RewriteDatabaseQuery(include=["canonicalize"])).rewrite(fgraph)
        nodes = len(fgraph.apply_nodes)
        LiftingPass(registry.relations()).apply(fgraph)
        grown.append(len(fgraph.apply_nodes) - nodes)
    assert max(grown) < 80  # of the first layer; two were 4,200
