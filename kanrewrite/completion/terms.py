"""Terms as equations are overlapped: products without quotients, sums without differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any

from unification import Var

from kanrewrite.relation import Rule, substitute
from kanrewrite.terms import Param, T, Term, parameters_of, show
from kanrewrite.theory import Theory
from kanrewrite.unify import as_term, is_term

#: Overlaps are computed modulo these axioms: with units and inverses there would be more unifiers
#: than anyone wants to read, and none of them new, since views cancel what they add.
PLAIN = Theory("plain").ac(T.add).ac(T.mul)


def flat(term: Any) -> Any:
    """A term in which quotients and differences are products and sums.

    Examples
    --------
    >>> a, b = Param("flat:a"), Param("flat:b")
    >>> flat(a / (2 * b))
    a * reciprocal(2) * reciprocal(b)
    """
    return _flat(as_term(term)) if is_term(term) else term


def _flat(term: Any) -> Any:
    """The same of a term in Aesara's words: each part is looked at once."""
    if not is_term(term):
        return term
    op, *rest = (_flat(part) for part in term)
    if op is T.true_div:
        return product([rest[0], _flat(T.reciprocal(rest[1]))])
    if op is T.sub:
        return Term((T.add, rest[0], _flat(T.neg(rest[1]))))
    if op is T.neg:
        return -rest[0] if isinstance(rest[0], int | float) else product([-1, rest[0]])
    if op is T.reciprocal and is_term(rest[0]) and rest[0][0] is T.mul:
        return product([T.reciprocal(factor) for factor in rest[0][1:]])
    return product(rest) if op is T.mul else Term((op, *rest))


def product(factors: Iterable[Any]) -> Any:
    """A product of factors, products among them."""
    found: list[Any] = []
    for factor in factors:
        found += factor[1:] if is_term(factor) and factor[0] is T.mul else [factor]
    found = [factor for factor in found if not (isinstance(factor, int) and factor == 1)] or [1]
    return found[0] if len(found) == 1 else Term((T.mul, *found))


def written(term: Any) -> Any:
    """The same term with quotients, for reading."""
    if not is_term(term):
        return term
    op, *rest = term
    if op is not T.mul:
        inside = [written(part) for part in rest]
        return T.true_div(1, inside[0]) if op is T.reciprocal else Term((op, *inside))
    below = [written(x[1]) for x in rest if _is_reciprocal(x)]
    above = [written(x) for x in rest if not _is_reciprocal(x)]
    if not below:
        return Term((op, *above))
    return T.true_div(product(above) if above else 1, product(below))


def _is_reciprocal(term: Any) -> bool:
    return is_term(term) and term[0] is T.reciprocal


def under(term: Any, unifier: Mapping[Any, Any]) -> Any:
    """A term under a unifier, whose values may hold variables that it binds in turn."""
    while any(v in unifier for v in parameters_of(term)):
        term = substitute(term, unifier)
    return term


def replaced(term: Any, old: Any, new: Any) -> Any:
    """A term with the first of its parts that is another term replaced."""
    if canonical(term) == canonical(old):
        return new
    parts = list(term) if is_term(term) else []
    for n, part in enumerate(parts):
        changed = replaced(part, old, new)
        if changed is not part:
            return Term((*parts[:n], changed, *parts[n + 1 :]))
    return term


#: The text of an operand, by which operands are put in order.
_shown = lru_cache(maxsize=1 << 14)(show)


@lru_cache(maxsize=1 << 14)
def canonical(term: Any) -> Any:
    """The same term for all that are equal: operands in order, numbers computed.

    Examples
    --------
    >>> a, b = Param("canonical:a"), Param("canonical:b")
    >>> canonical(flat(2 * (b * a) * 3)) == canonical(flat(a * 6 * b))
    True
    """
    if not is_term(term):
        return term
    op, *rest = (canonical(part) for part in term)
    if op not in (T.mul, T.add):
        return Term((op, *rest))
    nested = (x[1:] if is_term(x) and x[0] is op else (x,) for x in rest)
    rest = sorted((x for part in nested for x in part), key=_shown)
    numbers = [x for x in rest if isinstance(x, int | float)]
    others = [x for x in rest if not isinstance(x, int | float)]
    number = prod(numbers) if op is T.mul else sum(numbers)
    kept = others if number == (op is T.mul) and others else [number, *others]
    return kept[0] if len(kept) == 1 else Term((op, *kept))


def apart(rule: Rule, mark: str) -> Rule:
    """A rule over variables of its own, flat."""
    used = dict.fromkeys([*parameters_of(rule.pattern), *parameters_of(rule.replacement)])
    names: dict[Var, Var] = {v: Param(f"{mark}:{v.token}") for v in used}
    return Rule(
        rule.relation,
        shared(flat(substitute(rule.pattern, names))),
        shared(flat(substitute(rule.replacement, names))),
        tuple(condition.renamed(names) for condition in rule.conditions),
        rule.theory,
        rule.origin,
    )


def shared(term: Any, seen: dict[Any, Any] | None = None) -> Any:
    """A term of which equal parts are one object, to be looked at once."""
    if not isinstance(term, tuple):
        return term
    seen = {} if seen is None else seen
    whole = type(term)(shared(part, seen) for part in term)
    return seen.setdefault(whole, whole)


def renamed(terms: Sequence[Any]) -> list[Any]:
    """Terms over variables with short names, those of parameters where they are free."""
    names: dict[Any, Any] = {}
    taken: set[str] = set()
    for variable in (v for term in terms for v in parameters_of(term)):
        if variable not in names:
            name = next(n for n in names_for(str(variable)) if n not in taken)
            taken.add(name)
            names[variable] = Param(f"derived:{name}")
    return [substitute(term, names) for term in terms]


def names_for(name: str) -> Iterator[str]:
    """Names for a variable, the best first."""
    if not name.startswith("~"):
        yield name
        yield from (f"{name}{n}" for n in range(1, 100))
    yield from "zwuvts"
    yield from (f"z{n}" for n in range(100))


def text(term: Any) -> str:
    """A term for a message."""
    return show(written(term))
