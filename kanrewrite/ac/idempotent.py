"""Equations between joins of one idempotent operator, as a system over sets.

A join is the set of its operands. A solution is a set of generators, each with the unknowns that
hold it: a vector of zeros and ones under which both sides of every equation hold it or neither. A
generator is an operand that is known, or, if the vector has none, a fresh variable. Every vector is
a join of irreducible ones, so that these are enough. Without a unit a fresh variable cannot vanish:
a set of them is chosen that holds with each vector all smaller ones. No two solutions of these are
instances of each other; with a unit all fresh ones are taken at once.

References
----------
M. Livesey, J. Siekmann, "Unification of AC- and ACI-terms (bags and sets)", 1976.
F. Baader, W. Büttner, "Unification in commutative idempotent monoids", TCS 56, 1988.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kanrewrite.ac.integers import Sparse, Vector
from kanrewrite.ac.states import compatible
from kanrewrite.ac.systems import System

#: A vector, a bit for each unknown that holds the generator.
Bits = int


class Joins(System):
    """Equations between joins of one idempotent operator."""

    def _vectors(self, rows: Sequence[tuple[Vector, Vector]]) -> list[Sparse]:
        self._rows = [(_bits(left), _bits(right)) for left, right in rows]
        self._operand_bits = sum(1 << k for k in self.fixed)
        self._free = [1 << k for k in range(len(self.atoms)) if k not in self._known]
        at = {atom: 1 << k for k, atom in enumerate(self.atoms)}
        #: For each operand the unknowns that stand in it.
        self._inside = {k: sum(at.get(v, 0) for v in self.atoms[k].variables) for k in self.fixed}
        fresh = {bits for one in self._free for bits in self._least(one)}
        #: The fresh vectors, the small ones first; those with operands follow as they are needed.
        self._fresh = sorted(fresh, key=lambda bits: (bits.bit_count(), bits))
        self._bits = list(self._fresh)
        self._by_group: dict[Bits, list[int]] = {}
        return list(map(_vector, self._fresh))

    def choices(
        self, single: frozenset[int] = frozenset(), several: int | None = None
    ) -> Iterator[list[int]]:
        """The sets of irreducible vectors that give every unknown a value.

        Parameters
        ----------
        single, several
            Not used: what a variable is shared with, is asked of its operands.
        """
        for held in self._operands():
            for fresh in self._chosen(held):
                yield [*held, *fresh]

    def _groups(self, first: Bits, covered: Bits) -> Iterator[list[int]]:
        """The vectors of each set of operands that might be equal, one of them given."""
        level = [first]
        others = [1 << k for k in self.fixed if not (covered | first) >> k & 1]
        while level:
            larger: list[Bits] = []
            for group in level:
                self.tick()
                yield self._of_group(group)
                highest = group & ~first
                larger.extend(
                    group | one for one in others if one > highest and self._may_be(group | one)
                )
            level = larger

    def _of_group(self, group: Bits) -> list[int]:
        """The positions of the irreducible vectors that hold a set of operands and no other."""
        if group not in self._by_group:
            held = self._held(group, self._fresh)
            self._by_group[group] = list(range(len(self._bits), len(self._bits) + len(held)))
            self._bits.extend(held)
            self.vectors.extend(map(_vector, held))
        return self._by_group[group]

    def _least(self, start: Bits) -> list[Bits]:
        """The solutions of the system that hold a vector, and of which no other is a part."""
        found: list[Bits] = []
        for bits in sorted(self._closed(start), key=int.bit_count):
            self.tick()
            if not any(_in(one, bits) for one in found):
                found.append(bits)
        return found

    def _closed(self, start: Bits) -> set[Bits]:
        """The vectors that solve the system and hold a given one, the least ones among them."""
        found: set[Bits] = set()
        seen, stack = {start}, [start]
        while stack:
            self.tick()
            bits = stack.pop()
            lacking = next(
                (
                    right if bits & left else left
                    for left, right in self._rows
                    if bool(bits & left) != bool(bits & right)
                ),
                None,
            )
            if lacking is None:
                found.add(bits)
                continue
            larger = [bits | one for one in self._free if one & lacking]
            stack.extend(one for one in larger if one not in seen and self._may_be(one))
            seen.update(larger)
        return found

    def _may_be(self, bits: Bits) -> bool:
        """Whether the operands of a vector might be equal, and no variable of it is in them."""
        self.tick()
        held = list(_positions(bits & self._operand_bits))
        return not any(bits & self._inside[k] for k in held) and all(
            compatible(self.atoms[k], self.atoms[other])
            for n, k in enumerate(held)
            for other in held[:n]
        )

    def _held(self, known: Bits, fresh: Sequence[Bits]) -> list[Bits]:
        """The irreducible vectors that hold a set of operands and no other."""
        found: dict[Bits, None] = {}
        stack = self._least(known)
        while stack:
            bits = stack.pop()
            if bits in found:
                continue
            found[bits] = None
            for one in self._free:
                if not one & bits and self._may_be(bits | one):
                    stack.extend(self._least(bits | one))
        kept = []
        for bits in found:
            self.tick()
            if not _is_join(bits, found, fresh):
                kept.append(bits)
        return kept

    def _operands(self) -> Iterator[list[int]]:
        """A vector for each operand, equal ones together."""
        streams = [self._next_operand(0)]
        chosen: list[int] = []
        while streams:
            self.tick()
            k = next(streams[-1], None)
            if k is None:
                streams.pop()
                if chosen:
                    chosen.pop()
                continue
            if k >= 0:
                chosen.append(k)
                covered = 0
                for one in chosen:
                    covered |= self._bits[one] & self._operand_bits
                streams.append(self._next_operand(covered))
            else:
                yield list(chosen)

    def _next_operand(self, covered: Bits) -> Iterator[int]:
        """The vectors for the first operand that has none, -1 if all have one."""
        left = self._operand_bits & ~covered
        if not left:
            yield -1
            return
        for vectors in self._groups(left & -left, covered):
            yield from vectors

    def _chosen(self, held: Sequence[int]) -> Iterator[list[int]]:
        """The fresh vectors beside some others: closed downwards, all variables in one of them."""
        if self.operator.unit is not None:
            yield list(range(len(self._fresh)))
            return
        covered = 0
        for k in held:
            covered |= self._bits[k]
        below = [
            k for k, bits in enumerate(self._fresh) if any(_in(bits, self._bits[h]) for h in held)
        ]
        optional = [k for k in range(len(self._fresh)) if k not in below]
        reach = [0] * (len(optional) + 1)
        for n in range(len(optional) - 1, -1, -1):
            reach[n] = reach[n + 1] | self._fresh[optional[n]]
        everything = (1 << len(self.atoms)) - 1
        stack: list[tuple[int, Bits, list[int]]] = [(0, covered, below)]
        while stack:
            self.tick()
            n, covered, chosen = stack.pop()
            if (covered | reach[n]) != everything:
                continue
            if n == len(optional):
                yield chosen
                continue
            bits = self._fresh[optional[n]]
            stack.append((n + 1, covered, chosen))
            taken = set(chosen)
            smaller = (k for k in optional[:n] if _in(self._fresh[k], bits))
            if all(k in taken for k in smaller):
                stack.append((n + 1, covered | bits, [*chosen, optional[n]]))


def _bits(vector: Vector) -> Bits:
    return sum(1 << k for k, times in enumerate(vector) if times)


def _vector(bits: Bits) -> Sparse:
    return tuple([(k, 1) for k in _positions(bits)])


def _positions(bits: Bits) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _in(small: Bits, large: Bits) -> bool:
    return not small & ~large


def _is_join(bits: Bits, same: Iterable[Bits], fresh: Iterable[Bits]) -> bool:
    """Whether a vector is a smaller one with the same operands, joined with fresh ones."""
    joined = 0
    for one in fresh:
        if _in(one, bits):
            joined |= one
    return any(other != bits and _in(other, bits) and other | joined == bits for other in same)
