"""A page for a relation: what it states, where it fires and where not, and what it gains.

Everything on it is executed when the page is made: the examples are rewritten, the errors are
measured against high precision, and the reasons come from the matcher.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from inspect import cleandoc
from pathlib import Path
from textwrap import dedent
from typing import Any

from aesara.graph.basic import Variable

from kanrewrite import registry
from kanrewrite.completion import derived
from kanrewrite.display import brief
from kanrewrite.pages.latex import latex
from kanrewrite.relation import Relation
from kanrewrite.relation.rules import conditions_of
from kanrewrite.report import report
from kanrewrite.report.plot import STYLE, plot
from kanrewrite.terms import show
from kanrewrite.why import why_not

__all__ = ["gallery", "latex", "page"]

_DEPTH = 12
#: Rules that completion derives and a page shows.
_DERIVED = 8


def page(relation: Relation | str) -> str:
    """A page about a relation, in MyST's Markdown.

    Parameters
    ----------
    relation : Relation or str
        Or the name of a known one.

    Returns
    -------
    str

    Raises
    ------
    UnknownRelation, NotARelation
        For a name that is none, and for what is something else.
    """
    relation = registry.named(relation)
    parts = [
        f"# {relation.name}",
        _facts(relation),
        *(_equation(relation, equation) for equation in relation.equations),
        cleandoc(relation.doc or ""),
        _guards(relation),
        *_section(
            "Fires" if relation.direction else "Relates",
            [_example(relation, build) for build in relation.examples],
        ),
        *_section("Leaves alone", [_left(relation, build) for build in relation.non_examples]),
        *_section("Rules that completion derives from it", _rules(relation)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def gallery(relations: Iterable[Relation], folder: Path) -> None:
    """Write a page for each relation, and one to choose from.

    Parameters
    ----------
    relations : iterable of Relation
        What the pages are about.
    folder : Path
        Where they are written; it is made if it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):  # of relations that are no more
        old.unlink()
    families: dict[str, list[Relation]] = {}
    for relation in relations:
        families.setdefault(relation.family, []).append(relation)
        path = folder / f"{relation.name}.md"
        path.write_text(page(relation), encoding="utf-8")
    lines = ["# Relations of the library", "", "One page each: every example on it was run.", ""]
    for family, members in sorted(families.items()):
        lines += [f"## {family}", ""]
        for member in members:
            first = cleandoc(member.doc or "").splitlines()[:1]
            lines += [f"- [{member.name}]({member.name}.md): {' '.join(first)}"]
        lines += [""]
    names = "\n".join(member.name for members in families.values() for member in members)
    lines += ["```{toctree}", ":hidden:", "", names, "```", ""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")


def _facts(relation: Relation) -> str:
    file, _, line = relation.source.rpartition(":")
    place = f"`{Path(file).name}`, line {line}"
    roles = ", ".join(f"`{role}`" for role in relation.roles)
    return f"Family `{relation.family}`; followed as {roles}; written in {place}."


def _equation(relation: Relation, equation: Any) -> str:
    asked = {(str(p), g) for p, guards in relation.parameters.items() for g in guards}
    own = [
        f"`{condition}`"
        for condition in conditions_of(equation)
        if (str(condition.variables[0]), condition.guard) not in asked
    ]
    text = f"$$\n{latex(equation.lhs)} = {latex(equation.rhs)}\n$$"
    return f"{text}\n\nwhere {', '.join(own)}." if own else text


def _guards(relation: Relation) -> str:
    rows = [
        f"| `{parameter}` | {', '.join(f'`{guard}`' for guard in guards)} |"
        for parameter, guards in relation.parameters.items()
        if guards
    ]
    return "\n".join(["| parameter | stands for |", "| --- | --- |", *rows]) if rows else ""


def _section(title: str, parts: list[str]) -> list[str]:
    return [f"## {title}", *parts] if parts else []


def _source(build: Callable[[], Any]) -> str:
    """The body of a function that builds an example."""
    lines = inspect.getsource(build).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("def ")) + 1
    return f"```python\n{dedent(chr(10).join(lines[start:]))}\n```"


def _example(relation: Relation, build: Callable[[], Any]) -> str:
    graph, other = build()
    if relation.direction is None:  # it relates, and is followed by reading
        return f"{_source(build)}\n\nThe two are the same: `{_text(graph)}` and `{_text(other)}`."
    with registry.disabled():
        registry.enable()
        found = report(graph)
    fired = ", ".join(f"`{e.name}`" for e in found.steps.fired_events)
    by = f"by {fired}" if fired else "before the library sees it, by Aesara's own simplifier"
    said = f"`{_text(graph)}` becomes `{_text(found.after[0])}` {by}."
    drawn = f"```{{raw}} html\n<style>{STYLE}</style>{plot(found.curves)}\n```"
    return f"{_source(build)}\n\n{said}\n\n{drawn}" if found.curves[0].scales else said


def _text(side: Any) -> str:
    """A side of an example, which is a graph or a pattern."""
    return brief(side, _DEPTH) if isinstance(side, Variable) else show(side)


def _left(relation: Relation, build: Callable[[], Any]) -> str:
    graph = build()
    if relation.direction is None or isinstance(graph, tuple):
        return f"{_source(build)}\n\nThe two are not the same, and the relation does not say so."
    reason = why_not(relation, graph)
    said = "A condition of it does not hold." if reason.fires else f"Because {reason.reason}."
    return f"{_source(build)}\n\n{said}"


def _rules(relation: Relation) -> list[str]:
    rules = list(derived(relation, registry.relations()))[:_DERIVED]
    return ["\n".join(f"- `{rule}`" for rule in rules)] if rules else []
