"""What `blame` answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kanrewrite.audit.inputs import Graph
from kanrewrite.audit.result import Witness, array_text
from kanrewrite.display import Pictured, brief, cut
from kanrewrite.relation import Relation
from kanrewrite.trace import source_of

Kind = Literal["", "false", "inexact", "improving"]

_SAYS: dict[Kind, str] = {
    "false": "is false: it changes what the outputs are",
    "inexact": "is true, and loses digits",
    "improving": "is true, and made the outputs right",
}


@dataclass(frozen=True, repr=False)
class Blame(Pictured):
    """The rewrite that changed a number.

    Attributes
    ----------
    kind : {"false", "inexact", "improving", ""}
        Whether it changed what the outputs are in exact arithmetic; or only what floats make of
        them, for the worse or for the better; empty if no rewrite changed anything.
    name : str
        The relation, or Aesara's rewrite.
    relation : Relation or None
        None for Aesara's own.
    source : str
        ``file:line`` of the relation or the rewrite.
    step, steps : int
        Which replacement it was, counted from 1, and of how many.
    before, after : Variable or None
        What was replaced, and by what.
    values : dict of Variable to ndarray
        The smallest inputs that were found to show it.
    old, new : list of ndarray
        The outputs at these inputs, before and after the replacement.
    note : str
        What there is to say if nothing is to blame.
    """

    kind: Kind
    name: str = ""
    relation: Relation | None = None
    source: str = ""
    step: int = 0
    steps: int = 0
    before: Graph | None = None
    after: Graph | None = None
    values: Witness | None = None
    old: Sequence[Any] = ()
    new: Sequence[Any] = ()
    note: str = ""

    def __bool__(self) -> bool:
        return bool(self.kind)

    def __str__(self) -> str:
        if self.before is None or self.after is None:
            return self.note
        place = f" ({self.source})" if self.source else ""
        user = source_of(self.before)
        lines = [
            f"{self.name}{place} {_SAYS[self.kind]}",
            f"  step     {self.step} of {self.steps}" + (f", at {user}" if user else ""),
            f"  before   {cut(brief(self.before), 160)}",
            f"  after    {cut(brief(self.after), 160)}",
        ]
        if self.relation is not None:
            lines.insert(1, f"  states   {self.relation.text}")
        lines += [
            f"  at       {self.values}",
            f"  was      {', '.join(map(array_text, self.old))}",
            f"  is       {', '.join(map(array_text, self.new))}",
        ]
        return "\n".join(lines)

    __repr__ = __str__
