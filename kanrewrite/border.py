"""The border: what is given to a public function is what its annotations say.

Annotations are the one statement of what a function takes: type checkers read them, and what they
refuse is refused here before anything is computed, in words. Graphs annotated ``Any``, relations,
words of which few are known, and what mappings hold are judged by what looks them up, which has
more to say.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, cast, get_args, get_origin
from typing import get_type_hints as hints_of

import numpy as np
from aesara.compile.mode import Mode, predefined_modes
from aesara.graph.basic import Variable

from kanrewrite.errors import NoSuchFolder, UnknownPictureFormat, UnusableArgument

_F = TypeVar("_F", bound=Callable[..., Any])

#: What annotations mean by Python's own types: numbers of numpy are numbers.
_TYPES: dict[Any, tuple[Any, str, str]] = {
    int: (Integral, "a whole number", "whole numbers"),
    float: (Real, "a number", "numbers"),
    bool: ((bool, np.bool_), "True or False", "booleans"),
    str: (str, "a text", "texts"),
    type(None): (type(None), "None", "None"),
}
_CONTAINERS = {Sequence: "a sequence", Iterable: "an iterable", Mapping: "a mapping"}
#: Judged, with names and families, by what looks relations up.
_JUDGED_LATER = "Relation"


@dataclass(frozen=True)
class Asked:
    """What is asked of a value beside its type, as metadata of `Annotated`.

    Parameters
    ----------
    takes : str
        What it should be, in words.
    holds : callable
        What is asked.
    """

    takes: str
    holds: Callable[[Any], bool] = lambda _: True


#: How many of something.
Count = Annotated[int, Asked("a whole number that is not negative", lambda n: n >= 0)]
#: A limit of time, or of another number that is not counted.
Amount = Annotated[float, Asked("a number that is not negative", lambda x: x >= 0)]
#: What Aesara compiles by.
AnyMode = Annotated[
    Mode | str | None,
    Asked(
        "a Mode, None, or the name of a mode that Aesara knows",
        lambda mode: not isinstance(mode, str) or mode in predefined_modes,
    ),
]


def _is_tensor(value: Any) -> bool:
    """Whether it is a variable, numbers, or a list of them."""
    if isinstance(value, list | tuple):
        return all(map(_is_tensor, value))
    return isinstance(value, Variable) or np.asarray(value).dtype.kind in "biufc"


#: A variable of a graph, and one or several of them.
AnyVariable = Annotated[Any, Asked("a variable", lambda v: isinstance(v, Variable))]
Variables: TypeAlias = AnyVariable | Sequence[AnyVariable]
#: What Aesara makes tensors of.
Tensors = Annotated[Any, Asked("variables or arrays of numbers", _is_tensor)]

#: The values of inputs.
Values: TypeAlias = Annotated[
    Any,
    Asked(
        "one value for each input, in their order or by variable or name",
        lambda given: isinstance(given, Collection | np.ndarray) and not isinstance(given, str),
    ),
]
#: Equations to solve, and rewrites to draw.
Pairs: TypeAlias = Annotated[Iterable[tuple[Any, Any]], Asked("pairs of terms")]
Triples: TypeAlias = Annotated[
    Sequence[tuple[str, AnyVariable, AnyVariable]],
    Asked("rewrites, each a tuple of a name, a graph and what became of it"),
]


def page_at(path: Path, endings: Sequence[str]) -> Path:
    """Where a page is to be written, before the work for it is done.

    Raises
    ------
    NoSuchFolder, UnknownPictureFormat
        If there is no such folder, or pages do not end so.
    """
    if not path.parent.is_dir():
        raise NoSuchFolder(path)
    if path.suffix.lower() not in endings:
        raise UnknownPictureFormat(path, endings)
    return path


def checked(function: _F) -> _F:
    """Refuse what the annotations of a function, or of what makes objects of a class, refuse.

    Raises
    ------
    UnusableArgument
        When it is called with something else than what it takes.

    Examples
    --------
    >>> @checked
    ... def twice(n: int) -> int:
    ...     return 2 * n
    >>> twice("a")
    Traceback (most recent call last):
    kanrewrite.errors.tools.UnusableArgument: n of twice takes a whole number, and not 'a'.
    """
    if isinstance(function, type):
        made: Any = function
        made.__init__ = _checked(made.__init__, made.__name__)
        return function
    return cast(_F, _checked(function, function.__name__))


def _checked(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    signature = inspect.signature(function)

    @cache
    def asked() -> list[tuple[str, Any, slice]]:
        """The parameters that do not take anything, with where they are given by position."""
        hints = hints_of(function, include_extras=True)
        return [
            (p, hints[p], slice(n, None if several.kind is several.VAR_POSITIONAL else n + 1))
            for n, (p, several) in enumerate(signature.parameters.items())
            if hints.get(p, Any) is not Any
        ]

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        # What is missing or too much Python says when it is called.
        for parameter, kind, place in asked():
            given = args[place] or ((options[parameter],) if parameter in options else ())
            for one in given:
                if not fits(kind, one):
                    raise UnusableArgument(f"{parameter} of {name}", words(kind), one)
        return function(*args, **options)

    return call


def fits(kind: Any, value: Any) -> bool:
    """Whether a value is what an annotation says.

    Examples
    --------
    >>> fits(Sequence[int], [1, 2]), fits(Sequence[int] | None, "ab"), fits(Literal["a"], 1)
    (True, False, False)
    """
    container, parts = get_origin(kind) or kind, get_args(kind)
    if container is Annotated:
        asked = (one for one in parts[1:] if isinstance(one, Asked))
        return fits(parts[0], value) and all(one.holds(value) for one in asked)
    if container in (Union, types.UnionType):
        return any(fits(part, value) for part in parts)
    if container is Literal:
        return type(value) in map(type, parts)
    if kind in _TYPES:
        return isinstance(value, _TYPES[kind][0])
    if container is Callable:
        return callable(value)
    if kind is Any or getattr(container, "__name__", _JUDGED_LATER) == _JUDGED_LATER:
        return True
    if not isinstance(value, container) or (container in _CONTAINERS and isinstance(value, str)):
        return False
    if container is tuple and parts[-1:] != (...,):
        return len(parts) == len(value) and all(map(fits, parts, value))
    looked_at = isinstance(value, Collection) and not isinstance(value, Mapping) and parts
    return not looked_at or all(fits(parts[0], one) for one in value)


def words(kind: Any, many: bool = False) -> str:
    """What an annotation says, for a message.

    Examples
    --------
    >>> words(Sequence[int] | None), words(Literal["a", "b"])
    ('a sequence of whole numbers or None', "'a' or 'b'")
    """
    container, parts = get_origin(kind) or kind, get_args(kind)
    if container is Annotated:
        return next(one.takes for one in parts[1:] if isinstance(one, Asked))
    if container in (Union, types.UnionType):
        return " or ".join(words(part, many) for part in parts)
    if container is Literal:
        return " or ".join(map(repr, parts))
    if kind in _TYPES:
        return _TYPES[kind][2 if many else 1]
    if container is Callable:
        return "functions" if many else "a function"
    if container in _CONTAINERS or container is tuple:
        of = f" of {words(parts[0], many=True)}" if parts and container is not Mapping else ""
        return _CONTAINERS.get(container, "a tuple") + of
    name = getattr(container, "__name__", "object")
    return f"{name}s" if many else f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
