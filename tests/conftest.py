"""Hypothesis profiles, the C compiler for the tests that ask for it, and what Aesara forgets."""

import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any

import aesara
import aesara.graph.rewriting.basic
import pytest
from aesara.link.c.op import ExternalCOp
from hypothesis import HealthCheck, settings

from kanrewrite import registry

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


def _remember() -> None:
    """Have Aesara keep what it finds anew for each node, which takes a twentieth of all tests.

    That is the order of an operator's bases among those that rewrites are told for, a pure function
    of both, and the C code of a transposition, read from its file although nothing compiles it.
    """
    rewriting: Any = aesara.graph.rewriting.basic
    compose = lru_cache(maxsize=4096)(rewriting._compose_mro)
    rewriting._compose_mro = lambda cls, types: compose(cls, tuple(types))
    c_op: Any = ExternalCOp
    load = c_op.load_c_code
    loaded: dict[Any, tuple[Collection[str], dict[str, str]]] = {}

    def load_once(self: Any, files: Sequence[str]) -> None:
        key = type(self), tuple(files)
        if key not in loaded:
            load(self, files)
            loaded[key] = tuple(self.func_codes), dict(self.code_sections)
        self.func_codes, self.code_sections = list(loaded[key][0]), dict(loaded[key][1])

    c_op.load_c_code = load_once


_remember()
