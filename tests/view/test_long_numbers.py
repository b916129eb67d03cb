"""Numbers that no float holds, and powers of numbers that nothing could write down."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial, inf
from typing import Any

import numpy as np
import pytest
from aesara.graph.fg import FunctionGraph

from kanrewrite import registry
from kanrewrite.guards.values import constant_of
from kanrewrite.registry.database import make_view
from kanrewrite.rewriter import RelationPass
from kanrewrite.view.lifting import Lifting
from tests.view.common import at, function, stock

X = at.dvector("x")


@pytest.mark.parametrize(("sign", "held"), [(1, inf), (-1, -inf)])
def test_a_float_holds_an_infinity_of_what_is_out_of_range(sign: int, held: float) -> None:
    form = Lifting().const(Fraction(sign * factorial(200)))
    assert constant_of(form) == held
    assert str(held) in repr(form)


def test_relations_meet_such_a_number() -> None:
    y: Any = X
    for n in range(1, 175):
        y = y * X / n - X
    fgraph = FunctionGraph(outputs=[y], clone=False)
    relations = tuple(r for r in registry.relations() if r.name == "power_of_quotient")
    rules = RelationPass(relations, lambda: make_view(relations))
    rules.apply(fgraph)  # a relation that raises is reported, which is an error here
    assert rules.matching.tried


POWERS: list[Callable[[], Any]] = [
    lambda: (((3.3 * X) ** 1e3) ** 1e3) ** 1e3,
    lambda: at.exp(X) * (3 * X) ** 1e9,
    lambda: at.log(1 + at.exp(-((0.3 * X) ** 1e8))),
    lambda: (3.3 * X) ** -1e9 / (1 + at.exp(X)),
    lambda: at.log(1 + at.exp((1e-300 * X) ** -2.5)),
    lambda: at.log(1 + at.exp((at.constant(1e300, dtype="float64") * X) ** 2.5)),
]


@pytest.mark.parametrize("build", POWERS)
def test_powers_beyond_all_numbers_stay_as_written(build: Callable[[], Any]) -> None:
    graph = build()
    values = np.array([0.5, 0.299, -0.3, 1e-300])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(function([X], graph)(values), stock([X], graph)(values))
