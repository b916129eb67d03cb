"""What the environment lacks."""

from __future__ import annotations

from kanrewrite.errors.base import KanrewriteError


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


class MissingExtra(KanrewriteError, ImportError):
    """A package that an extra of kanrewrite brings cannot be imported."""

    def __init__(self, extra: str, package: str):
        super().__init__(
            f"{package} is not installed: it comes with the extra `{extra}`. "
            f"Run `pip install kanrewrite[{extra}]`, or `pip install '.[{extra}]'` in a checkout."
        )
