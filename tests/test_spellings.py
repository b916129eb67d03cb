"""The forms in which a softmax can hide: found backwards, written as Python, seen forwards."""

from collections import Counter
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.tensor.special import log_softmax, softmax

from kanrewrite.reference import evaluate
from kanrewrite.search import Exploration, explore
from kanrewrite.spelled import spelled
from tests.sparing import sparing
from tests.view.common import function, name_of

X: Any = at.dmatrix("X")
Y: Any = at.lvector("Y")
EVERYDAY = np.array([[1.0, 2.0, 0.5], [-1.0, 0.0, 3.0]])
LARGE = np.array([[800.0, -3.0, 799.0], [-900.0, -901.0, -900.5], [0.5, 0.25, -1.0]])


@pytest.fixture(scope="module")
def forms() -> Exploration:
    return explore(softmax(X, axis=1), direction="expand", limit=300, seconds=60).run()


def made(text: str) -> Any:
    """What a text makes, as one would who copies it."""
    *lines, last = text.splitlines()
    names = {"at": at, "X": X, "Y": Y}
    exec("\n".join(lines), names)  # the text is our own
    return eval(last, names)


def test_the_spellings_that_people_use_are_among_them(forms: Exploration) -> None:
    texts = {form.python for form in forms.graphs}
    total = ".sum(axis=1, keepdims=True)"
    assert {
        f"at.exp(X) / at.exp(X){total}",
        f"a = at.exp(X)\na * a{total}**-1",
        f"at.exp(X - at.log(at.exp(X){total}))",
        f"a = at.exp(X - X.max(axis=1, keepdims=True))\na / a{total}",
        f"a = at.square(at.exp(X / 2))\na / a{total}",
        "at.exp(at.special.log_softmax(X, axis=1))",
        "1 / at.exp(X.dimshuffle(0, 'x', 1) - X.dimshuffle(0, 1, 'x')).sum(axis=2)",
    } <= {text.replace("a = at.exp(X)\na / a", "at.exp(X) / at.exp(X)") for text in texts}
    assert any("at.switch(" in text for text in texts), "split by sign"
    assert len(texts) > 200
    assert not forms.report.notes


def test_each_is_equal_and_can_be_copied(forms: Exploration) -> None:
    wanted = evaluate([softmax(X, axis=1)], {X: EVERYDAY})[0]
    for form in forms.graphs[:60]:
        for graph in (form.graph, made(form.python)):
            found = evaluate([graph], {X: EVERYDAY})[0]
            np.testing.assert_allclose(found.astype(float), wanted.astype(float), rtol=1e-15)


def test_what_is_written_by_hand_is_seen_forwards(forms: Exploration) -> None:
    wanted = evaluate([softmax(X, axis=1)], {X: LARGE})[0].astype(float)
    hidden = [form for form in forms.graphs if "softmax" not in form.python]
    plain = [form for form in hidden if "log" not in form.python][:45]
    logs = [form for form in hidden if "log" in form.python][:15]
    alone = 0
    for form in plain + logs:
        compiled = function([X], form.graph)
        with np.errstate(all="ignore"):
            found = compiled(LARGE)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, err_msg=form.python)
        names = Counter(name_of(node.op) for node in compiled.maker.fgraph.apply_nodes)
        alone += names == {"Softmax": 1}
    assert alone >= 30


#: What else is run backwards: the graph, and inputs at which a spelling by hand overflows.
OTHERS: dict[str, tuple[Any, dict[Any, Any]]] = {
    "log_softmax": (log_softmax(X, axis=1), {X: LARGE}),
    "logsumexp": (at.log(at.exp(X).sum(axis=1)), {X: LARGE}),
    "sigmoid": (at.sigmoid(X), {X: LARGE}),
    "softplus": (at.softplus(X), {X: LARGE}),
    "cross-entropy": (
        -log_softmax(X, axis=1)[at.arange(Y.shape[0]), Y].mean(),
        {X: LARGE, Y: np.array([0, 2, 1])},
    ),
}


@pytest.mark.parametrize("name", sparing(OTHERS, 6))
def test_other_functions_hide_in_thirty_forms_and_are_seen_in_each(name: str) -> None:
    graph, inputs = OTHERS[name]
    wanted = evaluate([graph], inputs)[0].astype(float)
    everyday = {
        **inputs,
        X: LARGE / 100,
    }  # a logarithm of 2 that was rounded shows at large numbers
    equal = evaluate([graph], everyday)[0].astype(float)
    found = explore(graph, direction="expand", limit=100, seconds=60).graphs
    forms = {form.python: form for form in found[1::3]}
    assert len(forms) >= 30
    for text, form in forms.items():
        copied = made(text)
        exact = evaluate([copied], everyday)[0].astype(float)
        np.testing.assert_allclose(exact, equal, rtol=1e-13, err_msg=text)
        with np.errstate(all="ignore"):
            value = function(list(inputs), form.graph)(*inputs.values())
        np.testing.assert_allclose(value, wanted, rtol=1e-12, err_msg=text)


#: What one writes by hand, that has to be among the forms of a function.
BY_HAND = {
    "log_softmax": ["at.log(at.special.softmax(X, axis=1))"],
    "logsumexp": ["X.max(axis=1) + at.log(at.exp(X - X.max(axis=1, keepdims=True)).sum(axis=1))"],
    "sigmoid": ["at.exp(X) / (1 + at.exp(X))", "1 / (1 + at.exp(-X))"],
    "softplus": [
        "at.log(1 + at.exp(X))",
        "-at.log(at.sigmoid(-X))",
        "at.maximum(X, 0) + at.log1p(at.exp(-at.abs(X)))",
    ],
    "cross-entropy": ["at.log(at.special.softmax(X, axis=1)[at.arange(0, Y.shape[0], 1), Y])"],
}


@pytest.mark.spared
@pytest.mark.parametrize("name", BY_HAND)
def test_what_one_writes_by_hand_is_among_them(name: str) -> None:
    found = explore(OTHERS[name][0], direction="expand", limit=120, seconds=60).graphs
    assert not [text for text in BY_HAND[name] if not any(text in form.python for form in found)]


def test_parts_get_names_that_no_input_has() -> None:
    a, b = at.dvectors("ab")
    e = at.exp(a - b)
    assert spelled([e / e.sum(), -e]) == "c = at.exp(a - b)\nc / c.sum(axis=0), -c"


def test_indices_numbers_and_orders() -> None:
    y = X[:, 0].dimshuffle("x", 0) ** 2 + 0.5
    assert spelled([y]) == "X[:, 0].dimshuffle('x', 0)**2 + 0.5"
    assert spelled([at.argmax(X, axis=1)]) == "X.argmax(axis=1)"
    assert spelled([at.dot(X, X.T)]) == "at.dot(X, X.dimshuffle(1, 0))"
    assert spelled([X[Y, at.arange(Y.shape[0])]]) == "X[Y, at.arange(0, Y.shape[0], 1)]"
    assert spelled([at.cast(Y, "float64") / 2]) == "at.cast(Y, 'float64') / 2"


A: Any = at.dtensor3("A")


@pytest.mark.parametrize(
    "graph",
    [
        (X**2).sum(axis=1),
        (X**2) ** 3,
        X ** (X**2),
        at.constant(-2) ** Y,
        (X**2).T,
        (X**2)[0],
        (X**2)[Y],
        (-X)[:, :1] / 2,
        (X**2).shape[0] + Y,
        at.cumsum(X**2, axis=1),
        at.set_subtensor(X[0], X[1] - 1),
        at.inc_subtensor(X[Y], -X[1]),
        at.concatenate([X, X**2], axis=1),
        at.stack([X.sum(), X[0, 0]]),
        X.reshape((1, -1)),
        X + at.constant(np.array([1.0, 2.0])),
        at.alloc(1.5, X.shape[0], 2),
        at.batched_dot(A, A),
        at.eye(2) * at.tril(X),
        at.maximum(X, -np.inf),
    ],
)
def test_what_is_copied_makes_the_same(graph: Any) -> None:
    names = {"at": at, "X": X, "Y": Y, "A": A}
    *lines, last = spelled([graph]).splitlines()
    exec("\n".join(lines), names)  # the text is our own
    inputs = {X: [[1.5, 2.0], [0.5, 3.0]], Y: [1, 0], A: np.ones((2, 2, 2))}
    one, other = aesara.function(
        list(inputs), [graph, eval(last, names)], mode="FAST_COMPILE", on_unused_input="ignore"
    )(*inputs.values())
    np.testing.assert_array_equal(one, other)
