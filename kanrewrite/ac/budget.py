"""What a search may take before it says that it gives up."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

from kanrewrite.errors import EndlessSet, Incomplete

#: How many steps a search may take without a solution before it gives up; the first number where
#: branches may be endless.
_SILENT, _SILENT_FINITE = 10_000, 100_000
#: And how many seconds of this thread's: terms may get large, and a step of a search long.
_SECONDS = 2.0
#: How many a step may take, where what was found before waits for its end.
_WAITED = 0.7
#: How many parts of long steps a step counts for.
_SHORT = 4
#: At every how many steps, and parts of long ones, the clock is read.
_STEPS, _PARTS = 8, 256


class Budget:
    """The steps and the time of one search.

    Parameters
    ----------
    theory
        The name of the theory, for messages.
    problem
        The text of the equations, for messages.
    fair
        Whether the search may have endless branches.
    steps
        How many steps are allowed in all; without it, so many from one solution to the next.
    """

    def __init__(self, theory: str, problem: Callable[[], str], fair: bool, steps: int | None):
        self._patience: int | None = None
        self._theory = theory
        self._problem = problem
        self._fair = fair
        self._left = steps
        self._found = self._given = self._steps = self._parts = self._taken = 0
        self._begun = self._since = self._step = thread_time()

    @property
    def is_bounded(self) -> bool:
        """Whether so many steps are allowed in all."""
        return self._left is not None

    def hurry(self, steps: int) -> None:
        """Note that the caller cannot do without the end.

        Parameters
        ----------
        steps
            How many more may be taken.
        """
        self._patience = steps
        self._begun = thread_time()

    def asked(self) -> None:
        """Note that the next solution is asked for: what was done with the last does not count."""
        self._since = thread_time()

    def found(self) -> None:
        """Note that a solution was one that its reader had not: the search has its time again."""
        self._found += 1
        self._steps = 0
        self._since = thread_time()

    def given(self) -> None:
        """Note that a solution was given away as it was found: none waits for the end."""
        self._given += 1

    def spend(self) -> None:
        """One step less.

        Raises
        ------
        EndlessSet
            If patience has ended.
        Incomplete
            If too many steps were taken since the solution before.
        """
        self._steps += 1
        self._taken += 1
        self._step = thread_time()
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise self.given_up()
        if self._fair and self._patience is not None:
            self._patience -= 1
            if self._patience < 0:
                raise EndlessSet(self._theory, self._problem(), self._found + self._given)
        if self._steps > (_SILENT if self._fair else _SILENT_FINITE):
            raise self.given_up()
        if self._steps % _STEPS == 0:
            self._look()

    def tick(self) -> None:
        """Note a part of a step that may be long; raises as `spend` does, when it is late."""
        self._parts += 1
        if self._parts % _PARTS == 0:
            self._look()
            if self._found and thread_time() - self._step > _WAITED:
                raise self.given_up()

    def spent(self) -> int:
        """All the work that was done: parts of steps, each step as some of them."""
        return self._parts + _SHORT * self._taken

    def _look(self) -> None:
        now = thread_time()
        if self._fair and self._patience is not None and now - self._begun > _SECONDS:
            raise EndlessSet(self._theory, self._problem(), self._found + self._given)
        if now - self._since > _SECONDS:
            raise self.given_up()

    def given_up(self) -> Incomplete:
        """Why the search ends, as things stand."""
        found = self._found + self._given
        return Incomplete(self._theory, self._problem(), found, self._steps)
