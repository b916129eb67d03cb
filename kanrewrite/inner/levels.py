"""Tensors as exponents and what is left of them, as relations state it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode
from aesara.graph.basic import Constant, Variable
from aesara.scan.op import Scan

from kanrewrite import ac
from kanrewrite.ac import Eq
from kanrewrite.guards.bounds import Bounds, assume
from kanrewrite.relation import Relation, substitute
from kanrewrite.relation.goals import REAL
from kanrewrite.terms import Param, T, Term, parameters_of, with_part
from kanrewrite.unify.building import as_graph

Graph = Variable[Any, Any]

#: Where what is left of a positive number is, if its log is whole.
NEAR = Bounds(0.5, 2.0)

#: The relations: an exponent and a sign, a whole exponent and the rest, a number and what lacks.
LOGS, WHOLE, LACKS = "loop_levels", "loop_exponents", "loop_complements"

_ALONE = Mode(linker="py", optimizer="merge")
_LOG, _REST, _LACK = Param("levels:log"), Param("levels:rest"), Param("levels:lack")


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


class Split:
    """An equation ``rest * exp(log) == s`` as it is executed.

    A tensor is matched with the right side; its parts are those of the left side then, and the
    left side of parts is the tensor again.

    Parameters
    ----------
    equation
        The rest, or all but the exponential, may be left out.
    """

    def __init__(self, equation: Eq):
        self.of, left = solved(equation)
        *rest, power = left[1:] if left[0] is T.mul else (left,)
        self._log = power[1]
        # Of the very exponent that is carried: a second one may be rounded to the other side.
        whole = T.mul(*rest) if len(rest) > 1 else next(iter(rest), None)
        self._rest = with_part(whole, self._log, _LOG)
        self._value = T.mul(_REST, T.exp(_LOG)) if rest else T.exp(_LOG)

    def log(self, v: Graph) -> Graph:
        """The exponent of a tensor."""
        return _built(self._log, {self.of: v})

    def rest(self, v: Graph, log: Graph) -> Graph | None:
        """What is left of a tensor without its exponent, if it is stated."""
        return None if self._rest is None else _built(self._rest, {self.of: v, _LOG: log})

    def value(self, log: Graph, rest: Graph | None) -> Graph:
        """The tensor whose parts are known."""
        given = {_LOG: log} if rest is None else {_LOG: log, _REST: rest}
        return _built(self._value, given)


class Lacking:
    """An equation ``n - (n - s) == s`` as it is executed.

    Parameters
    ----------
    equation
        Its left side takes from a number what it takes a tensor from.
    """

    def __init__(self, equation: Eq):
        self.of, left = solved(equation)
        _, self._number, self._lack = left
        self._value = T.sub(self._number, _LACK)

    def lack(self, number: float, v: Graph) -> Graph:
        """What a tensor lacks to a number."""
        of = at.constant(np.asarray(number, v.type.dtype))
        return _numbers([_built(self._lack, {self._number: of, self.of: v})], v)[0]

    def value(self, number: float, lack: Graph) -> Graph:
        """The tensor that lacks something to a number."""
        of = at.constant(np.asarray(number, lack.type.dtype))
        return _built(self._value, {self._number: of, _LACK: lack})


class Levels:
    """How tensors are carried, by the relations that take part.

    Parameters
    ----------
    relations
        Among them `LOGS`; without `WHOLE` exponents are the logs, without `LACKS` nothing is
        carried beside a tensor.
    """

    def __init__(self, relations: Iterable[Relation]):
        stated = {r.name: r.equations for r in relations}
        self._logs = list(map(Split, stated[LOGS]))
        self._wholes = list(map(Split, stated.get(WHOLE, ())))
        self.lacking = next(map(Lacking, stated.get(LACKS, ())), None)
        self.names = (WHOLE,) if self._wholes else ()

    def count(self, signed: bool) -> int:
        """How many parts a tensor has."""
        return 2 if signed or self._wholes else 1

    def of(self, v: Graph, signed: bool) -> Level:
        """The level of a variable, whose log is whole."""
        level = self._log_of(v, signed)
        if self._wholes:
            split = self._wholes[signed]
            whole = split.log(v)
            rest = split.rest(v, whole)
            # Not where what is hidden is larger than all that is left: there only the log is one.
            near = at.lt(at.abs(at.abs(at.round(rest)) - 1.5), 1)
            kept = 1 if level.rest is None else level.rest
            rest = rest if signed else at.clip(rest, *NEAR)  # so that its bounds are known
            log, rest = at.switch(near, whole, level.log), at.switch(near, rest, kept)
            level = level._replace(log=log, rest=rest)
        return _settled(level, v)

    def log_of(self, v: Graph, signed: bool) -> Level:
        """That of a variable, of which nothing is left but a sign."""
        return _settled(self._log_of(v, signed), v)

    def _log_of(self, v: Graph, signed: bool) -> Level:
        split = self._logs[signed]
        log = split.log(v)
        sign = split.rest(v, log)
        if sign is not None:
            log = at.switch(at.eq(sign, 0), _far_below(v.type.dtype), log)
        return Level(log, sign, not signed)

    def made(self, parts: Iterator[Graph], signed: bool) -> Level:
        """The level whose parts a loop hands on."""
        log, *rest = (next(parts) for _ in range(self.count(signed)))
        if rest and not signed:
            assume(rest[0], NEAR)
        return Level(log, next(iter(rest), None), not signed)

    def value(self, level: Level) -> Graph:
        """The tensor of a level."""
        splits = self._logs if level.rest is None or not self._wholes else self._wholes
        return splits[not level.positive].value(level.log, level.rest)


def solved(equation: Eq) -> tuple[Any, Term]:
    """The variable of an equation's right side, and the left side of what the right side is."""
    (of,) = set(parameters_of(equation.rhs))
    whole = at.scalar()
    found = next(iter(ac.match(equation.rhs, whole, REAL)))
    return of, substitute(equation.lhs, {of: with_part(found[of], whole, of)})


def _built(term: Any, given: dict[Any, Graph]) -> Graph:
    made: Graph = as_graph(substitute(term, given))
    return made


def _settled(level: Level, of: Graph) -> Level:
    """The level of a variable, whose parts are numbers if that is one."""
    parts = _numbers(level.parts, of)
    return Level(parts[0], parts[1] if parts[1:] else None, level.positive)


def _numbers(parts: Sequence[Graph], of: Graph) -> Sequence[Graph]:
    """Parts of a variable as numbers, if that is one."""
    if not isinstance(of, Constant):
        return parts
    with np.errstate(all="ignore"):
        found = aesara.function([], list(parts), mode=_ALONE)()
    return [at.constant(np.asarray(value, of.type.dtype)) for value in found]


def _far_below(dtype: str) -> Any:
    return -np.sqrt(np.finfo(dtype).max)
