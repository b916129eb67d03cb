"""Where boxes go: layered drawing by grandalf, one connected part after another.

References
----------
K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual understanding of hierarchical system
structures", IEEE Trans. SMC 11 (1981); U. Brandes, B. Köpf, "Fast and simple horizontal
coordinate assignment", GD 2001.  Both are grandalf's.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from grandalf.graphs import Edge, Graph, Vertex  # type: ignore[import-untyped]  # no stubs
from grandalf.layouts import SugiyamaLayout  # type: ignore[import-untyped]  # no stubs

from kanrewrite.draw.model import Diagram, Line

Point = tuple[float, float]

ROW, COLUMN, MARGIN = 26.0, 16.0, 24.0
#: Parts are set side by side up to this width, then below each other.
SHELF = 1600.0


@dataclass(slots=True)
class Placed:
    """A diagram with the centre of every box and the way of every line."""

    diagram: Diagram
    centres: dict[int, Point] = field(default_factory=dict)
    routes: list[tuple[Line, list[Point]]] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


@dataclass(slots=True)
class _BoxView:
    w: float
    h: float
    xy: Point = (0.0, 0.0)


class _LineView:
    def __init__(self) -> None:
        self.points: list[Point] = []

    def setpath(self, points: list[Point]) -> None:
        self.points = list(points)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    # grandalf aligns a chain of boxes by recursion, one call a box.
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 20_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def place(diagram: Diagram) -> Placed:
    """Lay a diagram out, inputs above and outputs below.

    Parameters
    ----------
    diagram : Diagram
        Its lines must not form a cycle.

    Returns
    -------
    Placed
    """
    placed = Placed(diagram)
    # Lines are reversed for grandalf, which puts roots on top: a box then sits just above its
    # nearest reader instead of all inputs sitting in one row as wide as the whole picture.
    vertices = {key: Vertex(key) for key in diagram.boxes}
    ends = Counter(line.target for line in diagram.lines)
    for key, vertex in vertices.items():
        box = diagram.boxes[key]
        box.ends = max(1, ends[key])
        vertex.view = _BoxView(box.width, box.height)
    edges: dict[tuple[int, int, str], Any] = {}
    for line in diagram.lines:
        edge = Edge(vertices[line.target], vertices[line.source], data=line)
        edge.view = _LineView()
        edges[line.source, line.target, line.label] = edge
    shelf = _Shelf(placed)
    with _deep_recursion():
        for part in Graph(list(vertices.values()), list(edges.values())).C:
            shelf.add(part)
    shelf.close()
    _end_apart(placed)
    return placed


def _end_apart(placed: Placed) -> None:
    """Move the ends of lines from centres to edges, those at one box beside each other."""
    boxes = placed.diagram.boxes
    arriving = defaultdict(list)
    for line, way in placed.routes:
        x, y = way[0]
        way[0] = (x, y + boxes[line.source].height / 2)
        arriving[line.target].append(way)
    for key, ways in arriving.items():
        x, y = placed.centres[key]
        box = boxes[key]
        for n, way in enumerate(sorted(ways, key=lambda way: way[-2][0])):
            shift = ((n + 1) / (len(ways) + 1) - 0.5) * box.width
            way[-1] = (x + shift, y - box.height / 2 - 5)


class _Shelf:
    """Parts put side by side in rows, as words in a paragraph."""

    def __init__(self, placed: Placed):
        self.placed = placed
        self.x = self.y = MARGIN
        self.row: list[tuple[Any, float, float, float]] = []

    def add(self, part: Any) -> None:
        layout = SugiyamaLayout(part)
        layout.xspace, layout.yspace = COLUMN, ROW
        layout.init_all()
        layout.draw(3)
        boxes = [vertex.view for vertex in part.sV]
        points = [p for edge in part.sE for p in edge.view.points]
        left = min([b.xy[0] - b.w / 2 for b in boxes] + [p[0] for p in points])
        right = max([b.xy[0] + b.w / 2 for b in boxes] + [p[0] for p in points])
        top = min(b.xy[1] - b.h / 2 for b in boxes)
        bottom = max(b.xy[1] + b.h / 2 for b in boxes)
        if self.row and self.x + right - left > SHELF:
            self._break()
        # y is flipped: inputs on top.
        self.row.append((part, self.x - left, bottom, bottom - top))
        self.x += right - left + 2 * MARGIN
        self.placed.width = max(self.placed.width, self.x - MARGIN)

    def _break(self) -> None:
        tallest = max(height for *_, height in self.row)
        for part, dx, bottom, height in self.row:
            # Parts of a row end on one line: their last boxes are what is read first.
            self._settle(part, dx, self.y + (tallest - height) + bottom)
        self.y += tallest + 2 * MARGIN
        self.x, self.row = MARGIN, []

    def _settle(self, part: Any, dx: float, flip: float) -> None:
        for vertex in part.sV:
            x, y = vertex.view.xy
            self.placed.centres[vertex.data] = (x + dx, flip - y)
        for edge in part.sE:
            points = [(x + dx, flip - y) for x, y in edge.view.points]
            self.placed.routes.append((edge.data, points[::-1]))

    def close(self) -> None:
        if self.row:
            self._break()
        self.placed.height = self.y - MARGIN
