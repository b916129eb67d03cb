"""Wrong variants of relations, to see that a check refuses them.

References
----------
R. A. DeMillo, R. J. Lipton and F. G. Sayward, "Hints on test data selection: help for the
practicing programmer", Computer 11(4), 1978.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from copy import copy
from typing import Any

from unification import Var

from kanrewrite.errors import RelationError
from kanrewrite.guards import constant_along, is_float
from kanrewrite.relation import Eq, Relation, eq
from kanrewrite.terms import Operator, Param, T, Term, parameters_of, show

#: Operators that are taken for one another.
CONFUSED = {
    T.add: T.sub, T.sub: T.add, T.mul: T.true_div, T.true_div: T.mul, T.exp: T.expm1,
    T.expm1: T.exp, T.log: T.log1p, T.log1p: T.log, T.max: T.min, T.min: T.max, T.sum: T.max,
    T.softmax: T.log_softmax, T.log_softmax: T.softmax, T.sigmoid: T.tanh, T.tanh: T.sigmoid,
    T.softplus: T.sigmoid, T.sqrt: T.sqr, T.sqr: T.sqrt, T.maximum: T.minimum,
    T.minimum: T.maximum, T.cumsum: T.cumprod, T.prod: T.sum,
}  # fmt: skip
#: Operators that do not see the sign of their operand.
EVEN = frozenset({T.abs, T.sqr, T.cosh, T.cos})
COMPARISONS = frozenset({T.eq, T.neq, T.lt, T.le, T.gt, T.ge})
#: Guards that a number satisfies with its negative and its multiples.
SCALED = frozenset({is_float.name, constant_along.name})


def mutations(relation: Relation) -> list[Relation]:
    """Variants of a relation with one thing changed: a sign, a factor, an axis, an operator.

    Parameters
    ----------
    relation : Relation
        One that states equations.

    Returns
    -------
    list of Relation
        Without examples, each named after the relation and what was changed, the equation that
        was changed being the first. A change that plainly leaves an equation true, as that of a
        sign under a square or of what may be any number, is left out.

    Examples
    --------
    >>> from kanrewrite.guards import Float
    >>> from kanrewrite.relation import relation
    >>> @relation
    ... def log_exp(x: Float):
    ...     yield eq(T.log(T.exp(x)), x)
    >>> [m.text for m in mutations(log_exp)][:2]
    ['-log(exp(x)) == x', '2 * log(exp(x)) == x']
    """
    found: dict[Any, Relation] = {}
    for i, equation in enumerate(relation.equations):
        kept = _arbitrary(equation)
        sides = [(lhs, equation.rhs) for lhs in variants(equation.lhs, kept)]
        sides += [(equation.lhs, rhs) for rhs in variants(equation.rhs, kept)]
        for lhs, rhs in sides:
            changed = eq(lhs, rhs, equation.theory).when(*equation.guards).within(equation.error)
            variant: Any = copy(relation)
            # first, as a check that refuses it then need not come to the others
            variant.equations = (changed, *relation.equations[:i], *relation.equations[i + 1 :])
            variant.name = f"{relation.name}, with {show(lhs)} == {show(rhs)}"
            variant.examples, variant.non_examples = [], []
            if _usable(variant, changed):
                found.setdefault((i, lhs, rhs), variant)
    return list(found.values())


def _usable(variant: Relation, changed: Any) -> bool:
    """Whether it still is a relation: what is built is bound by what is matched."""
    asked = {v for guard in changed.guards for v in guard.variables}
    if not asked.issubset({*parameters_of(changed.lhs), *parameters_of(changed.rhs)}):
        return False
    try:
        variant.rules()
    except RelationError:
        return False
    return True


def _arbitrary(equation: Eq) -> frozenset[Var]:
    """The parameters that stand once in an equation, and may be any number.

    What holds for all of them holds for their negatives and multiples.
    """
    count = Counter([*parameters_of(equation.lhs), *parameters_of(equation.rhs)])
    conditions: Any = equation.guards
    asked = {
        v
        for condition in conditions
        for v in condition.variables
        if condition.guard.name not in SCALED or v is not condition.arguments[0]
    }
    return frozenset(v for v, times in count.items() if times == 1 and v not in asked)


def variants(
    term: Any, kept: frozenset[Var] = frozenset(), free: frozenset[str] = frozenset()
) -> Iterator[Any]:
    """A term with one thing changed, at its root or below.

    Parameters
    ----------
    term : term
        A side of an equation, or a part of one.
    kept : frozenset of Var
        Parameters that are left as they are.
    free : frozenset of str
        What of the term does not matter where it stands, its "sign" or its "scale": a change of
        that would be no mistake.
    """
    if isinstance(term, bool | str | None | slice) or term in kept:
        return
    if isinstance(term, int | float):
        yield term + 1
        if term:
            yield -term
        return
    # a truth value has neither sign nor scale: an equation of its negative could not be built
    number = not (isinstance(term, Term) and term[0] in COMPARISONS)
    if number and "sign" not in free:
        yield -term
    if number and "scale" not in free:
        yield 2 * term
    if isinstance(term, Term) and isinstance(term[0], Operator):
        yield from _of_application(term, kept, free)


def _of_application(term: Term, kept: frozenset[Var], free: frozenset[str]) -> Iterator[Any]:
    head, *operands = term
    if head in CONFUSED and not (head in (T.add, T.sub) and operands[-1] in kept):
        yield Term((CONFUSED[head], *operands))
    if head in (T.sub, T.true_div, T.pow, T.dot):
        yield Term((head, *operands[::-1]))
    if head in (T.add, T.mul) and len(operands) > 1:
        yield operands[0] if len(operands) == 2 else Term((head, *operands[:-1]))
    if head is T.neg and "sign" not in free:
        yield operands[0]
    if head is T.switch:
        yield Term((head, operands[0], operands[2], operands[1]))
    # the condition of a switch is no number, and an exponential is only a scale
    skipped = {0} if head is T.switch or (head is T.exp and "scale" in free) else set()
    tensors = len(operands) - len(head.parameters)
    names = list(head.parameters)
    for i, operand in enumerate(operands):
        if i in skipped:
            continue
        changed = (
            variants(operand, kept, _free(head, operands, free))
            if i < tensors
            else _parameter(names[i - tensors], operand)
        )
        for other in changed:
            yield Term((head, *operands[:i], other, *operands[i + 1 :]))


def _free(head: Operator, operands: list[Any], free: frozenset[str]) -> frozenset[str]:
    """What of its operands does not matter to an operator, itself `free` of something."""
    if head in (T.mul, T.true_div, T.neg):
        return free
    if head in EVEN:
        return frozenset({"sign"})
    if head in COMPARISONS and 0 in operands:
        return frozenset({"sign", "scale"} if head in (T.eq, T.neq) else {"scale"})
    return frozenset()


def _parameter(name: str, value: Any) -> Iterator[Any]:
    if name == "axis":
        if isinstance(value, Param) or value is not None:
            yield None
        if value != 0:
            yield 0
    elif name == "keepdims" and isinstance(value, bool):
        yield not value
