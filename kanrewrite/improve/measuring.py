"""What a form costs: the bits that it loses at points, as written and as Aesara compiles it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import inf
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple, cast

import aesara
import numpy as np
from aesara.compile.mode import Mode
from aesara.graph.basic import Variable, io_toposort
from aesara.tensor.elemwise import Elemwise

from kanrewrite import registry
from kanrewrite.improve.points import Points, as_vectors, bits_lost
from kanrewrite.ops import Grouped
from kanrewrite.terms import operator_of

Graph = Variable[Any, Any]
Array = np.ndarray[Any, Any]

WRITTEN = Mode("py", "merge")
COMPILED = Mode("py", "fast_run").excluding("fusion", "inplace")
#: Aesara keeps what it compiles in tables that threads share.
_COMPILING = Lock()
#: Operators that Aesara regroups.
_REGROUPED = frozenset({"mul", "true_div", "add", "sub", "neg", "reciprocal", "sqr"})
_GROUPED: Any = Grouped()  # type: ignore[no-untyped-call]  # Aesara's
#: How many more bits, on average, make a form worse.
WORSE = 0.05


class Measured(NamedTuple):
    """For each element at each point how many bits a graph loses, outputs in order.

    And whether that is so where Aesara's rewrites are kept from it: a graph that comes back from
    another process is not one of the same inputs.
    """

    errors: Array
    is_kept: bool = False


def errors(outputs: Sequence[Graph], points: Points, mode: Mode = WRITTEN) -> Array:
    """The bits that a graph loses: a row an output's element, a column a point."""
    function = _function(points.inputs, outputs, mode)
    columns = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for values, truth in zip(points.values, points.truth, strict=True):
            found = function(*values)
            lost = [bits_lost(np.asarray(f), t).ravel() for f, t in zip(found, truth, strict=True)]
            columns.append(np.concatenate(lost))
    return np.stack(columns, axis=1)


def _function(inputs: Sequence[Graph], outputs: Sequence[Graph], mode: Mode) -> Any:
    with _COMPILING, warnings.catch_warnings(), registry.disabled():
        warnings.simplefilter("ignore")  # of what the user's graph is made of
        return aesara.function(list(inputs), list(outputs), mode=mode, on_unused_input="ignore")


def measured(task: tuple[Sequence[Graph], Points]) -> Measured:
    """A form as it is written, at all points at once where it is elementwise.

    Parameters
    ----------
    task : tuple
        The graph and the points; one argument, so that executors can map it.
    """
    outputs, points = task
    vectors = as_vectors(outputs, points.inputs)
    if vectors is None:
        return Measured(errors(outputs, points))
    new, inputs = vectors
    function = _function(inputs, new, WRITTEN)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = function(*map(np.array, zip(*points.values, strict=True)))
    truth = map(np.array, zip(*points.truth, strict=True))
    lost = [bits_lost(np.broadcast_to(f, t.shape), t) for f, t in zip(found, truth, strict=True)]
    return Measured(np.stack(lost))


def compiled(task: tuple[Sequence[Graph], Points], until: float = inf) -> Measured:
    """A form as it is run: where Aesara's rewrites would cost it digits, kept from them.

    Parameters
    ----------
    task : tuple
        As of `measured`.
    until : float
        After that time a form is kept from them unasked: compiling it takes time.
    """
    outputs, points = task
    written = measured(task)
    if perf_counter() > until:
        return Measured(written.errors, is_kept=True)
    run = errors(outputs, points, COMPILED)
    if run.mean() <= written.errors.mean() + WORSE:
        return Measured(run)
    return Measured(errors(kept(outputs), points, COMPILED), is_kept=True)


def kept(outputs: Sequence[Graph]) -> tuple[Graph, ...]:
    """A graph whose sums and products stay grouped: an Op that does nothing is between them.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x, y, z = at.dscalars("x", "y", "z")
    >>> (out,) = kept([(x / z) * y])
    >>> type(out.owner.inputs[0].owner.op).__name__
    'Grouped'
    """
    new: dict[Graph, Graph] = {}
    for node in io_toposort([], outputs):
        inputs = [new.get(x, x) for x in node.inputs]
        if _is_regrouped(node.op):
            inputs = [_held(x) for x in inputs]
        made = node if inputs == node.inputs else node.clone_with_new_inputs(inputs)
        new.update(zip(node.outputs, made.outputs, strict=True))
    return tuple(new.get(out, out) for out in outputs)


def _held(variable: Graph) -> Graph:
    if variable.owner is None or not _is_regrouped(variable.owner.op):
        return variable
    return cast(Graph, _GROUPED(variable))


def _is_regrouped(op: Any) -> bool:
    return isinstance(op, Elemwise) and operator_of(op).name in _REGROUPED
