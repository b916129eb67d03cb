from collections import Counter
from typing import Any, cast

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode

from kanrewrite.config import config
from kanrewrite.draw.graph import COMPACT, FAR, MOST, diagram
from kanrewrite.draw.layout import WIDEST
from kanrewrite.draw.model import Diagram
from kanrewrite.draw.rows import rows_of
from kanrewrite.structure import Structure, outputs_of


def texts(result: Diagram) -> list[str]:
    return sorted("\n".join(box.lines) for box in result.boxes.values())


def mlp(layers: int) -> list[Any]:
    h: Any = at.matrix("x")
    weights = [at.matrix(f"w{i}") for i in range(layers)]
    for w in weights:
        h = at.dot(h, w)
        h = h / (1 + at.exp(-h))
    p = at.exp(h) / at.exp(h).sum(-1, keepdims=True)
    cost = -at.log(p).mean()
    return [cost, *cast(list[Any], aesara.grad(cost, weights))]


def test_equal_subgraphs_are_one_box() -> None:
    x = at.matrix("x")
    y = at.exp(x) / at.exp(x).sum(-1, keepdims=True)
    assert texts(diagram(y)) == ["dimshuffle{0,x}", "exp", "sum{1}", "x", "÷"]


def test_equal_constants_are_written_where_they_are_used() -> None:
    x = at.vector("x")
    assert texts(diagram(2.0 * x[0] + 3)) == ["2.0 × ·", "x", "· + 3", "·[0]"]


def test_inputs_of_one_name_stay_apart() -> None:
    x, y = at.vector("v"), at.vector("v")
    assert texts(diagram(x * y)) == ["v", "v", "×"]


def test_lines_of_ordered_operands_are_numbered() -> None:
    x, y = at.vector("x"), at.vector("y")
    quotient, product = diagram(at.exp(x) / at.exp(y)), diagram(at.exp(x) * at.exp(y))
    assert sorted(line.label for line in quotient.lines) == ["", "", "1", "2"]
    assert {line.label for line in product.lines} == {""}


def test_both_operands_from_one_box_have_two_numbered_lines() -> None:
    x = at.vector("x")
    square = diagram(at.exp(x) / at.exp(x))
    assert sorted(line.label for line in square.lines) == ["", "1", "2"]


def test_a_function_draws_its_rewritten_graph() -> None:
    x = at.vector("x")
    f = aesara.function([x], at.log(at.exp(x)), mode=aesara.compile.mode.Mode("py", "fast_run"))
    (out,) = outputs_of(f)
    assert out in outputs_of([out])
    assert "exp" not in texts(diagram(f))


def test_large_graphs_are_compact() -> None:
    graph = mlp(12)
    whole, compact = diagram(graph, compact=False), diagram(graph)
    assert len(compact.boxes) < 0.75 * len(whole.boxes)
    assert len(whole.boxes) > COMPACT
    longest = max(len(box.lines) for box in compact.boxes.values())
    assert 1 < longest <= 4


def test_far_boxes_are_referred_to_by_number() -> None:
    result = diagram(mlp(12))
    numbered = {key: box.number for key, box in result.boxes.items() if box.number is not None}
    referred = {key for box in result.boxes.values() for key in box.refers}
    assert referred
    for key in referred:
        assert any(line.startswith("[") for line in result.boxes[key].lines)
    assert len(set(numbered.values())) == len(numbered)


def test_long_lines_are_the_only_ones_of_their_boxes() -> None:
    result = diagram(mlp(12))
    widths = {key: box.width for key, box in result.boxes.items()}
    row = rows_of(widths, [(x.source, x.target) for x in result.lines], WIDEST)
    leaving = Counter(line.source for line in result.lines)
    assert [
        x for x in result.lines if row[x.source] - row[x.target] > FAR and leaving[x.source] > 2
    ] == []
    assert max(leaving.values()) > 1


def test_many_operands_that_are_not_drawn_are_counted() -> None:
    first, *others = at.dvectors(*"abcdef")
    graph = at.add(first, *map(at.exp, others))
    (box,) = diagram(graph, keep=lambda number: False).boxes.values()
    assert box.lines == ["a + (5 more)"]
    (box,) = diagram(at.add(*map(at.exp, others)), keep=lambda _: False).boxes.values()
    assert box.lines == ["+ of 5"]
    (box,) = diagram(at.add(first, *map(at.exp, others[:2])), keep=lambda _: False).boxes.values()
    assert box.lines == ["a + … + …"]


def test_labels_are_cut_and_the_whole_is_shown_on_hover() -> None:
    x = at.vector("x")
    f = aesara.function(
        [x], sum((at.sin(x * k) for k in range(2, 12)), x), mode=Mode("py", "fast_run")
    )
    result = diagram(f)
    [composite] = [box for box in result.boxes.values() if box.lines[0].startswith("Composite")]
    assert len(composite.lines[0]) == config.label_width
    assert composite.lines[0].endswith("…")
    assert composite.detail.splitlines()[0].count("sin") == 10


def test_numbers_are_written_as_numbers() -> None:
    x = at.vector("x")
    assert texts(diagram(x / np.sqrt(2 * np.pi)))[-1] == "· ÷ 2.50663"


def test_what_is_beyond_the_limit_is_an_ellipsis() -> None:
    x = at.scalar("x")
    for _ in range(MOST + 100):
        x = at.exp(x)
    result = diagram(x)
    assert sum(len(box.lines) for box in result.boxes.values()) == MOST
    assert any(line == "exp(…)" for box in result.boxes.values() for line in box.lines)


def test_structure_numbers_operands_below_results() -> None:
    structure = Structure()
    roots = structure.add(mlp(2))
    for number in structure.below(roots):
        assert all(operand < number for operand in structure.operands(number))
