import sys
from typing import Any, cast

import aesara.tensor as at
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanrewrite.errors import NoSuchStep
from kanrewrite.trace import Event, Recorder, trace

x = at.vector("x")


def rewrite(count: int) -> list[int]:
    """Make ``count`` rewrites as a rewriter does; the ones that happened."""
    done = []
    for n in range(count):
        recorder = trace.recorder
        if recorder is not None:
            if not recorder.allow():
                continue
            recorder.fired(f"r{n}", f"node {n}", at.exp(x), x, {"x": x}, 0.0)
        done.append(n)
    return done


def test_off_by_default_and_after_an_error() -> None:
    assert trace.recorder is None
    with pytest.raises(ZeroDivisionError), trace():
        1 / 0  # noqa: B018
    assert trace.recorder is None
    assert rewrite(3) == [0, 1, 2]


def test_the_module_and_the_class_share_the_recorder() -> None:
    module = sys.modules["kanrewrite.trace"]
    with trace() as steps:
        assert module.recorder is steps
        with trace() as inner:
            assert module.recorder is inner
        assert module.recorder is steps


def test_rewrites_are_recorded_in_order() -> None:
    with trace() as steps:
        rewrite(3)
    assert [event.name for event in steps] == ["r0", "r1", "r2"]
    assert [event.where for event in steps] == ["node 0", "node 1", "node 2"]
    assert str(steps.step(2)).startswith("r1: exp(x) -> x")


@given(st.integers(0, 8), st.integers(0, 8))
def test_a_limit_lets_the_first_rewrites_through(limit: int, count: int) -> None:
    with trace(limit=limit) as steps:
        assert rewrite(count) == list(range(min(limit, count)))
    assert steps.withheld == max(0, count - limit)


@pytest.mark.parametrize("n", [-1, 0, 3])
def test_a_step_that_is_not_there(n: int) -> None:
    with trace() as steps:
        rewrite(2)
    with pytest.raises(NoSuchStep, match=f"no rewrite number {n}"):
        steps.step(n)


@given(st.integers(1, 20), st.data())
def test_bisect_names_the_rewrite_at_fault(count: int, data: st.DataObject) -> None:
    fault = data.draw(st.integers(0, count - 1))
    event = trace.bisect(lambda: fault not in rewrite(count))
    assert event is not None
    assert event.name == f"r{fault}"


def test_bisect_without_a_fault_or_without_a_rewrite_to_blame() -> None:
    assert trace.bisect(lambda: bool(rewrite(3))) is None
    with pytest.raises(NoSuchStep, match="none of them is at fault"):
        trace.bisect(lambda: False)


def test_events_keep_the_graph_as_it_was() -> None:
    y = at.log(at.exp(x))
    with trace() as steps:
        recorder = cast(Recorder, trace.recorder)
        recorder.fired("log_of_exp", "", y, x, {}, 0.0)
    node: Any = y.owner
    node.inputs[0] = at.tanh(x)
    assert str(steps.step(1)).startswith("log_of_exp: log(exp(x)) -> x")


def test_inputs_and_sharing_survive_the_copy() -> None:
    e = at.exp(x)
    with trace() as steps:
        cast(Recorder, trace.recorder).fired("r", "", e / e.sum(), e, {"e": e, "n": 3}, 0.0)
    event = steps.step(1)
    assert event.after is event.bindings["e"]
    assert event.before.owner.inputs[0] is event.after
    assert event.after.owner.inputs[0] is x
    assert event.bindings["n"] == 3


def test_equal_refusals_are_recorded_once() -> None:
    with trace() as steps, trace(refusals=False) as silent:
        for recorder in (steps, silent):
            recorder.refused("r", at.exp(x), "not a product")
            recorder.refused("r", at.exp(x), "not a product")
            recorder.refused("r", at.exp(x), "wrong axis")
    assert [event.reason for event in steps] == ["not a product", "wrong axis"]
    assert silent.events == []
    assert "refused exp(x): wrong axis" in str(steps)


def test_a_user_line_is_the_source() -> None:
    with trace() as steps:
        steps.fired("r", "", at.exp(x), x, {}, 0.0)
    assert __file__ in steps.step(1).source
    assert isinstance(steps.step(1), Event)
