"""Whether a replacement may be made: types must stay, and something must have changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, cast

from aesara.configdefaults import config
from aesara.graph.basic import Apply, Constant, Variable
from aesara.tensor.elemwise import Elemwise

from kanrewrite.terms import operator_of

Graph = Variable[Any, Any]
_COMMUTATIVE = frozenset({"add", "mul"})


def keeps_type(old: Graph, new: Graph) -> bool:
    """Whether a value has the dtype, the broadcast pattern and the known lengths of another."""
    if old.type == new.type:
        return True
    if getattr(old.type, "broadcastable", None) != getattr(new.type, "broadcastable", None):
        return False
    return bool(old.type.is_super(new.type))


def alike(a: Graph, b: Graph) -> bool:
    """Whether two graphs compute the same by the same Ops, up to the order of sums and products.

    A view reads what a relation has built as the same form again, so that the relation matches its
    own result; it is then told by this that there is nothing to do.
    """
    return _alike(a, b, {})


def _alike(a: Graph, b: Graph, known: dict[tuple[int, int], bool]) -> bool:
    if a is b:
        return True
    if isinstance(a, Constant) or isinstance(b, Constant):
        return isinstance(a, Constant) and isinstance(b, Constant) and a.equals(b)
    if a.owner is None or b.owner is None or a.type != b.type:
        return False
    key = (id(a), id(b))
    if key not in known:
        known[key] = _same_node(a, b, known)
    return known[key]


def _same_node(a: Graph, b: Graph, known: dict[tuple[int, int], bool]) -> bool:
    op = a.owner.op
    if op != b.owner.op or a.owner.outputs.index(a) != b.owner.outputs.index(b):
        return False
    if not (isinstance(op, Elemwise) and operator_of(op).name in _COMMUTATIVE):
        mine, theirs = a.owner.inputs, b.owner.inputs
        return len(mine) == len(theirs) and all(
            _alike(x, y, known) for x, y in zip(mine, theirs, strict=True)
        )
    rest = list(_operands(b, op))
    for operand in _operands(a, op):
        twin = next((x for x in rest if _alike(operand, x, known)), None)
        if twin is None:
            return False
        rest.remove(twin)
    return not rest


def _operands(variable: Graph, op: Any) -> Iterator[Graph]:
    """The operands of nested applications of one associative Op."""
    if variable.owner is not None and variable.owner.op == op:
        for operand in variable.owner.inputs:
            yield from _operands(operand, op)
    else:
        yield variable


def without_traces() -> AbstractContextManager[Any]:
    """Build nodes without traces of their own: they get those of what they replace."""
    return cast(AbstractContextManager[Any], config.change_flags(traceback__limit=0))


def hand_down_traces(old: Iterable[Graph], new: Iterable[Graph]) -> None:
    """Give new variables the stack traces of what they replace, each trace once.

    Aesara's own copies append: traces handed down a chain of rewrites double with each of them.
    """
    handed = [trace for variable in old for trace in _traces(variable)]
    for variable in new:
        known = {id(trace): trace for trace in (*_traces(variable), *handed)}
        variable.tag.trace = list(known.values())


def _traces(variable: Graph) -> list[Any]:
    found = getattr(variable.tag, "trace", [])
    return [found] if found and isinstance(found[0], tuple) else list(found)


def new_nodes(results: list[Graph], known: Any) -> list[Apply[Any]]:
    """The nodes below some results that a graph does not have yet."""
    found: dict[Apply[Any], None] = {}
    stack = [r.owner for r in results if r.owner is not None]
    while stack:
        node = stack.pop()
        if node not in found and node not in known:
            found[node] = None
            stack.extend(x.owner for x in node.inputs if x.owner is not None)
    return list(found)
