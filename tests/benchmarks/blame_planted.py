"""Whether `blame` finds a false relation that is planted in random graphs of a hundred nodes.

``python -m tests.benchmarks.blame_planted`` makes twenty graphs that no test has seen, each with a
false relation about something in the middle of it, compiles them with the library, and asks who
changed the numbers.  A line a graph says how many nodes it has, how many replacements its
compilation made, whom `blame` names, how large the witness is, and how long it took.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np
from aesara.graph.basic import io_toposort

from kanrewrite import blame
from kanrewrite.blame.recording import Recording
from tests.blame.test_blame import m, planted_in


class Found(NamedTuple):
    """What came of one graph."""

    seed: int
    planted: str
    named: str
    nodes: int
    replacements: int
    elements: int
    seconds: float

    @property
    def right(self) -> bool:
        """Whether the planted relation is the one that is named."""
        return self.planted == self.named


def found(seed: int) -> Found:
    """The answer for one graph."""
    with planted_in(seed) as (false, graph, value):
        replacements = len(Recording([m], [graph]))
        start = perf_counter()
        answer = blame([m], graph, [value])
    elements = 0 if answer.values is None else answer.values[m].size
    named = answer.name if answer.kind == "false" else f"{answer.name} ({answer.kind})"
    nodes = len(io_toposort([m], [graph]))
    return Found(seed, false.name, named, nodes, replacements, elements, perf_counter() - start)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the answers and how many are right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1000, help="of the first graph")
    chosen = parser.parse_args(arguments)
    answers = []
    for seed in range(chosen.seed, chosen.seed + chosen.graphs):
        answers.append(found(seed))
        print(*answers[-1][:-1], f"{answers[-1].seconds:.1f} s", flush=True)
    right = sum(answer.right for answer in answers)
    mean = np.mean([answer.seconds for answer in answers])
    print(f"{right} of {len(answers)} found, {mean:.1f} s each")


if __name__ == "__main__":
    main()
