"""Loops that wait, as they are, for derivatives that will be taken of them.

What the library writes into a step to be safe, with maxima and cases, has the value of what was
there and not always its derivative.  So a loop that it would rewrite waits until no derivative is
left in the graph, and Aesara moves nothing out of it so long.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from aesara.graph.basic import Apply
from aesara.graph.fg import FunctionGraph
from aesara.scan import rewriting

#: Those of Aesara's rewriters that would take a waiting loop apart.
_MOVING: tuple[Any, ...] = (
    rewriting.remove_constants_and_unused_inputs_scan,
    rewriting.push_out_non_seq_scan,
    rewriting.push_out_seq_scan,
    rewriting.push_out_dot1_scan,
    rewriting.push_out_add_scan,
)

#: The loops of a graph that wait, by identity: comparing them means walking their graphs.
_waiting: WeakKeyDictionary[FunctionGraph, dict[int, Any]] = WeakKeyDictionary()


class Later:
    """What is put in its place only later in a compilation, made of the graph around it by then.

    Ops of this class keep loops waiting.
    """


def wait(fgraph: FunctionGraph, ops: list[Any]) -> None:
    """Have these loops of a graph wait, and no others."""
    _waiting[fgraph] = {id(op): op for op in ops}


def heed(on: bool) -> None:
    """Have Aesara's rewriters leave waiting loops alone, or be as they were."""
    for rewriter in _MOVING:
        # An attribute of the instance: it hides the method, and is gone without a trace.
        state = vars(rewriter)
        if on:
            state["transform"] = partial(_transform, rewriter)
        else:
            state.pop("transform", None)


def _transform(rewriter: Any, fgraph: FunctionGraph, node: Apply[Any]) -> Any:
    if id(node.op) in _waiting.get(fgraph, ()):
        return False
    return type(rewriter).transform(rewriter, fgraph, node)
