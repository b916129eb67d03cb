"""Graphs of a user's script, by FILE.py:NAME."""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from aesara.graph.basic import Variable

from kanrewrite import errors
from kanrewrite.errors import ScriptError

Graph = Variable[Any, Any]


def load(target: str) -> list[Graph]:
    """The graphs that FILE.py:NAME stands for.

    Parameters
    ----------
    target : str
        The script, which is run, and the name of a variable, a list of variables or a function
        that returns them.

    Raises
    ------
    ScriptError
        If there is no such file or name, the script raises, or the name is not a graph.
    """
    file, colon, name = target.rpartition(":")
    if not colon or not file or not name:
        raise ScriptError(errors.not_file_and_name(target))
    path = Path(file)
    names = run_script(path)
    if name not in names:
        graphs = [n for n, v in names.items() if _outputs(v)]
        raise ScriptError(errors.no_such_name(path, name, graphs, get_close_matches(name, names)))
    value = names[name]
    if callable(value) and not isinstance(value, Variable | type):
        with _running(path):
            value = value()
    outputs = _outputs(value)
    if not outputs:
        raise ScriptError(errors.not_a_graph(path, name, value))
    return outputs


def _outputs(value: Any) -> list[Graph]:
    """The graphs that a value is; none where it is something else."""
    outputs = list(value) if isinstance(value, list | tuple) else [value]
    return outputs if all(isinstance(output, Variable) for output in outputs) else []


def run_script(path: Path) -> dict[str, Any]:
    """Run a script; the names that it defines.

    Raises
    ------
    ScriptError
        If there is no such file, or the script raises.
    """
    if not path.is_file():
        raise ScriptError(errors.no_such_file(path))
    with _running(path):
        return runpy.run_path(str(path), run_name=path.stem)


@contextmanager
def _running(path: Path) -> Iterator[None]:
    """Run a script's code: it finds its neighbours, and what it raises is told in one line."""
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        yield
    except (Exception, SystemExit) as error:  # a script can raise anything, and exit
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(path)]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
        raise ScriptError(errors.script_raised(path, error, line)) from error
    finally:
        sys.path.remove(str(path.parent.resolve()))
