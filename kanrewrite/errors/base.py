"""Bases: what every error of kanrewrite is."""

from __future__ import annotations

from types import ModuleType


def told(value: object) -> str:
    """What somebody gave, as text: an object that shows its address only is told by its type.

    Examples
    --------
    >>> told(42), told(object())
    ('42', 'an object of type object')
    """
    text = repr(value)
    if isinstance(value, ModuleType):
        return f"the module {value.__name__}"
    if " at 0x" in text:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= 60 else f"{text:.60}…"


class KanrewriteError(Exception):
    """Base of all errors that kanrewrite raises on purpose."""


class RelationError(KanrewriteError, ValueError):
    """A relation that cannot be used as it is written.

    Parameters
    ----------
    name : str
        The relation.
    source : str
        ``file:line`` of its definition.
    problem : str
        What is wrong with it, and what to do.
    """

    def __init__(self, name: str, source: str, problem: str):
        super().__init__(f"relation {name} ({source}): {problem}")
        self.name = name
        self.source = source


class RelationWarning(UserWarning):
    """A relation was left out of a compilation, which went on without it."""
