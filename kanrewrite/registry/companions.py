"""What goes with the library: passes at other places in a compilation than its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aesara.graph.rewriting.basic import GraphRewriter, Rewriter, SequentialGraphRewriter
from aesara.graph.rewriting.db import RewriteDatabase, RewriteDatabaseQuery

from kanrewrite.registry.alignment import AlignmentPass
from kanrewrite.registry.cross_entropies import cross_entropies
from kanrewrite.registry.lengths import LengthsPass
from kanrewrite.registry.numbers import NumbersPass
from kanrewrite.registry.shapes import shapes


class Companion(RewriteDatabase):
    """A pass that runs wherever the lifting equations do.

    Parameters
    ----------
    takes_part : callable
        Tells from a query whether they do.
    make : callable
        The pass for a query.
    """

    def __init__(
        self,
        takes_part: Callable[[RewriteDatabaseQuery], bool],
        make: Callable[[RewriteDatabaseQuery], Rewriter],
    ):
        super().__init__()  # type: ignore[no-untyped-call]
        self.takes_part = takes_part
        self.make = make

    def query(self, *tags: Any, **kwtags: Any) -> Rewriter:
        """The pass, or one that does nothing."""
        query = tags[0]
        return self.make(query) if self.takes_part(query) else SequentialGraphRewriter()


def always(rewriter: GraphRewriter) -> Callable[[RewriteDatabaseQuery], Rewriter]:
    """The same pass for every query."""
    return lambda query: rewriter


#: Name, position and pass: before what attaches shapes (0.1); before canonicalize (1); right before
#: the library (1.4); after whatever brings in operators and merges them (49), and before what works
#: in place (49.5).
COMPANIONS: tuple[tuple[str, float, Callable[[RewriteDatabaseQuery], Rewriter]], ...] = (
    ("kanrewrite_shapes", 0.09, shapes),
    ("kanrewrite_numbers", 0.89, always(NumbersPass())),
    ("kanrewrite_alignment", 0.9, always(AlignmentPass())),
    ("kanrewrite_cross_entropies", 1.39, cross_entropies),
    ("kanrewrite_lengths", 49.1, always(LengthsPass())),
)
