"""Partly solved systems of equations, and the steps on them that leave no choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from kanrewrite.ac.bags import applied, operands
from kanrewrite.ac.interned import APPLY, VARIABLE, Interned, Symbol
from kanrewrite.ac.replacing import under
from kanrewrite.ac.separation import Row, Separation, held, is_known_product
from kanrewrite.ac.syntax import PAIR
from kanrewrite.ac.terms import Store

Equation = tuple[Interned, Interned]
Bindings = dict[Interned, Interned]


@dataclass(frozen=True)
class State:
    """A point of the search for unifiers.

    Attributes
    ----------
    equations
        What is still to be solved.
    bindings
        What variables are bound to, in triangular form.
    rigid
        Operands assumed to keep their head, although they might be another term.
    apart
        Joins, each with what would have to hold were it a variable that it holds, assumed not to.
    distinct
        Pairs of terms whose being equal is tried elsewhere.
    rows
        Equations of groups, to be solved when there are no others.
    names
        Variables that stand for terms in the equations of other operators.
    held
        Variables that are products of a group, to other operators in the form of `held`.
    outside
        Terms that are no products of a group.
    """

    equations: tuple[Equation, ...]
    bindings: Bindings
    rigid: frozenset[Interned] = field(default=frozenset())
    apart: frozenset[tuple[object, ...]] = field(default=frozenset())
    distinct: frozenset[Equation] = field(default=frozenset())
    rows: tuple[Row, ...] = ()
    names: Mapping[Interned, Interned] = field(default_factory=dict)
    held: frozenset[Interned] = field(default=frozenset())
    outside: frozenset[tuple[Interned, Symbol]] = field(default=frozenset())

    def with_product(self, terms: Store, term: Interned, group: Symbol) -> State:
        """The same state where a term is a product of a group.

        Parameters
        ----------
        terms
            Where the term is interned.
        term
            The term.
        group
            The group's operator.
        """
        whole = held(terms, group)
        return replace(self.with_equations((term, whole)), held=self.held.union(whole.args))

    def with_equations(self, *equations: Equation) -> State:
        """The same state with more to solve first."""
        return replace(self, equations=(*equations, *self.equations))


def bound(
    terms: Store, term: Interned, bindings: Bindings, tick: Callable[[int], object] = int
) -> Interned:
    """A term under a triangular substitution.

    Parameters
    ----------
    terms
        Where the term is interned.
    term
        The term.
    bindings
        The substitution; no variable reaches itself through it.
    tick
        Called with the work that it takes; it may raise.
    """
    if not term.variables or bindings.keys().isdisjoint(term.variables):
        return term
    return under(terms, term, bindings.get, tick=tick)


def simplify(terms: Store, state: State, tick: Callable[[int], object] = int) -> State | None:
    """Decompose free operators, bind variables, and cancel what both sides share.

    Parameters
    ----------
    terms
        Where the terms are interned.
    state
        The system.
    tick
        Called with the work that it takes; it may raise.

    Returns
    -------
    State or None
        A system in which every equation needs a choice; None where there is no solution.
    """
    bindings = dict(state.bindings)
    todo = list(reversed(state.equations))
    hard: list[Equation] = []
    separation = Separation(terms, state.names) if terms.has_groups else None
    while todo:
        s, t = (bound(terms, side, bindings, tick) for side in todo.pop())
        tick(1 + len(s.args) + len(t.args))
        if s is t:
            continue
        apart = None if separation is None else separation(s, t)
        if apart is not None:
            todo.extend(reversed(apart))
            continue
        # The newest variable goes: the caller's own are kept where there is a choice.
        if t.symbol is VARIABLE and (s.symbol is not VARIABLE or t.serial > s.serial):
            s, t = t, s
        if s.symbol is VARIABLE and s not in t.variables:
            bindings[s] = t
            todo.extend(reversed(hard))
            hard.clear()
            continue
        parts = _decomposed(terms, s, t)
        if parts is None:
            return None
        if parts and parts[0] == (s, t):
            hard.append((s, t))
        else:
            todo.extend(parts)
    simple = replace(state, equations=tuple(hard), bindings=bindings)
    if separation is None or not separation.rows:
        return simple
    return replace(simple, rows=(*state.rows, *separation.rows), names=separation.names)


def operator_of(equation: Equation) -> Symbol | None:
    """The operator modulo whose axioms an equation is to be read, None where the heads clash.

    Parameters
    ----------
    equation
        Two different terms, not both variables.
    """
    s, t = equation
    if PAIR in (s.symbol.op, t.symbol.op):
        return t.symbol if s.symbol.op is PAIR else s.symbol
    if s.symbol is t.symbol:
        return s.symbol
    for side in equation:
        if side.variables and side.symbol.collapses:
            return side.symbol
    return None


def _decomposed(terms: Store, s: Interned, t: Interned) -> list[Equation] | None:
    """Simpler equations for one; itself where that needs a choice, None where it is false."""
    symbol = s.symbol
    if not s.variables and not t.variables:
        return None
    if symbol is t.symbol and not (symbol.associative or symbol.commutative):
        if len(s.args) != len(t.args):
            return None
        return list(zip(s.args, t.args, strict=True))
    if PAIR in (symbol.op, t.symbol.op):
        return _paired(terms, s, t)
    if APPLY in (symbol, t.symbol):
        return _apply(terms, s, t)
    operator = operator_of((s, t))
    if operator is None:
        return None
    if operator.idempotent:
        return [(s, t)]  # what both sides have may be all that one of them is
    if operator.commutative and (operator.associative or symbol is t.symbol):
        return _cancelled(terms, operator, s, t)
    return [(s, t)]


def _paired(terms: Store, s: Interned, t: Interned) -> list[Equation] | None:
    """Equations for the first and the rest of a sequence; itself where operands have no order."""
    if s.symbol.op is not PAIR:
        s, t = t, s
    if t.symbol.commutative:
        return [(s, t)]
    plain = t.plain
    if not isinstance(plain, list | tuple) or not plain:
        return None
    first = terms.leaf(plain[0]) if isinstance(plain, tuple) else t.args[0]
    if t.symbol is APPLY:
        first = t.args[0]
    return [(s.args[0], first), (s.args[1], terms.intern(plain[1:]))]


def _apply(terms: Store, s: Interned, t: Interned) -> list[Equation] | None:
    """Equations for an application of a variable or a term to terms."""
    if s.symbol is not APPLY:
        s, t = t, s
    if s.args[0].symbol is VARIABLE and (t.symbol.associative or t.symbol.commutative):
        # The operator is known, and with it what it obeys.
        op = t.symbol.op
        return [(s.args[0], terms.leaf(op)), (terms.apply(op, s.args[1:]), t)]
    arity = len(s.args) if s.symbol is APPLY else len(t.args)
    left, right = applied(s, arity), applied(t, arity)
    return None if left is None or right is None else list(zip(left, right, strict=True))


def _cancelled(terms: Store, operator: Symbol, s: Interned, t: Interned) -> list[Equation] | None:
    """An equation of products without the operands that both sides have."""
    sides = (s, t)
    if operator.associative:
        counts = [Counter(operands(operator, side)) for side in sides]
    else:
        counts = [Counter(side.args) for side in sides]
    common = counts[0] & counts[1]
    left, right = ([*(count - common).elements()] for count in counts)
    if not operator.associative:
        if len(s.args) != len(t.args):
            return [(s, t)] if operator.unit is not None else None
        if not common or (operator.unit is not None and len(left) > 1):
            return [(s, t)]
        if len(left) == 1:
            return [(left[0], right[0])]
        return [(terms.build(operator, tuple(left)), terms.build(operator, tuple(right)))]
    if operator.unit is None and not (left and right):
        return None
    if common:
        return [(terms.make(operator, left), terms.make(operator, right))]
    return [(s, t)]


def aliens(operator: Symbol, sides: Iterable[Interned]) -> list[Interned]:
    """The operands of products that are no variables."""
    found: dict[Interned, None] = {}
    for side in sides:
        for part in operands(operator, side) if operator.associative else side.args:
            if part.symbol is not VARIABLE:
                found[part] = None
    return list(found)


def compatible(s: Interned, t: Interned) -> bool:
    """Whether two operands that keep their heads might unify (true where it is not obvious).

    Parameters
    ----------
    s, t
        Terms, read as keeping their heads.
    """
    pairs = [(s, t)]
    while pairs:
        a, b = pairs.pop()
        if a is b or VARIABLE in (a.symbol, b.symbol):
            continue
        if is_known_product(a, b) or is_known_product(b, a):
            continue
        if not a.variables and not b.variables:
            return False
        if APPLY in (a.symbol, b.symbol) or PAIR in (a.symbol.op, b.symbol.op):
            continue
        if b.symbol in (a.symbol.group, a.symbol.inverse):
            continue  # the inverse of a product is a product
        if a.symbol is not b.symbol:
            return False
        if not (a.symbol.associative or a.symbol.commutative):
            operands = zip(a.args, b.args, strict=True)
            pairs.extend(pair for pair in operands if not any(map(may_change, pair)))
    return True


def may_change(term: Interned) -> bool:
    """Whether an operand's head may become another one.

    Parameters
    ----------
    term
        An application.
    """
    symbol = term.symbol
    return symbol.collapses or symbol.inverse is not None or symbol.group is not None
