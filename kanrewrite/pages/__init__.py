"""A page for a relation: what it states, where it fires and where not, and what it gains.

Everything on it is executed when the page is made: the examples are rewritten, the errors are
measured against high precision, and the reasons come from the matcher.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from re import sub
from textwrap import dedent
from types import CodeType
from typing import Any

from aesara.graph.basic import Variable

from kanrewrite import registry
from kanrewrite.completion import derived
from kanrewrite.display import brief
from kanrewrite.pages.latex import latex
from kanrewrite.pages.sharing import named
from kanrewrite.pages.standing import PHASES, phases, standing
from kanrewrite.relation import Relation
from kanrewrite.relation.reading import sections
from kanrewrite.relation.rules import conditions_of
from kanrewrite.report import compared
from kanrewrite.report.plot import STYLE, plot
from kanrewrite.terms import show
from kanrewrite.why import why_not

__all__ = ["gallery", "latex", "page"]

_DEPTH = 12
#: How many characters of a graph are shown.
_LONGEST = 200
#: Rules that completion derives and a page shows.
_DERIVED = 8


def page(relation: Relation | str, paged: Collection[str] = ()) -> str:
    """A page about a relation, in MyST's Markdown.

    Parameters
    ----------
    relation : Relation or str
        Or the name of a known one.
    paged : collection of str
        The names of relations that have pages beside this one, which are linked.

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
        *_equations(relation),
        sections(relation.doc)[0],
        _guards(relation),
        *_section(
            "Fires" if relation.direction else "Relates",
            [_example(relation, build) for build in relation.examples],
        ),
        *_section("Leaves alone", [_left(relation, build) for build in relation.non_examples]),
        *_section("Where it stands in the search", [standing(relation, paged)]),
        *_section("Rules that completion derives from it", _rules(relation)),
        *_section("Literature", [relation.literature] if relation.literature else []),
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
    chosen = list(relations)
    names = [relation.name for relation in chosen]
    for relation in chosen:
        path = folder / f"{relation.name}.md"
        path.write_text(page(relation, names), encoding="utf-8")
    (folder / "index.md").write_text(_index(chosen), encoding="utf-8")


def _index(relations: Sequence[Relation]) -> str:
    """What there is, by family, and when which is followed."""
    lines = ["# Relations of the library", "", "One page each: every example on it was run.", ""]
    # What is enabled by default first.
    for family in sorted({r.family for r in relations}, key=lambda f: (f in registry.BY_NAME, f)):
        lines += [f"## {family}", ""]
        lines += [f'Only after `enable("{family}")`.', ""] if family in registry.BY_NAME else []
        for member in (r for r in relations if r.family == family):
            first = member.doc.splitlines()[:1]
            lines += [f"- [{member.name}]({member.name}.md): {' '.join(first)}"]
        lines += [""]
    lines += ["## In the order of the search", "", "| followed | relations |", "| --- | --- |"]
    for phase, when in PHASES.items():
        members = [r.name for r in relations if phase in phases(r)]
        if members:
            lines += [f"| {when} | {', '.join(f'[{name}]({name}.md)' for name in members)} |"]
    listed = "\n".join(relation.name for relation in relations)
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", listed, "```", ""])


def _facts(relation: Relation) -> str:
    file, _, line = relation.source.rpartition(":")
    place = f"`{Path(file).name}`, line {line}"
    roles = ", ".join(f"`{role}`" for role in relation.roles)
    followed = f"followed as {roles}; " * bool(phases(relation))
    return f"Family `{relation.family}`; {followed}written in {place}."


def _equations(relation: Relation) -> Iterator[str]:
    """The equations; of several that differ in numbers only, the first."""
    alike: dict[str, list[tuple[str, list[str]]]] = {}
    for equation in relation.equations:
        text, own = _equation(relation, equation)
        shape = sub(r"[\d.]+", "#", text)
        alike.setdefault(shape, []).append((text, own))
    for (text, own), *others in alike.values():
        yield text
        if own:
            yield f"where {', '.join(own)}."
        if others:
            often = "once more" if len(others) == 1 else f"{len(others)} times more"
            where = dict.fromkeys(", ".join(each) for _, each in others if each != own)
            said = f", where {' or '.join(where)}" if where else ""
            yield f"The same is stated with other numbers {often}{said}."


def _equation(relation: Relation, equation: Any) -> tuple[str, list[str]]:
    """An equation as mathematics, and its own conditions."""
    asked = {(str(p), g) for p, guards in relation.parameters.items() for g in guards}
    own = [
        f"`{condition}`"
        for condition in conditions_of(equation)
        if (str(condition.variables[0]), condition.guard) not in asked
    ]
    right, names = named(equation.rhs, set(map(str, relation.parameters)))
    text = f"$$\n{latex(equation.lhs)} = {latex(right)}\n$$"
    with_names = (f"$$\n{latex(name)} = {latex(term)}\n$$" for name, term in names)
    return "\n\n".join([text, *(["with"] if names else []), *with_names]), own


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
    """The body of a function that builds an example, below the helpers beside it that it calls."""
    helpers = [dedent(inspect.getsource(helper)).rstrip() for helper in _called(build)]
    lines = inspect.getsource(build).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("def ")) + 1
    body = dedent("\n".join(lines[start:]))
    return "\n".join(["```python", *(f"{helper}\n\n" for helper in helpers), f"{body}\n```"])


def _called(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The functions of a module that one of it calls, and those that they call, callees first."""
    found: dict[Callable[..., Any], None] = {}
    waiting, seen = [function], {function}
    while waiting:
        caller: Any = waiting.pop()
        for name in _names(caller.__code__):
            helper = caller.__globals__.get(name)
            is_beside = inspect.isfunction(helper) and helper.__module__ == caller.__module__
            if is_beside and helper not in seen:
                seen.add(helper)
                found[helper] = None
                waiting.append(helper)
    return list(reversed(found))


def _names(code: CodeType) -> Iterator[str]:
    """Global names in a function and in those inside of it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _example(relation: Relation, build: Callable[[], Any]) -> str:
    graph, other = build()
    with registry.disabled():
        registry.enable()
        if relation.family in registry.BY_NAME:
            registry.enable(relation.family)
        found = compared([graph])
    fired = ", ".join(f"`{e.name}`" for e in found.steps.fired_events)
    by = f"by {fired}" if fired else "before the library sees it, by Aesara's own simplifier"
    said = f"`{_text(graph)}` becomes `{_text(found.after[0])}` {by}."
    if relation.direction is None:  # it relates, and is followed by reading
        same = f"The two are the same: `{_text(graph)}` and `{_text(other)}`."
        said = f"{same} With the library {said}" if fired else same
    parts = [_source(build), said]
    if found.curves[0].scales:
        parts.append(f"```{{raw}} html\n<style>{STYLE}</style>{plot(found.curves)}\n```")
    return "\n\n".join(parts)


def _text(side: Any) -> str:
    """A side of an example, which is a graph or a pattern: as deep as can be read."""
    if not isinstance(side, Variable):
        return show(side)
    texts = (brief(side, depth) for depth in range(_DEPTH, 0, -1))
    return next((text for text in texts if len(text) <= _LONGEST), brief(side, 1))


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
