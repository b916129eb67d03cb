"""Each replacement is checked while `config.check_steps` is on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara
import aesara.tensor
import numpy as np
import pytest
from aesara.compile.mode import Mode

import kanrewrite
from kanrewrite import Eq, Float, T, eq, relation
from kanrewrite.errors import FalseStep
from kanrewrite.guards.bounds import Bounds, assume
from kanrewrite.steps import difference
from kanrewrite.view.build import Builder

at: Any = aesara.tensor
MODE = Mode(linker="py", optimizer="fast_run")


@relation
def arctan_is_tangent(x: Float) -> Iterator[Eq]:
    """False, for the tests."""
    yield eq(T.arctan(x), T.tan(x))


def softmax(x: Any) -> Any:
    return at.exp(x) / at.exp(x).sum(axis=-1, keepdims=True)


def test_a_false_step_is_named_with_its_equation() -> None:
    x = at.dvector("x")
    with kanrewrite.disabled(), kanrewrite.config.change(check_steps=True):
        kanrewrite.register(arctan_is_tangent)
        kanrewrite.enable("arctan_is_tangent")
        with pytest.raises(FalseStep, match=r"made by arctan_is_tangent:\n +arctan\(x\) == tan"):
            aesara.function([x], at.arctan(x).sum(), mode=MODE)
        kanrewrite.unregister("arctan_is_tangent")


def test_a_false_lifting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    x, whole = at.dmatrix("x"), Builder.whole
    monkeypatch.setattr(Builder, "whole", lambda self, form: at.mul(whole(self, form), 1.001))
    with kanrewrite.disabled(), kanrewrite.config.change(check_steps=True):
        kanrewrite.enable()
        with pytest.raises(FalseStep, match="lifting"):
            aesara.function([x], at.log(softmax(x) * at.exp(x)), mode=MODE)


def test_true_steps_pass() -> None:
    x = at.dmatrix("x")
    gradient = aesara.grad((at.log(softmax(x)) * at.arange(3)).sum(), x)
    with kanrewrite.disabled(), kanrewrite.config.change(check_steps=True):
        kanrewrite.enable()
        f = aesara.function([x], gradient, mode=MODE)
    assert np.isfinite(f([[1000.0, 0.0, -1000.0]])).all()


def test_off_unless_asked_for() -> None:
    assert not kanrewrite.config.check_steps


def test_what_rounding_decides_is_no_difference() -> None:
    x = at.dvector("x")
    tie: Any = at.sgn(at.exp(x + 1) - np.e * at.exp(x))
    assert difference(tie, at.zeros_like(x)) is None


def test_shapes_that_do_not_fit_say_nothing() -> None:
    x = at.dmatrix("x")
    assert difference(x[5], x[5] + 1) is None


def test_values_that_differ_are_found() -> None:
    x = at.dvector("x")
    found = difference(at.exp(x), at.exp(x) + 1e-3)
    assert found is not None
    assert set(found[0]) == {"x"}
    assert found[1].shape == found[2].shape == (3,)


@pytest.mark.parametrize("bounds", [Bounds(0.5, 2.0), Bounds(low=0.0), Bounds(high=-1.0)])
def test_inputs_are_within_what_is_known_of_them(bounds: Bounds) -> None:
    """A step is rewritten for what enters it: the log of a rest that is positive is a number."""
    x = at.dvector("x")
    assume(x, bounds)
    assert difference(at.minimum(at.maximum(x, bounds.low), bounds.high), x) is None
    found = difference(x, x + 1)
    assert found is not None
    assert (found[0]["x"] >= bounds.low).all()
    assert (found[0]["x"] <= bounds.high).all()
