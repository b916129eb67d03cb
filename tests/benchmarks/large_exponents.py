"""Slopes and Hessian products of sums of exponentials, where exponents are large.

``python -m tests.benchmarks.large_exponents SEED COUNT`` draws so many functions of three scalars,
logs and shares of sums of exponentials of their integer multiples, and prints where stock Aesara
is right at numbers up to 1e9 and the library is not: by 1e-11, and eight times as far.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode

from kanrewrite import registry
from kanrewrite.reference import evaluate, round_to

MODE = Mode(linker="py", optimizer="fast_run").excluding("fusion", "inplace")
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
    total: Any = number + sum(weight * exponential(multiples) for weight, multiples in terms)
    value: Any = {
        "l": lambda: slope * inputs[1] - at.log(total),
        "s": lambda: exponential(terms[0][1]) / total,
        "2": lambda: at.log(1 + total) - at.log(total) + slope * inputs[0],
    }[kind]()
    slopes: Any = aesara.grad(value, inputs, disconnected_inputs="ignore")
    product: Any = aesara.grad(slopes[1] + 2 * slopes[0], inputs[:2], disconnected_inputs="ignore")
    return inputs, [value, *slopes, *product], f"{kind} {number} {terms} {slope}"


def main(seed: int, count: int) -> None:
    """Print where the library is worse."""
    rng, worse = random.Random(seed), 0
    for _ in range(count):
        inputs, outputs, text = drawn(rng)
        with registry.disabled():
            stock, ours = (
                aesara.function(inputs, outputs, mode=MODE, on_unused_input="ignore")
                for begin in (registry.disable, registry.enable)
                if begin() is None
            )
        for point in POINTS:
            exact = evaluate(outputs, dict(zip(inputs, map(np.float64, point), strict=True)))
            results = zip(stock(*point), ours(*point), exact, strict=True)
            for n, (theirs, mine, right) in enumerate(results):
                truth = float(round_to(right, "float64"))
                size = abs(truth) + 1e-300
                lost, before = abs(float(mine) - truth) / size, abs(float(theirs) - truth) / size
                if np.isfinite(truth) and before < RIGHT and not lost <= 8 * before + 1e-11:
                    worse += 1
                    print(text, point, f"output {n}: {theirs}, {mine} for {truth}")
    print(f"{count} functions, {len(POINTS)} points each: {worse} results worse than stock's")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    main(int(sys.argv[1]), int(sys.argv[2]))
