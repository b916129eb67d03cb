"""Programs that random graphs failed at once, shrunk: they stay right."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from kanrewrite.fuzz import failure
from tests.sparing import sparing


class Found(NamedTuple):
    """A program that failed, and where."""

    program: str
    values: dict[str, Any]
    order: int = 1


def _typed(*inputs: str) -> str:
    """Inputs as programs write them: ``x:float64:None,1``."""
    lines = []
    for text in inputs:
        name, dtype, lengths = text.split(":")
        shape = f"({lengths},)" if lengths else "()"
        lines.append(f"{name} = at.TensorType({dtype!r}, shape={shape})({name!r})")
    return "\n".join(lines)


FOUND = {
    "a third of what is large, three times": Found(
        _typed("y:float64:None", "X:float64:None,None")
        + """
v1 = at.dot(X, y)
v2 = at.exp(v1) / (1 + at.exp(v1))
v3 = v2 / (1 + v2)
v4 = v3 + v3
""",
        {"y": [0.0, -899.0], "X": [[0.0, 0.0], [0.0, 0.0], [0.0, -898.777]]},
    ),
    "a sum of shares beside what is no number": Found(
        _typed("X:float32:1,3")
        + """
v2 = at.neg(X)
v6 = v2 * v2.sum(axis=-1, keepdims=True)**-1
v7 = at.exp(v2).sum(axis=-1)
v8 = v6.sum() - v7.sum()
""",
        {"X": [[0.0, 0.0, np.nan]]},
    ),
    "a condition of what is no number beside it": Found(
        _typed("x:float32:None", "X:float32:None,None")
        + """
v1 = -0.5 * (X - X)**2
v2 = at.exp(-x)
v3 = at.switch(at.ge(v2, v1), v2, 0)
""",
        {"x": [np.nan, 0.0, np.nan], "X": [[np.nan, 0, 0], [0, np.nan, 0], [np.nan, 0, np.nan]]},
    ),
    "an index of length 1 gives length 1": Found(
        _typed("x:float64:3", "t:float64:") + "\nv = at.log(at.exp(x[[1]]) + at.exp(t))",
        {"x": [0.0, 1.0, 2.0], "t": 0.5},
    ),
    "a piece of what has length 1": Found(
        _typed("y:float64:None")
        + """
v1 = at.concatenate([at.cosh(y), y], axis=0)
v2 = y[[1]].sum() * at.exp(v1).sum()""",
        {"y": [0.0, 0.1]},
    ),
    "what is put somewhere keeps its lengths where its values cancel": Found(
        _typed("X:float64:None,None", "s:float64:")
        + "\nv = at.log((at.exp(X) * at.exp(-s))[:, 0]).sum()",
        {"X": [[0.0, 0.5], [1.0, -0.25], [2.0, 1.0]], "s": 0.5},
    ),
    "what is set hides what is not a number in its row": Found(
        _typed("X:float64:None,None", "t:float64:")
        + "\nv = at.log(at.set_subtensor(special.softmax(X, axis=-1)[-1], t))",
        {"X": [[0.0, "nan"], [1.0, 2.0], ["nan", 0.5]], "t": 0.5},
        order=0,
    ),
    "what is set and is not a number stays where it is set": Found(
        _typed("X:float64:None,None", "t:float64:")
        + "\nv = at.log(at.set_subtensor(special.softmax(X, axis=-1)[0], t))",
        {"X": [[0.0, 1.0], [1.0, 2.0], [0.25, 0.5]], "t": "nan"},
    ),
    "shares of a softmax of squares of exponentials that are saturated": Found(
        _typed("X:float64:None,None")
        + """
e = at.exp(at.switch(X > 0, at.exp(X), X)[:, -1:] ** 2)
p = e / e.sum(axis=0, keepdims=True)
v = (p * p).sum()""",
        {"X": [[1.0, 4.5], [0.5, -3.0], [2.0, 3.75]]},
    ),
    "what is added to a row stays in it": Found(
        _typed("X:float64:None,None", "t:float64:")
        + "\nv = at.log(at.inc_subtensor(at.exp(X)[0], t))",
        {"X": [[0.0, 1.0], [1.0, 2.0], [0.25, 0.5]], "t": "nan"},
    ),
    "two choices, one of a part": Found(
        _typed("X:float64:1,None", "t:float64:", "M:bool:1,None")
        + "\nv = at.log(at.set_subtensor(at.switch(M, at.exp(X), 0)[0], at.sigmoid(t)))",
        {"X": [[0.0, "nan", 0.0]], "t": 0.0, "M": [[1, 1, 1]]},
        order=0,
    ),
    "a term that has left a sum under a mask": Found(
        _typed("X:float64:None,None", "M:bool:None,None")
        + """
v1 = at.sigmoid(X) / at.sigmoid(X)
v2 = (M * v1).sum() + at.reciprocal(v1).sum()""",
        {"X": [[1.0, 2.0], [3.0, 4.0]], "M": [[1, 0], [0, 1]]},
    ),
    "a pick of an exponent in a choice": Found(
        _typed("s:float64:", "M:bool:None,None")
        + """
v1 = at.tanh(special.softmax(M / at.exp(s), axis=None))
v2 = at.dot(v1[at.arange(v1.shape[0]), -1], s)""",
        {"s": 0.25, "M": [[0, 0, 0], [1, 0, 1], [1, 0, 1]]},
    ),
    "a level of a term that another factor hides": Found(
        _typed("x:float64:None") + "\nv = at.exp(x).sum() * x[1:].sum()",
        {"x": [0.0, 2.0, 5000.0]},
    ),
    "an exponent that is a difference of infinities": Found(
        _typed("x:float64:None", "s:float64:")
        + "\nv = at.log(at.log(1 + at.exp((s - x) * at.exp(-x))).sum())",
        {"x": [0.0, -7e5, 2e5], "s": -1.6e6},
        order=0,
    ),
    "a maximum that has lost a dimension of length 1": Found(
        _typed("X:float32:1,None")
        + "\nv = 2.0**(at.exp(X) / at.exp(X).sum(axis=-1, keepdims=True))",
        {"X": [[-407734.0, -238474.0]]},
    ),
    "two exponents less twice their maximum": Found(
        _typed("y:float64:None") + "\nv = (1 / at.exp(y[None, :] - y[:, None]).sum(axis=1)).sum()",
        {"y": [0.0, 799.187, 800.0]},
    ),
    "a masked share times itself": Found(
        _typed("x:float64:None", "m:int8:None")
        + """
v1 = at.exp(x - x.max(axis=0, keepdims=True))
v2 = m * v1 / (m * v1).sum(axis=-1, keepdims=True)
v3 = v2 * v2 + (1 - v2) * v2""",
        {"x": [0.0, 69.785, 349.0], "m": [1, 1, 0]},
    ),
    "picks of an exponent that is a difference of exponentials": Found(
        _typed("x:float32:None", "y:float32:None")
        + """
v1 = at.abs(at.exp(x) - at.exp(y))
v2 = at.exp(v1) / at.exp(v1).sum(axis=0, keepdims=True)
v3 = v2[1:] - v2[:-1]""",
        {"x": [2.0, 0.0, -3.546], "y": [0.0, 0.0, 6.0]},
        order=0,
    ),
    "an exponent and its maximum beside others are one number": Found(
        _typed("s:float64:", "x:float64:None")
        + """
v1 = at.exp(at.sinh(s))
v2 = v1 / (v1 + at.exp(x)).sum()""",
        {"s": 15.9, "x": [1.0, 2.0]},
        order=2,
    ),
    "a maximum whose own dimension is dropped, or another one": Found(
        _typed("X:float64:None,None") + "\nv = at.log((special.softmax(X, axis=-1)[0] ** 2).sum())",
        {"X": [[0.0, 1.0, 2.0], [800.0, 0.0, 3.0]]},
    ),
    "what is set and is not a number leaves what is around it": Found(
        _typed("x:float64:None", "t:float64:") + "\nv = at.log(at.set_subtensor(x[0], at.exp(t)))",
        {"x": [0.5, 1.0, 2.0], "t": "nan"},
    ),
    "a row that is not a number leaves the others": Found(
        _typed("X:float64:None,None")
        + """
v1 = at.exp(X) / at.exp(X).sum(axis=-1, keepdims=True)
v2 = -at.log(v1[-1]).mean()
v3 = at.exp(X) + at.exp(X)
v4 = v2.sum() - v3.sum()""",
        {"X": [[0.0, 0.0], [0.0, 0.0], ["inf", 0.0]]},
    ),
    "the sign of what vanishes beside what overflows": Found(
        _typed("x:float64:", "s:float64:", "y:float64:")
        + "\nv = at.sgn(at.expm1(y * at.exp(-x))) * at.exp(s) * at.exp(-x)",
        {"x": 801.0, "s": 801.0, "y": -1.0},
        order=0,
    ),
    "a share of nothing has no slope": Found(
        _typed("x:float64:None", "t:float64:")
        + """
v1 = at.exp(t) + at.exp(x)
v2 = v1 / v1.sum()""",
        {"x": [], "t": 0.0},
    ),
    "squares of shares of nothing": Found(
        _typed("X:float64:2,0", "s:float64:")
        + """
v1 = at.exp(X) + at.exp(s)
v2 = ((v1 / v1.sum()) ** 2).sum() * v1.sum()""",
        {"X": [[], []], "s": 0.0},
    ),
    "what an exponential in an exponent is added to is not lost": Found(
        _typed("x:float64:")
        + """
v1 = at.exp(x)
v2 = v1 * at.exp(v1) / (1 + at.exp(v1)) + v1**2""",
        {"x": 212.0},
    ),
    "terms of one exponent cancel before others are added": Found(
        _typed("X:float64:1,None", "s:float64:")
        + """
v1 = at.exp(X) / at.exp(X).sum(axis=-1, keepdims=True)
v2 = v1 * v1 / (v1 * v1).sum(axis=-1, keepdims=True)
v3 = v2**3 / (v2**3).sum(axis=-1, keepdims=True)
v4 = v3 / at.exp(s)""",
        {"X": [[0.0, 5.0]], "s": 0.0},
    ),
    "two choices that each leave something, and together nothing": Found(
        _typed("x:float64:None", "m:int8:None", "n:int8:None")
        + """
v1 = at.exp(x) / at.exp(x).sum()
v2 = at.switch(m, v1, 0) / at.switch(m, v1, 0).sum()
v3 = at.log(at.switch(n, v2, 0) + 1e-6)""",
        {"x": [-1e9, 1.0, 2.0], "m": [1, 0, 0], "n": [0, 1, 1]},
    ),
    "an exponent and a maximum of its maximum are one number": Found(
        _typed("y:float64:None")
        + """
v1 = at.exp(at.inc_subtensor(y[-1], at.exp(y[0])))
v2 = v1 / (v1.sum() + 0.01)""",
        {"y": [14.0, 0.0, 57.9]},
        order=0,
    ),
    "what exponents have in common decides no maximum": Found(
        _typed("x:float64:None,None", "y:float64:None,None")
        + """
v1 = at.exp(x) * y / (at.exp(x).sum() + 1)
v2 = (v1 * v1).sum()""",
        {"x": [[0.0, 835.639]], "y": [[0.0, 0.0]]},
        order=2,
    ),
    "a share of what is large by itself": Found(
        _typed("y:float64:None,None")
        + """
v1 = at.inc_subtensor(y[-1], at.exp(y[0]))
v2 = at.cast(at.gt(v1, y), 'float64') * v1
v3 = at.exp(v2) * v2 / (at.exp(v2).sum() + 1)""",
        {"y": [[33.8, 0.0], [0.0, 0.0], [0.0, 0.0]]},
    ),
    "an exponent stays beside the maxima that it is subtracted in": Found(
        _typed("x:float64:None,None", "y:float64:None,None")
        + """
v1 = at.log(at.exp(x).sum(axis=-1))
v2 = at.log(at.exp(y) * 2 + 0.5)
v3 = at.exp(v1) / (at.exp(v1) + at.exp(v2))""",
        {"x": [[0.0, 0.0], [0.0, 817.0]], "y": [[0.0, 0.0], [0.0, 0.0]]},
    ),
    "the slope of a tanh whose operand overflows": Found(
        _typed("X:float64:None", "s:float64:") + "\nv1 = at.tanh(s / at.exp(X))",
        {"X": [-720.0, 0.5], "s": -1.3},
    ),
    "twice what overflows is as large as four times it": Found(
        _typed("x:float64:None", "s:float64:") + "\nv1 = at.tanh(s * at.exp(x)) ** 2",
        {"x": [720.0, 709.0, -710.0], "s": 2.0},
    ),
    "saturated functions of what overflows, times each other": Found(
        _typed("x:float64:None", "s:float64:")
        + """
v1 = s / at.exp(x)
v2 = at.tanh(v1) * at.sigmoid(v1)""",
        {"x": [-720.0, 0.5], "s": -1.3},
    ),
    "levels of what overflows cancel by how often they have it": Found(
        _typed("x:float64:None", "s:float64:")
        + "\nv1 = x * at.tanh(at.log(1 + at.exp(at.exp(-x) - s)))",
        {"x": [-800.0, -0.5, 800.0], "s": 0.7},
    ),
    "an exponent that the graph has without a dimension of length 1": Found(
        _typed("X:float64:None,None")
        + """
v1 = ((at.exp(X) - 2) ** 2).sum(axis=0)
v2 = at.exp(v1) / at.exp(v1).sum()
v3 = (v2 * v2).sum()""",
        {"X": [[-1.233, 0.642], [0.618, 4.317]]},
    ),
    "what has left a sum over nothing": Found(
        _typed("X:float64:2,0", "t:float64:")
        + "\nv = at.exp(-0.5 * ((X - t) / at.exp(t))**2) / at.exp(t)",
        {"X": [[], []], "t": -899.0},
    ),
    "what is put on a diagonal shows its exponentials": Found(
        _typed("X:float32:None,None", "t:float32:")
        + """
v1 = at.diagonal(at.specify_shape(X, X.shape))
v2 = at.inc_subtensor((v1[:, None] + v1[None, :])[-1], t)
v3 = at.log(at.exp(X * X.sum(axis=-1, keepdims=True) ** -1) + at.exp(v1))
v4 = v2.sum() * (X.sum(axis=0, keepdims=True).sum() * v3.sum())""",
        {"X": [[0.5, 1.0], [0.25, 2.0]], "t": 0.5},
    ),
    "what a softplus that has vanished brings back": Found(
        _typed("x:float64:3", "y:float64:3", "X:float64:2")
        + """
v1 = at.exp(y / y.sum() - x.min()).sum()
v2 = v1 * at.softplus(X).sum() * x.sum()""",
        {"x": [0.0, 0.0, -901.0], "y": [0.0, 0.0, 1.0], "X": [-897.0, -900.0]},
    ),
    "what is in range beside what a factor hides": Found(
        _typed("x:float64:None", "y:float64:None", "z:float64:None")
        + """
v1 = at.log(1 + at.exp(x))
v2 = y * v1 + z * at.exp(v1)""",
        {"x": [791.0, 791.0, 2.0], "y": [1.0, 0.0, 3.0], "z": [0.0, 0.0, 0.5]},
    ),
    "what is in range beside what is put there times nothing": Found(
        _typed("x:float64:2,2")
        + """
v1 = at.log(1 + at.exp(x))
v2 = at.inc_subtensor(v1[-1], at.exp(v1[0]))
v3 = v2[0]""",
        {"x": [[0.0, 791.0], [0.0, 0.0]]},
        order=2,
    ),
    "exponents less their largest beside what is added to them": Found(
        _typed("y:float64:None")
        + """
v1 = at.exp(y) / at.exp(y).sum()
v2 = at.minimum(v1, y)
v3 = y / at.exp(at.exp(v2))""",
        {"y": [833.0, 0.0, 779.0]},
    ),
    "a place that is not picked beside what is no number": Found(
        _typed("x:float64:None", "y:float64:None", "X:float64:None,None")
        + """
v1 = at.log10(x)
v2 = at.specify_shape(v1, v1.shape)
v3 = at.log((at.exp(X / y) * at.exp(-v2))[:, 0])""",
        {"x": [-0.3, 1.0], "y": [0.0, 1.0], "X": [[0.0, 0.0], [0.0, 0.0]]},
    ),
    "what was transposed either way, of one row": Found(
        _typed("X:float64:1,None")
        + """
v1 = at.exp(X) / at.exp(X).sum(axis=-1, keepdims=True)
v2 = v1**-2
v3 = v2.sum() - v1.sum()""",
        {"X": [[0.0, 0.0, 0.0]]},
    ),
    "the largest of what is no number, in a slope": Found(
        _typed("X:float32:None,None") + "\nv1 = at.log1p(at.exp(X.max())) + X.sum()",
        {"X": [[0.0, 0.0], [0.0, np.nan]]},
    ),
    "a choice hides what a factor beside it does not": Found(
        _typed("X:float32:2,2", "t:float32:")
        + """
v1 = at.log(at.set_subtensor(at.log(1 + at.exp(X))[-1], t))
v2 = at.exp(at.maximum(v1, 0))""",
        {"X": [[0.0, 0.0], [0.0, 0.0]], "t": -0.1},
    ),
    "shares along a length that has cancelled": Found(
        _typed("X:float64:None,1")
        + """
v1 = at.log((at.exp(X) * at.exp(-X))[:, 0])
v2 = at.log(at.exp(X - v1).sum(axis=-1))""",
        {"X": [[0.0], [0.5], [1.0]]},
    ),
    "what a choice hides in a product of the Hessian": Found(
        _typed("y:float32:1", "X:float32:2,1", "t:float32:", "M:bool:2,1")
        + """
v1 = at.switch(M, y / t, 0)
v2 = at.log(at.exp(X) + at.exp(v1))""",
        {"y": [0.0], "X": [[0.0], [0.0]], "t": 0.0, "M": [[False], [False]]},
        order=2,
    ),
}


@pytest.mark.spared
@pytest.mark.parametrize("name", sparing(FOUND))
def test_what_was_found_is_right(name: str) -> None:
    found = FOUND[name]
    assert failure(found.program, found.values, order=found.order) is None


def test_nan_stays_in_the_derivative_beside_a_choice() -> None:
    program = """
X = at.TensorType('float64', shape=(3, 3))('X')
s = at.TensorType('float64', shape=())('s')
M = at.TensorType('bool', shape=(3, 3))('M')
v1 = (at.switch(M, s, 0).T / at.switch(M, s, 0).sum(axis=-1)).T
v2 = at.exp(X).sum(axis=-1)
v3 = at.exp(v1 + v2)
"""
    mask = [[True, True, False], [False, True, False], [False, True, False]]
    values = {"X": [[0.0, 0.0, 0.0], [0.0, 0.0, np.nan], [0.0, 0.0, 0.0]], "s": np.nan, "M": mask}
    assert failure(program, values, order=1) is None


def test_rows_that_are_not_picked_have_no_slope_where_the_picked_one_is_saturated() -> None:
    program = (
        _typed("X:float64:None,None")
        + """
v1 = at.exp(X) / at.exp(X).sum(axis=-1, keepdims=True)
v2 = -at.log(v1[-1]).mean()"""
    )
    assert failure(program, {"X": [[0.0, 0.0, 0.0], [0.0, 0.0, 1560066.0]]}) is None


@pytest.mark.xfail(raises=AssertionError, reason="a power that alone is in range is not found")
def test_a_masked_share_of_a_power_of_a_sigmoid() -> None:
    program = (
        _typed("X:float32:None,None", "s:float32:", "m:int8:None")
        + """
v1 = (1 / (1 + at.exp(-s)))**at.exp(X)
v2 = at.switch(m, v1, 0) / at.switch(m, v1, 0).sum(axis=-1, keepdims=True)"""
    )
    values = {"X": [[0.0, 0.0], [310.0, 0.0]], "s": 166.0, "m": [1, 0]}
    assert failure(program, values, order=0) is None


def test_the_slope_of_a_ratio_of_picked_shares_in_single_precision() -> None:
    program = (
        _typed("x:float32:None", "X:float32:None,None", "Y:float32:None,None", "k:int64:None")
        + """
v1 = (X - at.log(at.exp(X).sum(axis=1, keepdims=True)))[at.arange(X.shape[0]), k]
v2 = (Y - at.log(at.exp(Y).sum(axis=1, keepdims=True)))[at.arange(Y.shape[0]), k]
v3 = -(at.exp(v1 - v2) * x).mean()"""
    )
    values = {"X": [[-29.86, 16.93, 125.47]], "Y": [[-59.78, 102.0, 67.2]], "x": [-10.8], "k": [2]}
    assert failure(program, values) is None


def test_ones_of_unknown_lengths_cancel_with_one() -> None:
    program = (
        _typed("x:float64:None", "y:float64:None", "M:bool:None,None")
        + """
v2 = at.switch(M, 0, x)
v4 = special.softmax(v2, axis=0)
v5 = y.sum() * v4.sum()"""
    )
    mask = [[True, False, False], [False, False, True], [True, True, False]]
    assert failure(program, {"x": [0.0, 0.0, 800.0], "y": [0.0, 0.0, 1.0], "M": mask}) is None


def test_ones_of_two_lengths_are_not_one_term_beside_what_is_as_long() -> None:
    """A curvature at everyday inputs that was half of another number."""
    program = (
        _typed("y:float64:None")
        + """
v1 = y[:, None] + y[None, :]
v2 = 1 + at.exp(v1)
v3 = v2 / (1 + v2)
v4 = v3 / v3.sum(axis=0, keepdims=True)
v5 = at.log(1 - v3)
v6 = v4.sum(axis=-1, keepdims=True)
v7 = v5.sum() * v6.sum()"""
    )
    assert failure(program, {"y": [0.0, 0.0, 0.0]}, order=2) is None
    written = (
        _typed("y:float64:None")
        + """
v1 = at.exp(y[:, None] + y[None, :])
v2 = at.log(1 - v1 / (1 + v1)).sum() * (y**2).sum()"""
    )
    assert failure(written, {"y": [0.3, -0.2, 0.7]}, order=2) is None


def test_terms_of_one_exponential_are_one_beside_a_tower() -> None:
    program = (
        _typed("X:float64:None,1", "t:float64:")
        + """
v1 = (X - t) * at.exp(t)
v2 = (X / at.exp(t)).sum() * (1 - at.exp(-at.exp(v1))).sum()"""
    )
    assert failure(program, {"X": [[0.0], [0.0], [1.0]], "t": 800.0}, order=1) is None


def test_ones_have_no_shift() -> None:
    """A relation was left out of a graph of a curvature beside rows of a slice."""
    program = (
        _typed("X:float64:None,None", "s:float64:", "t:float64:")
        + """
v1 = at.log(at.exp(X[:-1] / t).sum(axis=0))
v2 = v1.sum() + X.sum(axis=-1).sum()
v3 = s.sum() * v2.sum()"""
    )
    values = {"X": [[0.25, -1.0], [0.5, 2.0]], "s": 0.5, "t": 2.0}
    assert failure(program, values, order=2) is None


def test_what_an_exponential_of_an_exponential_leaves_of_one_is_a_term() -> None:
    program = (
        _typed("x:float64:None", "X:float64:None,None")
        + """
v1 = 1 - at.exp(-at.exp(X))
v2 = at.exp(x) * v1
v3 = v2 / (1 + v2)"""
    )
    values = {"x": [0.0, 30.0, 101.0], "X": [[0.0, -30.0, -50.0], [0.0, -31.0, -23.0]]}
    assert failure(program, values, order=1) is None


def test_a_slice_of_shares_of_what_is_summed_to_a_number() -> None:
    """Which raised an error in the engine: the sum has no dimension that the slice leaves."""
    program = (
        _typed("y:float32:None", "M:bool:None,None")
        + """
v1 = 1 / (1 + at.exp(-y))
v2 = v1 / v1.sum(axis=0, keepdims=True)
v3 = at.switch(M, v1, 0)
v4 = 1 - v2
v5 = v3.sum() * (v4[1:] - v4[:-1]).sum()"""
    )
    values = {"y": [0.5, -1.0, 2.0], "M": [[True, False, True], [False, True, True]]}
    assert failure(program, values, order=1) is None


def test_a_product_with_shares_of_huge_exponentials_keeps_the_other_matrix() -> None:
    """Beside ``exp(182)`` nothing was left of an element of the other matrix."""
    program = (
        _typed("X:float64:3,3")
        + """
v1 = at.exp(X)
v2 = at.dot(special.softmax(v1, axis=-1), v1)
v3 = at.log(1 + at.exp(3 * v2))"""
    )
    values = {"X": [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [182.0, 0.0, 0.0]]}
    assert failure(program, values, order=0) is None


def test_an_exponential_is_added_in_a_wider_dtype() -> None:
    program = (
        _typed("x:float32:None", "t:float64:")
        + """
v1 = at.log(at.exp(x) + at.exp(t))"""
    )
    assert failure(program, {"x": [0.0, 100.0, 1329749.0], "t": 0.0}, order=1) is None


def test_a_maximum_of_what_is_no_longer_there_has_its_dimensions() -> None:
    """Which raised an error in the engine."""
    program = (
        _typed("y:float64:None")
        + """
v1 = at.broadcast_to(y, (2, y.shape[0]))
v2 = at.log(at.exp(v1) + at.exp(y))
v3 = y.sum() - v2.sum()"""
    )
    assert failure(program, {"y": [0.0, 0.0, 0.0]}, order=1) is None


def test_what_underflows_where_it_is_put_meets_what_is_large() -> None:
    program = (
        _typed("x:float64:None", "X:float64:None,None")
        + """
v1 = at.softplus(at.log((at.exp(X) * at.exp(-x))[:, 0]))"""
    )
    values = {"x": [-901.0, 0.0, 0.0], "X": [[0.0] * 3] * 3}
    assert failure(program, values, order=1) is None


def test_an_exponential_of_a_share_is_as_it_is_written() -> None:
    program = (
        _typed("x:float64:None")
        + """
v1 = at.exp(at.sinh(at.exp(x) / at.exp(x).sum()))"""
    )
    assert failure(program, {"x": [-614044.0, -1050873.0, -471661.0]}, order=2) is None


@pytest.mark.parametrize("offset", [0.0, -900.0, 900.0])
def test_of_others_that_are_all_zero_there_is_no_largest(offset: float) -> None:
    program = (
        _typed("X:float64:None,None")
        + """
v1 = at.exp(X) / at.exp(X).sum(axis=-1, keepdims=True)
v2 = at.concatenate([v1[:1], v1[1:]])
v3 = v2.sum() * at.log(v1 / (1 - v1)).sum()"""
    )
    logits = np.array([[-1.0, 0.0, -2.0]]) + offset
    assert failure(program, {"X": logits.tolist()}) is None


def test_the_diagonal_of_a_mask_of_columns_is_that_of_a_matrix() -> None:
    """A curvature at everyday inputs that was twice another number."""
    program = (
        _typed("X:float32:None,None", "t:float32:", "b:bool:None", "M:bool:None,None")
        + """
v4 = at.switch(b, 0, X)
v5 = at.switch(M, t, X)
v6 = at.diagonal(v4)
v9 = at.exp(v5 + v6)"""
    )
    mask = [[True, False, True], [False, False, True], [True, False, False]]
    values = {"X": [[0.0] * 3] * 3, "t": 0.0, "b": [False, False, True], "M": mask}
    assert failure(program, values, order=2) is None


def test_what_is_put_into_a_slice_was_taken_of_a_matrix() -> None:
    """Which raised an error in the engine."""
    program = (
        _typed("y:float64:None", "X:float64:None,None", "s:float64:", "b:bool:None")
        + """
v6 = at.switch(b, s, y)
v7 = at.set_subtensor(v6[1:], s)
v9 = at.exp(X - v7)"""
    )
    values = {"y": [0.0] * 3, "X": [[0.0] * 3] * 3, "s": 0.0, "b": [False, False, True]}
    assert failure(program, values) is None


def test_a_number_is_the_same_in_each_dimension() -> None:
    """A slope at everyday inputs that was -0.26 for 0."""
    program = (
        _typed("y:float64:1", "X:float64:None,1")
        + """
v1 = X / at.exp(y)
v2 = v1 - v1.max(axis=-1, keepdims=True)
v3 = at.exp(v1 - at.log(at.exp(v1).sum()))
v4 = v2.sum() * v3.sum()"""
    )
    assert failure(program, {"y": [-0.025], "X": [[0.0], [0.065], [0.403]]}) is None


def test_the_log_of_a_shifted_sum_is_not_shifted_by_a_maximum_of_nothing() -> None:
    """Which raised an error when it was run, where stock Aesara did not."""
    program = (
        _typed("X:float64:None,None", "s:float64:")
        + """
v1 = at.exp(s - X)**3
v2 = at.log(1 + at.exp(at.log(v1.sum())))"""
    )
    assert failure(program, {"X": [[], []], "s": 0.0}) is None


def test_the_curvature_of_sums_of_a_symmetric_matrix() -> None:
    """Which raised an error in the engine: transposed it is the same sum."""
    program = (
        _typed("x:float64:None")
        + """
v1 = at.sigmoid(x[:, None] * x[None, :])
v2 = v1.sum() * (v1.sum()**2 - (v1**2).sum())"""
    )
    assert failure(program, {"x": [0.0, 0.5, -1.0]}, order=2) is None


def test_a_number_is_not_taken_from_what_computes_it() -> None:
    """The shares of what is no number are a sum of 1, and no 1 for others."""
    program = (
        _typed("y:float64:None", "X:float64:None,None")
        + """
v1 = at.exp(at.exp(-X))
v2 = v1.sum(axis=-1, keepdims=True) - v1
v3 = v2.sum() + special.softmax(y, axis=-1).sum()"""
    )
    rows = [[0.0, 0.0, np.nan], [0.0, 0.0, 0.0]]
    assert failure(program, {"y": [np.nan, 0.0], "X": rows}) is None


def test_what_a_mask_takes_away_stays_no_number() -> None:
    program = (
        _typed("x:float64:3", "b:bool:3")
        + """
v1 = at.exp(x)
v2 = v1.sum() - at.switch(b, v1, 0).sum()"""
    )
    assert failure(program, {"x": [0.0, np.nan, 0.0], "b": [False, True, True]}) is None


def test_a_number_is_added_to_a_difference() -> None:
    program = (
        _typed("x:float64:1", "X:float64:3,1")
        + """
v1 = at.exp(x - X)
v2 = at.exp(v1 + v1)"""
    )
    assert failure(program, {"x": [801.768], "X": [[801.5], [800.635], [802.0]]}, order=0) is None


def test_what_is_as_long_as_a_form_computes_it() -> None:
    """Which raised an error when it was run: an exponential of 0 has no length in the form."""
    program = (
        _typed("X:float64:None,1", "m:int8:1")
        + """
v1 = at.exp(X.sum(axis=-1, keepdims=True) - X).reshape((-1, 1))
v2 = at.exp(X[:, ::-1]).sum() * ((1 - m) * v1).sum()"""
    )
    assert failure(program, {"X": [[0.0], [0.0], [1.0]], "m": [1]}) is None
