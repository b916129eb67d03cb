"""Products of the Hessian of losses of what a share is, and of what it is not, at any logits.

Where a share is nearly 1, terms that are divided by the square of what it leaves of 1 cancel.
"""

from __future__ import annotations

import pytest

from tests.stability.pairs import Pair, answer

SOFTMAX = "at.exp(x) / at.exp(x).sum(axis=1, keepdims=True)"
TURNED = "(at.exp(x).T / at.exp(x).sum(axis=1)).T"
OPEN = "at.exp(x) / (1 + at.exp(x).sum(axis=1, keepdims=True))"
SIGMOID = "at.exp(x) / (1 + at.exp(x))"
LOG_1P, ODDS = "at.log(1 - p)", "p / (1 - p)"
CHOSEN = "at.switch(m, {s}, {t})"
SHIFTED = SOFTMAX.replace("at.exp(x)", "at.exp(x - x.max(axis=1, keepdims=True))")

#: Shares, two terms and how they are joined; at most so many operators.  What was wrong is noted.
LOSSES = [
    (SOFTMAX, (ODDS, ""), "{s}", 165),  # wrong by 1e5 at logits of 12
    (SOFTMAX, (LOG_1P, "at.exp(-p)"), "{s} + {t}", 285),  # by 7e4
    (SOFTMAX, ("at.log(p)", LOG_1P), CHOSEN, 190),  # 1e-4, in 214 operators
    (SOFTMAX, (LOG_1P, "p"), CHOSEN, 195),  # 3e-6, in 204
    (SOFTMAX, ("p**w * (1 - p)**(1 - w)", ""), "{s}", 500),  # 5e13 at 40, in 644
    (SOFTMAX, (LOG_1P, "at.log(p)"), "({s}).sum() * ({t}).mean()", 380),  # 5e-7
    (TURNED, ("at.exp(-p)", "at.log(p / (1 - p))"), CHOSEN, 240),  # 4e-9, 8e15 at 40
    (OPEN, (LOG_1P, ""), "{s}", 140),  # 4e-10, in 163
    (OPEN, (ODDS, ""), "{s}", 215),  # 3e-3
    (OPEN, ("p**2", LOG_1P), "({s}) * ({t})", 425),  # 6e-8, in 529
    (OPEN, ("at.log(p)", LOG_1P), CHOSEN, 270),  # .25 at 40
    (OPEN, (LOG_1P, "at.log(p)"), "w * ({s}) + (1 - w) * ({t})", 320),  # 6e-10
    (SIGMOID, ("at.log(p / (1 - p))", "at.log(1 - p**2)"), "{s} + {t}", 90),  # 4, in 221
    (SIGMOID, (LOG_1P, "1 / (1 + p)"), "{s} - {t}", 85),  # 9e-7, in 294
]


@pytest.mark.parametrize(
    ("share", "terms", "joined", "most"),
    [
        pytest.param(*loss, marks=() if number in (0, 2, 7, 12) else pytest.mark.slow)
        for number, loss in enumerate(LOSSES)
    ],
)
def test_own_terms_cancel(share: str, terms: tuple[str, str], joined: str, most: int) -> None:
    found = answer(Pair(share, terms, joined), "s", curved=True)
    assert found.wrong == {}
    assert found.nodes <= most


def test_bodies_of_others_cancel_altogether() -> None:
    """Which raised when it was compiled: others of 0 had no axes.  At logits of 800 it is wrong."""
    pair = Pair(SHIFTED, ("w * p / (1 - p)", "at.log1p(p)"), "{s} - {t}")
    assert set(answer(pair, "s", curved=True).wrong) <= {800.0}


def test_what_is_false_is_told() -> None:
    """Which says that products of the Hessian are judged at all."""
    found = answer(Pair(SOFTMAX, (ODDS, ""), "{s}"), "s", enabled=False, curved=True)
    assert found.wrong
