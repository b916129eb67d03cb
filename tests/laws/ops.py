"""Ops of somebody's own for tests: one that rearranges, one that pools, and what pooling needs."""

from __future__ import annotations

from typing import Any

import aesara.tensor
import numpy as np
from aesara.graph.basic import Apply
from aesara.graph.op import Op

at: Any = aesara.tensor


class Plain(Op):
    """An Op over one tensor whose result has the type of its input, or one that is shorter."""

    __props__ = ()

    def of(self, x: Any) -> Any:
        raise NotImplementedError

    def make_node(self, *inputs: Any) -> Any:
        x = at.as_tensor_variable(inputs[0])
        return Apply(self, [x], [at.TensorType(x.dtype, shape=(None,) * x.ndim)()])

    def perform(self, node: Any, inputs: Any, output_storage: Any, params: Any = None) -> None:
        output_storage[0][0] = np.array(self.of(inputs[0]), dtype=node.outputs[0].type.dtype)


class Flip(Plain):
    """The last axis, from its end."""

    def of(self, x: Any) -> Any:
        return x[..., ::-1]

    def grad(self, inputs: Any, output_grads: Any) -> Any:
        return [flip(output_grads[0])]


class Pool(Plain):
    """Sums of pairs along the last axis."""

    def of(self, x: Any) -> Any:
        return x.reshape((*x.shape[:-1], -1, 2)).sum(axis=-1)

    def grad(self, inputs: Any, output_grads: Any) -> Any:
        return [twice(output_grads[0])]


class Tops(Plain):
    """The larger ones of pairs along the last axis."""

    def of(self, x: Any) -> Any:
        return x.reshape((*x.shape[:-1], -1, 2)).max(axis=-1)


class Twice(Plain):
    """Each element of the last axis two times."""

    def of(self, x: Any) -> Any:
        return np.repeat(x, 2, axis=-1)

    def grad(self, inputs: Any, output_grads: Any) -> Any:
        return [pool(output_grads[0])]


flip, pool, tops, twice = Flip(), Pool(), Tops(), Twice()
