"""Slopes and Hessian products of sums of exponentials, where exponents are large.

``python -m tests.benchmarks.large_exponents SEED COUNT`` draws so many functions of three scalars,
logs and shares of sums of exponentials of their integer multiples, and prints where stock Aesara
is right at numbers up to 1e9 and the library is not: by 1e-11, and eight times as far.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tests.view.common import PLAIN, at, function, grad, stock, truth

POINTS = (
    (1e8, 0.3, -0.7), (-1e8, 0.3, -0.7), (0.3, -0.7, 1e9), (0.4, 1e7, 0.2), (0.3, 0.7, -0.2),
    (40.0, -35.0, 2.0), (1e8, 1e8 + 1, 0.5),
)  # fmt: skip
#: How far stock may be from the truth and still be called right.
RIGHT = 1e-9
MULTIPLES = (-3, -2, -1, -1, 0, 0, 1, 1, 2, 3)


def drawn(rng: random.Random) -> tuple[list[Any], list[Any], str]:
    """Three scalars, a function of them with slopes and a Hessian product, and its text."""
    inputs = list(at.dscalars("x", "y", "z"))

    def exponential(multiples: Sequence[int]) -> Any:
        return at.exp(sum(c * v for c, v in zip(multiples, inputs, strict=True)))

    terms = [
        (rng.choice((1, 1, 1, 2, 0.5)), [rng.choice(MULTIPLES) for _ in inputs])
        for _ in range(rng.choice((2, 2, 3)))
    ]
    number, kind, slope = rng.choice((1, 1, 0, 2)), rng.choice("lls2"), rng.choice((1, 2, 3, 0.5))
    total = number + sum(weight * exponential(multiples) for weight, multiples in terms)
    value = {
        "l": lambda: slope * inputs[1] - at.log(total),
        "s": lambda: exponential(terms[0][1]) / total,
        "2": lambda: at.log(1 + total) - at.log(total) + slope * inputs[0],
    }[kind]()
    slopes = grad(value, inputs, disconnected_inputs="ignore")
    product = grad(slopes[1] + 2 * slopes[0], inputs[:2], disconnected_inputs="ignore")
    return inputs, [value, *slopes, *product], f"{kind} {number} {terms} {slope}"


def worse(inputs: list[Any], outputs: list[Any]) -> Iterator[str]:
    """The points and results at which the library is worse than stock."""
    theirs, ours = stock(inputs, outputs, PLAIN), function(inputs, outputs, PLAIN)
    for point in POINTS:
        right = truth(outputs, inputs, list(map(np.float64, point)))
        for n, (a, b, exact) in enumerate(zip(theirs(*point), ours(*point), right, strict=True)):
            size = abs(exact) + 1e-300
            before, lost = abs(a - exact) / size, abs(b - exact) / size
            if np.isfinite(exact) and before < RIGHT and not lost <= 8 * before + 1e-11:
                yield f"{point} output {n}: {a}, {b} for {exact}"


def main(seed: int, count: int) -> None:
    """Print where the library is worse."""
    rng, total = random.Random(seed), 0
    for _ in range(count):
        inputs, outputs, text = drawn(rng)
        for found in worse(inputs, outputs):
            total += 1
            print(text, found)
    print(f"{count} functions, {len(POINTS)} points each: {total} results worse than stock's")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    main(int(sys.argv[1]), int(sys.argv[2]))
