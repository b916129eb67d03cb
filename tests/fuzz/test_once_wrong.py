"""What came out wrong at everyday inputs once, in both precisions and with both linkers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from aesara.compile.mode import Mode

from kanrewrite.fuzz import failure
from kanrewrite.fuzz.programs import program_of
from tests.sparing import sparing
from tests.view.common import function


class Once(NamedTuple):
    """What is computed, of what inputs; ``F`` stands for a float dtype."""

    code: str
    values: dict[str, Any]


X = [-1.0, -2.0, 0.3]
TWO = np.array([[0.5, 0.25, -1.0], [-1.25, 1.0, 0.5]])
MASK: list[Any] = [1, 0, 1]
ONCE = {
    "what a mask keeps less what it hides": Once(
        "v = at.switch(m, at.exp(x), 0).sum() - at.switch(m, 0, at.exp(x)).sum()",
        {"x": X, "m": MASK},
    ),
    "what is above zero less what is not": Once(
        "v = ((x > 0) * at.exp(x)).sum() - ((x <= 0) * at.exp(x)).sum()", {"x": X}
    ),
    "a complement in integers": Once(
        "v = ((1 - m) * at.exp(x)).sum() - (m * at.exp(x)).sum()", {"x": X, "m": MASK}
    ),
    "a minimum of differences": Once("v = at.exp(at.minimum(x - s, s)).sum()", {"x": X, "s": -3.0}),
    "a maximum beside an exponent": Once(
        "v = at.exp(at.maximum(x - s, 0) + s).sum()", {"x": X, "s": 0.5}
    ),
    "a maximum of opposites": Once(
        "v = at.exp(-at.maximum(x - s, s - x)).sum()", {"x": X, "s": 3.0}
    ),
    "a minimum of what holds an exponential": Once(
        "q = (at.cosh(r) * Y).sum(1, keepdims=True)\nv = at.exp(-at.minimum(r - q, q)).sum()",
        {"r": [[-0.735, -1.715]], "Y": [[-5.009, -2.291], [-0.356, -0.13], [-4.0, -1.228]]},
    ),
    "the log of a sum of towers": Once(
        "E = at.exp(at.exp(x))\nv = at.log(1 + at.exp(at.log(E.sum()))).sum()", {"x": [4.0, 3.0]}
    ),
    "squares of shares of towers": Once(
        "E = at.exp(at.exp(x))\nv = ((E / E.sum())**2).sum()", {"x": [4.0, 3.0]}
    ),
    "a share of what overflows twice": Once(
        "z = at.log1p(at.exp(at.exp(s)))\nv = at.exp(z) / (1 + at.exp(z))", {"s": 800.0}
    ),
    "a masked row": Once(
        """z = at.switch(m, x, -np.inf)
p = at.exp(z) / at.exp(z).sum()
q = at.exp(-(1 - p))
v = (q * q).sum()""",
        {"x": [-3000.0, 200.0, -1000.0], "m": [1, 0, 0]},
    ),
    "a power with a large exponent": Once("v = at.exp(-w) * s**at.exp(w)", {"w": 5.3, "s": 0.98}),
    "logs of what is picked": Once(
        """e = at.exp(Y)
P = e / e.sum(axis=1, keepdims=True)
a = P[0] * P[1][[0, 1, 0]]
c = a.sum()
v = -(at.log(c) + at.log((a / c)[1] + (a / c)[2]))""",
        {"Y": TWO - 900},
    ),
    "a perplexity of weights": Once(
        "p = at.exp(x) / at.exp(x).sum()\nv = at.exp(-(p * at.log(p)).sum())",
        {"x": TWO[0] + 65536},
    ),
    "an effective number of weights": Once(
        "p = at.exp(x) / at.exp(x).sum()\nv = 1 / (p**2).sum()", {"x": TWO[0] + 65536}
    ),
    "densities far away": Once(
        "v = -at.log((at.exp(-0.5 * (Y / at.exp(x))**2) / at.exp(x)).sum(1)).mean()",
        {"Y": [[5e8, 5e8 + 1], [3.0, 8e10]], "x": [0.1, 0.3]},
    ),
    "one of two arms": Once(
        """p = at.exp(x) / (1 + at.exp(x))
v = y * p + (1 - y) * (1 - p)""",
        {"x": [800.0, -800.0, 5.0], "y": [1.0, 0.0, 1.0]},
    ),
    "the choices of two arms": Once(
        """e = at.exp(s * x)
p = e / e.sum()
v = -at.log(w * p[0] + (1 - w) * p[1])""",
        {"s": 945.0, "x": [800.0, 0.0], "w": 0.0},
    ),
    "one of two products": Once(
        """a = at.exp(s * w)
b = at.exp(s * t)
v = -at.log(u * b / (a + b) + (1 - u) * a / (a + b))""",
        {"s": 945.0, "w": 0.0, "t": 800.0, "u": 0.0},
    ),
    "a product of powers": Once(
        "v = at.log(0.5 * at.exp(x) * (1 + 0.5 * s * at.exp(x)) ** -(1 + 1 / s))",
        {"x": [1.0, 134479872.0], "s": 2.15625},
    ),
    "what all cancels in, and is not a number": Once(
        "v = at.exp(x) / (at.exp(x) + at.exp(x))", {"x": [np.nan, 1.0]}
    ),
    "the largest where one is not a number": Once("v = at.exp(x).max()", {"x": [np.nan, 1, 2]}),
    "what is clipped and not a number": Once(
        "v = at.clip(at.exp(x), .1, 5).sum()", {"x": [np.nan, 1, 2]}
    ),
}
TYPES = {"s": "()", "t": "()", "u": "()", "w": "()", "r": "(1, None)", "Y": "(None, None)"}


def _text(once: Once, dtype: str) -> str:
    """The program, with inputs of a dtype."""
    dtypes = {"m": "int8"}
    inputs = (
        f"{n} = at.TensorType({dtypes.get(n, dtype)!r}, shape={TYPES.get(n, '(None,)')})({n!r})"
        for n in once.values
    )
    return "\n".join([*inputs, once.code])


@pytest.mark.spared
@pytest.mark.parametrize("dtype", sparing(["float64", "float32"]))
@pytest.mark.parametrize("once", sparing(ONCE.values(), 2), ids=ONCE)
def test_value_and_slopes_are_right(once: Once, dtype: str) -> None:
    assert failure(_text(once, dtype), once.values) is None


@pytest.mark.cxx
@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_they_are_the_same_in_c(dtype: str) -> None:
    for name, once in ONCE.items():
        program = program_of(_text(once, dtype))
        values = [np.asarray(once.values[i.name], i.dtype) for i in program.inputs]
        inputs, outputs = program.graph()
        with np.errstate(all="ignore"):  # what is out of range is what they are about
            plain, compiled = (
                function(inputs, list(outputs.values()), Mode(linker, "fast_run"))(*values)
                for linker in ("py", "cvm")
            )
        eps = float(np.finfo(dtype).eps)
        for a, b in zip(plain, compiled, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e3 * eps, err_msg=name)
