"""What the tests of derivatives share: small graphs, and the comparison with Aesara's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import aesara
import aesara.gradient
import aesara.tensor
import numpy as np
import pytest
from aesara.compile.mode import Mode

from tests.modes import python

#: Aesara annotates a part of itself, and that part too narrowly for tests.
at: Any = aesara.tensor
eager_grad: Any = aesara.grad
Lop: Any = aesara.gradient.Lop
Rop: Any = aesara.gradient.Rop

#: Modes that expand derivatives, and modes that run them as they are.
OPTIMIZERS = ("fast_run", "fast_compile", "merge", None)
#: The same, for tests of each: those that differ little from another one are left to the slow run.
EACH_OPTIMIZER = [
    pytest.param(name, marks=pytest.mark.slow) if name in ("fast_compile", "merge") else name
    for name in OPTIMIZERS
]


def as_list(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, list | tuple) else [outputs]


def compiled(inputs: Sequence[Any], outputs: Any, optimizer: Any = "fast_run") -> Any:
    mode = optimizer if isinstance(optimizer, Mode) else python(optimizer)
    with aesara.config.change_flags(on_opt_error="raise"):
        return aesara.function(inputs, as_list(outputs), mode=mode, on_unused_input="ignore")


def implicit_nodes(function: Any) -> list[Any]:
    """What is left of kanrewrite's own Ops in a compiled function."""
    nodes = function.maker.fgraph.apply_nodes
    return [n for n in nodes if type(n.op).__module__.startswith("kanrewrite")]


def assert_same(
    inputs: Sequence[Any],
    implicit: Any,
    eager: Any,
    values: Sequence[Any],
    optimizers: Iterable[Any] = OPTIMIZERS,
) -> None:
    """The same values and dtypes as Aesara's, which is run without any rewrite."""
    expected = compiled(inputs, eager, None)(*values)
    for optimizer in optimizers:
        function = compiled(inputs, implicit, optimizer)
        if optimizer in ("fast_run", "fast_compile"):
            assert implicit_nodes(function) == []
        found = function(*values)
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert a.dtype == b.dtype
            assert a.shape == b.shape
            tolerance = 1e-5 if a.dtype == "float32" else 1e-8
            np.testing.assert_allclose(a, b, tolerance, tolerance, err_msg=str(optimizer))


def values(*shapes: tuple[int, ...], seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def softmax(x: Any) -> Any:
    """As users write it."""
    e = at.exp(x)
    return e / e.sum(axis=-1, keepdims=True)


#: Expressions of the kind that users write, of a matrix and a vector.
EXPRESSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "softmax": lambda x, w: softmax(x * w),
    "log_softmax": lambda x, w: at.log(softmax(x + w)),
    "logsumexp": lambda x, w: w[:3] * at.log(at.exp(x).sum(axis=1)),
    "sigmoid": lambda x, w: 1 / (1 + at.exp(-x * w)),
    "softplus": lambda x, w: at.log(1 + at.exp(x - w)),
    "attention": lambda x, w: at.dot(softmax(at.dot(x, x.T)), x) * w,
    "normed": lambda x, w: (x - x.mean(axis=1, keepdims=True)) / (x.std(axis=1)[:, None] + w**2),
    "masked": lambda x, w: at.switch(x > 0, at.log1p(at.exp(x)), w * x),
    "indexed": lambda x, w: at.log(softmax(x)[at.arange(3), [0, 2, 1]]) * w[0],
    "mixture": lambda x, w: at.log(at.dot(at.exp(-(x**2)), at.exp(w))),
    "max_shift": lambda x, w: w * at.exp(x - x.max(axis=1, keepdims=True)),
    "join": lambda x, w: at.concatenate([x, at.outer(w[:3], w)], axis=0) ** 2,
    "outer": lambda x, w: at.tanh(x[:, :, None] * w).prod(axis=2),
    "cumsum": lambda x, w: at.cumsum(at.exp(x), axis=1) * w,
    "norm": lambda x, w: at.sqrt((x**2).sum(axis=0)) * w,
}
