"""Loops are looked into: by explanations, searches, traces, costs and pictures."""

from typing import Any

import aesara
import aesara.scalar as aes
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.builders import OpFromGraph
from aesara.compile.mode import Mode
from aesara.graph.basic import Constant, graph_inputs, io_toposort

import kanrewrite
from kanrewrite.cost import node_count
from kanrewrite.display import brief
from kanrewrite.draw.diff import diff
from kanrewrite.draw.graph import INSIDE, STEP, diagram
from kanrewrite.insides import inside, nodes_within
from kanrewrite.structure import computable

X: Any = at.dmatrix("x")


def shares(row: Any) -> Any:
    e = at.exp(row)
    return e * e.sum() ** -1


def loop(step: Any, **settings: Any) -> Any:
    return aesara.scan(step, sequences=[X], **settings)[0]


def test_a_step_is_named_after_what_it_reads() -> None:
    assert brief(loop(lambda row: at.exp(row) + 1.0)) == "scan(exp(x[t]) + 1.0)"
    carried = loop(lambda row, s: at.tanh(s) + row, outputs_info=[at.zeros(3)])
    assert "x[t]" in brief(carried)
    node = next(n for n in io_toposort([], [carried]) if inside(n.outputs[0]))
    (step,) = inside(node.outputs[0])
    assert brief(step) == "tanh(state[t-1]) + x[t]"


def test_an_op_made_from_a_graph_reads_what_it_is_given() -> None:
    first, second = at.dvectors(2)
    out = OpFromGraph([first, second], [first * second])(at.dvector("given"), X[0])
    (step,) = inside(out)
    assert brief(step) == "given * float64(?)"


def test_each_output_has_its_own_step() -> None:
    both = loop(lambda row: [at.exp(row), at.log(row)])
    assert [brief(out) for out in both] == ["scan(exp(x[t]))", "scan(log(x[t]))"]


def test_a_graph_within_a_graph_is_walked_once() -> None:
    y = at.dvector("y")
    op = OpFromGraph([y], [shares(y)])
    names = [str(n.op) for n in nodes_within([op(X[0]), op(X[1])])]
    assert sum("exp" in name for name in names) == 1


def test_scalars_that_were_fused_are_one_operator() -> None:
    a: Any = aes.float64("a")
    b: Any = aes.float64("b")
    out: Any = aes.Composite([a, b], [aes.exp(a) + b])(aes.float64("c"), aes.float64("d"))
    assert inside(out) == []
    assert not any(line.label in (STEP, INSIDE) for line in diagram([out]).lines)


def test_the_line_from_what_is_inside_says_of_what() -> None:
    out = OpFromGraph([X], [at.exp(X) + at.log(X)])(X)
    assert {line.label for line in diagram([out]).lines} >= {INSIDE}


def test_why_not_finds_what_is_in_a_loop() -> None:
    assert "matches" in str(kanrewrite.why_not("softmax_quotient", loop(shares)))
    shifted = loop(lambda row: at.exp(row) / (at.exp(row).sum() + 1))
    assert "sum(exp(x[t])) + 1" in str(kanrewrite.why_not("softmax_quotient", shifted))


@pytest.mark.parametrize("build", [loop, lambda step: OpFromGraph([X], [step(X)])(X)])
def test_a_search_rewrites_steps(build: Any) -> None:
    found = kanrewrite.explore(build(shares), "softmax_quotient")
    assert len(found.graphs) == 2
    (step,) = found.steps
    assert step.relation == "softmax_quotient"
    assert node_count(found.best().graph) == node_count(found.graphs[1].graph) - 4
    compiled = aesara.function([X], found.best().graph)
    assert compiled([[800.0, 0.0]]).ravel().tolist() == [1.0, 0.0]


def test_a_trace_names_what_a_step_reads() -> None:
    with kanrewrite.disabled():
        kanrewrite.enable()
        with kanrewrite.trace() as recorder:
            aesara.function([X], loop(shares))
    (fired,) = [e for e in recorder.events if e.name == "softmax_quotient" and e.after is not None]
    after: Any = fired.after
    assert brief(after) == "softmax{0}(x[t])"


def test_a_picture_shows_what_a_step_does() -> None:
    picture = diagram(loop(shares))
    texts = [line for box in picture.boxes.values() for line in box.lines]
    assert {"exp", "sum", "x[t]", "scan"} <= set(texts)
    (step,) = [line for line in picture.lines if line.label == STEP]
    assert picture.boxes[step.target].lines == ["scan"]


def test_a_difference_in_a_loop_is_that_of_its_step() -> None:
    change = diff(loop(lambda row: at.log(at.exp(row)) + row), loop(lambda row: row + row))
    gone = {brief(change.structure.variables[n]) for n in change.gone}
    assert gone == {"log(exp(x[t]))", "exp(x[t])"}


def test_what_a_compilation_wrote_in_place_can_be_compiled_again() -> None:
    x, w = at.dmatrices("x", "w")
    product: Any = at.dot(at.exp(x), w) + at.set_subtensor(at.tanh(x)[0], 2.0) + x
    fast = Mode(linker="py", optimizer="fast_run")
    compiled = aesara.function([x, w], product, mode=fast)
    nodes = compiled.maker.fgraph.apply_nodes
    assert sum(bool(node.op.destroy_map) for node in nodes) > 1
    [again] = computable(compiled)
    assert not any(node.op.destroy_map for node in io_toposort([], [again]))
    inputs = {v.name: v for v in graph_inputs([again]) if not isinstance(v, Constant)}
    f = aesara.function([inputs["x"], inputs["w"]], again, mode=fast)
    values = np.eye(2) + 0.5, np.ones((2, 2))
    np.testing.assert_array_equal(f(*values), compiled(*values))
