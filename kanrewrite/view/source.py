"""What a reader is, and what it asks of the view that it reads for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from aesara.graph.basic import Apply, Variable

from kanrewrite.laws import Laws
from kanrewrite.terms import Operator
from kanrewrite.view.forms import Form, Leaf
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.moves import Move


class Source(Protocol):
    """Where a reader gets the operands of its node from: a view."""

    #: What relations say of each operator.
    laws: Laws
    #: Who uses each variable of the graph, where that is known.
    clients: Mapping[Variable[Any, Any], Sequence[Any]]

    def read(self, var: Variable[Any, Any]) -> Form:
        """A float variable as a form."""

    def leaf(self, var: Variable[Any, Any], algebra: Lifting) -> Leaf:
        """A variable as it is."""

    def operand(self, var: Variable[Any, Any], algebra: Lifting) -> Form:
        """An operand of a node, in the algebra of the node's dtype."""

    def define(
        self,
        op: Operator,
        inputs: Sequence[Variable[Any, Any] | Form],
        a: Lifting,
        *parameters: Any,
    ) -> Form | None:
        """An Op read as what relations say it means."""


Reader = Callable[[Source, Apply[Any], Lifting], Form | None]
#: The move of a node from its op, its further inputs and the broadcast pattern of the first.
MoveOf = Callable[[Any, list[Variable[Any, Any]], tuple[bool, ...]], Move | None]
