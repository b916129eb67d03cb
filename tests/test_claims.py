"""What the README and the pages say of stock Aesara is so: stock is run.

A page that mentions stock Aesara is checked here, by its own doctests, or by the script that
measured its figures.
"""

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest

import kanrewrite
from kanrewrite.fuzz import judging

ROOT = Path(__file__).parents[1]
SAYS_STOCK = re.compile(r"\b[Ss]tock\b|Aesara (alone|misses|answers|gives)|Aesara.s\s+own spelling")

#: Pages whose sentences about stock Aesara are checked in this file.
HERE = {
    "docs/tutorial.md",
    "docs/trust.md",
    "notebooks/stabilise_your_graph.ipynb",
    "docs/gradients.md",
}
#: Pages that compare figures, and what measures them again.
MEASURED = {
    "docs/accuracy.md": "tests/benchmarks/formulas.py",
    "docs/benchmarks-arithmetic.md": "tests/benchmarks/arithmetic.py",
    "docs/benchmarks-compile.md": "tests/benchmarks/compile_cost.py",
    "docs/benchmarks-loops-compile.md": "tests/benchmarks/loop_cost.py",
    "docs/benchmarks-results.md": "tests/benchmarks/results.py",
    "docs/benchmarks-unrolled.md": "tests/benchmarks/unrolled.py",
    "docs/loops-corpus.md": "tests/loops/table.py",
}
#: Pages with doctests in which stock Aesara answers.
DOCTESTS = {"README.md"}


def cells(page: str) -> list[str]:
    """The code cells of a page or a notebook, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    if page.endswith(".ipynb"):
        found = [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
        return ["".join(cell["source"]) for cell in found]
    return re.findall(r"```\{code-cell\}\n(?::tags:.*\n)?(.*?)```", text, re.DOTALL)


def run(page: str, upto: str) -> dict[str, Any]:
    """The names that the code cells define, up to the one that contains a text."""
    names: dict[str, Any] = {"__name__": "page"}
    found = cells(page)
    assert any(upto in code for code in found), f"{page} has no cell with {upto!r}"
    with np.errstate(all="ignore"):
        for code in found:
            exec(code, names)
            if upto in code:
                return names
    raise AssertionError


@pytest.fixture(autouse=True)
def _off() -> Iterator[None]:
    with kanrewrite.disabled():
        yield
        kanrewrite.disable()


def pages() -> list[str]:
    found = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "notebooks").glob("*")]
    return [path.relative_to(ROOT).as_posix() for path in found if path.is_file()]


def test_every_page_that_speaks_of_stock_is_checked() -> None:
    speaking = {p for p in pages() if SAYS_STOCK.search((ROOT / p).read_text(encoding="utf-8"))}
    assert speaking == HERE | MEASURED.keys() | DOCTESTS


@pytest.mark.parametrize(("page", "script"), sorted(MEASURED.items()))
def test_figures_name_what_measures_them(page: str, script: str) -> None:
    assert (ROOT / script).is_file()
    module = script.removesuffix(".py").replace("/", ".")
    assert f"python -m {module}" in (ROOT / page).read_text(encoding="utf-8")


def test_in_the_readme_stock_answers_nan() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    [first] = re.findall(r"```pycon\n(.*?)```", text, re.DOTALL)
    stock, ours = first.split("kanrewrite.enable()")
    assert "nan" in stock.split("array", 1)[1]
    assert "nan" not in ours


def test_in_the_tutorial_stock_fails_and_the_library_does_not() -> None:
    names = run("docs/tutorial.md", "safe(logits)")
    with np.errstate(all="ignore"):
        stock = names["stock"](names["logits"])
    assert all(np.isnan(value).any() for value in stock)
    y, gradient = names["safe"](names["logits"])
    np.testing.assert_array_equal(y, [[0, 0, 1]])
    np.testing.assert_allclose(gradient, [[0, 0, 0]], atol=1e-300)


def test_in_the_notebook_stock_divides_infinity_by_infinity() -> None:
    names = run("notebooks/stabilise_your_graph.ipynb", "function([x], y)")
    ours = aesara.function([names["x"]], names["y"])([1.0, 2.0, 800.0])
    with kanrewrite.disabled(), np.errstate(all="ignore"):
        stock = aesara.function([names["x"]], names["y"])([1.0, 2.0, 800.0])
    assert np.isnan(stock).any()
    np.testing.assert_array_equal(ours, [0, 0, 1])


def test_gradients_nodes_without_the_library() -> None:
    """docs/gradients.md: two nodes, and five with `aesara.grad`."""
    x, y = at.matrices("x", "y")
    e = at.exp(x)
    cost = (y * (e / e.sum(axis=-1, keepdims=True))).sum()
    counts = [
        len(aesara.function([x, y], grad(cost, x)).maker.fgraph.apply_nodes)
        for grad in (kanrewrite.grad, aesara.grad)
    ]
    assert counts == [2, 5]


def test_the_page_of_trust_names_each_verdict_and_what_is_allowed() -> None:
    text = (ROOT / "docs/trust.md").read_text(encoding="utf-8")
    named = set(re.findall(r"``([a-z ]+)``:", inspect.cleandoc(judging.Verdict.__doc__ or "")))
    assert {"wrong", "silent"} < named
    assert all(f"`{kind}`" in text for kind in named)
    assert f"{judging.UNITS:g} units in its last place and by {judging.SLACK:g} times" in text
    assert f"by {judging.NORM:g} units" in text


def test_stock_saturates_where_the_page_of_trust_says_so() -> None:
    x, y = at.dmatrix("x"), at.dvector("y")
    grad: Any = aesara.grad
    slopes = grad(at.exp(x + at.tanh(y)).sum(), [x, y])
    second = grad(slopes[0].sum() + slopes[1].sum(), y)
    found = aesara.function([x, y], second)(np.zeros((2, 3)), np.array([0.0, np.inf, 1.0]))
    assert np.isfinite(found).all()
