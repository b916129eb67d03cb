"""The problems on which AC matchers are compared, each for a size n."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from unification import var

from kanrewrite.theory import Theory

THEORY = Theory("benchmark").ac("add").ac("mul")
R, W, X, Y, Z = (var(name) for name in "rwxyz")


class Problem(NamedTuple):
    """A pattern and a subject."""

    pattern: Any
    subject: Any


class Family(NamedTuple):
    """A family of problems.

    Attributes
    ----------
    title
        What is matched.
    problem
        The problem of a size.
    small, large
        The largest size that a search through all permutations finishes, and one for matchers.
    fails
        Whether there is no match.
    """

    title: str
    problem: Callable[[int], Problem]
    small: int
    large: int
    fails: bool = False


def _names(n: int, letter: str = "c") -> tuple[str, ...]:
    return tuple(f"{letter}{k}" for k in range(n))


_ONE_PART = ("add", ("f", X), Y)
_TWO_PRODUCTS = ("add", ("mul", X, Y), ("mul", X, Z))
_REST = (*_TWO_PRODUCTS, R)
_QUOTIENT = ("mul", ("exp", X), ("inv", ("sum", ("exp", X))), R)


def _quotient(n: int, root: str = "mul", op: str = "exp", inner: str = "k") -> Problem:
    parts = (op, "k"), ("inv", ("sum", (op, inner)))
    return Problem(_QUOTIENT, (root, *_names(n), *parts))


def _products(n: int, shared: bool) -> Problem:
    pairs = [("mul", f"p{k}", f"q{k}") for k in range(n)]
    if shared:
        pairs[-2:] = [("mul", "s", "p"), ("mul", "s", "q")]
    return Problem(_REST, ("add", *pairs))


def _two_sums(n: int) -> Problem:
    return Problem(
        ("mul", ("add", X, Y), ("add", X, Z)),
        ("mul", ("add", "s", *_names(n - 1, "a")), ("add", "s", *_names(n - 1, "b"))),
    )


FAMILIES = {
    "a": Family("add(x, y) over n", lambda n: Problem(("add", X, Y), ("add", *_names(n))), 4, 12),
    "b": Family(
        "add(f(x), y), the f last of n",
        lambda n: Problem(_ONE_PART, ("add", *_names(n - 1), ("f", "k"))), 4, 64,
    ),
    "c1": Family(
        "add(mul(x, y), mul(x, z)), two products of n/2",
        lambda n: Problem(
            _TWO_PRODUCTS,
            ("add", ("mul", "s", *_names(n // 2 - 1, "p")), ("mul", "s", *_names(n // 2 - 1, "q"))),
        ), 4, 16,
    ),
    "c2": Family("the same and a rest, over n products", lambda n: _products(n, True), 3, 16),
    "d": Family("mul(exp(x), inv(sum(exp(x))), r), n more", _quotient, 1, 32),
    "e1": Family(
        "b without f", lambda n: Problem(_ONE_PART, ("add", *_names(n))), 4, 64, True
    ),
    "e2": Family("c2, no factor shared", lambda n: _products(n, False), 3, 16, True),
    "e3": Family("d, another variable below", lambda n: _quotient(n, inner="l"), 1, 32, True),
    "e4": Family("d without exp", lambda n: _quotient(n, op="g"), 1, 32, True),
    "e5": Family("d, another root", lambda n: _quotient(n, root="add"), 1, 32, True),
    "f1": Family(
        "mul(add(x, y), add(z, w)), two sums of n",
        lambda n: Problem(
            ("mul", ("add", X, Y), ("add", Z, W)),
            ("mul", ("add", *_names(n, "a")), ("add", *_names(n, "b"))),
        ), 2, 5,
    ),
    "f2": Family("mul(add(x, y), add(x, z)), two sums of n", _two_sums, 2, 10),
}  # fmt: skip


def rules(count: int) -> list[Any]:
    """Patterns of five shapes under many operators."""
    shapes: list[Callable[[str, str], Any]] = [
        lambda f, g: ("add", (f, X), (g, Y), Z),
        lambda f, g: ("mul", (f, X), (g, X)),
        lambda f, g: (f, (g, X)),
        lambda f, g: ("add", ("mul", (f, X), Y), ("mul", (g, X), Z)),
        lambda f, g: ("h", ("mul", (f, X), (g, Y))),
    ]
    return [shapes[k % 5](f"f{k % 40}", f"g{k % 25}") for k in range(count)]


def nodes(count: int) -> list[Any]:
    """Random terms over the operators of `rules`; every fourth is an instance of one of them."""
    source = random.Random(0)

    def leaf() -> Any:
        return f"c{source.randrange(30)}"

    def term(depth: int) -> Any:
        op = source.choice(["add", "mul", "f", "g", "h"])
        if not depth:
            return leaf()
        if op in ("add", "mul"):
            return (op, *(term(depth - 1) for _ in range(source.randrange(2, 5))))
        numbered = {"f": f"f{source.randrange(40)}", "g": f"g{source.randrange(25)}"}
        return (numbered.get(op, op), term(depth - 1))

    def instance(pattern: Any) -> Any:
        if isinstance(pattern, tuple):
            return (pattern[0], *map(instance, pattern[1:]))
        return f"c{hash(str(pattern)) % 7}" if pattern in (X, Y, Z) else pattern

    patterns = rules(200)
    return [instance(source.choice(patterns)) if k % 4 == 0 else term(3) for k in range(count)]
