"""`improve`: forms of a formula by measured error and cost, and choices between them."""

import json
import multiprocessing
import pickle
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode
from typer.testing import CliRunner

import kanrewrite
from kanrewrite import registry
from kanrewrite.cli.commands import app
from kanrewrite.errors import NoSuchInput, UnusableRange
from kanrewrite.improve import Improvement
from kanrewrite.improve.measuring import COMPILED, errors, kept
from kanrewrite.improve.points import bits_lost, from_ordinal, inputs_of, ordinal, sampled
from kanrewrite.improve.regimes import choices
from kanrewrite.improve.result import Form
from kanrewrite.improve.scaled import scaled

FAST = Mode("py", "fast_run").excluding("fusion", "inplace")


@pytest.fixture(autouse=True)
def _nothing_enabled() -> Any:
    with registry.disabled():
        yield


def step() -> tuple[Any, Any]:
    x: Any = at.dscalar("x")
    return x, at.sqrt(x + 1) - at.sqrt(x)


def found(**budgets: Any) -> Improvement:
    x, out = step()
    return kanrewrite.improve(out, {x: (1e-3, 1e18)}, points=24, seconds=60, **budgets)


@cache
def shared() -> tuple[Any, Improvement]:
    """One search, and its input, for the tests that only read it."""
    x, out = step()
    return x, kanrewrite.improve(out, {x: (1e-3, 1e18)}, points=24, seconds=60, limit=12)


def test_the_best_form_keeps_its_digits_when_it_is_compiled() -> None:
    x, search = shared()
    best = search.best()
    assert "roots_difference" in best.relations
    f = aesara.function([x], best.graph, mode=FAST)
    np.testing.assert_allclose(f(1e17), 0.5 / np.sqrt(1e17), rtol=1e-15)


def test_the_front_gets_more_accurate_as_it_gets_dearer() -> None:
    front = shared()[1].front
    assert len(front) >= 2
    assert all(a.cost < b.cost and a.error > b.error for a, b in pairwise(front))


@pytest.mark.slow
def test_every_form_means_the_same() -> None:
    x, search = shared()
    values = [f.graph.eval({x: 2.0}) for f in search.forms]
    np.testing.assert_allclose(values, np.sqrt(3) - np.sqrt(2), rtol=1e-12)


@pytest.mark.slow
def test_it_finds_the_same_again_and_with_any_executor() -> None:
    first = shared()[1]
    with ThreadPoolExecutor(2) as executor:
        second = found(executor=executor, limit=12)
    assert [(f.error, f.cost, f.relations) for f in first.forms] == [
        (f.error, f.cost, f.relations) for f in second.forms
    ]


class Elsewhere(Executor):
    """What runs in another process, where nothing is what it was here."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = Future[Any]()
        run, given, options = pickle.loads(pickle.dumps((fn, args, kwargs)))
        future.set_result(pickle.loads(pickle.dumps(run(*given, **options))))
        return future


def test_what_comes_back_from_another_process_is_of_the_same_inputs() -> None:
    search = found(executor=Elsewhere(), limit=6)
    assert {v for form in search.forms for v in inputs_of(form.outputs)} == set(
        inputs_of(search.forms[0].outputs)
    )
    again = found(limit=6)
    assert [(f.error, f.cost) for f in search.forms] == [(f.error, f.cost) for f in again.forms]


@pytest.mark.slow
def test_processes_find_the_same() -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        second = found(executor=executor, limit=12)
    assert [(f.error, f.cost) for f in shared()[1].forms] == [
        (f.error, f.cost) for f in second.forms
    ]


def test_budgets_end_it() -> None:
    assert found(limit=2).stopped.startswith("limit")
    assert kanrewrite.improve(step()[1], seconds=0).stopped.startswith(("seconds", "no input"))
    assert kanrewrite.improve(step()[1], seconds=0).forms


def test_time_is_kept_where_one_exact_value_takes_longer() -> None:
    x: Any = at.TensorType("float64", (400, 50))("x")
    weight = at.constant(np.random.default_rng(0).normal(size=(50, 1000)))
    out = at.exp(at.tanh((x @ x.T @ x) @ weight) @ weight.T).sum()
    found = kanrewrite.improve(out, {x: (1, 2)}, seconds=1)
    assert found.seconds < 10  # one value takes minutes
    assert "the 1 s were used up" in found.stopped
    assert str(found).splitlines()[0].endswith("nothing was measured")


def test_a_formula_without_a_value_is_left_alone() -> None:
    x: Any = at.dscalar("x")
    search = kanrewrite.improve(at.log(-at.exp(x)), points=4, seconds=5)
    assert "no input was found" in search.stopped
    assert search.best().number == 0


def test_tensors_and_gradients_are_formulas_too() -> None:
    x: Any = at.dvector("x")
    out = aesara.grad(at.sqrt(x**2 + 1).sum(), x)
    best = kanrewrite.improve(out, {x: (-1e300, 1e300)}, points=8, seconds=60, limit=8).best()
    assert best.error < 2
    np.testing.assert_allclose(best.graph.eval({x: [1e200, 3.0]}), [1.0, 3 / np.sqrt(10)])


def test_long_tensors_have_points_at_which_they_are_in_range() -> None:
    """Of 784 numbers of any size two are next to the largest float each: no product is finite."""
    rows, weights = (cast(Any, at.TensorType("float64", (n, 784))("m")) for n in (2, 3))
    scores = at.dot(rows, weights.T)
    points = sampled([at.log(at.exp(scores).sum(axis=1))], {}, 6, 0, 60)
    assert len(points.values) == 6
    for value in points.values[0]:
        sizes = np.abs(value)
        assert 0 < sizes.max() <= 64 * sizes.min()
        assert len(set(np.sign(value).ravel())) == 2


def test_elements_of_one_size_are_within_their_range() -> None:
    x: Any = at.TensorType("float32", (50,))("x")
    points = sampled([x * 2], {x: (-1.0, 1000.0)}, 8, 0, 60)
    values = np.array([values[0] for values in points.values])
    assert np.all((values >= -1) & (values <= 1000))
    assert np.ptp(np.log2(np.abs(values[1::2])), axis=1).max() < 6 < np.ptp(values[::2])


def test_it_changes_nothing_that_is_enabled() -> None:
    registry.enable("softmax_quotient")
    before = registry.enabled()
    found(limit=3)
    assert registry.enabled() == before


# -- parts -----------------------------------------------------------------------------------


def test_a_choice_is_made_where_each_form_is_better_on_its_part() -> None:
    x: Any = at.dscalar("x")
    points = sampled([x * 1.0], {x: (-4, 4)}, 40, 0, 30)
    side = np.array([[float(values[0]) < 0 for values in points.values]])
    forms = [
        Form(n, (x * 1.0,), 10.0, 20.0, 1.0, lost=np.where(side == (n == 0), 0.0, 20.0))
        for n in range(2)
    ]
    (pieces,) = choices(forms, points)
    assert ([form.number for form in pieces.forms], pieces.error) == ([0, 1], 0)
    assert pieces.thresholds == (min(float(v[0]) for v in points.values if float(v[0]) >= 0),)


def test_a_choice_has_as_many_parts_as_are_worth_it() -> None:
    x: Any = at.dscalar("x")
    points = sampled([x * 1.0], {x: (-4, 4)}, 60, 0, 30)
    value = np.array([[float(values[0]) for values in points.values]])
    middle = abs(value) < 1e-100
    forms = [
        Form(n, (x * 1.0,), 10.0, 20.0, 1.0, lost=np.where(middle == (n == 0), 0.0, 20.0))
        for n in range(2)
    ]
    (pieces,) = choices(forms, points)
    assert [form.number for form in pieces.forms] == [1, 0, 1]


def test_nothing_leaves_the_range_on_the_way() -> None:
    a, b, c, d = at.dscalars("a", "b", "c", "d")
    (wide,) = scaled([at.sqrt(a * b - c**2 / d) / (a + b)]) or [None]
    assert wide is not None
    values = {a: 1e300, b: 1e250, c: 1e-200, d: 1e-300}
    np.testing.assert_allclose(wide.eval(values), 1e-25, rtol=1e-14)
    usual = {a: 3.0, b: 4.0, c: 1.0, d: -0.25}
    np.testing.assert_allclose(wide.eval(usual), 4 / 7, rtol=1e-15)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_infinite_nothing_or_no_number_stays_so(dtype: str) -> None:
    x, y = at.scalar("x", dtype=dtype), at.scalar("y", dtype=dtype)
    graph = [x * y + y, x / y, at.log(x * y), at.sqrt(abs(x) + y)]
    wide = scaled(graph)
    assert wide is not None
    f = aesara.function([x, y], [*graph, *wide], mode=FAST)
    special = [0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan]
    with np.errstate(all="ignore"):
        for one in special:
            for other in special:
                found = f(one, other)
                np.testing.assert_allclose(found[4:], found[:4], rtol=1e-6)


def test_what_has_no_sums_or_products_is_not_made_wide() -> None:
    x: Any = at.dscalar("x")
    assert scaled([at.sin(at.exp(x))]) is None


def test_what_is_grouped_stays_grouped() -> None:
    a, b, c = at.dscalars("a", "b", "c")
    out = a * (b * c)
    ranges = {a: (1e200, 1e250), b: (1e200, 1e250), c: (1e-250, 1e-200)}
    points = sampled([out], ranges, 8, 0, 30)
    assert errors([out], points, COMPILED).mean() > 30
    assert errors(kept([out]), points, COMPILED).mean() < 2
    slope: Any = aesara.grad(kept([out])[0], a)
    np.testing.assert_allclose(slope.eval({a: 1.0, b: 3.0, c: 2.0}), 6.0)


def test_floats_are_numbered_in_order() -> None:
    x = np.array([-np.inf, -1.0, -5e-324, 0.0, 5e-324, 1.0, np.inf])
    assert (np.diff(ordinal(x)) > 0).all()
    np.testing.assert_array_equal(from_ordinal(ordinal(x), "float64"), x)


def test_bits_lost() -> None:
    truth = np.array([1.0, 1.0, 1.0])
    result = np.array([1.0, np.nextafter(1, 2), np.nan])
    np.testing.assert_array_equal(bits_lost(result, truth), [0, 1, 64])


# -- how it is shown -------------------------------------------------------------------------


def test_a_click_on_a_point_opens_its_graph(tmp_path: Path) -> None:
    search = shared()[1]
    search.save(tmp_path / "front.html")
    page = (tmp_path / "front.html").read_text()
    for form in [search.forms[0], *search.front]:
        assert f'data-form="form-{form.number}"' in page
        assert f'<details id="form-{form.number}"' in page
    assert page.count("data-form=") == page.count('<details id="form-')  # no click leads nowhere
    assert f"{len(search.forms)} forms" in str(search.picture())


def test_the_command(tmp_path: Path) -> None:
    script = tmp_path / "model.py"
    script.write_text(
        "import aesara.tensor as at\nx = at.dscalar('x')\ny = at.log(x + 1) - at.log(x)\n"
    )
    options = ["--range", "x=1:1e18", "--points", "12", "--seconds", "30", "--json"]
    result = CliRunner().invoke(app, ["improve", f"{script}:y", *options])
    assert result.exit_code == 0, result.output
    entry = json.loads(result.stdout)
    best = entry["forms"][entry["best"]]
    assert best["error"] < 1 < entry["forms"][0]["error"]


@pytest.mark.parametrize(
    ("ranges", "error"), [({"z": (0, 1)}, NoSuchInput), ({"x": (1, 0)}, UnusableRange)]
)
def test_what_is_no_range_of_an_input_is_refused(ranges: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="x"):
        kanrewrite.improve(at.sqrt(at.dscalar("x")), ranges)


def test_what_the_library_makes_of_it_is_measured_first() -> None:
    """Relations about digits take a while: where there is none, the best is known already."""
    x: Any = at.dvector("x")
    e = at.exp(x)
    found = kanrewrite.improve(-at.log(e * e.sum() ** -1)[0], {x: (1, 1e9)}, limit=6, points=16)
    assert found.stopped.startswith("limit")
    assert found.best().relations
    assert found.best().error < found.forms[0].error / 2
