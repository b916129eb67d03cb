"""A classifier of handwritten digits, with softmax and cross-entropy written by hand."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import aesara
import aesara.tensor as at
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from kanrewrite.errors import MissingExtra
from kanrewrite.registry import disabled, enable

HIDDEN = 64
#: The range of a pixel: with it the logits start beyond 1000.
RANGE = 2000.0
RATE = 3e-4
EPOCHS = 8
BATCH = 50
TRAINING = 1400
#: What counts as learned, of the images kept aside; guessing finds a tenth.
LEARNED = 0.9


class Images(NamedTuple):
    """Pixels, one image a row, and what each one shows."""

    pixels: npt.NDArray[np.float64]
    labels: npt.NDArray[np.int64]


class Epoch(NamedTuple):
    """The state of a training after one pass through the images."""

    loss: float
    accuracy: float
    largest: float


def load() -> Images:
    """Load the digits that scikit-learn ships, shuffled, centred and scaled.

    Returns
    -------
    Images
        1797 images of 8 by 8 pixels.

    Raises
    ------
    MissingExtra
        If scikit-learn is not installed.
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise MissingExtra("demo", "scikit-learn") from error
    pixels, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    pixels = (pixels - pixels.mean(axis=0)) / 16 * RANGE
    return Images(pixels[order], labels[order].astype(np.int64))


class Classifier:
    """Two layers, and the functions that train and apply them.

    Compiled on construction, with the rewrites that are then enabled.
    """

    def __init__(self) -> None:
        weights = np.random.default_rng(0)
        layers = [(64, HIDDEN), (HIDDEN, 10)]
        parameters = [aesara.shared(weights.normal(0, n**-0.5, (n, m))) for n, m in layers]
        x, labels = at.dmatrix("x"), at.lvector("labels")
        hidden = at.maximum(x @ parameters[0], 0)
        logits = hidden @ parameters[1]
        loss = cross_entropy(logits, labels)
        gradients: Any = aesara.grad(loss, parameters)
        updates = [(p, p - RATE * g) for p, g in zip(parameters, gradients, strict=True)]
        self.step: Callable[..., Any] = aesara.function([x, labels], loss, updates=updates)
        self.logits: Callable[..., Any] = aesara.function([x], logits)

    def train(self, images: Images) -> Iterator[Epoch]:
        """Pass through the training images, and report after each time."""
        unseen, labels = images.pixels[TRAINING:], images.labels[TRAINING:]
        for _ in range(EPOCHS):
            losses = [
                self.step(images.pixels[i : i + BATCH], images.labels[i : i + BATCH])
                for i in range(0, TRAINING, BATCH)
            ]
            logits = self.logits(unseen)
            right = float(np.mean(logits.argmax(axis=1) == labels))
            yield Epoch(float(np.mean(losses)), right, float(np.abs(logits).max()))


def cross_entropy(logits: Any, labels: Any) -> Any:
    """Softmax and cross-entropy as one might write them down."""
    e = at.exp(logits)
    p = e * e.sum(axis=1, keepdims=True) ** -1
    return -at.log(p[at.arange(labels.shape[0]), labels]).mean()


def show(console: Console, images: Images) -> bool:
    """Train the classifier with stock Aesara and with kanrewrite, side by side.

    Parameters
    ----------
    console : rich.console.Console
        Where to print.
    images : Images
        What to learn.

    Returns
    -------
    bool
        Whether the classifier trained with kanrewrite has learned.
    """
    enable()
    console.rule("Handwritten digits: two layers, softmax and cross-entropy written by hand")
    start = time.perf_counter()
    with console.status("compiling ..."):
        with disabled():
            stock = Classifier()
        ours = Classifier()
    compiled = time.perf_counter()
    with console.status("training ..."), np.errstate(all="ignore"):
        epochs = list(zip(stock.train(images), ours.train(images), strict=True))
    trained = time.perf_counter()
    console.print(_table(epochs))
    console.print(f"Compiled in {compiled - start:.1f} s, trained in {trained - compiled:.1f} s.")
    last = epochs[-1][1]
    return math.isfinite(last.loss) and last.accuracy > LEARNED


def _table(epochs: list[tuple[Epoch, Epoch]]) -> Table:
    columns = ("epoch", "Aesara: loss", "accuracy", "kanrewrite: loss", "accuracy", "largest logit")
    table = Table(*columns, pad_edge=False)
    for number, (stock, ours) in enumerate(epochs, start=1):
        cells = (
            [f"{e.loss:.4f}" for e in (stock, ours)],
            [f"{e.accuracy:.1%}" for e in (stock, ours)],
        )
        pairs = [text for pair in zip(*cells, strict=True) for text in pair]
        table.add_row(str(number), *pairs, f"{ours.largest:.0f}")
    return table
