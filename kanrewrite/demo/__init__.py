"""What `make demo` shows: stock Aesara and kanrewrite on the same graphs, beside the truth."""

from __future__ import annotations

from rich.console import Console

from kanrewrite.demo import digits, softmax

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

    Raises
    ------
    MissingExtra
        If scikit-learn, which ships the digits, is not installed.
    """
    console = console or Console()
    images = digits.load()
    right = softmax.show(console)
    learned = digits.show(console, images)
    return right and learned
