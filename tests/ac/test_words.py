"""Equations between words: those without solution end, whatever their variables could become."""

from itertools import islice, product
from typing import Any

import pytest
from unification import Var, var

from kanrewrite.ac import term, unify, words
from kanrewrite.errors import EndlessSet
from kanrewrite.theory import Theory
from tests.ac.oracle import replaced
from tests.ac.test_sizes import lines_run

WORDS = Theory("words").a("cat")
EMPTY = Theory("words with a unit").a("cat", unit="")
NAMES = {name: var(name) for name in "xyz"}


def word(text: str) -> Any:
    letters = [NAMES.get(letter, letter) for letter in text]
    return ("cat", *letters) if len(letters) > 1 else letters[0]


def system(*equations: str) -> list[tuple[Any, Any]]:
    return [(word(left), word(right)) for left, right in (e.split("=") for e in equations)]


@pytest.mark.parametrize(
    "equations",
    [
        ["xz=zb", "zc=ccc"],
        ["yzz=bybb"],
        ["xa=bx"],
        ["xya=byx"],
        ["xay=ybx"],
        ["xxa=bxx"],
        ["axy=yxb", "x=y"],
        ["xx=ayb", "y=ab"],
    ],
)
@pytest.mark.parametrize("theory", [WORDS, EMPTY], ids=["without unit", "with unit"])
def test_insoluble_systems_end(equations: list[str], theory: Theory) -> None:
    assert list(unify(system(*equations), theory)) == []


@pytest.mark.parametrize("theory", [WORDS, EMPTY], ids=["without unit", "with unit"])
@pytest.mark.parametrize(
    "equations",
    [["xy=ab"], ["xay=bab"], ["xyx=abcba"], ["xx=yab", "yy=abab"], ["xa=ay", "yx=aaaa"]],
)
def test_every_short_solution_is_an_instance(equations: list[str], theory: Theory) -> None:
    pairs = system(*equations)
    unifiers = list(islice(unify(pairs, theory), 50))
    names = sorted({v for pair in pairs for side in pair for v in _variables(side)}, key=str)
    shortest = 1 if theory is WORDS else 0
    values = [v for n in range(shortest, 4) for v in product("abc", repeat=n)]
    for chosen in product(values, repeat=len(names)):
        ground = {v: _joined(value) for v, value in zip(names, chosen, strict=True)}
        if all(_same(replaced(s, ground), replaced(t, ground), theory) for s, t in pairs):
            wanted = [*pairs, *ground.items()]
            assert any(
                next(unify([*wanted, *one.items()], theory), None) is not None for one in unifiers
            )


def test_endless_sets_say_so() -> None:
    with pytest.raises(EndlessSet, match="islice"):
        list(unify(system("xa=ax"), WORDS))


def _same(left: Any, right: Any, theory: Theory) -> bool:
    return term(left, theory) is term(right, theory)


def _joined(letters: tuple[str, ...]) -> Any:
    return ("cat", *letters) if len(letters) > 1 else "".join(letters)


def _variables(side: Any) -> list[Var]:
    return [x for x in (side if isinstance(side, tuple) else (side,)) if isinstance(x, Var)]


def test_questions_about_long_words_are_left_open_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_known", {})
    equations = system("xyx=caycy")
    found: list[Any] = []
    lines = lines_run(lambda: found.append(next(unify(equations, EMPTY))))
    assert found == [{NAMES["x"]: word("ca"), NAMES["y"]: "a"}]
    assert lines < 4_500_000  # of 15,800,000 where a small set is waited for
