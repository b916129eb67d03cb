"""Derivatives that JAX takes itself.

Under a mode of JAX's linker that includes the tag `NATIVE`, a gradient is not written out: its
forward graph, canonicalized and stabilized, is closed and handed to ``jax.vjp`` when the function
is transpiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from aesara.graph.basic import Constant
from aesara.graph.fg import FunctionGraph
from aesara.raise_op import CheckAndRaise

from kanrewrite.gradient.marks import Identity, is_view, overrides_gradient
from kanrewrite.gradient.names import Node, Var
from kanrewrite.gradient.ops import Gradient
from kanrewrite.gradient.path import closed_path

#: The tag that leaves gradients to JAX: ``get_mode("JAX").including(NATIVE)``.
NATIVE = "kanrewrite_native_gradient"

#: The handles of a derivative that is closed once more.
SEALED = (0, 0, 0)


def sealed(node: Node) -> list[Var] | None:
    """A gradient whose forward graph is its own, for JAX to differentiate.

    Parameters
    ----------
    node
        An open derivative in a graph that was rewritten.

    Returns
    -------
    list of Variable or None
        What stands for the node's outputs; None if JAX would not give the same derivative, or
        cannot run the graph.
    """
    if not isinstance(node.op, Gradient):
        return None
    outputs, wrt, stops = node.op.held(node.inputs)
    path, entering, _ = closed_path(outputs, wrt, stops)
    unbound = any(v not in path.inputs for v in path.wrt) or len(set(path.wrt)) < len(path.wrt)
    constant = any(isinstance(v, Constant) for v in path.outputs)
    if unbound or constant or not all(_same_in_jax(n.op) for n in path.nodes):
        return None
    op = Gradient(path, node.op.point_types, node.op.out_types, SEALED)
    return list(op.make_node(*entering, *node.op.split(node.inputs)[2]).outputs)


def _same_in_jax(op: Any) -> bool:
    """Whether JAX has the Op, and the derivative it takes is Aesara's."""
    if isinstance(op, Identity | CheckAndRaise) or is_view(op) or overrides_gradient(op):
        return False
    return _dispatch().dispatch(type(op)) is not _dispatch().dispatch(object)


def _dispatch() -> Any:
    """Aesara's table of conversions to JAX, with one for gradients."""
    from aesara.link.jax.dispatch.basic import jax_funcify

    if Gradient not in jax_funcify.registry:
        jax_funcify.register(Gradient)(_gradient_in_jax)
    return jax_funcify


def _gradient_in_jax(op: Gradient, **_: Any) -> Callable[..., Any]:
    """The function of a sealed gradient."""
    jax: Any = import_module("jax")
    path = op.path
    graph = FunctionGraph(list(path.inputs), list(path.outputs), clone=True)
    forward = _dispatch()(graph)
    places = [path.inputs.index(v) for v in path.wrt]

    def gradient(*inputs: Any) -> Any:
        entering, _, point, _ = op.split(inputs)

        def of_wrt(*wrt: Any) -> tuple[Any, ...]:
            values = list(entering)
            for place, value in zip(places, wrt, strict=True):
                values[place] = value
            return _as_tuple(forward(*values))

        out, pullback = jax.vjp(of_wrt, *(entering[place] for place in places))
        point = [jax.numpy.asarray(p, o.dtype) for p, o in zip(point, out, strict=True)]
        found = pullback(tuple(point))
        return found if len(found) > 1 else found[0]

    return gradient


def _as_tuple(results: Any) -> tuple[Any, ...]:
    results_: Sequence[Any] = results if isinstance(results, list | tuple) else [results]
    return tuple(results_)
