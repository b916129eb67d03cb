"""Users' derivatives of expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import aesara
import numpy as np
import pytest
from aesara.tensor.elemwise import DimShuffle, Elemwise
from aesara.tensor.special import SoftmaxGrad

from kanrewrite import grad, jvp
from kanrewrite.errors import RuleLosesDerivative, RuleTermMismatch
from kanrewrite.gradient import register_gradient, registered_gradient, unregister_gradient
from tests.gradient.common import OPTIMIZERS, at, compiled, eager_grad, softmax, values

Terms = Mapping[Any, Any] | None


def is_(v: Any, op: Any) -> bool:
    return v.owner is not None and v.owner.op == op


def of_softmax(expr: Any, wrt: Sequence[Any], upstream: Any) -> Terms:
    """``exp(x) / sum(exp(x))`` has the gradient that Aesara's softmax has."""
    if not is_(expr, at.true_divide):
        return None
    e, total = expr.owner.inputs
    if not is_(e, at.exp) or not isinstance(total.owner and total.owner.op, DimShuffle):
        return None
    (x,) = e.owner.inputs
    return {x: SoftmaxGrad(axis=x.ndim - 1)(upstream, expr)}


def of_log(expr: Any, wrt: Sequence[Any], upstream: Any) -> Terms:
    """A logarithm whose gradient is five: easy to tell."""
    return {expr.owner.inputs[0]: 5 * upstream} if is_(expr, at.log) else None


def product_without_second(expr: Any, wrt: Sequence[Any], upstream: Any) -> Terms:
    return {expr.owner.inputs[0]: upstream} if is_(expr, at.mul) else None


def column_for_matrix(expr: Any, wrt: Sequence[Any], upstream: Any) -> Terms:
    return {expr.owner.inputs[0]: upstream.sum()} if is_(expr, at.exp) else None


def test_the_gradient_of_a_hand_written_softmax() -> None:
    x, y = at.matrices("x", "y")
    cost = (softmax(x) * y).sum()
    vals = values((3, 4), (3, 4))
    expected = compiled([x, y], eager_grad(cost, x), None)(*vals)
    mode = aesara.compile.mode.Mode("py", "fast_run").excluding("canonicalize", "stabilize")
    with registered_gradient(of_softmax):
        function = compiled([x, y], grad(cost, x), mode)
    names = [type(n.op).__name__ for n in function.maker.fgraph.apply_nodes]
    assert "SoftmaxGrad" in names
    np.testing.assert_allclose(function(*vals)[0], expected[0])


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_reverse_forward_and_second_derivatives(optimizer: Any) -> None:
    x, v = at.vectors("x", "v")
    y = at.log(x) * x
    with registered_gradient(of_log):
        first = grad(y.sum(), x)  # log(x) + 5 x
        outputs = [first, jvp(y, x, v), grad((first * v).sum(), x)]  # ..., (5 + 5) v
        found = compiled([x, v], outputs, optimizer)
        a, b = np.array([1.0, 2.0]), np.array([1.0, 10.0])
        expected = [np.log(a) + 5 * a, (np.log(a) + 5 * a) * b, 10 * b]
        np.testing.assert_allclose(found(a, b), expected)


def test_a_rule_is_taken_back() -> None:
    x = at.scalar("x")
    register_gradient(of_log)
    assert compiled([x], grad(at.log(x), x))(2.0) == [5.0]
    unregister_gradient(of_log)
    assert compiled([x], grad(at.log(x), x))(2.0) == [0.5]
    with pytest.raises(ValueError, match="list"):
        unregister_gradient(of_log)


@pytest.mark.parametrize(
    ("rule", "error"),
    [(product_without_second, RuleLosesDerivative), (column_for_matrix, RuleTermMismatch)],
)
def test_wrong_rules_are_refused(rule: Any, error: type[Exception]) -> None:
    x = at.matrix("x")
    cost = (at.exp(x) * x).sum()
    with registered_gradient(rule), pytest.raises(error, match=rule.__name__):
        compiled([x], grad(cost, x))


def test_elementwise_rules_see_the_largest_expression_first() -> None:
    x = at.vector("x")
    seen = []

    def watch(expr: Any, wrt: Sequence[Any], upstream: Any) -> None:
        seen.append((expr.owner.op, list(wrt), upstream.type == expr.type))

    cost = (at.exp(x) * 3).sum()
    with registered_gradient(watch):
        compiled([x], grad(cost, x), "fast_compile")
    assert [type(op).__name__ for op, _, _ in seen[:3]] == ["Sum", "Elemwise", "Elemwise"]
    assert isinstance(seen[1][0], Elemwise)
    assert all(len(wrt) == 1 and fits for _, wrt, fits in seen)
