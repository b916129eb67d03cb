from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import aesara.tensor as at
import numpy as np
import pytest
from aesara.tensor.special import log_softmax, softmax
from hypothesis import given
from hypothesis import strategies as st

from kanrewrite.clock import now
from kanrewrite.cost import flops, numerical_error
from kanrewrite.display import brief, operator_text
from kanrewrite.draw import draw
from kanrewrite.errors import UnknownSearchDirection
from kanrewrite.guards import Axis, Float, Int
from kanrewrite.relation import Eq, Relation, eq, relation
from kanrewrite.search import Exploration, explore
from kanrewrite.search.moves import RelationMoves
from kanrewrite.structure import Structure
from kanrewrite.terms import T
from kanrewrite.theory import Theory

x: Any = at.dmatrix("x")
by_hand = at.exp(x) / at.exp(x).sum(-1, keepdims=True)


@relation
def softmax_quotient(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(x) / T.sum(T.exp(x), axis, keepdims=True), T.softmax(x, axis))


@relation
def log_of_softmax(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.log(T.softmax(x, axis)), T.log_softmax(x, axis))


@relation
def log_exp(x: Float) -> Iterator[Eq]:
    yield eq(T.log(T.exp(x)), x)


@relation
def log_of_product(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.log(x * y), T.log(x) + T.log(y))


@relation
def grow(x: Float) -> Iterator[Eq]:
    """Without end: tanh(x) is not what it says, which a search does not mind."""
    yield eq(T.tanh(x), T.tanh(T.tanh(x)))


ALL = (softmax_quotient, log_of_softmax, log_exp, log_of_product)


def search(out: Any, *relations: Relation, **options: Any) -> Exploration:
    return explore(out, relations, **options)


def test_the_best_graph_and_the_way_to_it() -> None:
    best = search(at.log(by_hand), *ALL).best()
    assert operator_text(best.graph.owner.op) == "log_softmax{1}"
    assert [step.relation for step in best.derivation] == ["softmax_quotient", "log_of_softmax"]
    assert best.graph.owner.inputs == [x]
    assert (best.cost, best.depth) == (1, 2)


def test_every_graph_found_has_the_value_of_the_start() -> None:
    start, values = at.log(by_hand) * 2, {x: np.array([[0.5, -1.0, 2.0]])}
    found = search(start, *ALL).graphs
    assert len(found) == 5
    wanted = start.eval(values)
    for graph in found:
        np.testing.assert_allclose(graph.graph.eval(values), wanted, rtol=1e-12)


@pytest.mark.parametrize(
    "start",
    [
        3 * by_hand * at.tanh(x),
        at.tanh(x) * at.exp(x) / (at.exp(x).sum(-1, keepdims=True) * at.cosh(x)),
        1 - by_hand * by_hand,
        at.log(at.exp(x) * 2 * at.cosh(x)) - 5,
    ],
)
def test_a_match_inside_a_larger_product_keeps_the_rest(start: Any) -> None:
    values = {x: np.array([[0.5, -1.0, 2.0]])}
    found = search(start, *ALL, limit=60).graphs
    assert len(found) > 1
    for graph in found:
        np.testing.assert_allclose(graph.graph.eval(values), start.eval(values), rtol=1e-12)


def test_graphs_are_cheapest_first_and_once() -> None:
    graphs = search(at.log(by_hand) * 2, *ALL).graphs
    assert [found.cost for found in graphs] == sorted(found.cost for found in graphs)
    structure = Structure()
    assert len({tuple(structure.add(found.outputs)) for found in graphs}) == len(graphs)


def test_equal_modulo_the_theory_is_found_once() -> None:
    @relation(theory=Theory("no axioms"), direction="both")
    def swap(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.exp(x) * T.log(y), T.log(y) * T.exp(x))

    @relation
    def halves(x: Float) -> Iterator[Eq]:
        yield eq(T.sin(x), T.cos(x) * 2 * T.tan(x))
        yield eq(T.sin(x), 2 * T.tan(x) * T.cos(x))

    assert len(search(at.exp(x) * at.log(x), swap).graphs) == 1
    assert len(search(at.sin(x), halves).graphs) == 2


def test_shared_subgraphs_are_matched_once() -> None:
    shared = at.log(at.exp(x))
    report = search(shared + at.tanh(shared) * shared, log_exp).report
    assert report.rows["log_exp"].matched == 1


def test_replacing_a_shared_subgraph_replaces_it_everywhere() -> None:
    shared = at.log(at.exp(x))
    best = search(at.tanh(shared) + at.sin(shared), log_exp).best()
    assert brief(best.graph) == "tanh(x) + sin(x)"


def test_the_given_graph_is_not_changed() -> None:
    start = at.log(by_hand)
    before = brief(start)
    search(start, *ALL).run()
    assert brief(start) == before


def test_nothing_is_searched_before_it_is_asked_for() -> None:
    exploration = search(at.tanh(x), grow, depth=50)
    assert exploration._graphs == []
    assert [found.depth for found in islice(exploration, 3)] == [0, 1, 2]
    assert len(exploration._graphs) == 3


def test_every_branch_advances_although_one_is_always_cheaper() -> None:
    # What tanh leads to costs less than what cosh leads to; cosh must have its turn all the same.
    @relation
    def other(x: Float) -> Iterator[Eq]:
        yield eq(T.cosh(x), T.cosh(T.sin(x)))

    def shortest_sine(graph: Any) -> float:
        return 1000 * str(brief(graph[0], 99)).count("sin")

    found = search(
        [at.tanh(x) + at.cosh(x)], grow, other, depth=300, limit=60, seconds=60, cost=shortest_sine
    )
    assert any("sin(sin(" in brief(g.graph, 99) for g in found)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"limit": 5}, "limit: the limit of 5 graphs was reached"),
        ({"depth": 3}, "depth: 1 graphs are 3 rewrites away"),
        ({"seconds": 0.0}, "seconds: the 0 s were used up"),
    ],
)
def test_every_budget_ends_an_endless_search_and_says_so(
    options: dict[str, Any], reason: str
) -> None:
    exploration = search(at.tanh(x), grow, **{"depth": 1000, "limit": 1000, **options})
    assert exploration.stopped.startswith(reason)
    assert reason in exploration.report.summary
    assert exploration.best().number == 0


def test_a_search_that_found_everything_says_so() -> None:
    exploration = search(at.log(by_hand), *ALL)
    assert exploration.stopped == "complete: every graph within reach was found"


@given(st.integers(0, 6))
def test_a_chain_has_one_graph_for_each_depth(depth: int) -> None:
    exploration = search(at.tanh(x), grow, depth=depth)
    assert [found.depth for found in exploration] == list(range(depth + 1))


def test_expanding_gives_what_a_softmax_hides_in() -> None:
    found = search(softmax(x, axis=-1), *ALL, direction="expand")
    texts = [brief(graph.graph) for graph in found]
    assert texts == ["softmax{-1}(x)", "exp(x) / dimshuffle{0,x}(sum{1}(exp(x)))"]
    (note,) = found.report.notes
    assert "log_exp" in note
    assert "not used against its direction" in note


def test_both_directions_return_to_the_start_without_finding_it_again() -> None:
    found = search(softmax(x, axis=-1), softmax_quotient, direction="both")
    assert len(found.graphs) == 2
    assert {step.target.number for step in found.steps} == {0, 1}


def test_another_direction_is_refused() -> None:
    with pytest.raises(UnknownSearchDirection, match=r"'sideways'.*'simplify', 'expand', 'both'"):
        search(x, direction="sideways")


def test_best_by_other_costs() -> None:
    found = search(at.log(by_hand), *ALL)
    extreme = partial(numerical_error, inputs={x: [[800.0, -800.0]]})
    assert extreme(found.best(extreme).outputs) < 4
    assert extreme(at.log(by_hand)) == np.inf
    assert found.best(partial(flops, shapes={x: (4, 5)})) is found.best()


def test_a_relation_that_raises_is_noted_and_the_others_go_on() -> None:
    @relation
    def broken(in_lv: Any, out_lv: Any) -> Any:
        raise ZeroDivisionError("a mistake")

    found = search(at.log(by_hand), broken, *ALL)
    assert operator_text(found.best().graph.owner.op) == "log_softmax{1}"
    assert "broken raised ZeroDivisionError: a mistake" in found.report.notes


def test_several_outputs_are_one_graph() -> None:
    best = search([at.log(by_hand), by_hand], *ALL).best()
    assert [operator_text(v.owner.op) for v in best.graph] == ["log", "softmax{1}"]
    assert best.graph[0].owner.inputs == [best.graph[1]]


def test_guards_hold() -> None:
    @relation
    def whole_numbers(x: Int) -> Iterator[Eq]:
        yield eq(T.tanh(x), T.tanh(T.tanh(x)))

    assert len(search(at.tanh(x), grow, limit=2).graphs) == 2
    assert len(search(at.tanh(x), whole_numbers, limit=2).graphs) == 1


def test_a_number_has_the_dtype_of_what_it_is_in() -> None:
    best = search(at.log(at.exp(x) * 2), *ALL).best()
    assert best.graph.owner.op == at.add
    assert best.graph.type.dtype == "float64"


def test_what_does_not_end_is_given_up_soon_after_the_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def endless(*_: object) -> Iterator[tuple[str, list[Any]]]:
        while now() > 0:
            pass
        yield "never", []

    monkeypatch.setattr(RelationMoves, "passed", endless)
    began = now()
    found = search(by_hand, softmax_quotient, seconds=0.2)
    assert found.stopped == "seconds: the 0.2 s were used up"
    assert len(found.graphs) == 2
    assert now() - began < 2


def test_a_large_graph_ends_within_its_seconds() -> None:
    out: Any = x
    for i in range(50):
        out = at.log(at.exp(out) * (i + 2)) + x
    found = search(out, *ALL, seconds=1.0)
    assert found.stopped.startswith(("seconds", "limit"))
    assert found.best().cost < found.graphs[-1].cost


def test_report_and_pictures() -> None:
    found = search(at.log(by_hand), *ALL)
    text = str(found.report)
    assert "softmax_quotient" in text
    assert "complete" in text
    assert "<td>log_of_softmax</td>" in found.report._repr_html_()
    assert "best" in found._repr_svg_()
    assert "log_of_softmax" in str(draw(found))
    assert "#0 -> #" in str(found.best().picture())
    assert 'class="box gone' in found.steps[0]._repr_svg_()
    assert str(found).splitlines()[1].endswith(brief(log_softmax(x, axis=1)))
