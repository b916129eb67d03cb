"""The graph that is audited: what a compilation makes of what was written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode, get_mode
from aesara.graph.basic import Variable

from kanrewrite.audit.inputs import Array, Graph, needed
from kanrewrite.audit.performing import performed
from kanrewrite.registry.wide import WidePass
from kanrewrite.structure import copied

#: Fused and inplace operators compute the same numbers and say less of what they compute.
_LEFT_OUT = ("fusion", "inplace", "BlasOpt")
_PLAIN: dict[str, Any] = {"linker": "py", "optimizer": None}

#: What runs a graph: None where it raises, with the error.
Run = Callable[[Sequence[Array]], "tuple[list[Array] | None, object]"]


def with_gradients(outputs: Sequence[Graph]) -> list[Graph]:
    """Outputs, and the derivatives of their sum in each of the float inputs."""
    floats: list[Any] = [o for o in outputs if _is_float(o)]
    wrt = [v for v in needed(outputs) if _is_float(v)]
    if not floats or not wrt:
        return list(outputs)
    total = at.add(*(o.sum() for o in floats)) if len(floats) > 1 else floats[0].sum()
    gradients: Any = aesara.grad(total, wrt, disconnected_inputs="ignore")
    for v, gradient in zip(wrt, gradients, strict=True):
        gradient.name = f"d/d{v.name}" if v.name else None
    return [*outputs, *gradients]


def _is_float(variable: Variable[Any, Any]) -> bool:
    return str(getattr(variable.type, "dtype", "")).startswith("float")


def rewritten(inputs: Sequence[Graph], outputs: Sequence[Graph], mode: Any) -> list[Graph]:
    """The outputs as a compilation leaves them, over the same inputs.

    Parameters
    ----------
    inputs, outputs : sequence of Variable
    mode : Mode or str, optional
        As for ``aesara.function``; its fusion and inplace operators are left out.
    """
    chosen = Mode(linker="py", optimizer="fast_run") if mode is None else get_mode(mode)
    fgraph = copied(inputs, outputs)
    chosen.excluding(*_LEFT_OUT).optimizer.rewrite(fgraph)
    for new, old in zip(fgraph.outputs, outputs, strict=True):
        new.name = new.name or (old.name if new.owner is not None else None)
    return list(fgraph.outputs)


def linked(inputs: Sequence[Graph], outputs: Sequence[Graph]) -> Any:
    """A function of outputs as they stand."""
    fgraph = copied(inputs, outputs)
    for node in fgraph.toposort():
        fast = performed(node)
        if fast is not node:
            fgraph.replace_all(list(zip(node.outputs, fast.outputs, strict=True)), reason="fast")
    made = aesara.function(
        list(inputs), list(fgraph.outputs), mode=Mode(**_PLAIN), on_unused_input="ignore"
    )
    WidePass().apply(made.maker.fgraph)
    return made


def runner(inputs: Sequence[Graph], outputs: Sequence[Graph]) -> Run:
    """What computes outputs as they stand, in floats."""
    return running(linked(inputs, outputs))


def running(made: Any) -> Run:
    """What runs a compiled function."""

    def run(values: Sequence[Array]) -> tuple[list[Array] | None, object]:
        with np.errstate(all="ignore"):
            try:
                return [np.asarray(v) for v in made(*values)], None
            except Exception as error:  # noqa: BLE001  # what an Op raises at values that do not fit it
                return None, error

    return run
