"""The command line: ``kanrewrite audit | demo | list | report | stabilize | verify``."""

import logging
import os
import sys

if "aesara" not in sys.modules and "blas__ldflags" not in os.environ.get("AESARA_FLAGS", ""):
    # The commands compile no C code; looking for BLAS takes a second and prints five warnings.
    _flags = [os.environ["AESARA_FLAGS"]] if os.environ.get("AESARA_FLAGS") else []
    os.environ["AESARA_FLAGS"] = ",".join([*_flags, "blas__ldflags="])
# Without BLAS Aesara warns of that, too, whoever has chosen it.
logging.getLogger("aesara.tensor.blas").setLevel(logging.ERROR)

from kanrewrite.cli.commands import app  # noqa: E402  # Aesara reads its flags at import

__all__ = ["app"]
