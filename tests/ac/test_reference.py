"""Solution sets equal to those of Maude 3, recorded with its Python package."""

from itertools import islice
from typing import Any

import pytest
from unification import var

from kanrewrite.ac import is_complete, match, unify
from tests.ac.problems import THEORY, key, load, names_in, parse

MATCHES = load("ac_matches.json")
UNIFIERS = load("ac_unifiers.json")


@pytest.mark.parametrize("problem", MATCHES, ids=lambda p: p["id"])
def test_matches(problem: dict[str, Any]) -> None:
    pattern = parse(problem["pattern"])
    names = names_in(pattern)
    got = [key(s, names) for s in match(pattern, parse(problem["subject"]), THEORY)]
    want = [
        key({var(n): parse(t) for n, t in solution.items()}, names)
        for solution in problem["solutions"]
    ]
    assert sorted(got) == sorted(want)


@pytest.mark.parametrize("problem", UNIFIERS, ids=lambda p: p["id"])
def test_unifiers(problem: dict[str, Any]) -> None:
    equations = [(parse(s), parse(t)) for s, t in problem["equations"]]
    names = names_in(*(side for equation in equations for side in equation))
    got = [key(s, names) for s in islice(unify(equations, THEORY), 1000)]
    want = [
        key({var(n): parse(t) for n, t in solution.items()}, names)
        for solution in problem["unifiers"]
    ]
    assert len(set(got)) == len(got)
    if problem["complete"]:
        assert sorted(got) == sorted(want)
    else:
        assert set(want) <= set(got)
        assert not is_complete(THEORY, equations)
