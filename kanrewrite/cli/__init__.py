"""The command line: ``kanrewrite demo | list | report | stabilize | verify``."""

import os
import sys

if "aesara" not in sys.modules and "blas__ldflags" not in os.environ.get("AESARA_FLAGS", ""):
    # The commands compile no C code; looking for BLAS takes a second and prints five warnings.
    _flags = [os.environ["AESARA_FLAGS"]] if os.environ.get("AESARA_FLAGS") else []
    os.environ["AESARA_FLAGS"] = ",".join([*_flags, "blas__ldflags="])

from kanrewrite.cli import report  # noqa: F401  # adds its command to the app
from kanrewrite.cli.commands import app  # Aesara reads its flags at import

__all__ = ["app"]
