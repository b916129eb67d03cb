"""Graphs as Python: what one types to make them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import singledispatch
from itertools import count
from keyword import iskeyword
from string import ascii_lowercase
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Constant, Variable, graph_inputs, io_toposort
from aesara.scalar.basic import Cast
from aesara.tensor.basic import Join, MakeVector
from aesara.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from aesara.tensor.extra_ops import CumOp
from aesara.tensor.math import MaxAndArgmax
from aesara.tensor.shape import Reshape

from kanrewrite.display import LENGTHS, PICKS, PUTS, applied, operator_text
from kanrewrite.terms import operator_of

Graph = Variable[Any, Any]

_INFIX = {"add": "+", "sub": "-", "mul": "*", "true_div": "/", "pow": "**"}
_NAMES = {"sqr": "square", "scalar_maximum": "maximum", "scalar_minimum": "minimum"}
_REDUCTIONS = (CAReduce, MaxAndArgmax)
_WORDS = ("softmax", "log_softmax")
#: The functions that make Ops whose operands are theirs, in their order.
_MAKERS = {
    "AllocDiag": "diag",
    "ARange": "arange",
    "Alloc": "alloc",
    "BatchedDot": "batched_dot",
    "Eye": "eye",
    "MatrixInverse": "linalg.inv",
    "Tri": "tri",
    "SortOp": "sort",
    "ArgSortOp": "argsort",
}
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
    texts = _inputs(outputs)
    taken = set(texts.values())
    names = (name for name in map(_name, count()) if name not in taken)
    lines: list[str] = []
    for node in nodes:
        inside = [texts[x] if x in texts else _leaf(x) for x in node.inputs]
        for out in node.outputs:
            text = _applied(node.op, inside, out)
            kept = isinstance(node.op, DimShuffle | CAReduce | MaxAndArgmax)
            long = len(text) > _WIDTH and out not in outputs
            if (used[out] > 1 and not kept and not _is_number(out)) or long:
                name = next(names)
                lines.append(f"{name} = {_bare(text)}")
                text = name
            texts[out] = text
    ends = ", ".join(_bare(texts.get(x) or _leaf(x)) for x in outputs)
    return "\n".join([*lines, ends])


def _inputs(outputs: Sequence[Graph]) -> dict[Graph, str]:
    """The inputs by names that Python takes, ``input0`` where there is none of their own."""
    found = dict.fromkeys(x for x in graph_inputs(outputs) if not isinstance(x, Constant))
    own = {x: x.name for x in found if x.name and _is_usable(x.name)}
    names = (name for name in map("input{}".format, count()) if name not in own.values())
    return {x: own.get(x) or next(names) for x in found}


def _is_usable(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name) and name != "at"


def _name(number: int) -> str:
    return ascii_lowercase[number] if number < len(ascii_lowercase) else f"a{number}"


def _leaf(variable: Any) -> str:
    data = np.asarray(variable.data)
    if data.ndim:
        return f"at.constant({data.tolist()}, dtype={data.dtype.name!r})"
    if data.dtype.kind not in "fiub":
        return repr(data.tolist())
    number = data.item()
    if not np.isfinite(number):
        return f"float('{number}')"
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


@singledispatch
def _applied(op: Any, inside: list[str], _out: Graph) -> str:
    """One output of an Op on the texts of its operands."""
    name = operator_text(op).split("{")[0]
    if name in _WORDS:
        return f"at.special.{name}({_bare(inside[0])}, axis={op.axis})"
    if (maker := _MAKERS.get(type(op).__name__)) is not None:
        return f"at.{maker}({_listed(inside)})"
    prefix = "at." if name == operator_text(op) and hasattr(at, name) else ""
    return f"{prefix}{operator_text(op)}({_listed(inside)})"


@_applied.register(DimShuffle)
def _moved(op: Any, inside: list[str], out: Graph) -> str:
    order, text = op.new_order, inside[0]
    inner = out.owner.inputs[0].owner
    if set(order) <= {"x"}:
        return text  # numbers broadcast by themselves
    if inner is not None and isinstance(inner.op, _REDUCTIONS) and text.endswith(")"):
        axes = inner.op.axis if inner.op.axis is not None else range(len(order))
        axes = axes if isinstance(axes, tuple | list | range) else (axes,)
        if tuple(n for n, o in enumerate(order) if o == "x") == tuple(sorted(axes)):
            return f"{text[:-1]}, keepdims=True)"
    return f"{_primary(text)}.dimshuffle({', '.join(map(repr, order))})"


@_applied.register(CAReduce)
@_applied.register(MaxAndArgmax)
def _reduced(op: Any, inside: list[str], out: Graph) -> str:
    name = "max" if isinstance(op, MaxAndArgmax) else type(op).__name__.lower()
    axes = op.axis if op.axis is not None else tuple(range(out.owner.inputs[0].type.ndim))
    axes = axes if isinstance(axes, tuple | list) else (axes,)
    axis = axes[0] if len(axes) == 1 else tuple(axes)
    return f"{_primary(inside[0])}.{'arg' * out.index}{name}(axis={axis})"


@_applied.register(Elemwise)
def _elementwise(op: Any, inside: list[str], _out: Graph) -> str:
    name = operator_of(op).name
    name = _NAMES.get(name, name)
    if name == "neg":
        return f"(-{inside[0]})"
    if name == "pow":
        base = inside[0] if inside[0].isdecimal() else _primary(inside[0])
        return f"{base}**{inside[1]}"
    if isinstance(op.scalar_op, Cast):
        return f"at.cast({_bare(inside[0])}, {op.scalar_op.o_type.dtype!r})"
    if name in _INFIX:
        return f"({f' {_INFIX[name]} '.join(inside)})"
    prefix = "at." if hasattr(at, name) else ""
    return f"{prefix}{name}({_listed(inside)})"


def _behind(op: Any, inside: list[str], _out: Graph) -> str:
    return applied(op, [_primary(inside[0]), *map(_bare, inside[1:])])


def _put(op: Any, inside: list[str], out: Graph) -> str:
    verb, operands = _behind(op, inside, out).split("(", 1)
    return f"at.{verb}_subtensor({operands}"


for behind in PICKS + LENGTHS:
    _applied.register(behind, _behind)
for put in PUTS:
    _applied.register(put, _put)


@_applied.register(Reshape)
def _reshaped(op: Any, inside: list[str], _out: Graph) -> str:
    return f"{_primary(inside[0])}.reshape({_bare(inside[1])}, ndim={op.ndim})"


@_applied.register(Join)
def _joined(_op: Any, inside: list[str], _out: Graph) -> str:
    return f"at.concatenate([{_listed(inside[1:])}], axis={inside[0]})"


@_applied.register(MakeVector)
def _stacked(_op: Any, inside: list[str], _out: Graph) -> str:
    return f"at.stack([{_listed(inside)}])"


@_applied.register(CumOp)
def _running(op: Any, inside: list[str], _out: Graph) -> str:
    name = {"add": "cumsum", "mul": "cumprod"}[op.mode]
    return f"at.{name}({_bare(inside[0])}, axis={op.axis})"


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(map(_bare, texts))


def _primary(text: str) -> str:
    """A text that a dot, brackets or a power may follow."""
    depth, power = 0, False
    for n, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        power |= not depth and text.startswith("**", n)
    return f"({text})" if power or text[0] in "-.0123456789" else text
