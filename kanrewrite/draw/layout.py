"""Where boxes go: rows of a width that is given, inputs above and outputs below.

References
----------
R. E. Barlow et al., *Statistical Inference under Order Restrictions* (1972): the pooling of
adjacent violators, which gives the places in a row that are nearest to those wanted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kanrewrite.draw.model import CHARACTER, LINE, Diagram, Line
from kanrewrite.draw.rows import COLUMN, LANE, Grid, Spot, rows_of

Point = tuple[float, float]

ROW, MARGIN = 30.0, 24.0
#: What fits beside each other in a window of 1280 pixels.
WIDEST = 1160.0
#: Between the ends of two lines at a box, with the numbers of operands and without.
NUMBERED, PLAIN = 28.0, 12.0
#: How high the head of a line is.
HEAD = 5
#: A longer text at a line has a row of its own.
SHORT = 3
_SWEEPS = 8


@dataclass(slots=True)
class Placed:
    """A diagram with the centre of every box and the way of every line.

    Attributes
    ----------
    labels : dict of int to Point
        The middle of the texts that stand on lines, by the number of the line.
    rows : dict of int to (float, float)
        Where the row of each box begins and ends, which is as high as the highest box in it.
    """

    diagram: Diagram
    centres: dict[int, Point] = field(default_factory=dict)
    routes: list[tuple[Line, list[Point]]] = field(default_factory=list)
    labels: dict[int, Point] = field(default_factory=dict)
    rows: dict[int, tuple[float, float]] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


def place(diagram: Diagram, widest: float = WIDEST) -> Placed:
    """Lay a diagram out.

    Parameters
    ----------
    diagram : Diagram
        Its lines must not form a cycle.
    widest : float
        How wide it may become, in pixels; a box alone may be wider.

    Returns
    -------
    Placed
    """
    placed = Placed(diagram)
    room: defaultdict[int, float] = defaultdict(float)
    for line in diagram.lines:
        room[line.target] += NUMBERED if line.label else PLAIN
    for key, box in diagram.boxes.items():
        box.room = room[key]
    shelf = _Shelf(placed, widest)
    for boxes, lines in _parts(diagram):
        shelf.add(_Part(diagram, boxes, lines, widest - 2 * MARGIN))
    shelf.close()
    _end_apart(placed)
    return placed


def _parts(diagram: Diagram) -> Iterator[tuple[list[int], list[int]]]:
    """What hangs together: keys of boxes, numbers of lines."""
    beside: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for n, line in enumerate(diagram.lines):
        beside[line.source].append((line.target, n))
        beside[line.target].append((line.source, n))
    seen: set[int] = set()
    for start in diagram.boxes:
        if start in seen:
            continue
        seen.add(start)
        boxes, lines = [start], set()
        for key in boxes:
            for other, n in beside[key]:
                lines.add(n)
                if other not in seen:
                    seen.add(other)
                    boxes.append(other)
        yield sorted(boxes), sorted(lines)


class _Part:
    """A connected part with places of its own; texts on lines are boxes of a kind."""

    def __init__(self, diagram: Diagram, boxes: list[int], lines: list[int], widest: float):
        self.diagram = diagram
        self.boxes = boxes
        self.lines = lines
        self.size = {k: (diagram.boxes[k].width, diagram.boxes[k].height) for k in boxes}
        #: The box that stands for the text of a line.
        self.texts: dict[int, int] = {}
        pairs: list[tuple[int, int]] = []
        free = 1 + max(diagram.boxes)
        for n in lines:
            line = diagram.lines[n]
            if len(line.label) > SHORT:
                key = self.texts[n] = free + n
                self.size[key] = (len(line.label) * CHARACTER + 8, LINE)
                pairs += [(line.source, key), (key, line.target)]
            else:
                pairs.append((line.source, line.target))
        widths = {key: width for key, (width, _) in self.size.items()}
        self.grid = Grid(rows_of(widths, pairs, widest), pairs)
        self.x: dict[Spot, float] = {}
        self._set_columns(widest)
        self._set_rows()
        half = [(self.x[s] - w / 2, self.x[s] + w / 2) for s, w in self._widths()]
        self.left = min(a for a, _ in half)
        self.width = max(b for _, b in half) - self.left

    def _width(self, spot: Spot) -> float:
        return LANE if self.grid.is_lane(spot) else self.size[spot.key][0] + COLUMN

    def _widths(self) -> Iterator[tuple[Spot, float]]:
        for row in self.grid.rows:
            for spot in row:
                yield spot, self._width(spot) - (0 if self.grid.is_lane(spot) else COLUMN)

    def _set_columns(self, widest: float) -> None:
        """Move each place to the middle of what it is joined to, rows in turns."""
        for row in self.grid.rows:
            self._settle(row, [0.0] * len(row), widest)
        for sweep in range(_SWEEPS):
            rows = self.grid.rows if sweep % 2 else self.grid.rows[::-1]
            for row in rows:
                wanted = [self._wanted(spot, both=sweep >= _SWEEPS - 2) for spot in row]
                self._settle(row, wanted, widest)

    def _wanted(self, spot: Spot, both: bool) -> float:
        above, below = self.grid.above.get(spot, []), self.grid.below.get(spot, [])
        near = [*above, *below] if both else below or above
        return sum(self.x[x] for x in near) / len(near) if near else self.x[spot]

    def _settle(self, row: Sequence[Spot], wanted: Sequence[float], widest: float) -> None:
        widths = [self._width(spot) for spot in row]
        offsets = [0.0]
        for one, other in pairwise(widths):
            offsets.append(offsets[-1] + (one + other) / 2)
        free = nearest_in_order([x - o for x, o in zip(wanted, offsets, strict=True)])
        low = widths[0] / 2
        high = max(low, widest - offsets[-1] - widths[-1] / 2)
        for spot, offset, x in zip(row, offsets, free, strict=True):
            self.x[spot] = offset + min(max(x, low), high)

    def _set_rows(self) -> None:
        """The middle of each row, from the top, and its height."""
        heights = [
            max((self.size[s.key][1] for s in row if not self.grid.is_lane(s)), default=LINE)
            for row in self.grid.rows
        ]
        self.middle, y = [0.0] * len(heights), 0.0
        for level in range(len(heights) - 1, -1, -1):
            self.middle[level] = y + heights[level] / 2
            y += heights[level] + ROW
        self.heights = heights
        self.height = y - ROW

    def settle(self, placed: Placed, dx: float, dy: float) -> None:
        """Give boxes, lines and texts their places in the picture."""
        spots = {s.key: s for row in self.grid.rows for s in row if not self.grid.is_lane(s)}
        here = {key: (self.x[spot] + dx, self.middle[spot.row] + dy) for key, spot in spots.items()}
        for key in self.boxes:
            placed.centres[key] = here[key]
            y, half = here[key][1], self.heights[spots[key].row] / 2
            placed.rows[key] = (y - half, y + half)
        for n in self.lines:
            line = self.diagram.lines[n]
            way = [here[line.source]]
            if n in self.texts:
                x, y = placed.labels[n] = here[self.texts[n]]
                way += self._lanes(line.source, self.texts[n], dx, dy)
                way += [(x, y - LINE / 2), (x, y + LINE / 2)]
                way += self._lanes(self.texts[n], line.target, dx, dy)
            else:
                way += self._lanes(line.source, line.target, dx, dy)
            placed.routes.append((line, [*way, here[line.target]]))

    def _lanes(self, source: int, target: int, dx: float, dy: float) -> Iterator[Point]:
        for spot in self.grid.route(source, target):
            x, y, half = self.x[spot] + dx, self.middle[spot.row] + dy, self.heights[spot.row] / 2
            yield x, y - half
            yield x, y + half


def nearest_in_order(wanted: Sequence[float]) -> list[float]:
    """The numbers that do not fall and are nearest to those wanted, in the sum of squares.

    Examples
    --------
    >>> nearest_in_order([1.0, 4.0, 2.0, 6.0])
    [1.0, 3.0, 3.0, 6.0]
    """
    pools: list[tuple[float, int]] = []
    for number in wanted:
        total, count = number, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            more, others = pools.pop()
            total, count = total + more, count + others
        pools.append((total, count))
    return [total / count for total, count in pools for _ in range(count)]


def _end_apart(placed: Placed) -> None:
    """Move the ends of lines from centres to edges, those at one box beside each other.

    Beside higher boxes of its row a line runs straight up or down, so that it crosses none.
    """
    boxes = placed.diagram.boxes
    arriving = defaultdict(list)
    for line, way in placed.routes:
        x, y = way[0]
        way[0] = (x, y + boxes[line.source].height / 2)
        _, bottom = placed.rows[line.source]
        if bottom > way[0][1] + 1:
            way.insert(1, (x, bottom))
        arriving[line.target].append((line, way))
    for key, ways in arriving.items():
        x, y = placed.centres[key]
        top, _ = placed.rows[key]
        box = boxes[key]
        for n, (_, way) in enumerate(sorted(ways, key=lambda end: (end[1][-2][0], end[0].label))):
            shift = ((n + 1) / (len(ways) + 1) - 0.5) * box.width
            way[-1] = (x + shift, y - box.height / 2 - HEAD)
            if top < way[-1][1]:
                way.insert(-1, (x + shift, top))


class _Shelf:
    """Parts put side by side in rows, as words in a paragraph."""

    def __init__(self, placed: Placed, widest: float):
        self.placed = placed
        self.widest = widest
        self.x = self.y = MARGIN
        self.row: list[tuple[_Part, float]] = []

    def add(self, part: _Part) -> None:
        if self.row and self.x + part.width + MARGIN > self.widest:
            self._break()
        self.row.append((part, self.x - part.left))
        self.x += part.width + 2 * MARGIN
        self.placed.width = max(self.placed.width, self.x - MARGIN)

    def _break(self) -> None:
        tallest = max(part.height for part, _ in self.row)
        for part, dx in self.row:
            # Parts of a row end on one line: their last boxes are what is read first.
            part.settle(self.placed, dx, self.y + tallest - part.height)
        self.y += tallest + 2 * MARGIN
        self.x, self.row = MARGIN, []

    def close(self) -> None:
        if self.row:
            self._break()
        self.placed.height = self.y - MARGIN
