"""Ops with a graph inside, and the same Op around another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import aesara.tensor as at
from aesara.compile.builders import OpFromGraph
from aesara.compile.mode import Mode, get_mode
from aesara.graph.basic import Variable, clone_get_equiv
from aesara.graph.fg import FunctionGraph
from aesara.graph.op import Op
from aesara.graph.rewriting.basic import copy_stack_trace
from aesara.link.basic import PerformLinker
from aesara.link.vm import VMLinker
from aesara.scan.op import Scan

Graph = Variable[Any, Any]

#: What the mode of an inner graph excludes that the library has rewritten already.
AGAIN = "kanrewrite_again"


def has_inner_graph(op: Op) -> bool:
    """Whether this is a loop or an Op made from a graph."""
    return isinstance(op, Scan | OpFromGraph)


def is_replaceable(op: Op) -> bool:
    """Whether the same Op around another inner graph can take this one's place.

    An Op made from a graph that holds shared variables, or is about to be inlined, cannot be
    replaced.
    """
    if not isinstance(op, OpFromGraph):
        return isinstance(op, Scan)
    inlined = op.is_inline or getattr(op, "inline_later", False)
    plain = type(op) is OpFromGraph and not op.shared_inputs and not op.fgraph.update_mapping
    return plain and not inlined


def with_inner(fgraph: FunctionGraph) -> Iterator[FunctionGraph]:
    """A graph, and the inner graphs in it that can be replaced."""
    yield fgraph
    for node in fgraph.apply_nodes:
        if is_replaceable(node.op):
            yield from with_inner(node.op.fgraph)


def copied(op: Any) -> FunctionGraph:
    """A copy of an Op's inner graph, over inputs of its own."""
    inputs = [v.type(name=v.name) for v in op.inner_inputs]
    given = dict(zip(op.inner_inputs, inputs, strict=True))
    clone_get_equiv(
        op.inner_inputs, op.inner_outputs, copy_inputs=False, copy_orphans=False, memo=given
    )
    return FunctionGraph(inputs, [given[v] for v in op.inner_outputs], clone=False)


def writing(mode: Any) -> Any:
    """A mode in which a step's states that are read and written at several places are written.

    Aesara leaves that to the linker where a step does not overwrite what it reads, and the Python
    linker does not do it: whether a gradient is right hangs on which node comes last.
    """
    found = get_mode(mode)
    return _by_machine(found) if type(found.linker) is PerformLinker else mode


@lru_cache(maxsize=32)
def _by_machine(mode: Mode) -> Mode:
    machine = VMLinker(use_cloop=False, c_thunks=False)
    found = Mode(linker=machine, optimizer=mode.provided_optimizer)
    _as_given[found] = _as_given.get(mode, mode)
    return found


def rebuilt(op: Any, inputs: Sequence[Graph], outputs: Sequence[Graph], mode: Any = None) -> Op:
    """The same Op around another inner graph.

    Parameters
    ----------
    op : Scan or OpFromGraph
        The original.
    inputs, outputs
        The new inner graph.
    mode : Mode, optional
        In which the inner graph is compiled, instead of the original's.
    """
    if isinstance(op, Scan):
        mode = op.mode if mode is None else mode
        return Scan(
            list(inputs),
            _in_pairs(op, inputs, outputs),
            op.info,
            mode=writing(mode) if op.info.n_mit_mot else mode,
            truncate_gradient=op.truncate_gradient,
            name=op.name,
            profile=op.profile,
            allow_gc=op.allow_gc,
            strict=op.strict,
        )
    settings = op.kwargs if mode is None else {**op.kwargs, "mode": mode}
    return OpFromGraph(
        list(inputs),
        list(outputs),
        inline=op.is_inline,
        lop_overrides=op.lop_overrides,
        grad_overrides=op.grad_overrides,
        rop_overrides=op.rop_overrides,
        name=op.name,
        **settings,
    )


def _in_pairs(op: Scan, inputs: Sequence[Graph], outputs: Sequence[Graph]) -> list[Graph]:
    """What a step makes, where a state meets what is added to it in a sum of two.

    Aesara moves a dot that is added to a state out of the loop, and takes it that the sum has no
    other operand: what else there is, as in a sum that canonicalization has flattened, is lost.
    """
    states: Iterable[Graph] = op.inner_sitsot(list(inputs))
    made: Iterable[Graph] = op.inner_sitsot_outs(list(outputs))
    new = {total: _in_pair(state, total) for state, total in zip(states, made, strict=True)}
    return [new.get(v, v) for v in outputs]


def _in_pair(state: Graph, total: Graph) -> Graph:
    node = total.owner
    operands = node.inputs if node is not None and node.op == at.add else ()
    if len(operands) <= 2 or state not in operands:
        return total
    place = operands.index(state)
    sum_of_two: Graph = at.add(state, at.add(*operands[:place], *operands[place + 1 :]))
    copy_stack_trace(total, sum_of_two)
    return sum_of_two


def mode_of(op: Any) -> Mode:
    """The mode in which an Op's inner graph is compiled."""
    given = op.mode if isinstance(op, Scan) else op.kwargs.get("mode")
    found: Mode = get_mode(given)
    return found


@lru_cache(maxsize=32)
def settled(mode: Mode) -> Mode:
    """A mode in which the library does not rewrite what it has written itself."""
    found: Mode = mode.excluding(AGAIN)
    _as_given[found] = mode
    return found


#: From modes that are settled to those that they were made of.
_as_given: WeakKeyDictionary[Mode, Mode] = WeakKeyDictionary()


def mode_given(op: Any) -> Any:
    """The mode that was asked for, whether the library has rewritten the inner graph or not."""
    return _as_given.get(op.mode, op.mode) if isinstance(op.mode, Mode) else op.mode


def replace(fgraph: FunctionGraph, node: Any, outputs: Sequence[Graph], reason: str) -> None:
    """Put other results in the place of those of a node."""
    copy_stack_trace(node.outputs, outputs)
    pairs = list(zip(node.outputs, outputs, strict=True))
    fgraph.replace_all(pairs, reason=reason, import_missing=True)


def replace_bodies(fgraph: FunctionGraph, change: Callable[[Any], Any], reason: str) -> bool:
    """Put other Ops in the places of those around inner graphs; tell whether any is another.

    What stays is returned by `change` as it is.  It is asked once of each Op, so that a graph that
    is shared stays so.
    """
    found, known = False, dict[int, Any]()
    for node in fgraph.toposort():
        op = node.op
        if not is_replaceable(op):
            continue
        if id(op) not in known:
            known[id(op)] = change(op)
        if known[id(op)] is not op:
            replace(fgraph, node, known[id(op)].make_node(*node.inputs).outputs, reason)
            found = True
    return found
