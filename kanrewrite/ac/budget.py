"""What a search may take before it says that it gives up: work that is counted, never time."""

from __future__ import annotations

from collections.abc import Callable

from kanrewrite.errors import EndlessSet, Incomplete

#: How many steps a search may take without a solution before it gives up; the first number where
#: branches may be endless.
_SILENT, _SILENT_FINITE = 10_000, 100_000
#: And how much work, since terms may get large, and a step long: some 2 s.
MOST = 400_000
#: How much in a step where the number of steps is given: no step is to be longer than all of them.
_EACH = 200
#: How often a search may go through all operands beside that.
_THROUGH = 20
#: What part of it a step may take where what was found before waits for its end.
_WAITED = 3
#: The work of a step without its parts.
_STEP = 4


class Budget:
    """The steps and the work of one search.

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
    size
        How many operands the equations have: to go through them all is no search.

    Attributes
    ----------
    spent
        The work that was done: a few microseconds each.
    waited
        Whether what was found waits for the end of the present step.
    """

    def __init__(
        self, theory: str, problem: Callable[[], str], fair: bool, steps: int | None, size: int
    ):
        self._theory = theory
        self._problem = problem
        self._fair = fair
        self._left = steps
        self._most = (MOST if steps is None else min(MOST, steps * _EACH)) + _THROUGH * size
        self._patience: int | None = None
        self.spent = 0
        self.waited = False
        self._found = self._steps = self._begun = self._since = self._step = 0

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
        self._begun = self.spent

    def found(self) -> None:
        """Note that a solution was new to its reader: the search may take as much again."""
        self._found += 1
        self._steps = 0
        self._since = self.spent

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
        self._step = self.spent
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise self.given_up()
        if self._fair and self._patience is not None:
            self._patience -= 1
            if self._patience < 0:
                raise self._endless()
        if self._steps > (_SILENT if self._fair else _SILENT_FINITE):
            raise self.given_up()
        self.tick(_STEP)

    def tick(self, work: int = 1) -> None:
        """Note a part of a step; raises as `spend` does, when it is late.

        Parameters
        ----------
        work
            How long it is.
        """
        self.spent += work
        if self._patience is not None and self._fair and self.spent - self._begun > self._most:
            raise self._endless()
        late = self.waited and self.spent - self._step > self._most // _WAITED
        if late or self.spent - self._since > self._most:
            self._since = self._step = self.spent  # whoever knows what to do instead may do it
            raise self.given_up()

    def _endless(self) -> EndlessSet:
        return EndlessSet(self._theory, self._problem(), self._found)

    def given_up(self) -> Incomplete:
        """Why the search ends, as things stand."""
        return Incomplete(self._theory, self._problem(), self._found, self._steps)
