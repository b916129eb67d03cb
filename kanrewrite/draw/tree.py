"""Derivations: what became what, by which relation."""

from __future__ import annotations

import re

from rich.text import Text
from rich.tree import Tree

from kanrewrite.border import Triples, checked
from kanrewrite.display import brief, cut
from kanrewrite.draw.model import Box, Diagram, Line
from kanrewrite.draw.picture import Picture
from kanrewrite.structure import Structure

#: Characters in a line of a box that holds an expression.
WIDE = 34
_LINES = 4


def expression(text: str, wide: int = WIDE, most: int = _LINES) -> list[str]:
    """The text of a graph broken into the lines of a box, at most so many.

    Examples
    --------
    >>> expression("exp(x)")
    ['exp(x)']
    """
    lines = [""]
    for piece in re.findall(r"[^(,\s]*[(,\s]?", text):
        if len(lines[-1] + piece.rstrip()) > wide and lines[-1]:
            lines.append("")
        lines[-1] += piece
    lines = [cut(line.strip(), wide) for line in lines]
    return lines if len(lines) <= most else [*lines[: most - 1], "…"]


@checked
def derivation(steps: Triples, title: str = "derivation") -> Picture:
    """A picture of rewrites: each graph once, each rewrite a line with its relation's name.

    Parameters
    ----------
    steps : sequence of (str, Variable, Variable)
        Each a relation, what it rewrote, and what became of that.
    title : str
        Of the page.

    Returns
    -------
    Picture
        Graphs that several rewrites start from or end in join their branches.

    Raises
    ------
    UnusableArgument
        For what are no rewrites.
    """
    structure = Structure()
    result = Diagram()
    tree = Tree(Text(f"{len(steps)} rewrite{'s' * (len(steps) != 1)}", style="bold"))
    seen: set[tuple[int, int, str]] = set()
    for count, (name, before, after) in enumerate(steps, 1):
        source, target = structure.add([before])[0], structure.add([after])[0]
        for key, graph in ((source, before), (target, after)):
            text = brief(graph)
            result.boxes.setdefault(key, Box(expression(text), "graph", detail=text))
        branch = tree.add(Text.assemble(f"{count}. ", (name, "bold")))
        branch.add(Text(f"- {brief(before)}", style="red"))
        branch.add(Text(f"+ {brief(after)}", style="green"))
        if (source, target, name) not in seen and source != target:
            seen.add((source, target, name))
            result.lines.append(Line(source, target, name))
    if not result.boxes:
        result.boxes[0] = Box(["no relation fired"], "graph")
    return Picture((_acyclic(result),), (tree,), title.splitlines()[0][:80])


def _acyclic(diagram: Diagram) -> Diagram:
    """Leave out lines that lead back: layers need a direction, the text has every step."""
    above: dict[int, set[int]] = {key: {key} for key in diagram.boxes}
    kept = []
    for line in diagram.lines:
        if line.target not in above[line.source]:
            kept.append(line)
            gained = above[line.source]
            for key, its in above.items():
                if key == line.target or line.target in its:
                    its |= gained
    diagram.lines = kept
    return diagram
