"""Pages about relations: equations as mathematics, and examples that were run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aesara.tensor as at
import pytest

from kanrewrite import registry
from kanrewrite.errors import UnknownRelation
from kanrewrite.pages import gallery, latex, page
from kanrewrite.relation import Eq, eq, relation
from kanrewrite.terms import Param, T

X, Y, AXIS = Param("pages:x"), Param("pages:y"), Param("pages:axis")


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


@relation(family="paged")
def logs_of_powers(x: Any) -> Iterator[Eq]:
    """A logarithm of a square, for the pages."""
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
