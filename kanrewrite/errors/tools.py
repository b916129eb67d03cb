"""Traces, searches, pictures, costs and explanations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kanrewrite.errors.base import KanrewriteError, told


class UnusableArgument(KanrewriteError, TypeError):
    """Something else than what a function takes."""

    def __init__(self, function: str, takes: str, value: object):
        super().__init__(f"{function} takes {takes}, and not {told(value)}.")


class NoSuchStep(KanrewriteError, IndexError):
    """A rewrite that a trace does not have."""

    def __init__(self, n: int, count: int):
        why = (
            "the check fails without any rewrite, so none of them is at fault"
            if n == 0
            else f"the trace holds {count} rewrites; count them from 1"
        )
        super().__init__(f"no rewrite number {n}: {why}")


class UnknownPictureFormat(KanrewriteError, ValueError):
    """A picture saved under an ending that says no known format."""

    def __init__(self, path: object, known: Sequence[str]):
        super().__init__(
            f"cannot save a picture as {str(path)!r}: the ending of the file name chooses the "
            f"format, and pictures are written as {' or '.join(known)}"
        )


class NoSuchFolder(KanrewriteError, FileNotFoundError):
    """A page is to be written where there is no folder."""

    def __init__(self, path: Path):
        super().__init__(
            f"cannot write {path}: there is no folder {path.parent}. Make it, or choose "
            "another place."
        )


class UnknownShape(KanrewriteError, ValueError):
    """A shape that is needed to count operations and follows from nothing given."""

    def __init__(self, variable: object):
        super().__init__(
            f"the shape of {variable} is not known: it follows neither from the shapes given nor "
            "from its type; add it to `shapes`, or its value as a constant where a length is meant"
        )


class UnknownSearchDirection(KanrewriteError, ValueError):
    """A search asked to go a way that there is not."""

    def __init__(self, direction: object, known: Sequence[str]):
        super().__init__(
            f"cannot explore in direction {direction!r}: it is one of {', '.join(map(repr, known))}"
        )


def cannot_be_turned(name: str, source: str, why: object) -> str:
    """A relation that a search cannot use against its direction."""
    return f"{name} ({source}) is not used against its direction: {why}"


class NothingToExplain(KanrewriteError, TypeError):
    """`why_not` asked about a relation whose pattern cannot be seen."""

    def __init__(self, name: str, source: str):
        super().__init__(
            f"{name} ({source}) is a goal constructor: it has no pattern of which a part could "
            "match. State it by equations, or run its goal on the graph"
        )


def only_read(names: Sequence[str]) -> str:
    """Relations without a direction, which a search has no way to use."""
    return (
        f"{', '.join(names)}: without a direction, so for reading graphs and not for rewriting them"
    )
