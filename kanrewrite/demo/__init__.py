"""What `make demo` shows: stock Aesara and kanrewrite on the same graphs, beside the truth."""

from __future__ import annotations

from rich.console import Console

from kanrewrite.demo import digits, softmax
from kanrewrite.errors import MissingExtra

__all__ = ["run"]


def run(console: Console | None = None) -> bool:
    """Show hand-written softmaxes and a classifier, by stock Aesara and by kanrewrite.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to print; standard output if not given.

    Returns
    -------
    bool
        Whether everything that kanrewrite computed is right, and the classifier has learned.

    Notes
    -----
    Without scikit-learn, which ships the digits, the classifier is left out, and it is said how to
    get it.
    """
    console = console or Console()
    right = softmax.show(console)
    try:
        images = digits.load()
    except MissingExtra as missing:
        console.print(f"A classifier of handwritten digits is left out: {missing}", markup=False)
        return right
    return digits.show(console, images) and right
