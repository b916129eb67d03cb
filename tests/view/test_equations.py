"""The view follows the equations of the family ``lifting``: both sides are read as one form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kanrewrite import registry
from kanrewrite.registry import stabilize
from kanrewrite.view import View
from tests.view.common import at, enabled, function, names

LIFTING = {r.name for r in registry.relations() if r.family == "lifting"}
KEPT: dict[str, Any] = {"axis": 1, "keepdims": True}

a, b, r, s = at.dmatrices("a", "b", "r", "s")
still = at.dcol("still")
chosen = at.bmatrix("chosen")
top = at.maximum(a, b)
largest = a.max(**KEPT)
total = at.sum(at.exp(a), **KEPT)
masked = at.switch(chosen, 0.0, at.exp(a))
left_out = at.sum(masked, **KEPT)
gate = at.exp(a) / (1 + at.exp(a))
weighted = at.sum((1 - r) * at.exp(a), **KEPT)

#: The sides of each equation, and of some of its instances.
SIDES = [
    ("sum_lifts", at.sum(still * b, **KEPT), still * at.sum(b, **KEPT)),
    ("sum_lifts", at.sum(b / still, axis=1), at.sum(b, axis=1) / still.dimshuffle(0)),
    ("sum_lifts", at.sum(2 * at.exp(still) * b, **KEPT), 2 * at.exp(still) * at.sum(b, **KEPT)),
    (
        "sum_shifts",
        at.sum(at.exp(a) * r, **KEPT),
        at.exp(largest) * at.sum(at.exp(a - largest) * r, **KEPT),
    ),
    (
        "add_shifts",
        at.exp(a) * r + at.exp(b) * s,
        at.exp(top) * (at.exp(a - top) * r + at.exp(b - top) * s),
    ),
    (
        "difference_shifts",
        at.exp(a) - at.exp(b),
        at.exp(top) * (at.expm1(a - top) - at.expm1(b - top)),
    ),
    ("common_denominator", 1 - 1 / (1 + at.exp(a)), at.exp(a) / (1 + at.exp(a))),
    ("common_denominator", a / (a + b) - 1, (a - (a + b)) / (a + b)),
    ("common_denominator", a / b - (a - b) / b, (a - (a - b)) / b),
    ("log_lifts", at.log(at.exp(a) * r), a + at.log(r)),
    ("log_lifts", at.log(at.exp(a) / at.exp(b)), a - b),
    ("max_lifts", at.max(at.exp(a), **KEPT), at.exp(at.max(a, **KEPT))),
    (
        "max_of_logs",
        at.max(at.exp(a) + at.exp(b), **KEPT),
        at.exp(at.max(at.log(at.exp(a) + at.exp(b)), **KEPT)),
    ),
    (
        "prod_lifts",
        at.prod(at.exp(a) * r, **KEPT),
        at.exp(at.sum(a, **KEPT)) * at.prod(r, **KEPT),
    ),
    ("cumsum_lifts", at.cumsum(at.exp(still + a), 1), at.exp(still) * at.cumsum(at.exp(a), 1)),
    ("logs_add", at.log(at.sigmoid(a) * r), at.log(at.sigmoid(a)) + at.log(r)),
    ("logs_of_powers", at.log(at.sigmoid(a) ** r), r * at.log(at.sigmoid(a))),
    ("max_shifts", at.max(a + still, **KEPT), at.max(a, **KEPT) + still),
    ("abs_lifts", at.abs(at.exp(a) * r), at.exp(a) * at.abs(r)),
    ("powers_multiply", at.square(at.exp(a) * r), at.exp(2 * a) * at.square(r)),
    ("powers_multiply", at.reciprocal(at.exp(a) * r), at.exp(-a) * at.reciprocal(r)),
    ("powers_multiply", at.sqrt(at.exp(a) * r), at.exp(a / 2) * at.sqrt(r)),
    ("powers_multiply", (at.exp(a) * r) ** 3, at.exp(3 * a) * r**3),
    ("powers_multiply", at.pow(at.exp(a), b), at.exp(a * b)),
    ("powers_are_exponentials", at.pow(1 + a**2, b), at.exp(b * at.log(1 + a**2))),
    ("choices_lift", at.switch(chosen, a, 0.0) * b, at.switch(chosen, a * b, 0.0)),
    ("choices_lift", at.switch(chosen, 0.0, a) * b, at.switch(chosen, 0.0, a * b)),
    (
        "choices_meet",
        at.switch(chosen, gate, at.exp(a)) - at.switch(chosen, gate**2, at.exp(a) * gate),
        at.switch(chosen, gate - gate**2, at.exp(a) - at.exp(a) * gate),
    ),
    ("masks_complement", at.exp(a) - at.switch(chosen, at.exp(a), 0.0), masked),
    ("masks_complement", total - at.sum(at.switch(chosen, at.exp(a), 0.0), **KEPT), left_out),
    (
        "roots_complement",
        1 - at.sqrt(1 / (1 + at.exp(a))),
        at.exp(a) / (1 + at.exp(a)) / (1 + at.sqrt(1 / (1 + at.exp(a)))),
    ),
    ("weights_complement", total - at.sum(r * at.exp(a), **KEPT), weighted),
]
#: Followed where a graph is built, not where it is read.
BUILT = {
    "powers_gather",
    "products_complement",
    "signs_choose",
    "comparisons_drop",
    "chosen_compare",
    "sums_merge",
}


@pytest.mark.parametrize(
    ("left", "right"), [pytest.param(x, y, id=f"{n}-{i}") for i, (n, x, y) in enumerate(SIDES)]
)
def test_both_sides_are_one_form(left: Any, right: Any) -> None:
    view = View(registry.relations())
    assert left.type == right.type
    assert view.read(left) is view.read(right)


def test_every_equation_is_tried() -> None:
    assert {name for name, _, _ in SIDES} | BUILT == LIFTING


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (at.sum(still * b, **KEPT), b * at.sum(still, **KEPT)),
        (at.sum(at.exp(a), **KEPT), at.exp(at.sum(a, **KEPT))),
        (at.log(at.exp(a) + r), a + at.log(r)),
        (at.max(-at.exp(a), **KEPT), -at.exp(at.max(a, **KEPT))),
        (at.max(r * at.exp(a), **KEPT), r * at.exp(at.max(a, **KEPT))),
        (at.sqrt(at.square(r)), r),
        (at.switch(chosen, a, b), at.switch(chosen, b, a)),
        (at.switch(chosen, a, 0.0), at.switch(chosen, 0.0, a)),
        (a.sum(axis=0), a.sum(axis=1)),
        (a.T, a),
    ],
)
def test_what_is_not_equal_is_not_one_form(left: Any, right: Any) -> None:
    view = View(registry.relations())
    assert view.read(left) is not view.read(right)


@pytest.mark.parametrize("moved", [lambda x: x.T, lambda x: x[1:], lambda x: x.reshape((-1,))])
def test_moves_go_inwards(moved: Any) -> None:
    view = View(registry.relations())
    assert view.read(moved(at.exp(a) * at.tanh(a))) is view.read(
        at.exp(moved(a)) * at.tanh(moved(a))
    )


def test_dot_lifts() -> None:
    view = View(registry.relations())
    rows, columns = at.dcol("rows"), at.drow("columns")
    assert view.read(at.dot(rows * a, b * columns)) is view.read(rows * at.dot(a, b) * columns)


@pytest.mark.parametrize(("compare", "name"), [(at.gt, "gt"), (at.eq, "eq")])
def test_comparisons_with_zero_drop_exponentials(compare: Any, name: str) -> None:
    e = at.exp(a)
    graph = compare(e * r, 0)
    with enabled():
        new = stabilize([graph])[0]
        assert names([new])["exp"] == 0
        value = function([a, r], new)(np.array([[-1e5, 1e5, 0.0]]), np.array([[2.0, -1.0, 0.0]]))
    assert value.tolist() == [[True, False, False] if name == "gt" else [False, False, True]]
