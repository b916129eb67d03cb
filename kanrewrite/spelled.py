"""Graphs as Python: what one types to make them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count
from string import ascii_lowercase
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Constant, Variable, io_toposort
from aesara.scalar.basic import Cast
from aesara.tensor.basic import ARange
from aesara.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from aesara.tensor.math import MaxAndArgmax
from aesara.tensor.shape import Shape, Shape_i
from aesara.tensor.subtensor import AdvancedSubtensor, AdvancedSubtensor1, Subtensor

from kanrewrite.display import applied, operator_text
from kanrewrite.terms import operator_of

Graph = Variable[Any, Any]

_INFIX = {"add": "+", "sub": "-", "mul": "*", "true_div": "/", "pow": "**"}
_NAMES = {"sqr": "square", "scalar_maximum": "maximum", "scalar_minimum": "minimum"}
_REDUCTIONS = (CAReduce, MaxAndArgmax)
_WORDS = ("softmax", "log_softmax")
#: Above so many characters a part gets a name of its own.
_WIDTH = 70


def spelled(outputs: Sequence[Graph]) -> str:
    """The lines of Python that make a graph from its inputs, with ``at`` for ``aesara.tensor``.

    Parameters
    ----------
    outputs : sequence of Variable
        The graph; what is used more than once, or long, gets a line of its own.

    Returns
    -------
    str
        Its last line is the output, or the outputs with commas between.  An Op that has no function
        in ``aesara.tensor`` is written as in pictures.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x = at.matrix("x")
    >>> e = at.exp(x)
    >>> print(spelled([e * e.sum(axis=1, keepdims=True) ** -1]))
    a = at.exp(x)
    a * a.sum(axis=1, keepdims=True)**-1
    """
    nodes = io_toposort([], list(outputs))
    used = Counter(x for node in nodes for x in node.inputs)
    taken = {x.name for node in nodes for x in node.inputs}
    names = (name for name in map(_name, count()) if name not in taken)
    lines: list[str] = []
    texts: dict[Graph, str] = {}
    for node in nodes:
        inside = [texts[x] if x in texts else _leaf(x) for x in node.inputs]
        for out in node.outputs:
            text = _applied(node, inside, node.outputs.index(out))
            kept = isinstance(node.op, DimShuffle | CAReduce | MaxAndArgmax)
            long = len(text) > _WIDTH and out not in outputs
            if (used[out] > 1 and not kept and not _is_number(out)) or long:
                name = next(names)
                lines.append(f"{name} = {_bare(text)}")
                text = name
            texts[out] = text
    ends = ", ".join(_bare(texts.get(x) or _leaf(x)) for x in outputs)
    return "\n".join([*lines, ends])


def _name(number: int) -> str:
    return ascii_lowercase[number] if number < len(ascii_lowercase) else f"a{number}"


def _leaf(variable: Graph) -> str:
    if not isinstance(variable, Constant):
        return variable.name or f"<{variable.type}>"
    data = np.asarray(variable.data)
    if data.ndim or data.dtype.kind not in "fiub":
        return repr(data.tolist())
    number = data.item()
    whole = isinstance(number, float) and number.is_integer()
    return repr(int(number) if whole else number)


def _is_number(variable: Graph) -> bool:
    node = variable.owner
    is_move = node is not None and isinstance(node.op, DimShuffle)
    return isinstance(node.inputs[0] if is_move else variable, Constant)


def _bare(text: str) -> str:
    """A text without the parentheses around all of it."""
    depth = 0
    for n, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if not depth and n < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text


def _applied(node: Any, inside: list[str], number: int) -> str:
    op = node.op
    if isinstance(op, DimShuffle):
        return _moved(node, inside[0])
    if isinstance(op, _REDUCTIONS):
        name = "max" if isinstance(op, MaxAndArgmax) else type(op).__name__.lower()
        return f"{inside[0]}.{'arg' * number}{name}(axis={_axis(op, node)})"
    if isinstance(op, Elemwise):
        return _elementwise(op, inside)
    if isinstance(op, Subtensor):
        return applied(op, inside)
    if isinstance(op, AdvancedSubtensor | AdvancedSubtensor1):
        return f"{inside[0]}[{', '.join(map(_bare, inside[1:]))}]"
    if isinstance(op, Shape | Shape_i):
        return f"{inside[0]}.shape" + (f"[{op.i}]" if isinstance(op, Shape_i) else "")
    if isinstance(op, ARange):
        return f"at.arange({', '.join(map(_bare, inside))})"
    name = operator_text(op).split("{")[0]
    if name in _WORDS:
        axis = op.axis
        return f"at.special.{name}({_bare(inside[0])}, axis={axis})"
    prefix = "at." if name == operator_text(op) and hasattr(at, name) else ""
    return f"{prefix}{operator_text(op)}({', '.join(map(_bare, inside))})"


def _elementwise(op: Any, inside: list[str]) -> str:
    name = operator_of(op).name
    name = _NAMES.get(name, name)
    if name == "neg":
        return f"(-{inside[0]})"
    if name == "pow":
        return f"{inside[0]}**{inside[1]}"
    if isinstance(op.scalar_op, Cast):
        return f"at.cast({_bare(inside[0])}, {op.scalar_op.o_type.dtype!r})"
    if name in _INFIX:
        return f"({f' {_INFIX[name]} '.join(inside)})"
    prefix = "at." if hasattr(at, name) else ""
    return f"{prefix}{name}({', '.join(map(_bare, inside))})"


def _axis(op: Any, node: Any) -> str:
    axes = op.axis if op.axis is not None else tuple(range(node.inputs[0].type.ndim))
    axes = axes if isinstance(axes, tuple | list) else (axes,)
    return str(axes[0]) if len(axes) == 1 else str(tuple(axes))


def _moved(node: Any, text: str) -> str:
    order = node.op.new_order
    inner = node.inputs[0].owner
    if set(order) <= {"x"}:
        return text  # numbers broadcast by themselves
    if inner is not None and isinstance(inner.op, _REDUCTIONS) and text.endswith(")"):
        axes = inner.op.axis if inner.op.axis is not None else range(len(order))
        axes = axes if isinstance(axes, tuple | list | range) else (axes,)
        if tuple(n for n, o in enumerate(order) if o == "x") == tuple(sorted(axes)):
            return f"{text[:-1]}, keepdims=True)"
    return f"{text}.dimshuffle({', '.join(map(repr, order))})"
