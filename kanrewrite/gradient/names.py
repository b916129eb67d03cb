"""Names for what Aesara's own annotations describe in part only."""

from __future__ import annotations

from typing import Any, TypeAlias

import aesara
from aesara.gradient import Rop

#: A variable: a `aesara.graph.basic.Variable`, mostly a `TensorVariable`.
Var: TypeAlias = Any

#: An `aesara.graph.basic.Apply` node.
Node: TypeAlias = Any

#: Aesara's reverse mode and forward mode, which write a derivative out at once.
eager_grad: Any = aesara.grad
eager_rop: Any = Rop
