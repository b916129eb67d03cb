"""Softmaxes of axes that may be empty, which Aesara's own operators refuse when they are run.

They are exchanged as late as possible: until then every rewrite of Aesara's finds the operators it
looks for, and those that it brings in are exchanged too.
"""

from __future__ import annotations

from typing import Any

from aesara.graph.basic import Apply
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter, copy_stack_trace
from aesara.tensor.special import LogSoftmax, Softmax

from kanrewrite import ops
from kanrewrite.view.nodes import axes_of

_ANY_LENGTH: dict[type, Any] = {Softmax: ops.Softmax, LogSoftmax: ops.LogSoftmax}


class LengthsPass(GraphRewriter):
    """Puts the library's operators in place of Aesara's own where an axis may be empty."""

    def apply(self, fgraph: FunctionGraph) -> None:
        """Rewrite a function graph in place."""
        for node in fgraph.toposort():
            if may_be_empty(node):
                (old,) = node.outputs
                new = _ANY_LENGTH[type(node.op)](axis=node.op.axis)(node.inputs[0])
                copy_stack_trace(old, new)
                fgraph.replace(old, new, reason=self.name, import_missing=False)


def may_be_empty(node: Apply[Any]) -> bool:
    """Tell whether a node is one of Aesara's softmaxes of an axis that may have length zero."""
    if type(node.op) not in _ANY_LENGTH:
        return False
    return not all(node.inputs[0].type.shape[d] for d in axes_of(node))
