"""Searches with the whole library, at the budgets that are given by default."""

from functools import partial
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest

from kanrewrite.cost import node_count, numerical_error
from kanrewrite.display import brief
from kanrewrite.draw import draw
from kanrewrite.reference import evaluate
from kanrewrite.search import explore

X, W, Y = (at.dmatrix(name) for name in "XWY")


def cross_entropy(logits: Any) -> Any:
    p = at.exp(logits) / at.exp(logits).sum(axis=1, keepdims=True)
    return -(Y * at.log(p)).sum(axis=1).mean()


def test_the_gradient_of_the_classifier_is_found_stable() -> None:
    gradient: Any = aesara.grad(cross_entropy(at.dot(X, W)), W)
    rng = np.random.default_rng(0)
    inputs = {X: 300 * rng.normal(size=(3, 4)), W: rng.normal(size=(4, 5)), Y: np.eye(5)[:3]}
    error = partial(numerical_error, inputs=inputs, truth=evaluate([gradient], inputs))
    assert error(gradient) == np.inf
    found = explore(gradient)
    stable = found.best(error)
    assert error(stable.outputs) < 1e4
    assert found.stopped.startswith("complete")
    assert stable.derivation[-1].target is stable


def test_every_graph_of_that_search_is_right_where_nothing_overflows() -> None:
    gradient: Any = aesara.grad(cross_entropy(at.dot(X, W)), W)
    rng = np.random.default_rng(1)
    inputs = {X: rng.normal(size=(3, 4)), W: rng.normal(size=(4, 5)), Y: np.full((3, 5), 0.2)}
    mode = aesara.compile.mode.Mode("py", "merge")
    wanted = aesara.function([X, W, Y], gradient, mode=mode)(*inputs.values())
    for found in explore(gradient).graphs:
        value = aesara.function([X, W, Y], found.graph, mode=mode)(*inputs.values())
        np.testing.assert_allclose(value, wanted, rtol=1e-9, atol=1e-12)


def test_what_is_rewritten_as_a_whole_has_the_names_of_its_relations() -> None:
    m: Any = at.dmatrix("m")
    graph = at.tanh(Y + at.log(at.exp(X + m).sum(axis=1, keepdims=True)))
    (step,) = {s for s in explore(graph).steps if s.relation == "sum_shifts"}
    assert brief(step.before).startswith("log(dimshuffle{0,x}(sum{1}(")  # and not what stands on it
    assert "tanh" not in brief(step.after, 9)


def test_what_the_engine_left_is_not_rewritten_by_it_again() -> None:
    e: Any = at.exp(at.dtensor3())
    found = explore(e / e.sum(axis=(1, 2), keepdims=True))
    assert [graph.by and graph.by.relation for graph in found.graphs] == [None, "sum_shifts"]
    assert found.stopped.startswith("complete")


def test_boxes_of_a_search_show_what_tells_them_apart() -> None:
    x, eps, *weights = at.dmatrices("x", "eps", "w1", "wm", "ws", "w2")
    w1, wm, ws, w2 = weights
    hidden = at.tanh(at.dot(x, w1))
    mean, scale = at.dot(hidden, wm), at.dot(hidden, ws)
    p = 1 / (1 + at.exp(-at.dot(at.tanh(mean + at.exp(scale) * eps), w2)))
    loss = -(x * at.log(p) + (1 - x) * at.log(1 - p)).sum() + (mean**2).sum() - scale.sum()
    (diagram,) = draw(explore(loss)).diagrams
    assert len(diagram.boxes) > 5
    for box in diagram.boxes.values():
        minus = [line[2:] for line in box.lines if line.startswith("−")]
        assert minus != [line[2:] for line in box.lines if line.startswith("+")] or not minus


def test_boxes_of_rewrites_that_look_alike_name_their_places() -> None:
    h, loss = X, 0.0
    for _ in range(3):
        h = at.tanh(at.dot(h, W))
        e = at.exp(at.dot(at.tanh(at.dot(at.tanh(h), W)), W))
        loss -= at.log(e / e.sum(axis=1, keepdims=True)).mean()
    (diagram,) = draw(explore(loss, ["softmax_quotient"])).diagrams
    texts = [tuple(box.lines[1:]) for box in diagram.boxes.values() if len(box.lines) > 3]
    assert len({text for text in texts if "by softmax_quotient" in text[0]}) == 3
    assert {text[0] for text in texts if "by softmax_quotient" in text[0]} == {
        f"by softmax_quotient, place {n} of 3" for n in (1, 2, 3)
    }


def test_boxes_of_a_search_hold_both_sides_whole_where_some_depth_fits() -> None:
    logits: Any = at.dtensor3("logits")
    e: Any = at.exp(logits / at.dscalar("temperature"))
    (diagram,) = draw(explore(e / e.sum(axis=(1, 2), keepdims=True))).diagrams
    _, shifted = diagram.boxes.values()
    assert [line for line in shifted.lines if line in ("− …", "+ …")] == []
    assert any("exp(" in line for line in shifted.lines if line.startswith("+"))


@pytest.mark.slow
def test_a_graph_of_200_operators_is_answered_with_a_reason() -> None:
    h: Any = X
    weights = [at.dmatrix(f"w{i}") for i in range(10)]
    for w in weights:
        h = at.dot(h, w)
        h = h / (1 + at.exp(-h))
    graph = aesara.grad(cross_entropy(h), weights)
    assert node_count(graph) > 180
    found = explore(graph)
    assert found.stopped.split(":")[0] in ("seconds", "limit", "complete")
    assert found.best().cost <= node_count(graph)


def test_graphs_of_a_search_are_told_by_what_made_them_where_a_line_does_not_hold_them() -> None:
    x: Any = X
    w: Any = W
    h: Any = at.log(1 + at.exp(at.dot(x, w)))
    p: Any = 1 / (1 + at.exp(-at.dot(h, w.T)))
    found = explore(-(x * at.log(p) + (1 - x) * at.log(1 - p)).sum(1).mean(), seconds=3).run()
    assert len(found.graphs) > 10
    for by in (graph.by for graph in found.graphs if graph.by is not None):
        before, after = by.told.split(" -> ")
        assert before != after
    texts = [str(graph).partition(" ")[2] for graph in found.graphs]
    assert len(set(texts)) > 0.8 * len(texts)
    pictured = draw(found).diagrams[0].boxes.values()
    for box in pictured:
        gone = [line[2:] for line in box.lines if line.startswith("− ")]
        made = [line[2:] for line in box.lines if line.startswith("+ ")]
        assert not gone or gone != made
