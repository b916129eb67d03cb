"""Every error of kanrewrite and the text of every message: what, where, why, what to do."""

from __future__ import annotations

from collections.abc import Sequence


class KanrewriteError(Exception):
    """Base of all errors that kanrewrite raises on purpose."""


class UnknownOperator(KanrewriteError, AttributeError):
    """A name that `T` does not have."""

    def __init__(self, name: str, near: Sequence[str]):
        meant = f" Did you mean {' or '.join('T.' + n for n in near)}?" if near else ""
        super().__init__(
            f"T.{name} is not an operator of patterns: aesara.tensor has no elementwise, "
            f"reduction or shape operator of that name.{meant}"
        )
