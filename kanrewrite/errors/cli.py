"""The command line."""

from __future__ import annotations

from collections.abc import Sequence

from kanrewrite.errors.base import KanrewriteError, told


class ScriptError(KanrewriteError):
    """A script, or what it should hold, cannot be used from the command line."""


def not_file_and_name(target: str) -> str:
    """A target on the command line is not FILE.py:NAME."""
    return f"{target!r} does not name a graph. Write FILE.py:NAME, e.g. model.py:loss."


def no_such_file(path: object) -> str:
    """The script is not there."""
    return f"{path} does not exist or is no file; the part before the last colon is the script."


def script_raised(path: object, error: BaseException, line: int | None) -> str:
    """Running a script ended in an exception."""
    where = f"{path}:{line}" if line else str(path)
    return f"the script raised at {where}: {type(error).__name__}: {error}"


def no_such_name(path: object, name: str, graphs: Sequence[str], near: Sequence[str]) -> str:
    """The script defines nothing of that name."""
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    known = f" Graphs in it: {', '.join(graphs)}." if graphs else " It holds no graph at its top."
    return f"{path} defines no {name!r}.{meant}{known}"


def not_a_graph(path: object, name: str, value: object) -> str:
    """What a name stands for is no graph."""
    text = told(value)
    what = text if text.startswith(("an ", "the ")) else f"{type(value).__name__} {text}"
    return (
        f"{name!r} in {path} is {what}, not a graph: it must be an Aesara "
        "variable, a list of variables, or a function without parameters that returns them."
    )


def no_such_input(name: str, names: Sequence[str]) -> str:
    """A value is given for an input that the graph does not have."""
    return f"the graph has no input {name!r}; its inputs are {', '.join(names) or 'none'}."


def no_range(text: str, names: Sequence[str]) -> str:
    """A range on the command line is none, or of no input."""
    return (
        f"{text!r} is no range of an input. Write NAME=LOW:HIGH, e.g. --range x=-1e3:1e3. The "
        f"inputs are {', '.join(names) or 'none'}."
    )


def unusable_value(name: str, text: str, error: Exception) -> str:
    """A value on the command line cannot be read."""
    return (
        f"the value {text!r} of input {name!r} cannot be used ({error}). Give a Python literal, "
        "e.g. --input x=[1,2,800], or the name of a .npy file."
    )


def unusable_inputs(names: Sequence[str], error: Exception) -> str:
    """A graph cannot be evaluated at generated values."""
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return (
        f"the graph cannot be evaluated at these inputs: {first}. Give values yourself, e.g. "
        + " ".join(f"--input {name}=..." for name in names)
    )
