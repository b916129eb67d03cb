"""The settings."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from kanrewrite.errors.base import KanrewriteError


class UnknownSetting(KanrewriteError, AttributeError):
    """A setting that there is not."""

    def __init__(self, name: str, known: Sequence[str]):
        near = get_close_matches(name, known, n=3)
        meant = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
        super().__init__(f"kanrewrite has no setting {name!r}: {meant}")


class UnusableSetting(KanrewriteError, ValueError):
    """A value that a setting cannot have."""

    def __init__(self, name: str, value: object, wanted: str, where: str = ""):
        place = f" in {where}" if where else ""
        least = "" if wanted == "bool" else " and not negative"
        super().__init__(
            f"{name}={value!r}{place} cannot be used: it has to be of type {wanted}{least}"
        )


class UnreadableFlags(KanrewriteError, ValueError):
    """A part of the environment variable that is not ``name=value``."""

    def __init__(self, variable: str, part: str):
        super().__init__(
            f"{part!r} in {variable} is no setting: write name=value,name=value, "
            f'e.g. {variable}="explore_seconds=30"'
        )
