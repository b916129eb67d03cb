"""Choices between branches that hand on logs, as loops do.

``ifelse(c, a, b)`` computes one of its branches, whose exponentials do not meet the log or the
divisor around it: as ``r * exp(e)`` with ``(e, r)`` chosen in its place they do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from time import perf_counter
from typing import Any, NamedTuple

from aesara.graph.basic import Apply, Variable
from aesara.graph.fg import FunctionGraph
from aesara.ifelse import IfElse

from kanrewrite.inner.asking import is_asked, is_float, is_met, sources_of, users
from kanrewrite.inner.levels import Level, Levels
from kanrewrite.inner.moving import is_zero
from kanrewrite.inner.recording import replaced

Graph = Variable[Any, Any]
#: What is known of a tensor: whether it is exponential, and positive first of all.
Reading = Callable[[Graph], tuple[bool, ...]]


class Choice(NamedTuple):
    """What is chosen between, and for what result.

    Attributes
    ----------
    out
        The result.
    pair
        What it is in either branch.
    sign
        Whether its log has a sign beside it; None where it stays as it is.
    """

    out: Graph
    pair: tuple[Graph, Graph]
    sign: bool | None

    def parts(self, levels: Levels) -> Iterator[tuple[Graph, ...]]:
        """For each branch what is chosen in place of the result."""
        for v in self.pair:
            yield (v,) if self.sign is None else levels.log_of(v, self.sign).parts


def rewrite_branches(
    fgraph: FunctionGraph,
    node: Apply[Any],
    reading: Reading,
    levels: Levels,
    carried: dict[Graph, Level],
) -> None:
    """Have a choice between branches hand on logs, where it is asked for.

    Parameters
    ----------
    fgraph
        The graph around.
    node
        The choice.
    reading
        Tells what is known of a tensor.
    levels
        How tensors are carried.
    carried
        What is carried as logs; what the choice hands on enters it.
    """
    start, count = perf_counter(), node.op.n_outs
    condition, *values = node.inputs
    pairs = zip(values[:count], values[count:], strict=True)
    choices = [
        Choice(out, pair, _sign(pair, reading) if is_float(out) else None)
        for out, pair in zip(node.outputs, pairs, strict=True)
    ]
    if not any(c.sign is not None and _is_asked(fgraph, c, carried) for c in choices):
        return
    parts = zip(*(choice.parts(levels) for choice in choices), strict=True)
    yes, no = ([v for part in branch for v in part] for branch in parts)
    chosen: Any = IfElse(len(yes))(condition, *yes, *no, return_list=True)
    results, found, made = iter(chosen), [], dict[Graph, Level]()
    for out, _, sign in choices:
        value = next(results)
        if sign is not None:
            level = Level(value, next(results) if sign else None, not sign)
            value = levels.value(level)
            made[value] = level
        found.append((out, value))
    if replaced(fgraph, found, made, start):
        carried.update(made)


def _sign(pair: tuple[Graph, Graph], reading: Reading) -> bool | None:
    """Whether what is chosen between may be negative or zero; None of what is not exponential."""
    known = [reading(v) for v in pair]
    if not all(k[0] or is_zero(v) for k, v in zip(known, pair, strict=True)):
        return None
    return not all(k[1] for k in known)


def _is_asked(fgraph: FunctionGraph, choice: Choice, carried: Collection[Graph]) -> bool:
    """Whether the size of what is chosen is asked for, is met by another, or is carried already."""
    if is_asked(fgraph, choice.out) or any(is_met(*user) for user in users(fgraph, choice.out)):
        return True
    return any(v in carried for v in sources_of(choice.pair))
