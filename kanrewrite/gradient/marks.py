"""Ops that hold a graph together while Aesara rewrites it and derivatives still wait.

They live from the moment a derivative is opened in a graph to the moment it is expanded, and
no rewrite knows them: what lies on their two sides is not mixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aesara.compile.builders import OpFromGraph
from aesara.compile.ops import ViewOp
from aesara.gradient import disconnected_type
from aesara.graph.basic import Apply, equal_computations
from aesara.graph.fg import FunctionGraph
from aesara.graph.op import Op

from kanrewrite.gradient.names import Node, Var
from kanrewrite.gradient.path import Path, Pattern, substituted


class Identity(Op):
    """Gives its first input back."""

    view_map = {0: [0]}  # noqa: RUF012  # what Aesara calls it and how it reads it

    def make_node(self, *inputs: Var) -> Node:
        """Apply to variables of any type."""
        return Apply(self, list(inputs), [inputs[0].type()])

    def perform(
        self, node: Node, inputs: Sequence[Any], output_storage: Any, params: Any = None
    ) -> None:
        """Hand the first value on."""
        output_storage[0][0] = inputs[0]

    def infer_shape(self, fgraph: FunctionGraph, node: Node, shapes: list[Any]) -> list[Any]:
        """The first input's shape."""
        return [shapes[0]]

    def do_constant_folding(self, fgraph: FunctionGraph, node: Node) -> bool:
        """Never: a constant may be what is differentiated with respect to."""
        return False


class Mark(Identity):
    """An identity that cannot be merged with another one, nor seen through.

    Parameters
    ----------
    number
        What tells it from the other marks in a graph.
    """

    __props__ = ("number",)

    def __init__(self, number: int = 0):
        self.number = number

    def L_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, outputs: Any, gradients: Any
    ) -> Any:
        """Hand the gradient on."""
        return gradients

    def R_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, eval_points: Any
    ) -> Any:
        """Hand the tangent on."""
        return eval_points


class Hold(Identity):
    """A `ViewOp` that stands for its gradient only, kept from the rewrite that removes such Ops.

    Parameters
    ----------
    op
        ``zero_grad``, ``grad_clip``, ``grad_scale`` or the like.

    Notes
    -----
    Two of them are equal when they hold the very same Op: Aesara takes all ``GradClip`` for equal,
    whatever their bounds.
    """

    def __init__(self, op: ViewOp):
        self.op = op

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hold) and self.op is other.op

    def __hash__(self) -> int:
        return hash((Hold, id(self.op)))

    def connection_pattern(self, node: Node) -> Pattern:
        """The held Op's."""
        pattern: Pattern = getattr(self.op, "connection_pattern", lambda _: [[True]])(node)
        return pattern

    def L_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, outputs: Any, gradients: Any
    ) -> Any:
        """The held Op's."""
        return self.op.L_op(inputs, outputs, gradients)

    def R_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, eval_points: Any
    ) -> Any:
        """The held Op's."""
        return self.op.R_op(inputs, eval_points)


class Override(Identity):
    """An expression with a derivative of its own.

    Its inputs are the expression, the variables that gradients are sent to, and whatever else
    the terms are made of.

    Parameters
    ----------
    rule
        What gave the derivative.
    terms
        From the upstream gradient, the only ``wrt``, to the term of each variable.
    """

    def __init__(self, rule: Any, terms: Path):
        self.rule = rule
        self.terms = terms

    def __str__(self) -> str:
        return f"Override{{{getattr(self.rule, '__name__', self.rule)}}}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Override)
            and self.rule is other.rule
            and len(self.terms.inputs) == len(other.terms.inputs)
            and equal_computations(
                list(self.terms.outputs),
                list(other.terms.outputs),
                list(self.terms.inputs),
                list(other.terms.inputs),
            )
        )

    def __hash__(self) -> int:
        return hash((Override, id(self.rule)))

    def connection_pattern(self, node: Node) -> Pattern:
        """Connected to the variables that have a term."""
        n = len(self.terms.outputs)
        return [[0 < i <= n] for i in range(len(node.inputs))]

    def L_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, outputs: Any, gradients: Any
    ) -> list[Var]:
        """The terms, with the gradient that arrives."""
        n = len(self.terms.outputs)
        upstream = self.terms.wrt[0]
        others = [v for v in self.terms.inputs if v is not upstream]
        given = dict(zip(others, inputs[1 + n :], strict=True)) | {upstream: gradients[0]}
        terms = substituted(list(self.terms.outputs), given)
        return [disconnected_type(), *terms, *(disconnected_type() for _ in others)]


def is_view(op: Op) -> bool:
    """Whether the Op does nothing but change a gradient."""
    return isinstance(op, ViewOp) and type(op) is not ViewOp


def overrides_gradient(op: Op) -> bool:
    """Whether inlining this Op would lose a gradient that its author gave."""
    given = ("lop_overrides", "grad_overrides", "rop_overrides")
    return (
        isinstance(op, OpFromGraph)
        and op.is_inline
        and any(not _is_default(getattr(op, name)) for name in given)
    )


def _is_default(override: Any) -> bool:
    return isinstance(override, str) and override == "default"


def held(op: Any) -> Any:
    """The same Op, with its gradient safe from Aesara's rewrites; itself if it always is."""
    if is_view(op):
        return Hold(op)
    if overrides_gradient(op):
        kept = op.clone()
        kept.is_inline = False
        kept.inline_later = True
        return kept
    return op


def release(fgraph: FunctionGraph) -> None:
    """Take all marks out of a graph in which no derivative waits any more."""
    for node in fgraph.toposort():
        if isinstance(node.op, Identity):
            fgraph.replace(node.outputs[0], node.inputs[0], reason="release")
        elif getattr(node.op, "inline_later", False):
            inlined = node.op.clone()
            inlined.is_inline = True
            del inlined.inline_later
            new = inlined.make_node(*node.inputs).outputs
            fgraph.replace_all(list(zip(node.outputs, new, strict=True)), reason="release")
