"""A relation that sleeps, loops, explodes or raises is left out, and the function compiles."""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import aesara
import aesara.tensor
import numpy as np
import pytest
from aesara.compile.mode import Mode
from aesara.graph.fg import FunctionGraph

import kanrewrite
from kanrewrite import Eq, Float, Guard, T, clock, eq, registry, relation
from kanrewrite.clock import now
from kanrewrite.errors import RelationWarning
from kanrewrite.limits import OutOfTime, limited
from kanrewrite.registry.database import LibraryPass

at: Any = aesara.tensor
MODE = Mode(linker="py", optimizer="fast_run")


@pytest.fixture(autouse=True)
def _nothing_stays_registered() -> Iterator[None]:
    before = {r.name for r in registry.relations()}
    yield
    for left in [r for r in registry.relations() if r.name not in before]:
        registry.unregister(left)


def sleeping(_: object) -> bool:
    time.sleep(60)
    return True


def looping(_: object) -> bool:
    while True:
        pass


def exploding(_: object) -> bool:
    found = {0}
    for _step in range(60):
        found |= {2 * n + bit for n in found for bit in (0, 1)}
    return bool(found)


def raising(_: object) -> bool:
    raise KeyError("none")


@pytest.mark.parametrize("bad", [sleeping, looping, exploding, raising])
def test_it_is_left_out_within_its_time(bad: Callable[[object], bool]) -> None:
    guard = Guard(bad.__name__, bad)

    @relation
    def halved(x: Float) -> Iterator[Eq]:
        """Guarded by what never says anything."""
        yield eq(T.arctan(x), 2 * T.arctan(x)).when(guard(x))

    x = at.dvector("x")
    start = now()
    with kanrewrite.disabled(), kanrewrite.config.change(relation_seconds=0.2):
        kanrewrite.register(halved, replace=True)
        kanrewrite.enable("halved")
        with pytest.warns(RelationWarning, match="relation halved .* was left out") as said:
            f = aesara.function([x], at.arctan(x) + at.arctan(2 * x), mode=MODE)
    assert now() - start < 10
    assert len(said) == 1
    np.testing.assert_allclose(f([1.0]), [np.arctan(1) + np.arctan(2)])


def test_the_pass_stops_and_stock_compiles_the_rest() -> None:
    x = at.dmatrix("x")
    with kanrewrite.disabled(), kanrewrite.config.change(pass_seconds=1e-6):
        kanrewrite.enable()
        with pytest.warns(RelationWarning, match="pass_seconds"):
            f = aesara.function([x], at.log(at.exp(x).sum(axis=1) ** 2), mode=MODE)
    np.testing.assert_allclose(f(np.zeros((1, 2))), [2 * np.log(2)])


def test_a_timer_is_put_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(OutOfTime), limited(0.05):
        time.sleep(5)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_in_a_thread_what_ends_late_is_out_of_time() -> None:
    found: list[str] = []

    def late() -> None:
        try:
            with limited(0.01):
                time.sleep(0.05)
        except OutOfTime:
            found.append("late")

    thread = threading.Thread(target=late)
    thread.start()
    thread.join()
    assert found == ["late"]


def deep(x: Any) -> Any:
    for _ in range(1_000):
        x = at.exp(-x)
    return x


def wide(x: Any) -> Any:
    return at.log(at.add(*(at.exp(x * n) for n in range(600))))


def shared(x: Any) -> Any:
    for _ in range(60):
        x = at.log(at.exp(x) + at.exp(x))
    return x


def rewritten(build: Callable[[Any], Any]) -> FunctionGraph:
    x = at.dvector("x")
    graph = FunctionGraph([x], [build(x)], clone=False)
    with kanrewrite.disabled():
        kanrewrite.enable()
        library: Any = LibraryPass(tuple(registry.enabled()))
        library.rewrite(graph)
    return graph


@pytest.mark.spared(2)
@pytest.mark.parametrize("build", [deep, shared])
def test_large_graphs_are_rewritten(build: Callable[[Any], Any]) -> None:
    assert rewritten(build).outputs[0].type.ndim == 1


# A weak reference that is cleared while the time runs out says so, and nobody hears it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_graph_that_takes_too_long_stays_as_it_is() -> None:
    with kanrewrite.config.change(pass_seconds=0.3):
        start = now()
        with pytest.warns(RelationWarning, match="pass_seconds"):
            graph = rewritten(wide)
    assert now() - start < 30
    assert graph.outputs[0].owner.inputs[0].owner.op == at.add


def swallowing() -> None:
    """What ignores an interruption, as Python does in a finalizer, and goes on."""
    with contextlib.suppress(OutOfTime):
        while True:
            pass
    while True:
        pass


def test_an_interruption_that_is_swallowed_comes_again() -> None:
    with pytest.raises(OutOfTime), limited(0.05):
        swallowing()


class Slow:
    """What takes longer to be forgotten than there is time."""

    def __del__(self) -> None:
        end = time.perf_counter() + 0.2
        while time.perf_counter() < end:
            pass


def forgetting() -> None:
    """What is interrupted while it forgets something, and never ends."""
    Slow()
    while True:
        pass


def test_what_is_being_forgotten_is_not_interrupted() -> None:
    with pytest.raises(OutOfTime), limited(0.05):
        forgetting()


def test_nor_is_who_is_told_of_it() -> None:
    def told(phase: str, info: dict[str, int]) -> None:
        end = time.perf_counter() + 0.1
        while time.perf_counter() < end:
            pass

    def collecting() -> None:
        gc.collect()
        looping(None)

    gc.callbacks.append(told)
    try:
        with pytest.raises(OutOfTime), limited(0.05):
            collecting()
    finally:
        gc.callbacks.remove(told)


def test_a_limit_inside_another_ends_by_itself() -> None:
    with limited(600):
        with pytest.raises(OutOfTime), limited(0.05):
            looping(None)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0.5
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_limit_around_another_still_holds_after_it() -> None:
    def twice() -> None:
        with contextlib.suppress(OutOfTime), limited(0.05):
            looping(None)
        looping(None)

    with pytest.raises(OutOfTime), limited(0.2):
        twice()


def test_a_limit_around_a_rewrite_ends_it_and_breaks_no_relation() -> None:
    guard = Guard("sleeping", sleeping)

    @relation
    def halved(x: Float) -> Iterator[Eq]:
        """Guarded by what never says anything."""
        yield eq(T.arctan(x), 2 * T.arctan(x)).when(guard(x))

    x = at.dvector("x")

    def hurried() -> None:
        with limited(0.5), kanrewrite.config.change(relation_seconds=60.0):
            kanrewrite.stabilize(at.arctan(x))

    with kanrewrite.disabled(), warnings.catch_warnings():
        kanrewrite.register(halved, replace=True)
        kanrewrite.enable("halved")
        warnings.simplefilter("error")
        with pytest.raises(OutOfTime):
            hurried()


def test_a_limit_by_the_wall_ends_where_the_thread_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    began = time.perf_counter()
    monkeypatch.setattr(clock._Statistics, "waited", lambda _: 0.99 * (time.perf_counter() - began))
    with pytest.raises(OutOfTime), limited(60), limited(0.1, clock.wall):
        looping(None)
    assert time.perf_counter() - began < 10
