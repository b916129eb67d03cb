"""What would have helped, warnings at compile time."""

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode

import kanrewrite
from kanrewrite import Eq, T, eq, registry, relation
from kanrewrite.errors import UnsafeWarning

x: Any = at.dvector("x")
m: Any = at.dmatrix("m")
e: Any = at.exp(x)
audit = partial(kanrewrite.audit, samples=24)
WIDE = (-1000.0, 1000.0)
MODE = Mode(linker="py", optimizer="fast_run")


@pytest.fixture(autouse=True)
def _nothing_enabled() -> Iterator[None]:
    with kanrewrite.disabled():
        yield


def test_the_relation_that_helps_is_named() -> None:
    risk = audit(e * e.sum() ** -1, {x: WIDE}).risks[0]
    assert "kanrewrite.enable() it is right: softmax_quotient" in risk.help
    assert "softmax.py:" in risk.help


def test_aesaras_own_rewrites_are_told() -> None:
    risk = audit(at.log(e.sum()), {x: WIDE}, as_written=True).risks[0]
    assert risk.help == "compiled it is right, by Aesara's own rewrites"


@pytest.mark.slow
def test_families_that_are_enabled_by_name_are_named() -> None:
    risk = audit(at.sqrt(x + 1) - at.sqrt(x), {x: (2, 1e18)}).risks[0]
    assert "kanrewrite.enable('accuracy') it is right: " in risk.help


@relation
def error_functions(x: Any) -> Iterator[Eq]:
    yield eq(T.erf(x + 1) - T.erf(x), T.erfc(x) - T.erfc(x + 1))


@pytest.mark.slow
def test_the_reason_why_none_helps_comes_from_the_matcher() -> None:
    graph = at.erf(x + at.sin(m[0])) - at.erf(x)
    ranges = {x: (5, 20), m: (-1, 1)}
    kanrewrite.enable("softmax")
    assert audit(graph, ranges).risks[0].help == "no relation comes near"
    kanrewrite.register(error_functions)
    try:
        risk = audit(graph, ranges).risks[0]
    finally:
        kanrewrite.unregister(error_functions)
    assert "no relation helps; error_functions (" in risk.help
    assert "comes nearest, but 1 is wanted, the graph has" in risk.help


def test_the_state_of_the_registry_stays() -> None:
    kanrewrite.enable("softmax")
    before = registry.enabled()
    audit(at.log(e / e.sum()), {x: WIDE}, as_written=True)
    assert before == registry.enabled() != ()


def test_a_compiled_function_is_warned_of() -> None:
    kanrewrite.enable("log_softmax")
    graph = at.sqrt(at.square(x) + 1) - at.abs(x)
    with (
        kanrewrite.config.change(warn_unsafe=True),
        pytest.warns(UnsafeWarning, match="cancellation at sqrt(?s:.*)says more"),
    ):
        compute = aesara.function([x], graph, mode=MODE)
    assert np.isfinite(compute([1.0])).all()


@pytest.mark.parametrize("is_on", [True, False])
def test_no_warning_without_a_risk_or_a_wish(is_on: bool) -> None:
    kanrewrite.enable()
    graph = e / e.sum() if is_on else at.sqrt(at.square(x) + 1) - at.abs(x)
    with warnings.catch_warnings(), kanrewrite.config.change(warn_unsafe=is_on):
        warnings.simplefilter("error")
        compute = aesara.function([x], graph, mode=MODE)
    assert compute([1.0, 2.0]).shape == (2,)
