"""Switching relations on and off, everywhere or for a while.

Importing kanrewrite registers nothing.  What is enabled runs in Aesara's compilations from then on,
in one database named ``kanrewrite`` at position 1.4; ``mode.excluding("kanrewrite")``, or the name
of a relation or a family instead, leaves it out of a single function.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from typing import Any

from aesara.compile.mode import optdb
from aesara.graph.basic import Variable, graph_inputs
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.db import RewriteDatabaseQuery

from kanrewrite import errors
from kanrewrite.border import checked
from kanrewrite.errors import DuplicateRelation, NotARelation, RelationWarning, UnknownRelation
from kanrewrite.registry import database, sources
from kanrewrite.registry.database import (
    DATABASE,
    LOG,
    NAME,
    POSITION,
    matching,
    take_part,
    written_view,
)
from kanrewrite.relation import Relation
from kanrewrite.structure import outputs_of

__all__ = [
    "canonical",
    "disable",
    "disabled",
    "enable",
    "enabled",
    "named",
    "register",
    "registered",
    "relations",
    "some",
    "stabilize",
    "unregister",
    "usual",
    "view_of",
    "written_view",
]

#: Families that `enable` leaves out unless they are named: they cost time where nothing is unsafe.
BY_NAME = frozenset({"accuracy"})
_loaded: list[bool] = []


def _load() -> None:
    """Get to know the library and what other packages offer; nothing is enabled by it."""
    if _loaded:
        return
    for source in (sources.of_library, sources.of_other_packages):
        for relation in source():
            _add(relation)
    _loaded.append(True)


def _add(relation: Relation) -> None:
    known = DATABASE.relations.get(relation.name)
    if known is not None and known != relation:
        raise DuplicateRelation(relation.name, relation.source, known.source)
    DATABASE.add(relation)


def _unknown(name: str) -> UnknownRelation:
    families = {r.family for r in DATABASE.relations.values()}
    return UnknownRelation(name, get_close_matches(name, [*DATABASE.relations, *families], n=3))


def _switch(on: bool, names: Sequence[str]) -> None:
    for name in names:
        if on:
            DATABASE.enabled[name] = None
        else:
            DATABASE.enabled.pop(name, None)
    if names:
        LOG.info("%s %s", "enabled" if on else "disabled", ", ".join(names))
    take_part(bool(DATABASE.enabled))


def relations() -> tuple[Relation, ...]:
    """Every known relation: the library's, those of other packages, and those registered."""
    _load()
    return tuple(DATABASE.relations.values())


def usual() -> tuple[Relation, ...]:
    """The known relations but those of families that are enabled by name only."""
    return tuple(r for r in relations() if r.family not in BY_NAME)


def registered() -> dict[str, Relation]:
    """Every known relation by its name: the library's, those of other packages, and your own.

    Returns
    -------
    dict of str to Relation
        In the order in which they are tried; a copy.

    Examples
    --------
    >>> import kanrewrite
    >>> kanrewrite.registered()["softmax_quotient"].family
    'softmax'
    """
    _load()
    return dict(DATABASE.relations)


def enabled() -> tuple[Relation, ...]:
    """The relations that are enabled, in the order in which they are tried."""
    return DATABASE.chosen()


def named(relation: Relation | str) -> Relation:
    """A relation, or the known one of a name.

    Raises
    ------
    UnknownRelation
        For a name that is none.
    NotARelation
        If it is neither.
    """
    if isinstance(relation, Relation):
        return relation
    if not isinstance(relation, str):
        raise NotARelation(relation)
    _load()
    if relation not in DATABASE.relations:
        family = [name for name, r in DATABASE.relations.items() if r.family == relation]
        raise UnknownRelation(relation, (), family) if family else _unknown(relation)
    return DATABASE.relations[relation]


def some(chosen: Relation | str | Iterable[Relation | str]) -> list[Relation]:
    """Some relations, given as themselves, by name or by family, each once.

    Raises
    ------
    UnknownRelation, NotARelation
        For a name that is neither, and for what is something else.
    """
    if isinstance(chosen, Relation):
        return [chosen]
    if isinstance(chosen, str):
        _load()
        return [DATABASE.relations[name] for name in matching([chosen], _unknown)]
    if not isinstance(chosen, Iterable) or isinstance(chosen, bytes | Variable):
        raise NotARelation(chosen)
    return list(dict.fromkeys(relation for one in chosen for relation in some(one)))


def view_of(*relations: Relation) -> Callable[[], Any]:
    """What makes the view through which some relations read a graph."""
    return partial(database.make_view, relations)


@checked
def register(relation: Relation, replace: bool = False) -> None:
    """Make a relation known and enable it.

    Parameters
    ----------
    relation : Relation
        Registering it again is harmless.
    replace : bool
        Let it take the place of another relation of the same name.

    Raises
    ------
    DuplicateRelation
        If another relation has its name; the message says where both are.
    NotARelation
        If it is something else.
    """
    if not isinstance(relation, Relation):
        raise NotARelation(relation)
    _load()
    if replace:
        DATABASE.add(relation)
    else:
        _add(relation)
    _switch(True, [relation.name])


def unregister(relation: Relation | str) -> None:
    """Take back `register`: nobody knows the relation any more, and its name is free.

    Parameters
    ----------
    relation : Relation or str
        A registered one, or its name.

    Raises
    ------
    UnknownRelation, NotARelation
        If it is not known, or its name is another relation's; for what is something else.
    """
    relation = named(relation)
    _switch(False, [_name(relation)])
    DATABASE.remove(relation)


def enable(*names: str | Relation) -> None:
    """Let relations take part in every compilation from now on.

    Parameters
    ----------
    *names : str or Relation
        Relations or families; without any, every known relation but those of families that are
        only enabled by name: `accuracy`.

    Raises
    ------
    UnknownRelation, NotARelation
        If a name is neither a relation nor a family; for what is no name.

    Examples
    --------
    >>> import kanrewrite
    >>> kanrewrite.enable()
    >>> kanrewrite.enable("accuracy")
    >>> kanrewrite.disable()
    """
    _load()
    _switch(True, matching(map(_name, names), _unknown) if names else [r.name for r in usual()])


def _name(of: str | Relation) -> str:
    """A name, or that of a relation that is known by it."""
    if isinstance(of, str):
        return of
    relation = named(of)
    if DATABASE.relations.get(relation.name) != relation:
        raise _unknown(relation.name)
    return relation.name


def disable(*names: str | Relation) -> None:
    """Take relations out of every compilation from now on.

    Parameters
    ----------
    *names : str or Relation
        Relations or families; without any, all of them: Aesara is as it was before `enable`.

    Raises
    ------
    UnknownRelation, NotARelation
        If a name is neither a relation nor a family; for what is no name.
    """
    if names:
        _load()
    _switch(False, matching(map(_name, names), _unknown) if names else list(DATABASE.enabled))


@checked
@contextmanager
def disabled(*names: str | Relation) -> Iterator[None]:
    """Do without relations inside a ``with`` block; afterwards everything is as it was before.

    Parameters
    ----------
    *names : str or Relation
        Relations or families; without any, all of them.

    Raises
    ------
    UnknownRelation, NotARelation
        If a name is neither a relation nor a family; for what is no name.
    """
    before = list(DATABASE.enabled)
    disable(*names)
    try:
        yield
    finally:
        _switch(False, list(DATABASE.enabled))
        _switch(True, before)


def stabilize(outputs: Any) -> list[Variable[Any, Any]]:
    """The graph as a compilation sees it after the enabled relations have rewritten it.

    Parameters
    ----------
    outputs : Variable or list of Variable
        They stay as they are.

    Returns
    -------
    list of Variable
        Over the same inputs.

    Raises
    ------
    NotAGraph
        If something else is given.

    Warns
    -----
    RelationWarning
        If no relation is enabled.

    Notes
    -----
    What runs is what runs in ``aesara.function`` up to and including the library: Aesara's
    canonicalization, then the relations; the later specializations are left out.
    """
    outputs = outputs_of(outputs)
    if not DATABASE.chosen():
        warnings.warn(errors.nothing_enabled(), RelationWarning, stacklevel=2)
    return _up_to(outputs, POSITION + 0.01)


def canonical(outputs: Sequence[Variable[Any, Any]]) -> list[Variable[Any, Any]]:
    """A graph as relations find it in a compilation: what Aesara has made of it before."""
    return _up_to(outputs, POSITION - 0.01, NAME)


def _up_to(
    outputs: Sequence[Variable[Any, Any]], position: float, *excluded: str
) -> list[Variable[Any, Any]]:
    inputs = [i for i in dict.fromkeys(graph_inputs(outputs)) if not hasattr(i, "data")]
    fgraph = FunctionGraph(inputs, outputs, clone=True, copy_inputs=False)
    query = RewriteDatabaseQuery(include=["fast_run"], exclude=excluded, position_cutoff=position)
    optdb.query(query).rewrite(fgraph)
    return list(fgraph.outputs)
