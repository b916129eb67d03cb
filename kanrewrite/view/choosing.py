"""Choosing: a sum of choices by one condition is the choice of sums, where less is left of these.

Slopes of what is chosen between have two terms, each of them a choice, of which one undoes nearly
all of the other.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from kanrewrite.terms import T
from kanrewrite.view.following import becomes
from kanrewrite.view.forms import Form, Terms
from kanrewrite.view.heat import hot, is_choice, is_mask
from kanrewrite.view.lengths import is_thin
from kanrewrite.view.takes import added

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting


class Choice(NamedTuple):
    """A term that is one thing where a condition holds, and another where it does not."""

    condition: Form
    yes: Form
    no: Form
    chooses: bool


def chosen_together(terms: Terms, a: Lifting) -> Terms | None:
    """``switch(c, a, b) + switch(c, x, y)`` as ``switch(c, a + x, b + y)``, where terms meet."""
    if len(terms) < 2 or not any(is_choice(f) for m in terms for f, _ in a.parts(m)[2]):
        return None
    found = {m: choice for m in terms if (choice := _choice(m, a)) is not None}
    for (m, one), (n, other) in combinations(found.items(), 2):
        if one.condition is not other.condition or not (one.chooses or other.chooses):
            continue
        first, second = (
            [a.mul(a.const(terms[term]), f) for f in (t.yes, t.no)]
            for term, t in ((m, one), (n, other))
        )
        if any(_meet(f, g, a) for f, g in zip(first, second, strict=True)):
            both = ((T.switch, one.condition, *branches) for branches in (first, second))
            whole = becomes((T.add, T.switch, T.switch), tuple(both), a)
            if whole is not None:
                rest = {t: c for t, c in terms.items() if t not in (m, n)}
                return added(rest, a.spread(whole, m), a)
    return None


def _choice(term: Form, a: Lifting) -> Choice | None:
    """A term as a choice, into whose branches its other factors have gone."""
    for f, k in a.parts(term)[2]:
        if k != 1 or not (is_choice(f) or is_mask(f)) or is_thin(f.args[0]):
            continue
        around, condition = a.div(term, f), f.args[0]
        if is_mask(f):
            yes, no = (around, a.zero) if f.args[1] else (a.zero, around)
        else:
            yes, no = (a.mul(around, branch) for branch in f.args[1:])
        return Choice(condition, yes, no, is_choice(f))
    return None


def _meet(one: Form, other: Form, a: Lifting) -> bool:
    """Tell whether two forms with exponentials are fewer terms together."""
    if not (hot(one) and hot(other)):
        return False
    both = a.add(one, other)
    return len(a.terms_of(both)) < len(a.terms_of(one)) + len(a.terms_of(other))
