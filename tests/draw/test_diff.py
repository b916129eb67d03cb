from typing import Any

import aesara
import aesara.tensor as at
from aesara.graph.basic import clone
from aesara.tensor.special import softmax
from hypothesis import given
from hypothesis import strategies as st

from kanrewrite.display import operator_text
from kanrewrite.draw.diff import Difference, before_after, diff

x, y = at.matrix("x"), at.matrix("y")
OPERATORS = st.lists(st.sampled_from(["exp", "log", "tanh", "sum", "twice"]), max_size=8)


def names(change: Difference, numbers: frozenset[int]) -> list[str]:
    nodes = [change.structure.variables[n].owner for n in sorted(numbers)]
    return sorted(operator_text(node.op) for node in nodes if node is not None)


def build(steps: list[str]) -> Any:
    z: Any = x
    for step in steps:
        z = {
            "exp": at.exp,
            "log": at.log,
            "tanh": at.tanh,
            "sum": lambda a: a / a.sum(-1, keepdims=True),
            "twice": lambda a: a + a,
        }[step](z)
    return z


def test_what_sits_on_a_change_is_rebuilt_not_replaced() -> None:
    by_hand = at.exp(x) / at.exp(x).sum(-1, keepdims=True)
    change = diff(at.log(by_hand) * y, at.log(softmax(x, axis=-1)) * y)
    assert names(change, change.gone) == ["dimshuffle{0,x}", "exp", "sum{1}", "true_div"]
    assert names(change, change.new) == ["softmax{-1}"]
    assert names(change, change.rebuilt) == ["log", "log", "mul", "mul"]


def test_operands_of_a_sum_are_paired_wherever_they_stand() -> None:
    change = diff(at.exp(x) + at.log(y), at.log(y) + at.tanh(x))
    assert names(change, change.gone) == ["exp"]
    assert names(change, change.new) == ["tanh"]


def test_what_stands_on_a_change_below_a_new_root_is_rebuilt() -> None:
    change = diff(at.log(at.exp(x) + at.tanh(y)), at.sqrt(at.exp(x) + at.sinh(y)))
    assert names(change, change.rebuilt) == ["add", "add"]


def test_an_operand_less_is_a_change_of_the_operator() -> None:
    z = at.matrix("z")
    change = diff(softmax(at.add(x, y, z), axis=0), softmax(at.add(x, y), axis=0))
    assert names(change, change.gone) == names(change, change.new) == ["add"]
    assert names(change, change.rebuilt) == ["softmax{0}", "softmax{0}"]


def test_another_operand_and_another_order_are_changes() -> None:
    change = diff(at.exp(x - y) + x * y, at.exp(y - x) + x * y)
    assert names(change, change.gone) == names(change, change.new) == ["sub"]
    change = diff(at.exp(x * y) + at.log(x * y), at.exp(x) + at.log(x * y))
    assert names(change, change.gone) == names(change, change.new) == ["exp"]
    change = diff(at.exp(x) + y, at.exp(y) + x)
    assert names(change, change.gone) == names(change, change.new) == ["add", "exp"]
    assert not diff(at.exp(x + y), at.exp(y + x)).gone


@given(OPERATORS)
def test_a_copy_does_not_differ(steps: list[str]) -> None:
    graph = build(steps)
    ((_, *_), (copy, *_)) = clone([x], [graph], copy_inputs=True)
    change = diff(graph, copy)
    assert not change.gone
    assert not change.new
    assert not change.rebuilt


@given(OPERATORS, OPERATORS)
def test_every_subgraph_has_one_status(one: list[str], other: list[str]) -> None:
    change = diff(build(one), build(other))
    assert change.gone | change.rebuilt | (change.before & change.after) >= change.before
    assert change.new | change.rebuilt | (change.before & change.after) >= change.after
    assert not change.gone & change.new
    assert not change.rebuilt & change.before & change.after


@given(OPERATORS, OPERATORS)
def test_turning_it_round_swaps_gone_and_new(one: list[str], other: list[str]) -> None:
    there, back = diff(build(one), build(other)), diff(build(other), build(one))
    assert names(there, there.gone | there.rebuilt & there.before) == names(
        back, back.new | back.rebuilt & back.after
    )


def test_inputs_of_a_compiled_function_are_paired_by_name() -> None:
    graph = at.exp(x) + y
    f = aesara.function([x, y], graph, mode=aesara.compile.mode.Mode("py", "merge"))
    change = diff(graph, f)
    assert not change.gone | change.new | change.rebuilt


def test_a_large_graph_shows_the_change_and_what_touches_it() -> None:
    long = x
    for i in range(60):
        long = at.exp(long) + i
    before = at.exp(long) / at.exp(long).sum(-1, keepdims=True)
    left, right = before_after(before, softmax(long, axis=-1))
    assert len(left.boxes) < 12
    assert len(right.boxes) < 6
    assert "gone" in {box.status for box in left.boxes.values()}
    assert "new" in {box.status for box in right.boxes.values()}
