"""How a stranger's relation is stated, with spellings of it, and what only looks like it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import aesara
import aesara.tensor
import aesara.tensor.nlinalg
import aesara.tensor.slinalg
import numpy as np
from aesara.graph.basic import Apply
from aesara.graph.op import Op
from aesara.tensor.elemwise import Elemwise

from kanrewrite import Eq, relation
from kanrewrite.relation import Relation

#: Aesara annotates a part of itself, and that part too narrowly.
at: Any = aesara.tensor
scalar: Any = aesara.scalar
linalg: Any = aesara.tensor.nlinalg
solvers: Any = aesara.tensor.slinalg

X, Y, Z, W = at.vectors("xyzw")
A, B, C, D = at.matrices("abcd")
F, G = at.fvectors("fg")
K, L, N = at.ivectors("kln")
P, Q, R = (at.TensorType("bool", (None,))(name) for name in "pqr")
S3, T3, U3 = at.tensor3s("s3", "t3", "u3")

Graph = Any
Build = Callable[..., Graph]


class Stranger(NamedTuple):
    """A relation, spellings of its left side, graphs that only look like it, and its inputs.

    ``domain`` says what is drawn for the inputs: "real" (with zeros and ties), "positive", "unit"
    (between 0 and 1) or "matrix" (well conditioned).
    """

    relation: Relation
    spellings: list[Graph]
    others: list[Graph]
    domain: str


STRANGERS: list[Stranger] = []


def stranger(
    spellings: Sequence[Graph], others: Sequence[Graph] = (), domain: str = "real"
) -> Callable[[Callable[..., Iterator[Eq]]], Relation]:
    """State a relation with what it is tried on."""

    def add(function: Callable[..., Iterator[Eq]]) -> Relation:
        made: Relation = relation(function)
        STRANGERS.append(Stranger(made, list(spellings), list(others), domain))
        return made

    return add


def around(build: Build, *, also: bool = True) -> list[Graph]:
    """An elementwise formula of one float, in what may stand around and inside it."""
    plain = [
        build(X), -3 * build(X), Y * build(X) / Z, Y - 2 * build(X), build(X * Y), build(A.T),
        at.dot(build(A), B), build(A).sum(axis=-1, keepdims=True), build(X)[1:],
        aesara.grad((build(X) * build(X) * Y).sum(), Y), build(F),
    ]  # fmt: skip
    return plain if also else plain[:6]


def around_two(build: Build) -> list[Graph]:
    """The same of two operands, which may be of different shapes."""
    return [
        build(X, Y), 2 * build(X, Y), Z / 3 * build(X, Y), 1 - build(Y, X), build(X + Z, 2 * Y),
        build(A, B.T), build(A, X), build(A, B).mean(axis=0), build(F, G),
        at.dot(build(A, B), C), build(A, B)[:, 0],
    ]  # fmt: skip


def reduced(build: Build) -> list[Graph]:
    """A formula of a matrix and axes, by all the ways to name these."""
    return [
        build(A, axis=1), build(A, axis=-1), build(A, axis=0), build(A, axis=(0, 1)),
        build(A, axis=1, keepdims=True), 3 * build(A * B, axis=0), build(S3, axis=(0, -1)),
        build(A.T, axis=1), X * build(A, axis=0) - Y, build(S3, axis=-2, keepdims=True).sum(),
    ]  # fmt: skip


def elementwise(formula: Callable[..., Any], arity: int = 1) -> Any:
    """An elementwise Op of one's own that computes a formula of scalars."""
    inputs = [scalar.float64(f"i{n}") for n in range(arity)]
    return Elemwise(scalar.Composite(inputs, [formula(*inputs)]))


class Own(Op):
    """An Op of one's own by what numpy computes: of a tensor along axes."""

    __props__: tuple[str, ...] = ("axis",)

    def __init__(self, axis: Any = None):
        self.axis = axis

    def of(self, *values: Any) -> Any:
        raise NotImplementedError

    def kind(self, *inputs: Any) -> Any:
        """The type of the result: that of what is reduced."""
        return at.sum(inputs[0], axis=self.axis).type

    def make_node(self, *inputs: Any) -> Any:
        tensors = [at.as_tensor_variable(x) for x in inputs]
        return Apply(self, tensors, [self.kind(*tensors)()])

    def perform(self, node: Any, inputs: Any, output_storage: Any, params: Any = None) -> None:
        dtype = node.outputs[0].type.dtype
        output_storage[0][0] = np.asarray(self.of(*inputs), dtype)


class Whole(Own):
    """The same of whole tensors, without parameters."""

    __props__ = ()

    def __init__(self) -> None:
        super().__init__()
