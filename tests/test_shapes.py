"""Lengths that broadcasting gives: found once, and the right ones."""

from __future__ import annotations

from typing import Any

import aesara
import numpy as np
import pytest
from aesara.graph.basic import ancestors
from aesara.graph.fg import FunctionGraph
from aesara.tensor.rewriting.shape import ShapeFeature
from hypothesis import given
from hypothesis import strategies as st

from kanrewrite.registry.shapes import Lengths, Shapes
from tests.view.common import MODE, at, function, stock

#: What broadcasts with what: 1 with everything, other lengths with themselves.
FITTING = [(1, 4), (3, 4), (3, 1), (1, 1), (0, 4), (3, 0)]


def entangled(x: Any, y: Any, depth: int) -> Any:
    """A chain in which the shapes of two matrices meet again and again."""
    z = x
    for n in range(depth):
        z = (z * y + x) * (n + 1) - y
    return z


def size(feature: ShapeFeature, depth: int) -> int:
    """How many variables say what shape the end of a chain has."""
    x, y = at.dmatrices("x", "y")
    return size_in(feature, [x, y], entangled(x, y, depth))


def size_in(feature: ShapeFeature, inputs: list[Any], output: Any) -> int:
    """How many variables say what shape an output has, which a feature has found out."""
    fgraph = FunctionGraph(inputs, [output], clone=False)
    fgraph.attach_feature(feature)
    found = feature.shape_of[output]
    assert found is not None
    return len(set(ancestors(found)))


def test_shapes_do_not_grow_with_the_graph() -> None:
    assert size(Shapes(), 6) == size(Shapes(), 1)
    assert size(ShapeFeature(), 6) > size(ShapeFeature(), 1)


def size_of_a_row(feature: ShapeFeature, depth: int) -> int:
    """How many variables say what length the rows have that a loop gives."""
    x, y, n = at.dvector("x"), at.dvector("y"), at.lscalar("n")
    rows, _ = aesara.scan(
        lambda x, y: entangled(x, y, depth), non_sequences=[x, y], outputs_info=[None], n_steps=n
    )
    return size_in(feature, [x, y, n], rows)


def test_neither_do_those_of_what_a_loop_gives() -> None:
    assert size_of_a_row(Shapes(), 6) == size_of_a_row(Shapes(), 1)
    assert size_of_a_row(ShapeFeature(), 6) > size_of_a_row(ShapeFeature(), 1)


@pytest.mark.spared
@pytest.mark.parametrize("lengths", [(3, 3), (3, 1), (1, 3), (0, 0), (0, 1), (3, 2)])
def test_a_loop_gives_rows_as_long_as_stocks(lengths: tuple[int, int]) -> None:
    x, y = at.dvector("x"), at.dvector("y")
    rows, _ = aesara.scan(lambda x, y: entangled(x, y, 2), non_sequences=[x, y], n_steps=2)
    values = [np.arange(1.0, n + 1) for n in lengths]
    if lengths == (3, 2):
        for made in (function, stock):
            with pytest.raises((ValueError, AssertionError)):
                made([x, y], [rows.shape, rows])(*values)
        return
    shape, found = function([x, y], [rows.shape, rows])(*values)
    assert tuple(shape) == found.shape == stock([x, y], [rows])(*values)[0].shape


def test_what_met_before_is_the_same_length() -> None:
    lengths, (a, b, c) = Lengths(), at.lscalars("a", "b", "c")
    both = lengths.broadcast([a, b])
    assert lengths.broadcast([b, a]) is lengths.broadcast([both, a]) is both
    every = lengths.broadcast([both, c])
    assert every is not both
    assert lengths.broadcast([a, lengths.broadcast([c, b])]) is every


def test_what_lengths_have_together_is_found_by_the_same_operators() -> None:
    one, other = (Lengths().broadcast(list(at.lscalars(*"abc"))) for _ in range(2))
    ops = [{v.owner.op for v in ancestors([found]) if v.owner} for found in (one, other)]
    assert one is not other
    assert {id(op) for op in ops[0]} == {id(op) for op in ops[1]}


def test_lengths_of_one_structure_are_one() -> None:
    x, (a, b) = at.dmatrix("x"), at.lscalars("a", "b")
    lengths = Lengths()
    first, second = (x.shape[0] + a for _ in range(2))
    assert first is not second
    assert lengths.broadcast([first, second]) is first
    assert lengths.broadcast([first, b]) is lengths.broadcast([second, b])
    assert lengths.broadcast([x.shape[1] + a, b]) is not lengths.broadcast([first, b])
    four = [at.constant(4, dtype="int64") for _ in range(2)]
    assert lengths.broadcast([four[0], b]) is lengths.broadcast([four[1], b])


def test_where_many_lengths_meet_each_maximum_is_of_few() -> None:
    lengths, many = Lengths(), [at.lscalar(f"n{k}") for k in range(30)]
    found = many[0]
    for length in many[1:]:
        found = lengths.broadcast([found, length])
    nodes = [v.owner for v in ancestors([found]) if v.owner is not None]
    assert max(len(node.inputs) for node in nodes) < 10
    assert lengths.broadcast([many[7], found]) is found
    assert lengths.broadcast(many) is found
    compiled = stock(many, found)
    ones = [1] * len(many)
    assert compiled(*ones) == 1
    assert compiled(*[4, *ones[1:-1], 4]) == 4
    with pytest.raises(AssertionError):
        compiled(*[4, *ones[1:-1], 3])


@given(st.lists(st.sets(st.integers(0, 3), min_size=2), min_size=1, max_size=5))
def test_a_length_is_the_set_of_what_met_in_it(groups: list[set[int]]) -> None:
    lengths, variables = Lengths(), at.lscalars("a", "b", "c", "d")
    one_by_one = lengths.broadcast([variables[n] for group in groups for n in group])
    grouped = [lengths.broadcast([variables[n] for n in group]) for group in groups]
    assert lengths.broadcast(grouped) is one_by_one


@pytest.mark.parametrize("left", FITTING, ids=str)
def test_shapes_are_those_of_numpy(left: tuple[int, int]) -> None:
    x, y = at.dmatrices("x", "y")
    z = entangled(x, y, 3)
    compiled = function([x, y], [z.shape, at.ones_like(z)])
    for right in FITTING:
        values = np.ones(left), np.ones(right)
        try:
            expected = np.broadcast_shapes(left, right)
        except ValueError:
            continue
        shape, ones = compiled(*values)
        assert tuple(shape) == ones.shape == expected


@pytest.mark.parametrize("lengths", [(2, 2), (2, 3), (3, 2)], ids=str)
def test_lengths_that_do_not_fit_are_refused(lengths: tuple[int, int]) -> None:
    x, y = at.dvectors("x", "y")
    for compile_ in (function, stock):
        compiled = compile_([x, y], (x * y * x + y).shape)
        values = [np.ones(n) for n in lengths]
        if lengths[0] == lengths[1]:
            assert tuple(compiled(*values)) == lengths[:1]
        else:
            with pytest.raises((AssertionError, ValueError)):
                compiled(*values)


def test_lengths_that_are_known_not_to_fit_are_left_to_aesara() -> None:
    x, y = at.dvectors("x", "y")
    fgraph = FunctionGraph([x, y], [x * y], clone=False)
    feature = Shapes()
    fgraph.attach_feature(feature)
    feature.shape_of.update({x: (at.constant(2),), y: (at.constant(3),)})
    with pytest.raises(Exception, match="Could not broadcast dimensions"):
        feature.get_node_infer_shape(fgraph, (x * y).owner)


def test_the_library_brings_them() -> None:
    x = at.dmatrix("x")
    assert isinstance(function([x], at.exp(x)).maker.fgraph.shape_feature, Shapes)
    assert type(stock([x], at.exp(x)).maker.fgraph.shape_feature) is ShapeFeature
    without = function([x], at.exp(x), MODE.excluding("kanrewrite"))
    assert type(without.maker.fgraph.shape_feature) is ShapeFeature
    blind = function([x], at.exp(x), MODE.excluding("ShapeOpt"))
    assert not isinstance(getattr(blind.maker.fgraph, "shape_feature", None), Shapes)
