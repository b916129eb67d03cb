"""The pass over whole functions: what is in the graph first, then what it is worth."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from aesara.graph.fg import FunctionGraph
from aesara.tensor.special import log_softmax, softmax
from aesara.tensor.type import TensorType

from kanrewrite import registry
from kanrewrite.errors import RelationWarning
from kanrewrite.trace import trace
from kanrewrite.view.build import Builder
from kanrewrite.view.passes import LiftingPass
from tests.view.common import (
    MODE,
    PLAIN,
    assert_right,
    at,
    enabled,
    function,
    grad,
    names,
    ops,
    stock,
    truth,
)

KEPT: dict[str, Any] = {"axis": 1, "keepdims": True}
inf = np.inf

Spelling = Callable[[Any], Any]


def total(x: Any) -> Any:
    return at.exp(x).sum(**KEPT)


SOFTMAXES: dict[str, Spelling] = {
    "quotient": lambda x: at.exp(x) / total(x),
    "times reciprocal": lambda x: at.exp(x) * (1 / total(x)),
    "inverse of quotient": lambda x: 1 / (total(x) / at.exp(x)),
    "exp of minus log": lambda x: at.exp(x) * at.exp(-at.log(total(x))),
    "dimshuffle": lambda x: at.exp(x) / at.exp(x).sum(axis=1).dimshuffle(0, "x"),
    "new axis": lambda x: at.exp(x) / at.exp(x).sum(axis=1)[:, None],
    "transposed": lambda x: (at.exp(x).T / at.exp(x).sum(axis=1)).T,
    "shifted": lambda x: at.exp(x - x.max(**KEPT)) / total(x - x.max(**KEPT)),
    "shifted by the least": lambda x: at.exp(x - x.min(**KEPT)) / total(x - x.min(**KEPT)),
    "square of a half": lambda x: at.exp(x / 2) ** 2 / (at.exp(x / 2) ** 2).sum(**KEPT),
    "root of a double": lambda x: at.sqrt(at.exp(2 * x)) / total(x),
    "scaled": lambda x: 3 * at.exp(x) / (3 * at.exp(x)).sum(**KEPT),
    "sum of products": lambda x: at.exp(x) / (at.exp(x / 2) * at.exp(x / 2)).sum(**KEPT),
    "average": lambda x: at.exp(x) / (at.exp(x).mean(**KEPT) * x.shape[1]),
    "all but one axis": lambda x: at.exp(x) / at.exp(x).sum(axis=-1, keepdims=True),
}
LOG_SOFTMAXES: dict[str, Spelling] = {
    "log of quotient": lambda x: at.log(at.exp(x) / total(x)),
    "minus log of inverse": lambda x: -at.log(total(x) / at.exp(x)),
    "transposed": lambda x: at.log((at.exp(x).T / at.exp(x).sum(axis=1)).T),
    "twice the log of a root": lambda x: 2 * at.log(at.sqrt(at.exp(x) / total(x))),
}


def compiled(graph: Spelling, mode: Any = MODE, dtype: str = "float64") -> Any:
    x = at.matrix("x", dtype=dtype)
    return function([x], graph(x), mode)


def upstream(graph: Spelling) -> tuple[list[Any], list[Any]]:
    x, g = at.dmatrices("x", "g")
    return [x, g], [grad((graph(x) * g).sum(), x)]


def stabilized(*graphs: Any) -> Any:
    with enabled():
        return names(registry.stabilize(list(graphs)))


# -- structure ---------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", SOFTMAXES.values(), ids=SOFTMAXES)
def test_a_spelling_of_softmax_is_one_softmax(spelling: Spelling) -> None:
    found = ops(compiled(spelling, PLAIN))
    assert found["Softmax"] == 1
    assert found["exp"] == found["Sum"] == found["Supremum"] == 0


@pytest.mark.parametrize("spelling", LOG_SOFTMAXES.values(), ids=LOG_SOFTMAXES)
def test_a_spelling_of_log_softmax_is_one_log_softmax(spelling: Spelling) -> None:
    found = ops(compiled(spelling, PLAIN))
    assert found["LogSoftmax"] == 1
    assert found["exp"] == found["log"] == found["Sum"] == 0


@pytest.mark.parametrize("name", SOFTMAXES)
def test_its_gradient_has_one_softmax_and_no_exponential(name: str) -> None:
    inputs, outputs = upstream(SOFTMAXES[name])
    found = ops(function(inputs, outputs, PLAIN))
    assert found["Softmax"] == 1
    assert found["exp"] == found["Supremum"] == 0


@pytest.mark.parametrize("name", LOG_SOFTMAXES)
def test_the_gradient_of_log_softmax_has_one_softmax(name: str) -> None:
    inputs, outputs = upstream(LOG_SOFTMAXES[name])
    found = ops(function(inputs, outputs, PLAIN))
    assert found["Softmax"] == 1
    assert found["exp"] == found["Supremum"] == 0


def test_attention_and_its_gradient() -> None:
    q, k, v, g = at.dmatrices("q", "k", "v", "g")
    e = at.exp(q @ k.T)
    graph = (e / e.sum(**KEPT)) @ v
    found = stabilized(graph, *grad((graph * g).sum(), [q, k, v]))
    assert (found["Softmax"], found["exp"], found["Supremum"]) == (1, 0, 0)


def test_the_gradient_of_softmax_is_one_operator() -> None:
    x, g = at.dmatrices("x", "g")
    p = softmax(x, axis=1)
    found = stabilized(p * (g - (p * g).sum(**KEPT)))
    assert found == {"Softmax": 1, "SoftmaxGrad": 1}


def scalar_forms(x: Any) -> dict[str, list[Any]]:
    e = at.exp(x)
    return {
        "sigmoid": [1 / (1 + at.exp(-x)), e / (1 + e), 1 - 1 / (1 + e)],
        "softplus": [at.log(1 + e), at.log1p(e), -at.log(1 / (1 + e))],
        "tanh": [(e - 1 / e) / (e + 1 / e), (at.exp(2 * x) - 1) / (at.exp(2 * x) + 1)],
        "log1mexp": [at.log(1 - e), at.log1p(-e)],
    }


@pytest.mark.parametrize("name", ["sigmoid", "softplus", "tanh", "log1mexp"])
def test_elementwise_forms(name: str) -> None:
    x = at.dvector("x")
    for graph in scalar_forms(x)[name]:
        found = ops(function([x], graph, PLAIN))
        assert sum(count for op, count in found.items() if name in op) == 1, graph
        assert found["exp"] == found["log"] == 0


STABLE: dict[str, Spelling] = {
    "softmax": lambda x: softmax(x, axis=1),
    "log_softmax": lambda x: log_softmax(x, axis=1),
    "sigmoid": at.sigmoid,
    "softplus": at.softplus,
    "cross entropy": lambda x: -(log_softmax(x, axis=1) * x).sum(),
    "exp": lambda x: at.exp(x) * x,
    "a lone sum": total,
    "a lone sum over all": lambda x: at.exp(x).sum(),
    "shifted by hand": lambda x: at.exp(x - x.max(**KEPT)),
    "no exponential": lambda x: at.log(x) / x.sum(**KEPT),
}


@pytest.mark.parametrize("graph", STABLE.values(), ids=STABLE)
def test_what_is_stable_stays(graph: Spelling) -> None:
    x = at.dmatrix("x")
    assert ops(function([x], graph(x), PLAIN)) == ops(stock([x], graph(x), PLAIN))


NEGATIVE: dict[str, Callable[[Any], Any]] = {
    "other input": lambda x: at.exp(x) / at.exp(at.sin(x)).sum(**KEPT),
    "no exponential above": lambda x: x / total(x),
    "product": lambda x: at.exp(x) / at.prod(1 + at.exp(x), **KEPT),
}


@pytest.mark.parametrize("graph", NEGATIVE.values(), ids=NEGATIVE)
def test_what_looks_like_softmax_is_none(graph: Spelling) -> None:
    x = at.dmatrix("x")
    assert stabilized(graph(x))["Softmax"] == 0
    assert_right([x], [graph(x)], [np.array([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]])])


def alone(*graphs: Any) -> tuple[list[Any], LiftingPass]:
    """Graphs after the pass, which Aesara's own rewrites have not touched."""
    rewriter = LiftingPass(registry.relations())
    fgraph = FunctionGraph(outputs=list(graphs), clone=True)
    rewriter.apply(fgraph)
    return list(fgraph.outputs), rewriter


def test_the_wrong_axis_of_a_square_matrix() -> None:
    """Without keepdims a sum over rows divides the columns."""
    x = TensorType("float64", shape=(3, 3))("x")
    found, _ = alone(at.exp(x) / at.exp(x).sum(axis=1))
    assert names(found)["Softmax"] == 0


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "bool", "complex64", "complex128"])
def test_other_dtypes_stay_as_they_are(dtype: str) -> None:
    x = TensorType(dtype, shape=(None, None))("x")
    e = at.exp(x)
    graph = e / e.sum(**KEPT)
    found, rewriter = alone(graph)
    assert rewriter.built_count == 0
    assert names(found) == names([graph])


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "bool"])
def test_integers_keep_their_values_and_dtype(dtype: str) -> None:
    x = TensorType(dtype, shape=(None, None))("x")
    e = at.exp(x)
    y = e / e.sum(**KEPT)
    assert_right([x], [y], [np.array([[0, 1, 1], [1, 0, 1]], dtype=dtype)], rtol=1e-3)


# -- numbers -----------------------------------------------------------------------------------

VALUES = {
    "benign": [[0.5, -1.0, 2.0], [1.0, 0.25, -0.5]],
    "large": [[800.0, -800.0, 799.0], [-800.0, -801.0, -799.5]],
    "extreme": [[1e5, -1e5, 99999.0], [-1e5, -1e5, -99998.5]],
    "masked": [[-inf, 1.0, 2.0], [0.5, -inf, -inf]],
    "one column": [[800.0], [-1e5]],
    "no columns": [[], []],
    "no rows": np.zeros((0, 3)),
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_softmaxes_are_right(value: Any) -> None:
    x = at.dmatrix("x")
    [expected] = truth([softmax(x, axis=1) * 1], [x], [np.array(value, dtype=float)])
    with np.errstate(all="ignore"):
        found = every_softmax()(np.array(value, dtype=float))
    for name, result in zip(SOFTMAXES, found, strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-300, err_msg=name)


@cache
def gradient(name: str) -> Any:
    return function(*upstream(SOFTMAXES[name]))


@cache
def every_softmax() -> Any:
    x = at.dmatrix("x")
    return function([x], [spelling(x) for spelling in SOFTMAXES.values()])


@pytest.mark.parametrize("kind", [k for k in VALUES if k != "masked"])
def test_gradients_of_softmaxes_are_right(kind: str) -> None:
    value = np.array(VALUES[kind], dtype=float)
    g = np.linspace(-1, 2, value.size).reshape(value.shape)
    inputs, [expected] = upstream(SOFTMAXES["quotient"])
    [exact] = truth([expected], inputs, [value, g])
    # A maximum that the user takes has no value where there are no columns.
    for name in [n for n in SOFTMAXES if value.size or not n.startswith("shifted")]:
        with np.errstate(all="ignore"):
            [found] = gradient(name)(value, g)
        np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-15, err_msg=name)


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("name", LOG_SOFTMAXES)
def test_log_softmaxes_are_right(name: str, kind: str) -> None:
    x = at.dmatrix("x")
    value = np.array(VALUES[kind], dtype=float)
    [expected] = truth([log_softmax(x, axis=1) * 1], [x], [value])
    with np.errstate(all="ignore"):
        found = function([x], LOG_SOFTMAXES[name](x))(value)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-15)


def rows(x: Any) -> Any:
    return at.exp(x) / at.exp(x).sum(axis=1)[:, None]


SHAPES: dict[str, Spelling] = {
    "both axes": lambda x: at.exp(x) / at.exp(x).sum(),
    "cumulative": lambda x: at.exp(x) / at.cumsum(at.exp(x), axis=1),
    "log of cumulative": lambda x: at.log(at.cumsum(at.exp(x), axis=1)),
    "reshaped": lambda x: at.log((at.exp(x) / total(x)).reshape((-1,))),
    "joined": lambda x: at.log(at.concatenate([rows(x), rows(-x)], axis=1)),
    "sum of a join": lambda x: at.log(at.exp(at.concatenate([x, -x], axis=1)).sum(axis=1)),
    "masked exponentials": lambda x: at.switch(x > 0, at.exp(x), 0) / total(x),
    "masked in both": lambda x: (
        at.switch(x < 0, at.exp(x), 0) / at.switch(x < 0, at.exp(x), 0).sum(**KEPT)
    ),
    "masked logits": lambda x: rows(at.switch(x < 0, x, -inf)),
    "indexed": lambda x: at.log((at.exp(x) / total(x))[:, 0]),
    "expected value": lambda x: (x * at.exp(x)).sum(axis=1) / at.exp(x).sum(axis=1),
    "batched": lambda x: at.exp(x[None]) / at.exp(x[None]).sum(axis=2, keepdims=True),
    "two axes of three": lambda x: at.exp(x[None]) / at.exp(x[None]).sum((1, 2), keepdims=True),
}


@pytest.mark.parametrize("graph", SHAPES.values(), ids=SHAPES)
def test_shapes_and_masks_are_right(graph: Spelling) -> None:
    x = at.dmatrix("x")
    outputs = [graph(x)]
    rewritten = function([x], outputs)
    for kind in ("benign", "large", "extreme"):
        assert_right([x], outputs, [np.array(VALUES[kind])], atol=1e-14, compiled=rewritten)


#: Its length is an integer, which makes a float64 of float16 on the way.
MIXED = {"average"}


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", sorted({*SOFTMAXES, *LOG_SOFTMAXES} - MIXED))
def test_dtypes_are_kept(name: str, dtype: str) -> None:
    graph = (SOFTMAXES | LOG_SOFTMAXES)[name]
    x = at.matrix("x", dtype=dtype)
    y = graph(x)
    value = np.array([[300.0, -300.0, 299.0], [0.5, 1.0, 2.0]], dtype=dtype)
    with np.errstate(all="ignore"):
        found = function([x], y)(value)
    assert found.dtype == y.type.dtype
    assert np.isfinite(found).all()


# -- the pass itself ---------------------------------------------------------------------------


def chain(length: int, power: bool) -> Any:
    x = y = at.dvector("x")
    for n in range(length):
        y = (at.exp(y) if power and n % 4 == 0 else at.sin(y)) * x + n
    return y


def test_reading_is_linear_in_the_graph() -> None:
    counts = [alone(chain(n, power=True))[1].read_count for n in (20, 40, 80)]
    assert 0 < counts[0] <= 3 * 20
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])


def test_nothing_is_read_without_an_exponential() -> None:
    _, rewriter = alone(chain(40, power=False))
    assert (rewriter.read_count, rewriter.built_count) == (0, 0)


def test_without_lifting_equations_the_pass_does_nothing() -> None:
    x = at.dmatrix("x")
    relations = [r for r in registry.relations() if r.family != "lifting"]
    rewriter = LiftingPass(relations)
    fgraph = FunctionGraph(outputs=[at.exp(x) / total(x)], clone=True)
    rewriter.apply(fgraph)
    assert (rewriter.read_count, rewriter.built_count) == (0, 0)


def test_a_builder_that_raises_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Any, *_: Any) -> Any:
        raise ValueError("no such thing")

    x = at.dmatrix("x")
    y = at.exp(x) / (2 + total(x))
    monkeypatch.setattr(Builder, "value", fail)
    with pytest.warns(RelationWarning, match="no such thing") as caught:
        compiled_without = function([x], y)
    assert len(caught) == 1
    value = np.array(VALUES["benign"])
    expected = np.exp(value) / (2 + np.exp(value).sum(**KEPT))
    np.testing.assert_allclose(compiled_without(value), expected)


def test_the_trace_names_the_relation() -> None:
    x = at.dmatrix("x")
    with trace() as steps:
        alone(at.exp(x) / total(x), at.log(at.exp(x) / total(x)))
    assert {"softmax_quotient", "log_softmax_difference"} <= {e.name for e in steps.fired_events}
    with trace(limit=0) as none:
        found, _ = alone(at.exp(x) / total(x))
    assert none.withheld == 1
    assert names(found)["Softmax"] == 0


# -- slopes of sigmoids ----------------------------------------------------------------------------


def test_the_slope_of_tanh_keeps_its_digits_where_tanh_is_needed_nowhere_else() -> None:
    x, g = at.dvectors("x", "g")
    y = at.tanh(x)
    slope = grad((g * y).sum(), x)
    found = ops(function([x, g], slope, PLAIN))
    assert found["cosh"] == 1
    assert found["tanh"] == 0
    assert sum(found.values()) <= sum(ops(stock([x, g], slope, PLAIN)).values())
    values = [np.array([-400.0, -30.0, -0.5, 0.0, 20.0, 300.0, 1e5]), np.linspace(-1, 2, 7)]
    assert_right([x, g], [slope], values, rtol=1e-14)


def test_a_tanh_that_is_needed_is_not_computed_twice() -> None:
    x, g, h = at.dvectors("x", "g", "h")
    y = at.tanh(x)
    slope = grad((g * y).sum(), x)
    for outputs in ([y, slope], [grad((h * slope).sum(), x)]):
        assert ops(function([x, g, h], outputs, PLAIN)) == ops(stock([x, g, h], outputs, PLAIN))


def test_both_sigmoids_of_a_product_are_one_operator() -> None:
    x = at.dvector("x")
    e = at.exp(-x)
    f = function([x], e / (1 + e) ** 2, PLAIN)
    assert ops(f)["cosh"] == 1
    assert ops(f)["exp"] == ops(f)["sigmoid"] == 0
    values = [np.array([-700.0, -20.0, 0.25, 40.0, 700.0])]
    assert_right([x], [e / (1 + e) ** 2], values, rtol=1e-13)


# -- logs that are multiplied with something -------------------------------------------------------


def test_a_log_meets_what_it_cancels_whatever_both_are_multiplied_with() -> None:
    x, y = at.dmatrices("x", "y")
    p = at.exp(x) / total(x)
    loss = -(y * (1 - p) ** 2 * at.log(p)).sum()
    slope = grad(loss, x)
    rows = np.array([[2.0**20, 2.0**20 - 0.5, -3e4], [-1e5, -1e5 + 0.25, -1e5 - 0.5]])
    assert_right([x, y], [slope], [rows, np.eye(3)[:2]], rtol=1e-11)
    assert stabilized(slope)["LogSoftmax"] == 1


def test_what_does_not_cancel_is_left_beside_a_log() -> None:
    x, y = at.dmatrices("x", "y")
    graph = at.exp(x) * y + at.exp(x) * (at.log(total(x)) + x)
    assert stabilized(graph / total(x))["LogSoftmax"] == 0
