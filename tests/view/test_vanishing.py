"""Whether terms add up to zero is computed at a place."""

from __future__ import annotations

from typing import Any

import pytest

from kanrewrite import registry
from kanrewrite.view import View
from kanrewrite.view.vanishing import vanish
from tests.view.common import at

X, Y = at.dmatrices("xy")
LABELS = at.bmatrix("labels")
e, total = at.exp(X), at.exp(X).sum(axis=1, keepdims=True)
p = e / total

ZERO = [
    (e, -e),
    (p, 1 - p, at.constant(-1.0)),
    (p / (1 + p), -e / (e + total)),
    (p * Y / (1 - p), -e * Y / (total - e)),
    (e**2 - Y, -(e - at.sqrt(e)) * (e + at.sqrt(e)), -e, Y),
    (at.switch(LABELS, p, 1 - p), at.switch(LABELS, 1 - p, p), at.constant(-1.0)),
    (p**Y, -(e**Y) / total**Y),
]
OTHERS = [
    (e, e),
    (p, 1 - p, at.constant(-2.0)),
    (p / (1 + p), -e / (1 + e)),
    (e, -at.exp(Y)),
    (at.switch(LABELS, p, 1 - p), -p),
    (at.switch(LABELS, p, 1 - p), p - 1),
    (at.log(p * e), -at.log(p)),
]


def is_zero(graphs: tuple[Any, ...]) -> bool:
    view = View(registry.relations())
    forms = [view.read(graph) for graph in graphs]
    a = next(form.home for form in forms)
    return vanish({m: c for form in forms for m, c in [(form, a.parts(a.one)[0])]}, a)


@pytest.mark.parametrize("graphs", ZERO)
def test_what_is_zero_is_known(graphs: tuple[Any, ...]) -> None:
    assert is_zero(graphs)


@pytest.mark.parametrize("graphs", OTHERS)
def test_what_is_not_is_not(graphs: tuple[Any, ...]) -> None:
    assert not is_zero(graphs)
