"""Matching modulo a theory: patterns compiled to generators of substitutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from unification import Var, var

from kanrewrite.ac.interned import Interned
from kanrewrite.ac.interned import text as shown
from kanrewrite.ac.oneway import instances, may_cancel
from kanrewrite.ac.plan import Plan
from kanrewrite.ac.program import Program
from kanrewrite.ac.shape import heads, is_open, operands_first, required, width
from kanrewrite.ac.sorts import Sort, Sorts
from kanrewrite.ac.terms import Store, store
from kanrewrite.border import checked
from kanrewrite.errors import ForeignTerm, IncompleteMatch
from kanrewrite.theory import Theory

Substitution = dict[Var, Any]
Rest = Any

#: How many steps a search for further answers may take, where some were found without it.
_FEW_STEPS = 300

#: How many steps a search takes from one answer to the next, some 1 s, beside one for each operand.
_MOST = 1_000_000

#: How many of them are as long as a step of unification.
_SHORT = 50


class Matcher:
    """A pattern compiled for matching modulo a theory; made by `compile`.

    Parameters
    ----------
    pattern
        The pattern, interned.
    sorts
        What some of its variables may be.
    steps
        How many steps a search may take from one answer to the next before it raises `Incomplete`;
        by default there are many.
    tick
        Called with the work of searching for what cancels; it may raise.

    Attributes
    ----------
    cancels
        Whether instances may have lost operands that cancel: those in which all that is left stands
        in the subject come first. If there are any, a short search adds others that are determined;
        if there are none, a long one gives the most general answers, which may leave variables
        free, or raises `Incomplete`.
    match
        ``match(term)`` streams the substitutions under which the pattern equals the term, each
        once, lazily, as dicts from logic variable to plain term.
    """

    __slots__ = (
        "__dict__",
        "_sorts",
        "_steps",
        "_tick",
        "cancels",
        "is_open",
        "match",
        "pattern",
        "store",
    )

    match: Callable[[Interned], Iterator[Substitution]]

    def __init__(
        self,
        pattern: Interned,
        sorts: Sorts | None = None,
        steps: int | None = None,
        tick: Callable[[int], object] = int,
    ):
        self.pattern = pattern
        self._tick = tick
        self._steps = steps
        self.store = pattern.store
        self._sorts = sorts or Sorts(self.store, {})
        #: Whether a variable stands for an operator, whatever it obeys: only unification knows.
        self.is_open = any(map(is_open, operands_first(pattern)))
        self.cancels = self.is_open or may_cancel(pattern)
        self.match = self._with_cancelling if self.cancels else self._compiled(interned=False)

    @property
    def source(self) -> str:
        """The text of the generator the pattern was compiled to, for reading."""
        program, _ = self._planned(interned=False)
        return program.source()

    def solve(self, term: Interned) -> Iterator[dict[Var, Interned]]:
        """The same stream as `match`, of interned terms.

        Parameters
        ----------
        term
            A term of the same theory, from `kanrewrite.ac.term`.
        """
        return self._cancelling(term) if self.cancels else self._solved(term)

    def _solved(self, term: Interned) -> Iterator[dict[Var, Interned]]:
        if self.is_open:
            return iter(())
        if "_solve" not in self.__dict__:
            self.__dict__["_solve"] = self._compiled(interned=True)
        found: Iterator[dict[Var, Interned]] = self.__dict__["_solve"](term)
        return found

    def _with_cancelling(self, term: Interned) -> Iterator[Substitution]:
        for found in self._cancelling(term):
            yield {v: value.plain for v, value in found.items()}

    def written(self, term: Interned) -> Iterator[Substitution]:
        """The answers in which variables stand for what is written in a term, not for what cancels.

        They are finitely many, whatever inverses the theory has.

        Parameters
        ----------
        term
            A term of the same theory.
        """
        for found in self._solved(term):
            yield {v: value.plain for v, value in found.items()}

    def complete(self, term: Interned) -> Iterator[Substitution]:
        """The same stream as `match`, and general answers after those that are instances of them.

        Parameters
        ----------
        term
            A term of the same theory.
        """
        if not self.cancels:
            return self.match(term)
        every = self._cancelling(term, general_too=True)
        return ({v: value.plain for v, value in found.items()} for found in every)

    def _cancelling(
        self, term: Interned, general_too: bool = False
    ) -> Iterator[dict[Var, Interned]]:
        """The compiled matcher's answers, and those that only unification finds."""
        seen = set()
        for found in self._solved(term):
            seen.add(frozenset(found.items()))
            yield found
        steps = _FEW_STEPS if seen else None
        most = None if self._steps is None else self._steps // _SHORT
        every = instances(self.store, self.pattern, term, self._sorts, steps, most, self._tick)
        if not seen:
            for values in every:
                yield {v.plain: value for v, value in values.items()}
            return
        general = []
        for values in every:
            found = {v.plain: value for v, value in values.items()}
            if any(value.variables - term.variables for value in found.values()):
                general.append(found)
            elif frozenset(found.items()) not in seen:
                seen.add(frozenset(found.items()))
                yield found
        if general_too:
            yield from general

    def extend(self, term: Interned, written: bool = False) -> Iterator[tuple[Substitution, Rest]]:
        """Match the pattern inside a larger product or sum at the root.

        Parameters
        ----------
        term
            A term of the same theory.
        written
            Whether only answers are wanted in which variables stand for what is written in the
            term, as they always do in a larger product or sum.

        Yields
        ------
        tuple
            A substitution, and what is left around the pattern: a tuple of plain operands for an
            AC operator; for an associative one a pair of such tuples, before and after; None
            if nothing is left, as always where the pattern's head is not associative.
        """
        if not self.pattern.symbol.associative:
            matches = self.written if written else self.match
            return ((found, None) for found in matches(term))
        if "_extend" not in self.__dict__:
            self.__dict__["_extend"] = self._compiled(interned=False, extension=True)
        found: Iterator[tuple[Substitution, Rest]] = self.__dict__["_extend"](term)
        return found

    def __repr__(self) -> str:
        return f"<matcher of {self.pattern.plain!r} modulo {self.store.theory.name!r}>"

    def _planned(self, interned: bool, extension: bool = False) -> tuple[Program, str]:
        """The program that solves for the pattern, and what it yields."""
        pattern, terms = self.pattern, self.store
        program = Program(
            build=terms.build,
            invert=terms.invert,
            refuse=self._sorts.refuse,
            late=self._late,
        )
        plan = Plan(terms, program, interned, self._sorts)
        around = [terms.leaf(var()) for _ in range(2 if extension else 0)]
        plan.open.update(around)
        if extension:
            self._open_around(plan, around)
        else:
            plan.tasks.append((pattern, "t"))
        plan.run()
        answer = []
        for variable in sorted(pattern.variables, key=lambda v: v.serial):
            value = plan.plain.get(variable)
            if value is None:
                value = plan.bound[variable] + ("" if interned else ".plain")
            answer.append(f"{program.constant(variable.plain)}: {value}")
        text = "{" + ", ".join(answer) + "}"
        if extension:
            sides = [
                f"tuple([n.plain for n in {plan.bound[v]}])" for v in around if v in plan.bound
            ]
            if len(sides) == 2:
                text += ", (({}, {}) if {} or {} else None)".format(
                    *sides, *(plan.bound[v] for v in around)
                )
            else:
                text += f", {sides[0]} or None"
        program.answer(text)
        return program, text

    def _late(self, term: Interned, steps: int) -> int:
        """So many steps without an answer, unless they are too many."""
        most = self._steps or _MOST
        if steps > most and (self._steps or steps > most + width(term)):
            pattern, subject = shown(self.pattern.plain), shown(term.plain)
            raise IncompleteMatch(self.store.theory.name, pattern, subject, steps)
        return steps

    def _open_around(self, plan: Plan, around: list[Interned]) -> None:
        """Begin a plan with room around the pattern."""
        symbol, args = self.pattern.symbol, self.pattern.args
        if symbol.commutative:
            plan.open_bag(symbol, "t", (*args, around[0]))
        else:
            plan.open_row(symbol, "t", (around[0], *args, around[1]))

    def _compiled(self, interned: bool, extension: bool = False) -> Callable[..., Any]:
        program, _ = self._planned(interned, extension)
        solver = program.solver()
        program.names.update(
            solve=solver, NOTHING=iter(()), STORE=self.store, ForeignTerm=ForeignTerm
        )
        tests = []
        possible = heads(self.pattern)
        if not extension and possible is not None and len(possible) == 1:
            (head,) = possible
            tests.append(f"t.symbol is not {program.constant(head)}")
        bits = required(self.pattern)
        if bits:
            tests.append(f"{bits} & ~t.below")
        lines = [
            "def match(t):",
            "    try:",
            "        if t.store is not STORE: raise ForeignTerm(t, STORE.theory.name)",
            "    except AttributeError: raise ForeignTerm(t, STORE.theory.name) from None",
        ]
        if tests:
            lines.append(f"    if {' or '.join(tests)}: return NOTHING")
        lines.append("    return solve(t)")
        return program.function("\n".join(lines), "match")


@checked
def compile(  # noqa: A001  # the field's word for it
    pattern: Any, theory: Theory, sorts: Mapping[Var, Sort] | None = None
) -> Matcher:
    """Compile a pattern for matching modulo a theory.

    Parameters
    ----------
    pattern
        A term with logic variables.
    theory
        What the operators obey.
    sorts
        What some of its variables may be, as for `kanrewrite.ac.unify`.

    Returns
    -------
    Matcher

    Examples
    --------
    >>> from kanrewrite.ac.terms import term
    >>> theory = Theory("sums").ac("add")
    >>> x, y = var("x"), var("y")
    >>> matcher = compile(("add", ("f", x), y), theory)
    >>> list(matcher.match(term(("add", "a", ("f", "b"), "c"), theory)))
    [{~x: 'b', ~y: ('add', 'a', 'c')}]
    """
    interned = store(theory).intern(pattern)
    return Matcher(interned, Sorts(interned.store, sorts)) if sorts else matcher(interned)


@lru_cache(maxsize=1024)
def matcher(pattern: Interned) -> Matcher:
    """The matcher of an interned pattern, the latest ones kept.

    Parameters
    ----------
    pattern
        A canonical term.
    """
    return Matcher(pattern)


@checked
def match(
    pattern: Any, subject: Any, theory: Theory, sorts: Mapping[Var, Sort] | None = None
) -> Iterator[Substitution]:
    """The substitutions under which a pattern equals a subject modulo a theory.

    Parameters
    ----------
    pattern
        A term with logic variables.
    subject
        A term; logic variables in it are constants.
    theory
        What the operators obey.
    sorts
        What some of the pattern's variables may be, as for `kanrewrite.ac.unify`.

    Returns
    -------
    Iterator of dict
        From logic variable to plain term, lazily, each answer once.

    Examples
    --------
    >>> theory = Theory("sums").ac("add", unit=0)
    >>> x, y = var("x"), var("y")
    >>> sorted(map(str, match(("add", x, y), "a", theory)))
    ["{~x: 'a', ~y: 0}", "{~x: 0, ~y: 'a'}"]
    """
    terms: Store = store(theory)
    return compile(pattern, theory, sorts).match(terms.intern(subject))
