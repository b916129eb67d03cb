"""Steps written out: what they share is built once, of exponents as they were written."""

from __future__ import annotations

from functools import reduce
from itertools import product
from operator import mul
from typing import Any

import numpy as np

from kanrewrite.laws import Laws
from kanrewrite.registry import relations
from kanrewrite.view.forms import Prod
from kanrewrite.view.read import View
from tests.benchmarks.unrolled import hidden, labels
from tests.view.common import PLAIN, at, function, grad, stock


def _with_slopes(model: Any, steps: int) -> tuple[list[Any], list[Any]]:
    shaped, loss = model(steps)
    inputs = [v for v, _ in shaped]
    return inputs, [loss, *grad(loss, inputs)]


def test_labels_that_are_masked_have_the_values_of_stock() -> None:
    inputs, outputs = _with_slopes(labels, 3)
    ours, theirs = (make(inputs, outputs) for make in (function, stock))
    logits = np.random.default_rng(0).normal(size=(3, 4))
    for low, *place in product((-np.inf, -1e9), range(3), range(4)):
        given = logits.copy()
        given[tuple(place)] = low
        with np.errstate(all="ignore"):
            for found, right in zip(ours(given), theirs(given), strict=True):
                assert np.isfinite(right).all()
                np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-12)


def _nodes(model: Any, steps: int) -> list[int]:
    inputs, outputs = _with_slopes(model, steps)
    compiled = (make(inputs, outputs, PLAIN) for make in (function, stock))
    return [len(f.maker.fgraph.apply_nodes) for f in compiled]


def test_what_divides_all_slopes_is_built_once() -> None:
    ours, theirs = _nodes(labels, 3)
    assert ours < 4 * theirs


def test_a_step_is_built_once_whatever_divides_around_it() -> None:
    ours, theirs = _nodes(hidden, 4)
    assert ours < 1.2 * theirs


def test_an_exponent_of_many_terms_is_moved_term_by_term() -> None:
    many = [at.dvector(f"x{n}") for n in range(12)]
    form = View(Laws(relations())).read(reduce(mul, map(at.exp, many)).dimshuffle(0, "x"))
    assert isinstance(form, Prod)
    assert len(form.expo.terms) == len(many)
