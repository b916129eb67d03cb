"""Powers in fused graphs that Python computes.

Where there is no C compiler, what Aesara has fused is computed with Python's own numbers, of which
``10.0**400.0`` raises an error, ``0.0**-1.0`` another, and ``(-8.0)**0.5`` is complex.  Here they
are powers of arrays: inf, inf and nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from aesara.scalar.basic import pow as scalar_pow


def power(x: Any, y: Any) -> Any:
    """``x**y``; of floats as in an array."""
    return np.power(x, y) if isinstance(x, float) or isinstance(y, float) else x**y


def like_arrays(on: bool) -> None:
    """Compute powers in fused graphs like those of arrays, or as Aesara does."""
    # An attribute of the instance: it hides the method, and is gone without a trace.
    state: dict[str, Any] = vars(scalar_pow)
    if on:
        state["impl"] = power
    else:
        state.pop("impl", None)
