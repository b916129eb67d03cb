"""``%%kanrewrite``: what the relations do in a cell of a notebook.

::

    %load_ext kanrewrite

    %%kanrewrite
    f = aesara.function([x], y)
"""

from __future__ import annotations

from typing import Any

from kanrewrite import registry
from kanrewrite.trace import trace


def register(shell: Any) -> None:
    """Give a shell the magic.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell of the notebook.
    """

    def kanrewrite(line: str, cell: str) -> Any:
        """Run a cell, and show which relations fired in it and where.

        Behind ``%%kanrewrite`` stand names of relations or families that are to be enabled in the
        cell alone; without any, all known ones are, unless some are enabled already.
        """
        chosen = line.split()
        before = [relation.name for relation in registry.enabled()]
        try:
            if chosen or not before:
                registry.disable()
                registry.enable(*chosen)
            with trace() as steps:
                shell.run_cell(cell).raise_error()
        finally:
            registry.disable()
            if before:
                registry.enable(*before)
        return steps

    shell.register_magic_function(kanrewrite, "cell", "kanrewrite")
