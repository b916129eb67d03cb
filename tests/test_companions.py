"""What runs with the library at other places: softmaxes of stock kept right, alive, and found."""

from collections.abc import Callable
from typing import Any

import aesara
import numpy as np
import pytest
from aesara.graph.rewriting.utils import is_same_graph
from aesara.tensor.elemwise import DimShuffle
from aesara.tensor.rewriting.math import local_mul_canonizer
from aesara.tensor.special import LogSoftmax, Softmax, log_softmax, softmax
from numpy.typing import NDArray

from kanrewrite import ops
from kanrewrite.registry.alignment import careful, in_place
from tests.sparing import sparing
from tests.view.common import PLAIN, assert_right, at, enabled, function, grad, stock
from tests.view.common import ops as operators

Spelling = Callable[[Any, Any], Any]

#: Divided along another axis than summed over: no softmax.
ASKEW: dict[str, tuple[int, Spelling]] = {
    "columns by rows": (2, lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=1)),
    "scaled": (2, lambda xp, x: 3 * xp.exp(x) * (1 / (2 * xp.exp(x).sum(axis=1)))),
    "rows by columns": (2, lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=0)[:, None]),
    "1 of 3": (3, lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=1)),
    "2 of 3": (3, lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=2)),
    "2 of 3, at 1": (3, lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=2)[:, None, :]),
    "1 and 2 of 3": (3, lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=(1, 2))),
}
#: A softmax, though the dimension is not kept.
STRAIGHT: dict[str, tuple[int, Spelling]] = {
    "vector": (1, lambda xp, x: xp.exp(x) / xp.exp(x).sum()),
    "first axis": (2, lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=0)),
    "kept": (2, lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=1, keepdims=True)),
    "put back": (2, lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=1)[:, None]),
    "first of 3": (3, lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=0)),
    "1 of 3, put back": (3, lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=1)[:, None]),
    "all": (2, lambda xp, x: xp.exp(x) / xp.exp(x).sum()),
}


def tensor(ndim: int) -> Any:
    return at.tensor("float64", shape=(None,) * ndim)


def cube(ndim: int) -> NDArray[np.float64]:
    return np.random.default_rng(3).normal(size=(3,) * ndim)


# -- sums along another axis -----------------------------------------------------------------------


@pytest.mark.parametrize(("ndim", "graph"), ASKEW.values(), ids=ASKEW)
def test_what_only_looks_like_softmax_is_right(ndim: int, graph: Spelling) -> None:
    x = tensor(ndim)
    f = function([x], graph(at, x), PLAIN)
    assert operators(f)["Softmax"] == 0
    np.testing.assert_allclose(f(cube(ndim)), graph(np, cube(ndim)), rtol=1e-12)


@pytest.mark.parametrize(("ndim", "graph"), STRAIGHT.values(), ids=STRAIGHT)
def test_softmax_is_found_all_the_same(ndim: int, graph: Spelling) -> None:
    x = tensor(ndim)
    f = function([x], graph(at, x), PLAIN)
    assert operators(f) == {"Softmax": 1}
    np.testing.assert_allclose(f(cube(ndim)), graph(np, cube(ndim)), rtol=1e-12)


@pytest.mark.spared(2)
@pytest.mark.parametrize("name", sparing(ASKEW))
def test_gradients_through_another_axis_are_right(name: str) -> None:
    ndim, graph = ASKEW[name]
    x, g, h = tensor(ndim), tensor(ndim), tensor(ndim)
    slope = grad((g * graph(at, x)).sum(), x)
    values = [cube(ndim), cube(ndim)[::-1], np.sin(cube(ndim))]
    assert_right([x, g, h], [slope, grad((h * slope).sum(), x)], values)


def test_without_the_library_aesara_is_as_it_was() -> None:
    x = tensor(2)
    graph = at.exp(x) / at.exp(x).sum(axis=1)
    with enabled():
        without = aesara.function([x], graph, mode=PLAIN.excluding("kanrewrite"))
        no_lifting = aesara.function([x], graph, mode=PLAIN.excluding("lifting"))
        assert "transform" in vars(local_mul_canonizer)
    assert "transform" not in vars(local_mul_canonizer)
    for f in (without, no_lifting, stock([x], graph, PLAIN)):
        assert operators(f)["Softmax"] == 1  # which is wrong


def test_the_simplifier_that_importing_nnet_adds_is_careful_too() -> None:
    from aesara.tensor.nnet.basic import softmax_simplifier

    x = tensor(2)
    e = at.exp(x)
    askew, straight = e.sum(axis=1), e.sum(axis=0)
    assert softmax_simplifier([e], [askew])[1] == []  # which is wrong
    assert careful(softmax_simplifier)([e], [askew]) == ([e], [askew])
    ((found,), below) = careful(softmax_simplifier)([e], [askew, straight])
    assert below == [askew]
    assert is_same_graph(found, softmax(x, axis=0))


@pytest.mark.parametrize(
    ("order", "axis", "expected"),
    [
        ((0, "x"), 1, True),
        (("x", 0), 1, False),
        (("x", 0), 0, True),
        (("x", "x", 0), 0, True),
        ((0, "x"), 0, False),
        (("x", 0, "x"), 1, True),
        ((0, "x", "x"), 1, False),
    ],
)
def test_in_place(order: tuple[Any, ...], axis: int, expected: bool) -> None:
    total = at.exp(tensor(2)).sum(axis=axis)
    moved: Any = DimShuffle(total.type.broadcastable, order)(total)
    assert in_place(moved) is expected


# -- axes of length zero ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("graph", "kind"),
    [(softmax, ops.Softmax), (log_softmax, ops.LogSoftmax)],
    ids=["softmax", "log_softmax"],
)
def test_a_softmax_of_an_empty_axis_is_empty(graph: Any, kind: type) -> None:
    x = tensor(2)
    f = function([x], graph(x, axis=1), PLAIN)
    assert f(np.zeros((3, 0))).shape == (3, 0)
    (node,) = f.maker.fgraph.apply_nodes
    assert type(node.op) is kind
    with pytest.raises(ValueError, match="zero-size"):
        stock([x], graph(x, axis=1), PLAIN)(np.zeros((3, 0)))


def test_a_softmax_of_a_known_length_stays_aesaras() -> None:
    x = at.tensor("float64", shape=(None, 4))
    (node,) = function([x], softmax(x, axis=1), PLAIN).maker.fgraph.apply_nodes
    assert type(node.op) is Softmax


@pytest.mark.parametrize(("kind", "own"), [(ops.Softmax, Softmax), (ops.LogSoftmax, LogSoftmax)])
def test_what_looks_for_aesaras_softmax_finds_the_librarys(kind: Any, own: Any) -> None:
    assert kind(axis=1) == own(axis=1) == kind(axis=1) == kind(axis=1)
    assert {own(axis=1): 1}[kind(axis=1)] == {kind(axis=1): 1}[own(axis=1)]
    assert kind(axis=1) != own(axis=0)
    assert kind(axis=1) != kind(axis=0)
    assert kind(axis=1).c_code_cache_version() != own(axis=1).c_code_cache_version()


# -- cross-entropies -------------------------------------------------------------------------------


def test_an_indexed_log_softmax_becomes_aesaras_cross_entropy() -> None:
    import aesara.tensor.nnet

    x, labels = tensor(2), at.lvector("labels")
    for picked in (
        at.log(softmax(x, axis=-1))[at.arange(labels.shape[0]), labels],
        at.log(softmax(x, axis=-1)[at.arange(labels.shape[0]), labels]),
    ):
        loss = -picked.sum()
        f = function([x, labels], [loss, aesara.grad(loss, x)], PLAIN)
        found = operators(f)
        assert found["CrossentropySoftmaxArgmax1HotWithBias"] == 1
        assert found["AdvancedSubtensor"] == found["log"] == found["Supremum"] == 0
        value, slope = f(np.array([[1000.0, 0.0], [0.0, -1000.0]]), np.array([1, 0]))
        assert value == 1000.0
        np.testing.assert_array_equal(slope, [[1.0, -1.0], [0.0, 0.0]])


def test_an_excluded_rewrite_of_cross_entropies_is_excluded_here_too() -> None:
    import aesara.tensor.nnet  # noqa: F401

    x, labels = tensor(2), at.lvector("labels")
    picked = at.log(softmax(x, axis=-1))[at.arange(labels.shape[0]), labels]
    mode = PLAIN.excluding("local_advanced_indexing_crossentropy_onehot")
    f = function([x, labels], -picked.sum(), mode)
    assert operators(f)["CrossentropySoftmaxArgmax1HotWithBias"] == 0
    assert f(np.array([[1000.0, 0.0]]), np.array([1])) == 1000.0
