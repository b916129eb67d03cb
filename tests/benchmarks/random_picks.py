"""Losses of what random indices take of shares, against stock Aesara and high precision.

``python -m tests.benchmarks.random_picks SEED COUNT [--loss NAME]``

Each program takes elements of a softmax along some axis of a matrix or of a stack, by lists,
numbers and slices, of all of it or of rows that were taken before, and has a value, a gradient and
a Hessian product.  Shown is what raises or differs from stock with logits of 1, and what has no
seven digits, relative to the largest element, with logits of 12 and 40: ``LAW`` where stock is a
hundred times better, ``silent`` where stock says that it does not know.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import aesara
import aesara.tensor as at
import numpy as np

from kanrewrite.reference import evaluate
from tests.view.common import function, stock

LISTS: list[Any] = [at.lvector(name) for name in "ijy"]
PLACES = [np.array([0, 2, 0]), np.array([1, 1, 2]), np.array([2, 0, 2])]
SHAPE = (4, 5, 3)
LOSSES: dict[str, Callable[[Any], Any]] = {
    "not": lambda q: -at.log(1 - q),
    "odds": lambda q: at.log(q) - at.log(1 - q),
    "label": lambda q: -at.log(q),
    "square": lambda q: q**2,
    "root": lambda q: at.sqrt(1 - q),
    "entropy": lambda q: q * at.log(q),
    "not both": lambda q: -at.log(1 - q**2),
}


class Program(NamedTuple):
    """A loss with its derivatives, its inputs, and what it is in words."""

    outputs: list[Any]
    inputs: list[Any]
    words: str


def _entry(axis: int, random: np.random.Generator) -> tuple[Any, str]:
    kind = random.choice(["list", "list", "count", "number", "last", "slice", "constant"])
    ends = [(1, None), (None, -1), (None, None), (0, 3)][random.integers(4)]
    known = np.array([[0, 2, 1], [1, 1, 0], [-1, 0, 2]][random.integers(3)])
    entries: dict[str, Any] = {
        "list": LISTS[axis], "count": at.arange(LISTS[2].shape[0]), "last": -1,
        "number": int(random.integers(3)), "slice": slice(*ends), "constant": known,
    }  # fmt: skip
    shown = entries[kind] if kind in ("number", "slice", "constant") else kind
    return entries[kind], str(shown)


def program(seed: int, losses: Sequence[str] = tuple(LOSSES)) -> Program:
    """A random program; an index may be out of range or of lists that do not match."""
    random = np.random.default_rng(seed)
    ndim = int(random.choice([2, 2, 3]))
    axis = int(random.integers(ndim)) if random.random() < 0.5 else ndim - 1
    z: Any = at.TensorType("float64", shape=(None,) * ndim)("z")
    direction: Any = z.type("direction")

    def share(logits: Any) -> Any:
        e = at.exp(logits)
        return e / e.sum(axis=axis, keepdims=True)

    ways = {
        "all": share(z), "rows": share(z)[LISTS[0]], "slice": share(z)[:3],
        "rows of logits": share(z[LISTS[0]]),
    }  # fmt: skip
    way = random.choice(list(ways))
    entries, words = zip(*(_entry(d, random) for d in range(ndim)), strict=True)
    name = str(random.choice(list(losses)))
    loss = LOSSES[name](ways[way][entries]).sum()
    if random.random() < 0.3:
        loss = loss - at.log(1 - share(z)[(np.array([0, 1]),) * ndim]).sum()
    slope = aesara.grad(loss, z)
    product = aesara.grad((slope * direction).sum(), z)
    text = f"{name} of {way} along {axis} of {ndim}: [{', '.join(words)}]"
    return Program([loss, slope, product], [z, direction, *LISTS], text)


def _values(seed: int, ndim: int, scale: float) -> list[Any]:
    random = np.random.default_rng(seed)
    shape = SHAPE[:ndim]
    return [random.normal(size=shape) * scale, random.normal(size=shape), *PLACES]


def _apart(found: Any, truth: Any) -> float:
    top = max(float(np.abs(truth).max(initial=0)), 1e-14)
    return float(np.abs(found - truth).max(initial=0)) / top


def judged(seed: int, losses: Sequence[str] = tuple(LOSSES)) -> Iterator[str]:
    """What is wrong with a program, in words."""
    try:
        made = program(seed, losses)
        theirs = stock(made.inputs, made.outputs)
        expected = theirs(*_values(seed, made.inputs[0].ndim, 1.0))
    except Exception:  # noqa: BLE001  # no program
        return
    try:
        ours = function(made.inputs, made.outputs)
        found = ours(*_values(seed, made.inputs[0].ndim, 1.0))
    except Exception as error:  # noqa: BLE001
        yield f"RAISES {type(error).__name__}: {made.words}"
        return
    for kind, a, b in zip(("value", "slope", "product"), found, expected, strict=True):
        if not _apart(a, b) < 1e-9:
            yield f"WRONG {kind} {_apart(a, b):.0e}: {made.words}"
    for scale in (12.0, 40.0):
        values = _values(seed, made.inputs[0].ndim, scale)
        truths = evaluate(made.outputs, dict(zip(made.inputs, values, strict=True)))
        results = zip(("value", "slope", "product"), ours(*values), theirs(*values), strict=True)
        for (kind, a, b), truth in zip(results, truths, strict=True):
            mine, other = (_apart(x, np.vectorize(float)(truth)) for x in (a, b))
            if not mine < 1e-7:
                silent = np.isfinite(mine) and not np.isfinite(other)
                mark = (
                    "LAW"
                    if np.isfinite(other) and not mine <= 100 * other
                    else "silent"
                    if silent
                    else ""
                )
                yield f"{scale:3g} {kind:7} {mine:.0e} stock {other:.0e} {mark:6} {made.words}"


def main() -> None:
    """Print what is wrong with some programs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--loss", choices=LOSSES)
    options = parser.parse_args()
    losses = [options.loss] if options.loss else tuple(LOSSES)
    with np.errstate(all="ignore"):
        for seed in range(options.seed, options.seed + options.count):
            for line in judged(seed, losses):
                print(seed, line, flush=True)


if __name__ == "__main__":
    main()
