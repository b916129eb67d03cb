"""Whatever is given to a public function in place of what it takes, the answer is in words."""

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_type_hints

import aesara.tensor as at
import numpy as np
import pytest

import kanrewrite
from kanrewrite.border import AnyMode, checked, fits, words
from kanrewrite.draw import compare, derivation, draw
from kanrewrite.errors import KanrewriteError, UnusableArgument
from kanrewrite.gradient import Linearization
from kanrewrite.report import report

x: Any = at.dvector("x")
shares: Any = at.exp(x) / at.exp(x).sum()
T = kanrewrite.T


def log_of_exp(z: kanrewrite.Float) -> Iterator[kanrewrite.Eq]:
    yield kanrewrite.eq(T.log(T.exp(z)), z)


relation = kanrewrite.relation(log_of_exp)
WRONG: dict[str, Any] = {
    "number": 42,
    "text": "a",
    "None": None,
    "list": [1],
    "empty": [],
    "object": object(),
    "array": np.ones(2),
    "dict": {},
    "class": int,
    "fraction": 1.5,
    "negative": -1,
}
#: Calls in which nothing is wrong, and which are cheap.
RIGHT: dict[Any, dict[str, Any]] = {
    Linearization: {"outputs": shares, "wrt": x},
    compare: {"before": x, "after": x},
    derivation: {"steps": [("log_of_exp", at.log(at.exp(x)), x)]},
    kanrewrite.Guard: {"name": "g", "predicate": bool},
    kanrewrite.Relation: {"function": log_of_exp},
    kanrewrite.Theory: {"name": "t"},
    kanrewrite.ac.compile: {"pattern": x, "theory": kanrewrite.Theory("t")},
    kanrewrite.ac.is_complete: {"theory": kanrewrite.Theory("t")},
    kanrewrite.ac.match: {"pattern": x, "subject": x, "theory": kanrewrite.Theory("t")},
    kanrewrite.ac.term: {"subject": x, "theory": kanrewrite.Theory("t")},
    kanrewrite.ac.unify: {"equations": [(x, x)], "theory": kanrewrite.Theory("t")},
    kanrewrite.audit: {"outputs": x, "samples": 1, "seconds": 0.1, "explain": False},
    kanrewrite.blame: {"inputs": [x], "outputs": x, "values": [np.ones(2)]},
    kanrewrite.check: {"relations": [relation]},
    kanrewrite.eq: {"u": x, "v": x},
    kanrewrite.explore: {"out": x, "relations": [relation]},
    kanrewrite.fuzz: {"n": 0},
    kanrewrite.grad: {"cost": shares.sum(), "wrt": x},
    kanrewrite.hessian: {"cost": shares.sum(), "wrt": x},
    kanrewrite.hvp: {"cost": shares.sum(), "wrt": x, "directions": x},
    kanrewrite.improve: {"outputs": x, "seconds": 0.1, "points": 2},
    kanrewrite.jacobian: {"expression": shares, "wrt": x},
    kanrewrite.jvp: {"outputs": shares, "wrt": x, "directions": x},
    kanrewrite.neq: {"u": x, "v": x},
    kanrewrite.register: {"relation": relation},
    kanrewrite.stabilize: {"outputs": x},
    kanrewrite.trace: {},
    kanrewrite.unregister: {"relation": relation},
    kanrewrite.value_and_grad: {"cost": shares.sum(), "wrt": x},
    kanrewrite.verify: {"relation": relation, "samples": 1},
    kanrewrite.vjp: {"outputs": shares, "wrt": x, "cotangents": x},
    kanrewrite.why_not: {"relation": relation, "graph": x},
    report: {"graph": x, "scales": [1.0]},
}
GUARDS = [n for n in kanrewrite.__all__ if n in dir(kanrewrite.guards.kinds)]
CONDITIONS = [getattr(kanrewrite, n) for n in GUARDS if n[0].islower() or n == "Ndim"]
SEVERAL = [draw, kanrewrite.disable, kanrewrite.enable, kanrewrite.within_gradient]
#: Make conditions or terms of anything, or take nothing.
AESARAS = re.compile("[Cc]ost must be|both be None|Wrong number of dimensions")
ANYTHING = {"as_graph", "config", "registered", "T", "ac", "ops", "Eq", "relation", "disabled"}


@pytest.fixture(autouse=True)
def _off() -> Iterator[None]:
    yield
    kanrewrite.disable()


def raw(function: Any, /, *args: Any, **options: Any) -> str:
    """The error of a call that neither works nor says in words what is wrong."""
    try:
        with np.errstate(all="ignore"):
            function(*args, **options)
    except KanrewriteError as error:
        return "" if str(error).strip() else repr(error)
    except Exception as error:  # noqa: BLE001  # any error may come
        return "" if AESARAS.search(str(error)) else f"{options or args}: {error!r}"
    return ""


def test_every_public_function_is_swept() -> None:
    swept = {function.__name__ for function in [*RIGHT, *SEVERAL]} | set(GUARDS)
    assert set(kanrewrite.__all__) <= swept | ANYTHING


def wrong(kind: Any) -> list[Any]:
    """What an annotation does not allow, and of what is judged elsewhere, everything."""
    judged_elsewhere = "Any" in repr(kind) or "Relation" in repr(kind)
    taken = callable if "Callable" in repr(kind) else lambda _: False
    return [v for v in WRONG.values() if not taken(v) and (judged_elsewhere or not fits(kind, v))]


@pytest.mark.parametrize("function", RIGHT, ids=lambda function: function.__name__)
@pytest.mark.filterwarnings("ignore")
def test_what_is_wrong_is_told(function: Any) -> None:
    made = getattr(function, "__init__") if isinstance(function, type) else function  # noqa: B009  # for mypy
    hints = get_type_hints(made, include_extras=True)
    names = [
        p.name for p in inspect.signature(function).parameters.values() if p.kind != p.VAR_KEYWORD
    ]
    calls = [RIGHT[function] | {n: v} for n in names for v in wrong(hints.get(n, Any))]
    assert not list(filter(None, (raw(function, **call) for call in calls)))


@pytest.mark.parametrize("function", [*SEVERAL, *CONDITIONS])
def test_what_is_wrong_among_several_is_told(function: Any) -> None:
    assert not list(filter(None, (raw(function, v) for v in WRONG.values())))


def test_what_is_wrong_in_a_decorator_is_told() -> None:
    names = [*inspect.signature(kanrewrite.relation).parameters][1:]
    calls = [{n: v} for n in names for v in WRONG.values()]
    assert not [c for c in calls if raw(lambda **o: kanrewrite.relation(**o)(log_of_exp), **c)]


@pytest.mark.parametrize(
    ("kind", "right", "wrong", "said"),
    [
        (int, [np.int8(3), True], ["3", 3.0, np.ones(())], "a whole number"),
        (float, [3, np.float32(3)], [3j, "3"], "a number"),
        (Sequence[str], [("a",), []], ["a", [1], {"a"}], "a sequence of texts"),
        (tuple[int, str], [(1, "a")], [(1,), ("a", 1), [1, "a"]], "a tuple of whole numbers"),
        (Literal["a", 1], ["b", 2], [None, [1], np.ones(2)], "'a' or 1"),
        (AnyMode, [None, "FAST_RUN"], ["FAST", 3], "a Mode, None, or the name of a mode that"),
        (str | None, ["", None], [3, b""], "a text or None"),
    ],
)
def test_annotations_say_what_is_taken(
    kind: Any, right: list[Any], wrong: list[Any], said: str
) -> None:
    assert all(fits(kind, value) for value in right)
    assert not any(fits(kind, value) for value in wrong)
    assert words(kind).startswith(said)


def test_what_is_missing_is_said_by_python() -> None:
    @checked
    def twice(n: int, *, by: int = 2) -> int:
        return by * n

    assert twice(2, by=3) == 6
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'n'"):
        twice()  # type: ignore[call-arg]
    with pytest.raises(UnusableArgument, match="by of twice takes a whole number, and not 'a'"):
        twice(2, by="a")  # type: ignore[arg-type]
