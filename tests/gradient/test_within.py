"""within_gradient is true where a graph is differentiated, and only there."""

from __future__ import annotations

from typing import Any

import aesara
import numpy as np
import pytest
from aesara.compile.builders import OpFromGraph

import kanrewrite
from kanrewrite import grad, within_gradient
from kanrewrite.errors import NothingToBeWithin
from tests.gradient.common import EACH_OPTIMIZER, at, compiled, eager_grad

EVERYWHERE = pytest.mark.parametrize("optimizer", EACH_OPTIMIZER)


def switch(condition: Any, x: Any) -> Any:
    """Ten times x where the graph is differentiated, its square where not."""
    return at.switch(condition, 10 * x, x**2)


@EVERYWHERE
def test_a_graph_evaluated_and_differentiated(optimizer: Any) -> None:
    x = at.scalar("x")
    y = switch(within_gradient(x), x)
    found = compiled([x], [y, grad(y, x), within_gradient(x), eager_grad(y, x)], optimizer)(3.0)
    np.testing.assert_array_equal(found, [9.0, 10.0, False, 6.0])


@EVERYWHERE
def test_only_what_depends_on_the_variable(optimizer: Any) -> None:
    x, z = at.scalars("x", "z")
    h = 2 * x
    costs = [
        (switch(within_gradient(h), h) * z, x),  # h depends on x
        (switch(within_gradient(z), h) * z, x),  # z does not: 8 x
        (switch(within_gradient(x), h) * z, h),  # x does not depend on h: 2 h
        (switch(within_gradient(h), h) * z, h),  # h itself
        (switch(within_gradient(x.astype("int8")), h) * z, x),  # no derivative passes: 8 x
    ]
    expected = [20.0, 24.0, 12.0, 10.0, 24.0]
    found = compiled([x, z], [grad(cost, v) for cost, v in costs], optimizer)(3.0, 1.0)
    np.testing.assert_array_equal(found, expected)


def test_several_variables_one_is_enough() -> None:
    a, b = at.scalars("a", "b")
    either = switch(within_gradient(a, b), a) * b
    both = switch(at.all([within_gradient(a), within_gradient(b)]), a) * b
    any_ = switch(at.any([within_gradient(a), within_gradient(b)]), a) * b
    found = [
        *grad(either, [a, b]),
        grad(either, b),
        *grad(both, [a, b]),
        grad(both, a),
        grad(both, b),
        grad(any_, b),
    ]
    result = compiled([a, b], found)(3.0, 2.0)
    np.testing.assert_array_equal(result, [20.0, 30.0, 30.0, 20.0, 30.0, 12.0, 9.0, 30.0])


@EVERYWHERE
def test_nested_derivatives(optimizer: Any) -> None:
    x, y = at.scalars("x", "y")
    in_x = at.switch(within_gradient(x), x**3, x**2)
    in_y = at.switch(within_gradient(y), y**3, y**2)
    first = grad(in_x * in_y, x)  # 3 x^2 y^2
    found = compiled([x, y], [first, grad(first, x), grad(first, y)], optimizer)(2.0, 3.0)
    np.testing.assert_array_equal(found, [3 * 4 * 9, 6 * 2 * 9, 3 * 4 * 27])


@pytest.mark.spared(2)
@EVERYWHERE
def test_within_loops(optimizer: Any) -> None:
    x = at.vector("x")
    z = at.vector("z")
    # What enters by a sequence, by the state of the step before, or not at all.
    by_sequence, _ = aesara.scan(lambda a, _: switch(within_gradient(a), a), [x, z])
    by_state, _ = aesara.scan(
        lambda a, h: at.switch(within_gradient(h), 10 * a, h + a**2), [x], at.zeros(())
    )
    outside, _ = aesara.scan(lambda a, b: switch(within_gradient(b), a), [x, z])
    f = compiled(
        [x, z],
        [
            by_sequence,
            grad(by_sequence.sum(), x),
            by_state[-1],
            grad(by_state[-1], x),
            grad(outside.sum(), x),
        ],
        optimizer,
    )
    values: list[Any] = [[1.0, 4.0], [10.0, 10.0], 5.0, [0.0, 10.0], [2.0, 4.0]]
    for found, expected in zip(f([1.0, 2.0], [0.0, 0.0]), values, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("inline", [False, True])
def test_within_ops_made_from_a_graph(inline: bool) -> None:
    x, a = at.scalars("x", "a")
    op = OpFromGraph([a], [switch(within_gradient(a), a)], inline=inline)
    found = compiled([x], [op(x), grad(op(x), x), op(within_gradient(x) + x)])(3.0)
    np.testing.assert_array_equal(found, [9.0, 10.0, 9.0])
    plain = op(op(x))
    np.testing.assert_array_equal(compiled([x], [plain, grad(plain, x)])(3.0), [81.0, 100.0])


def test_the_whole_family_asks() -> None:
    x = at.vector("x")
    y = switch(within_gradient(x), x)
    one = at.ones_like(x)
    found = compiled(
        [x],
        [
            kanrewrite.vjp(y, x, one),
            kanrewrite.jvp(y, x, one),
            kanrewrite.jacobian(y, x).sum(axis=0),
            kanrewrite.value_and_grad(y.sum(), x)[1],
            kanrewrite.hvp(y.sum(), x, one),
        ],
    )([1.0, 2.0])
    expected = np.full((5, 2), 10.0)
    expected[4] = 0
    np.testing.assert_array_equal(found, expected)


def test_it_needs_a_variable() -> None:
    with pytest.raises(NothingToBeWithin):
        within_gradient()
