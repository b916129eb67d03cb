"""Pictures of searches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, product

from rich.text import Text
from rich.tree import Tree

from kanrewrite.display import brief, cut, in_line
from kanrewrite.draw.diff import before_after, diff
from kanrewrite.draw.graph import diagram
from kanrewrite.draw.model import Box, Diagram, Line, Status
from kanrewrite.draw.picture import Picture
from kanrewrite.draw.text import diff_text, graph_text
from kanrewrite.draw.tree import WIDE, expression
from kanrewrite.search import Exploration, Found, Step
from kanrewrite.structure import Structure, downwards

#: Graphs of a search that are drawn: the cheapest, and what leads to them.
MOST = 14
#: How deep the sides of a rewrite are written: the first depth that tells them apart and fits.
_DEPTHS = (4, 3, 2, 5, 6)

#: The lines of both sides of rewrites.
Sides = Mapping[Step, list[list[str]]]


def search_picture(search: Exploration) -> Picture:
    """A search as a graph: each graph found a box, each rewrite a line with its relation."""
    best = search.best()
    shown: dict[int, Found] = {}
    for found in search.graphs:
        path = [found, *(step.source for step in found.derivation)]
        if len(shown | {f.number: f for f in path}) <= MOST:
            shown.update({f.number: f for f in path})
    result = Diagram(title=search.report.summary)
    sides = {found.by: _apart(found.by) for found in shown.values() if found.by is not None}
    places = _places(next(iter(search)), sides)
    for number, found in sorted(shown.items()):
        result.boxes[number] = _box(found, best, sides, places)
    for step in search.steps:
        line = Line(step.source.number, step.target.number)
        # Only lines away from the start: layers need a direction.
        forward = step.source.depth < step.target.depth
        if {line.source, line.target} <= shown.keys() and forward and line not in result.lines:
            result.lines.append(line)
    hidden = len(search.graphs) - len(shown)
    caption = f"{hidden} more graphs, which cost more, are not drawn" if hidden else ""
    return Picture((result,), (_tree(search, best), search.report), "explore", caption)


def _places(start: Found, sides: Sides) -> dict[Step, str]:
    """Which of several places was rewritten, for the rewrites that look alike in their boxes."""
    structure = Structure()
    structure.add(start.outputs)  # which are numbered in the order of computation
    alike: dict[tuple[str, ...], dict[Step, int]] = {}
    for step, lines in sides.items():
        (place,) = structure.add([step.before])
        alike.setdefault((step.relation, *chain(*lines)), {})[step] = place
    told = {}
    for places in alike.values():
        order = sorted(set(places.values()))
        if len(order) > 1:
            for step, place in places.items():
                told[step] = f", place {order.index(place) + 1} of {len(order)}"
    return told


def _box(found: Found, best: Found, sides: Sides, places: Mapping[Step, str]) -> Box:
    """The start as it is, other graphs by how they differ from what they were found from."""
    text = ", ".join(in_line(output) for output in found.outputs)
    head = f"#{found.number}  cost {found.cost:g}"
    status: Status = "best" if found is best else "start" if found.number == 0 else ""
    if found.by is None:
        return Box([head, *expression(text)], "graph", status, detail=text)
    place = places.get(found.by, "")
    lines = [head, f"by {cut(found.by.relation, WIDE - 3 - len(place))}{place}"]
    for sign, shown in zip("−+", sides[found.by], strict=True):
        lines += [f"{sign} {line}" for line in shown]
    return Box(lines, "graph", status, detail=f"{text}\n{found.by}")


def _apart(step: Step) -> list[list[str]]:
    """The lines of both sides of a rewrite, whole, at the first depth that tells them apart.

    Where they are alike as far as a box holds, the first of the operands that differ is.
    """
    sides: list[list[str]] = []
    cut_off: list[list[str]] = []
    for graphs, depth in product(downwards(step.before, step.after), _DEPTHS):
        sides = [expression(brief(graph, depth), WIDE - 2) for graph in graphs]
        if sides[0] != sides[1]:
            if "…" not in (sides[0][-1], sides[1][-1]):
                return sides
            cut_off = cut_off or sides
    return cut_off or sides


def _tree(search: Exploration, best: Found) -> Tree:
    """The graphs by the rewrites that found them first, the cheapest ones and what leads there."""
    shown: dict[Found, Tree] = {}
    start = next(iter(search))
    tree = shown[start] = Tree(Text(str(start), style="bold"), guide_style="dim")
    for found in search.graphs[:MOST]:
        for step in found.derivation:
            if step.target not in shown:
                style = "bold green" if step.target is best else ""
                told = f"#{step.target.number} cost {step.target.cost:g}: {step.target.told}"
                text = Text.assemble((f"{step.relation}  ", "magenta"), (told, style))
                shown[step.target] = shown[step.source].add(text)
    return tree


def derivation_picture(found: Found) -> Picture:
    """The graph found, below it how it was found."""
    steps: Iterable[Step] = found.derivation
    caption = "\n".join(str(step) for step in steps)
    return Picture(
        (diagram(found.outputs, str(found)[:90]),),
        (graph_text(found.outputs, str(found)), *caption.splitlines()),
        f"graph {found.number}",
        caption,
    )


def step_picture(step: Step) -> Picture:
    """The whole graph before and after one rewrite."""
    before, after = step.source.outputs, step.target.outputs
    titles = (f"#{step.source.number} before {step.relation}", f"#{step.target.number} after")
    return Picture(
        tuple(before_after(before, after, titles)),
        tuple(diff_text(diff(before, after), titles)),
        step.relation,
    )
