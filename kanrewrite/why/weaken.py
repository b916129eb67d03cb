"""Patterns with holes: the same pattern, asking for less.

A weakened pattern is matched by the same matcher as the whole one.  What it finds says how far the
whole one would have come, so no second matcher has to be kept in step with the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from unification import isvar

from kanrewrite.terms import Param, Term
from kanrewrite.unify import is_term

Path = tuple[int, ...]
HOLE = "□"


@dataclass(frozen=True)
class Demand:
    """One thing that a pattern asks for at a place: an operator, a setting, an equal operand.

    Attributes
    ----------
    path : tuple of int
        Where in the pattern: the positions of operands from the root.
    part : Term or leaf
        What is there.
    setting : str
        For a parameter of an operator, its name.
    repeats : Path or None
        For a logic variable, where it stood before.
    """

    path: Path
    part: Any
    setting: str = ""
    repeats: Path | None = None


def demands(pattern: Any) -> list[Demand]:
    """What a pattern asks for, below its root: operators and settings, then equal operands."""
    found = list(_demands(pattern, ()))
    return sorted(found, key=lambda demand: demand.repeats is not None)


def _demands(pattern: Any, path: Path, seen: dict[Any, Path] | None = None) -> Iterator[Demand]:
    seen = {} if seen is None else seen
    head, *parts = pattern
    names = list(head.parameters)
    tensors = len(parts) - len(names)
    for index, part in enumerate(parts):
        here = (*path, index)
        setting = names[index - tensors] if index >= tensors else ""
        if isvar(part):
            if part in seen:
                yield Demand(here, part, setting, seen[part])
            else:
                seen[part] = here
        else:
            yield Demand(here, part, setting)
            if is_term(part):
                yield from _demands(part, here, seen)


def weakened(pattern: Any, kept: frozenset[Path]) -> Any:
    """A pattern with holes where its demands are not kept.

    Parameters
    ----------
    pattern : Term
        The whole pattern.
    kept : frozenset of Path
        The places of the demands that still hold.

    Examples
    --------
    >>> from kanrewrite.terms import T
    >>> x = Param("weakened:x")
    >>> weakened(T.exp(x) / T.log(T.cos(x)), frozenset({(1,)}))
    □ / log(□)
    """
    return _weakened(pattern, (), kept, set())


def _weakened(part: Any, path: Path, kept: frozenset[Path], seen: set[Any]) -> Any:
    if isvar(part):
        if part in seen and path not in kept:
            return hole(path)
        seen.add(part)
        return part
    if path and path not in kept:
        return hole(path)
    if not is_term(part):
        return part
    inner = (_weakened(x, (*path, n), kept, seen) for n, x in enumerate(part[1:]))
    return Term((part[0], *inner))


def hole(path: Path) -> Param:
    """The logic variable of a hole."""
    return Param(f"{'.'.join(map(str, path))}:{HOLE}")
