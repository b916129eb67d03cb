"""Reuse: what the graph computes already is taken from there, though it will be rewritten.

Variables are rebuilt from the outputs on.  One of those before the variable at hand is replaced
after it, in what was built for that too; one after it has been replaced before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from aesara.graph.basic import Variable

Built = TypeVar("Built")
#: Before all places: nothing of the graph that changes is used.
NOWHERE = -1


class Reuse:
    """Which variables of a graph may stand for forms, and what was built of them.

    Parameters
    ----------
    places
        The variables of the graph that are needed anyway, numbered inputs first.
    """

    def __init__(self, places: Mapping[Variable[Any, Any], int] | None = None):
        self._places = places or {}
        self._place = NOWHERE
        self._last = NOWHERE
        self._known: dict[Any, tuple[Any, int]] = {}

    def begin(self, var: Variable[Any, Any]) -> None:
        """Build a variable from now on."""
        self._place = self._places[var]

    def takes(self, var: Variable[Any, Any]) -> bool:
        """Use a variable that may change, if it comes before the one that is built."""
        place = self._places.get(var)
        if place is None or place >= self._place:
            return False
        self._last = max(self._last, place)
        return True

    def once(self, key: Any, build: Callable[[], Built]) -> Built:
        """What is built for a key: known, unless it is made of what comes later."""
        known, last = self._known.get(key, (None, self._place))
        if known is None or (last != NOWHERE and last >= self._place):
            outer, self._last = self._last, NOWHERE
            known = build()
            last, self._last = self._last, outer
            self._known[key] = known, last
        self._last = max(self._last, last)
        return known  # type: ignore[no-any-return]

    def __contains__(self, key: Any) -> bool:
        return key in self._known
