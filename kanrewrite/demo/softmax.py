"""Softmaxes as people write them, and the gradient of a weighted sum of each."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import numpy.typing as npt
from aesara.graph.basic import Variable
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from kanrewrite.reference import evaluate, round_to
from kanrewrite.registry import disabled, enable

Graph = Variable[Any, Any]
Values = npt.NDArray[np.float64]

LOGITS = ([1e-18, 1e18, -1e18], [1.0, 2.0, 800.0], [-900.0, -901.0, -905.0])
WEIGHTS = np.array([1.0, 2.0, 3.0])
RESULTS = ("softmax", "gradient")


def reciprocal(x: Any) -> Any:
    """The sum's reciprocal is a factor."""
    e = at.exp(x)
    return e * (1 / e.sum())


def power(x: Any) -> Any:
    """The sum has an exponent."""
    e = at.exp(x)
    return e * e.sum() ** -1


def halves(x: Any) -> Any:
    """The exponential is a square, told in two ways."""
    h = at.exp(x / 2)
    return h**2 / (h * h).sum()


def expanded(x: Any) -> Any:
    """The quotient has been expanded by an exponential."""
    e = at.exp(x)
    return e**2 / (e * e.sum())


SPELLINGS: tuple[Callable[[Any], Any], ...] = (reciprocal, power, halves, expanded)


def right(value: Values, truth: Values) -> bool:
    """Whether all elements agree with the truth to ten digits."""
    return bool(np.allclose(value, truth, rtol=1e-10, atol=sys.float_info.min))


def show(console: Console) -> bool:
    """Print a table for each spelling.

    Parameters
    ----------
    console : rich.console.Console
        Where to print.

    Returns
    -------
    bool
        Whether all results of kanrewrite are right.
    """
    enable()
    console.rule("Softmaxes written by hand, and the gradient of (weights * softmax).sum()")
    verdicts = [_show_spelling(console, spelling) for spelling in SPELLINGS]
    stock, ours = (sum(column) for column in zip(*verdicts, strict=True))
    total = len(SPELLINGS) * len(LOGITS) * len(RESULTS)
    console.print(f"Right: Aesara {stock} of {total}, kanrewrite {ours} of {total}.\n")
    return bool(ours == total)


def _show_spelling(console: Console, spelling: Callable[[Any], Any]) -> tuple[int, int]:
    """Print one table, and count the right results of Aesara and of kanrewrite."""
    x = at.dvector("x")
    y = spelling(x)
    graphs = [y, aesara.grad((WEIGHTS * y).sum(), x)]
    with console.status("compiling ..."):
        with disabled():
            stock = aesara.function([x], graphs)
        ours = aesara.function([x], graphs)
    table = Table("", "stock Aesara", "kanrewrite", "truth")
    counts = np.zeros(2, dtype=int)
    for logits in LOGITS:
        with np.errstate(all="ignore"):
            results = stock(logits), ours(logits)
        truths = [round_to(t, "float64") for t in evaluate(graphs, {x: np.array(logits)})]
        counts += [sum(map(right, values, truths)) for values in results]
        table.add_row(Text(" ".join(f"{logit:g}" for logit in logits), style="bold"))
        for name, *values, truth in zip(RESULTS, *results, truths, strict=True):
            table.add_row(f"  {name}", *(_judged(v, truth) for v in values), _numbers(truth))
        table.add_section()
    console.print(Syntax(inspect.getsource(spelling).strip(), "python", background_color="default"))
    console.print(table, "")
    return int(counts[0]), int(counts[1])


def _judged(value: Values, truth: Values) -> Text:
    return Text(_numbers(value), style="green" if right(value, truth) else "bold red")


def _numbers(values: Iterable[float]) -> str:
    # Two digits fit a narrow terminal; + 0.0 turns a negative zero into zero.
    return " ".join(f"{value + 0.0:.2g}" for value in values)
