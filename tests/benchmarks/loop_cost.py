"""What compiling loops costs in which there is no softmax, with the library and without.

``python -m tests.benchmarks.loop_cost`` prints the table of ``docs/benchmarks-loops-compile.md``.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from statistics import median
from time import process_time
from typing import Any

import aesara
import aesara.tensor as at

import kanrewrite
from tests.benchmarks.compile_cost import MODE

Model = tuple[list[Any], Any, Any]


def recurrent() -> Model:
    x, w, h = at.dmatrix("x"), at.dmatrix("w"), at.dvector("h")
    out, _ = aesara.scan(lambda r, h, w: at.tanh(r + at.dot(h, w)), [x], [h], [w])
    return [x, w, h], at.square(out).sum(), w


def powers() -> Model:
    n, a = at.iscalar("n"), at.dvector("a")
    out, _ = aesara.scan(lambda p, a: p * a, None, [at.ones_like(a)], [a], n_steps=n)
    return [n, a], out[-1].sum(), a


def averages() -> Model:
    x: Any = at.dmatrix("x")
    a = at.dscalar("a")
    out, _ = aesara.scan(lambda r, s, a: a * s + (1 - a) * r, [x], [at.zeros_like(x[0])], [a])
    return [x, a], at.square(out).mean(), a


def two_back() -> Model:
    x = at.dvector("x")
    info = {"initial": x, "taps": [-2, -1]}
    out, _ = aesara.scan(lambda r, a, b: r + 0.5 * a + at.sin(b), [at.arange(5.0)], [info])
    return [x], out.sum(), x


def gated() -> Model:
    x, w, u = at.dmatrices("xwu")

    def step(r: Any, h: Any, w: Any, u: Any) -> Any:
        z = at.sigmoid(r + at.dot(h, w))
        return z * h + (1 - z) * at.tanh(r + at.dot(z * h, u))

    out, _ = aesara.scan(step, [x], [at.zeros_like(x[0])], [w, u])
    return [x, w, u], at.square(out).sum(), w


LOOPS: dict[str, Callable[[], Model]] = {
    "recurrent net": recurrent,
    "powers": powers,
    "moving average": averages,
    "two states back": two_back,
    "gated unit": gated,
}


def compiled(name: str, gradient: bool, library: bool) -> tuple[Any, float]:
    """A loop's function, and the CPU time of its compilation in seconds."""
    with kanrewrite.disabled():
        if library:
            kanrewrite.enable()
        inputs, cost, wrt = LOOPS[name]()
        outputs = [cost, aesara.grad(cost, wrt)] if gradient else [cost]
        gc.collect()
        start = process_time()
        function = aesara.function(inputs, outputs, mode=MODE)
        return function, process_time() - start


def pairs(name: str, gradient: bool, times: int) -> list[list[float]]:
    """Times without the library and with it, in turns, each pair after the other order."""
    found = []
    for n in range(times + 1):
        order = (False, True) if n % 2 else (True, False)
        timed = {on: compiled(name, gradient, on)[1] for on in order}
        found.append([timed[False], timed[True]])
    return found[1:]


def table(times: int = 9) -> Iterator[str]:
    """The rows of the table."""
    yield "| loop | stock, ms | library, ms | ratio |"
    yield "| --- | ---: | ---: | ---: |"
    for name in LOOPS:
        for gradient in (False, True):
            found = pairs(name, gradient, times)
            stock, library = (1e3 * median(column) for column in zip(*found, strict=True))
            ratio = median(b / a for a, b in found)
            what = f"{name}, with its gradient" if gradient else name
            yield f"| {what} | {stock:.0f} | {library:.0f} | {ratio:.2f} |"


if __name__ == "__main__":
    for row in table():
        print(row, flush=True)
