"""What an audit says: verdicts on the parts of a graph, and the risks."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from kanrewrite.audit.inputs import Array, Graph
from kanrewrite.audit.locating import Kind
from kanrewrite.display import Pictured, brief, cut, named
from kanrewrite.trace import source_of

Verdict = Literal["proved", "searched", "risk"]

#: Numbers of an array that are written.
_SHOWN = 12
#: Characters of the names of inputs that have one range.
_NAMES = 60


class Witness(dict[Graph, Array]):
    """Values of the inputs, by variable; a name will do as well."""

    def __getitem__(self, key: Any) -> Array:
        if key in self:
            return super().__getitem__(key)
        for variable, value in self.items():
            if variable.name is not None and variable.name == key:
                return value
        raise KeyError(key)

    @property
    def lines(self) -> list[str]:
        """A line for each input."""
        return [f"{named(v)} = {array_text(a)}" for v, a in self.items()]

    def __str__(self) -> str:
        return ", ".join(self.lines)


@dataclass(frozen=True, repr=False)
class Risk:
    """One way in which a graph gives wrong numbers.

    Attributes
    ----------
    variable : Variable
        Where it begins, in the graph that was audited.
    kind : {"overflow", "vanishing", "cancellation", "invalid", "wrong"}
        What happens there: a number is too large for a float; too small; the leading digits of
        operands cancel; there is no number; or none of them, and the output is wrong all the same.
    witness : dict of Variable to ndarray
        Inputs at which it happens; names serve as keys too.
    output : Variable
        What comes out wrong, as it was written.
    found, truth : float
        The element of it that is worst, computed and exact.
    digits : float
        How many decimal digits of it are wrong, of the 16 or 7 that there are.
    error : float
        The local error that dominates, in bits: one operator in floating point, on exact operands.
    operator : Variable
        What that operator makes.
    inherent : bool
        Whether the exact number is no float either: no rewrite helps.
    chosen : str
        Of what kind the inputs are.
    help : str
        The relation that would have helped, or why none did; empty if that was not asked.
    """

    variable: Graph
    kind: Kind
    witness: Witness
    output: Graph
    found: float
    truth: float
    digits: float
    error: float
    operator: Graph
    inherent: bool = False
    chosen: str = ""
    help: str = ""

    @property
    def silent(self) -> bool:
        """Whether the wrong number looks like a right one: worse than a nan."""
        return bool(np.isfinite(self.found)) and not self.inherent

    @property
    def harmless(self) -> bool:
        """Whether the result is right: infinite where the exact number is beyond the floats."""
        return self.inherent and not np.isnan(self.truth)

    @property
    def source(self) -> str:
        """``file:line`` of the code that asked for it, where that is known."""
        return source_of(self.variable)

    @property
    def headline(self) -> str:
        """One line."""
        at = f" [{self.source}]" if self.source else ""
        return f"{self.kind} at {cut(brief(self.variable), 100)}{at}"

    def __str__(self) -> str:
        name = self.output.name or cut(brief(self.output), 60)
        lost = f"{self.digits:.1f} digits wrong"
        if self.inherent:
            lost = "there is no such number" if np.isnan(self.truth) else "no float is as large"
        at, *others = self.witness.lines
        lines = [
            self.headline,
            f"  output   {name} = {self.found:.17g}, exactly {self.truth:.17g}: {lost}"
            + (", and nothing shows it" if self.silent else ""),
            f"  at       {at}",
            *(f"           {line}" for line in others),
        ]
        if self.error:
            lines.append(
                f"  error    {self.error:.1f} bits made by {cut(brief(self.operator), 80)}"
            )
        return "\n".join([*lines, f"  help     {self.help}"] if self.help else lines)

    __repr__ = __str__


@dataclass(frozen=True)
class Part:
    """The verdict on one variable of the graph.

    Attributes
    ----------
    variable : Variable
    verdict : {"proved", "searched", "risk"}
        In range whatever the inputs are, by interval arithmetic; no witness was found by search; or
        a risk begins there.
    low, high : float
        Where all its elements lie, if that is proved.
    error : float
        The largest local error that was seen, in bits.
    why : str
        Why it is not proved.
    """

    variable: Graph
    verdict: Verdict
    low: float = -np.inf
    high: float = np.inf
    error: float = 0.0
    why: str = ""


@dataclass(frozen=True, repr=False)
class Audit(Pictured):
    """What `audit` found.

    Attributes
    ----------
    outputs : list of Variable
        The graph that was audited: what a compilation makes of what was written.
    written : list of Variable
        What was written.
    risks : list of Risk
        The worst first: wrong numbers that nothing shows come before nan.
    parts : list of Part
        A verdict for each variable, operands first.
    tried, judged : int
        How many inputs were tried, and how many of the results compared with exact ones.
    stopped : str
        Why the search ended.
    """

    outputs: list[Graph]
    written: list[Graph]
    risks: list[Risk]
    parts: list[Part]
    tried: int
    judged: int
    stopped: str
    inputs: Mapping[Graph, tuple[float, float]] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether results were compared, and all are the right float or as near as can be."""
        return self.judged > 0 and all(risk.harmless for risk in self.risks)

    def __bool__(self) -> bool:
        return self.ok

    def part(self, variable: Graph) -> Part:
        """The verdict on a variable of `outputs`.

        Raises
        ------
        KeyError
            For what is none.
        """
        for part in self.parts:
            if part.variable is variable:
                return part
        raise KeyError(variable)

    def __str__(self) -> str:
        proved = sum(part.verdict == "proved" for part in self.parts)
        beyond = sum(risk.harmless for risk in self.risks)
        count = len(self.risks) - beyond
        first = "no risk was found" if not count else f"{count} risk{'s' * (count > 1)}"
        first += f" ({beyond} where the exact result is no float)" if beyond else ""
        counts = f"{proved} of {len(self.parts)} parts proved in range, {self.tried} inputs tried"
        lines = [f"{first}: {counts}, {self.judged} compared with exact results; {self.stopped}"]
        alike: dict[tuple[float, float], list[str]] = {}
        for variable, ends in self.inputs.items():
            alike.setdefault(ends, []).append(named(variable))
        for (low, high), names in alike.items():
            lines.append(f"  {cut(', '.join(names), _NAMES)} in [{low:g}, {high:g}]")
        return "\n".join([*lines, *(f"{n}. {risk}" for n, risk in enumerate(self.risks, 1))])

    __repr__ = __str__


def array_text(array: Any) -> str:
    """A short text of a value; numbers beyond the first are left out."""
    array = np.asarray(array)
    if array.size > _SHOWN:
        flat = ", ".join(f"{x:.9g}" for x in array.ravel()[:_SHOWN])
        return f"{array.dtype}{list(array.shape)} [{flat}, …]"
    text = np.array2string(
        array,
        sys.maxsize,
        separator=", ",
        formatter={"float_kind": lambda x: str(x).removesuffix(".0")},
    )
    return " ".join(line.strip() for line in text.splitlines())
