"""Count at how many models and regimes the library, and stock Aesara, are right."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from aesara.gradient import NullTypeGradError

from kanrewrite.errors.reference import NotConverged
from tests.benchmarks.models.common import DRAWS, KINDS, MODELS, Model, built, values
from tests.view.common import function, stock, truth

FILES = (
    "choice", "sequences", "networks", "physics", "survival", "losses", "responses", "others",
)  # fmt: skip
#: How far from the truth, relative to it or to what is usual for an output, is right.
CLOSE = 1e-10


def loaded(only: str = "") -> list[Model]:
    """The models with a text in their names."""
    for name in FILES:
        import_module(f"tests.benchmarks.models.{name}")
    return [m for m in MODELS if only in m.name]


def _is_wrong(found: Any, exact: Any, usual: float) -> Any:
    """Which elements are not equal to the truth, nor infinite where it is."""
    with np.errstate(all="ignore"):
        same = (found == exact) | (np.isnan(found) & np.isnan(exact))
        near = np.abs(found - exact) <= CLOSE * (np.abs(exact) + usual)
    return ~(same | near)


def is_right(found: Any, exact: Any, usual: float) -> bool:
    """Tell whether all elements are equal to the truth, infinite where it is."""
    same_shape = np.shape(found) == np.shape(exact)
    return same_shape and not np.any(_is_wrong(found, exact, usual))


def is_silent(found: Any, exact: Any, usual: float) -> bool:
    """Tell whether a wrong result does not say so: a wrong element of it is a number."""
    if np.shape(found) != np.shape(exact):
        return True
    return bool(np.any(np.isfinite(found) & _is_wrong(found, exact, usual)))


def _values(compiled: Any, given: list[Any]) -> list[Any]:
    """What a function computes; nothing where Python raises, as for ``0.0 ** -1``."""
    try:
        with np.errstate(all="ignore"):
            found: list[Any] = compiled(*given)
    except ArithmeticError:
        return []
    return found


class Verdict(NamedTuple):
    """Whether the library and stock are right at a draw, and if not, whether they do not say so."""

    regime: str
    draw: int
    right: tuple[bool, bool]
    silent: tuple[bool, bool]


def judged(m: Model, kind: str) -> Iterator[Verdict]:
    """The verdict at each draw of which the truth is known."""
    try:
        variables, outputs = built(m, kind)
    except NullTypeGradError:
        return  # what its slopes are made of has no derivative
    functions = [make(variables, outputs) for make in (function, stock)]
    usual = [0.0] * len(outputs)
    for regime, n in DRAWS:
        given = values(m, regime, n)
        try:
            exact = [np.asarray(t, float) for t in truth(outputs, variables, given)]
        except NotConverged:
            continue  # nobody knows
        if regime == "everyday":
            usual = [max(u, np.abs(t).max(initial=0)) for u, t in zip(usual, exact, strict=True)]
        ours, stocks = (_values(f, given) for f in functions)
        right = [len(fs) > 0 and all(map(is_right, fs, exact, usual)) for fs in (ours, stocks)]
        silent = [any(map(is_silent, fs, exact, usual)) for fs in (ours, stocks)]
        yield Verdict(regime, n, (right[0], right[1]), (silent[0], silent[1]))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what fails, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=["value", "slopes"], help=", ".join(KINDS))
    parser.add_argument("--only", default="", help="of models with this in their names")
    parser.add_argument("--every", type=int, default=1, help="each so many-th model")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    models = loaded(options.only)[:: options.every]
    for kind in options.kinds:
        right, silent, lost = [0, 0], [0, 0], 0
        for m in models:
            found = list(judged(m, kind))
            for k in range(2):
                right[k] += all(f.right[k] for f in found)
                silent[k] += sum(f.silent[k] for f in found)
            lost += sum(f.right[1] and not f.right[0] for f in found)
            failed = [f for f in found if not f.right[0]]
            if failed:
                print(f"{m.name}.{kind}: {', '.join(map(_told, failed))}", flush=True)
        print(
            f"{kind}: {right[0]} of {len(models)} right everywhere, stock Aesara {right[1]}; "
            f"draws that stock alone has right: {lost}; that are silently wrong: {silent[0]}, "
            f"stock's {silent[1]}",
            flush=True,
        )


def _told(verdict: Verdict) -> str:
    return f"{verdict.regime} {verdict.draw}" + (" silently" if verdict.silent[0] else "")


if __name__ == "__main__":
    main()
