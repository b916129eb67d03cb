"""A symbolic boolean that is true where a derivative is being taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from aesara.gradient import disconnected_type
from aesara.graph.basic import Apply, Variable, io_toposort
from aesara.graph.fg import FunctionGraph
from aesara.graph.op import Op
from aesara.tensor import as_tensor_variable, constant
from aesara.tensor.type import TensorType

from kanrewrite.border import Tensors, checked
from kanrewrite.errors import NothingToBeWithin
from kanrewrite.gradient.inner_graphs import fresh_inner_graph, moving_inside
from kanrewrite.gradient.names import Node, Var
from kanrewrite.gradient.path import Pattern, continuous
from kanrewrite.inner.graphs import has_inner_graph, rebuilt


class WithinGradient(Op):
    """False; true in the copy of a graph that is differentiated."""

    __props__ = ()

    def make_node(self, *variables: Var) -> Node:
        """Ask about variables of any type."""
        return Apply(self, list(variables), [TensorType("bool", shape=())()])

    def perform(
        self, node: Node, inputs: Sequence[Any], output_storage: Any, params: Any = None
    ) -> None:
        """What is evaluated is not differentiated."""
        output_storage[0][0] = np.asarray(False)

    def infer_shape(self, fgraph: FunctionGraph, node: Node, shapes: Any) -> list[Any]:
        """A scalar."""
        return [()]

    def connection_pattern(self, node: Node) -> Pattern:
        """The answer does not move with the variables."""
        return [[False] for _ in node.inputs]

    def L_op(  # noqa: N802  # Aesara's name
        self, inputs: Any, outputs: Any, gradients: Any
    ) -> list[Var]:
        """Nothing to differentiate."""
        return [disconnected_type() for _ in inputs]


_within_gradient = WithinGradient()


@checked
def within_gradient(*variables: Tensors) -> Any:
    """Whether the graph around is being differentiated.

    The value is False when a graph is evaluated. In `grad` and its kin, the cost that is
    differentiated with respect to ``wrt`` is one where the value is True, provided at least one
    of `variables` is, or depends on, one of ``wrt``. A function that returns a cost and its
    gradient thus evaluates the one without, say, dropout, and differentiates the other with it.

    Parameters
    ----------
    *variables
        One or more variables; they depend on another one if its values, not only its shape,
        enter them. With several, one that depends on what is differentiated is
        enough; for "all of them" write
        ``at.all([within_gradient(x), within_gradient(y)])``.

    Returns
    -------
    TensorVariable
        A boolean scalar.

    Raises
    ------
    NothingToBeWithin
        Without variables.

    Notes
    -----
    The gradients that one call of `grad` takes in several variables share one differentiated
    graph. When ``grad(cost, [a, b])`` meets ``within_gradient(x)`` where ``x`` depends on ``a``
    only, both gradients see True; ``grad(cost, b)`` alone sees False.

    Derivatives of derivatives decide one after the other, the inner one first: in
    ``grad(grad(cost, x), y)`` what depends on ``x`` is True in the inner derivative already,
    and what depends on ``y`` becomes True, in both, in the outer one.

    Only kanrewrite's derivatives ask: for ``aesara.grad`` the value is False.

    Examples
    --------
    >>> import aesara, aesara.tensor as at, kanrewrite
    >>> x = at.scalar("x")
    >>> y = at.switch(kanrewrite.within_gradient(x), 10 * x, x**2)
    >>> f = aesara.function([x], [y, kanrewrite.grad(y, x)])
    >>> f(3.0)
    [array(9.), array(10.)]
    """
    if not variables:
        raise NothingToBeWithin
    symbolic = (v if isinstance(v, Variable) else as_tensor_variable(v) for v in variables)
    return _within_gradient(*symbolic)


def differentiated(graph: Iterable[Var], wrt: Iterable[Var]) -> dict[Var, Var]:
    """The graph as it is when it is differentiated with respect to `wrt`.

    Parameters
    ----------
    graph
        The variables that are needed.
    wrt
        What is differentiated with respect to.

    Returns
    -------
    dict
        Every variable that is another one then.
    """
    order = list(io_toposort([], list(graph)))
    moving = set(wrt)
    env: dict[Var, Var] = {}
    for node in order if any(_asks(node.op) for node in order) else ():
        moves = not moving.isdisjoint(node.inputs)
        if moves:
            # A shape or a comparison is not something that derivatives pass through.
            moving.update(filter(continuous, node.outputs))
        if moves and isinstance(node.op, WithinGradient):
            env[node.outputs[0]] = constant(np.asarray(True))
        else:
            env.update(_node(node, _answering(node, moving) if moves else node.op, env))
    return env


def _node(node: Node, op: Any, env: dict[Var, Var]) -> dict[Var, Var]:
    """What the outputs become when the Op and the inputs are others; nothing if they are not."""
    inputs = [env.get(v, v) for v in node.inputs]
    if op is not node.op:
        new = op.make_node(*inputs)
    elif any(a is not b for a, b in zip(inputs, node.inputs, strict=True)):
        new = node.clone_with_new_inputs(inputs)
    else:
        return {}
    return dict(zip(node.outputs, new.outputs, strict=True))


def _asks(op: Any) -> bool:
    if has_inner_graph(op):
        return any(_asks(node.op) for node in op.fgraph.apply_nodes)
    return isinstance(op, WithinGradient)


def _answering(node: Node, moving: set[Var]) -> Any:
    """The Op, with an inner graph that knows the answer."""
    op = node.op
    if not has_inner_graph(op) or not _asks(op):
        return op
    inside = differentiated(op.inner_outputs, moving_inside(op, node.inputs, moving))
    if not inside:
        return op
    return rebuilt(op, *fresh_inner_graph(op, [inside.get(v, v) for v in op.inner_outputs]))
