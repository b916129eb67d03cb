"""Modes in which tests compile whose subject is what a function computes.

The passes that Aesara runs last fuse operators and write in place: they compute the same numbers,
and take a seventh of what the tests of the view take.  `.ci/run` has them in every test, `make
test` in those of stability, of benchmarks, of users, of pictures and of modes.
"""

import os
from typing import Any

from aesara.compile.mode import Mode

#: With all passes, for tests of what the last ones leave.
WHOLE = Mode(linker="py", optimizer="fast_run")
#: What `make test` leaves out.
LAST = () if os.environ.get("CI") else ("fusion", "inplace")


def python(optimizer: Any = "fast_run") -> Mode:
    """A mode without C code, and, but in `.ci/run`, without the last passes."""
    mode = Mode(linker="py", optimizer=optimizer)
    return mode.excluding(*LAST) if LAST and optimizer == "fast_run" else mode
