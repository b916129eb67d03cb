"""Pictures of graphs, of differences, of derivations and of searches, without a system binary.

Terminal output is rich's.  `draw` takes whatever has a picture; other
modules add theirs with ``draw.register``.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from aesara.graph.basic import Variable

from kanrewrite import registry
from kanrewrite.audit import Audit
from kanrewrite.blame import Blame
from kanrewrite.border import checked
from kanrewrite.draw.diff import before_after, diff
from kanrewrite.draw.front import form_picture, front_picture
from kanrewrite.draw.graph import diagram
from kanrewrite.draw.model import Status
from kanrewrite.draw.picture import Picture
from kanrewrite.draw.search import derivation_picture, search_picture, step_picture
from kanrewrite.draw.term import relation_picture, term_diagram
from kanrewrite.draw.text import diff_text, graph_text
from kanrewrite.draw.tree import derivation
from kanrewrite.draw.verdicts import audit_picture, blame_picture
from kanrewrite.draw.walk import walk
from kanrewrite.improve import Form, Improvement
from kanrewrite.relation import Relation
from kanrewrite.search import Exploration, Found, Step
from kanrewrite.structure import Structure
from kanrewrite.terms import Term, show
from kanrewrite.trace import Event, Recorder
from kanrewrite.why import Explanation

__all__ = ["Picture", "compare", "derivation", "diff", "draw", "walk"]


@singledispatch
def draw(graph: Any, title: str = "") -> Picture:
    """The picture of a graph, or of a trace, an event, a search, a derivation.

    Parameters
    ----------
    graph : Variable, Apply, FunctionGraph, compiled function, a sequence of them, or other
        What to draw.  Equal subgraphs are drawn once.  A text is the name of a known relation.
    title : str
        Written above.

    Returns
    -------
    Picture

    Raises
    ------
    UnknownRelation, NotAGraph
        For a name that is none, and for what has no picture.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> print(draw(at.log(at.vector("x")), "a logarithm"))
    a logarithm
    └── log  float64(?)
        └── x
    """
    return Picture((diagram(graph, title),), (graph_text(graph, title or "graph"),), title)


@checked
def compare(before: Any, after: Any, titles: tuple[str, str] = ("before", "after")) -> Picture:
    """Two graphs side by side, their structural differences coloured.

    Parameters
    ----------
    before, after : as for `draw`
        The graphs.
    titles : tuple of str
        Written above them.

    Returns
    -------
    Picture
    """
    texts = diff_text(diff(before, after), titles)
    return Picture(tuple(before_after(before, after, titles)), tuple(texts), " | ".join(titles))


@draw.register
def _(name: str) -> Picture:
    return draw(registry.named(name))


@draw.register
def _(event: Event) -> Picture:
    if event.after is None:
        plain = draw(event.before, event.name)
        return Picture(plain.diagrams, plain.text, event.name, event.reason)
    picture = compare(event.before, event.after)
    caption = f"{event.name}  {event.seconds * 1e3:.2f} ms  {event.source}".rstrip()
    return Picture(picture.diagrams, picture.text, event.name, caption)


@draw.register
def _(recorder: Recorder) -> Picture:
    return walk(recorder)


@draw.register
def _(explanation: Explanation) -> Picture:
    structure = Structure()
    (place,) = structure.add([explanation.place])
    differs = explanation.found
    there = structure.add([differs])[0] if isinstance(differs, Variable) else None
    marks: dict[int | None, Status] = {
        place: "match" if explanation.fires else "place",
        there: "differs",
    }
    result = diagram(
        explanation.place, explanation.relation.name, structure, lambda n: marks.get(n, "")
    )
    return Picture((result,), (str(explanation),), explanation.relation.name, str(explanation))


@draw.register
def _(term: Term) -> Picture:
    return Picture((term_diagram(term),), (show(term),), "pattern")


draw.register(Relation, relation_picture)
draw.register(Audit, audit_picture)
draw.register(Improvement, front_picture)
draw.register(Form, form_picture)
draw.register(Blame, blame_picture)
draw.register(Exploration, search_picture)
draw.register(Found, derivation_picture)
draw.register(Step, step_picture)
