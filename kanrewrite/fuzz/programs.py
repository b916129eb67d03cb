"""Programs: straight lines of Aesara code with inputs and their values, as text.

A program is what a random graph is kept as: it can be cut line by line, printed, pickled and run
again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Variable
from aesara.tensor import special

from kanrewrite import registry

Graph = Variable[Any, Any]
Array = Any
Values = dict[str, Array]

#: The weights by which a result becomes a cost.
_WEIGHT = "at.cos(at.arange({0}.size).reshape({0}.shape) + 1)"


@dataclass(frozen=True)
class Input:
    """An input: its dtype, and of each axis the length that its type states, if any."""

    name: str
    dtype: str
    shape: tuple[int | None, ...]

    def variable(self) -> Graph:
        """The variable of Aesara."""
        return at.TensorType(self.dtype, shape=self.shape)(self.name)

    def __str__(self) -> str:
        return f"{self.name} = at.TensorType({self.dtype!r}, shape={self.shape!r})({self.name!r})"


@dataclass(frozen=True)
class Line:
    """``name = template`` with the names of operands put in."""

    name: str
    template: str
    operands: tuple[str, ...]

    @property
    def code(self) -> str:
        """The right side."""
        return self.template.format(*self.operands)

    def __str__(self) -> str:
        return f"{self.name} = {self.code}"

    def renamed(self, names: Mapping[str, str]) -> Line:
        """The line with other operands."""
        return replace(self, operands=tuple(names.get(o, o) for o in self.operands))


@dataclass(frozen=True)
class Program:
    """Inputs, lines of which the last is the result, and what is asked of it.

    Attributes
    ----------
    inputs : tuple of Input
    lines : tuple of Line
    order : int
        0 for the value alone, 1 with gradients, 2 with a product of the Hessian too.
    """

    inputs: tuple[Input, ...]
    lines: tuple[Line, ...]
    order: int = 1

    @property
    def result(self) -> str:
        """The name of the result."""
        return self.lines[-1].name

    def trimmed(self) -> Program:
        """Without what the result does not need."""
        needed, kept = {self.result}, []
        for line in reversed(self.lines):
            if line.name in needed:
                kept.append(line)
                needed.update(line.operands)
        return replace(
            self,
            inputs=tuple(i for i in self.inputs if i.name in needed),
            lines=tuple(reversed(kept)),
        )

    def graph(self) -> tuple[list[Graph], dict[str, Graph]]:
        """The inputs, and by name what is computed: ``value``, ``d/dx`` and ``d2/dx``."""
        variables = {i.name: i.variable() for i in self.inputs}
        names: dict[str, Any] = {**variables, **NAMESPACE}
        with registry.disabled():
            for line in self.lines:
                names[line.name] = run(line.code, names)
            value = at.as_tensor_variable(names[self.result])
            return list(variables.values()), {"value": value, **self._derived(value, variables)}

    def _derived(self, value: Graph, variables: Mapping[str, Graph]) -> dict[str, Graph]:
        wrt = [v for v in variables.values() if v.type.dtype.startswith("float")]
        if not self.order or not wrt or not value.type.dtype.startswith("float"):
            return {}
        cost = (value * run(_WEIGHT.format("v"), {"v": value, **NAMESPACE})).sum()
        first = gradients(cost, wrt)
        found = {f"d/d{v.name}": g for v, g in zip(wrt, first, strict=True) if g is not None}
        if self.order > 1:
            total = sum(_total(g) for g in found.values())
            second = gradients(total, wrt) if found else []
            pairs = zip(wrt, second, strict=False)  # none where there is no first derivative
            found |= {f"d2/d{v.name}": g for v, g in pairs if g is not None}
        return found

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.inputs, *self.lines)))


def _total(gradient: Any) -> Any:
    """The Hessian is multiplied with a constant vector."""
    return (0.75 * gradient).sum()


def gradients(cost: Graph, wrt: list[Graph]) -> list[Graph | None]:
    """The gradients of a cost, None where it does not depend."""
    options: dict[str, Any] = {"disconnected_inputs": "ignore", "return_disconnected": "None"}
    found: Any = aesara.grad(cost, wrt, **options)
    return list(found)


#: What the code of programs names.
NAMESPACE: dict[str, Any] = {"aesara": aesara, "at": at, "np": np, "special": special}


def run(code: str, names: Mapping[str, Any]) -> Any:
    """What an expression is worth: the code is made by this package, or read from its tests."""
    return eval(code, dict(names))


def program_of(text: str, order: int = 1) -> Program:
    """The program that a text states, as `Program` prints it.

    Parameters
    ----------
    text : str
        Lines ``name = expression``; those that make a ``TensorType`` are the inputs.
    order : int
        See `Program`.

    Examples
    --------
    >>> print(program_of('''
    ... x = at.TensorType('float64', shape=(None,))('x')
    ... v1 = at.exp(x)
    ... '''))
    x = at.TensorType('float64', shape=(None,))('x')
    v1 = at.exp(x)
    """
    inputs: list[Input] = []
    lines: list[Line] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, code = line.partition(" = ")
        if code.startswith("at.TensorType("):
            kind = run(code, NAMESPACE).type
            inputs.append(Input(name, kind.dtype, tuple(kind.shape)))
        else:
            known = [*(i.name for i in inputs), *(x.name for x in lines)]
            operands = tuple(n for n in known if _mentions(code, n))
            lines.append(Line(name, _template(code, operands), operands))
    return Program(tuple(inputs), tuple(lines), order)


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")


def _mentions(code: str, name: str) -> bool:
    return _pattern(name).search(code) is not None


def _template(code: str, operands: Iterable[str]) -> str:
    code = code.replace("{", "{{").replace("}", "}}")
    for place, name in enumerate(operands):
        code = _pattern(name).sub(f"{{{place}}}", code)
    return code
