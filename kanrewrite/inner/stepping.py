"""Steps of loops in which some inputs are exponents, and what is left of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from aesara.graph.basic import Variable, clone_get_equiv

from kanrewrite.inner.levels import Level, Levels
from kanrewrite.inner.slots import Slot

Graph = Variable[Any, Any]


class Step(NamedTuple):
    """A step with some of its inputs as exponents and rests, and all inputs new.

    Attributes
    ----------
    inputs
        From each inner input to those in its place: itself anew, or an exponent and a rest.
    made
        From each inner output, and others that were asked for, to the new one.
    carried
        What is made of those in the places of the inputs.
    """

    inputs: dict[Graph, tuple[Graph, ...]]
    made: dict[Graph, Graph]
    carried: dict[Graph, Level]

    @classmethod
    def of(
        cls, op: Any, signed: Mapping[Slot, bool], outputs: Sequence[Graph], levels: Levels
    ) -> Step:
        """That of a loop, with some parts as logs, maybe with signs."""
        inputs: dict[Graph, tuple[Graph, ...]] = {}
        values: dict[Any, Any] = {}
        signs = {v: sign for s, sign in signed.items() for v in s.inside}
        carried: dict[Graph, Level] = {}
        for v in op.inner_inputs:
            if v in signs:
                level = levels.made(iter((v.type(), v.type())), signs[v])
                inputs[v], values[v] = level.parts, levels.value(level)
                carried[values[v]] = level
            else:
                values[v] = v.type(name=v.name)
                inputs[v] = (values[v],)
        clone_get_equiv(
            op.inner_inputs, op.inner_outputs, copy_inputs=False, copy_orphans=False, memo=values
        )
        return cls(inputs, {v: values[v] for v in outputs}, carried)
