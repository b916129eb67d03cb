"""Rules prepared for being overlapped: what they need, and what two cannot have in common."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import product
from typing import Any

from kanrewrite import ac
from kanrewrite.completion.terms import PLAIN, apart, canonical, renamed
from kanrewrite.relation import Relation, Rule, substitute
from kanrewrite.terms import Operator, T, is_variable, parameters_of
from kanrewrite.unify import is_term


class Frozen:
    """A variable that is taken for a constant; those of one name are equal."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frozen) and self.name == other.name

    def __hash__(self) -> int:
        return hash((Frozen, self.name))


def frozen(term: Any) -> Any:
    """A term whose variables are constants."""
    return substitute(term, {v: Frozen(str(v)) for v in dict.fromkeys(parameters_of(term))})


@lru_cache(maxsize=1 << 15)
def atoms(term: Any) -> frozenset[Any]:
    """The operators and the numbers of a term: what a pattern needs, its instances have."""
    if not is_term(term):
        return frozenset() if isinstance(term, Frozen) or is_variable(term) else frozenset([term])
    return frozenset([term[0]]).union(*map(atoms, term[1:]))


def operators(term: Any) -> frozenset[Any]:
    """The operators of a term, but for sums and products, which may be computed."""
    return frozenset(x for x in atoms(term) if isinstance(x, Operator)) - {T.add, T.mul}


class Prepared:
    """A rule, with what every overlap with it asks again.

    Parameters
    ----------
    rule : Rule
        Flat, over variables of its own.
    """

    def __init__(self, rule: Rule):
        self.rule = rule
        self.relation: Relation = rule.relation
        self.pattern, self.replacement = rule.pattern, rule.replacement
        #: The operators and numbers of every term that it matches.
        self.needed = atoms(canonical(rule.pattern))
        #: The operators of what it makes, but for those that numbers are computed by.
        self.made = operators(rule.replacement)
        #: The names of the guards that it asks.
        self.asked = {c.guard.name for c in rule.conditions}

    def may_turn(self, term: Any, result: Any) -> bool:
        """Tell whether it could make a result of a term in one step, by operators alone."""
        there = operators(result)
        if not (self.needed <= atoms(term) and self.made <= there):
            return False
        return there <= operators(term) | self.made

    @cached_property
    def other(self) -> Rule:
        """The same rule over other variables, to be overlapped with itself too."""
        return apart(self.rule, "second")

    @cached_property
    def matcher(self) -> ac.Matcher:
        """What finds it."""
        return ac.compile(self.pattern, PLAIN)

    @cached_property
    def _shown(self) -> tuple[Any, Any]:
        start, after = renamed([self.pattern, self.replacement])
        return canonical(frozen(start)), canonical(frozen(after))

    @property
    def start(self) -> Any:
        """The smallest term that it matches."""
        return self._shown[0]

    @property
    def after(self) -> Any:
        """What becomes of that."""
        return self._shown[1]


def may_overlap(outer: Any, inner: Any, *, root: bool = True, at_root: bool = True) -> bool:
    """Tell whether a pattern may apply within another one, by operators alone.

    At the root of sums and products they must have an operand in common that is no variable:
    where a variable takes a part of the other pattern it could as well take all of it.  With
    `at_root` false only what is below the root is asked about.
    """
    if not is_term(outer):
        return False
    if at_root and outer[0] is inner[0] and _meets(outer, inner, root):
        return True
    return any(may_overlap(part, inner, root=False) for part in outer[1:])


def _meets(outer: Any, inner: Any, root: bool) -> bool:
    """Tell the same of two patterns of one operator, at the root of both."""
    if outer[0] not in (T.add, T.mul):
        return not clash(outer, inner)
    if _has_variable(outer) and not root:
        return True
    return any(not clash(x, y) for x, y in product(_fixed(outer), _fixed(inner)))


def clash(left: Any, right: Any) -> bool:
    """Tell whether two patterns have no instance in common, by operators alone."""
    if is_variable(left) or is_variable(right):
        return False
    if not (is_term(left) and is_term(right)):
        return bool(left != right)
    if left[0] is not right[0]:
        return True
    if left[0] in (T.add, T.mul):
        whole = not (_has_variable(left) or _has_variable(right))
        return whole and any(all(clash(x, y) for y in right[1:]) for x in left[1:])
    return len(left) != len(right) or any(map(clash, left[1:], right[1:]))


def _fixed(term: Any) -> list[Any]:
    return [part for part in term[1:] if not is_variable(part)]


def _has_variable(term: Any) -> bool:
    return any(is_variable(part) for part in term[1:])
