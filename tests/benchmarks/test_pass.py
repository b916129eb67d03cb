"""What the library costs a graph in which nothing matches: seconds a node, and goals run."""

from __future__ import annotations

from cProfile import Profile
from pstats import Stats
from typing import Any

import aesara
import aesara.tensor as at
import pytest
from aesara.compile.mode import optdb
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.db import RewriteDatabaseQuery
from pytest_benchmark.fixture import BenchmarkFixture

import kanrewrite
from kanrewrite import registry
from kanrewrite.registry.database import LibraryPass, make_view
from kanrewrite.rewriter import RelationPass
from kanrewrite.view import centring, read
from kanrewrite.view.forms import Form, pieces
from kanrewrite.view.passes import LiftingPass
from tests.benchmarks.arithmetic import SQUASHED
from tests.benchmarks.arithmetic import arithmetic as random_arithmetic
from tests.benchmarks.arithmetic import large as large_arithmetic
from tests.benchmarks.unrolled import MODELS, Model, encoder, gelu_by_tanh
from tests.sparing import sparing

SIZE = 5000
#: A node takes no more calls than these, however large the graph is; where nothing meets, 100.
CALLS = 400
SLOW = pytest.mark.slow
X = at.dvector("x")


def trigonometric(size: int) -> Any:
    """A chain in which no operator occurs that a relation of the library needs."""
    x = y = at.vector("x")
    for n in range(size // 5):
        y = at.arctan(at.sin(y) * x + n % 3)
    return y


def arithmetic(size: int) -> Any:
    """A chain of the operators that every product and every sum is made of."""
    x = y = at.vector("x")
    for n in range(size // 5):
        y = y * x / (1 + n) - x
    return y


GRAPHS = pytest.mark.parametrize("build", [trigonometric, arithmetic], ids=lambda f: f.__name__)


def graph(build: Any, size: int = SIZE) -> FunctionGraph:
    return FunctionGraph(outputs=[build(size)], clone=False)


def record(benchmark: BenchmarkFixture, nodes: int, **extra: int) -> None:
    benchmark.extra_info.update(nodes=nodes, **extra)
    if benchmark.stats is not None:  # not measured when benchmarks are disabled
        benchmark.extra_info["µs a node"] = benchmark.stats.stats.median / nodes * 1e6


def canonical(model: Model) -> FunctionGraph:
    """A model's value and gradients."""
    shaped, loss = model
    inputs = [v for v, _ in shaped]
    gradients: Any = aesara.grad(loss, inputs)
    fgraph = FunctionGraph(inputs, [loss, *gradients], clone=True)
    optdb.query(RewriteDatabaseQuery(include=["canonicalize"])).rewrite(fgraph)
    return fgraph


def applied(model: Model) -> LiftingPass:
    """The pass, over a model's value and gradients."""
    lifting = LiftingPass(registry.relations())
    lifting.apply(canonical(model))
    return lifting


def counts(name: str, steps: int) -> tuple[int, int]:
    """Nodes that are read of a model's value and gradients, and the forms that are made."""
    lifting = applied(MODELS[name][0](steps))
    return lifting.read_count, lifting.form_count


@pytest.mark.spared(2)
@pytest.mark.parametrize(
    ("name", "steps"),
    [("attention", 2), ("memory", 2), ("hidden", 8), pytest.param("hidden", 20, marks=SLOW)],
)
def test_forms_grow_as_nodes_do(name: str, steps: int) -> None:
    (read, forms), (more, others) = counts(name, steps), counts(name, 2 * steps)
    assert others / forms < 1.15 * more / read


@pytest.mark.slow
def test_few_forms_are_made_for_picks_that_none_can_be() -> None:
    lifting = applied(encoder(4))
    assert lifting.form_count < 15 * lifting.read_count  # it was 17 times, of 8 layers 23


@pytest.mark.slow
def test_each_form_is_looked_into_once_for_shifts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def counted(form: Form) -> list[Form]:
        nonlocal asked
        asked += 1
        return pieces(form)

    monkeypatch.setattr(centring, "pieces", counted)
    monkeypatch.setattr(read, "pieces", counted, raising=False)
    lifting = applied(encoder(4, gelu_by_tanh))
    assert lifting.read_count < asked < 2 * lifting.form_count  # it was 14 times


@pytest.mark.slow
def test_a_layer_of_many_takes_little_more_work_than_one_of_few() -> None:
    work = []
    for layers in (2, 4):
        profile = Profile()
        fgraph = canonical(encoder(layers))
        profile.runcall(LiftingPass(registry.relations()).apply, fgraph)
        work.append(Stats(profile).total_calls / layers)  # type: ignore[attr-defined]
    assert work[1] < 1.3 * work[0]  # it was 1.36


def calls(shape: str, name: str, count: int) -> float:
    """How many functions the library calls for each node of a graph, which it leaves as it is."""
    inputs, outputs = large_arithmetic(shape, count, SQUASHED[name])
    fgraph = FunctionGraph(inputs, outputs, clone=False)
    nodes, library, profile = len(fgraph.apply_nodes), LibraryPass(registry.usual()), Profile()
    library.apply(FunctionGraph([X], [at.tanh(X)], clone=False))
    profile.runcall(library.apply, fgraph)
    total: int = Stats(profile).total_calls  # type: ignore[attr-defined]
    return total / nodes


@pytest.mark.parametrize(
    ("shape", "name"),
    [
        ("shared", "tanh"),
        *(
            pytest.param(shape, name, marks=SLOW)
            for shape in ("deep", "wide", "shared")
            for name in SQUASHED
            if (shape, name) != ("shared", "tanh")
        ),
    ],
)
def test_work_grows_as_nodes_do(shape: str, name: str) -> None:
    assert all(calls(shape, name, count) < CALLS for count in (1_000, 2_000, 4_000))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "count"), [("deep", 50_000), ("wide", 15_000), ("shared", 15_000)]
)
def test_a_graph_of_many_thousand_nodes(shape: str, count: int) -> None:
    with kanrewrite.config.change(pass_seconds=600):  # a profile takes its time
        assert calls(shape, "tanh", count) < CALLS


@pytest.mark.spared(2)
@pytest.mark.parametrize("name", ["sigmoid", "tanh", "nothing"])
@pytest.mark.parametrize("count", sparing([500, 3000]))
def test_large_arithmetic_comes_out_as_it_went_in(name: str, count: int) -> None:
    _, output = random_arithmetic(count, SQUASHED[name], 5)
    fgraph = FunctionGraph(outputs=[output], clone=True)
    nodes, lifting = len(fgraph.apply_nodes), LiftingPass(registry.relations())
    lifting.apply(fgraph)
    assert len(fgraph.apply_nodes) == nodes
    assert lifting.form_count < nodes


@pytest.mark.spared(2)
@GRAPHS
def test_whole_library(benchmark: BenchmarkFixture, build: Any) -> None:
    fgraph = graph(build)
    library = LibraryPass(registry.usual())
    nodes = len(fgraph.apply_nodes)
    benchmark.pedantic(library.apply, (fgraph,), rounds=3)  # type: ignore[no-untyped-call]
    assert len(fgraph.apply_nodes) == nodes
    record(benchmark, nodes, goals=library.rules.matching.tried)


@pytest.mark.slow
@GRAPHS
def test_rules_alone(benchmark: BenchmarkFixture, build: Any) -> None:
    fgraph = graph(build, SIZE // 10)  # of a chain each node takes as long
    relations = registry.relations()
    rules = RelationPass(relations, lambda: make_view(relations))
    nodes = len(fgraph.apply_nodes)
    benchmark.pedantic(rules.apply, (fgraph,), rounds=1)  # type: ignore[no-untyped-call]
    assert len(fgraph.apply_nodes) == nodes
    record(benchmark, nodes, goals=rules.matching.tried)
