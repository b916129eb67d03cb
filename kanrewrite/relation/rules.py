"""Rules: equations with a direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from kanrewrite.ac import Eq
from kanrewrite.guards import Condition
from kanrewrite.terms import is_variable, show
from kanrewrite.theory import Theory

if TYPE_CHECKING:
    from kanrewrite.relation.core import Relation


def substitute(term: Any, values: Mapping[Any, Any]) -> Any:
    """A term with logic variables replaced.

    Examples
    --------
    >>> from kanrewrite.terms import Param, T
    >>> x, y = Param("substitute:x"), Param("substitute:y")
    >>> substitute(T.exp(x + 1), {x: y})
    exp(y + 1)
    """
    return _substituted(term, values, {})


def _substituted(term: Any, values: Mapping[Any, Any], made: dict[int, Any]) -> Any:
    """What is one part of the term in several places is one part of the result too."""
    if not isinstance(term, tuple):
        return values.get(term, term) if is_variable(term) else term
    if id(term) not in made:
        made[id(term)] = type(term)(_substituted(part, values, made) for part in term)
    return made[id(term)]


@dataclass(frozen=True)
class Rule:
    """An equation with its direction chosen: what a match of one side is replaced by.

    Parameters
    ----------
    relation : Relation
        Where it comes from.
    pattern, replacement : term
        The side that is matched and the side that is built.
    conditions : tuple of Condition
        What the bindings must satisfy.
    theory : Theory or None
        What the pattern is matched modulo; None leaves it to the view.
    origin : str
        For a derived rule, the pair of equations whose overlap it is.
    error : float
        How far apart the sides may be, relative to the matched one: 0 for what is true.
    """

    relation: Relation
    pattern: Any
    replacement: Any
    conditions: tuple[Condition, ...] = ()
    theory: Theory | None = None
    origin: str = ""
    error: float = 0.0

    @property
    def name(self) -> str:
        """The name of the relation."""
        return self.relation.name

    def __str__(self) -> str:
        derived = f"  [{self.origin}]" if self.origin else ""
        return (
            f"{show(self.pattern)} -> {show(self.replacement)}{when_text(self.conditions)}{derived}"
        )


def conditions_of(equation: Eq) -> tuple[Condition, ...]:
    """The guards of a relation's equation, which are conditions all (a relation checks it)."""
    return cast("tuple[Condition, ...]", equation.guards)


def when_text(conditions: tuple[Condition, ...]) -> str:
    """Conditions as they are written after an equation."""
    return f" when {', '.join(map(str, conditions))}" if conditions else ""
