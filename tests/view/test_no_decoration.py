"""No decoration: a relation that is followed is what runs, so that without it the result differs.

Each is falsified in memory, and disabled; the result of one of its examples then changes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from aesara.graph.basic import Constant, graph_inputs
from aesara.graph.fg import FunctionGraph
from aesara.printing import debugprint

from kanrewrite import registry
from kanrewrite.registry.database import LibraryPass
from kanrewrite.relation import Relation
from kanrewrite.view import View
from tests.view.common import at
from tests.view.uses import falsified

LIBRARY = {r.name: r for r in registry.usual() if not r.states_derivatives}

#: The relations that are executed as they are stated; the list grows to all of them.
FOLLOWED = [
    "sum_lifts", "cumsum_lifts", "log_lifts", "logs_add", "logs_of_powers", "prod_lifts",
    "abs_lifts", "max_lifts", "max_of_logs", "max_shifts", "powers_multiply",
]  # fmt: skip

#: Those that are followed when a graph is built, and in what each example is put for that.
BUILT: dict[str, Callable[[Any], Any]] = {
    "sum_shifts": at.log,
    "add_shifts": at.log,
    "difference_shifts": lambda gap: gap / (at.exp(at.matrix("x")) + 2),
}


def compared(relation: Relation) -> list[Any]:
    """For each example graphs in which its sides cancel."""
    found = []
    for build in relation.examples:
        left, right = build()
        found += [left / right, at.exp(left) / at.exp(right)]
    return found


@cache
def whole() -> LibraryPass:
    """The library; to compile it takes longer than to apply it."""
    return LibraryPass(tuple(LIBRARY.values()))


def left_by(relations: list[Relation] | None, graphs: list[Any]) -> str:
    """What relations make of graphs, as text; None stands for the library."""
    inputs = [v for v in graph_inputs(graphs) if not isinstance(v, Constant)]
    fgraph = FunctionGraph(list(dict.fromkeys(inputs)), graphs, clone=True)
    (whole() if relations is None else LibraryPass(tuple(relations))).apply(fgraph)
    return str(debugprint(fgraph, file="str"))


def is_one_form(relation: Relation, relations: list[Relation]) -> bool:
    """Tell whether both sides of each example are read as the same."""
    view = View(relations)
    sides = [build() for build in relation.examples]
    return all(view.read(left) is view.read(right) for left, right in sides)


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_is_read_is_the_equation(name: str) -> None:
    stated = LIBRARY[name]
    others = [r for r in LIBRARY.values() if r is not stated]
    assert is_one_form(stated, [*others, stated])
    assert not is_one_form(stated, others)
    assert not is_one_form(stated, [*others, falsified(stated)])


@pytest.mark.spared
@pytest.mark.parametrize("name", FOLLOWED)
def test_what_runs_is_the_equation(name: str) -> None:
    stated = LIBRARY[name]
    graphs = compared(stated)
    others = [r for r in LIBRARY.values() if r is not stated]
    result = left_by(None, graphs)
    assert left_by(others, graphs) != result
    assert left_by([*others, falsified(stated)], graphs) != result


@pytest.mark.parametrize("name", BUILT)
def test_what_is_built_is_the_equation(name: str) -> None:
    stated = LIBRARY[name]
    graphs = [BUILT[name](build()[0]) for build in stated.examples]
    others = [r for r in LIBRARY.values() if r is not stated]
    result = left_by(None, graphs)
    assert left_by(others, graphs) != result
    assert left_by([*others, falsified(stated)], graphs) != result
