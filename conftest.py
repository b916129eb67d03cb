"""Settings of Aesara for every test and doctest, made before Aesara is imported.

The compile cache is private to the process: it has one lock, for which test processes would wait.
There is no C compiler (tests marked ``cxx`` get it back, see tests/conftest.py) and no search for
BLAS: neither changes a rewrite, and both take seconds. What the caller sets in AESARA_FLAGS stays.
"""

import atexit
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

#: Importing it adds rewrites to Aesara: what a test finds does not depend on which others ran.
collect_ignore = ["kanrewrite/reference/nnet.py"]

if "aesara" in sys.modules:
    raise RuntimeError("aesara was imported before the tests could choose its compile directory")


def _private_directory() -> str:
    directory = tempfile.mkdtemp(prefix="kanrewrite-tests-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


_given = os.environ.get("AESARA_FLAGS", "")
_flags = dict(flag.split("=", 1) for flag in _given.split(",") if "=" in flag)
if "base_compiledir" not in _flags:
    _flags["base_compiledir"] = _private_directory()
_flags.setdefault("cxx", "")
_flags.setdefault("blas__ldflags", "")
# How busy the machine is must not decide what a relation does: tests of budgets set their own.
os.environ.setdefault("KANREWRITE_FLAGS", "relation_seconds=20")
os.environ["AESARA_FLAGS"] = ",".join(f"{name}={value}" for name, value in _flags.items())


# What is imported while tests are collected stays: to look through it again and again for cycles
# takes a tenth of the suite's time.
gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage from here on, among what tests make, and less often than by default."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 10)
    gc.enable()


@pytest.fixture(autouse=True)
def _readme(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the README show what overflows, and have it leave nothing enabled for other tests."""
    item: Any = request.node
    if item.path.name != "README.md":
        yield
        return
    import numpy as np  # after the flags above, as everything that imports it

    import kanrewrite

    # NumPy warns where the Python linker overflows; the C code of a reader's Aesara does not.
    with kanrewrite.disabled(), np.errstate(all="ignore"):
        yield
        kanrewrite.disable()
