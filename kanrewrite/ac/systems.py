"""Equations between products of one operator, solved at once by vectors of multiplicities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from unification import var

from kanrewrite.ac.bags import operands
from kanrewrite.ac.diophantine import basis, covers
from kanrewrite.ac.integers import Sparse, Vector, sparse
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.rays import pairs, rays
from kanrewrite.ac.sorts import Sorts
from kanrewrite.ac.states import Equation, compatible
from kanrewrite.ac.terms import Store
from kanrewrite.errors import Incomplete


class System(ABC):
    """Equations between products of one associative-commutative operator.

    Parameters
    ----------
    terms
        Where the terms are interned.
    operator
        The operator.
    equations
        Products on both sides; whatever has another head is an unknown that is taken once.
    tick
        Called for each part of the work, which may be long.

    Attributes
    ----------
    atoms
        The unknowns: variables, and operands with another head.
    fixed
        The positions of the operands.
    vectors
        How often each unknown holds what the solutions are made of; those that do not, are left
        out.
    """

    def __init__(
        self,
        terms: Store,
        operator: Symbol,
        equations: Sequence[Equation],
        tick: Callable[[int], object],
    ):
        self.terms = terms
        self.tick = tick
        self.operator = operator
        sides = [[Counter(operands(operator, side)) for side in pair] for pair in equations]
        self.atoms = list(dict.fromkeys(atom for pair in sides for side in pair for atom in side))
        # By their heads: what stands on one side in turn may equal what does so on the other.
        heads: dict[Symbol, int] = {}
        self.atoms.sort(key=lambda atom: heads.setdefault(atom.symbol, len(heads)))
        self.fixed = [k for k, atom in enumerate(self.atoms) if atom.symbol is not VARIABLE]
        self._known = frozenset(self.fixed)
        rows = [
            (tuple(left[atom] for atom in self.atoms), tuple(right[atom] for atom in self.atoms))
            for left, right in sides
        ]
        self.vectors = self._vectors(rows)
        self._values: dict[int, Interned] = {}

    @abstractmethod
    def _vectors(self, rows: Sequence[tuple[Vector, Vector]]) -> list[Sparse]:
        """The vectors that are needed, of equations given by the multiplicities on both sides."""

    @abstractmethod
    def choices(
        self, single: frozenset[int] = frozenset(), several: int | None = None
    ) -> Iterator[list[int]]:
        """The sets of vectors that give every unknown a value.

        Parameters
        ----------
        single
            The positions of variables that are one operand.
        several
            The position of a variable that is not.
        """

    def single(self, sorts: Sorts, bindings: Mapping[Interned, Interned]) -> frozenset[int]:
        """The positions of variables whose sorts have no product of the operator.

        Parameters
        ----------
        sorts
            What some variables may be.
        bindings
            What they are bound to.
        """
        holders = sorts.holders(bindings) if sorts.variables else {}
        return frozenset(
            k
            for k, atom in enumerate(self.atoms)
            if any(sorts.is_single(v, self.operator) for v in holders.get(atom, ()))
        )

    def _alike(self, columns: Iterable[Vector]) -> tuple[list[int], dict[int, list[int]]]:
        """The unknowns that tell all, and the ground operands for which some of these stand.

        Ground operands that differ are never in one vector. Those that are taken equally often
        everywhere have equal vectors, but for themselves, and for what else they may be equal to.
        """
        alike: dict[tuple[Vector, Symbol], list[int]] = {}
        left = set()
        for k, column in enumerate(columns):
            if k in self._known and not self.atoms[k].variables:
                same = alike.setdefault((column, self.atoms[k].symbol), [])
                if same:
                    left.add(k)
                same.append(k)
        kept = [k for k in range(len(self.atoms)) if k not in left]
        return kept, {same[0]: same for same in alike.values()}

    def value(self, k: int) -> Interned:
        """What a vector stands for: the operand it holds, or a fresh variable."""
        known = self._values.get(k)
        if known is None:
            held = next((self.atoms[n] for n, _ in self.vectors[k] if n in self._known), None)
            known = held or self.terms.leaf(var(prefix="u"))
            self._values[k] = known
        return known

    def parts(self, chosen: Iterable[int]) -> list[list[Interned]]:
        """What each unknown holds, as a set of vectors has it."""
        found: list[list[Interned]] = [[] for _ in self.atoms]
        for k in chosen:
            value = self.value(k)
            for n, times in self.vectors[k]:
                found[n] += [value] * times
        return found

    def solution(self, chosen: Sequence[int]) -> list[Equation]:
        """The equations that a set of vectors leaves: values, and operands to unify."""
        found: list[Equation] = []
        for atom, parts in zip(self.atoms, self.parts(chosen), strict=True):
            if atom.symbol is not VARIABLE:
                if parts[0] is not atom:
                    found.append((atom, parts[0]))
            else:
                found.append((atom, self.terms.make(self.operator, parts)))
        return found


class Sums(System):
    """The same of an operator that is not idempotent: a linear Diophantine system.

    There may be more least solutions than can be found. Extreme ones are found at once, and often
    give every unknown a value already.
    """

    def _vectors(self, rows: Sequence[tuple[Vector, Vector]]) -> list[Sparse]:
        self._rows = [
            tuple(a - b for a, b in zip(left, right, strict=True)) for left, right in rows
        ]
        self._is_whole = False
        self._columns = [*zip(*self._rows, strict=True)]
        self._kept, self._same = self._alike(self._columns)
        if len(self._rows) == 1:
            variables = {k for k in range(len(self.atoms)) if k not in self._known}
            extreme = pairs(self._rows[0], variables, self.tick)
        else:
            matrix = [[row[k] for k in self._kept] for row in self._rows]
            extreme = list(self._spread(map(sparse, rays(matrix, self.tick))))
        return [vector for vector in extreme if self._is_useful(dict(vector))]

    def _spread(self, vectors: Iterable[Sparse]) -> Iterator[Sparse]:
        """Vectors of the unknowns that tell all, for each operand for which one of these stands."""
        for vector in vectors:
            held = [(self._kept[at], n) for at, n in vector]
            known = [k for k, _ in held if k in self._same]
            if len(known) > 1:
                continue
            for one in self._same[known[0]] if known else [0]:
                self.tick(1)
                yield tuple(sorted((one if k in known else k, n) for k, n in held))

    def _is_possible(self, vector: Mapping[int, int]) -> bool:
        """Whether the operands that a vector makes equal might be, and no variable holds itself."""
        present = [self.atoms[k] for k in vector if k in self._known]
        if any(self.atoms[k] in s.variables for s in present for k in vector):
            return False
        return len(present) < 2 or all(
            compatible(s, t) for n, s in enumerate(present) for t in present[:n]
        )

    def _may_be(self, vector: Mapping[int, int]) -> bool:
        """The same of a vector in which some operands stand for others with the same head."""
        several = [k for k in vector if k in self._same and len(self._same[k]) > 1]
        if len(several) != 1:
            return not several and self._is_possible(vector)
        (one,) = several
        head = self.atoms[one].symbol
        others = {k: n for k, n in vector.items() if k != one}
        return self._is_possible(others) and all(
            self.atoms[k].symbol is head or compatible(self.atoms[one], self.atoms[k])
            for k in others
            if k in self._known
        )

    def _is_useful(self, vector: Mapping[int, int]) -> bool:
        once = all(n <= 1 for k, n in vector.items() if k in self._known)
        return once and self._is_possible(vector)

    def _complete(self) -> None:
        """Add the other least solutions."""
        if self._is_whole:
            return
        known = set(self.vectors)
        place = {k: at for at, k in enumerate(self._kept)}
        needed = self.fixed if self.operator.unit is not None else self._kept
        every = basis(
            [self._columns[k] for k in self._kept],
            [1 if k in self._known else None for k in self._kept],
            lambda vector: (
                not self._known or self._may_be({self._kept[at]: n for at, n in vector.items()})
            ),
            self.tick,
            [place[k] for k in needed if k in place],
        )
        new = (vector for vector in self._spread(every) if vector not in known)
        self.vectors.extend(vector for vector in new if self._is_possible(dict(vector)))
        self._is_whole = True

    def choices(
        self, single: frozenset[int] = frozenset(), several: int | None = None
    ) -> Iterator[list[int]]:
        """The sets of least solutions that give every unknown a value.

        Raises
        ------
        Incomplete
            If these were too many, after some sets of extreme ones.
        """
        # With a unit, all that is not found makes what is found less general.
        begun = self._covers(single, several) if self.operator.unit is None else iter(())
        first = next(begun, None)
        if first is not None:
            yield first
        extreme, every = len(self.vectors), False
        known = None if first is None else frozenset(first)
        try:
            self._complete()
            for chosen in self._covers(single, several):
                if frozenset(chosen) != known:
                    yield chosen
                    every = True
        except Incomplete:
            if not every:
                yield from begun if first else self._covers(single, several, extreme)
            raise

    def _covers(
        self, single: frozenset[int], several: int | None, most: int | None = None
    ) -> Iterator[list[int]]:
        """The same of the least solutions that were found first."""
        optional = self.operator.unit is not None
        exact = single.union(self.fixed)
        usable = [
            k
            for k, vector in enumerate(self.vectors[:most])
            if all(times <= 1 for n, times in vector if n in exact)
        ]
        vectors = [self.vectors[k] for k in usable]
        for chosen in covers(vectors, len(self.atoms), exact, optional, self.tick):
            if several is None or sum(dict(vectors[k]).get(several, 0) for k in chosen) > 1:
                yield [usable[k] for k in chosen]
