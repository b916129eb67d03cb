"""Terms that must differ modulo a theory, as a constraint of miniKanren."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kanren.constraints import ConstrainedState, ConstraintStore
from kanren.util import FlexibleSet

from kanrewrite.ac.goals import Goal, Known, default_theory
from kanrewrite.ac.states import compatible, may_change
from kanrewrite.ac.terms import store
from kanrewrite.border import checked
from kanrewrite.theory import Theory

Pair = tuple[Any, Any, Theory]


class TheoryDisequality(ConstraintStore):
    """The pairs of terms that must stay different, each with its theory."""

    op_str = "neq"

    def pre_unify_check(self, lvar_map: Any, lvar: Any = None, value: Any = None) -> bool:
        """Nothing is known before."""
        return True

    def post_unify_check(
        self,
        lvar_map: Mapping[Any, Any],
        lvar: Any = None,
        value: Any = None,
        old_state: Any = None,
    ) -> bool:
        """Whether no pair is equal under a substitution; those that never can be are dropped."""
        for key, pairs in list(self.lvar_constraints.items()):
            for pair in list(pairs):
                differ = _differ(pair, lvar_map)
                if differ is False:
                    return False
                if differ:
                    pairs.discard(pair)
            if not len(pairs):
                del self.lvar_constraints[key]
        return True


_no_pairs: Callable[[], TheoryDisequality] = TheoryDisequality


def _differ(pair: Pair, substitution: Mapping[Any, Any]) -> bool | None:
    """Whether two terms differ whatever else is bound; None where that is open."""
    u, v, theory = pair
    known = Known(store(theory), substitution)
    left, right = known(u), known(v)
    if left is right:
        # Equal canonical forms are equal under every substitution.
        return False
    if not left.variables and not right.variables:
        return True
    free = not (may_change(left) or may_change(right))
    return True if free and not compatible(left, right) else None


@checked
def neq(u: Any, v: Any, theory: Theory | None = None) -> Goal:
    """The goal that two terms are not equal modulo a theory, now or under what is bound later.

    Parameters
    ----------
    u, v
        Terms.
    theory
        What their operators obey; if None, the default theory when the goal is run.

    Returns
    -------
    goal
        Adds a constraint to the state, as kanren's own `neq` does, which compares as written.

    Examples
    --------
    >>> from kanren import lall, run
    >>> from unification import var
    >>> from kanrewrite.ac.goals import eq
    >>> theory, x = Theory("sums").ac("add"), var("x")
    >>> different = neq(x, ("add", "q", "r"), theory)
    >>> run(0, x, different, eq(x, ("add", "r", "q"), theory))
    ()
    """

    def goal(state: Any) -> Iterator[Any]:
        pair = u, v, default_theory() if theory is None else theory
        known = isinstance(state, ConstrainedState)
        extended = state.copy() if known else ConstrainedState(state)
        pairs = extended.constraints.setdefault(TheoryDisequality, _no_pairs())
        pairs.lvar_constraints.setdefault(None, FlexibleSet()).add(pair)
        if pairs.post_unify_check(extended.data):
            yield extended

    return goal
