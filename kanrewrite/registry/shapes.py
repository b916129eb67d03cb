"""Shapes that broadcasting gives, each found once.

Aesara infers the shape of every node that enters a graph.  Where the operands of an elementwise
operator may differ in length it builds a maximum and a check, of which both hold scalar graphs of
their own, again for each node, and nests them: that is half of what compiling a gradient takes,
and more of a second derivative, whose nodes are many.  But broadcasting is associative,
commutative and idempotent: the result of lengths depends on the *set* of lengths that met in it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache, lru_cache
from types import FunctionType
from typing import Any

from aesara.compile import builders
from aesara.graph.basic import Apply, Constant, Variable, clone_get_equiv
from aesara.graph.fg import FunctionGraph
from aesara.graph.op import HasInnerGraph
from aesara.graph.rewriting.basic import GraphRewriter, Rewriter, SequentialGraphRewriter
from aesara.graph.rewriting.db import RewriteDatabaseQuery
from aesara.tensor.basic import as_tensor_variable
from aesara.tensor.elemwise import Elemwise
from aesara.tensor.extra_ops import broadcast_shape
from aesara.tensor.rewriting.shape import ShapeFeature
from aesara.tensor.type import lscalar

Length = Variable[Any, Any]

#: The pass of Aesara's by which a graph knows its shapes.
SHAPES = "ShapeOpt"


#: So many lengths meet in one maximum; where more do, as along a chain of residual layers, it is
#: the maximum of those that are known, or its size would grow with the graph.
_FLAT = 8


class Lengths:
    """The lengths of one graph: equal ones have one number, broadcast ones know their parts."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[Length, int] = {}
        self._first: list[Length] = []
        self._parts: dict[int, frozenset[int]] = {}
        self._broadcast: dict[frozenset[int], Length] = {}

    def number(self, length: Length) -> int:
        """The number of a length; two of one structure, over the same variables, share it."""
        stack = [length]
        while stack:
            top = stack[-1]
            if top in self._known:
                stack.pop()
                continue
            node = top.owner
            waiting = [i for i in node.inputs if i not in self._known] if node is not None else []
            if waiting:
                stack.extend(waiting)
                continue
            self._known[top] = self._enter(self._key(top), top)
            stack.pop()
        return self._known[length]

    def _key(self, length: Length) -> Hashable:
        node = length.owner
        if node is not None:
            inputs = tuple(self._known[i] for i in node.inputs)
            return node.op, node.outputs.index(length), inputs
        return length.signature() if isinstance(length, Constant) else length

    def _enter(self, key: Hashable, length: Length) -> int:
        number = self._numbers.setdefault(key, len(self._first))
        if number == len(self._first):
            self._first.append(length)
        return number

    def broadcast(self, lengths: list[Length]) -> Length:
        """The length that several lengths, of which none is known to be 1, have together."""
        numbers = [self.number(length) for length in lengths]
        if len(set(numbers)) == 1:
            return lengths[0]
        parts = frozenset().union(*(self._parts.get(n, {n}) for n in numbers))
        found = self._broadcast.get(parts)
        if found is None:
            few = parts if len(parts) <= _FLAT else self._largest(numbers)
            found = self._broadcast[parts] = common([self._first[n] for n in sorted(few)])
            # It is known by itself: its own structure is large, and nothing else has it.
            self._known[found] = self._enter(found, found)
            self._parts[self._known[found]] = parts
        return found

    def _largest(self, numbers: list[int]) -> set[int]:
        """Lengths of which none has met in another one."""
        met = {n: self._parts.get(n, frozenset([n])) for n in numbers}
        return {n for n in met if not any(met[n] < other for other in met.values())}


def common(lengths: list[Length]) -> Length:
    """The length that several ones have together, by operators that are made once for each count.

    To make scalar operators that hold graphs of their own, and to compare them with others, takes
    most of the time.
    """
    if any(isinstance(v, Constant) or v.type != lscalar for v in lengths):
        return _broadcast(lengths)
    names, found = _common_of(len(lengths))
    memo: dict[Any, Any] = dict(zip(names, lengths, strict=True))
    clone_get_equiv(names, [found], copy_inputs=False, copy_orphans=False, memo=memo)
    made: Length = memo[found]
    return made


@lru_cache(maxsize=32)
def _common_of(count: int) -> tuple[list[Length], Length]:
    """So many unknown lengths, and what they have together."""
    names = [lscalar() for _ in range(count)]
    return names, _broadcast(names)


def _broadcast(lengths: list[Length]) -> Length:
    (found,) = broadcast_shape(*((v,) for v in lengths), arrays_are_shapes=True)
    return as_tensor_variable(found)


class Shapes(ShapeFeature):
    """What a graph knows of its shapes, with the lengths of elementwise results found once."""

    def on_attach(self, fgraph: FunctionGraph) -> None:
        """Infer the shapes of a graph."""
        self.lengths = Lengths()
        super().on_attach(fgraph)  # type: ignore[no-untyped-call]  # Aesara's has no types

    def get_node_infer_shape(self, fgraph: FunctionGraph, node: Apply[Any]) -> Any:
        """The shape of each output."""
        if isinstance(node.op, HasInnerGraph):
            return self._of_inner_graph(fgraph, node)
        shapes = [shape for i in node.inputs if (shape := self.shape_of[i]) is not None]
        elementwise = isinstance(node.op, Elemwise) and len(node.outputs) == 1
        if not elementwise or not 1 < len(shapes) == len(node.inputs):
            return super().get_node_infer_shape(fgraph, node)
        try:
            return [tuple(map(self._length, *shapes))]
        except ValueError:  # lengths that do not fit: Aesara says so as it always does
            return super().get_node_infer_shape(fgraph, node)

    def _of_inner_graph(self, fgraph: FunctionGraph, node: Apply[Any]) -> Any:
        """The shapes of a loop and its like, which ask for those inside of them."""
        infer = _informed(getattr(type(node.op), "infer_shape", None))
        if infer is None:
            return super().get_node_infer_shape(fgraph, node)
        try:
            return infer(node.op, fgraph, node, [self.shape_of[i] for i in node.inputs])
        except Exception:  # noqa: BLE001  # Aesara says what it is, and does as it is told
            return super().get_node_infer_shape(fgraph, node)

    def _length(self, *lengths: Length) -> Length:
        left = [length for length in dict.fromkeys(lengths) if not is_one(length)]
        if len(left) > 1:
            return self.lengths.broadcast(left)
        return left[0] if left else self.lscalar_one


@cache
def _informed(infer_shape: Any) -> Callable[..., Any] | None:
    """How an Op finds shapes, with lengths inside of its graph found once, too.

    Aesara's Ops of inner graphs have one function for that, which makes a `ShapeFeature` of its
    own and takes no other: each uses it by a name of its module.
    """
    names = getattr(infer_shape, "__globals__", {})
    if names.get("infer_shape") is not builders.infer_shape:
        return None
    return _rebound(infer_shape, infer_shape=_rebound(builders.infer_shape, ShapeFeature=Shapes))


def _rebound(function: Any, **names: Any) -> Callable[..., Any]:
    """The function with other things under some of the names of its module."""
    return FunctionType(
        function.__code__,
        function.__globals__ | names,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )


def is_one(length: Length) -> bool:
    """Tell whether a length is known to be 1."""
    return isinstance(length, Constant) and bool(length.data == 1)


class ShapesPass(GraphRewriter):
    """Lets a graph know its shapes by `Shapes`, before Aesara's own feature is attached."""

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        """Attach the feature; Aesara's finds that it is there."""
        fgraph.attach_feature(Shapes())

    def apply(self, fgraph: FunctionGraph) -> None:
        """Nothing is left to do."""


def shapes(query: RewriteDatabaseQuery) -> Rewriter:
    """The pass for a query; one that excludes what knows shapes has none."""
    return SequentialGraphRewriter() if SHAPES in query.exclude else ShapesPass()
