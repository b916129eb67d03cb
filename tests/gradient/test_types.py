"""The types of gradients that are known without building them are those that Aesara finds."""

from __future__ import annotations

from typing import Any

import aesara.scalar as aes
import aesara.tensor.special
import pytest
from aesara.tensor.elemwise import Elemwise

import kanrewrite
from kanrewrite.gradient.path import closed_path
from kanrewrite.gradient.types import (
    REGULAR_OPS,
    REGULAR_SCALARS,
    gradients_are_like_variables,
)
from tests.gradient.common import at, eager_grad

special: Any = aesara.tensor.special
DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


def variable(dtype: str, name: str) -> Any:
    return at.TensorType(dtype, shape=(3, None))(name)


def assert_known(y: Any, wrt: list[Any]) -> None:
    """To the second order: a derivative may lie on the path of another."""
    path, _, _ = closed_path([y.sum()], wrt)
    assert gradients_are_like_variables(path)
    first = eager_grad(y.sum(), wrt)
    assert [g.type.dtype for g in first] == [v.type.dtype for v in wrt]
    assert all(v.type.is_super(g.type) for g, v in zip(first, wrt, strict=True))
    again = eager_grad((first[0] ** 2).sum(), wrt, disconnected_inputs="ignore")
    assert [g.type.dtype for g in again] == [v.type.dtype for v in wrt]


@DTYPES
@pytest.mark.parametrize("scalar", REGULAR_SCALARS)
def test_elementwise(scalar: Any, dtype: str) -> None:
    x, y = variable(dtype, "x"), variable(dtype, "y")
    nin = 2 if scalar is aes.Second else getattr(scalar, "nin", 2)
    nin = 2 if nin < 0 else nin
    op = Elemwise(scalar(aes.upgrade_to_float if nin == 1 else aes.upcast_out, name="f"))
    inputs = [x, y][:nin]
    assert_known(op(*inputs), inputs[1:] if scalar is aes.Second else inputs)


@DTYPES
@pytest.mark.parametrize("op", REGULAR_OPS)
def test_other_ops(op: Any, dtype: str) -> None:
    x = variable(dtype, "x")
    results = {
        "Sum": x.sum(axis=0),
        "DimShuffle": x.dimshuffle(1, "x", 0),
        "Dot": at.dot(x, x.T),
        "Reshape": x.reshape((1, -1)),
        "Subtensor": x[0, 1:],
        "Softmax": special.softmax(x, axis=1),
        "LogSoftmax": special.log_softmax(x, axis=-1),
        "Alloc": at.alloc(x, 2, 3, 4),
    }
    y = results[op.__name__]
    assert type(y.owner.op) is op
    assert_known(at.tanh(y), [x])


def test_two_dtypes_need_a_look() -> None:
    x, y = variable("float32", "x"), variable("float64", "y")
    path, _, _ = closed_path([(x * y).sum()], [x])
    assert not gradients_are_like_variables(path)
    for cost in ((x * y).sum(), (x + y).sum(), at.exp(x).sum() * y.sum()):
        assert kanrewrite.grad(cost, x).type == eager_grad(cost, x).type


def test_what_is_known_and_what_is_not() -> None:
    x = variable("float64", "x")
    path, _, _ = closed_path([at.exp(x).sum()], [x])
    assert gradients_are_like_variables(path)
    path, _, _ = closed_path([kanrewrite.grad(at.exp(x).sum(), x).sum()], [x])
    assert gradients_are_like_variables(path)
    path, _, _ = closed_path([x.prod()], [x])
    assert not gradients_are_like_variables(path)
