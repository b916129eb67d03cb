"""Pages about relations: equations as mathematics, and examples that were run."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import aesara.tensor as at
import pytest

from kanrewrite import registry
from kanrewrite.errors import UnknownRelation
from kanrewrite.pages import _source, gallery, latex, page
from kanrewrite.pages.sharing import named
from kanrewrite.pages.standing import standing
from kanrewrite.relation import Eq, eq, relation
from kanrewrite.terms import Param, T, show

X, Y, AXIS = Param("pages:x"), Param("pages:y"), Param("pages:axis")


_CASES = r"\begin{cases} x & x < \infty \\ y & \text{otherwise} \end{cases}"


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (T.exp(X + Y), "e^{x + y}"),
        (T.exp(X) / (1 + T.exp(X)), r"\frac{e^{x}}{1 + e^{x}}"),
        ((X + Y) * 2, r"\left(x + y\right) \, 2"),
        (X - (Y + 1), r"x - \left(y + 1\right)"),
        ((X + 1) ** 2, r"\left(x + 1\right)^{2}"),
        (T.sum(X, AXIS) * Y, r"\left(\sum_{axis} x\right) \, y"),
        (Y * T.sum(X, AXIS), r"y \, \sum_{axis} x"),
        (T.log(T.sqrt(X)), r"\log\left(\sqrt{x}\right)"),
        (T.softmax(X, (0, 1)), r"\operatorname{softmax}_{\left(0, 1\right)}\left(x\right)"),
        (T.log_softmax(X, None), r"\operatorname{log\_softmax}\left(x\right)"),
        (
            T.maximum(T.abs(X), T.maximum(Y, 2.0**500)),
            r"\max\left(\left|x\right|, y, 2^{500}\right)",
        ),
        (X * X + X, "x^{2} + x"),
        (-2.0 * X * Y, r"-2 \, x \, y"),
        (Y - (-2.0 * X), r"y - \left(-2 \, x\right)"),
        (T.switch(T.lt(X, float("inf")), X, Y), _CASES),
        ((T.sin(X) / X) ** 2, r"\left(\frac{\sin\left(x\right)}{x}\right)^{2}"),
        (T.sqr(1 / X), r"\left(\frac{1}{x}\right)^{2}"),
        (
            T.switch(T.or_(T.isinf_(X), T.and_(T.lt(X, 0), T.gt(Y, 1))), X, Y),
            (
                r"\begin{cases} x & \left|x\right| = \infty \vee x < 0 \wedge y > 1 \\"
                r" y & \text{otherwise} \end{cases}"
            ),
        ),
        (
            T.switch(T.lt(X, 0), Y, T.switch(T.gt(X, 1), X, 2.0)),
            r"\begin{cases} y & x < 0 \\ x & x > 1 \\ 2 & \text{otherwise} \end{cases}",
        ),
        (
            T.switch(T.lt(X, 0), Y, 1.5),
            r"\begin{cases} y & x < 0 \\ 1.5 & \text{otherwise} \end{cases}",
        ),
    ],
)
def test_terms_as_mathematics(term: Any, text: str) -> None:
    assert latex(term) == text


@pytest.mark.parametrize("of", registry.relations(), ids=lambda r: r.name)
def test_every_equation_of_the_library_can_be_written(of: Any) -> None:
    for equation in of.equations:
        for side in (equation.lhs, equation.rhs):
            text = latex(side)
            assert text.count("{") == text.count("}")
            assert text.count(r"\left") == text.count(r"\right")
            assert "object at" not in text


def test_what_occurs_twice_is_named() -> None:
    inner = T.exp(X + Y)
    outer = T.log(1 + inner) * inner
    term, names = named(T.sin(outer) + T.cos(outer), {"x", "y", "s"})
    assert [str(name) for name, _ in names] == ["t", "u"]
    assert [show(term), *(show(meant) for _, meant in names)] == [
        "sin(t) + cos(t)",
        "log(1 + u) * u",
        "exp(x + y)",
    ]


@relation(family="paged")
def logs_of_powers(x: Any) -> Iterator[Eq]:
    """A logarithm of a square, for the pages.

    References
    ----------
    J. Napier, *Mirifici logarithmorum canonis descriptio*, 1614.
    """
    yield eq(T.log(T.tan(x) ** 2), 2 * T.log(T.abs(T.tan(x))))


@logs_of_powers.example
def _example() -> tuple[Any, Any]:
    x = at.dvector("x")
    return at.log(at.tan(x) ** 2), 2 * at.log(abs(at.tan(x)))


@logs_of_powers.non_example
def _other() -> Any:
    x = at.dvector("x")
    return at.log(at.sin(x))


def test_a_page_shows_what_was_run() -> None:
    text = page(logs_of_powers)
    assert text.startswith("# logs_of_powers\n")
    assert "Family `paged`" in text
    assert "test_pages.py" in text
    assert "A logarithm of a square" in text
    assert "return at.log(at.sin(x))" in text
    assert "Because " in text
    assert "becomes" in text
    assert text.endswith(
        "## Literature\n\nJ. Napier, *Mirifici logarithmorum canonis descriptio*, 1614.\n"
    )
    assert text.count("References") == 0


@cache
def _standing(name: str) -> str:
    return standing(registry.named(name), {"scaled_length"})


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("softmax_quotient", "Followed while a graph is read"),
        ("softmax_quotient", "| tried before it | `tanh_quotient`"),
        (
            "log_softmax_difference",
            "| tried after it | `log_of_the_others`, `log_of_the_unmasked`, `softmax_gradient`",
        ),
        ("softmax_quotient", "| looks for | `true_div` |"),
        ("softmax_quotient", "| tried at | `add`, `exp`, "),
        ("log_of_squares", "| tried at | `log`, `log10`, `log1p`, `log2` |"),
        ("sum_shifts", "while a graph is built: the largest exponent is taken out"),
        ("scaled_length", 'switched on by `enable("accuracy")`'),
        ("scaled_length", "| applies in what it looks for | `scaled_square`"),
        ("log_of_squares", "| applies in what it makes | [scaled_length](scaled_length.md)"),
        ("scaled_leg", "| applies in what it makes | `squares_difference`"),
    ],
)
def test_where_a_relation_stands(name: str, says: str) -> None:
    assert says in _standing(name)


def test_an_example_is_shown_with_the_functions_beside_it_that_build_it() -> None:
    text = _source(registry.named("sum_shifts").examples[0])
    assert "shifted = T.exp(m) * T.sum(T.exp(x - m) * y, (1,), keepdims=True)" in text
    assert text.endswith("\n\nreturn _shifted_along(1)\n```")
    deep = _source(registry.named("wide_product").examples[0])
    assert deep.index("def _power(") < deep.index("def _in_range(") < deep.index("a, b, c, d =")


def test_what_only_searches_use_is_not_said_to_be_followed_or_switched_on() -> None:
    text = page("sigmoid_respelled")
    assert "searches use it, backwards too" in text
    assert "followed as" not in text
    assert "switched on" not in text


def test_the_first_example_of_the_softmax_is_one_that_it_saves() -> None:
    text = page("softmax_quotient")
    example = text[text.index("## Fires") :].split("```python")[1]
    assert "e.sum(axis=1, keepdims=True) ** -1" in example
    assert "by `softmax_quotient`" in example
    assert "stock Aesara: inf ulp at 1000" in example
    assert "kanrewrite: inf" not in example


def test_equations_that_differ_in_numbers_are_shown_once() -> None:
    text = page("scaled_square")
    assert text.count("$$") == 2  # one equation
    assert "with other numbers once more, where `has_dtype(x, float32)`" in text


def test_every_relation_of_the_library_names_its_literature() -> None:
    lacking = [r.name for r in registry.relations() if not r.literature]
    assert {registry.named(name).family for name in lacking} <= {"spellings"}


def test_a_gallery_has_a_page_each_and_one_to_choose_from(tmp_path: Path) -> None:
    chosen = registry.some(["softmax_quotient", "sum_shifts"])
    gallery(chosen, tmp_path / "gallery")
    index = (tmp_path / "gallery" / "index.md").read_text(encoding="utf-8")
    for one in chosen:
        written = (tmp_path / "gallery" / f"{one.name}.md").read_text(encoding="utf-8")
        assert "$$" in written
        assert f"[{one.name}]({one.name}.md)" in index
    quotient = (tmp_path / "gallery" / "softmax_quotient.md").read_text(encoding="utf-8")
    assert "<svg" in quotient
    assert r"\frac{e^{x}}{\sum_{axis} e^{x}}" in quotient


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UnknownRelation, match="softmax_quotient"):
        page("softmax_quotent")


#: Of each family one that is followed by reading: its example, and what the library makes of it.
RELATES = sorted({r.family: r.name for r in registry.relations() if r.direction is None}.values())


@pytest.mark.parametrize("name", RELATES)
def test_what_only_relates_has_its_errors_plotted_too(name: str) -> None:
    text = page(name)
    assert "The two are the same" in text
    assert 'class="plot"' in text


def test_what_the_library_makes_of_a_spelling_is_on_its_page() -> None:
    said = "With the library `log(exp(x) * y)` becomes `x + log(y)` by `log_lifts`."
    assert said in page("log_lifts")
