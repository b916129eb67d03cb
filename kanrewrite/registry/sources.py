"""Finding relations: those of the library, and those that other packages offer."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from kanrewrite import errors
from kanrewrite.errors import NotARelation, RelationWarning
from kanrewrite.relation import Relation

LIBRARY = "kanrewrite.relations"
#: The entry point group under which other packages offer relations.
GROUP = "kanrewrite.relations"


def relations_in(value: Any) -> Iterator[Relation]:
    """The relations of a module (those defined there), of an iterable, or the relation itself.

    Raises
    ------
    NotARelation
        If there is something else among them.
    """
    if isinstance(value, Relation):
        yield value
    elif isinstance(value, ModuleType):
        for member in vars(value).values():
            if isinstance(member, Relation) and member.function.__module__ == value.__name__:
                yield member
    elif callable(value):
        yield from relations_in(value())
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for part in value:
            yield from relations_in(part)
    else:
        raise NotARelation(value)


def of_library() -> Iterator[Relation]:
    """The library's relations, family by family."""
    package = import_module(LIBRARY)
    for module in sorted(m.name for m in iter_modules(package.__path__)):
        yield from relations_in(import_module(f"{LIBRARY}.{module}"))


def of_other_packages() -> Iterator[Relation]:
    """The relations of entry points; one that fails is reported and left out."""
    for point in entry_points(group=GROUP):
        yield from _of_entry_point(point)


def _of_entry_point(point: EntryPoint) -> list[Relation]:
    try:
        return list(relations_in(point.load()))
    except Exception as error:  # noqa: BLE001  # another package's code can raise anything
        text = errors.failed_entry_point(point.name, point.value, error)
        warnings.warn(text, RelationWarning, stacklevel=3)
        return []
