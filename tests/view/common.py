"""What the tests of the view share: compiled functions, what is in them, and their truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import aesara
import aesara.tensor
import numpy as np
from aesara.compile.mode import Mode
from aesara.graph.basic import applys_between, graph_inputs
from aesara.tensor.elemwise import Elemwise

from kanrewrite import registry
from kanrewrite.reference import evaluate, round_to
from tests.modes import python

#: Aesara annotates a part of itself, and that part too narrowly for tests.
at: Any = aesara.tensor
grad: Any = aesara.grad

MODE = python()
#: Operators stay apart, so that they can be counted.
PLAIN = MODE.excluding("fusion", "inplace")


@contextmanager
def enabled() -> Iterator[None]:
    """The whole library, and nothing else, is enabled."""
    with registry.disabled():
        registry.enable()
        yield


def function(inputs: Sequence[Any], outputs: Any, mode: Mode = MODE) -> Any:
    """A compiled function of the library; an error of a rewrite is an error."""
    with enabled(), aesara.config.change_flags(on_opt_error="raise"):
        return aesara.function(list(inputs), outputs, mode=mode, on_unused_input="ignore")


def stock(inputs: Sequence[Any], outputs: Any, mode: Mode = MODE) -> Any:
    """A compiled function of Aesara alone."""
    with registry.disabled():
        return aesara.function(list(inputs), outputs, mode=mode, on_unused_input="ignore")


def name_of(op: Any) -> str:
    """``exp`` for an elementwise Op, ``Softmax`` for another."""
    return str(op.scalar_op) if isinstance(op, Elemwise) else type(op).__name__


def names(outputs: Sequence[Any]) -> Counter[str]:
    """How often each operator is in a graph."""
    nodes = applys_between(list(graph_inputs(outputs)), outputs)
    return Counter(name_of(node.op) for node in nodes)


def ops(compiled: Any) -> Counter[str]:
    """How often each operator is in a compiled function."""
    return Counter(name_of(node.op) for node in compiled.maker.fgraph.apply_nodes)


def share(logits: Any, axis: int = 1) -> Any:
    """A softmax as it is written by hand."""
    return at.exp(logits) / at.exp(logits).sum(axis=axis, keepdims=True)


def gate(x: Any) -> Any:
    """A sigmoid as it is written by hand."""
    return 1 / (1 + at.exp(-x))


def truth(outputs: Sequence[Any], inputs: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """What a graph is worth, rounded to its dtype."""
    exact = evaluate(list(outputs), dict(zip(inputs, values, strict=True)))
    return [round_to(e, o.type.dtype) for e, o in zip(exact, outputs, strict=True)]


def assert_right(
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    values: Sequence[Any],
    rtol: float = 1e-10,
    atol: float = 0.0,
    compiled: Any = None,
) -> None:
    """A compiled function returns the truth, subnormal numbers aside."""
    compiled = compiled or function(inputs, list(outputs))
    with np.errstate(all="ignore"):
        found = compiled(*values)
    for value, expected, output in zip(found, truth(outputs, inputs, values), outputs, strict=True):
        assert value.dtype == output.type.dtype
        assert value.shape == expected.shape
        least = float(np.finfo(value.dtype).tiny) if value.dtype.kind == "f" else 0.0
        np.testing.assert_allclose(value, expected, rtol=rtol, atol=max(atol, least))
