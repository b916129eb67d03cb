"""`config`: the settings of kanrewrite, and ``KANREWRITE_FLAGS``, from which they start.

A new setting is one line of `Config`.  The environment is read when the settings are first asked
for, in the way of ``AESARA_FLAGS``::

    KANREWRITE_FLAGS="explore_seconds=30,explore_limit=2000" python model.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any, cast, get_type_hints

from kanrewrite.errors import UnknownSetting, UnreadableFlags, UnusableSetting

VARIABLE = "KANREWRITE_FLAGS"
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


def _setting(default: Any, doc: str) -> Any:
    return field(default=default, metadata={"doc": doc})


@dataclass
class Config:
    """The settings.  Assigning to one, or ``config.change(name=value)``, checks name and type.

    Raises
    ------
    UnknownSetting
        For a name that is none, with those that are near.
    UnusableSetting
        For a value of another type.

    Examples
    --------
    >>> import kanrewrite
    >>> with kanrewrite.config.change(explore_limit=20):
    ...     kanrewrite.config.explore_limit
    20
    """

    check_steps: bool = _setting(
        False, "whether each replacement is evaluated before and after; slow"
    )
    explore_depth: int = _setting(8, "rewrites between the start of a search and its last graphs")
    explore_limit: int = _setting(500, "graphs that a search finds at most")
    explore_seconds: float = _setting(5.0, "how long a search lasts at most")
    pass_seconds: float = _setting(60.0, "how long the library rewrites one graph at most")
    relation_seconds: float = _setting(
        1.0, "how long a relation may take at a node, its guards at all"
    )
    warn_unsafe: bool = _setting(
        False,
        "whether each function that is compiled while relations are enabled is audited, and a "
        "warning says where it is wrong; slow",
    )
    label_width: int = _setting(
        36, "characters of a label in a picture; the whole is shown on hover"
    )

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, _checked(name, value))

    @contextmanager
    def change(self, **values: Any) -> Iterator[Config]:
        """Have other settings inside a ``with`` block; afterwards they are as they were."""
        checked = {name: _checked(name, value) for name, value in values.items()}
        before = {name: getattr(self, name) for name in checked}
        try:
            for name, value in checked.items():
                setattr(self, name, value)
            yield self
        finally:
            for name, value in before.items():
                setattr(self, name, value)

    def __str__(self) -> str:
        lines = (f"{f.name}={getattr(self, f.name)!r}  # {f.metadata['doc']}" for f in fields(self))
        return "\n".join(lines)


_TYPES: dict[str, type] = {}


def _type_of(name: str) -> type:
    if not _TYPES:
        hints = get_type_hints(Config)
        _TYPES.update({f.name: hints[f.name] for f in fields(Config)})
    if name not in _TYPES:
        raise UnknownSetting(name, list(_TYPES))
    return _TYPES[name]


def _checked(name: str, value: Any) -> Any:
    wanted = _type_of(name)
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted or not cast(float, value) >= 0:  # nan is no limit either
        raise UnusableSetting(name, value, wanted.__name__)
    return value


def _read(name: str, text: str) -> Any:
    """The value that a text in the environment means."""
    wanted = _type_of(name)
    try:
        if wanted is not bool:
            return wanted(text)
        return {**dict.fromkeys(_TRUE, True), **dict.fromkeys(_FALSE, False)}[text.lower()]
    except (ValueError, KeyError):
        raise UnusableSetting(name, text, wanted.__name__) from None


def from_flags(flags: str) -> Config:
    """The settings that ``name=value,name=value`` asks for, the others as they are by default.

    Parameters
    ----------
    flags : str
        As in the environment variable ``KANREWRITE_FLAGS``.

    Raises
    ------
    UnknownSetting, UnreadableFlags, UnusableSetting
        For a name that is none, a part that is not ``name=value``, a value that cannot be read.

    Examples
    --------
    >>> from_flags("explore_seconds=2.5").explore_seconds
    2.5
    """
    result = Config()
    for flag in filter(None, (part.strip() for part in flags.split(","))):
        name, equals, text = (part.strip() for part in flag.partition("="))
        if not equals:
            raise UnreadableFlags(VARIABLE, flag)
        try:
            setattr(result, name, _read(name, text))
        except UnusableSetting:
            raise UnusableSetting(name, text, _type_of(name).__name__, VARIABLE) from None
    return result


config = from_flags(os.environ.get(VARIABLE, ""))
