"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Counterexample:
    """Bindings under which a relation does not hold.

    Parameters
    ----------
    rule : str
        What was replaced by what.
    why : str
        What is wrong: a value, a shape, a type.
    bindings : dict of str to str
        The parameters of the relation, and the values of their inputs.
    size : int
        How many numbers it takes.
    """

    rule: str
    why: str
    bindings: dict[str, str]
    size: int

    def __str__(self) -> str:
        lines = [f"{self.rule}", f"  {self.why}"]
        lines += [f"  {name} = {value}" for name, value in self.bindings.items()]
        return "\n".join(lines)


@dataclass
class Report:
    """What `verify` found out about one relation.

    Attributes
    ----------
    name, source : str
        The relation, and where it is.
    settings : int
        In how many settings (types, shapes, axes, values) the sides were compared.
    elements : int
        How many numbers were compared.
    undefined : int
        How many were left out because the matched side has no value there.
    undecided : int
        Settings that the reference could not decide, by cancellation or size.
    rewrites : int
        How often the rewriter replaced the matched side, each result being compared too.
    ulps_before, ulps_after : dict of str to float
        For each dtype the largest error of the matched side and of what the rewriter built.
    failure : Counterexample or None
        The smallest counterexample found.
    backward_failure : Counterexample or None
        The same for the direction that the relation is not used in.
    problem : str
        Why nothing could be checked.
    """

    name: str
    source: str
    settings: int = 0
    elements: int = 0
    undefined: int = 0
    undecided: int = 0
    rewrites: int = 0
    ulps_before: dict[str, float] = field(default_factory=dict)
    ulps_after: dict[str, float] = field(default_factory=dict)
    failure: Counterexample | None = None
    backward_failure: Counterexample | None = None
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether something was compared and nothing differed."""
        return not self.failure and not self.problem

    @property
    def reversible(self) -> bool:
        """Whether the other direction was found to hold as well."""
        return self.ok and self.backward_failure is None

    def __str__(self) -> str:
        if not self.ok:
            return f"{self.name} at {self.source}: refused\n  {self.failure or self.problem}"
        text = f"{self.name}: holds in {self.settings} settings, {self.elements} numbers compared"
        if self.undefined:
            text += f", {self.undefined} undefined"
        if self.undecided:
            text += f", {self.undecided} settings undecided"
        if self.rewrites:
            text += f"; rewritten {self.rewrites} times"
        for dtype, before in self.ulps_before.items():
            text += f"; {dtype} off by {before:.3g} ulp before, {self.ulps_after[dtype]:.3g} after"
        return text if self.reversible else f"{text}; not true backward"


def shown(value: Any) -> str:
    """A value as a line of text."""
    return " ".join(str(value).split())
