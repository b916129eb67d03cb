"""What unruly relations of users cost: opposed, growing, slow ones, alone and beside the library.

Run ``python -m tests.benchmarks.unruly``: each compilation is to end within a second of processor
time more than it takes without them, and to name those that were stopped.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from time import process_time
from typing import Any

import aesara.tensor
import numpy as np

from kanrewrite import Eq, Float, Guard, T, eq, registry, relation
from kanrewrite.errors import RelationWarning
from kanrewrite.relation import Relation

at: Any = aesara.tensor


def _sleeps(value: Any) -> bool:
    time.sleep(0.3)
    return value is not None


def _spins(value: Any) -> bool:
    while value is not None:
        pass
    return True


@relation
def as_cosine(x: Float) -> Iterator[Eq]:
    yield eq(T.sin(x), T.cos(x - np.pi / 2))


@relation
def as_sine(x: Float) -> Iterator[Eq]:
    yield eq(T.cos(x), T.sin(x + np.pi / 2))


@relation
def grouped_left(x: Float, y: Float, z: Float) -> Iterator[Eq]:
    yield eq(T.arctan2(x, T.arctan2(y, z)), T.arctan2(T.arctan2(x, y), z))


@relation
def grouped_right(x: Float, y: Float, z: Float) -> Iterator[Eq]:
    yield eq(T.arctan2(T.arctan2(x, y), z), T.arctan2(x, T.arctan2(y, z)))


@relation
def holds_itself(x: Float) -> Iterator[Eq]:
    yield eq(T.sin(x), T.sin(x) + 0 * T.sin(x) * T.cos(x))


@relation
def doubles(x: Float) -> Iterator[Eq]:
    yield eq(T.tanh(x), T.tanh(x / 2) + T.tanh(x / 2))


@relation
def asks_a_sleeper(x: Float) -> Iterator[Eq]:
    yield eq(T.tanh(x), T.sinh(x) / T.cosh(x)).when(Guard("sleeps", _sleeps)(x))


@relation
def asks_without_end(x: Float) -> Iterator[Eq]:
    yield eq(T.tanh(x), T.sinh(x) / T.cosh(x)).when(Guard("spins", _spins)(x))


SETS = (
    (as_cosine, as_sine), (grouped_left, grouped_right), (holds_itself,), (doubles,),
    (asks_a_sleeper,), (asks_without_end,),
)  # fmt: skip


def _graph() -> Any:
    x, y = at.vectors("xy")
    terms = (at.tanh(x * k) * at.sin(y + k) * at.cos(x - k) for k in range(1, 12))
    return sum(terms) + at.arctan2(at.arctan2(x, y), at.arctan2(y, x))


def cost(relations: tuple[Relation, ...], beside: bool) -> tuple[float, list[str]]:
    """The processor time of a compilation, and what is reported."""
    with registry.disabled(), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", RelationWarning)
        registry.enable() if beside else registry.enable("softmax_quotient")
        for each in relations:
            registry.register(each)
        graph = _graph()
        registry.stabilize([graph.sum()])  # what is made once for all compilations is made
        told.clear()
        start = process_time()
        registry.stabilize([graph])
        seconds = process_time() - start
        for each in relations:
            registry.unregister(each)
    return seconds, [str(w.message) for w in told if issubclass(w.category, RelationWarning)]


def main() -> None:
    """Print what each set costs, and the reports."""
    for beside in (False, True):
        plain, _ = cost((), beside)
        for relations in SETS:
            seconds, reports = cost(relations, beside)
            names = ", ".join(r.name for r in relations)
            print(f"{names}{' beside the library' * beside}: {seconds:.2f} s, {plain:.2f} without")
            for report in reports:
                print(f"  {report[:150]}")


if __name__ == "__main__":
    main()
