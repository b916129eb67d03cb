"""Gradients of what the family ``accuracy`` rewrites: right, and no worse than Aesara's alone."""

import warnings
import zlib
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest

from kanrewrite import Ndim, registry
from kanrewrite.reference import evaluate, round_to
from kanrewrite.registry.sources import of_library
from kanrewrite.terms import parameters_of, show
from kanrewrite.verify.checks import build
from tests.benchmarks.formulas import COMPILED, bits_lost
from tests.sparing import sparing

#: But for those that take a double for a multiple of an irrational number; the reference does not.
FAMILY = {r.name: r for r in of_library() if r.family == "accuracy" and r.name != "half_turns"}
COUNT = 16
#: Of how many left sides of a relation the gradient is taken, at most.
MOST = 6
#: By how many bits a mean may be worse: that of a rounding more.
MORE = 1.0


def everyday(rng: Any, inputs: list[Any]) -> list[Any]:
    return [rng.uniform(0.1, 4.0, COUNT) for _ in inputs]


def shaped(given: list[Any], inputs: list[Any]) -> list[Any]:
    """Numbers as a vector, or as a square matrix."""
    return [v if x.ndim == 1 else v.reshape(4, -1) for v, x in zip(given, inputs, strict=True)]


def near_to_each_other(rng: Any, inputs: list[Any]) -> list[Any]:
    centre = rng.uniform(0.1, 4.0, COUNT)
    return [centre * (1 + rng.normal(size=COUNT) * 1e-9) for _ in inputs]


def small(rng: Any, inputs: list[Any]) -> list[Any]:
    return [rng.uniform(0.1, 1.0, COUNT) * 1e-9 for _ in inputs]


def of_all_sizes(rng: Any, inputs: list[Any]) -> list[Any]:
    return [10 ** rng.uniform(-30, 30, COUNT) * rng.choice([-1, 1], COUNT) for _ in inputs]


DRAWS = (everyday, near_to_each_other, small, of_all_sizes)


def gradients(side: Any, asked: Any) -> tuple[list[Any], list[Any]] | None:
    """The parameters of a left side and its gradient in them, None where Aesara has none."""
    inputs: Any = {p: at.dvector() for p in parameters_of(side)}
    inputs |= {p: at.dmatrix() for p in inputs if Ndim[2] in asked[p]}
    inputs |= {p: (0,) for p in inputs if str(p) == "axis"}
    wrt: Any = [x for x in inputs.values() if x != (0,)]
    written: Any = build(side, inputs, "float64")
    try:
        slopes: Any = aesara.grad(written.sum(), wrt)
    except KeyError:  # of inverse sines and tangents, with this numpy
        return None
    return wrt, slopes


def lost(function: Any, given: list[Any], truth: list[Any]) -> Any:
    """The bits that each element of the gradients loses, where that is a number."""
    with np.errstate(all="ignore"):
        found = function(*given)
    pairs = [
        (np.ravel(f).astype("float64"), np.ravel(round_to(t, "float64")))
        for f, t in zip(found, truth, strict=True)
    ]
    return np.concatenate([bits_lost(f, t)[np.isfinite(t)] for f, t in pairs])


def compiled(inputs: list[Any], wanted: list[Any], *names: str) -> Any:
    with registry.disabled(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if names:
            registry.enable()
            registry.enable(*names)
        return aesara.function(inputs, wanted, mode=COMPILED, on_unused_input="ignore")


@pytest.mark.spared
@pytest.mark.parametrize("name", sparing(sorted(FAMILY), 10))
def test_gradients_are_no_worse(name: str) -> None:
    sides = list(dict.fromkeys(equation.lhs for equation in FAMILY[name].equations))
    for side in sides[:: 1 + len(sides) // MOST]:
        found = gradients(side, FAMILY[name].parameters)
        if found is None:
            continue
        inputs, wanted = found
        stock, ours = compiled(inputs, wanted), compiled(inputs, wanted, name)
        for draw in DRAWS:
            given = shaped(draw(np.random.default_rng(zlib.crc32(name.encode())), inputs), inputs)
            truth = evaluate(wanted, dict(zip(inputs, given, strict=True)))
            before, after = lost(stock, given, truth), lost(ours, given, truth)
            if before.size:
                assert after.mean() <= before.mean() + MORE, (show(side), draw.__name__)
