"""What is made inside of a loop, an Op or a branch, and asked for outside; and the reverse."""

from __future__ import annotations

from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.compile.builders import OpFromGraph
from aesara.ifelse import ifelse

from tests.loops.corpus import loop, scan, soft
from tests.loops.models import several

LABELS = np.array([0, 2, 1, 0])


def made(outputs: Any, ndim: int = 2, dtype: str = "float64", **options: Any) -> Any:
    """An Op made from the graph of what a function makes."""
    make: Any = OpFromGraph
    v = at.tensor(dtype, (None,) * ndim)
    found = outputs(v)
    return make([v], found if isinstance(found, list) else [found], **options)


def rows(m: Any) -> Any:
    return at.exp(m) / at.exp(m).sum(1, keepdims=True)


@loop((4, 3))
def log_of_an_op(x: Any) -> Any:
    return -at.log(made(rows)(x))[at.arange(4), LABELS]


@loop((4, 3))
def op_of_exponentials(x: Any) -> Any:
    return made(lambda v: v / v.sum(1, keepdims=True))(at.exp(x))


@loop((4, 3))
def divided_outside_of_an_op(x: Any) -> Any:
    e, s = made(lambda v: [at.exp(v), at.exp(v).sum(1)])(x)
    return e / s[:, None]


@loop((4, 3))
def log_in_an_op_of_an_op(x: Any) -> Any:
    op = made(soft, 1)
    return scan(made(lambda v: at.log(op(v)), 1), x)


@loop((4, 3))
def log_of_an_op_in_a_step(x: Any) -> Any:
    op = made(soft, 1)
    return scan(lambda row: at.log(op(row)), x)


@loop((4, 3))
def log_of_an_op_around_a_loop(x: Any) -> Any:
    return at.log(made(lambda m: scan(soft, m))(x))


@loop((4, 3))
def log_of_an_op_with_a_gradient(x: Any) -> Any:
    def gradient(inputs: Any, upstreams: Any) -> Any:
        p = soft(inputs[0])
        return [upstreams[0] * p - p * (upstreams[0] * p).sum()]

    op = made(soft, 1, grad_overrides=gradient)
    return scan(lambda row: at.log(op(row)[0]), x)


@loop((4, 3))
def loss_in_an_op(x: Any) -> Any:
    op = made(rows)
    return made(lambda m: -at.log(op(m)[at.arange(4), LABELS]).mean())(x)


@loop((4, 3))
def exponentials_of_a_loop(x: Any) -> Any:
    tops, bottoms = scan(lambda row: [at.exp(row), at.exp(row).sum()], x)
    return tops / bottoms[:, None]


@loop((4, 3))
def exponentials_into_a_loop(x: Any) -> Any:
    return scan(lambda e: e / e.sum(), at.exp(x))


@loop((4, 3))
def log_of_a_branch(x: Any) -> Any:
    return at.log(ifelse(at.gt(x[0, 0], 0), rows(x), rows(2 * x)))


@loop((4, 3))
def log_of_a_branch_in_a_step(x: Any) -> Any:
    return scan(lambda row: at.log(ifelse(at.gt(row[0], 0), soft(row), soft(2 * row))), x)


@loop((4, 3))
def exponentials_of_branches(x: Any) -> Any:
    def step(row: Any) -> Any:
        e: Any = ifelse(at.gt(row[0], 0), at.exp(row), at.exp(-row))
        return e / e.sum()

    return scan(step, x)


@loop((4, 3))
def log_outside_of_a_loop_of_an_op(x: Any) -> Any:
    op = made(soft, 1)
    return at.log(scan(lambda row: op(row), x))


@loop((4, 3))
def running_means_of_exponentials(x: Any) -> Any:
    def step(e: Any, s: Any, n: Any) -> Any:
        return s + e, n + 1.0, (s + e) / (n + 1)

    states = [at.zeros(3), at.constant(np.float64(0.0)), None]
    return at.log(several(step, at.exp(x), states=states)[2])


@loop((4, 3))
def branches_of_two_results(x: Any) -> Any:
    def step(row: Any) -> Any:
        first, second = ([at.exp(v), at.exp(v).sum()] for v in (row, 2 * row))
        choice: Any = ifelse(at.gt(row[0], 0), first, second)
        tops, bottom = choice
        return tops / bottom

    return scan(step, x)


@loop((4, 3))
def branches_of_a_product(x: Any) -> Any:
    def step(row: Any, s: Any) -> Any:
        return ifelse(at.gt(row[0], 0), s * at.exp(row), s * at.exp(-row))

    return at.log(scan(step, x, state=at.ones(3)))


@loop((3, 4, 3))
def quotients_in_a_loop_of_loops(x: Any) -> Any:
    def outer(m: Any) -> Any:
        tops, bottoms = scan(lambda row: [at.exp(row), at.exp(row).sum()], m)
        return (tops / bottoms[:, None]).sum(0)

    return scan(outer, x)


@loop((3, 2, 3))
def filter_of_products(x: Any) -> Any:
    """What a loop in a step has multiplied is normalised by the step."""

    def outer(m: Any, s: Any) -> Any:
        grown = scan(lambda row, t: t * at.exp(row), m, state=s)[-1]
        return grown / grown.sum(), at.log(grown.sum())

    return several(outer, x, states=[at.ones(3) / 3, None])[1]
