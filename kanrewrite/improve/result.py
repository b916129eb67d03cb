"""What a search for better forms finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from aesara.graph.basic import Variable

from kanrewrite.display import Pictured, brief

Graph = Variable[Any, Any]
#: Forms whose errors differ by less are equally good.
NEAR = 0.02


@dataclass(slots=True, eq=False, repr=False)
class Form(Pictured):
    """A form of a formula.

    Attributes
    ----------
    number : int
        In the order of finding; 0 is the formula as it was written.
    outputs : tuple of Variable
        The graph.
    error : float
        The mean of the bits that it loses.
    worst : float
        The most bits that it loses at a point.
    cost : float
        Arithmetic operations.
    relations : tuple of str
        By which it was found.
    choice : str
        For a choice between two forms, between which, and where.
    """

    number: int
    outputs: tuple[Graph, ...]
    error: float = 0.0
    worst: float = 0.0
    cost: float = 0.0
    relations: tuple[str, ...] = ()
    choice: str = ""
    lost: Any = field(default_factory=lambda: np.empty(0))

    @property
    def graph(self) -> Any:
        """The output, or the list of outputs where there are several."""
        return self.outputs[0] if len(self.outputs) == 1 else list(self.outputs)

    @property
    def origin(self) -> str:
        """How it was found, in words."""
        if self.choice:
            return self.choice
        return ", ".join(self.relations) or ("as written" if not self.number else "by Aesara")

    def __str__(self) -> str:
        texts = ", ".join(brief(output) for output in self.outputs)
        return f"#{self.number} {self.error:.2f} bits, cost {self.cost:g}: {texts}  [{self.origin}]"

    __repr__ = __str__


def front_of(forms: Iterable[Form]) -> list[Form]:
    """The forms that no other one beats in accuracy and cost, the cheapest first."""
    front: list[Form] = []
    for form in sorted(forms, key=lambda f: (f.cost, f.error, f.number)):
        if not front or form.error < front[-1].error - NEAR:
            front.append(form)
    return front


class Improvement(Pictured):
    """The forms of a formula that a search has found; made by `improve`.

    Parameters
    ----------
    forms : sequence of Form
        In the order of finding, the first as written.
    points : int
        At how many points they were measured.
    seconds : float
        How long it took.
    stopped : str
        Why the search ended.
    """

    def __init__(self, forms: Sequence[Form], points: int, seconds: float, stopped: str):
        self.forms = tuple(forms)
        self.points, self.seconds, self.stopped = points, seconds, stopped

    @property
    def graphs(self) -> list[Form]:
        """Every form found, the most accurate first; of equally accurate ones the cheaper first."""
        return sorted(self.forms, key=lambda f: (round(f.error / NEAR), f.cost, f.number))

    def best(self) -> Form:
        """The most accurate form; the cheapest of those that are as good."""
        return self.graphs[0]

    @property
    def front(self) -> list[Form]:
        """The forms that no other one beats in both, the cheapest first, the most accurate last."""
        return front_of(self.forms)

    @property
    def summary(self) -> str:
        """One line."""
        count = f"{len(self.forms)} form{'s' * (len(self.forms) != 1)} at {self.points} points"
        lost = "nothing was measured"
        if self.points:
            before, best = self.forms[0].error, self.best().error
            lost = f"{before:.2f} bits lost as written, {best:.2f} at best"
        return f"{count} in {self.seconds:.1f} s, stopped: {self.stopped}; {lost}"

    def entry(self) -> dict[str, Any]:
        """What a program reads: numbers, and graphs as text."""
        front = self.front
        return {
            "points": self.points,
            "seconds": self.seconds,
            "stopped": self.stopped,
            "best": self.best().number,
            "front": [form.number for form in front],
            "forms": [
                {
                    "number": form.number,
                    "error": form.error,
                    "worst": form.worst,
                    "cost": form.cost,
                    "relations": form.relations,
                    "choice": form.choice,
                    "graph": [brief(out, 12) for out in form.outputs],
                }
                for form in self.forms
            ],
        }

    def __str__(self) -> str:
        lines = [self.summary, "accuracy and cost, the cheapest first:"]
        return "\n".join([*lines, *(f"  {form}" for form in self.front)])

    __repr__ = __str__
