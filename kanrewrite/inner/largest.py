"""Where the largest of carried numbers is: ``argmax(x) == argmax(log(x))`` of what is positive.

A number that is carried as a log may be out of range, where all of them are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Apply, Variable, ancestors, applys_between, clone_replace
from aesara.tensor.math import Argmax, MaxAndArgmax

from kanrewrite.inner.asking import is_float
from kanrewrite.inner.stepping import Step

Graph = Variable[Any, Any]
#: Whether a tensor is made of products with exponentials, whether it is positive, and large.
Reading = Callable[[Graph], tuple[bool, bool, bool]]


def by_logs(step: Step, read: Reading) -> Step | None:
    """A step in which the largest are found among logs, None where a sign decides which it is."""
    found = list(_places(step))
    if not found:
        return step
    if not all(read(node.inputs[0])[1] for node, _ in found):
        return None
    given = {place: _of_logs(node, place) for node, place in found}
    outputs = list(step.made)
    new = clone_replace([step.made[v] for v in outputs], replace=given)
    return step._replace(made=dict(zip(outputs, new, strict=True)))


def _places(step: Step) -> Iterator[tuple[Apply[Any], Graph]]:
    """The nodes that find the largest of something made of what is carried, and where it is."""
    entering = [v for parts in step.inputs.values() for v in parts]
    carried = {v for level in step.carried.values() for v in level.parts}
    outputs = list(step.made.values())
    nodes = list(applys_between(entering, outputs))
    asked = {*outputs, *(v for node in nodes for v in node.inputs)}
    for node in nodes:
        if isinstance(node.op, Argmax | MaxAndArgmax) and is_float(node.inputs[0]):
            place: Graph = node.outputs[-1]  # a maximum has one that nobody may ask for
            if place in asked and not carried.isdisjoint(ancestors([node.inputs[0]])):
                yield node, place


def _of_logs(node: Apply[Any], place: Graph) -> Graph:
    made = node.op.make_node(at.log(node.inputs[0]), *node.inputs[1:])
    found: Graph = made.outputs[node.outputs.index(place)]
    return found
