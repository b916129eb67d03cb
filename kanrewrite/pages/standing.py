"""Where a relation stands in the search: when it is followed, beside, before and after which."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from aesara.compile.mode import optdb

from kanrewrite import registry
from kanrewrite.completion.meeting import meetings
from kanrewrite.registry.database import POSITION
from kanrewrite.relation import Relation
from kanrewrite.rewriter.heads import heads_of, operators_of
from kanrewrite.rewriter.matching import precedence

#: What is said of a relation that is followed so, in the order in which it happens.
PHASES = {
    "define": "while a graph is read: operators are seen as what they mean",
    "lift": "while a graph is read: what can leave an operator leaves it",
    "everywhere": "at each node, before exponentials are brought together and again after it",
    "exponents": "in what is rebuilt because exponentials meet there",
    "sink": "while a graph is built: the largest exponent is taken out",
    "cancel": "while a graph is built: where a difference would lose its digits",
    "digits": "last of all, as it is written, from outputs to inputs, larger patterns first",
}
NOWHERE = "Followed nowhere: searches use it, backwards too, and no graph is rewritten by it."


def phases(relation: Relation) -> list[str]:
    """When a relation is followed: keys of `PHASES`, in their order."""
    found: set[str] = {role for role in relation.roles if role != "rewrite"}
    found |= {relation.where} if relation.direction is not None else set()
    return [phase for phase in PHASES if phase in found]


def standing(relation: Relation, paged: Collection[str] = ()) -> str:
    """Where a relation stands, in Markdown.

    Parameters
    ----------
    relation : Relation
    paged : collection of str
        The names of relations that have a page, which is linked.
    """
    known = registry.relations()
    known = known if relation in known else (*known, relation)
    meet = meetings(known)
    earlier, later = _neighbours(relation, known)
    rows = [
        ("looks for", [f"`{head}`" for head in sorted(_heads(relation))]),
        ("tried at", [f"`{place}`" for place in _places(relation)]),
        ("tried before it", _links(earlier, paged)),
        ("tried after it", _links(later, paged)),
    ]
    if not relation.is_goal:
        rows += [
            ("applies in what it looks for", _links(meet.within(relation), paged)),
            ("makes something in which it applies", _links(meet.before(relation), paged)),
            ("applies in what it makes", _links(meet.after(relation), paged)),
        ]
    table = [f"| {what} | {', '.join(values)} |" for what, values in rows if values]
    head = ["| | |", "| --- | --- |"] if table else []
    return "\n".join([_when(relation), "", *head, *table])


def _when(relation: Relation) -> str:
    when = "; ".join(PHASES[phase] for phase in phases(relation))
    if not when:
        return NOWHERE
    by_name = relation.family in registry.BY_NAME
    enabled = f'`enable("{relation.family}")`' if by_name else "`enable()`"
    return (
        f"Followed {when}. It is switched on by {enabled}, and runs in Aesara's order at "
        f"{POSITION:g}, after {_place('canonicalize')} and before {_place('stabilize')}."
    )


def _place(name: str) -> str:
    return f"`{name}` ({optdb.__position__[name]:g})"


def _patterns(relation: Relation) -> list[Any]:
    if relation.is_goal:
        return []
    return [rule.pattern for rule in relation.rules(relation.direction or "forward")]


def _heads(relation: Relation) -> set[str]:
    """The operators at the roots of what it looks for, as the rewriter names them."""
    return {next(operators_of(pattern)) for pattern in _patterns(relation)}


def _places(relation: Relation) -> list[str]:
    """The operators at which the rewriter tries it: their values can be read as such roots."""
    return sorted(set().union(*(heads_of(pattern) for pattern in _patterns(relation))))


def _neighbours(
    relation: Relation, known: Iterable[Relation]
) -> tuple[list[Relation], list[Relation]]:
    """Those tried in the same phase and at the same operators, before it and after it."""
    if relation.direction is None or relation.is_goal:
        return [], []
    heads = _heads(relation)
    beside = [
        r
        for r in known
        if r.where == relation.where
        and r.direction is not None
        and not r.is_goal
        and heads & _heads(r)
    ]
    beside.sort(key=lambda r: min(precedence(rule) for rule in r.rules()))
    place = beside.index(relation)
    return beside[:place], beside[place + 1 :]


def _links(relations: Iterable[Relation], paged: Collection[str]) -> list[str]:
    names = (r.name for r in relations)
    return [f"[{name}]({name}.md)" if name in paged else f"`{name}`" for name in names]
