"""Which systems of equations between words have no solution, so that no search goes into them.

Words are compared by their first letters: a variable begins with what stands opposite, or is it.
Equations in which no variable stands more than twice do not get longer by that, so that finitely
many can be reached; of those a solution is reached from, or it is not.  Others are cut where the
numbers of letters say that they cannot be equal.

References
----------
G. Makanin, "The problem of solvability of equations in a free semigroup", 1977.
J. Jaffar, "Minimal and complete word unification", JACM 37, 1990.
V. Diekert, "Makanin's algorithm", in M. Lothaire, Algebraic Combinatorics on Words, 2002 (section
12.1: quadratic systems).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import gcd

from kanrewrite.ac.bags import operands
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol

#: Letters are numbers: variables negative, constants positive.
Word = tuple[int, ...]
System = tuple[tuple[Word, Word], ...]
#: How many letters the systems have that are visited, before the question is left open.
_LETTERS = 8_000
#: Of how many systems it is remembered whether they may be soluble.
_REMEMBERED = 50_000


def may_be_soluble(operator: Symbol, equations: Iterable[tuple[Interned, Interned]]) -> bool:
    """Whether a system of words may have a solution: true where that is not known.

    Parameters
    ----------
    operator
        The associative operator.
    equations
        Pairs of words.
    """
    numbers: dict[Interned, int] = {}
    system = []
    for pair in equations:
        words = []
        for side in pair:
            word = operands(operator, side)
            if any(letter.variables and letter.symbol is not VARIABLE for letter in word):
                return True
            for letter in word:
                sign = -1 if letter.symbol is VARIABLE else 1
                numbers.setdefault(letter, sign * (len(numbers) + 1))
            words.append(tuple(numbers[letter] for letter in word))
        system.append((words[0], words[1]))
    start = _reduced(system, operator.unit is not None)
    return start is not None and _reaches_end(start, operator.unit is not None)


#: What is known of systems, with or without a unit; forgotten when there is much of it.
_known: dict[tuple[System, bool], bool] = {}


def _reaches_end(start: System, may_be_empty: bool) -> bool:
    """Whether a system without equations is reached from one, or too many others are."""
    known = _known.get((start, may_be_empty))
    if known is not None:
        return known
    seen, level = {start}, [start]
    letters = 0
    while level and letters <= _LETTERS:
        following = []
        for system in level:
            if letters > _LETTERS:
                break
            if not system or _known.get((system, may_be_empty)):
                _note([start], may_be_empty, True)
                return True
            for next_one in _steps(system, may_be_empty):
                if next_one not in seen and _known.get((next_one, may_be_empty)) is not False:
                    seen.add(next_one)
                    letters += sum(len(left) + len(right) for left, right in next_one)
                    following.append(next_one)
        level = following
    # Of none of those seen anything else is known: neither is asked again.
    _note(seen, may_be_empty, bool(level))
    return bool(level)


def _note(systems: Iterable[System], may_be_empty: bool, soluble: bool) -> None:
    if len(_known) > _REMEMBERED:
        _known.clear()
    _known.update({(system, may_be_empty): soluble for system in systems})


def _steps(system: System, may_be_empty: bool) -> Iterator[System]:
    """The systems in which the first letters of the first equation are told apart no longer."""
    left, right = system[0]
    one, other = left[0], right[0]
    choices: list[tuple[int, Word]] = []
    for letter, opposite in ((one, other), (other, one)):
        if letter < 0:
            choices.append((letter, (opposite, letter)))
            choices.append((letter, () if may_be_empty else (opposite,)))
    for letter, value in choices:
        replaced = [(_with(s, letter, value), _with(t, letter, value)) for s, t in system]
        following = _reduced(replaced, may_be_empty)
        if following is not None:
            yield following


def _with(word: Word, letter: int, value: Word) -> Word:
    if letter not in word:
        return word
    return tuple(x for one in word for x in (value if one == letter else (one,)))


def _reduced(system: list[tuple[Word, Word]], may_be_empty: bool) -> System | None:
    """A system without what is equal at both ends, its variables renamed; None if it is false."""
    found: list[tuple[Word, Word]] = []
    todo = system[::-1]
    while todo:
        left, right = _stripped(*todo.pop())
        if not left and not right:
            continue
        if not left or not right:
            letters = set(left + right)
            if not may_be_empty or any(letter > 0 for letter in letters):
                return None
            for letter in letters:
                todo = [(_with(s, letter, ()), _with(t, letter, ())) for s, t in todo]
                todo.extend((_with(s, letter, ()), _with(t, letter, ())) for s, t in found)
                found = []
            continue
        if min(left[0], right[0]) > 0 or min(left[-1], right[-1]) > 0:
            return None
        if not _balanced(left, right, may_be_empty):
            return None
        found.append((left, right))
    return _renamed(found)


def _stripped(left: Word, right: Word) -> tuple[Word, Word]:
    start, end = 0, 0
    least = min(len(left), len(right))
    while start < least and left[start] == right[start]:
        start += 1
    while end < least - start and left[-1 - end] == right[-1 - end]:
        end += 1
    return left[start : len(left) - end], right[start : len(right) - end]


def _balanced(left: Word, right: Word, may_be_empty: bool) -> bool:
    """Whether the numbers of letters can be equal (Parikh's condition, and the lengths)."""
    counts = Counter(left)
    counts.subtract(right)
    times = [count for letter, count in counts.items() if letter < 0 and count]
    missing = [-count for letter, count in counts.items() if letter > 0 and count]
    if not times:
        return not missing
    divisor = gcd(*times)
    if any(number % divisor for number in missing):
        return False
    sign = 1 if min(times) > 0 else -1 if max(times) < 0 else 0
    if not sign:
        return True
    if any(number * sign < 0 for number in missing):
        return False
    return may_be_empty or sum(missing) * sign >= sum(times) * sign


def _renamed(system: list[tuple[Word, Word]]) -> System:
    """A system in which variables are numbered as they come."""
    names: dict[int, int] = {}
    return tuple(
        (
            tuple(x if x > 0 else names.setdefault(x, -1 - len(names)) for x in left),
            tuple(x if x > 0 else names.setdefault(x, -1 - len(names)) for x in right),
        )
        for left, right in system
    )
