import io
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import aesara.tensor as at
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from kanrewrite.draw import Picture, compare, derivation, draw
from kanrewrite.draw.layout import Placed, place
from kanrewrite.draw.model import Box, Diagram, Line
from kanrewrite.draw.rows import rows_of
from kanrewrite.errors import NoSuchFolder, UnknownPictureFormat
from kanrewrite.guards import Axis, Float
from kanrewrite.relation import Eq, eq, relation
from kanrewrite.terms import Param, T
from kanrewrite.trace import trace
from kanrewrite.why import why_not

x = at.matrix("x")
y = at.exp(x) / at.exp(x).sum(-1, keepdims=True)


@pytest.fixture
def picture() -> Picture:
    return draw(y, "by hand & more")


def assert_apart(placed: Placed) -> None:
    boxes = [(key, *placed.centres[key]) for key in placed.diagram.boxes]
    for n, (a, ax, ay) in enumerate(boxes):
        for b, bx, by in boxes[:n]:
            one, other = placed.diagram.boxes[a], placed.diagram.boxes[b]
            apart_x = abs(ax - bx) * 2 >= one.width + other.width
            apart_y = abs(ay - by) * 2 >= one.height + other.height
            assert apart_x or apart_y


def assert_no_line_crosses_a_box(placed: Placed) -> None:
    """Lines are looked at between the points of their ways, where they bend from one to another."""
    for line, way in placed.routes:
        for key, (x, y) in placed.centres.items():
            box = placed.diagram.boxes[key]
            for (a, top), (b, bottom) in pairwise(way):
                over = min(bottom, y + box.height / 2) - max(top, y - box.height / 2)
                across = min(max(a, b), x + box.width / 2) - max(min(a, b), x - box.width / 2)
                assert key in (line.source, line.target) or over <= 1 or across <= 1


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=30), st.data())
def test_no_line_crosses_a_box_however_high_they_are(
    pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    counts = data.draw(st.lists(st.integers(1, 8), min_size=20, max_size=20))
    diagram = Diagram({n: Box(["text"] * count) for n, count in enumerate(counts)})
    diagram.lines = [Line(min(p), max(p)) for p in dict.fromkeys(pairs) if p[0] != p[1]]
    assert_no_line_crosses_a_box(place(diagram, 900))


def test_boxes_do_not_overlap() -> None:
    wide = [at.exp(x + i) * at.exp(x - i) for i in range(8)]
    assert_apart(place(draw(sum(wide, start=x)).diagrams[0]))


def test_every_box_lies_inside_and_inputs_above() -> None:
    placed = place(draw(y).diagrams[0])
    for key, (a, b) in placed.centres.items():
        box = placed.diagram.boxes[key]
        assert box.width / 2 <= a <= placed.width - box.width / 2
        assert box.height / 2 <= b <= placed.height - box.height / 2
    for line in placed.diagram.lines:
        assert placed.centres[line.source][1] < placed.centres[line.target][1]


def test_a_chain_longer_than_the_recursion_limit_is_placed() -> None:
    chain = Diagram({n: Box(["exp"]) for n in range(1100)})
    chain.lines = [Line(n, n + 1) for n in range(1099)]
    assert len(place(chain).centres) == 1100


@given(st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=60), st.data())
def test_any_graph_fits_its_width(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    letters = data.draw(st.lists(st.integers(1, 30), min_size=30, max_size=30))
    diagram = Diagram({n: Box(["x" * count]) for n, count in enumerate(letters)})
    diagram.lines = [Line(min(p), max(p)) for p in dict.fromkeys(pairs) if p[0] != p[1]]
    placed = place(diagram, 900)
    assert_apart(placed)
    assert placed.width <= 900
    for line in diagram.lines:
        assert placed.centres[line.source][1] < placed.centres[line.target][1]


def test_a_row_leaves_room_for_the_lanes_of_what_is_not_placed_yet() -> None:
    letters = {4: 26, 8: 30, 21: 30, 22: 30, 28: 30, 29: 30}
    diagram = Diagram({n: Box(["x" * letters.get(n, 1)]) for n in range(30)})
    pairs = [(0, 3), (0, 4), (0, 7), (0, 8), (0, 9), (0, 21), (0, 22), (1, 4), (2, 4), (3, 28)]
    diagram.lines = [Line(*pair) for pair in [*pairs, (21, 29)]]
    assert place(diagram, 900).width <= 900


def test_what_waits_for_room_is_placed_before_what_comes_later() -> None:
    # A chain with a box beside each of its boxes, which no row holds besides the next two.
    chain = {n: Box(["chain" * 4]) for n in range(40)}
    diagram = Diagram(chain | {n + 100: Box(["beside" * 4]) for n in range(40)})
    diagram.lines = [Line(n + 1, n) for n in range(39)] + [Line(n + 100, n) for n in range(40)]
    pairs = [(line.source, line.target) for line in diagram.lines]
    row = rows_of({key: box.width for key, box in diagram.boxes.items()}, pairs, 300)
    assert max(row[source] - row[target] for source, target in pairs) <= 3


def test_texts_on_lines_have_rows_of_their_own() -> None:
    diagram = Diagram({n: Box(["a graph"]) for n in range(4)})
    names = ["softmax_quotient", "log_of_quotient", "log_of_softmax"]
    diagram.lines = [Line(0, n, name) for n, name in enumerate(names, 1)]
    placed = place(diagram)
    middles = sorted(placed.labels.values())
    assert len(middles) == 3
    for (x, y), (other, below) in pairwise(middles):
        assert y == below
        assert other - x > len(names[0]) * 7


def test_svg_is_xml_with_every_box_and_both_colour_schemes(picture: Picture) -> None:
    root = ElementTree.fromstring(picture.svg)
    boxes = [g for g in root.iter() if g.get("class", "").startswith("box")]
    assert len(boxes) == 5
    assert "prefers-color-scheme:dark" in picture.svg
    assert "by hand &amp; more" in picture.svg


def test_the_page_loads_nothing(picture: Picture) -> None:
    loaded: list[str] = []

    class Collect(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            loaded.extend(value for name, value in attrs if name in ("src", "href") and value)

    Collect().feed(picture.html)
    assert loaded == []
    addresses = set(re.findall(r"https?://[\w./]+", picture.html))
    assert addresses <= {"http://www.w3.org/2000/svg"}


def test_a_notebook_gets_an_isolated_page_and_an_svg(picture: Picture) -> None:
    assert picture._repr_html_().startswith("<iframe srcdoc=")
    assert picture._repr_svg_() == picture.svg


@pytest.mark.parametrize("ending", [".svg", ".html", ".SVG"])
def test_save(picture: Picture, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"softmax{ending}"
    picture.save(path)
    wanted = picture.html if ending == ".html" else picture.svg
    assert path.read_text(encoding="utf-8") == wanted


def test_another_ending_is_refused_and_nothing_written(picture: Picture, tmp_path: Path) -> None:
    with pytest.raises(NoSuchFolder, match=f"no folder {tmp_path / 'there'}. Make it"):
        picture.save(tmp_path / "there" / "softmax.svg")
    with pytest.raises(UnknownPictureFormat, match=r"'.*softmax\.png'.*\.svg or \.html"):
        picture.save(tmp_path / "softmax.png")
    assert list(tmp_path.iterdir()) == []


def test_text_writes_shared_subgraphs_once(picture: Picture) -> None:
    lines = str(picture).splitlines()
    assert lines[0] == "by hand & more"
    assert sum("exp *1" in line for line in lines) == 2
    assert sum(line.strip("│└├─ ") == "x" for line in lines) == 1


def test_text_of_a_difference_has_signs() -> None:
    text = str(compare(at.tanh(x) + at.log(at.sin(x)), at.tanh(x) + x))
    assert "- log" in text
    assert "- sin" in text
    assert "+ " not in text.replace("~ add", "")


def test_places_in_brackets_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    found = why_not("log_softmax_difference", at.exp(x) / at.exp(y))
    draw(found).show()
    shown = capsys.readouterr().out
    assert f"[{Path(__file__)}:" in shown.replace("\n", "")
    assert str(draw(found)) == str(found)


def test_colour_only_where_the_terminal_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    compare(at.log(at.exp(x)), x).show()
    assert "\x1b[" not in capsys.readouterr().out


def test_derivation_joins_equal_graphs_and_drops_lines_that_lead_back() -> None:
    a, b, c = at.exp(x), at.log(x), at.tanh(x)
    steps = [("one", a, b), ("two", b, c), ("three", at.exp(x), c), ("back", c, a)]
    picture = derivation(steps)
    (result,) = picture.diagrams
    assert len(result.boxes) == 3
    assert [line.label for line in result.lines] == ["one", "two", "three"]
    assert "4. back" in str(picture)


def test_trace_and_its_events_have_pictures() -> None:
    with trace() as steps:
        assert steps.allow()
        steps.fired("log_of_exp", "node 2", at.log(at.exp(x)), x, {"x": x}, 1e-3)
        steps.refused("log_of_exp", at.log(x), "no exp")
    assert "log_of_exp" in steps._repr_svg_()
    assert "gone" in steps.step(1)._repr_svg_()
    assert "no exp" in steps.events[1]._repr_svg_()
    with trace() as nothing:
        pass
    assert "no relation fired" in nothing._repr_svg_()


def test_patterns_and_relations_have_pictures() -> None:
    a = Param("picture:a")

    @relation
    def quotient(x: Float, axis: Axis) -> Iterator[Eq]:
        yield eq(T.exp(x) / T.sum(T.exp(x), axis, keepdims=True), T.softmax(x, axis))

    (pattern,) = draw(T.log(2 * T.exp(a)) / T.exp(a)).diagrams
    texts = sorted(box.lines[0] for box in pattern.boxes.values())
    assert texts == ["2 * ·", "a", "exp(·)", "log(·)", "· / ·"]
    left, right = draw(quotient).diagrams
    assert "sum(·, axis=axis, keepdims=True)" in [box.lines[0] for box in left.boxes.values()]
    assert "softmax(·, axis=axis)" in [box.lines[0] for box in right.boxes.values()]
    assert "quotient(x: Float, axis: Axis)" in str(draw(quotient))


def test_a_deep_graph_is_read_in_80_columns() -> None:
    h: Any = at.dmatrix("h")
    for n in range(30):
        h = at.tanh(h + at.dmatrix(f"w{n}"))
    out = io.StringIO()
    Console(width=80, file=out).print(draw(h))
    lines = out.getvalue().splitlines()
    assert len(lines) < 100
    for n in range(30):  # each operand on a line of its own, whole
        assert len([line for line in lines if line.endswith(f" w{n}")]) == 1
    apart = [line for line in lines if line.endswith(" …")]
    for line in apart:  # what is deep is told where it is written
        number = line.split("*")[1].split()[0]
        assert [at for at in lines if at.startswith("─ ", 2) and f" *{number} " in at]
