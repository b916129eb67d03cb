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
#: How many unknowns are looked at in the time of a step.
_TOGETHER = 64


class Joins(System):
    """Equations between joins of one idempotent operator."""

    def _vectors(self, rows: Sequence[tuple[Vector, Vector]]) -> list[Sparse]:
        sides = [side for row in rows for side in row]
        self._kept, same = self._alike(
            tuple([bool(n) for n in column]) for column in zip(*sides, strict=True)
        )
        place = {k: 1 << at for at, k in enumerate(self._kept)}
        self._rows = [
            (_bits(left[k] for k in self._kept), _bits(right[k] for k in self._kept))
            for left, right in rows
        ]
        #: Of each ground operand the bit, which it may share with others.
        self._ground = [(k, place[one]) for one, alike in same.items() for k in alike]
        open_ones = [k for k in self.fixed if self.atoms[k].variables]
        self._operand_bits = sum(place[k] for k in open_ones)
        self._free = [bit for k, bit in place.items() if k not in self._known]
        at = {self.atoms[k]: bit for k, bit in place.items() if k not in self._known}
        #: For each other operand, at its bit, the unknowns that stand in it.
        self._inside = {
            place[k]: sum(at.get(v, 0) for v in self.atoms[k].variables) for k in open_ones
        }
        self._atom_of = {place[k]: self.atoms[k] for k in open_ones}
        fresh = {bits for one in self._free for bits in self._least(one)}
        #: The fresh vectors, the small ones first; those with operands follow as they are needed.
        self._fresh = sorted(fresh, key=lambda bits: (bits.bit_count(), bits))
        self._bits = list(self._fresh)
        self._by_group: dict[tuple[int | None, Bits], list[int]] = {}
        self._known_held: dict[Bits, list[Bits]] = {}
        return [self._vector(bits, None) for bits in self._fresh]

    def choices(
        self, single: frozenset[int] = frozenset(), several: int | None = None
    ) -> Iterator[list[int]]:
        """The sets of irreducible vectors that give every unknown a value.

        Parameters
        ----------
        single, several
            Not used: what a variable is shared with, is asked of its operands.
        """
        # A ground operand that no vector holds ends all at once.
        if not all(any(self._groups(k, bit, 0)) for k, bit in self._ground):
            return
        for held in self._operands():
            for fresh in self._chosen(held):
                yield [*held, *fresh]

    def _groups(self, ground: int | None, first: Bits, covered: Bits) -> Iterator[list[int]]:
        """The vectors of each set of operands that might be equal, one of them given."""
        self.tick(1 + len(self._atom_of) // _TOGETHER)
        others = [
            bit
            for bit, atom in self._atom_of.items()
            if not (covered | first) & bit
            and (ground is None or compatible(self.atoms[ground], atom))
        ]
        lacking = self._lacking(first) or 0
        others.sort(key=lambda bit: not bit & lacking)
        level: Iterable[tuple[Bits, int]] = [(first, 0)]
        while level:
            here = []
            for group, at in level:
                self.tick(1)
                here.append((group, at))
                yield self._of_group(ground, group)
            level = self._larger(here, others) if here else ()

    def _larger(
        self, groups: Iterable[tuple[Bits, int]], others: Sequence[Bits]
    ) -> Iterator[tuple[Bits, int]]:
        """The groups with one operand more, from a position on, as they are needed."""
        for group, at in groups:
            for n in range(at, len(others)):
                if self._may_be(group | others[n]):
                    yield group | others[n], n + 1

    def _of_group(self, ground: int | None, group: Bits) -> list[int]:
        """The positions of the irreducible vectors that hold a set of operands and no other."""
        key = ground, group
        if key not in self._by_group:
            if group not in self._known_held:
                self._known_held[group] = self._held(group, self._fresh)
            held = self._known_held[group]
            self._by_group[key] = list(range(len(self._bits), len(self._bits) + len(held)))
            self._bits.extend(held)
            self.vectors.extend(self._vector(bits, ground) for bits in held)
        return self._by_group[key]

    def _vector(self, bits: Bits, ground: int | None) -> Sparse:
        """The unknowns that bits stand for, where one of them stands for a ground operand."""
        held = [self._kept[at] for at in _positions(bits)]
        if ground is not None:
            held = [k for k in held if k not in self._known or self.atoms[k].variables]
            held.append(ground)
        return tuple([(k, 1) for k in sorted(held)])

    def _least(self, start: Bits) -> list[Bits]:
        """The solutions of the system that hold a vector, and of which no other is a part."""
        found: list[Bits] = []
        for bits in sorted(self._closed(start), key=int.bit_count):
            self.tick(1)
            if not any(_in(one, bits) for one in found):
                found.append(bits)
        return found

    def _closed(self, start: Bits) -> set[Bits]:
        """The vectors that solve the system and hold a given one, the least ones among them."""
        found: set[Bits] = set()
        seen, stack = {start}, [start]
        while stack:
            self.tick(1 + len(self._free) // _TOGETHER)
            bits = stack.pop()
            lacking = self._lacking(bits)
            if lacking is None:
                found.add(bits)
                continue
            larger = [bits | one for one in self._free if one & lacking]
            stack.extend(one for one in larger if one not in seen and self._may_be(one))
            seen.update(larger)
        return found

    def _lacking(self, bits: Bits) -> Bits | None:
        """A side that must hold something, as the other one does; None if all sides agree."""
        return next(
            (
                right if bits & left else left
                for left, right in self._rows
                if bool(bits & left) != bool(bits & right)
            ),
            None,
        )

    def _may_be(self, bits: Bits) -> bool:
        """Whether the operands of a vector might be equal, and no variable of it is in them."""
        self.tick(1)
        held = [1 << k for k in _positions(bits & self._operand_bits)]
        return not any(bits & self._inside[one] for one in held) and all(
            compatible(self._atom_of[one], self._atom_of[other])
            for n, one in enumerate(held)
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
            self.tick(1)
            if not _is_join(bits, found, fresh):
                kept.append(bits)
        return kept

    def _operands(self) -> Iterator[list[int]]:
        """A vector for each operand, equal ones together: those of the ground ones first."""
        covered: list[Bits] = [0]
        chosen: list[int] = []
        streams = [self._next_operand(0, 0)]
        while streams:
            self.tick(1)
            k = next(streams[-1], None)
            if k is None:
                streams.pop()
                covered.pop()
                if chosen:
                    chosen.pop()
            elif k < 0:
                yield list(chosen)
            else:
                chosen.append(k)
                covered.append(covered[-1] | (self._bits[k] & self._operand_bits))
                streams.append(self._next_operand(len(chosen), covered[-1]))

    def _next_operand(self, at: int, covered: Bits) -> Iterator[int]:
        """The vectors for the first operand that has none, -1 if all have one."""
        left = self._operand_bits & ~covered
        if at < len(self._ground):
            groups = self._groups(*self._ground[at], covered)
        elif left:
            groups = self._groups(None, left & -left, covered)
        else:
            yield -1
            return
        for vectors in groups:
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
        everything = (1 << len(self._kept)) - 1
        stack: list[tuple[int, Bits, list[int]]] = [(0, covered, below)]
        while stack:
            self.tick(1)
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


def _bits(vector: Iterable[int]) -> Bits:
    return sum(1 << k for k, times in enumerate(vector) if times)


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
