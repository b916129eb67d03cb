"""Relations as they are registered."""

from __future__ import annotations

from collections.abc import Sequence

from kanrewrite.errors.base import KanrewriteError, RelationError, told


class DuplicateRelation(RelationError):
    """A second relation under a name that is taken."""

    def __init__(self, name: str, source: str, taken: str):
        super().__init__(
            name,
            source,
            f"the name is taken by the relation at {taken}. Rename one of them, or replace that "
            "one with register(..., replace=True).",
        )


class UnknownRelation(KanrewriteError, KeyError):
    """A name that is neither a relation nor a family, or a family where one relation is wanted."""

    def __init__(self, name: str, near: Sequence[str], family: Sequence[str] = ()):
        if family:
            super().__init__(
                f"{name!r} is a family of relations, and one relation is wanted: "
                f"{', '.join(family)}"
            )
            return
        meant = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        super().__init__(
            f"{name!r} is neither a relation nor a family of relations; "
            f"`kanrewrite list` shows both.{meant}"
        )

    def __str__(self) -> str:
        return str(self.args[0])


class NotARelation(KanrewriteError, TypeError):
    """Something else than a relation is to be registered."""

    def __init__(self, value: object):
        super().__init__(
            f"{told(value)} is not a relation: decorate its function with @kanrewrite.relation, or "
            "give the name of one that `kanrewrite list` shows."
        )


def failed_entry_point(name: str, value: str, error: Exception) -> str:
    """An installed package offers relations that cannot be loaded."""
    return (
        f"the relations {name!r} of another package ({value}) were left out: loading them raised "
        f"{type(error).__name__}: {error}. Correct or uninstall that package."
    )


def nothing_enabled() -> str:
    """A graph is to be stabilised, and no relation takes part."""
    return (
        "nothing is enabled, so the graph is only put into Aesara's own canonical form. Call "
        "kanrewrite.enable() before, or register a relation."
    )
