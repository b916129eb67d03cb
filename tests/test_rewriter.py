"""Relations as Aesara rewriters: where they look, what they refuse, what they survive."""

import inspect
import warnings
from collections.abc import Iterator
from typing import Annotated, Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode
from aesara.graph.basic import Apply, equal_computations
from aesara.graph.fg import FunctionGraph
from aesara.graph.op import Op
from aesara.graph.rewriting.basic import EquilibriumGraphRewriter, check_stack_trace, in2out
from aesara.tensor.elemwise import CAReduce
from aesara.tensor.special import LogSoftmax, Softmax, softmax
from etuples import etuple
from kanren import eq as plain_eq
from kanren import lall
from unification import var

from kanrewrite.completion import derived
from kanrewrite.errors import RelationWarning
from kanrewrite.guards import Axis, ConstantAlong, Float, Guard, positive
from kanrewrite.relation import Eq, Relation, eq, relation
from kanrewrite.rewriter import RelationPass, RelationRewriter
from kanrewrite.rewriter.heads import Signatures, heads_of, name_of, ops_of, required
from kanrewrite.rewriter.place import Place
from kanrewrite.rewriter.replace import alike
from kanrewrite.terms import T
from kanrewrite.theory import Theory
from kanrewrite.trace import trace
from kanrewrite.view import View
from tests.standin import TermView

X = at.matrix("x", dtype="float64")


@relation
def softmax_quotient(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(x) / T.sum(T.exp(x), axis, keepdims=True), T.softmax(x, axis))


@relation
def log_exp(x: Float) -> Iterator[Eq]:
    yield eq(T.log(T.exp(x)), x)


@relation
def square(x: Float) -> Iterator[Eq]:
    yield eq(x * x, T.sqr(x))


def rewritten(graph: Any, *relations: Relation) -> Any:
    """A graph after a pass of some relations."""
    outputs = graph if isinstance(graph, list) else [graph]
    fgraph = FunctionGraph(outputs=outputs, clone=True)
    RelationPass(relations, TermView).apply(fgraph)
    fgraph.check_integrity()
    return fgraph


def names(fgraph: FunctionGraph) -> list[str]:
    return [name_of(node.op) for node in fgraph.toposort()]


# -- where a rewriter looks -----------------------------------------------------------------------


def test_a_rewriter_tracks_what_its_heads_can_be_read_as() -> None:
    tracked = RelationRewriter(softmax_quotient, TermView).tracks()
    # A sum whose terms share a factor is a product too.
    assert {at.true_divide, at.mul, at.reciprocal, at.add} <= set(tracked)
    assert at.log not in tracked
    assert CAReduce in tracked  # as is a sum of what was divided before
    logs = RelationRewriter(log_exp, TermView).tracks()
    assert logs[:1] == [at.log]
    assert CAReduce not in logs


def test_reductions_are_tracked_through_the_dimshuffle_that_keeps_their_axes() -> None:
    tracked = ops_of(heads_of(T.sum(T.exp(var()), 0, True)), T.sum(var()))
    assert {CAReduce, at.elemwise.DimShuffle} <= set(tracked)


def test_definitions_widen_what_is_tracked() -> None:
    x = var()
    definitions = {
        T.softmax: (T.softmax(x, None), T.true_div(T.exp(x), T.sum(T.exp(x), None, True)))
    }
    pattern = T.true_div(T.exp(x), T.sum(T.exp(x), None, True))
    assert Softmax not in ops_of(heads_of(pattern), pattern)
    assert Softmax in ops_of(heads_of(pattern, definitions), pattern)
    node = at.special.softmax(X, axis=1).owner
    needed = required(pattern)
    assert Signatures(needed).of(node) == 0
    signatures = Signatures(needed, definitions)
    assert signatures.of(node) == signatures.mask(needed) != 0


def test_what_a_pattern_needs_is_no_axiom() -> None:
    x = var()
    assert required(T.log(T.exp(x) / T.add(1, T.sum(x)))) == {"log", "exp", "sum"}
    assert required(T.mul(x, T.sub(1, x))) == frozenset()


def test_signatures_hold_what_is_below() -> None:
    signatures = Signatures(["exp", "log", "sum"])
    y = at.log(at.exp(X).sum())
    exp, log, total = (signatures.mask([name]) for name in ("exp", "log", "sum"))
    assert signatures.of(y.owner) == exp | log | total
    assert signatures.of(y.owner.inputs[0].owner) == exp | total
    assert signatures.of((X + 1).owner) == 0
    assert signatures.of((2.0**X).owner) == exp  # a power of a number is an exponential


def test_nothing_is_read_where_an_operator_is_missing() -> None:
    views: list[TermView] = []

    def view() -> TermView:
        views.append(TermView())
        return views[-1]

    rewriter = RelationRewriter(softmax_quotient, view)
    for graph in (X / X.sum(axis=1, keepdims=True), at.exp(X) / X, at.exp(X) + X):
        assert rewriter.transform(None, graph.owner) is False
    assert sum(v.reads for v in views) == 0


# -- what it does ---------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1, None, (0, 1)])
def test_a_match_is_replaced(axis: Any) -> None:
    fgraph = rewritten(at.exp(X) / at.exp(X).sum(axis=axis, keepdims=True), softmax_quotient)
    assert names(fgraph) == ["softmax"]
    assert fgraph.outputs[0].owner.op.axis == (axis % 2 if isinstance(axis, int) else None)
    assert fgraph.outputs[0].type == X.type


def test_a_rewriter_works_in_aesaras_own_walks() -> None:
    y = at.log(at.exp(at.log(at.exp(X))))
    fgraph = FunctionGraph(outputs=[y], clone=True)
    in2out(RelationRewriter(log_exp, TermView), name="log_exp").rewrite(fgraph)
    assert fgraph.outputs[0].owner is None
    fgraph = FunctionGraph(outputs=[at.log(at.exp(X)) + 1], clone=True)
    EquilibriumGraphRewriter([RelationRewriter(log_exp, TermView)], max_use_ratio=5).apply(fgraph)
    assert names(fgraph) == ["dimshuffle", "add"]


def test_the_rest_of_a_product_is_carried_along() -> None:
    a, b = at.matrices("a", "b")
    fgraph = rewritten(a * b * a, square)
    assert equal_computations(fgraph.outputs, [at.square(fgraph.inputs[0]) * fgraph.inputs[1]])


def test_derived_rules_are_tried_as_well() -> None:
    @relation
    def quotient(x: Float, axis: Axis) -> Iterator[Eq]:
        yield eq(T.sin(x) / T.sum(T.sin(x), axis, keepdims=True), T.tan(x))

    @relation(direction=None)
    def lifts(a: Annotated[Float, ConstantAlong["axis"]], b: Float, axis: Axis) -> Iterator[Eq]:
        yield eq(T.sum(a * b, axis, keepdims=True), a * T.sum(b, axis, keepdims=True))

    z = at.matrix("z")
    lifted = (z * at.sin(X)).sum(axis=1, keepdims=True) / at.sin(X).sum(axis=1, keepdims=True)
    assert "tan" not in names(rewritten(lifted, quotient))
    fgraph = FunctionGraph(outputs=[lifted], clone=True)
    RelationPass([quotient], TermView, derived(quotient, [lifts])).apply(fgraph)
    assert "tan" in names(fgraph)
    assert "sin" not in names(fgraph)


def test_one_sweep_reaches_the_fixed_point() -> None:
    y = X
    for _ in range(5):
        y = at.log(at.exp(y))
    fgraph = rewritten([y, at.exp(y) * at.exp(y)], log_exp, square)
    assert names(fgraph) == ["exp", "sqr"]
    before = fgraph.toposort()
    RelationPass([log_exp, square], TermView).apply(fgraph)
    assert fgraph.toposort() == before


def test_values_are_those_of_the_original() -> None:
    y = at.exp(X) / at.exp(X).sum(axis=1, keepdims=True) + X * X
    fgraph = rewritten(y, softmax_quotient, square)
    value = np.random.default_rng(1).normal(size=(2, 3))
    mode = Mode(linker="py", optimizer="merge")
    new = aesara.function(fgraph.inputs, fgraph.outputs[0], mode=mode)(value)
    np.testing.assert_allclose(new, aesara.function([X], y, mode=mode)(value), rtol=1e-12)


def test_stack_traces_are_copied() -> None:
    fgraph = rewritten(at.exp(X) / at.exp(X).sum(axis=1, keepdims=True), softmax_quotient)
    assert check_stack_trace(fgraph, ops_to_check=Softmax)
    assert fgraph.outputs[0].tag.trace[0][-1][0] == __file__


class DivMod(Op):
    """An Op of two outputs."""

    def make_node(self, *inputs: Any) -> Apply[Any]:
        return Apply(self, list(inputs), [x.type() for x in inputs])

    def perform(self, *_: Any) -> None:
        raise NotImplementedError


def test_several_outputs_are_replaced_together() -> None:
    divmod_op = DivMod()

    @relation(heads=[DivMod])
    def apart(in_lv, out_lv):  # type: ignore[no-untyped-def]
        a, b = var(), var()

        def split(state: Any) -> Iterator[Any]:
            if isinstance(in_lv, list) and in_lv[0].owner.op == divmod_op:
                x, y = in_lv[0].owner.inputs
                yield from lall(
                    plain_eq((a, b), (x, y)),
                    plain_eq(out_lv, [etuple(at.floor_divide, x, y), etuple(at.mod, x, y)]),
                )(state)

        return split

    n, m = at.lvectors("n", "m")
    fgraph = rewritten(divmod_op.make_node(n, m).outputs, apart)
    assert names(fgraph) == ["int_div", "mod"]


def test_a_goal_constructor_that_names_no_heads_is_tried_everywhere() -> None:
    @relation
    def logs_are_exps(in_lv, out_lv):  # type: ignore[no-untyped-def]
        x = var()
        return lall(plain_eq(in_lv, etuple(at.log, x)), plain_eq(out_lv, etuple(at.exp, x)))

    assert RelationRewriter(logs_are_exps, TermView).tracks() == [Op]
    assert names(rewritten(at.log(X) * 2, logs_are_exps)) == ["dimshuffle", "exp", "mul"]


def test_a_relation_without_a_direction_rewrites_nothing() -> None:
    @relation(direction=None)
    def unused(x: Float) -> Iterator[Eq]:
        yield eq(T.log(T.exp(x)), x)

    assert RelationRewriter(unused, TermView).tracks() == []
    assert names(rewritten(at.log(at.exp(X)), unused)) == ["exp", "log"]


# -- what it refuses ------------------------------------------------------------------------------


def test_a_guard_refuses_and_the_trace_says_so() -> None:
    @relation
    def log_of_square(x: Float) -> Iterator[Eq]:
        yield eq(T.log(T.sqr(x)), 2 * T.log(x)).when(positive(x))

    with trace() as steps:
        kept = rewritten(at.log(at.square(X)), log_of_square)
        changed = rewritten(at.log(at.square(at.exp(X))), log_of_square)
    assert names(kept) == ["sqr", "log"]
    assert "sqr" not in names(changed)
    refused, fired = steps.events
    assert refused.kind == "refused"
    assert refused.reason == "`x: positive` does not hold for x = x"
    assert fired.kind == "fired"
    assert fired.name == "log_of_square"


def test_a_limited_trace_withholds_rewrites() -> None:
    graph = [at.log(at.exp(X)), at.log(at.exp(X + 1))]
    with trace(limit=1) as steps:
        fgraph = rewritten(graph, log_exp)
    assert steps.withheld == 1
    assert names(fgraph).count("log") == 1


def test_another_broadcast_pattern_is_refused() -> None:
    @relation
    def drops_a_dimension(x: Float) -> Iterator[Eq]:
        yield eq(T.abs(x), T.sum(x))

    with trace() as steps:
        assert names(rewritten(at.abs(X), drops_a_dimension)) == ["abs"]
    (event,) = steps.events
    assert "it would replace a value of type TensorType(float64, (?, ?))" in event.reason


def test_a_longer_static_shape_is_kept() -> None:
    x = at.tensor("float64", (3,), name="x")

    @relation
    def loses_the_length(x: Float) -> Iterator[Eq]:
        yield eq(T.abs(x), T.subtensor(x, (slice(None, None, 1),)))

    y = at.vector("y")
    assert names(rewritten(at.abs(y), loses_the_length)) == ["subtensor"]
    assert x.type.shape == (3,)


def test_the_same_result_is_no_rewrite() -> None:
    @relation(theory=Theory("no axioms"))
    def turns_round(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.exp(x) * y, y * T.exp(x))

    y = at.matrix("y")
    with trace() as steps:
        rewritten(at.exp(X) * y, turns_round)
    assert not steps.events


def test_alike_is_equality_up_to_order() -> None:
    y, z = at.matrices("y", "z")
    assert alike(X * y * z, z * (y * X))
    assert alike(at.exp(X + y), at.exp(y + X))
    assert not alike(X * y * y, X * X * y)
    assert not alike(X - y, y - X)
    assert alike(X * 2.0, 2.0 * X)
    assert not alike(X * 2.0, X * 3.0)
    assert not alike(at.exp(X), at.log(X))


def test_a_result_must_not_hold_what_holds_the_old_value() -> None:
    y = at.exp(X)
    above = at.log(y)
    fgraph = FunctionGraph(outputs=[above], clone=False)
    order = {node: n for n, node in enumerate(fgraph.toposort())}
    for place in (Place(fgraph.apply_nodes), Place(fgraph.apply_nodes, order)):
        assert place.encloses(above, y)
        assert place.encloses(at.sin(above), y)
        assert not place.encloses(at.sin(y), y)  # a new node, no part of the graph
        assert not place.encloses(at.sin(X), y)
        assert not place.encloses(y, above)


def test_a_result_grows_unless_it_spares_nodes() -> None:
    y = at.log(at.exp(at.sin(X)))
    place = Place(FunctionGraph(outputs=[y], clone=False).apply_nodes)
    assert not place.grows(X, y)
    assert not place.grows(at.cos(X), y)
    assert not place.grows(at.neg(at.cos(X)), y)
    assert place.grows(at.neg(at.neg(at.cos(X))), y)
    assert place.grows(at.neg(y), y)
    assert place.grows(at.cos(at.sin(X)), at.sin(X))


def test_what_an_operator_means_is_no_reason_to_write_it_out() -> None:
    @relation
    def tanh_quotient(x: Float) -> Iterator[Eq]:
        yield eq((T.exp(2 * x) - 1) / (T.exp(2 * x) + 1), T.tanh(x))

    @relation
    def sigmoid_reciprocal(x: Float) -> Iterator[Eq]:
        yield eq(1 / (1 + T.exp(-x)), T.sigmoid(x))

    relations = (tanh_quotient, sigmoid_reciprocal)
    y = at.tanh(at.sin(X) * X)
    for graph, expected in (
        (y, ["sin", "mul", "tanh"]),
        (at.sigmoid(X), ["sigmoid"]),
        (1 / (1 + at.exp(-X)), ["sigmoid"]),
        (at.true_divide(at.exp(2 * X) - 1, at.exp(2 * X) + 1), ["tanh"]),
    ):
        fgraph = FunctionGraph(outputs=[graph], clone=True)
        RelationPass(relations, lambda: View(relations)).apply(fgraph)
        fgraph.check_integrity()
        assert names(fgraph) == expected


# -- what it survives -----------------------------------------------------------------------------


def place(r: Relation) -> str:
    return f"{r.name} ({__file__}:{inspect.getsourcelines(r.function)[1]})"


def test_a_dtype_change_is_reported_once() -> None:
    @relation
    def is_boolean(x: Float) -> Iterator[Eq]:
        yield eq(T.abs(x), T.gt(x, 0))

    with pytest.warns(RelationWarning) as caught:
        fgraph = rewritten([at.abs(X), at.abs(X + 1)], is_boolean)
    assert names(fgraph).count("abs") == 2
    (warning,) = caught
    assert f"relation {place(is_boolean)} was left out at abs(x): " in str(warning.message)
    assert "of type TensorType(bool, (?, ?))" in str(warning.message)


def test_a_relation_that_raises_is_left_out() -> None:
    def fails(_: Any) -> bool:
        raise ZeroDivisionError("in the guard")

    @relation
    def broken(x: Float) -> Iterator[Eq]:
        yield eq(T.exp(x), x).when(Guard("fails", fails)(x))

    with pytest.warns(RelationWarning) as caught:
        fgraph = rewritten([at.exp(X), at.exp(X + 1), at.log(at.exp(X))], broken, log_exp)
    (warning,) = caught
    text = str(warning.message)
    assert f"relation {place(broken)} was left out at exp(x): " in text
    assert "it raised ZeroDivisionError: in the guard" in text
    assert "log" not in names(fgraph)  # the other relation went on


def test_a_goal_that_raises_is_left_out() -> None:
    @relation
    def broken(in_lv, out_lv):  # type: ignore[no-untyped-def]
        raise ZeroDivisionError("in the goal")

    with pytest.warns(RelationWarning, match="in the goal"):
        rewritten(at.exp(X), broken)


def test_a_growing_relation_is_found_and_undone() -> None:
    @relation
    def grows(x: Float) -> Iterator[Eq]:
        yield eq(T.exp(x), T.tan(T.sinh(x)))
        yield eq(T.sinh(x), T.arctan(T.exp(x)))

    with pytest.warns(RelationWarning) as caught:
        fgraph = rewritten(at.log(at.exp(X) + 1), grows)
    assert names(fgraph) == ["exp", "dimshuffle", "add", "log"] or "log" in names(fgraph)
    assert names(fgraph).count("exp") == 1
    (warning,) = caught
    assert f"relation {place(grows)} rewrites its own result again and again" in str(
        warning.message
    )


def test_a_relation_that_holds_of_its_own_result_is_followed_once() -> None:
    @relation
    def shifted(x: Float) -> Iterator[Eq]:
        yield eq(T.log1p(T.exp(x)), T.maximum(x, 0) + T.log1p(T.exp(-T.abs(x))))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fgraph = rewritten(at.log1p(at.exp(X)) * at.log1p(at.exp(-X)), shifted)
    assert names(fgraph).count("log1p") == names(fgraph).count("maximum") == 2


def test_relations_that_undo_each_other_are_found() -> None:
    @relation
    def there(x: Float) -> Iterator[Eq]:
        yield eq(T.sinh(x), T.cosh(x))

    @relation
    def back(x: Float) -> Iterator[Eq]:
        yield eq(T.cosh(x), T.sinh(x))

    with pytest.warns(RelationWarning) as caught:
        fgraph = rewritten([at.sinh(X), at.log(at.exp(X))], there, back, log_exp)
    (warning,) = caught
    text = str(warning.message)
    assert f"relations {place(there)}, {place(back)} rewrite each other's results" in text
    assert names(fgraph) == ["sinh"]  # undone, and log_exp was not left out


def test_long_honest_chains_are_no_loops() -> None:
    y = X
    for _ in range(60):
        y = at.log(at.exp(y)) + 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "exp" not in names(rewritten(y, log_exp))


# -- what it costs --------------------------------------------------------------------------------


def elementwise_graph(size: int) -> Any:
    """About ``size`` elementwise nodes with much in common and no match."""
    x = at.vector("x")
    y = x
    for n in range(size // 4):
        y = at.tanh(at.sin(y) * x + n % 3)
    return y


def test_the_goals_run_grow_with_the_matches_not_with_the_graph() -> None:
    relations = (softmax_quotient, log_exp, square)
    tried = []
    for size in (100, 200, 400):
        fgraph = FunctionGraph(outputs=[elementwise_graph(size)], clone=False)
        matcher = RelationPass([softmax_quotient, log_exp], TermView)
        matcher.apply(fgraph)
        assert matcher.nodes == len(fgraph.apply_nodes)
        assert matcher.matching.tried == 0
        wide = RelationPass(relations, TermView)
        wide.apply(fgraph)
        tried.append(wide.matching.tried)
    assert tried[2] <= 2 * tried[1] <= 4 * tried[0]


@pytest.mark.parametrize("axis", [0, 1])
def test_an_op_that_nothing_defines_is_matched_with_its_axis(axis: int) -> None:
    @relation
    def log_of_shares(x: Float, axis: Axis) -> Iterator[Eq]:
        yield eq(T.log(T.softmax(x, axis)), T.log_softmax(x, axis))

    fgraph = FunctionGraph(outputs=[at.log(softmax(X, axis=axis))], clone=True)
    RelationPass([log_of_shares], lambda: View([log_of_shares])).apply(fgraph)
    assert fgraph.outputs[0].owner.op == LogSoftmax(axis=axis)
