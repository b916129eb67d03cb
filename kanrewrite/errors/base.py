"""Bases: what every error of kanrewrite is."""

from __future__ import annotations


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
