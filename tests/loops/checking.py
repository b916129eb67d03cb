"""Whether loops of the corpus are right: against high precision, with the library or without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import aesara
import numpy as np
from aesara.compile.mode import Mode

import kanrewrite
from kanrewrite.gradient.recursions import differentiable
from kanrewrite.reference import evaluate, round_to
from tests.loops import borders, estimates, models, recursions, variants  # noqa: F401  # corpus
from tests.loops.corpus import LOOPS, SCALES, inputs_of, take, upstream, values_of
from tests.modes import python

#: Of what a result may be wrong, relative to itself, or to an upstream gradient of 1.
PRECISION = 1e-10
PYTHON = python()
C = Mode(linker="cvm", optimizer="fast_run")

GRADIENTS: dict[str, Any] = {"aesara.grad": aesara.grad, "kanrewrite.grad": kanrewrite.grad}
KINDS = ("value", *GRADIENTS)


def outputs_of(name: str, kind: str, inputs: list[Any], logits: list[Any]) -> list[Any]:
    """The value of a loop, or the gradients in its logits."""
    value = LOOPS[name].build(*inputs)
    if kind == "value":
        return [value]
    return list(GRADIENTS[kind](upstream(value), logits))


@contextmanager
def switched(library: bool) -> Iterator[None]:
    """With the whole library, or with none of it."""
    with kanrewrite.disabled():
        if library:
            kanrewrite.enable()
        yield


def compiled(name: str, kind: str, library: bool = True, mode: Any = PYTHON) -> Any:
    """A function of the logits and the other inputs."""
    logits, fixed = inputs_of(name)
    outputs = outputs_of(name, kind, [*logits, *fixed], logits)
    with switched(library):
        return aesara.function([*logits, *fixed], outputs, mode=mode, on_unused_input="ignore")


@cache
def truth(name: str, derivative: bool, scale: str) -> list[Any]:
    """The value, or the gradients, in high precision."""
    logits, fixed = inputs_of(name)
    take.written_out = True
    try:
        outputs = outputs_of(name, "value", [*logits, *fixed], logits)
        if derivative:  # of loops that end by themselves Aesara's miscounts the steps
            costs, logits, _ = differentiable([upstream(outputs[0])], logits, [])
            outputs = list(GRADIENTS["aesara.grad"](costs[0], logits))
    finally:
        take.written_out = False
    known = dict(zip([*logits, *fixed], values_of(name, scale), strict=True))
    exact = evaluate(outputs, known)
    return [round_to(e, o.type.dtype) for e, o in zip(exact, outputs, strict=True)]


def errors(name: str, kind: str, function: Any) -> list[str]:
    """The scales at which a function is wrong."""
    with np.errstate(all="ignore"):
        found = {scale: function(*values_of(name, scale)) for scale in SCALES}
    return [s for s in SCALES if not is_right(found[s], truth(name, kind != "value", s))]


def is_right(found: list[Any], expected: list[Any]) -> bool:
    """Whether results are the truth; what is smaller than an upstream gradient may be lost."""
    return all(
        f.shape == e.shape and np.allclose(f, e, rtol=PRECISION, atol=PRECISION)
        for f, e in zip(found, expected, strict=True)
    )
