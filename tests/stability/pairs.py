"""Losses that join two terms of what a share is and of what it is not, at any logits.

Random pairs of terms, of any spelling of a softmax or a sigmoid, joined as people join them: chosen
by labels, weighted, masked, added along rows and columns.  Values and slopes are compared with what
is exact: where the fuzzer of the library forgives what rounding of the graph as written explains,
here nothing is forgiven but rounding of the result.

``python -m tests.stability.pairs SEED COUNT`` prints what is not right, whether Aesara alone is,
and how many are; with ``curved`` behind it, products of the Hessian are judged too.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanrewrite.errors import RelationWarning
from kanrewrite.reference import evaluate, round_to
from tests.view.common import PLAIN, at, function, grad, ops, stock

#: Shares ``p``, of logits ``x`` and others ``y``.
SHARES = (
    "at.exp(x) / at.exp(x).sum(axis=1, keepdims=True)",
    "at.exp(x - at.log(at.exp(x).sum(axis=1, keepdims=True)))",
    "(at.exp(x).T / at.exp(x).sum(axis=1)).T",
    "at.exp(x) / (1 + at.exp(x))",
    "1 / (1 + at.exp(-x))",
    "at.exp(x) / (1 + at.exp(x).sum(axis=1, keepdims=True))",
    "at.exp(x * y) / at.exp(x * y).sum(axis=1, keepdims=True)",
    "at.exp(x) / at.exp(x).sum(axis=0)",
    "at.exp(x) / (at.exp(x) + at.exp(y))",
)
#: Terms of them, by themselves.
TERMS = (
    "at.log(p)", "at.log(1 - p)", "at.log1p(-p)", "p", "1 - p", "p**2", "(1 - p)**2", "p * (1 - p)",
    "p * at.log(p)", "(1 - p) * at.log(1 - p)", "(1 - p)**2 * at.log(p)", "p**2 * at.log(1 - p)",
    "at.log(p / (1 - p))", "p / (1 - p)", "(1 - p) / p", "at.sqrt(p)", "at.sqrt(p * (1 - p))",
    "at.log(p * (1 - p))", "at.log(1 + p)", "1 / (1 + p)", "at.log(1 - p**2)", "at.exp(-p)",
    "at.log(1 + p / (1 - p))", "p**w * (1 - p)**(1 - w)", "(p - w)**2", "at.abs(p - w)", "p**w",
)  # fmt: skip
#: Two terms ``s`` and ``t`` as one, with labels ``m`` (int8), conditions ``b`` and weights ``w``.
JOINED = (
    "{s} + {t}", "{s} - {t}", "({s}) * ({t})", "at.switch(m, {s}, {t})", "at.switch(b, {s}, {t})",
    "m * ({s}) + (1 - m) * ({t})", "w * ({s}) + (1 - w) * ({t})", "at.switch(b[0], {s}, {t})",
    "at.switch(at.gt(w, 0.5), {s}, {t})", "at.concatenate([({s})[:, :1], ({t})[:, 1:]], axis=1)",
    "({s}).sum(axis=1) * ({t}).sum(axis=1)", "({s}).sum(axis=0) + ({t}).sum(axis=0)",
    "at.log(at.exp({s}).sum(axis=1)) + ({t}).sum(axis=1)", "({s}).mean() * ({t}).mean()",
    "at.log(at.exp({s}) + at.exp({t}))", "({s})[at.arange(3), [1, 0, 2]] + ({t})[:, 0]",
    "at.maximum({s}, {t})", "({s})[:, 0] * ({t})[:, -1]",
    "at.log(w * at.exp({s}) + (1 - w) * at.exp({t}))", "({s})[at.gt(m, 0)] + ({t}).sum()",
)  # fmt: skip
SCALES, DRAWS = (1.0, 12.0, 40.0, 800.0), 3
RESULTS = ("value", "slope", "curvature")
#: Of products of the Hessian.
DIRECTION = np.array([[1.0, 0.5, -0.25], [0.75, -1.0, 0.5], [0.25, 1.0, 0.75]])
#: Relative to each element, and to the largest slope that everyday logits have.
TOLERANCE, NEAR_ZERO = 1e-10, 1e-12


@dataclass(frozen=True)
class Pair:
    """A share, two terms of it and how they are joined."""

    share: str
    terms: tuple[str, str]
    joined: str

    def graph(self, names: dict[str, Any]) -> Any:
        """The loss, of inputs by name."""
        known = {"at": at, **names}
        p = eval(self.share, known)
        text = self.joined.format(s=self.terms[0], t=self.terms[1])
        return eval(text, {**known, "p": p}).sum()

    def __str__(self) -> str:
        text = self.joined.format(s=self.terms[0], t=self.terms[1])
        return f"p = {self.share}; {text}"


def pairs(seed: int) -> Iterator[Pair]:
    """Random pairs, without end."""
    r = random.Random(seed)
    while True:
        yield Pair(r.choice(SHARES), (r.choice(TERMS), r.choice(TERMS)), r.choice(JOINED))


def inputs() -> dict[str, Any]:
    """The variables."""
    return {
        "x": at.dmatrix("x"), "y": at.dmatrix("y"), "w": at.dmatrix("w"),
        "b": at.gt(at.bmatrix("b"), 0),
        "m": at.TensorType("int8", (None, None))("m"),
    }  # fmt: skip


def values(scale: float, r: random.Random) -> dict[str, Any]:
    """Logits of a scale, some of which saturate a row, and what else is an input."""
    rows = np.array([[round(r.gauss(0, 1), 2) for _ in range(3)] for _ in range(3)])
    if r.random() < 0.5:
        rows[r.randrange(3)] = [1.0, 0.0, -0.5]
    bits = np.array([[r.randrange(2) for _ in range(3)] for _ in range(3)], "int8")
    weights = np.array([[r.choice((0.0, 1.0, 0.25, 0.75)) for _ in range(3)] for _ in range(3)])
    other = np.array([[round(r.gauss(0, 1), 2) for _ in range(3)] for _ in range(3)])
    return {"x": scale * rows, "y": other, "w": weights, "b": 1 - bits, "m": bits}


@dataclass(frozen=True)
class Answer:
    """What came of a pair: for each scale what is not right, and how many nodes there are."""

    wrong: dict[float, str]
    nodes: int
    stock: int


def answer(pair: Pair, seed: str, enabled: bool = True, curved: bool = False) -> Answer:
    """Compile a pair with its slopes, with the library and without, and judge one of them."""
    given = inputs()
    loss = pair.graph(given)
    outputs = [loss, grad(loss, given["x"])]
    if curved:
        outputs.append(grad((outputs[1] * DIRECTION).sum(), given["x"]))
    # The condition is made of an input of numbers.
    leaves = [given["x"], given["y"], given["w"], given["b"].owner.inputs[0], given["m"]]
    theirs = stock(leaves, outputs, PLAIN)
    compiled = function(leaves, outputs, PLAIN) if enabled else theirs
    wrong: dict[float, str] = {}
    r = random.Random(seed)
    for scale in SCALES * DRAWS:
        drawn = values(scale, r)
        numbers = [drawn[n] for n in ("x", "y", "w", "b", "m")]
        with np.errstate(all="ignore"):
            found, others = compiled(*numbers), theirs(*numbers)
        exact = evaluate(outputs, dict(zip(leaves, numbers, strict=True)))
        kind = judged(exact, found)
        if kind:
            alone = "" if judged(exact, others) else ", where Aesara alone is right"
            if alone or scale not in wrong:
                wrong[scale] = kind + alone
    return Answer(wrong, *(ops(f).total() for f in (compiled, theirs)))


def judged(exact: list[Any], found: list[Any]) -> str:
    """What is not right of a value, its slopes and a product of the Hessian."""
    for name, truth, mine in zip(RESULTS[: len(found)], exact, map(np.asarray, found), strict=True):
        nearest = round_to(truth, mine.dtype)
        finite = np.abs(nearest[np.isfinite(nearest)])
        beside = NEAR_ZERO * max(1.0, float(finite.max(initial=0.0)))
        with np.errstate(all="ignore"):
            off = np.abs(mine - nearest)
            right = (off <= TOLERANCE * np.abs(nearest) + beside) | (mine == nearest)
        right |= np.isnan(nearest)
        if not right.all():
            lost = ~np.isfinite(mine[~right])
            kind = "lost" if lost.all() else f"wrong by {float(off[~right][~lost].max()):.1e}"
            return f"{name} {kind}"
    return ""


def main(seed: str = "1", count: str = "100", curved: str = "") -> None:
    """Print what is not right, and what is large."""
    tally: Counter[str] = Counter()
    for number, pair in zip(range(int(count)), pairs(int(seed)), strict=False):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                found = answer(pair, f"{seed}/{number}", curved=bool(curved))
            except Exception as error:  # noqa: BLE001  # the finding itself
                tally["raised"] += 1
                print(f"{number}: {pair}\n    raised {repr(error)[:200]}", flush=True)
                continue
        left = [str(w.message)[:200] for w in said if issubclass(w.category, RelationWarning)]
        large = found.nodes > 1.5 * found.stock + 10
        for kind in ("lost", "wrong"):
            tally[kind] += any(kind in w for w in found.wrong.values())
        tally["right"] += not found.wrong
        tally["large"] += large
        tally["left out"] += bool(left)
        if found.wrong or left or large:
            counts = f"{found.nodes} nodes for {found.stock}"
            print(f"{number}: {pair}\n    {counts} {found.wrong} {left}", flush=True)
    print(dict(tally))


if __name__ == "__main__":
    main(*sys.argv[1:])
