"""Perfect powers of sums, and losses in which quotients of them cancel."""

from __future__ import annotations

from typing import Any

import pytest

from kanrewrite import registry
from kanrewrite.view import View
from kanrewrite.view.forms import Sum
from tests.stability.pairs import Pair, answer
from tests.view.common import at

A, B = at.dvectors("ab")
e = at.exp


@pytest.mark.parametrize(
    ("graph", "terms", "power"),
    [
        (1 + 2 * e(A) + e(2 * A), 2, 2),
        (e(-A) + 2 + e(A), 2, 2),
        (e(2 * A) + 2 * e(A + B) + e(2 * B), 2, 2),
        (8 + 12 * e(A) + 6 * e(2 * A) + e(3 * A), 2, 3),
        (1 + 2 * e(A) + 3 * e(2 * A) + 2 * e(3 * A) + e(4 * A), 3, 2),
        (1 + 4 * e(A) + 6 * e(2 * A) + 4 * e(3 * A) + e(4 * A), 2, 4),
    ],
)
def test_what_is_a_power_is_read_as_one(graph: Any, terms: int, power: int) -> None:
    form = View(registry.relations()).read(graph)
    ((base, k),) = [(f, k) for f, k in form.home.parts(form)[2] if isinstance(f, Sum)]
    assert (len(base.terms), k) == (terms, power)


@pytest.mark.parametrize(
    "graph",
    [
        1 + e(A) + e(2 * A),
        1 + 2 * e(A) + e(2 * B),
        1 + 3 * e(A) + 3 * e(2 * A) + 2 * e(3 * A),
        1 - 2 * e(A) + e(2 * A),  # what is subtracted may vanish
        1 + 2 * B * e(A) + e(2 * A),
    ],
)
def test_what_is_none_is_left(graph: Any) -> None:
    form = View(registry.relations()).read(graph)
    assert all(k == 1 for f, k in form.home.parts(form)[2] if isinstance(f, Sum))


@pytest.mark.parametrize(
    ("share", "loss", "most"),
    [
        ("at.exp(x) / (1 + at.exp(x))", "at.log(1 + p / (1 - p))", 3),  # it was 50, stock's 17
        ("at.exp(x) / (at.exp(x) + at.exp(y))", "m*at.log(p) + (1 - m)*at.log(1 + p/(1 - p))", 16),
        ("1 / (1 + at.exp(-x))", "w*at.log(1 + p/(1 - p)) + (1 - w)*at.log(p/(1 - p))", 12),
    ],
)
def test_log_odds_by_fractions(share: str, loss: str, most: int) -> None:
    """Slopes chosen by labels were 3 for 0 from logits of 40 on, in 242 operators."""
    found = answer(Pair(share, (loss, ""), "{s}"), "0")
    assert found.wrong == {}
    assert found.nodes <= most
