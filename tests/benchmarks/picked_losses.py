"""Losses of picked shares, and their slopes, against stock Aesara and high precision.

``python -m tests.benchmarks.picked_losses [--every N] [--only TEXT] [--scales 1,30] [--all]``

Each loss is compiled with the library and as stock, as value, gradient and Hessian product, and
called with logits at several scales.  Shown is the largest relative error of an element where it
is over 1e-9: ``LAW`` where stock's is not or is ten times less, ``silent`` where stock's result is
not finite (which at least says so).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode
from aesara.gradient import NullTypeGradError

import kanrewrite
from kanrewrite.errors import NotConverged
from kanrewrite.reference import evaluate

Loss = Callable[[Any, Any], Any]

ROWS = at.arange(3)
LABELS = np.array([1, 0, 2])
OTHERS = np.array([2, 2, 1])
HOT = np.eye(4)[LABELS]


def _share(z: Any) -> Any:
    return at.exp(z) / at.exp(z).sum(axis=1, keepdims=True)


def _operator(z: Any) -> Any:
    return at.special.softmax(z, axis=1)


def _outside(z: Any) -> tuple[Any, Any]:
    """Shares with an outside option, and what is left for that."""
    e = at.exp(z)
    share = e / (1 + e.sum(axis=1, keepdims=True))
    return share, 1 - share.sum(axis=1)


def _odds(share: Any, left: Any) -> Any:
    return (at.log(share[ROWS, LABELS]) - at.log(left)).sum()


#: Losses of shares ``p`` of rows of four logits ``z``.
LOSSES: dict[str, Loss] = {
    "label": lambda p, z: -at.log(p[ROWS, LABELS]).mean(),
    "unlikelihood": lambda p, z: -at.log(1 - p[ROWS, LABELS]).mean(),
    "two columns": lambda p, z: -at.log(p[:, 1:3].sum(axis=1)).sum(),
    "not two columns": lambda p, z: -at.log(1 - p[:, 1:3].sum(axis=1)).sum(),
    "not two picked": lambda p, z: -at.log(1 - p[:, [1, 3]].sum(axis=1)).sum(),
    "not one of two": lambda p, z: -at.log(1 - p[:, [1, 3]]).sum(),
    "not two labels": lambda p, z: -at.log(1 - p[ROWS, LABELS] - p[ROWS, OTHERS]).sum(),
    "two labels": lambda p, z: -at.log(p[ROWS, LABELS] + p[ROWS, OTHERS]).sum(),
    "not a column": lambda p, z: -at.log(1 - p[:, 1]).sum(),
    "not the last": lambda p, z: -at.log(1 - p[:, -1]).sum(),
    "not those before": lambda p, z: -at.log(1 - p[:, :2].sum(axis=1)).sum(),
    "not one element": lambda p, z: -at.log(1 - p[0, 1]),
    "log odds": lambda p, z: (at.log(p[ROWS, LABELS]) - at.log(1 - p[ROWS, LABELS])).sum(),
    "log of odds": lambda p, z: at.log(p[ROWS, LABELS] / (1 - p[ROWS, LABELS])).sum(),
    "odds of a column": lambda p, z: at.log(p[:, 1] / (1 - p[:, 1])).sum(),
    "focal": lambda p, z: -((1 - p[ROWS, LABELS]) ** 2 * at.log(p[ROWS, LABELS])).mean(),
    "focal of a column": lambda p, z: -((1 - p[:, 1]) ** 2 * at.log(p[:, 1])).sum(),
    "focal, one hot": lambda p, z: -(HOT * (1 - p) ** 2 * at.log(p)).sum(),
    "focal by roots": lambda p, z: -(at.sqrt(1 - p[ROWS, LABELS]) * at.log(p[ROWS, LABELS])).sum(),
    "binary, one hot": lambda p, z: -(HOT * at.log(p) + (1 - HOT) * at.log(1 - p)).sum(),
    "binary of a column": lambda p, z: -(at.log(p[:, 1]) + at.log(1 - p[:, 2])).sum(),
    "poly": lambda p, z: (-at.log(p[ROWS, LABELS]) + 1 - p[ROWS, LABELS]).mean(),
    "expected cost": lambda p, z: at.log(at.dot(p, np.array([1.0, 2, 0, 4]))).sum(),
    "expected cost, none of one": lambda p, z: at.log(at.dot(p, np.array([0.0, 2, 3, 4]))).sum(),
    "ordinal": lambda p, z: -at.log(at.cumsum(p, axis=1)[ROWS, LABELS]).sum(),
    "ordinal, above": lambda p, z: -at.log(1 - at.cumsum(p, axis=1)[ROWS, [1, 0, 2]]).sum(),
    "ratio of two": lambda p, z: at.log(p[:, 0] / (p[:, 0] + p[:, 1])).sum(),
    "ratio of labels": lambda p, z: at.log(
        p[ROWS, LABELS] / (p[ROWS, LABELS] + p[ROWS, OTHERS])
    ).sum(),
    "not both": lambda p, z: -at.log(1 - p[0] * p[1]).sum(),
    "noisy or": lambda p, z: -at.log(1 - at.prod(1 - p, axis=0)).sum(),
    "none of the rows": lambda p, z: at.log(at.prod(1 - p[:, 1])),
    "no sure row": lambda p, z: at.log(1 - at.prod(p[ROWS, LABELS])),
    "entropy": lambda p, z: -(p * at.log(p)).sum(),
    "gini": lambda p, z: at.log(1 - (p**2).sum(axis=1)).sum(),
    "margin": lambda p, z: at.log(1 + p[:, 0] - p[:, 1]).sum(),
    "diagonal": lambda p, z: -at.log(at.diagonal(p)).sum(),
    "not the diagonal": lambda p, z: -at.log(1 - at.diagonal(p)).sum(),
    "brier": lambda p, z: ((p - HOT) ** 2).sum(),
    "log of brier": lambda p, z: at.log(((p - HOT) ** 2).sum(axis=1)).sum(),
    "weighted": lambda p, z: -(at.log(1 - p[ROWS, LABELS]) * at.exp(z[:, 0] / 8)).sum(),
    "a policy's ratio": lambda p, z: (p[ROWS, LABELS] / p[ROWS, OTHERS]).sum(),
    "symmetric": lambda p, z: -at.log(p[ROWS, LABELS] * (1 - p[ROWS, LABELS])).sum(),
    "expected margin": lambda p, z: (
        -at.log(p[ROWS, LABELS] - p[ROWS, LABELS] * p[ROWS, OTHERS]).sum()
    ),
    "temperature": lambda p, z: -at.log(1 - (p**2 / (p**2).sum(axis=1, keepdims=True))[:, 1]).sum(),
    "outside, odds": lambda p, z: _odds(*_outside(z)),
    "outside, of nothing": lambda p, z: at.log(_outside(z)[1]).sum(),
    "outside, not a label": lambda p, z: -at.log(1 - _outside(z)[0][ROWS, LABELS]).sum(),
    "outside, of all": lambda p, z: (lambda h, n: at.log(h).sum() + 0.7 * at.log(n).sum())(
        *_outside(z)
    ),
}

SCALES = (0.5, 3.0, 18.0, 40.0, 150.0, 1e3)
LOGITS = np.array([[0.5, 1.5, 0.25, -0.4], [2.0, -1.0, 0.5, 0.1], [0.25, 1.0, 1.2, -0.7]])


def relative_error(found: Any, truth: Any) -> float:
    """The largest relative error of an element; of what is far below the largest, of that."""
    found, truth = np.asarray(found, float), np.asarray(np.vectorize(float)(truth), float)
    shown = np.isfinite(truth)
    if not np.array_equal(found[~shown], truth[~shown], equal_nan=True):
        return np.inf if np.isfinite(found[~shown]).any() else np.nan
    if not np.isfinite(found[shown]).all():
        return np.nan
    floor = 1e-30 * np.abs(truth[shown]).max(initial=0) + 1e-300
    apart = np.abs(found[shown] - truth[shown]) / (np.abs(truth[shown]) + floor)
    return float(apart.max(initial=0))


def kinds(loss: Any, z: Any) -> Iterator[tuple[str, Any]]:
    """A loss, its gradient, and a product of its Hessian where there is one."""
    yield "value", loss
    slope = aesara.grad(loss, z)
    yield "gradient", slope
    direction = np.cos(np.arange(LOGITS.size)).reshape(LOGITS.shape)
    with suppress(NullTypeGradError):
        yield "hessian", aesara.grad((slope * direction).sum(), z)


def _verdict(found: float) -> str:
    return "right" if found <= 1e-9 else "lost" if np.isfinite(found) else "nan"


def _errs(called: Callable[[Any], Any], logits: Any, truth: Any) -> float:
    with np.errstate(all="ignore"):
        try:
            return relative_error(called(logits), truth)
        except Exception:  # noqa: BLE001  # what raises is not right
            return np.nan


def _called(variable: Any, z: Any, mode: Mode) -> Callable[[Any], Any]:
    try:
        made: Callable[[Any], Any] = aesara.function([z], variable, mode=mode)
        return made
    except Exception:  # noqa: BLE001  # what does not compile is not right
        return lambda _: np.full(_.shape, np.nan)


def main() -> None:
    """Print what is not right, and how many of each kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="losses with this text in their names")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--operator", action="store_true", help="shares by Aesara's Softmax")
    parser.add_argument("--all", action="store_true", help="show what is lost by stock, too")
    parser.add_argument("--scales", default=",".join(map(str, SCALES)))
    options = parser.parse_args()
    scales = [float(scale) for scale in options.scales.split(",")]
    names = [n for n in LOSSES if options.only in n][:: options.every]
    counts: Counter[tuple[str, str, str]] = Counter()
    for name in names:
        z = at.dmatrix("z")
        share = _operator if options.operator else _share
        for kind, variable in kinds(LOSSES[name](share(z), z), z):
            stock = _called(variable, z, Mode("py", "fast_run").excluding("kanrewrite"))
            kanrewrite.enable()
            ours = _called(variable, z, Mode("py", "fast_run"))
            kanrewrite.disable()
            for scale in scales:
                logits = LOGITS * scale
                try:
                    (truth,) = evaluate([variable], {z: logits})
                except NotConverged:
                    continue
                mine, theirs = (_errs(called, logits, truth) for called in (ours, stock))
                counts[kind, _verdict(mine), _verdict(theirs)] += 1
                law = not mine <= max(1e-9, 10 * theirs) if np.isfinite(theirs) else False
                silent = np.isfinite(mine) and mine > 1e-9 and not np.isfinite(theirs)
                if not mine <= 1e-9 and (law or silent or options.all):
                    mark = "LAW" if law else "silent" if silent else ""
                    print(
                        f"{name:28} {kind:9} {scale:6g} {mine:8.1e} stock {theirs:8.1e} {mark}",
                        flush=True,
                    )
    for (kind, ours_is, theirs_is), count in sorted(counts.items()):
        print(f"{kind:9} {ours_is:6} stock {theirs_is:6} {count:5}")


if __name__ == "__main__":
    main()
