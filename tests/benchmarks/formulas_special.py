"""Where formulas are worse with the family ``accuracy`` than without, input by input.

``python -m tests.benchmarks.formulas_special --dtype float32`` calls every formula at zeros,
infinities, nan, the ends of the range, powers of two, ties, what is near to each other, and
everyday numbers, and prints each input at which stock is right, or not a number, and the library
with the family is something else.  The truth, where the two differ, is `kanrewrite.reference`.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import aesara
import aesara.tensor as at
import numpy as np

from kanrewrite import registry
from kanrewrite.reference import evaluate, round_to
from tests.benchmarks.formulas import COMPILED, FORMULAS, exact
from tests.benchmarks.formulas_common import Formula

Array = np.ndarray[Any, Any]
#: How many bits stock may lose and still be called right, and how many more ours may lose then.
RIGHT, WORSE = 8.0, 3.0


class Worse(NamedTuple):
    """An input at which stock is right and the family is not."""

    formula: str
    inputs: tuple[float, ...]
    stock: float
    family: float
    truth: float


def specials(dtype: str) -> Array:
    """Numbers at which something is special."""
    kinds = np.finfo(dtype)
    ends = (kinds.tiny, kinds.smallest_subnormal, kinds.max, 1 + kinds.eps, 1 - kinds.eps / 2)
    sizes = (0, 1, 2, 0.5, 3, 0.25, 100, 1e-5, 0.3, 1.7, np.inf, np.nan, *ends)
    return np.array([sign * float(size) for size in sizes for sign in (1, -1)], dtype)


def inputs_of(formula: Formula, dtype: str) -> Array:
    """Special inputs, some of them with everyday ones, ties, and near ones; one row an argument."""
    count, rng, special = len(formula.arguments), np.random.default_rng(7), specials(dtype)
    everyday = np.array([1.0, 2.0, 3.0, 0.5, 100.0, 0.3, 1.7])
    if count <= 2:
        rows = [np.array(row) for row in itertools.product(special, repeat=count)]
    else:
        rows = [rng.choice(special, count) for _ in range(120)]
        rows += [np.full(count, value) for value in special]
        for _ in range(200):
            mixed = rng.random(count) < 0.4
            rows.append(np.where(mixed, rng.choice(special, count), rng.choice(everyday, count)))
    rows += [rng.uniform(0.1, 4, count) for _ in range(40)]
    rows += [rng.normal(size=count) * 10 for _ in range(40)]
    for spread in (1e-3, 1e-6):
        rows += [rng.uniform(0.1, 4) * (1 + rng.normal(size=count) * spread) for _ in range(20)]
    rows += [2.0 ** rng.integers(-30, 30, size=count) for _ in range(40)]
    rows += [np.exp2(rng.uniform(-1, 1, count) * np.finfo(dtype).maxexp) for _ in range(40)]
    with np.errstate(over="ignore"):
        return np.array(rows).astype(dtype).T


def lost(result: Array, truth: Array) -> Array:
    """The logarithm of how many floats lie between; 64 where only one is a number."""
    kind: Any = {8: np.int64, 4: np.int32}[result.itemsize]

    def ordinal(x: Array) -> Array:
        bits = x.view(kind)
        return np.where(bits < 0, np.iinfo(kind).min - bits, bits).astype(np.longdouble)

    apart = np.log2(np.abs(ordinal(result) - ordinal(truth)) + 1).astype(float)
    neither = np.isnan(result) & np.isnan(truth)
    return np.where(neither, 0.0, np.where(np.isnan(result) | np.isnan(truth), 64.0, apart))


def is_worse(inputs: Array, stock: Array, ours: Array, truth: Array) -> bool:
    """Whether ours is wrong and stock is not, at one input; what is exact may be unknown (nan)."""
    if np.isnan(inputs).any():  # whatever becomes of it in stock
        return bool(lost(ours, stock)[0] > RIGHT)
    if np.isnan(stock).any():  # ours may be a limit
        return False
    if np.isnan(truth).any():  # unless it is no number by right
        return not np.isfinite(inputs).all()
    loss, more = lost(stock, truth)[0], lost(ours, truth)[0]
    return bool(loss <= RIGHT and more > loss + WORSE)


def worse(formula: Formula, dtype: str) -> Iterator[Worse]:
    """The inputs at which a formula is worse with the family than stock."""
    values = inputs_of(formula, dtype)
    inputs = [at.vector(name, dtype=dtype) for name in formula.arguments]
    out = formula.build(*inputs)

    def called(*families: str) -> Array:
        with registry.disabled(), np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for family in families:
                registry.enable(family) if family else registry.enable()
            function = aesara.function(inputs, out, mode=COMPILED, on_unused_input="ignore")
            return np.asarray(function(*values)).astype(dtype)

    stock, ours = called(), called("", "accuracy")
    for k in np.flatnonzero(lost(ours, stock) > WORSE):
        at_one = [row[[k]] for row in values]
        try:
            value = evaluate([out], dict(zip(inputs, at_one, strict=True)))[0]
            truth = np.asarray(round_to(value, dtype))
        except Exception:  # noqa: BLE001  # the reference has no value where a function has none
            truth = np.array([np.nan], dtype)
        point = tuple(float(v) for v in values[:, k])
        # A float near a right angle stands for one.
        by_number = np.array([exact(formula, point)]).astype(dtype)
        if all(is_worse(values[:, k], stock[[k]], ours[[k]], t) for t in (truth, by_number)):
            yield Worse(formula.name, point, stock[k], ours[k], float(np.ravel(truth)[0]))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what is worse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dtype", default="float64", choices=("float64", "float32"))
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="of how many formulas one is taken")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--most", type=int, default=3, help="inputs shown of each formula")
    chosen = parser.parse_args(arguments)
    formulas = [f for f in FORMULAS if chosen.only in f.name][chosen.start :: chosen.every]
    begin, inputs, bad = perf_counter(), 0, 0
    for formula in formulas:
        found = list(worse(formula, chosen.dtype))
        inputs, bad = inputs + len(found), bad + bool(found)
        for one in found[: chosen.most]:
            print(*one, f"({len(found)} inputs)", flush=True)
    seconds = perf_counter() - begin
    print(f"{len(formulas)} formulas, worse are {bad}, at {inputs} inputs, {seconds:.0f} s")


if __name__ == "__main__":
    main()
