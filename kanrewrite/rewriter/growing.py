"""Rules whose results hold their own patterns: they are followed once.

``log(1 + exp(x)) == max(x, 0) + log(1 + exp(-abs(x)))`` is true of its own right side, too, and
following it there would never end.  Whoever writes it means what was written before.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from unification import isvar

from kanrewrite.ac import compile as compile_pattern
from kanrewrite.ac import term
from kanrewrite.errors import Incomplete
from kanrewrite.guards import is_constant
from kanrewrite.relation import REAL, Rule, substitute
from kanrewrite.relation.axes import freed
from kanrewrite.relation.notation import in_words
from kanrewrite.rewriter.heads import operators_of, required
from kanrewrite.rewriter.signs import signed_pattern
from kanrewrite.terms import Term, parts_of


def is_growing(rule: Rule, whole: bool = False) -> bool:
    """Tell whether a part of what a rule makes is what it looks for.

    So is all of it where Aesara writes one side as the other: ``-min(x)`` is ``--max(-x)``.

    Parameters
    ----------
    rule : Rule
        The rule.
    whole : bool
        Whether all of what it makes counts as a part of that.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> from kanrewrite.terms import T
    >>> @relation
    ... def log1p_exp(x):
    ...     yield eq(T.log1p(T.exp(x)), T.maximum(x, 0) + T.log1p(T.exp(-T.abs(x))))
    >>> [is_growing(rule) for rule in log1p_exp.rules()]
    [True]
    """
    needed = required(rule.pattern)
    replacement, _ = in_words(rule.replacement)
    if not needed <= required(replacement):
        return False
    pattern, axes = freed(signed_pattern(rule.pattern))
    matcher = compile_pattern(pattern, REAL)
    variables = (part for part in parts_of(replacement) if isvar(part))
    fixed = {variable: f"the {variable}" for variable in variables}
    made = signed_pattern(substitute(replacement, fixed))
    parts = (part for part in parts_of(made) if isinstance(part, Term))
    numbers = {x for c in rule.conditions if c.guard == is_constant for x in c.variables}
    numbers |= axes.keys()
    return any(
        needed <= set(operators_of(part)) and _holds(matcher, part, numbers)
        for part in parts
        if whole or part is not made or replacement != rule.replacement
    )


def _holds(matcher: Any, part: Term, numbers: Collection[Any]) -> bool:
    """Tell whether a part is matched, no parameter standing for a number that could be anywhere.

    Those that are asked to be numbers are there to stand for one.
    """
    try:
        found = (
            [value for x, value in bindings.items() if x not in numbers]
            for bindings, _ in matcher.extend(term(part, REAL), written=True)
        )
        return any(not any(isinstance(v, int | float) for v in values) for values in found)
    except Incomplete:
        return False
