"""Hypothesis profiles, and the C compiler for the tests that ask for it."""

import os
import shutil
from collections.abc import Iterator

import aesara
import pytest
from hypothesis import HealthCheck, settings

from kanrewrite import registry
from tests import budget, remembering
from tests.sparing import spare

# A first compile or a busy machine is not a failure: no deadline, no health check of speed.
_UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The same examples in each run, so that a red run can be repeated; chance is for `thorough`, and
# for the fuzzer.
_SAME = settings(_UNHURRIED, derandomize=True, print_blob=True)
settings.register_profile("default", _SAME, max_examples=50)
settings.register_profile("ci", _SAME, max_examples=100)
settings.register_profile("thorough", _UNHURRIED, max_examples=2000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default")
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run end in time."""
    budget.add_options(parser)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Count the time of a run from here."""
    budget.start(session.config)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin nothing for which no time is left."""
    budget.check(item)


@pytest.hookimpl(tryfirst=True)  # before those that are not asked for are taken out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave cases of tests that have many alike to the slow run, and begin where is asked."""
    spare(items)
    items[:] = budget.turned(items, config.getoption("--begin-at"))


@pytest.fixture(autouse=True)
def _nothing_stays_registered() -> Iterator[None]:
    """Fail a test whose relations later tests would have, too."""
    before = registry.registered().keys()
    yield
    left = [name for name in registry.registered() if name not in before]
    for name in left:
        registry.unregister(name)
    assert not left, "unregister what a test registers"


@pytest.fixture(autouse=True)
def _c_compiler(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give tests marked ``cxx`` the C compiler that the others do without."""
    if request.node.get_closest_marker("cxx") is None:
        yield
        return
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("there is no C++ compiler on the path")
    with aesara.config.change_flags(cxx=compiler):
        yield


remembering.start()
