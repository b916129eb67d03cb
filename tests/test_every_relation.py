"""Every relation of the library: its examples are rewritten, its non-examples are left alone.

What is used as a goal only relates the sides of its examples, and not those of its non-examples.
"""

import warnings
from collections.abc import Callable
from typing import Any

import aesara
import numpy as np
import pytest
from aesara.compile.mode import Mode
from aesara.graph.basic import Constant, equal_computations, graph_inputs
from kanren import run

from kanrewrite import ac, registry
from kanrewrite.display import brief
from kanrewrite.errors import RelationWarning
from kanrewrite.reference import evaluate, round_to
from kanrewrite.registry.sources import of_library
from kanrewrite.relation import REAL, Relation
from kanrewrite.unify import as_term
from kanrewrite.verify.checks import build as build_side
from kanrewrite.verify.checks import compare

LIBRARY = list(of_library())
MODE = Mode(linker="py", optimizer="merge")


def cases(kind: str, rewrites: bool = True) -> list[Any]:
    return [
        pytest.param(r, build, id=f"{r.name}-{build.__name__.strip('_')}")
        for r in LIBRARY
        for build in getattr(r, kind)
        if (r.direction is not None) is rewrites
    ]


@pytest.fixture(autouse=True)
def _nothing_enabled() -> Any:
    with registry.disabled():
        yield


def enable(relation: Relation) -> None:
    """The library as it is used, with a relation that may be left out unless it is named."""
    registry.enable()
    registry.enable(relation.name)


def by(relations: list[str], graph: Any) -> Any:
    """A graph as some relations leave it."""
    with registry.disabled(), warnings.catch_warnings():
        if relations:
            registry.enable(*relations)
        else:  # Aesara's own form is what is asked for
            warnings.simplefilter("ignore", RelationWarning)
        return registry.stabilize([graph])[0]


def same(a: Any, b: Any) -> bool:
    """Whether two graphs are one term, whoever's Softmax they use, or node by node the same.

    To a term what has several outputs is a leaf.
    """
    return ac.term(as_term(a), REAL) is ac.term(as_term(b), REAL) or equal_computations([a], [b])


def is_built_as(expected: Any, new: Any, graph: Any, relation: Relation) -> bool:
    """Whether the relation made of a graph what the library makes of the right side."""
    (stable,) = registry.stabilize([expected])
    with registry.disabled(relation.name):
        (left,) = registry.stabilize([graph])
    plain = by([], stable)
    return same(by([], new), plain) and not same(by([], left), plain)


def test_the_library_is_found() -> None:
    assert LIBRARY
    assert {r.name for r in LIBRARY} <= {r.name for r in registry.relations()}


@pytest.mark.parametrize("relation", LIBRARY, ids=lambda r: r.name)
def test_it_says_what_it_is(relation: Relation) -> None:
    assert relation.doc, "the docstring is its mathematics"
    assert relation.equations, "the library states equations, no procedures"
    assert relation.examples, "an example of what it rewrites, or relates"
    assert relation.non_examples, "an example of what it leaves alone, or does not relate"


@pytest.mark.parametrize(("relation", "build"), cases("examples"))
def test_an_example_is_rewritten(relation: Relation, build: Callable[[], Any]) -> None:
    graph, expected = build()
    enable(relation)
    (new,) = registry.stabilize([graph])
    plain = by([], expected)
    found = same(new, expected) or same(new, plain) or same(by([], new), plain)
    assert found or is_built_as(expected, new, graph, relation), (
        f"{brief(graph, 12)} became {brief(new, 12)}, not {brief(expected, 12)}"
    )
    assert new.type == graph.type


@pytest.mark.parametrize(("relation", "build"), cases("examples"))
def test_an_example_keeps_its_value(relation: Relation, build: Callable[[], Any]) -> None:
    graph, _ = build()
    enable(relation)
    (new,) = registry.stabilize([graph])
    rng = np.random.default_rng(0)
    inputs = [v for v in dict.fromkeys(graph_inputs([graph])) if not isinstance(v, Constant)]
    values = [drawn(v, rng) for v in inputs]
    (truth,) = evaluate([graph], dict(zip(inputs, values, strict=True)))
    f = aesara.function(inputs, new, mode=MODE, on_unused_input="ignore")
    exact = round_to(truth, graph.type.dtype) if graph.type.dtype.startswith("float") else truth
    with np.errstate(all="ignore"):  # in what is not chosen
        np.testing.assert_allclose(f(*values), np.asarray(exact), rtol=1e-9)


def drawn(variable: Any, rng: np.random.Generator) -> Any:
    """A value at which the formula itself is computed well."""
    shape = [3 if length is None else length for length in variable.type.shape]
    if not variable.type.dtype.startswith("float"):
        return rng.integers(0, 2, shape).astype(variable.type.dtype)
    return (-0.2 - rng.random(shape)).astype(variable.type.dtype)


@pytest.mark.parametrize(("relation", "build"), cases("non_examples"))
def test_a_non_example_is_left_alone(relation: Relation, build: Callable[[], Any]) -> None:
    graph = build()
    others = [r.name for r in registry.usual() if r.name != relation.name]
    without, with_it = by(others, graph), by([*others, relation.name], graph)
    assert same(without, with_it), (
        f"{brief(graph, 12)} became {brief(with_it, 12)} by {relation.name}"
    )


# -- goals -----------------------------------------------------------------------------------------


def equal(left: Any, right: Any) -> bool:
    """Whether two sides have the same value, where the left one has any."""
    old, new = (build_side(side, {}, "float64") for side in (left, right))
    rng = np.random.default_rng(1)
    inputs = [v for v in dict.fromkeys(graph_inputs([old, new])) if not isinstance(v, Constant)]
    shapes = {v: [n or d for n, d in zip(v.type.shape, (2, 3), strict=False)] for v in inputs}
    return not compare(old, new, {v: rng.normal(size=s) for v, s in shapes.items()}).why


@pytest.mark.parametrize(("relation", "build"), cases("examples", rewrites=False))
def test_an_example_is_related(relation: Relation, build: Callable[[], Any]) -> None:
    left, right = build()
    assert run(1, True, relation(left, right)), f"{brief(left, 12)} and {right}"


@pytest.mark.parametrize(("relation", "build"), cases("examples", rewrites=False))
def test_the_sides_of_an_example_are_equal(relation: Relation, build: Callable[[], Any]) -> None:
    assert relation.direction is None
    assert equal(*build())


@pytest.mark.parametrize(("relation", "build"), cases("non_examples", rewrites=False))
def test_a_non_example_is_not_related(relation: Relation, build: Callable[[], Any]) -> None:
    left, right = build()
    assert not run(1, True, relation(left, right)), f"{brief(left, 12)} and {right}"
    assert not equal(left, right), "a relation that does not relate what is equal lacks an equation"
