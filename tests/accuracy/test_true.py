"""The relations of the family ``accuracy`` are true, and its approximations within their bounds."""

from collections.abc import Iterator
from typing import Any

import pytest

from kanrewrite import Eq, T, eq, relation
from kanrewrite.registry.sources import of_library
from kanrewrite.relation import Relation
from kanrewrite.verify import verify
from tests.sparing import sparing

FAMILY = {r.name: r for r in of_library() if r.family == "accuracy"}
#: Divisions by zeros of a sign, approximations: what takes care to compare.
SOME = ("over_product", "log_less_linear", "terms_cancel")


def is_true(stated: Relation, samples: int) -> bool:
    # What is followed by cancelling as symbols is of finite numbers.
    finite = stated.direction is None
    options: Any = {"rewrite": False, "dtypes": ("float64",), "finite": finite}
    return verify(stated, samples=samples, **options).ok


@pytest.mark.parametrize("name", sparing(SOME))
def test_a_relation_is_true(name: str) -> None:
    assert is_true(FAMILY[name], 12)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(FAMILY) - set(SOME)))
def test_every_relation_is_true(name: str) -> None:
    assert is_true(FAMILY[name], 6)


def small_sine(error: float) -> Relation:
    @relation
    def sine(x: Any) -> Iterator[Eq]:
        """A sine near 0 is its operand."""
        near = T.lt(T.abs(x), 0.1)
        yield eq(T.sin(x), T.switch(near, x, T.sin(x))).within(error)

    return sine


def test_an_approximation_is_held_to_its_bound() -> None:
    assert is_true(small_sine(0.01), 48)
    assert not is_true(small_sine(1e-9), 48)
    assert not is_true(small_sine(0.0), 48)


def test_a_wrong_series_is_refused() -> None:
    @relation
    def sine(x: Any) -> Iterator[Eq]:
        """Its sign is wrong."""
        yield eq(T.sin(x), T.switch(T.lt(T.abs(x), 0.1), -x, T.sin(x))).within(0.01)

    assert not is_true(sine, 48)


def test_a_number_that_is_not_pi_is_no_half_turn() -> None:
    @relation
    def turns(x: Any) -> Iterator[Eq]:
        """Of another number the sine has another period."""
        yield eq(T.sin(3.14 * x), T.sin(3.14 * (x - 2 * T.floor(x / 2 + 0.5))))

    assert not is_true(turns, 12)
