"""Names for what Aesara's own annotations describe in part only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import aesara
from aesara.configdefaults import config
from aesara.gradient import Rop

#: A variable: a `aesara.graph.basic.Variable`, mostly a `TensorVariable`.
Var: TypeAlias = Any

#: An `aesara.graph.basic.Apply` node.
Node: TypeAlias = Any

F = TypeVar("F", bound=Callable[..., Any])


def without_test_values(function: F) -> F:
    """A decorator for what builds graphs of variables that have no test values."""
    quiet: Any = config.change_flags(compute_test_value="off")
    decorated: F = quiet(function)
    return decorated


#: Aesara's reverse mode and forward mode, which write a derivative out at once.
eager_grad: Any = aesara.grad
eager_rop: Any = Rop
