"""How many bits formulas lose: as written, with Aesara, with the library, with ``accuracy``.

``python -m tests.benchmarks.formulas`` prints the means; ``--each`` adds a line for every formula,
``--alone`` what each relation of the family saves when it is the only one;
``--columns improve`` searches forms for ten seconds each; ``--every 4`` takes every fourth formula.

A formula's inputs are doubles drawn over all bit patterns, as Herbie draws them (P. Panchekha et
al., "Automatically improving accuracy for floating point expressions", PLDI 2015), where it is
asked and its value is a finite double.  The truth is mpmath's, in growing precision until two
values agree.
"""

from __future__ import annotations

import argparse
import json
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import aesara
import aesara.tensor as at
import mpmath
import numpy as np
from aesara.compile.mode import Mode
from aesara.graph.rewriting.db import RewriteDatabaseQuery

from kanrewrite import registry
from kanrewrite.improve import improve
from tests.benchmarks.formulas_common import Formula, written_in

#: Of kinds of cancellation, of programs and papers as they are found, and of what was missing.
FILES = (
    "formulas.txt",
    "formulas_more.txt",
    "formulas_suites.txt",
    "formulas_near.txt",
    "formulas_shapes.txt",
    "formulas_fresh.txt",
    "formulas_late.txt",
    "formulas_recalled.txt",
)
FORMULAS: tuple[Formula, ...] = tuple(
    formula for name in FILES for formula in written_in(Path(__file__).with_name(name))
)
POINTS = 64
WRITTEN = Mode("py", RewriteDatabaseQuery(include=[None]))
#: Loops are fused and memory is reused elsewhere: that takes time and changes no number.
COMPILED = Mode("py", "fast_run").excluding("fusion", "inplace")
PRECISIONS = (200, 1200, 4800)


class Sample(NamedTuple):
    """Inputs of a formula, one row an argument, and the rounded truth."""

    inputs: np.ndarray[Any, Any]
    truth: np.ndarray[Any, Any]


def exact(formula: Formula, values: Sequence[float]) -> float:
    """The value of a formula, rounded once; not a number where it has none."""
    before: Any = None
    for precision in PRECISIONS:
        with mpmath.workprec(precision):
            try:
                value: Any = formula.build(*(mpmath.mpf(v) for v in values))
            except (ZeroDivisionError, ValueError, OverflowError):
                return float("nan")
            if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value):
                return float("nan")
            rounded = float(value)
        # A difference is 0 in two precisions that are both too low.
        if rounded == before and (rounded or precision == PRECISIONS[-1]):
            return rounded
        before = rounded
    return float("nan")


def drawn(rng: np.random.Generator, rows: int, count: int) -> np.ndarray[Any, Any]:
    """Doubles of random bits."""
    bits = rng.integers(0, 2**64, size=(rows, count), dtype=np.uint64, endpoint=False)
    return bits.view(np.float64)


def sample(formula: Formula, points: int = POINTS, most: int = 8_192) -> Sample:
    """Inputs at which a formula has a finite value; the same at each call."""
    rng = np.random.default_rng(zlib.crc32(formula.name.encode()))
    found: list[tuple[float, ...]] = []
    truth: list[float] = []
    tried = 0
    while len(truth) < points and tried < most:
        batch = drawn(rng, len(formula.arguments), 256)
        tried += 256
        good = np.isfinite(batch).all(axis=0)
        if formula.where is not None:
            with np.errstate(all="ignore"):
                good &= formula.where(*batch)
        for values in batch[:, good].T:
            value = exact(formula, values)
            if np.isfinite(value):
                found.append(tuple(values))
                truth.append(value)
            if len(truth) == points:
                break
    return Sample(np.array(found).T.reshape(len(formula.arguments), -1), np.array(truth))


def ordinal(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The number of a double among the doubles in order, as a float that holds it nearly."""
    bits = x.view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits).astype(np.longdouble)


def bits_lost(result: np.ndarray[Any, Any], truth: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The logarithm of how many doubles lie between; 64 for what is no number."""
    apart = np.abs(ordinal(result) - ordinal(truth)) + 1
    return np.where(np.isnan(result), 64.0, np.log2(apart)).astype(float)


def graph_of(formula: Formula) -> tuple[list[Any], Any]:
    """A formula of vectors."""
    inputs = [at.dvector(name) for name in formula.arguments]
    return inputs, formula.build(*inputs)


def measured(formula: Formula, data: Sample, mode: Any) -> float:
    """The mean of the bits that a formula loses in a mode."""
    inputs, out = graph_of(formula)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = aesara.function(inputs, out, mode=mode, on_unused_input="ignore")(*data.inputs)
    return float(bits_lost(np.asarray(result), data.truth).mean())


def as_written(formula: Formula, data: Sample) -> float:
    """By numpy, operator by operator."""
    return measured(formula, data, WRITTEN)


def stock(formula: Formula, data: Sample) -> float:
    """By Aesara."""
    with registry.disabled():
        return measured(formula, data, COMPILED)


def library(formula: Formula, data: Sample) -> float:
    """By Aesara with the library."""
    with registry.disabled():
        registry.enable()
        return measured(formula, data, COMPILED)


def family(formula: Formula, data: Sample) -> float:
    """By Aesara with the library and the family ``accuracy``."""
    with registry.disabled():
        registry.enable()
        registry.enable("accuracy")
        return measured(formula, data, COMPILED)


def improved(formula: Formula, data: Sample) -> float:
    """By Aesara, of the best form that `improve` finds in ten seconds."""
    inputs = [at.dscalar(name) for name in formula.arguments]
    best = improve(formula.build(*inputs), seconds=10, progress=False).best()
    with registry.disabled(), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function = aesara.function(inputs, best.graph, mode=COMPILED, on_unused_input="ignore")
        result = np.array([function(*values) for values in data.inputs.T])
    return float(bits_lost(result, data.truth).mean())


def alone(formulas: Iterable[Formula], data: Mapping[str, Sample]) -> Iterator[tuple[float, str]]:
    """What each relation of the family saves, over all formulas, when it is the only one."""
    formulas = [f for f in formulas if data[f.name].truth.size]
    before = {f.name: stock(f, data[f.name]) for f in formulas}
    for relation in registry.relations():
        if relation.family != "accuracy":
            continue
        saved = 0.0
        for formula in formulas:
            with registry.disabled(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                registry.enable(relation.name)
                saved += before[formula.name] - measured(formula, data[formula.name], COMPILED)
        yield saved / len(formulas), relation.name


COLUMNS: dict[str, Callable[[Formula, Sample], float]] = {
    "written": as_written,
    "stock": stock,
    "library": library,
    "family": family,
    "improve": improved,
}


def samples(formulas: Iterable[Formula], cached: Path | None = None) -> dict[str, Sample]:
    """The samples of formulas; kept in a file, since the truth takes its time."""
    known: dict[str, Any] = {}
    if cached is not None and cached.exists():
        known = dict(np.load(cached))
    out, before = {}, len(known)
    for formula in formulas:
        key = formula.name
        if f"{key}:truth" not in known:
            data = sample(formula)
            known |= {f"{key}:inputs": data.inputs, f"{key}:truth": data.truth}
        out[key] = Sample(known[f"{key}:inputs"], known[f"{key}:truth"])
    if cached is not None and len(known) > before:
        np.savez(cached, **known)
    return out


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="of how many formulas one is taken")
    parser.add_argument("--columns", default=",".join(list(COLUMNS)[:-1]))
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    names = chosen.columns.split(",")
    formulas = [f for f in FORMULAS if chosen.only in f.name][:: chosen.every]
    data = samples(formulas, chosen.samples)
    if chosen.alone:
        for saved, name in sorted(alone(formulas, data), reverse=True):
            print(f"{saved:6.3f}  {name}", flush=True)
        return
    rows: dict[str, dict[str, float]] = {}
    start = perf_counter()
    for formula in formulas:
        if not data[formula.name].truth.size:
            print(f"{formula.name}: no value found")
            continue
        rows[formula.name] = {n: COLUMNS[n](formula, data[formula.name]) for n in names}
        if chosen.each:
            values = (f"{v:8.2f}" for v in rows[formula.name].values())
            print(f"{formula.name:26}", *values, flush=True)
    for name in names:
        print(f"{name:10} {np.mean([row[name] for row in rows.values()]):6.2f}")
    print(f"{len(rows)} formulas, {perf_counter() - start:.0f} s")
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
