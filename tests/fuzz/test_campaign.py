"""Random graphs are the same for each seed, cover what is read, and have no wrong number."""

from __future__ import annotations

import os
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import aesara.tensor as at
import numpy as np
import pytest
from mpmath import mpf

from kanrewrite import registry
from kanrewrite.cli import fuzzing
from kanrewrite.fuzz import Unjudged, failure, fuzz, judging
from kanrewrite.fuzz.coverage import possible, reached, wanted
from kanrewrite.fuzz.generation import EVERYDAY, GRAPH, IDIOM, SHARE, generated, regimes
from kanrewrite.fuzz.graphs import GRAPHS, RESULT
from kanrewrite.fuzz.idioms import IDIOMS
from kanrewrite.fuzz.programs import program_of
from kanrewrite.fuzz.recipes import elementwise, operators
from kanrewrite.fuzz.shares import OF_SHARES
from kanrewrite.fuzz.shrinking import shrunk

SOFTMAX = """
x = at.TensorType('float64', shape=(None,))('x')
v1 = at.exp(x) / at.exp(x).sum(axis=-1, keepdims=True)
v2 = at.log(v1)
"""


def test_a_seed_gives_one_program() -> None:
    programs = [str(generated(f"7/{i}")[0]) for i in range(50)]
    assert programs == [str(generated(f"7/{i}")[0]) for i in range(50)]
    assert len(set(programs)) > 45
    assert programs != [str(generated(f"8/{i}")[0]) for i in range(50)]


def test_idioms_are_programs_of_their_own() -> None:
    programs = [str(generated(f"7/{IDIOM}{i}")[0]) for i in range(50)]
    assert programs == [str(generated(f"7/{IDIOM}{i}")[0]) for i in range(50)]
    assert len(set(programs)) > 45
    assert sum("sum(" in text and "exp(" in text for text in programs) > 30


def test_every_idiom_is_used() -> None:
    used = {line.template for i in range(1500) for line in generated(f"0/{IDIOM}{i}")[0].lines}
    for recipe in IDIOMS:
        assert used & {recipe.written(random.Random(k)) for k in range(60)}, recipe.template


def test_every_step_of_graphs_is_used() -> None:
    used = {line.template for i in range(900) for line in generated(f"0/{GRAPH}{i}")[0].lines}
    for recipe in (*GRAPHS, RESULT):
        written = {recipe.written(random.Random(k)) for k in range(60)}
        assert written <= used, written - used


def test_every_step_of_shares_is_used() -> None:
    used = {line.template for i in range(2500) for line in generated(f"0/{SHARE}{i}")[0].lines}
    for recipe in OF_SHARES:
        assert used & {recipe.written(random.Random(k)) for k in range(60)}, recipe.template


def test_graphs_are_judged_at_one_large_input_with_equal_rows_and_zero_columns() -> None:
    seed, seen = f"0/{GRAPH}4", set()
    _, shapes = generated(seed)
    for k in range(60):
        r = random.Random(k)
        for regime in regimes(seed, r):
            x, *others = shapes.values(regime, r).values()
            assert all(np.abs(v).max() < 10 for v in others)
            equal, zero = bool((x[0] == x[1]).all()), bool((x[:, -1] == 0).all())
            seen |= {regime.name, ("equal", equal), ("zero", zero)}
    assert len(seen) == 5 + 2 + 2


def test_a_program_is_read_as_it_is_printed() -> None:
    for i in range(50):
        program, _ = generated(f"7/{i}")
        again = program_of(str(program), program.order)
        assert str(again) == str(program)
        assert again.trimmed() == again


def test_values_fit_the_types_of_inputs() -> None:
    program, shapes = generated("7/3")
    values = shapes.values(EVERYDAY[0], random.Random(0))
    for i in program.inputs:
        assert values[i.name].dtype == i.dtype
        pairs = zip(i.shape, values[i.name].shape, strict=True)
        assert all(stated in (None, length) for stated, length in pairs)


def test_each_operator_that_is_read_has_a_recipe() -> None:
    assert len(elementwise()) == len(operators()) > 35
    found: Counter[str] = Counter()
    for i in range(1500):
        program, _ = generated(f"0/{i}")
        found.update(_calls(str(program)))
    assert {"softmax", "scan", "fill_diagonal", "batched_dot", "log1mexp", "clip"} <= found.keys()


def _calls(text: str) -> list[str]:
    return [part.rpartition(".")[2] for part in text.split("(")]


def test_what_is_right_is_no_failure() -> None:
    assert failure(SOFTMAX, {"x": [1000.0, 0.0, -1000.0]}, order=2) is None


def test_a_wrong_relation_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    function = judging._function

    def wrong(inputs: Any, outputs: Any, mode: Any) -> Any:
        right, library = function(inputs, outputs, mode), bool(registry.enabled())
        return lambda *a: [v + 1e-6 * library * (v > 2) for v in right(*a)]

    monkeypatch.setattr(judging, "_function", wrong)
    program = program_of(SOFTMAX.replace("at.log(v1)", "at.exp(x) - v1"), order=2)
    values = {"x": np.array([0.125, 2.0625, -1.375])}
    verdict = judging.compiled(program).judged(values)
    assert verdict is not None
    assert verdict.kind == "wrong"
    small, rounder, same = shrunk(program, values, verdict)
    assert same.kind == "wrong"
    assert (small.order, len(small.lines)) == (0, 1)
    assert rounder["x"].tolist() == [0.0, 2.0, 0.0]


def test_what_is_nan_does_not_make_rounding_an_error() -> None:
    truth = np.array([mpf("nan"), mpf(0)], dtype=object)
    stock, rounded, wrong = ([np.nan, v] for v in (0.0, -5.6e-17, -1e-9))
    found = [
        judging.verdict(np.array(stock), np.array(library), truth, np.zeros(2))
        for library in (stock, rounded, wrong)
    ]
    assert found == ["", "", "wrong"]


def test_what_stock_cannot_run_is_not_judged() -> None:
    with pytest.raises(Unjudged, match="stock raises"):
        failure(SOFTMAX.replace("at.log(v1)", "v1.max()"), {"x": []})


def test_what_raises_as_it_is_written_is_not_judged() -> None:
    """Stock leaves out what is not needed, and never finds that it does not fit."""
    x: Any = at.dvector("x")
    apart = judging.Compiled(
        [x], {"value": at.set_subtensor(x[:1], x)}, lambda _: [np.ones(2)], lambda _: [np.zeros(2)]
    )
    with pytest.raises(Unjudged, match="as written it raises"):
        apart.judged({"x": np.ones(2)})


def test_random_graphs_have_no_wrong_number() -> None:
    found = fuzz(n=8, seed=7)
    found.add(fuzz(n=4, seed=7, grammar="graphs"))
    assert not found.findings, "\n\n".join(f.source() for f in found.findings)


def test_a_tie_by_rounding_is_no_error() -> None:
    tied = (
        "v1 = at.sigmoid(x)\nv2 = (at.eq(v1, v1.max()) * v1).sum() + (1 / (1 + at.exp(-x))).sum()"
    )
    program = SOFTMAX.partition("v1")[0] + tied
    assert failure(program, {"x": [84.0, -432.0, 109.0]}) is None


def test_an_executor_gives_the_same() -> None:
    with ThreadPoolExecutor(1) as executor:
        there = fuzz(n=4, seed=3, executor=executor)
    here = fuzz(n=4, seed=3)
    assert (there.programs, there.judgements) == (here.programs, here.judgements)
    assert there.operators == here.operators


def test_lines_of_the_engine_are_counted() -> None:
    lines: set[tuple[str, int]] = set()
    with reached(lines):
        failure(SOFTMAX, {"x": [1.0, 2.0]})
    assert 300 < len(lines & possible()) < len(possible())


@pytest.mark.slow
@pytest.mark.skipif(
    os.environ.get("HYPOTHESIS_PROFILE") != "thorough", reason="takes hours: the thorough profile"
)
def test_twenty_thousand_random_graphs_have_no_wrong_number() -> None:
    with fuzzing.executor(0) as executor:
        found = fuzz(n=20_000, seed=11, executor=executor)
    assert not found.findings, "\n\n".join(f.source() for f in found.findings)
    assert wanted() <= found.operators.keys()
