"""Loops as users write them: right at everyday, large and extreme inputs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.loops.checking import GRADIENTS, C, compiled, errors
from tests.loops.corpus import LOOPS

#: Checked in every run; the others take some seconds each.
QUICK = (
    "softmax_of_each_step",
    "mixture_of_each_step",
    "cross_entropy_of_each_step",
    "loop_in_a_loop",
    "op_from_graph",
    "op_around_a_loop",
    "gradient_in_each_step",
    "hidden_states_in_logs",
    "gates_in_logs",
    "shared_state",
    "largest_of_sums",
    "noisy_or",
    "not_yet",
    "pointers",
    "softest_alignment",
    "log_of_an_op",
    "op_of_exponentials",
    "divided_outside_of_an_op",
    "log_in_an_op_of_an_op",
    "log_of_an_op_around_a_loop",
    "exponentials_of_a_loop",
    "exponentials_into_a_loop",
    "log_of_a_branch",
    "exponentials_of_branches",
    "branches_of_a_product",
    "log_outside_of_a_loop_of_an_op",
)
#: Those that are derivatives themselves: Aesara's third derivatives of loops are wrong.
DERIVATIVES = (
    "directional",
    "hessian_product",
    "hessian_product_of_taps",
    "hessian_product_of_a_filter",
    "direction_of_a_filter",
    "hessian_product_of_scalings",
    "hessian_product_of_gains",
    "hessian_product_of_evidence",
)


def cases(quick: tuple[str, ...] = (), every: int = 1) -> list[Any]:
    """Each so many-th of the loops: its value, or its gradients in one of the ways, by turns."""
    found = []
    for n, name in enumerate(list(LOOPS)[::every]):
        by_turns = n % 2 == 0 and name not in DERIVATIVES
        gradients = (list(GRADIENTS)[n // 2 % len(GRADIENTS)],) if by_turns else ()
        for kind in ("value", *gradients):
            first = name in quick if kind == "value" else name in quick[:1]
            marks = [] if first else [pytest.mark.slow]
            found.append(pytest.param(name, kind, marks=marks))
    return found


@pytest.mark.spared
@pytest.mark.parametrize(("name", "kind"), cases(quick=QUICK))
def test_loops_are_right(name: str, kind: str) -> None:
    """``python -m tests.loops.table`` has the gradients of each loop in both ways."""
    assert not errors(name, kind, compiled(name, kind))


@pytest.mark.cxx
@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), cases(every=6))
def test_loops_are_right_in_c(name: str, kind: str) -> None:
    """Some: what is rewritten is the same, and ``tests.loops.table --c`` runs all of them."""
    assert not errors(name, kind, compiled(name, kind, mode=C))


def test_the_corpus_is_large_enough() -> None:
    assert len(LOOPS) >= 145
