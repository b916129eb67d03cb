"""Weights are shared variables: every tool takes them, and finds inputs that fit them."""

from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest

import kanrewrite
from kanrewrite.cli import values
from kanrewrite.cost import flops
from kanrewrite.ranges import shapes_for
from kanrewrite.report import report
from kanrewrite.spelled import spelled

RNG = np.random.default_rng(0)
W: Any = aesara.shared(RNG.normal(size=(4, 5)), "W")
B: Any = aesara.shared(np.zeros(5))
X: Any = at.dmatrix("X")
Y: Any = at.lvector("y")
E: Any = at.exp(at.dot(X, W) + B)
P: Any = E * (1 / E.sum(1, keepdims=True))
LOSS: Any = -at.log(P[at.arange(Y.shape[0]), Y]).mean()


def test_an_audit_tries_inputs_that_fit_the_weights() -> None:
    with kanrewrite.disabled():
        kanrewrite.enable()
        found = kanrewrite.audit(LOSS, {X: (-1e3, 1e3)})
    assert found.ok, str(found)
    assert found.judged > 10
    assert not kanrewrite.audit(LOSS, {X: (-1e3, 1e3)}, as_written=True).ok


def test_a_report_measures_them() -> None:
    stock, ours = report(LOSS, scales=[1.0, 1e4]).curves
    assert stock.errors[1] == np.inf
    assert ours.errors[1] < 100


def test_forms_of_them_are_searched() -> None:
    found = kanrewrite.improve(-at.log(P[:, 0]).mean(), points=32, limit=6)
    assert found.best().error < 1 < found.forms[0].error


def test_what_changes_their_numbers_is_found() -> None:
    given = [np.full((2, 4), 1e4), np.array([0, 1])]
    with kanrewrite.disabled():
        kanrewrite.enable()
        found = kanrewrite.blame([X, Y], LOSS, given)
    assert found.kind == "improving"


def test_their_lengths_count() -> None:
    assert flops(at.exp(W), {}) == 20 * 20


@pytest.mark.parametrize("given", [{}, {X: np.ones((2, 4))}])
def test_shapes_are_found_for_each_axis(given: Any) -> None:
    found = shapes_for([LOSS], [X, Y], given)
    rows = len(given[X]) if given else 3
    assert found == {X: (rows, 4), Y: (rows,)}


def test_values_are_generated_so_that_they_fit() -> None:
    (first,) = values.compare([LOSS], {}, [1.0], 0)
    assert {name: value.shape for name, value in first.inputs.items()} == {"X": (3, 4), "y": (3,)}


def test_a_graph_that_runs_nowhere_keeps_the_first_lengths() -> None:
    assert shapes_for([at.dot(X, W) + at.ones(6)], [X]) == {X: (3, 3)}


def test_spellings_call_what_has_no_name() -> None:
    odd: Any = at.dvector("the logits")
    text = spelled([at.exp(odd) + B + at.dvector("input0")])
    assert text == "(at.exp(input1) + input2) + input0"
