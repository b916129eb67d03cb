"""Rewrites one by one, each in the whole graph as it was at that moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aesara.graph.basic import Variable
from rich.console import RenderableType
from rich.text import Text

from kanrewrite.display import brief, cut, place
from kanrewrite.draw.diff import before_after
from kanrewrite.draw.graph import diagram
from kanrewrite.draw.model import Box, Diagram
from kanrewrite.draw.picture import Picture
from kanrewrite.errors import UnusableArgument
from kanrewrite.structure import Structure
from kanrewrite.trace import Event, Recorder

Graph = Variable[Any, Any]

#: Rewrites that have a picture; further ones are text.
PICTURED = 60
#: Above this many operators, what a rewrite does is drawn without what stands above it.
WHOLE = 400


def walk(steps: Recorder, start: Sequence[Graph] = (), end: Sequence[Graph] = ()) -> Picture:
    """A picture to step through: each rewrite with what it changed marked.

    Parameters
    ----------
    steps : Recorder
        What `kanrewrite.trace` recorded.
    start : sequence of Variable, optional
        The graph before the first rewrite.  With it the readers of what is rewritten are drawn
        too; without it, or in a large graph, only what is rewritten.
    end : sequence of Variable, optional
        The graph as it came out; drawn last.

    Returns
    -------
    Picture
        One frame for each rewrite, in order.

    Raises
    ------
    UnusableArgument
        For what is no recorder.
    """
    if not isinstance(steps, Recorder):
        raise UnusableArgument("walk", "what `with kanrewrite.trace() as steps` gives", steps)
    events = steps.fired_events
    text: tuple[RenderableType, ...] = (Text(str(steps)),)
    if not events:
        none = Diagram({0: Box(["no relation fired"], "graph")})
        shown = diagram(list(start), "no relation fired") if start else none
        return Picture((shown,), text, "no rewrite")
    frames = []
    for event, before, after in _graphs(events[:PICTURED], start):
        name = event.name + (f"  {place(event.source)}" if event.source else "")
        caption = f"{cut(brief(event.before), 140)}\n→ {cut(_after(event), 140)}"
        pair = tuple(before_after(before, after, ("before", f"after {event.name}")))
        frames.append(Picture(pair, (), name, caption))
    if end:
        frames.append(Picture((diagram(list(end), "the result"),), (), "the result"))
    first, *others = frames
    return Picture(first.diagrams, text, first.title, first.caption, tuple(others))


def _after(event: Event) -> str:
    return "" if event.after is None else brief(event.after)


def _graphs(
    events: Sequence[Event], start: Sequence[Graph]
) -> Iterator[tuple[Event, list[Graph], list[Graph]]]:
    """Each rewrite with the outputs before and after it."""
    structure = Structure()
    roots = structure.add(list(start))
    for event in events:
        before, after = structure.add([event.before, event.after or event.before])
        below = structure.below(roots, WHOLE)
        if before in below and len(below) < WHOLE:
            target = structure.replaced(roots, before, after)
            yield event, _variables(structure, roots), _variables(structure, target)
            roots = target
        else:
            yield event, _variables(structure, [before]), _variables(structure, [after])


def _variables(structure: Structure, numbers: Sequence[int]) -> list[Graph]:
    return [structure.variables[number] for number in numbers]
