"""What rules make of terms, of which equal ones are one object.

A search for where two results meet sees the same terms again and again.  Interned, they are told
apart without being looked at, and what becomes of each is found once.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, zip_longest
from operator import itemgetter
from typing import Any

from unification import Var

from kanrewrite import ac
from kanrewrite.ac import Interned
from kanrewrite.completion.prepared import Frozen, Prepared, atoms
from kanrewrite.completion.terms import PLAIN, names_for
from kanrewrite.terms import T, is_variable
from kanrewrite.unify import is_term

#: How many matches of a rule are followed, and how many terms are reached from each result.
OVERLAPS, REACHED = 16, 48
#: A term of more operators and leaves is not rewritten any further.
LARGEST = 80
#: Stands where one of two searches has ended before the other.
_NOTHING = object()
_NUMBERS = (int, float)


class Steps:
    """What rules make of terms without variables, each term looked at once.

    Parameters
    ----------
    rules : iterable of Prepared
        Conditions are taken as given.
    """

    def __init__(self, rules: Iterable[Prepared]):
        rules = tuple(rules)
        often = Counter(atom for rule in rules for atom in rule.needed)
        #: The rules, numbered, by the operator or number that they need and fewest others do.
        self.rules: defaultdict[Any, list[tuple[int, Prepared]]] = defaultdict(list)
        for n, rule in enumerate(rules):
            rarest = min(rule.needed, key=lambda atom: often[atom])
            self.rules[rarest].append((n, rule))
        self._terms = ac.store(PLAIN)
        self._known: dict[Interned, tuple[Interned, ...]] = {}
        self._sizes: dict[Interned, int] = {}
        self._atoms: dict[Interned, frozenset[Any]] = {}
        # Bindings and rests are parts of what was matched: those are known by their ids.
        self._memo: dict[int, tuple[Any, Interned]] = {}
        #: How many matchers have been run.
        self.tried = 0

    # -- terms ----------------------------------------------------------------------------

    def instance(self, term: Any, values: Mapping[Any, Interned]) -> Interned:
        """A flat term with variables replaced, its numbers computed."""
        return self._instance(term, values, {})

    def _instance(
        self, term: Any, values: Mapping[Any, Interned], done: dict[int, Interned]
    ) -> Interned:
        """The same; parts that are one object are made once."""
        if not is_term(term):
            return values[term] if is_variable(term) else self._terms.intern(term, self._memo)
        known = self._memo.get(id(term))
        if known is not None:
            return known[1]
        made = done.get(id(term))
        if made is None:
            parts = [self._instance(part, values, done) for part in term[1:]]
            made = done[id(term)] = self.applied(term[0], parts)
        return made

    def applied(self, op: Any, parts: list[Interned]) -> Interned:
        """An operator over terms; the numbers of a sum, or a product, are one."""
        made = self._terms.apply(op, parts)
        if op is T.add or op is T.mul:
            numbers = [part for part in made.args if type(part.plain) in _NUMBERS]
            if numbers and made.symbol.op is op:
                made = self._computed(op, made, numbers)
        self._memo[id(made.plain)] = made.plain, made
        return made

    def _computed(self, op: Any, made: Interned, numbers: list[Interned]) -> Interned:
        unit = 0 if op is T.add else 1
        value: Any = unit
        for part in numbers:
            value = value + part.plain if op is T.add else value * part.plain
        others = [part for part in made.args if part not in numbers]
        if value == unit and others:
            return self._terms.apply(op, others)
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        return self._terms.apply(op, [self._terms.leaf(whole), *others])

    def size(self, term: Interned) -> int:
        """How many operators and leaves a term has."""
        known = self._sizes.get(term)
        if known is None:
            inner = sum(map(self.size, term.args))
            known = self._sizes[term] = 1 + inner
        return known

    def _held(self, term: Interned) -> frozenset[Any]:
        """The operators and the numbers of a term."""
        known = self._atoms.get(term)
        if known is None:
            own = [term.symbol.op] if is_term(term.plain) else atoms(term.plain)
            inner = map(self._held, term.args if is_term(term.plain) else ())
            known = self._atoms[term] = frozenset(own).union(*inner)
        return known

    # -- what becomes of them -------------------------------------------------------------

    def of(self, term: Interned) -> tuple[Interned, ...]:
        """What becomes of a term in one step anywhere in it, each result once."""
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = tuple(dict.fromkeys(self._anywhere(term)))
        return known

    def _anywhere(self, term: Interned) -> Iterator[Interned]:
        if not term.args:
            return
        yield from self.at(term)
        for n, part in enumerate(term.args):
            if n and part is term.args[n - 1]:
                continue  # equal operands side by side are the same place
            for new in self.of(part):
                yield self.applied(term.symbol.op, [*term.args[:n], new, *term.args[n + 1 :]])

    def at(self, term: Interned) -> Iterator[Interned]:
        """What becomes of a term by rules that match all of it, or operands of its operator."""
        op, held = term.symbol.op, self._held(term)
        known = [one for atom in held for one in self.rules.get(atom, ())]
        for _, rule in sorted(known, key=itemgetter(0)):
            if rule.pattern[0] is not op or not rule.needed <= held:
                continue
            self.tried += 1
            for found, rest in islice(rule.matcher.extend(term), OVERLAPS):
                values = Bound(self, found)
                new = self.instance(rule.replacement, values)
                if rest:
                    around = [self._terms.intern(x, self._memo) for x in rest]
                    new = self.applied(op, [new, *around])
                yield new

    def join(self, left: Interned, right: Interned) -> bool:
        """Tell whether two terms can be rewritten to one, as far as `REACHED` goes."""
        seen: tuple[set[Any], set[Any]] = (set(), set())
        for pair in zip_longest(self._spreading(left), self._spreading(right), fillvalue=_NOTHING):
            for n, term in enumerate(pair):
                if term in seen[1 - n]:
                    return True
                if term is not _NOTHING:
                    seen[n].add(term)
        return False

    def _spreading(self, start: Interned) -> Iterator[Interned]:
        """A term and what it can be rewritten to, nearest first."""
        found, waiting = {start}, deque([start])
        yield start
        while waiting and len(found) < REACHED:
            for new in self.of(waiting.popleft()):
                if new not in found and self.size(new) <= LARGEST:
                    found.add(new)
                    waiting.append(new)
                    yield new


class Bound(dict[Var, Interned]):
    """What variables stand for under a unifier, whose values may hold variables that it binds.

    Free ones are constants, with short names.
    """

    def __init__(self, steps: Steps, unifier: Mapping[Any, Any]):
        self._steps, self._unifier = steps, unifier
        self._taken: set[str] = set()

    def __missing__(self, variable: Var) -> Interned:
        if variable in self._unifier and self._unifier[variable] is not variable:
            value = self._steps.instance(self._unifier[variable], self)
        else:
            name = next(n for n in names_for(str(variable)) if n not in self._taken)
            self._taken.add(name)
            value = self._steps.instance(Frozen(name), {})
        self[variable] = value
        return value
