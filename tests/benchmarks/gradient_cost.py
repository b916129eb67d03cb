"""What `kanrewrite.grad` costs against `aesara.grad`: the table of costs in ``docs/gradients.md``.

``python -m tests.benchmarks.gradient_cost [ROUNDS]`` prints it: the ratios of the least CPU times
of some rounds in turns, and of the numbers of nodes.  Compiling includes building the graph.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple

import aesara
import numpy as np

import kanrewrite
from kanrewrite import registry
from tests.benchmarks import compile_cost, test_gradient
from tests.benchmarks.compile_cost import MODE
from tests.view.common import grad

ROUNDS = 5
#: How often a function is called in a round.
CALLS = 50

#: Inputs, outputs and values of a graph, built with one of the two gradients.
Graph = tuple[list[Any], list[Any], list[Any]]
Build = Callable[[bool], Graph]


class Cost(NamedTuple):
    """Seconds to build and compile, seconds to call, nodes."""

    compiling: float
    calling: float
    nodes: int


def gradients(model: Callable[[], Any]) -> Build:
    """The value of a model and all its gradients."""

    def build(implicit: bool) -> Graph:
        inputs, cost, parameters, values = model()
        slopes = (kanrewrite.grad if implicit else grad)(cost, parameters)
        return inputs, [cost, *slopes], values

    return build


def hessian_product(model: Callable[[], Any]) -> Build:
    """The Hessian of a model times directions."""

    def build(implicit: bool) -> Graph:
        inputs, cost, parameters, values = model()
        directions = [p.type() for p in parameters]
        if implicit:
            products = kanrewrite.hvp(cost, parameters, directions)
        else:
            pairs = zip(grad(cost, parameters), directions, strict=True)
            products = grad(sum((g * v).sum() for g, v in pairs), parameters)
        places = [inputs.index(p) for p in parameters]
        return [*inputs, *directions], products, [*values, *(np.sin(values[n]) for n in places)]

    return build


#: Name, graph, whether the library is enabled.
ROWS: list[tuple[str, Build, bool]] = [
    *(
        (f"{name}, {'library' if library else 'stock'}", gradients(model), library)
        for models in (
            {
                "classifier with weight decay": test_gradient.classifier,
                "normed attention block": test_gradient.attention,
            },
            compile_cost.MODELS,
        )
        for library in (False, True)
        for name, model in models.items()
    ),
    *(
        (f"{name}, Hessian product, stock", hessian_product(model), False)
        for name, model in compile_cost.MODELS.items()
    ),
]


def measured(build: Build, implicit: bool, library: bool) -> Cost:
    """What one of the two gradients costs once."""
    gc.collect()
    with registry.disabled():
        if library:
            registry.enable()
        start = process_time()
        inputs, outputs, values = build(implicit)
        function = aesara.function(inputs, outputs, mode=MODE, on_unused_input="ignore")
        compiling = process_time() - start
    function(*values)
    start = process_time()
    for _ in range(CALLS):
        function(*values)
    return Cost(compiling, process_time() - start, len(function.maker.fgraph.apply_nodes))


def row(name: str, build: Build, library: bool, rounds: int) -> str:
    """A line of the table."""
    costs: dict[bool, list[Cost]] = {True: [], False: []}
    for _ in range(rounds):
        for implicit, found in costs.items():
            found.append(measured(build, implicit, library))
    ours, own = (map(min, zip(*found, strict=True)) for found in costs.values())
    return (
        f"| {name} | " + " | ".join(f"{a / b:.2f}" for a, b in zip(ours, own, strict=True)) + " |"
    )


def table(rounds: int = ROUNDS) -> list[str]:
    """Markdown: implicit against eager, as ratios."""
    return [
        "| | compile | run | nodes |",
        "| --- | ---: | ---: | ---: |",
        *(row(*entry, rounds) for entry in ROWS),
    ]


if __name__ == "__main__":
    print("\n".join(table(*map(int, sys.argv[1:]))))
