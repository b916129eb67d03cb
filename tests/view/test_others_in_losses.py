"""Losses in which what a share is not is divided by, beside other terms of it.

The slope by scores adds up what all shares of a row lose.  Where one is nearly 1 its own part is as
large as one over what is left of it, and has to cancel before it is computed.
"""

from __future__ import annotations

import pytest

from tests.stability.pairs import Pair, answer

SOFTMAX = "at.exp(x) / at.exp(x).sum(axis=1, keepdims=True)"
#: Beside the classes there is one that is none of them.
OPEN = "at.exp(x) / (1 + at.exp(x).sum(axis=1, keepdims=True))"
TURNED = "(at.exp(x).T / at.exp(x).sum(axis=1)).T"
SCALED = "at.exp(x * y) / at.exp(x * y).sum(axis=1, keepdims=True)"

LOSSES = [
    (OPEN, "at.switch(m, at.log(p), at.log(1 - p))"),
    (OPEN, "at.switch(m, p**2, at.log(1 - p))"),
    (OPEN, "at.switch(m, 1 / (1 + p), at.log(1 - p**2))"),
    (OPEN, "at.switch(m, p, at.sqrt(p * (1 - p)))"),
    (OPEN, "w * at.log(1 + p) + (1 - w) * at.log(p * (1 - p))"),
    (OPEN, "p**w * (1 - p)**(1 - w)"),
    (TURNED, "at.switch(m, at.log(1 + p), at.log(p * (1 - p)))"),
    (TURNED, "at.switch(at.gt(w, 0.5), p / (1 - p), at.log(1 + p))"),
    (TURNED, "at.log(1 - p)[:, 0] + p[:, -1]"),
    (TURNED, "at.concatenate([((1 - p)**2)[:, :1], at.log(1 - p)[:, 1:]], axis=1)"),
    (SCALED, "w * (1 - p)**2 * at.log(p) + (1 - w) * p / (1 - p)"),
    (SCALED, "at.log(1 + p / (1 - p)).mean() * (p**w * (1 - p)**(1 - w)).mean()"),
    (SOFTMAX, "w * (1 - p)**2 * at.log(p) + (1 - w) * at.log(1 - p)"),
    (SOFTMAX, "at.log(p**w * (1 - p)**(1 - w))"),
    (SOFTMAX, "(p**w * (1 - p)**(1 - w)) * at.log(1 - p)"),
    (SOFTMAX, "(p**w * (1 - p)**(1 - w)).mean() * (p**2).mean()"),
    (SOFTMAX, "((1 - p)**(1 - w))[:, 1:]"),
    (SOFTMAX, "at.log(1 - p[at.arange(3), [1, 0, 2]]) * p[:, 0]"),
    (SOFTMAX, "at.concatenate([((1 - p)**w)[:, :1], at.log(1 - p)[:, 1:]], axis=1)"),
    (SOFTMAX, "at.log(w * (1 - p) + (1 - w) * p)"),
    (SOFTMAX, "at.log(p / (1 - p))[:, 0] * ((p - w)**2)[:, -1]"),
    (SOFTMAX, "at.log(1 - p**3)"),
    (OPEN, "at.log(1 - p**4)"),
    (SOFTMAX, "at.log(1 - p**2.5)"),
    (SOFTMAX, "((1 - p)**(1 - w))[at.arange(3), [1, 0, 2]]"),
]


@pytest.mark.spared(3)
@pytest.mark.parametrize(("share", "loss"), LOSSES)
def test_values_and_slopes_are_right(share: str, loss: str) -> None:
    assert answer(Pair(share, (loss, ""), "{s}"), "0").wrong == {}


#: How many nodes a value and its slopes have at most, fused with nothing.
SIZES = [
    (SOFTMAX, "w * at.log(1 + p) + (1 - w) * at.log(1 - p)", 60),  # it was 104
    (SOFTMAX, "at.switch(m, at.log(p), at.log(1 - p))", 60),  # 105
    (SOFTMAX, "w * (1 - p)**2 * at.log(p) + (1 - w) * p / (1 - p)", 135),  # 423
    (SOFTMAX, "w * p + (1 - w) * p / (1 - p)", 75),  # 250
    (SOFTMAX, "at.log(1 + p / (1 - p))", 45),  # 103
    (OPEN, "at.log(1 - p[at.arange(3), [1, 0, 2]]) + at.log(1 - p[:, 0])", 200),  # 345
    (SOFTMAX, "at.log(1 - p)[:, 1:].sum() + at.log(1 - p)[:, 0].sum()", 55),  # 216
    (SOFTMAX, "at.log(1 - p[at.arange(3), [1, 0, 2]]) * p[:, 0]", 85),  # it was wrong
    (OPEN, "(1 - w) * at.log(p * (1 - p))", 110),  # 244
]


@pytest.mark.spared(2)
@pytest.mark.parametrize(("share", "loss", "most"), SIZES)
def test_they_are_as_large_as_others_are(share: str, loss: str, most: int) -> None:
    assert answer(Pair(share, (loss, ""), "{s}"), "0").nodes <= most
