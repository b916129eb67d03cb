"""How objects show themselves, without the lower layers knowing how pictures are made.

`brief` is the one-line text of a graph.  `Pictured` gives an object ``_repr_html_``,
``_repr_svg_`` and ``save``; the drawing itself is loaded when a picture is first asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from aesara.graph.basic import Constant, Variable
from aesara.scan.op import Scan
from aesara.tensor.basic import ARange
from aesara.tensor.shape import Shape, Shape_i
from aesara.tensor.subtensor import (
    AdvancedIncSubtensor,
    AdvancedIncSubtensor1,
    AdvancedSubtensor,
    AdvancedSubtensor1,
    IncSubtensor,
    Subtensor,
)

from kanrewrite.insides import inside
from kanrewrite.terms import operator_of

_INFIX = {"add": " + ", "sub": " - ", "mul": " * ", "true_div": " / ", "pow": "**"}

#: Operators whose first operand has something behind it: an index, or its shape.
PICKS = (Subtensor, AdvancedSubtensor, AdvancedSubtensor1)
PUTS = (IncSubtensor, AdvancedIncSubtensor, AdvancedIncSubtensor1)
LENGTHS = (Shape, Shape_i)
#: Characters of an operator's name within an expression: a fused one has hundreds.
_NAME = 40
#: How many characters of a graph are written, but for what joins operands.
_MOST = 2000
_NAMES = {
    "Sum": "sum",
    "Prod": "prod",
    "Max": "max",
    "MaxAndArgmax": "max",
    "Softmax": "softmax",
    "LogSoftmax": "log_softmax",
    "SoftmaxGrad": "softmax_grad",
}


def cut(text: str, width: int) -> str:
    """A text of at most so many characters; an ellipsis stands for what is left out.

    Examples
    --------
    >>> cut("Composite{exp((i0 - i1))}", 12)
    'Composite{e…'
    """
    return text if len(text) <= width else f"{text[: width - 1]}…"


def place(source: str) -> str:
    """``file:line``, from the current directory where the file is below it."""
    file, _, line = source.rpartition(":")
    try:
        return f"{Path(file).relative_to(Path.cwd())}:{line}"
    except ValueError:
        return source


def operator_text(op: Any) -> str:
    """An Op in few characters: ``exp``, ``sum{1}``, ``dimshuffle{0,x}``.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> operator_text(at.matrix("x").sum(axis=1).owner.op)
    'sum{1}'
    """
    if isinstance(op, Scan):
        return "scan"
    if hasattr(op, "new_order"):
        return f"dimshuffle{{{','.join(map(str, op.new_order))}}}"
    if isinstance(op, PICKS + PUTS + LENGTHS + (ARange,)):
        return type(op).__name__.lower()
    if hasattr(op, "scalar_op") and not hasattr(op, "axis"):
        return _plain(operator_of(op).name)
    axis = getattr(op, "axis", None)
    name = str(getattr(op, "name", None) or type(op).__name__)
    if not hasattr(op, "axis"):
        return str(op)
    name = _NAMES.get(name, name)
    if axis is None:
        return name
    return f"{name}{{{','.join(map(str, axis if isinstance(axis, tuple | list) else (axis,)))}}}"


def _plain(name: str) -> str:
    """The name of an operator that works in place, as that of the one that does not: TrueDiv."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() if name.isalnum() else name


def value_text(value: Any) -> str:
    """A value where it is a number or short, and otherwise its dtype and shape.

    Examples
    --------
    >>> import numpy as np
    >>> value_text(np.sqrt(2 * np.pi)), value_text(np.zeros((3, 50)))
    ('2.50663', 'float64[3, 50]')
    """
    array = np.asarray(value)
    if array.size == 1 and array.dtype.kind in "fiub":
        number = array.reshape(-1)[0].item()
        return f"{number:.6g}" if isinstance(number, float) and number % 1 else str(number)
    text = " ".join(str(value).split())
    if len(text) <= 16:
        return text
    return f"{array.dtype}{list(array.shape)}" if array.dtype.kind != "O" else cut(text, 16)


def leaf_text(variable: Variable[Any, Any]) -> str:
    """The name of an input, or the value of a constant when it is short."""
    if isinstance(variable, Constant):
        return variable.name or value_text(variable.data)
    return named(variable)


def named(variable: Variable[Any, Any]) -> str:
    """The name of a variable, or that of its type where it has none.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> named(at.vector("x")), named(at.tensor("float64", (None, 3)))
    ('x', 'float64(?, 3)')
    """
    return variable.name or type_text(variable.type)


def type_text(kind: Any) -> str:
    """A type in few characters: ``float64(?, 3)``."""
    shape = getattr(kind, "shape", None)
    if shape is None:
        return str(kind)
    return f"{kind.dtype}({', '.join('?' if n is None else str(n) for n in shape)})"


def brief(variable: Variable[Any, Any], depth: int = 5) -> str:
    """The text of a graph, cut below a depth and after `_MOST` characters.

    Shared subgraphs and long sums thus cannot make it explode.

    Parameters
    ----------
    variable : Variable
        The root of the graph.
    depth : int
        How many operators are written inside each other before an ellipsis.

    Returns
    -------
    str

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x = at.matrix("x")
    >>> brief(at.log(at.exp(x) + 2.0))
    'log(exp(x) + 2.0)'
    >>> len(brief(at.add(*(at.exp(x + n) for n in range(1000))))) < 4000
    True
    """
    return _Brief(_MOST).text(variable, depth, top=True)


def in_line(variable: Variable[Any, Any], width: int = 66) -> str:
    """The text of a graph, as deep as a line holds: two graphs that differ shall look so.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x = at.vector("x")
    >>> in_line(at.log(at.exp(at.exp(at.exp(at.exp(at.exp(x)))))))
    'log(exp(exp(exp(exp(exp(x))))))'
    """
    text = brief(variable)
    for depth in range(6, width):
        deeper = brief(variable, depth)
        if deeper == text or len(deeper) > width:
            break
        text = deeper
    return text


class _Brief:
    """Writes graphs until so many characters are written."""

    def __init__(self, most: int):
        self.left = most

    def text(self, variable: Variable[Any, Any], depth: int, top: bool = False) -> str:
        node = variable.owner
        if node is None or self.left <= 0:
            return "…" if self.left <= 0 else self._written(leaf_text(variable))
        name = self._written(cut(operator_text(node.op), _NAME))
        if name.startswith("dimshuffle{x") and isinstance(node.inputs[0], Constant):
            return leaf_text(node.inputs[0])
        if depth == 0:
            return "…"
        if isinstance(node.op, Scan):
            return f"scan({', '.join(self.text(x, depth - 1, top=True) for x in inside(variable))})"
        first = name not in _INFIX and not isinstance(node.op, PICKS + PUTS + LENGTHS)
        texts = [
            self.text(x, depth - 1, top=name not in _INFIX if n else first)
            for n, x in enumerate(node.inputs)
        ]
        if name in _INFIX and len(texts) > 1:
            while texts[-2:] == ["…", "…"]:
                texts.pop()
            text = _INFIX[name].join(texts)
            return text if top else f"({text})"
        return applied(node.op, texts)

    def _written(self, text: str) -> str:
        self.left -= len(text)
        return text


def applied(op: Any, operands: list[str]) -> str:
    """An Op on the texts of its operands: ``exp(x)``, ``x[:, 0]``.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x, y = at.matrix("x"), at.lvector("y")
    >>> applied(x[:, :3].owner.op, ["x", "3"]), applied(x[y].owner.op, ["x", "y"])
    ('x[:, :3]', 'x[y]')
    """
    if isinstance(op, LENGTHS):
        return f"{operands[0]}.shape" + (f"[{op.i}]" if isinstance(op, Shape_i) else "")
    if isinstance(op, PICKS + PUTS):
        count = 1 if isinstance(op, PICKS) else 2
        rest = iter(operands[count:])
        parts = (_index_text(p, rest) for p in op.idx_list) if hasattr(op, "idx_list") else rest
        picked = f"{operands[0]}[{', '.join(parts)}]"
        if isinstance(op, PICKS):
            return picked
        return f"{'set' if op.set_instead_of_inc else 'inc'}({picked}, {operands[1]})"
    return f"{cut(operator_text(op), _NAME)}({', '.join(operands)})"


def _index_text(part: Any, operands: Iterator[str]) -> str:
    """One index: where it holds a type instead of a number, the next operand is meant."""
    if not isinstance(part, slice):
        return str(part) if isinstance(part, int) else next(operands)
    ends = (part.start, part.stop, part.step)
    texts = ["" if end is None else _index_text(end, operands) for end in ends]
    return ":".join(texts[:2] if part.step is None else texts)


class Pictured:
    """An object with a picture: in notebooks by itself, in files by `save`."""

    __slots__ = ()

    def picture(self) -> Any:
        """The picture of this object, a `kanrewrite.draw.Picture`."""
        return import_module("kanrewrite.draw").draw(self)

    def _repr_html_(self) -> str:
        return str(self.picture()._repr_html_())

    def _repr_svg_(self) -> str:
        return str(self.picture()._repr_svg_())

    def save(self, path: str | Path) -> None:
        """Write the picture to ``path``, which ends in ``.svg`` or ``.html``."""
        self.picture().save(path)
