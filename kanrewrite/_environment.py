"""What must hold before anything else is imported, checked when kanrewrite is."""

from __future__ import annotations

import logging
import os
import sys
from configparser import RawConfigParser
from importlib.util import find_spec

from kanrewrite.errors import NoBlasFlags, NoPackaging


def check() -> None:
    """Refuse an environment in which Aesara would fail, or silently rewrite less.

    Raises
    ------
    NoPackaging
        Without ``packaging``, which etuples needs and does not declare.
    NoBlasFlags
        On Python 3.12, when importing Aesara has already failed.
    """
    # etuples 0.3.10 imports packaging in a try; without it two etuples never unify, and the
    # rewrites of Aesara that are written as patterns stop matching, all without a word.
    if find_spec("packaging") is None:
        raise NoPackaging
    if sys.version_info >= (3, 12):
        spare_numpy_distutils()


def spare_numpy_distutils() -> None:
    """Give Aesara empty BLAS flags where the user gives none.

    Aesara looks for them through numpy.distutils, which is gone from Python 3.12.

    Raises
    ------
    NoBlasFlags
        If Aesara has read its settings already, and failed.
    """
    if "aesara.tensor" in sys.modules or _blas_flags_given():
        return
    if "aesara.configdefaults" in sys.modules:
        raise NoBlasFlags
    flags = os.environ.get("AESARA_FLAGS", "")
    os.environ["AESARA_FLAGS"] = f"{flags},blas__ldflags=" if flags else "blas__ldflags="
    # Of what was set here nobody needs to be warned.
    logging.getLogger("aesara.tensor.blas").setLevel(logging.ERROR)


def _blas_flags_given() -> bool:
    """Whether the environment or the user's file of settings has BLAS flags."""
    if "blas__ldflags" in os.environ.get("AESARA_FLAGS", ""):
        return True
    settings = RawConfigParser()
    files = os.environ.get("AESARARC", "~/.aesararc").split(os.pathsep)
    settings.read([os.path.expanduser(file) for file in files], encoding="utf-8")
    return settings.has_option("blas", "ldflags")
