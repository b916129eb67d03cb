"""Sums told to be equal: by terms in canonical form, and by saturating an e-graph with egglog.

``python -m tests.benchmarks.ac_saturation N`` prints the seconds that egglog takes for N terms, and
how many nodes its e-graph has then: a process of its own, as it cannot be interrupted.  egglog may
be in another environment, the packages of which ``PYTHONPATH`` names.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module, util
from time import process_time
from typing import Any

from kanrewrite.ac import term
from tests.benchmarks.ac_families import THEORY

SIZES = (4, 6, 8, 10, 12)
RULES = """
(datatype Term (Leaf String) (Add Term Term))
(rewrite (Add a b) (Add b a))
(rewrite (Add a (Add b c)) (Add (Add a b) c))
"""


def spellings(size: int) -> tuple[Any, Any]:
    """A sum of so many leaves as nested binary sums, from the left and from the right."""
    leaves = [f"x{k}" for k in range(size)]
    left: Any = leaves[0]
    for leaf in leaves[1:]:
        left = ("add", left, leaf)
    right: Any = leaves[0]
    for leaf in leaves[1:]:
        right = ("add", leaf, right)
    return left, right


def canonical(size: int) -> bool:
    """Whether the spellings are one interned term."""
    left, right = spellings(size)
    return term(left, THEORY) is term(right, THEORY)


def saturated(size: int) -> tuple[float, int]:
    """The seconds until egglog has every spelling of a sum, and the nodes that it has then."""
    graph = import_module("egglog.bindings").EGraph()
    left, right = map(_text, spellings(size))
    program = f"""{RULES}
    (let $left {left})
    (let $right {right})
    (run-schedule (saturate (run)))
    (check (= $left $right))
    (print-size Add)"""
    commands = graph.parse_program(program)
    start = process_time()
    *_, nodes = graph.run_program(*commands)
    return process_time() - start, nodes.size


def _text(one: Any) -> str:
    if isinstance(one, tuple):
        return f"(Add {_text(one[1])} {_text(one[2])})"
    return f'(Leaf "{one}")'


def in_time(size: int, seconds: float) -> tuple[float, int] | None:
    """The same in a process of its own, None if it takes longer."""
    command = [sys.executable, "-m", "tests.benchmarks.ac_saturation", str(size)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=True)
    except subprocess.TimeoutExpired:
        return None
    taken, nodes = done.stdout.split()
    return float(taken), int(nodes)


def is_installed() -> bool:
    """Whether egglog is there: it is not among the development dependencies."""
    return util.find_spec("egglog") is not None


if __name__ == "__main__":
    print(*saturated(int(sys.argv[1])))
