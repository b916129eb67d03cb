"""Signs outside of what is linear, where a theory of sums knows them, and no number as a divisor.

Canonicalization puts a sign where it likes: ``-x / 2`` is ``-0.5 * x`` afterwards.
"""

from __future__ import annotations

from typing import Any

from kanrewrite.terms import T, Term
from kanrewrite.unify import as_term, is_term

#: What a sign passes: how many of the operands may hold it, all where that is None.
_LINEAR = {T.mul: None, T.true_div: None, T.dot: None, T.batched_dot: None, T.sum: 1, T.cumsum: 1}


def signed(term: Any) -> Any:
    """A term of terms that are signed already.

    Examples
    --------
    >>> from kanrewrite.terms import Param
    >>> signed(T.true_div(T.neg(Param("signed:x")), 2))
    -(0.5 * x)
    """
    if not isinstance(term, Term):
        return term
    head, *parts = term
    if head is T.neg and is_term(parts[0]) and parts[0][0] is T.neg:
        return parts[0][1]
    if head not in _LINEAR:
        return term
    if head is T.true_div and isinstance(parts[1], int | float) and _is_plain(parts[1]):
        head, parts = T.mul, [1 / parts[1], parts[0]]
    odd = False
    for place, part in enumerate(parts[: _LINEAR[head]]):
        if is_term(part) and part[0] is T.neg:
            odd, parts[place] = not odd, part[1]
        elif isinstance(part, int | float) and part < 0:
            odd, parts[place] = not odd, -part
    unsigned = Term((head, *parts))
    return T.neg(unsigned) if odd else unsigned


def signed_pattern(pattern: Any) -> Any:
    """A pattern, signed all over, as graphs are read."""
    return _all_over(as_term(pattern))


def _all_over(term: Any) -> Any:
    return signed(Term(map(_all_over, term))) if isinstance(term, Term) else term


def _is_plain(number: float) -> bool:
    """Whether a number has a reciprocal that is as precise."""
    return 1e-300 < abs(number) < 1e300
