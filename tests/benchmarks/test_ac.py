"""Matching and unification modulo AC, measured; every engine that is installed, side by side."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from unification import var

from kanrewrite.ac import compile as compile_pattern
from kanrewrite.ac import term, unify
from tests.benchmarks import ac_saturation
from tests.benchmarks.ac_engines import ENGINES, MANY
from tests.benchmarks.ac_families import FAMILIES, THEORY, nodes, rules


@pytest.mark.parametrize("engine", ["kanrewrite", "matchpy", "maude"])
@pytest.mark.parametrize("name", FAMILIES)
def test_all_matches(benchmark: Any, name: str, engine: str) -> None:
    if engine != "kanrewrite":
        pytest.importorskip(engine)
    family = FAMILIES[name]
    if engine == "matchpy" and benchmark.disabled:
        pytest.skip("slow, and measured only")
    found = benchmark(ENGINES[engine](family.problem(family.large)))
    assert (found == 0) == family.fails


@pytest.mark.parametrize("name", ["b", "e1", "e5", "f1"])
def test_kanren_at_the_sizes_it_finishes(benchmark: Any, name: str) -> None:
    if benchmark.disabled:
        pytest.skip("slow, and measured only")
    family = FAMILIES[name]
    call = ENGINES["kanren"](family.problem(family.small))
    found = benchmark.pedantic(call, rounds=1, iterations=1)
    assert (found == 0) == family.fails


@pytest.mark.parametrize("count", [10, 50, 200])
@pytest.mark.parametrize("engine", MANY)
def test_many_rules(benchmark: Any, engine: str, count: int) -> None:
    if engine != "kanrewrite":
        pytest.importorskip("matchpy")
        if benchmark.disabled:
            pytest.skip("slow, and measured only")
    benchmark.pedantic(MANY[engine](rules(count), nodes(1000)), rounds=3, iterations=1)


def test_the_index_answers_as_its_patterns_do() -> None:
    patterns, subjects = rules(200), nodes(1000)
    found = MANY["kanrewrite"](patterns, subjects)()
    matchers = [compile_pattern(pattern, THEORY) for pattern in patterns]
    terms = [term(subject, THEORY) for subject in subjects]
    assert (
        found == sum(1 for node in terms for matcher in matchers for _ in matcher.match(node)) > 0
    )


@pytest.mark.parametrize(
    ("left", "right", "size"),
    [("xy", "uv", 7), ("xyz", "uvw", 265), ("xyz", "uuu", 981), ("xxxx", "yzuv", 1000)],
)
def test_unifiers(benchmark: Any, left: str, right: str, size: int) -> None:
    equation = ("add", *map(var, left)), ("add", *map(var, right))

    def call() -> int:
        return sum(1 for _ in islice(unify([equation], THEORY), 1000))

    assert benchmark(call) == size


@pytest.mark.parametrize("size", ac_saturation.SIZES)
def test_equal_sums(benchmark: Any, size: int) -> None:
    assert benchmark(lambda: ac_saturation.canonical(size))


def test_egglog_has_all_spellings_of_a_sum() -> None:
    if not ac_saturation.is_installed():
        pytest.skip("egglog is no development dependency")
    found = ac_saturation.in_time(5, 60.0)
    assert found is not None
    assert found[1] == 180  # ways to part a set of 2 to 5 leaves in two, ordered


def test_building_a_term(benchmark: Any) -> None:
    family = FAMILIES["b"]
    subject = family.problem(64).subject
    benchmark(lambda: term(subject, THEORY))
