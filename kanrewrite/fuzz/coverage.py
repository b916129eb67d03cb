"""Coverage: which operators random graphs have, and which lines of the engine they reach."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from aesara.graph.basic import applys_between, graph_inputs
from aesara.tensor.elemwise import Elemwise

from kanrewrite.fuzz.programs import Graph
from kanrewrite.fuzz.recipes import operators
from kanrewrite.terms import operator_of
from kanrewrite.view.readers import READERS

ENGINE = Path(__file__).parents[1] / "view"
#: Ops that the engine builds, and that nobody writes.
_BUILT = {"kanrewrite.ops"}


def wanted() -> frozenset[str]:
    """The names of all that the library reads: elementwise operators, and classes of Ops."""
    classes = {kind.__name__ for kind in READERS if kind.__module__ not in _BUILT}
    return frozenset({op.name for op in operators()} | (classes - {"Elemwise"}))


def seen(outputs: Iterable[Graph]) -> Counter[str]:
    """How often each operator is in a graph."""
    outputs = list(outputs)
    nodes = applys_between(list(graph_inputs(outputs)), outputs)
    return Counter(_name(node.op) for node in nodes)


def _name(op: Any) -> str:
    return operator_of(op).name if isinstance(op, Elemwise) else type(op).__name__


def possible(folder: Path = ENGINE) -> set[tuple[str, int]]:
    """The lines of the functions in a folder that can be reached, as file and number."""
    found: set[tuple[str, int]] = set()
    for path in folder.glob("*.py"):
        stack: list[Any] = [compile(path.read_text(encoding="utf-8"), str(path), "exec")]
        while stack:
            code = stack.pop()
            stack += [c for c in code.co_consts if isinstance(c, CodeType)]
            if code.co_name != "<module>":
                first = code.co_firstlineno
                lines = {line for *_, line in code.co_lines() if line and line > first}
                found |= {(path.name, line) for line in lines}
    return found


@contextmanager
def reached(lines: set[tuple[str, int]], folder: Path = ENGINE) -> Iterator[None]:
    """Collect the lines of the engine that run in this thread; everything takes longer."""
    prefix = str(folder)

    def line(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            lines.add((Path(frame.f_code.co_filename).name, frame.f_lineno))
        return line

    def call(frame: FrameType, _event: str, _: object) -> Any:
        return line if frame.f_code.co_filename.startswith(prefix) else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(before)
