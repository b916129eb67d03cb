"""What `why_not` answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from aesara.graph.basic import Variable

from kanrewrite.display import Pictured, brief
from kanrewrite.relation import Relation
from kanrewrite.trace import source_of

Graph = Variable[Any, Any]


@dataclass(frozen=True, slots=True)
class Explanation(Pictured):
    """The furthest partial match of a relation in a graph.

    Attributes
    ----------
    relation : Relation
        Which was asked about.
    place : Variable
        Where it came furthest.
    pattern, matched : str
        What it looks for, and how much of that is at the place; holes are what is not.
    reason : str
        What stopped it; empty if nothing did. Of a match that Aesara takes away before relations
        are tried, what it makes of it.
    hint : str
        What to do about it, where that is known.
    found : Variable or other
        What stands where the first difference is.
    share : float
        How much of the pattern matched, from 0 to 1.
    near : int
        How many of the operators that are missing occur further below.
    fires : bool
        Whether nothing stops it.
    unseen : int
        How many places of the graph there was no time for.
    """

    relation: Relation
    place: Graph
    pattern: str
    matched: str
    reason: str = ""
    hint: str = ""
    found: Any = None
    share: float = 0.0
    near: int = 0
    fires: bool = False
    unseen: int = 0

    @property
    def rank(self) -> tuple[bool, float, int]:
        """How far it came, for comparison with other places."""
        return self.fires, self.share, self.near

    def because(self, reason: str, hint: str = "", found: Any = None, near: int = 0) -> Explanation:
        """The same with what stopped it."""
        return replace(self, reason=reason, hint=hint, found=found, near=near)

    def matches(self) -> Explanation:
        """The same, of a relation that nothing stops."""
        return replace(self, share=1.0, fires=True)

    def gone(self, reason: str) -> Explanation:
        """The same of a relation that matches in a graph and not in what Aesara makes of it."""
        return replace(self, reason=reason)

    def although(self, reason: str) -> Explanation:
        """The same of a relation that matches, whatever it did there being undone."""
        return replace(self, reason=reason, fires=not reason)

    def __str__(self) -> str:
        source = source_of(self.place)
        at = f"  at       {brief(self.place)}" + (f"  [{source}]" if source else "")
        name = f"{self.relation.name} ({self.relation.source})"
        if self.fires:
            but = f"\n  but      {self.reason}" if self.reason else ""
            return f"{name} matches\n{at}\n  pattern  {self.pattern}{but}"
        lines = [f"{name} does not match", at, f"  pattern  {self.pattern}"]
        lines += [f"  matched  {self.matched}"] if self.matched else []
        lines += [f"  but      {self.reason}"]
        lines += [f"  hint     {self.hint}"] if self.hint else []
        lines += [f"  unseen   {self.unseen} places, for lack of time"] if self.unseen else []
        return "\n".join(lines)

    __repr__ = __str__
