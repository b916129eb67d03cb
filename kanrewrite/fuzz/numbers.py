"""What the code of a program is worth in NumPy, roughly: by it a generator knows its types.

The code of a line is run with arrays for variables and a stand-in for `aesara.tensor`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import aesara.tensor as at
import numpy as np
import scipy.special
from aesara.tensor.elemwise import Elemwise

Array = Any


def _along(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis=None, keepdims=False: f(x, axis=axis, keepdims=keepdims)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{n: _along(getattr(np, n)) for n in ("sum", "prod", "max", "min", "mean")},
    "softmax": scipy.special.softmax,
    "log_softmax": scipy.special.log_softmax,
    "logsumexp": _along(scipy.special.logsumexp),
    "softplus": lambda x: np.logaddexp(0, x),
    "log1mexp": lambda x: np.log(-np.expm1(x)),
    "switch": np.where,
    "clip": np.clip,
    "fill": lambda x, y: np.broadcast_arrays(x, y)[1],
    "tensor_copy": np.copy,
    "alloc": lambda x, *shape: np.broadcast_to(x, shape),
    "batched_dot": lambda x, y: np.einsum("bij,bjk->bik", x, y),
    "cast": lambda x, dtype: x.astype(dtype),
    "split": lambda x, sizes, n, axis: np.split(x, np.cumsum(sizes)[:-1], axis=axis),
    "specify_shape": lambda x, shape: x,
}


@cache
def function(name: str) -> Callable[..., Any]:
    """The function of NumPy that does what one of `aesara.tensor` does."""
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    found = getattr(at, name)
    if isinstance(found, Elemwise):
        spec = found.nfunc_spec
        if spec is None:
            return np.vectorize(found.scalar_op.impl, otypes=["float64"])
        module = scipy.special if spec[0].startswith("scipy.special.") else np
        ufunc: Callable[..., Any] = getattr(module, spec[0].rpartition(".")[2])
        return ufunc
    other: Callable[..., Any] = getattr(np, name)
    return other


class Tensor:
    """A stand-in for `aesara.tensor`, and for `aesara.tensor.special`."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return function(name)


def _scan(fn: Callable[..., Any], sequences: list[Array], outputs_info: list[Array]) -> Any:
    """A loop with one state, step by step."""
    (state,) = outputs_info
    states = []
    for row in zip(*sequences, strict=True):
        state = fn(*row, state)
        states.append(state)
    return np.array(states).reshape((len(states), *np.shape(state))), None


class Aesara:
    """A stand-in for `aesara`."""

    scan = staticmethod(_scan)


NAMESPACE: dict[str, Any] = {"at": Tensor(), "special": Tensor(), "np": np, "aesara": Aesara}
