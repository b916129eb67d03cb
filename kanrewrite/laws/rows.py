"""Rows: for each operator what the enabled relations say of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kanrewrite.guards import Condition
from kanrewrite.laws.lifts import Lift, lift_of, takes_exponent
from kanrewrite.laws.settled import settled
from kanrewrite.laws.sinks import Meeting, Sink, meeting_of, sink_of
from kanrewrite.laws.statements import Shape, Statement, adds_fractions, statement_of
from kanrewrite.relation.roles import definition_in
from kanrewrite.relation.rules import conditions_of
from kanrewrite.terms import ELEMENTWISE, Operator, T

if TYPE_CHECKING:
    from kanrewrite.relation import Relation


class Meaning(tuple[Any, Any]):  # noqa: SLOT001  # a tuple of any length has no slots
    """An operator over parameters, what it means, and what its operands must satisfy."""

    conditions: tuple[Condition, ...]

    @classmethod
    def of(cls, sides: tuple[Any, Any], conditions: tuple[Condition, ...]) -> Meaning:
        """Sides with conditions."""
        made = cls(sides)
        made.conditions = conditions
        return made


@dataclass(frozen=True)
class Row:
    """What relations say of one operator.

    Parameters
    ----------
    lifts : tuple of Lift
        What leaves it while a graph is read, tried in this order.
    sinks : tuple of Sink
        What level leaves it while a graph is built.
    meetings : tuple of Meeting
        What level leaves several operands of it together.
    meaning : pair of terms or None
        The operator over its parameters, and what it is read as.
    defined_by : Relation or None
        Which says that.
    """

    lifts: tuple[Lift, ...] = ()
    sinks: tuple[Sink, ...] = ()
    meetings: tuple[Meeting, ...] = ()
    meaning: Meaning | None = None
    defined_by: Relation | None = None


_EMPTY = Row()


class Laws:
    """The rows that some relations make.

    Parameters
    ----------
    relations : iterable of Relation
        In the order in which they are tried; those that only rewrite make no row.
    powers : bool
        Whether a power of anything is read as what is said of powers.
    """

    def __init__(self, relations: Iterable[Relation] = (), powers: bool = True):
        self.powers = powers
        self._statements: defaultdict[Shape, list[Statement]] = defaultdict(list)
        meanings: dict[Operator, tuple[Meaning, Relation]] = {}
        lifts: defaultdict[Operator, list[Lift]] = defaultdict(list)
        sinks: defaultdict[Operator, list[Sink]] = defaultdict(list)
        meetings: defaultdict[Operator, list[Meeting]] = defaultdict(list)
        for relation in relations:
            for meaning in _meanings(relation):
                meanings.setdefault(meaning[0][0], (meaning, relation))
            for lift in _lifts(relation):
                lifts[lift.operator].append(lift)
            for sink in _sinks(relation):
                sinks[sink.operator].append(sink)
            for meeting in _meetings(relation):
                meetings[meeting.operator].append(meeting)
            for statement in _statements(relation):
                self._statements[statement.shape].append(statement)
        self.rows: dict[Operator, Row] = {
            op: Row(
                tuple(lifts.get(op, ())),
                tuple(sinks.get(op, ())),
                tuple(meetings.get(op, ())),
                *meanings.get(op, (None, None)),
            )
            for op in {**meanings, **lifts, **sinks, **meetings}
        }
        fractions = (s.relation for s in self.stated(T.add, T.true_div, None) if adds_fractions(s))
        #: By which relation fractions are added over a common denominator.
        self.fractions: Relation | None = next(fractions, None)
        #: Operators of somebody's own, no elementwise ones, that an exponential passes.
        self.own = frozenset(op for op, row in self.rows.items() if _is_own(op, row))
        #: Those of them that rearrange: what they do to a sum they do to its terms.
        self.rearranging = frozenset(op for op in self.own if self.rows[op].lifts)
        self.definitions: dict[Operator, tuple[Any, Any]] = {
            op: m for op, (m, _) in meanings.items()
        }

    def row(self, op: Operator) -> Row:
        """What is said of an operator."""
        return self.rows.get(op, _EMPTY)

    def stated(self, *shape: Any) -> list[Statement]:
        """What is said of an operator over operands of some operators, None for any operand."""
        return self._statements.get(shape, [])


def _is_own(op: Operator, row: Row) -> bool:
    passes = bool(row.sinks) or any(map(takes_exponent, row.lifts))
    return op.op is not None and op not in ELEMENTWISE and passes


def _sinks(relation: Relation) -> Iterator[Sink]:
    if "sink" in relation.roles:
        for equation in map(settled, relation.equations):
            sink = sink_of(relation, equation)
            if sink is not None:
                yield sink


def _meetings(relation: Relation) -> Iterator[Meeting]:
    if {"sink", "cancel"} & set(relation.roles):
        for equation in map(settled, relation.equations):
            meeting = meeting_of(relation, equation)
            if meeting is not None:
                yield meeting


def _statements(relation: Relation) -> Iterator[Statement]:
    if {"cancel", "lift"} & set(relation.roles):
        for equation in map(settled, relation.equations):
            statement = statement_of(relation, equation)
            if statement is not None:
                yield statement


def _meanings(relation: Relation) -> Iterator[Meaning]:
    if "define" in relation.roles:
        for equation in map(settled, relation.equations):
            stated = definition_in(equation, relation.roles)
            if stated is not None:
                yield Meaning.of(stated, conditions_of(equation))


def _lifts(relation: Relation) -> Iterator[Lift]:
    if "lift" in relation.roles:
        for equation in map(settled, relation.equations):
            lift = lift_of(relation, equation)
            if lift is not None:
                yield lift
