"""Theories: which operators are associative, commutative, idempotent, have a unit or an inverse."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Any

from unification import isvar

from kanrewrite.border import checked
from kanrewrite.errors import ConflictingTheory, ImpossibleInverse, UnitNotGround, UnusableOperator


class _NoUnit(Enum):
    """Stands for "no unit": every Python value, None included, may be a unit."""

    NO_UNIT = "no unit"

    def __repr__(self) -> str:
        return self.value


NO_UNIT: Any = _NoUnit.NO_UNIT


@dataclass(frozen=True)
class Properties:
    """What one operator obeys; the default obeys nothing (a free operator).

    Parameters
    ----------
    associative, commutative
        The axioms.
    unit
        The operator's neutral element, `NO_UNIT` where it has none.
    inverse
        The operator with ``op(x, inverse(x)) == unit``, or None.
    division
        The operator with ``division(x, y) == op(x, inverse(y))``, or None.
    idempotent
        Whether ``op(x, x) == x``, for operators that are associative and commutative.
    """

    associative: bool = False
    commutative: bool = False
    unit: Any = NO_UNIT
    inverse: Hashable = None
    division: Hashable = None
    idempotent: bool = False

    def __str__(self) -> str:
        letters = "A" * self.associative + "C" * self.commutative + "I" * self.idempotent
        letters += "U" * (self.unit is not NO_UNIT)
        unit = f" with unit {self.unit!r}" if self.unit is not NO_UNIT else ""
        inverse = f", inverse {self.inverse!r}" if self.inverse is not None else ""
        return (letters or "free") + unit + inverse


FREE = Properties()


@checked
class Theory:
    """An immutable set of axioms, joined with ``|``.

    Parameters
    ----------
    name
        How messages call it; two theories with the same axioms are equal whatever their names.

    Examples
    --------
    >>> ring = Theory("sums").ac("add", unit=0) | Theory("products").ac("mul", unit=1)
    >>> ring = ring.inverse("add", "neg", "sub")
    >>> print(ring.properties("add"))
    ACU with unit 0, inverse 'neg'
    >>> print(ring.properties("exp"))
    free
    """

    __slots__ = ("_hash", "_operators", "name")

    name: str
    _operators: Mapping[Hashable, Properties]
    _hash: int

    def __init__(self, name: str = "theory"):
        self._fill(name, {})

    def _fill(self, name: str, operators: dict[Hashable, Properties]) -> Theory:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "_operators", MappingProxyType(operators))
        # Units may be unhashable; the operators alone spread well enough.
        object.__setattr__(self, "_hash", hash(frozenset(operators)))
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Theory is immutable: cannot set {name!r}; derive a new one with |")

    def properties(self, op: Hashable) -> Properties:
        """What `op` obeys; an operator never declared is free."""
        return self._operators.get(op, FREE)

    def ac(self, op: Hashable, unit: Any = NO_UNIT) -> Theory:
        """The theory and an associative-commutative operator.

        Parameters
        ----------
        op
            Any hashable value.
        unit
            Its neutral element, a term without variables.

        Raises
        ------
        ConflictingTheory
            If `op` obeys something else already.
        UnitNotGround
            If `unit` holds a logic variable.
        """
        return self._declare(op, Properties(associative=True, commutative=True, unit=unit))

    def aci(self, op: Hashable, unit: Any = NO_UNIT) -> Theory:
        """The theory and an operator of a semilattice, which is idempotent as well.

        Parameters and errors as for `ac`.

        Examples
        --------
        >>> theory = Theory("order").aci("max")
        >>> print(theory.properties("max"))
        ACI
        >>> from kanrewrite.ac import term
        >>> term(("max", "a", ("max", "b", "a")), theory)
        term(('max', 'a', 'b'))
        """
        return self._declare(op, Properties(True, True, unit, idempotent=True))

    def a(self, op: Hashable, unit: Any = NO_UNIT) -> Theory:
        """The theory and an associative operator; parameters and errors as for `ac`."""
        return self._declare(op, Properties(associative=True, unit=unit))

    def c(self, op: Hashable, unit: Any = NO_UNIT) -> Theory:
        """The theory and a commutative operator; parameters and errors as for `ac`."""
        return self._declare(op, Properties(commutative=True, unit=unit))

    def inverse(self, op: Hashable, inv: Hashable, div: Hashable = None) -> Theory:
        """The theory and inverses for an operator declared with `ac` and a unit.

        Parameters
        ----------
        op
            The operator, which becomes that of an Abelian group.
        inv
            The unary operator with ``op(x, inv(x)) == unit``.
        div
            The binary operator with ``div(x, y) == op(x, inv(y))``, if there is one.

        Raises
        ------
        ImpossibleInverse
            If `op` is not AC with a unit, if it is idempotent (only the unit has an inverse then),
            or if `inv` or `div` is declared to obey something itself.
        ConflictingTheory
            If `op` has another inverse already.
        """
        known = self.properties(op)
        group = known.associative and known.commutative and known.unit is not NO_UNIT
        if not group or known.idempotent:
            raise ImpossibleInverse(self.name, op, known)
        for other in (inv, div):
            if other is not None and (other == op or other in self._operators):
                raise ImpossibleInverse(self.name, op, known, taken=other)
        changed = replace(known, inverse=inv, division=div)
        if known.inverse is not None and known != changed:
            raise ConflictingTheory(op, self.name, known, self.name, changed)
        return self._joined(self.name, {**self._operators, op: changed})

    def __or__(self, other: Theory) -> Theory:
        if not isinstance(other, Theory):
            return NotImplemented
        merged = dict(self._operators)
        for op, theirs in other.items():
            ours = merged.setdefault(op, theirs)
            if ours == theirs:
                continue
            if replace(ours, inverse=None, division=None) != replace(
                theirs, inverse=None, division=None
            ) or (ours.inverse is not None and theirs.inverse is not None):
                raise ConflictingTheory(op, self.name, ours, other.name, theirs)
            merged[op] = ours if theirs.inverse is None else theirs
        return self._joined(f"{self.name} | {other.name}", merged)

    def items(self) -> Iterator[tuple[Hashable, Properties]]:
        """The declared operators with what they obey."""
        return iter(self._operators.items())

    def _declare(self, op: Hashable, declared: Properties) -> Theory:
        try:
            known = self.properties(op)
        except TypeError as error:
            raise UnusableOperator(op) from error
        if isvar(op):
            raise UnusableOperator(op)
        if _has_variable(declared.unit):
            raise UnitNotGround(self.name, op, declared.unit)
        if known != FREE and replace(known, inverse=None, division=None) != declared:
            raise ConflictingTheory(op, self.name, known, self.name, declared)
        if known != FREE:
            return self
        return self._joined(self.name, {**self._operators, op: declared})

    @staticmethod
    def _joined(name: str, operators: dict[Hashable, Properties]) -> Theory:
        """A theory of these operators, which no two of them may claim as inverse or division."""
        owners: dict[Hashable, Hashable] = {}
        for op, known in operators.items():
            for other in (known.inverse, known.division):
                if other is None:
                    continue
                if other in operators or owners.setdefault(other, op) != op:
                    raise ImpossibleInverse(name, op, known, taken=other)
        return Theory.__new__(Theory)._fill(name, operators)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Theory):
            return NotImplemented
        return self is other or (self._hash == other._hash and self._operators == other._operators)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self.name, dict(self._operators)))

    def __repr__(self) -> str:
        axioms = ", ".join(f"{op!r}: {known}" for op, known in self._operators.items())
        return f"Theory({self.name!r}{': ' if axioms else ''}{axioms})"


def _restored(name: str, operators: dict[Hashable, Properties]) -> Theory:
    return Theory._joined(name, operators)


def _has_variable(term: Any) -> bool:
    return isvar(term) or (isinstance(term, tuple) and any(map(_has_variable, term)))
