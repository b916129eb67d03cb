"""What occurs more than once in a term is named, so that the term can be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from kanrewrite.terms import Param, Term, parts_of
from kanrewrite.unify import is_term

_LETTERS = "stuvwpqrmndhkfg"
#: A term of fewer operators is as short as its name.
_SMALLEST = 2


def named(term: Any, taken: Collection[str] = ()) -> tuple[Any, list[tuple[Param, Any]]]:
    """A term in which names stand for what it holds more than once, and what they stand for.

    Parameters
    ----------
    term : Term or leaf
    taken : collection of str
        Names that stand for something else.

    Returns
    -------
    tuple
        The shorter term, and the names with their terms, which may hold the names after them.

    Examples
    --------
    >>> from kanrewrite.terms import T
    >>> x = Param("named:x")
    >>> shorter, names = named(T.log(1 + T.exp(x)) * T.sqrt(1 + T.exp(x)), {"x"})
    >>> shorter, [term for _, term in names]
    (log(s) * sqrt(s), [1 + exp(x)])
    """
    letters = (letter for letter in _LETTERS if letter not in taken)
    names: dict[Any, Param] = {}
    for part in _repeated(term):
        letter = next(letters, None)
        if letter is not None:
            names[part] = Param(f"named:{letter}")
    short: dict[Any, Any] = {}

    def shortened(part: Any, whole: bool = False) -> Any:
        if not whole and isinstance(part, Term) and part in names:
            return names[part]
        if not is_term(part):
            return part
        if part not in short:
            short[part] = Term((part[0], *map(shortened, part[1:])))
        return short[part]

    return shortened(term, True), [(name, shortened(part, True)) for part, name in names.items()]


def _repeated(term: Any) -> Iterator[Any]:
    """The terms that several others hold, the outermost first."""
    parents: Counter[Any] = Counter()
    parts = list(dict.fromkeys(part for part in parts_of(term) if isinstance(part, Term)))
    for part in parts:
        parents.update(x for x in part[1:] if isinstance(x, Term))
    yield from (part for part in parts if parents[part] > 1 and _size(part) >= _SMALLEST)


def _size(term: Any) -> int:
    return sum(isinstance(part, Term) for part in parts_of(term))
