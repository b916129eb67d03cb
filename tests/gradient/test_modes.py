"""A derivative is right in every mode, and survives what Aesara does to graphs."""

from __future__ import annotations

import pickle
from typing import Any

import aesara
import numpy as np
import pytest
from aesara.compile.debugmode import DebugMode
from aesara.compile.mode import Mode, get_mode
from aesara.graph.basic import Apply, clone_replace
from aesara.graph.op import Op
from aesara.graph.rewriting.basic import PatternNodeRewriter, in2out

import kanrewrite
from kanrewrite.gradient import TAG
from tests.gradient.common import (
    assert_same,
    at,
    compiled,
    eager_grad,
    implicit_nodes,
    softmax,
    values,
)
from tests.sparing import sparing


def second(grad: Any) -> tuple[list[Any], list[Any]]:
    """An attention-like cost, its gradient in an intermediate variable, and a mixed derivative."""
    x, y = at.matrices("x", "y")
    h = at.exp(x) * 2
    cost = (softmax(h) * y).sum()
    first, inner = grad(cost, [x, h])
    return [x, y], [cost, first, inner, grad((inner * x).sum(), y)]


def check(mode: Any) -> None:
    inputs, eager = second(eager_grad)
    vals = values((3, 3), (3, 3))
    expected = compiled(inputs, eager, None)(*vals)
    inputs, implicit = second(kanrewrite.grad)
    found = aesara.function(inputs, implicit, mode=mode)(*vals)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b)


@pytest.mark.parametrize("name", ["FAST_RUN", "FAST_COMPILE", "NanGuardMode"])
def test_predefined_modes(name: str) -> None:
    check(get_mode(name))


@pytest.mark.spared
@pytest.mark.parametrize("linker", ["py", "vm"])
@pytest.mark.parametrize("optimizer", [None, "merge", "o1", "o3", "stabilize", "unsafe"])
def test_linkers_and_optimizers(linker: str, optimizer: Any) -> None:
    check(Mode(linker, optimizer))


@pytest.mark.spared
@pytest.mark.parametrize("excluded", [TAG, "canonicalize", "scan", "inplace"])
def test_modes_without_some_passes(excluded: str) -> None:
    check(Mode("py", "fast_run").excluding(excluded))


@pytest.mark.cxx
@pytest.mark.slow
@pytest.mark.parametrize("linker", ["cvm", "c|py"])
def test_compiled_code(linker: str) -> None:
    check(Mode(linker, "fast_run"))


@pytest.mark.parametrize("optimizer", sparing(["fast_run", "fast_compile", None]))
def test_debug_mode(optimizer: Any) -> None:
    """It computes every version of every variable, and compiles twice to compare."""
    check(DebugMode(optimizer=optimizer, check_c_code=False))


@pytest.mark.parametrize("intermediate", sparing([True, False]))
def test_givens_and_clone_replace(intermediate: bool) -> None:
    """An intermediate variable that is replaced is replaced in the gradient's formulas."""
    x, s = at.matrices("x", "s")

    def both(grad: Any) -> list[Any]:
        h = at.sin(x)
        first = grad((h**3 * x).sum(), x)
        replace = {h: s + 1} if intermediate else {x: 2 * s}
        inputs = [x, s] if intermediate else [s]
        vals = values((3, 3), (3, 3))[-len(inputs) :]
        mode = Mode("py", "fast_run")
        given = aesara.function(inputs, first, givens=replace, mode=mode)
        cloned = compiled(inputs, clone_replace([first], replace))
        second_ = compiled(inputs, clone_replace([grad((first**2).sum(), x)], replace))
        return [given(*vals), cloned(*vals)[0], second_(*vals)[0]]

    for a, b in zip(both(kanrewrite.grad), both(eager_grad), strict=True):
        np.testing.assert_allclose(a, b)


def test_an_intermediate_variable_as_input() -> None:
    x = at.matrix("x")
    h = at.sin(x)
    both = [compiled([x, h], grad((h**3 * x).sum(), x)) for grad in (kanrewrite.grad, eager_grad)]
    vals = values((3, 3), (3, 3))
    np.testing.assert_allclose(*(f(*vals) for f in both))


def test_updates_and_shared_variables() -> None:
    start = values((3, 3))[0]
    s = aesara.shared(start)
    cost = (s**3).sum()
    step = aesara.function([], cost, updates={s: s - 0.1 * kanrewrite.grad(cost, s)})
    np.testing.assert_allclose(step(), (start**3).sum())
    np.testing.assert_allclose(s.get_value(), start - 0.3 * start**2)


def test_pickling() -> None:
    x = at.matrix("x")
    cost = (at.exp(x) * x).sum()
    (value,) = values((3, 3))
    expected = eager_grad(cost, x).eval({x: value})
    x2, gradient = pickle.loads(pickle.dumps((x, kanrewrite.grad(cost, x))))
    np.testing.assert_allclose(gradient.eval({x2: value}), expected)
    for optimizer in ("fast_run", None):
        function = compiled([x], kanrewrite.grad(cost, x), optimizer)
        function(value)
        again = pickle.loads(pickle.dumps(function))
        np.testing.assert_allclose(again(value)[0], expected)


def test_test_values() -> None:
    (value,) = values((3, 3))
    with aesara.config.change_flags(compute_test_value="raise"):
        x = at.matrix("x")
        x.tag.test_value = value
        gradient = kanrewrite.grad(at.exp(x).sum(), x)
        np.testing.assert_allclose(gradient.tag.test_value, np.exp(value))
        twice = compiled([x], kanrewrite.grad((gradient**2).sum(), x))
    np.testing.assert_allclose(twice(value)[0], 2 * np.exp(2 * value))


def test_random_variables_are_drawn_once() -> None:
    """The draw that the cost uses is the one that the gradient uses."""
    x = at.vector("x")
    rng = aesara.shared(np.random.default_rng(1))
    noise = at.random.normal(0.0, 1.0, size=(4,), rng=rng)
    cost = (noise * x).sum()
    for optimizer in ("fast_run", None):
        drawn, gradient = compiled([x], [noise, kanrewrite.grad(cost, x)], optimizer)(np.ones(4))
        np.testing.assert_array_equal(drawn, gradient)


def test_one_sweep_for_gradients_that_were_asked_for_one_by_one() -> None:
    x, y = at.matrices("x", "y")
    cost = (softmax(at.dot(x, y)) ** 2).sum()
    apart = compiled([x, y], [kanrewrite.grad(cost, x), kanrewrite.grad(cost, y)])
    together = compiled([x, y], kanrewrite.grad(cost, [x, y]))
    size = len(together.maker.fgraph.apply_nodes)
    assert len(apart.maker.fgraph.apply_nodes) == size
    assert implicit_nodes(apart) == []


def test_the_compiled_graph_is_not_larger_than_the_eager_one() -> None:
    x, y = at.matrices("x", "y")
    cost = (softmax(at.dot(x, y)) ** 2).sum()
    sizes = [
        len(compiled([x, y], [cost, *grad(cost, [x, y])]).maker.fgraph.apply_nodes)
        for grad in (kanrewrite.grad, eager_grad)
    ]
    assert sizes[0] <= sizes[1]


def test_a_hand_written_softmax_contributes_the_gradient_of_softmax() -> None:
    x, y = at.matrices("x", "y")
    function = compiled([x, y], kanrewrite.grad((softmax(x) * y).sum(), x))
    ops = [type(n.op).__name__ for n in function.maker.fgraph.toposort()]
    assert ops == ["Softmax", "SoftmaxGrad"]


class WithoutGradient(Op):
    """The exponential function, of which nobody gave the gradient."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> Any:
        (x,) = inputs
        return Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any, params: Any = None) -> None:
        output_storage[0][0] = np.exp(inputs[0])

    def infer_shape(self, fgraph: Any, node: Any, shapes: Any) -> Any:
        return shapes


def test_a_rewrite_that_brings_in_an_op_without_gradient() -> None:
    """What the user wrote is differentiated then."""
    x = at.matrix("x")
    exp = PatternNodeRewriter((at.exp, "x"), (WithoutGradient(), "x"), allow_multiple_clients=True)
    mode = Mode("py", "fast_run").register((in2out(exp, name="without_gradient"), 1.3))
    cost = at.exp(2 * x).sum()
    first = kanrewrite.grad(cost, x)
    function = compiled([x], [cost, first, kanrewrite.grad((first * x).sum(), x)], mode)
    names = {type(n.op).__name__ for n in function.maker.fgraph.apply_nodes}
    assert names >= {"WithoutGradient"}
    assert implicit_nodes(function) == []
    (value,) = values((3, 3))
    e = np.exp(2 * value)
    for found, expected in zip(
        function(value), [e.sum(), 2 * e, 2 * e + 4 * value * e], strict=True
    ):
        np.testing.assert_allclose(found, expected)


def test_importing_registers_nothing() -> None:
    import subprocess
    import sys

    code = (
        "import aesara, kanrewrite, kanrewrite.gradient as g;"
        "from aesara.compile.mode import optdb;"
        "n = 'kanrewrite_expand_derivatives';"
        "assert n not in optdb.__db__;"
        "x = aesara.tensor.scalar(); g.grad(x * x, x);"
        "assert n in optdb.__db__; g.register_expansion()"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_a_mode_that_excluded_the_library_before_it_was_used() -> None:
    import subprocess
    import sys

    code = (
        "import aesara, kanrewrite; from aesara.compile.mode import get_mode;"
        "aesara.config.on_opt_error = 'raise';"
        "mode = get_mode('FAST_RUN').excluding('kanrewrite');"
        "x = aesara.tensor.scalar();"
        "g = kanrewrite.grad(x * x, x);"
        "assert aesara.function([x], g, mode=mode)(3) == 6;"
        "assert aesara.function([x], g)(3) == 6"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_a_large_chain() -> None:
    """Paths are walked without recursion; Aesara's own limits are higher up."""
    x = at.vector("x")
    y = x
    for _ in range(120):
        y = at.tanh(y * x)
    assert_same([x], kanrewrite.grad(y.sum(), x), eager_grad(y.sum(), x), values((3,)), [None])
