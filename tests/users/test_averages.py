"""Relations about averages and norms, where graphs have roots, inverses and sizes of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from aesara.tensor.nlinalg import MatrixInverse, matrix_inverse
from aesara.tensor.slinalg import Solve

from kanrewrite import Axis, Eq, Float, T, eq, relation
from kanrewrite.guards.lengths import is_size
from kanrewrite.relation import Relation
from tests.benchmarks.strangers.common import Own
from tests.users import common
from tests.users.common import at, canonical, is_told_to_fire, rewritten, same

A, B = at.matrices("ab")
X, Y = at.vectors("xy")
D = at.tensor3("d")
KEPT: Any = {"keepdims": True}
CASES: list[Any] = []
POSITIVE: list[Any] = []
spelled = partial(common.spelled, CASES)
spelled_of_positive = partial(common.spelled, POSITIVE)


def _mean_of_squares(x: Any, axis: int = 1, **kept: Any) -> Any:
    return (x**2).mean(axis=axis, **kept)


class RootOfSquares(Own):
    """The root of the mean of squares, as somebody has it."""

    def of(self, *values: Any) -> Any:
        return np.sqrt((values[0] ** 2).mean(axis=self.axis))


@spelled(
    at.sqrt(_mean_of_squares(A)), _mean_of_squares(A) ** 0.5, _mean_of_squares(A) ** -0.5,
    at.sqrt(1 / _mean_of_squares(A)), A * _mean_of_squares(A, **KEPT) ** -0.5,
    A / at.sqrt(_mean_of_squares(A, **KEPT)), at.sqrt(at.dot(X, X) / X.shape[0]),
    X.norm(2) / at.sqrt(X.shape[0]), X.norm(2) / X.shape[0] ** 0.5,
    at.sqrt((A**2).sum(axis=1)) / at.sqrt(A.shape[1]), at.sqrt(_mean_of_squares(2 * A, 0)),
    at.log(at.sqrt(_mean_of_squares(A))), at.sqrt((D**2).mean(axis=(1, 2))),
    at.exp(0.5 * at.log(_mean_of_squares(A))),
)  # fmt: skip
def root_of_squares(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sqrt(T.mean(T.sqr(x), axis)), T.of(RootOfSquares)(x, axis=axis))


class SizeOfMean(Own):
    """The absolute value of a mean, which Aesara divides by that of the length."""

    def of(self, *values: Any) -> Any:
        return abs(values[0].mean(axis=self.axis))


@spelled(
    abs(A.mean(axis=1)), abs(A.mean(axis=0)), abs(A.sum(axis=1) / A.shape[1]),
    abs(A.sum(axis=1)) / A.shape[1], abs(X.mean()), 3 * abs(A.mean(axis=1)),
    abs(A.mean(axis=1, **KEPT)) * B,
)  # fmt: skip
def size_of_mean(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.abs(T.mean(x, axis)), T.of(SizeOfMean)(x, axis=axis))


class CubicNorm(Own):
    """The norm of the third power."""

    def of(self, *values: Any) -> Any:
        return (abs(values[0]) ** 3).sum(axis=self.axis) ** (1 / 3)


@spelled(
    (abs(A) ** 3).sum(axis=1) ** (1 / 3), A.norm(3, axis=1), (abs(A**3)).sum(axis=0) ** (1 / 3),
    A / (abs(A) ** 3).sum(axis=1, **KEPT) ** (1 / 3),
)  # fmt: skip
def cubic_norm(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(T.abs(x) ** 3, axis) ** (1 / 3), T.of(CubicNorm)(x, axis=axis))


class SquaredError(Own):
    """The mean of squared differences."""

    def of(self, *values: Any) -> Any:
        x, y = values
        return ((x - y) ** 2).mean(axis=self.axis)


@spelled(
    ((A - B) ** 2).mean(axis=1), (abs(A - B) ** 2).mean(axis=1), ((A - X) ** 2).mean(axis=1),
    at.dot(X - Y, X - Y) / X.shape[0], at.log(1 / ((X - Y) ** 2).mean()),
    at.sqrt(((A - B) ** 2).mean(axis=1)), ((A - B) * (A - B)).mean(axis=0),
)  # fmt: skip
def squared_error(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.mean(T.sqr(x - y), axis), T.of(SquaredError)(x, y, axis=axis))


class Distance(Own):
    """The sum of squared differences."""

    def of(self, *values: Any) -> Any:
        x, y = values
        return ((x - y) ** 2).sum(axis=self.axis)


@spelled(at.dot(X - Y, X - Y), (X - Y).norm(2), ((A - B) ** 2).sum(axis=1), (A - B).norm(2, axis=1))
def distance(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(T.sqr(x - y), axis), T.of(Distance)(x, y, axis=axis))


class Cosine(Own):
    """The cosine of what is between rows."""

    def of(self, *values: Any) -> Any:
        inner, one, other = (
            (x * y).sum(axis=self.axis)
            for x, y in (values, (values[0], values[0]), (values[1], values[1]))
        )
        return inner / np.sqrt(one * other)


@spelled(
    at.dot(X, Y) / (X.norm(2) * Y.norm(2)), (A * B).sum(axis=1) / (A.norm(2, 1) * B.norm(2, 1)),
    (A / A.norm(2, 1)[:, None] * B / B.norm(2, 1)[:, None]).sum(axis=1),
    at.dot(X / X.norm(2), Y / Y.norm(2)), 1 - at.dot(X, Y) / at.sqrt(at.dot(X, X) * at.dot(Y, Y)),
)  # fmt: skip
def cosine(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(
        T.sum(x * y, axis) / (T.sqrt(T.sum(T.sqr(x), axis)) * T.sqrt(T.sum(T.sqr(y), axis))),
        T.of(Cosine)(x, y, axis=axis),
    )


class Average(Own):
    """A weighted mean, of a matrix by a vector too."""

    def of(self, *values: Any) -> Any:
        x, w = np.broadcast_arrays(*values)
        return (x * w).sum(axis=self.axis) / w.sum(axis=self.axis)


class LogOfMean(Own):
    """The log of the mean of exponentials."""

    def of(self, *values: Any) -> Any:
        return np.log(np.exp(values[0]).mean(axis=self.axis))


@spelled(
    at.log(at.exp(A).mean(axis=1)), at.log(at.exp(A).sum(axis=1)) - at.log(A.shape[1]),
    at.log(at.exp(X).mean()), -at.log(at.exp(-A).mean(axis=0)),
    at.log((at.exp(A) / A.shape[1]).sum(axis=1)),
)  # fmt: skip
def log_of_mean(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.log(T.mean(T.exp(x), axis)), T.of(LogOfMean)(x, axis=axis))


@spelled(
    at.sqrt(A**2 + B**2), (A**2 + B**2) ** -0.5, 1 / at.sqrt(A**2 + B**2), A / at.sqrt(A**2 + B**2)
)
def hypotenuse(x: Float, y: Float) -> Iterator[Eq]:
    low, high = T.minimum(T.abs(x), T.abs(y)), T.maximum(T.abs(x), T.abs(y))
    yield eq(T.sqrt(x**2 + y**2), high * T.sqrt(1 + (low / high) ** 2))


class Length(Own):
    """The length of vectors."""

    def of(self, *values: Any) -> Any:
        return np.sqrt((values[0] ** 2).sum(axis=self.axis))


@spelled(
    A / at.sqrt((A**2).sum(axis=1, **KEPT)), X / X.norm(2), X / at.sqrt(at.dot(X, X)),
    A / A.norm(2, axis=1)[:, None], A * (A**2).sum(axis=1, **KEPT) ** -0.5,
    at.dot(X / X.norm(2), Y),
)  # fmt: skip
def unit_vector(x: Float, axis: Axis) -> Iterator[Eq]:
    length = T.sqrt(T.sum(T.sqr(x), axis, keepdims=True))
    yield eq(x / length, x / T.undrop(T.of(Length)(x, axis=axis), axis))


@spelled(at.exp(-(A**2) / 2), 3 * at.exp(-0.5 * (A - B) ** 2))
def bell(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(-(x**2) / 2), T.exp(-(x**2)) ** 0.5)


@spelled(at.maximum(A, 0), -at.minimum(-A, 0), 3 * at.maximum(0, A - X))
def positive_part(x: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x, 0), x * T.gt(x, 0))


@spelled(
    at.dot(matrix_inverse(A), B), at.dot(at.dot(B, matrix_inverse(A)), X),
    2 * at.dot(matrix_inverse(A), X), at.dot(X, at.dot(matrix_inverse(A), Y)),
    at.dot(at.dot(B, matrix_inverse(A)), A + B),
)  # fmt: skip
def solved(x: Float, y: Float) -> Iterator[Eq]:
    solution = T.of(Solve)(x, y, assume_a="gen", lower=False, check_finite=True)
    yield eq(T.dot(T.of(MatrixInverse)(x), y), solution)


@spelled(at.maximum(A - B, 0), -at.minimum(B - A, 0), 3 * at.maximum(0, A - X))
def excess(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x - y, 0), (x - y) * T.gt(x, y))


@spelled_of_positive(
    (A * B).sum(axis=1) / B.sum(axis=1), at.dot(A, Y) / Y.sum(), at.dot(X, A) / X.sum(),
    (A * Y).sum(axis=1) / Y.sum(), (A * Y[:, None]).sum(axis=0) / Y.sum(), at.dot(X, Y) / Y.sum(),
    at.dot(Y / Y.sum(), X), (A * B).mean(axis=1) / B.mean(axis=1),
)  # fmt: skip
def average(x: Float, w: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(x * w, axis) / T.sum(w, axis), T.of(Average)(x, w, axis=axis))


class GeometricMean(Own):
    """The mean of the logs, out of its log."""

    def of(self, *values: Any) -> Any:
        return np.exp(np.log(values[0]).mean(axis=self.axis))


@spelled_of_positive(
    at.exp(at.log(A).mean(axis=1)), at.exp(-at.log(A).mean(axis=1)),
    at.exp((-at.log(A)).mean(axis=1)), 1 / at.exp(at.log(A).mean(axis=0)),
    at.exp(at.log(A).mean(axis=1, **KEPT)) - B,
)  # fmt: skip
def geometric_mean(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(T.mean(T.log(x), axis)), T.of(GeometricMean)(x, axis=axis))


@pytest.mark.spared
@pytest.mark.parametrize(("stated", "graph"), CASES)
def test_it_fires_and_keeps_the_value(stated: Relation, graph: Any) -> None:
    is_told_to_fire(stated, graph)


@pytest.mark.spared
@pytest.mark.parametrize(("stated", "graph"), POSITIVE)
def test_it_does_so_where_all_are_positive(stated: Relation, graph: Any) -> None:
    is_told_to_fire(stated, graph, positive=True)


@pytest.mark.spared
@pytest.mark.parametrize(
    ("stated", "graph"),
    [
        (root_of_squares, at.sqrt(at.dot(X, X) / Y.shape[0])),
        (root_of_squares, at.sqrt((A**2).sum(axis=1) / A.shape[0])),
        (root_of_squares, at.sqrt(at.dot(X, X) / 7)),
        (size_of_mean, abs(A.sum(axis=1) / A.shape[0])),
        (size_of_mean, A.mean(axis=1)),
        (cubic_norm, (A**3).sum(axis=1) ** (1 / 3)),
        (squared_error, at.dot(X - Y, X + Y) / X.shape[0]),
        (log_of_mean, at.log(at.exp(A).sum(axis=1)) - at.log(A.shape[0])),
        (log_of_mean, at.log(at.exp(A).sum(axis=1)) + at.log(A.shape[1])),
        (average, at.dot(A, Y) / X.sum()),
        (average, (A * Y).sum(axis=0) / Y.sum()),
        (excess, at.minimum(A - B, 1)),
        (bell, at.exp(A**2 / 2)),
        (geometric_mean, at.exp(at.log(A).sum(axis=1) / A.shape[0])),
    ],
)
def test_what_only_looks_like_it_stays(stated: Relation, graph: Any) -> None:
    graph = canonical(graph)
    assert same(rewritten(graph, stated), graph)


def test_a_vector_has_no_matrix_to_its_left() -> None:
    """``(z @ v) @ y`` is not ``z @ (v @ y)``, though v is made of a matrix."""

    @relation
    def stated(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.dot(T.sum(T.exp(x), 0), y), T.sum(y, 0))

    totals = at.exp(A).sum(axis=0)
    for graph, found in (
        (at.dot(at.dot(B, totals), A), False),
        (at.dot(totals, at.dot(A, B)), True),
    ):
        written = canonical(graph)
        assert same(rewritten(written, stated), written) is not found


@pytest.mark.parametrize(
    ("length", "known"),
    [
        (A.shape[1], True),
        (at.cast(A.shape[0] * A.shape[1], "float64"), True),
        (abs(A.shape[0]), True),
        (A.shape[0] - 1, False),
        (at.iscalar("n"), False),
        (-A.shape[0], False),
    ],
)
def test_lengths_are_told_from_other_numbers(length: Any, known: bool) -> None:
    assert is_size(length) is known


def test_a_root_of_a_length_is_compiled() -> None:
    """It has no operand that is a float, of which the pass asked whether it is in range."""
    for graph in (X.norm(2) / at.sqrt(X.shape[0]), at.exp(X).sum() / X.shape[0] ** 0.5):
        rewritten(canonical(graph), size_of_mean)  # a warning is an error
