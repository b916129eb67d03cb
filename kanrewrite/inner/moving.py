"""Sizes and signs of variables, through everything that only moves elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Constant, Variable
from aesara.scan.op import Scan
from aesara.tensor.basic import Alloc, AllocEmpty, Join
from aesara.tensor.elemwise import DimShuffle, Elemwise
from aesara.tensor.shape import Reshape, SpecifyShape, Unbroadcast
from aesara.tensor.subtensor import (
    AdvancedSubtensor,
    AdvancedSubtensor1,
    IncSubtensor,
    Subtensor,
)

from kanrewrite.guards.bounds import Bounds, assume
from kanrewrite.terms import T, operator_of

Graph = Variable[Any, Any]

#: What moves the elements of its first operand.
_MOVES = (
    Subtensor, AdvancedSubtensor, AdvancedSubtensor1, DimShuffle, Reshape, SpecifyShape,
    Unbroadcast, Alloc,
)  # fmt: skip

#: Where what is left of a positive number is, if its log is whole.
NEAR = Bounds(0.5, 2.0)


class Level(NamedTuple):
    """A tensor as ``rest * exp(log)``.

    A number as large as ``exp(1e5)`` has the digits of its rest if its log is whole; of the log
    of such a number, which is rounded itself, eleven digits are left to it.

    Where the tensor is zero the rest is, and the log is far below all others, yet finite: what
    it is added to does not overflow, and a difference of two is a number.  Where the tensor is
    positive, or a number of 0, the log is -inf instead.

    Attributes
    ----------
    log
        A whole number, or one that may be.
    rest
        From 0.5 to 2, in size, or a sign; None where it is 1.
    positive
        Whether the rest is.
    """

    log: Graph
    rest: Graph | None
    positive: bool

    @classmethod
    def of(cls, v: Graph, signed: bool) -> Level:
        """That of a variable, whose log is whole."""
        if isinstance(v, Constant):
            return cls._of_constant(v, signed, whole=True)
        log, sign, positive = cls.log_of(v, signed)
        whole: Any = at.round(log)
        rest: Any = v * at.exp(-whole)
        # Not where what is hidden is larger than all that is left: there only the log is a number.
        near = at.lt(at.abs(at.abs(at.round(rest)) - 1.5), 1)
        kept = 1 if sign is None else sign
        rest = rest if signed else at.clip(rest, *NEAR)  # so that its bounds are known
        return cls(at.switch(near, whole, log), at.switch(near, rest, kept), positive)

    @classmethod
    def log_of(cls, v: Graph, signed: bool) -> Level:
        """That of a variable, of which nothing is left but a sign."""
        if isinstance(v, Constant):
            return cls._of_constant(v, signed, whole=False)
        if not signed:
            return cls(at.log(v), None, True)
        sign: Graph = at.sgn(v)
        nothing = _far_below(v.type.dtype)
        return cls(at.switch(at.eq(sign, 0), nothing, at.log(at.abs(v))), sign, False)

    @classmethod
    def made(cls, parts: Iterator[Graph], signed: bool) -> Level:
        """One whose parts a loop hands on."""
        log, rest = next(parts), next(parts)
        if not signed:
            assume(rest, NEAR)
        return cls(log, rest, not signed)

    @classmethod
    def _of_constant(cls, v: Constant[Any], signed: bool, whole: bool) -> Level:
        dtype, sign = v.type.dtype, np.sign(v.data)
        with np.errstate(all="ignore"):
            log = np.log(np.abs(v.data) if signed else v.data)
            rest = v.data * np.exp(-np.round(log))
        near = whole & (np.abs(np.abs(np.round(rest)) - 1.5) < 1)
        nothing = np.where(sign == 0, _far_below(dtype), log) if signed else log
        found = np.where(near, np.round(log), nothing), np.where(near, rest, sign if signed else 1)
        parts = (at.constant(np.asarray(part, dtype)) for part in found)
        return cls(next(parts), next(parts) if signed or whole else None, not signed)

    @property
    def parts(self) -> tuple[Graph, ...]:
        """The log, and the rest if there is one."""
        return (self.log,) if self.rest is None else (self.log, self.rest)

    @property
    def is_collected(self) -> bool:
        """Whether it is what a loop collects, and no state of one."""
        node = self.log.owner
        loop = node is not None and isinstance(node.op, Scan)
        return loop and self.log in node.op.outer_nitsot_outs(node.outputs)

    @property
    def value(self) -> Graph:
        """The tensor itself."""
        power = at.exp(self.log)
        return power if self.rest is None else self.rest * power  # type: ignore[no-any-return]


def _far_below(dtype: str) -> Any:
    return -np.sqrt(np.finfo(dtype).max)


def is_zero(v: Graph) -> bool:
    """Whether a variable is nothing but zeros, as it is written."""
    node = v.owner
    if node is None:
        return isinstance(v, Constant) and not np.any(v.data)
    if isinstance(node.op, _MOVES):
        return is_zero(node.inputs[0])
    return _is_filled(node) and is_zero(node.inputs[1])


def _is_filled(node: Any) -> bool:
    return isinstance(node.op, Elemwise) and operator_of(node.op) is T.fill


def _moved(node: Any) -> tuple[int, ...]:
    """The places of the operands whose elements a node only moves; none where it does more."""
    if isinstance(node.op, _MOVES):
        return (0,)
    if isinstance(node.op, Join):
        return tuple(range(1, len(node.inputs)))
    if _is_filled(node):
        return (1,)
    if isinstance(node.op, IncSubtensor):
        sets = node.op.set_instead_of_inc
        return (0, 1) if sets or is_zero(node.inputs[0]) else ()
    return ()


def ends(v: Graph) -> Iterator[Graph]:
    """The variables whose elements were moved to where they are in this one."""
    stack, seen = [v], set()
    while stack:
        v = stack.pop()
        if v in seen:
            continue
        seen.add(v)
        places = _moved(v.owner) if v.owner is not None else ()
        if places:
            stack.extend(v.owner.inputs[n] for n in places)
        elif v.owner is None or not isinstance(v.owner.op, AllocEmpty):
            yield v


def moved(v: Graph, f: Callable[[Graph], Graph], made: dict[Graph, Graph] | None = None) -> Graph:
    """A function of every element, taken before elements are moved.

    Parameters
    ----------
    v
        A variable.
    f
        What makes another one of the same type of each of its `ends`.
    made
        What is made already.
    """
    made = {} if made is None else made
    if v not in made:
        node = v.owner
        places = _moved(node) if node is not None else ()
        if places:
            inputs = list(node.inputs)
            for n in places:
                inputs[n] = moved(inputs[n], f, made)
            op = node.op
            if isinstance(op, IncSubtensor) and not op.set_instead_of_inc:
                op = IncSubtensor(op.idx_list, set_instead_of_inc=True)
            made[v] = op(*inputs)
        else:
            made[v] = v if node is not None and isinstance(node.op, AllocEmpty) else f(v)
    return made[v]
