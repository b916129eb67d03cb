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


class NoPackaging(KanrewriteError, ImportError):
    """The package ``packaging`` cannot be imported."""

    def __init__(self) -> None:
        super().__init__(
            "kanrewrite needs the package `packaging`, which cannot be found: without it etuples "
            "never unifies two expressions and Aesara misses rewrites, silently. "
            "Run `pip install packaging`."
        )


class NoBlasFlags(KanrewriteError, ImportError):
    """Aesara has read its settings without BLAS flags on a Python without distutils."""

    def __init__(self) -> None:
        super().__init__(
            "Aesara 2.9.4 looks for BLAS through numpy.distutils, which Python 3.12 no longer has, "
            "and its import has already failed in this process. Start Python again and import "
            "kanrewrite first, or set AESARA_FLAGS=blas__ldflags= before."
        )


class NoSuchStep(KanrewriteError, IndexError):
    """A rewrite that a trace does not have."""

    def __init__(self, n: int, count: int):
        why = (
            "the check fails without any rewrite, so none of them is at fault"
            if n == 0
            else f"the trace holds {count} rewrites; count them from 1"
        )
        super().__init__(f"no rewrite number {n}: {why}")
