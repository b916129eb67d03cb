"""Patterns and relations as pictures."""

from __future__ import annotations

from typing import Any

from rich.text import Text
from unification import isvar

from kanrewrite.draw.model import Box, Diagram, Line
from kanrewrite.draw.picture import Picture
from kanrewrite.relation import Relation
from kanrewrite.terms import show
from kanrewrite.unify import is_term


def term_diagram(term: Any, title: str = "") -> Diagram:
    """A term as a graph: equal parts once, logic variables where a graph has inputs.

    Parameters
    ----------
    term : Term or leaf
        What to draw.
    title : str
        Written above.

    Returns
    -------
    Diagram
    """
    result = Diagram(title=title)
    _add(term, result, {}, root=True)
    return result


def _add(part: Any, result: Diagram, known: dict[Any, int], root: bool = False) -> int:
    if part in known:
        return known[part]
    if not is_term(part):
        key = known[part] = len(known)
        result.boxes[key] = Box([str(part)], "input")
        return key
    head, *operands = part
    tensors = len(operands) - len(head.parameters)
    drawn = [x for x in operands[:tensors] if is_term(x) or isvar(x)]
    sources = [_add(x, result, known) for x in drawn]
    key = known[part] = len(known)
    slots = [x if x not in drawn else _SLOT for x in operands[:tensors]]
    text = show(type(part)((head, *slots, *operands[tensors:]))) if slots else show(part)
    result.boxes[key] = Box([text], "op", "output" if root else "", detail=show(part))
    ordered = len(sources) > 1 and head.name not in ("add", "mul")
    for position, source in enumerate(sources, 1):
        result.lines.append(Line(source, key, str(position) if ordered else ""))
    return key


class _Slot:
    """Stands in the text of an operator for what a line leads to."""

    def __str__(self) -> str:
        return "·"


_SLOT = _Slot()


def relation_picture(relation: Relation) -> Picture:
    """The two sides of each equation side by side, the conditions below."""
    diagrams = []
    for equation in relation.equations:
        diagrams.append(term_diagram(equation.lhs, show(equation.lhs)))
        diagrams.append(term_diagram(equation.rhs, f"== {show(equation.rhs)}"))
    if not diagrams:
        diagrams.append(Diagram({0: Box([relation.text], "graph")}))
    caption = "\n".join([str(relation).splitlines()[0], relation.doc, relation.source])
    return Picture(tuple(diagrams), (Text(str(relation)),), relation.name, caption)
