"""What tools take, say and show: names, logs, the magic of notebooks, lines of code."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest

import kanrewrite
from kanrewrite import registry
from kanrewrite.draw import draw, walk
from kanrewrite.errors import KanrewriteError, NotAGraph, NotARelation, UnknownRelation
from kanrewrite.guards import Float
from kanrewrite.relation import Eq, eq, relation
from kanrewrite.terms import T
from kanrewrite.trace import Recorder, trace
from kanrewrite.view.read import View

X: Any = at.dmatrix("x")
E = at.exp(X)
BY_HAND = E * E.sum(axis=1, keepdims=True) ** -1


# -- names instead of relations -------------------------------------------------------------------


def test_tools_take_names() -> None:
    (quotient,) = registry.some("softmax_quotient")
    assert kanrewrite.why_not("softmax_quotient", BY_HAND).relation is quotient
    assert kanrewrite.verify("softmax_quotient", samples=4).ok
    assert "softmax_quotient(x: Float" in str(draw("softmax_quotient"))
    for chosen in ("softmax", ["softmax_quotient"], quotient):
        found = kanrewrite.explore(BY_HAND, chosen)
        assert found.best().derivation[0].relation == "softmax_quotient"


@pytest.mark.parametrize(
    "call",
    [
        lambda name: kanrewrite.why_not(name, X),
        lambda name: kanrewrite.verify(name),
        lambda name: kanrewrite.explore(X, name),
        lambda name: kanrewrite.explore(X, [name]),
    ],
)
def test_unknown_names_and_other_things_are_refused(call: Any) -> None:
    with pytest.raises(UnknownRelation, match="Did you mean 'softmax_quotient'"):
        call("softmax_quotent")
    with pytest.raises(NotARelation, match="7 is not a relation"):
        call(7)


def test_a_family_is_no_relation() -> None:
    wanted = "'softmax' is a family of relations, and one relation is wanted: softmax_quotient, "
    with pytest.raises(UnknownRelation, match=wanted):
        kanrewrite.why_not("softmax", X)


@pytest.mark.parametrize(
    "call", [draw, kanrewrite.explore, lambda x: kanrewrite.why_not("softmax_quotient", x)]
)
def test_what_is_no_graph_is_refused(call: Any) -> None:
    with pytest.raises(NotAGraph, match=r"3\.5 is no graph"):
        call(3.5)


WRONG: Any = "3"
WEIGHT: Any = aesara.shared(np.ones(3), "W")


@relation
def nothing_much(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(T.sin(x)), T.cos(x))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: walk(WRONG), "walk takes what `with kanrewrite.trace"),
        (
            lambda: kanrewrite.explore(X, depth=WRONG),
            "depth of explore takes a whole number",
        ),
        (lambda: kanrewrite.explore(X, seconds=-1), "seconds of explore takes a number"),
        (lambda: kanrewrite.audit(X, WRONG), "takes {x: (0, 1)}, a dict from inputs"),
        (lambda: kanrewrite.improve(X, WRONG), "takes {x: (0, 1)}, a dict from inputs"),
        (lambda: kanrewrite.improve(at.lscalar("n")), "takes tensors of float64 and"),
        (lambda: kanrewrite.fuzz(n=1, grammar=WRONG), "takes one of operators, idioms, both"),
        (lambda: kanrewrite.check(WRONG), "'3' is not a relation"),
        (lambda: kanrewrite.check(WEIGHT), "W is not a relation"),
        (lambda: kanrewrite.explore(X, [WEIGHT]), "W is not a relation"),
        (lambda: draw(b"X"), "b'X' is no graph"),
        (lambda: draw({"X": X}), "{'X': x} is no graph"),
        (lambda: draw(np.ones(3)), "array([1., 1., 1.]) is no graph"),
        (lambda: draw(at), "the module aesara.tensor is no graph"),
        (lambda: kanrewrite.audit([]), "[] is no graph"),
        (lambda: kanrewrite.improve([]), "[] is no graph"),
        (lambda: kanrewrite.check([nothing_much, WRONG]), "'3' is not a relation"),
        (lambda: kanrewrite.blame([X], X, 3.0), "values of blame takes one value for each input"),
        (lambda: relation(WRONG), "@relation takes a generator function"),
    ],
)
def test_what_a_function_does_not_take_is_told(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(KanrewriteError) as told:
        call()
    assert says in str(told.value)


# -- logs -----------------------------------------------------------------------------------------


def test_what_is_enabled_and_what_a_compilation_does_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG, "kanrewrite"), registry.disabled():
        registry.enable("softmax")
        registry.stabilize(BY_HAND)
    said = [record.getMessage() for record in caplog.records]
    assert any(text.startswith("enabled ") and "softmax_quotient" in text for text in said)
    assert any("relations over" in text and "matches tried" in text for text in said)


# -- the magic of notebooks -----------------------------------------------------------------------


class Shell:
    """As much of IPython's shell as the magic asks for."""

    def __init__(self) -> None:
        self.magics: dict[str, Any] = {}
        self.names: dict[str, Any] = {"kanrewrite": kanrewrite, "y": BY_HAND, "r": registry}

    def register_magic_function(self, function: Any, kind: str, name: str) -> None:
        self.magics[f"{kind} {name}"] = function

    def run_cell(self, cell: str) -> "Shell":
        exec(cell, self.names)
        return self

    def raise_error(self) -> None:
        """Nothing was caught."""


def test_a_cell_shows_what_fired_in_it() -> None:
    shell = Shell()
    kanrewrite.load_ipython_extension(shell)
    magic = shell.magics["cell kanrewrite"]
    with registry.disabled():
        steps = magic("", "kanrewrite.stabilize(y)")
        assert isinstance(steps, Recorder)
        assert [event.name for event in steps.fired_events] == ["softmax_quotient"]
        assert registry.enabled() == ()
        magic("softmax", "seen = {relation.family for relation in r.enabled()}")
        assert shell.names["seen"] == {"softmax"}
        registry.enable("sigmoid")
        before = registry.enabled()
        with pytest.raises(ZeroDivisionError):
            magic("softmax", "1 / 0")
        assert registry.enabled() == before
        with pytest.raises(UnknownRelation):
            magic("softmx", "")
        assert registry.enabled() == before


# -- lines of the user's code ---------------------------------------------------------------------


def test_a_rewrite_in_a_gradient_is_of_the_line_that_took_it() -> None:
    gradient = aesara.grad(BY_HAND[0, 0], X)  # this line
    with registry.disabled():
        registry.enable()
        with trace() as steps:
            registry.stabilize(gradient)
    lines = {event.source.rpartition(":")[2] for event in steps.fired_events}
    assert all(event.source.startswith(__file__) for event in steps.fired_events)
    here = test_a_rewrite_in_a_gradient_is_of_the_line_that_took_it.__code__.co_firstlineno
    assert str(here + 1) in lines


# -- forms in messages ----------------------------------------------------------------------------


def test_forms_are_written_as_patterns() -> None:
    view = View()
    assert repr(view.read(at.exp(X) * 2)) == "2 * exp(x)"
    assert repr(view.read(X * X + 3 / X)) == "(x**2 + 3 * x**(-1))"
    assert repr(view.read(at.log(at.exp(X).sum(axis=1)))).startswith("log(")
    assert "object at" not in repr(view.read(at.max(X, axis=0) * np.pi))
