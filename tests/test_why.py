import time
from collections.abc import Iterator
from typing import Any

import aesara.tensor as at
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanrewrite
from kanrewrite.ac import matching
from kanrewrite.errors import NothingToExplain
from kanrewrite.guards import Float, Guard
from kanrewrite.relation import Eq, eq, relation
from kanrewrite.search import explore
from kanrewrite.terms import Param, T, show
from kanrewrite.why import why_not
from kanrewrite.why.weaken import demands, weakened
from tests.test_search import by_hand, softmax_quotient, x

e: Any = at.exp(x)
y: Any = at.dmatrix("y")
SUM = "sum(exp(x), axis=axis, keepdims=True)"
n: Any = at.lmatrix("n")


@pytest.mark.parametrize(
    ("graph", "matched", "reason", "hint"),
    [
        (
            e / e.sum(-1),
            "exp(x) / □",
            f"{SUM} is wanted, the graph has dimshuffle{{x,0}}(sum{{1}}(exp(x)))",
            "this DimShuffle does not put the reduced axis back: write keepdims=True",
        ),
        (
            e / at.exp(y).sum(-1, keepdims=True),
            "exp(x) / sum(exp(□), axis=axis, keepdims=True)",
            "x stands for x in one place and for y in another",
            "",
        ),
        (
            at.sin(x) / at.sin(x).sum(-1, keepdims=True),
            "□ / sum(□, axis=axis, keepdims=True)",
            "exp(x) is wanted, the graph has sin(x)",
            "",
        ),
        (
            y / e.sum(-1, keepdims=True),
            "□ / sum(exp(x), axis=axis, keepdims=True)",
            "exp(x) is wanted, the graph has y",
            "y is an input: the graph ends here",
        ),
        (
            at.exp(n) / at.exp(n).sum(-1, keepdims=True),
            "exp(x) / sum(exp(x), axis=axis, keepdims=True)",
            "the guard x: Float fails for x = n",
            "",
        ),
        (at.log(x), "", "no operator of the graph can be read as true_div", ""),
    ],
)
def test_reasons(graph: Any, matched: str, reason: str, hint: str) -> None:
    found = why_not(softmax_quotient, graph)
    assert not found.fires
    assert (found.matched, found.reason) == (matched, reason)
    assert found.hint.startswith(hint)
    assert bool(found.hint) == bool(hint)


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        (at.exp(x) * at.exp(y), "sin(x) is wanted, the graph has nothing in its place"),
        (at.exp(x) * at.sin(x), "exp(y) is wanted, the graph has nothing in its place"),
        (at.exp(x) * at.exp(y) * (at.sin(y) + 1), "sin(x) is wanted, the graph has sin(y) + 1"),
    ],
)
def test_a_number_that_only_the_theory_sees_is_nothing(graph: Any, reason: str) -> None:
    @relation
    def of_three(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.exp(x) * T.exp(y) * T.sin(x), T.exp(x + y))

    assert why_not(of_three, graph).reason == reason


def test_a_number_that_is_written_is_named() -> None:
    @relation
    def of_two(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.log(T.exp(x) + T.exp(y)), T.maximum(x, y))

    assert why_not(of_two, at.log(at.exp(x) + 1)).reason == "exp(y) is wanted, the graph has 1"


def test_keepdims_alone_is_named() -> None:
    v: Any = at.dvector("v")

    @relation
    def kept(x: Float) -> Iterator[Eq]:
        yield eq(T.log(T.sum(x, (0,), keepdims=True)), x)

    found = why_not(kept, at.log(v.sum(0)))
    assert found.reason == "keepdims=True is wanted, the graph has keepdims=False"
    assert "write keepdims=True" in found.hint


def test_a_relation_that_fires_is_said_to() -> None:
    found = why_not(softmax_quotient, 3 * by_hand * y)
    assert found.fires
    assert str(found).splitlines()[0].endswith("matches")


def test_what_the_library_reads_as_the_pattern_is_a_match() -> None:
    assert why_not(softmax_quotient, at.exp2(x) / at.exp2(x).sum(-1, keepdims=True)).fires


def test_what_the_relations_of_the_library_do_together_is_not_undone() -> None:
    e: Any = at.exp(x)
    assert why_not("softmax_quotient", e * e.sum() ** -1).fires


def test_what_only_units_make_a_sum_is_no_part_of_the_pattern() -> None:
    share = why_not("softplus_log", at.log(y / x)).share
    assert share < why_not("softplus_log", at.log(y + x)).share
    assert share < why_not("softplus_log", at.log(2 + e)).share


def test_the_furthest_of_several_places_is_reported() -> None:
    graph = e / x + e / e.sum(-1) + at.tanh(x) / y
    assert why_not(softmax_quotient, graph).place.owner is not None
    assert "dimshuffle" in why_not(softmax_quotient, graph).reason


def test_the_place_has_the_line_that_made_it() -> None:
    text = str(why_not(softmax_quotient, at.exp(x) / at.exp(x).sum(-1)))
    assert f"[{__file__}:" in text
    assert softmax_quotient.source in text


def test_a_goal_constructor_has_nothing_to_show() -> None:
    @relation
    def goal(in_lv: Any, out_lv: Any) -> Any:
        return None

    with pytest.raises(NothingToExplain, match=r"goal \(.*\) is a goal constructor"):
        why_not(goal, x)


PIECES = st.sampled_from([x, y, e, at.exp(y), e.sum(-1, keepdims=True), e.sum(0, keepdims=True)])


@given(PIECES, PIECES)
def test_it_says_matches_exactly_where_a_search_finds_a_match(top: Any, bottom: Any) -> None:
    graph = top / bottom
    assert why_not(softmax_quotient, graph).fires == (
        explore(graph, [softmax_quotient], depth=1).report.rows["softmax_quotient"].matched > 0
    )


def test_weakened_patterns_are_the_pattern_in_the_end() -> None:
    pattern = softmax_quotient.rules()[0].pattern
    everything = frozenset(demand.path for demand in demands(pattern))
    assert weakened(pattern, everything) == pattern
    assert show(weakened(pattern, frozenset())) == "□ / □"


def test_equal_operands_are_asked_for_last() -> None:
    a = Param("why:a")
    wanted = demands(T.exp(a) / T.log(a))
    assert [demand.repeats for demand in wanted] == [None, None, (0, 0)]


def test_picture_marks_the_place_and_the_difference() -> None:
    svg = why_not(softmax_quotient, e / e.sum(-1))._repr_svg_()
    assert 'class="box place' in svg
    assert 'class="box differs' in svg
    assert "but      sum(exp(x)" in svg


@pytest.mark.parametrize("name", ["max_lifts", "log_lifts", "inverse_hyperbolic"])
def test_what_may_be_anything_is_no_match(name: str) -> None:
    relation = kanrewrite.registered()[name]
    for build in relation.non_examples:
        found = build()
        assert str(why_not(relation, found[0] if isinstance(found, tuple) else found))


def test_reasons_are_what_the_pass_about_digits_sees() -> None:
    a, b = at.dvectors("a", "b")
    assert not why_not("log_quotient", at.log(a - b)).fires
    assert why_not("log_quotient", at.log(a / b)).fires


@pytest.mark.parametrize("name", ["scaled_leg", "scaled_square"])
def test_no_search_is_given_up_for_roots(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables stand for what is written: nothing that cancels is looked for."""
    monkeypatch.setattr(matching, "instances", lambda *_: pytest.fail("a long search"))
    a, b = at.dvectors("a", "b")
    assert not why_not(name, at.sqrt(a * a * b * b)).fires


def test_what_stands_there_is_told_rather_than_a_unit() -> None:
    """Of equations that are equally near the one that is stated first."""
    angle: Any = at.dvector("x")
    assert why_not("odd_less_linear", at.cos(angle) - angle).reason == (
        "sin(x) is wanted, the graph has cos(x)"
    )


def test_a_match_that_is_undone_as_a_loop_has_a_reason() -> None:
    @relation
    def turning(x: Float) -> Iterator[Eq]:
        yield eq(T.sin(x), T.cos(x - 1.5))
        yield eq(T.cos(x), T.sin(x + 1.5))

    explained = kanrewrite.why_not(turning, at.sin(at.vector("x")))
    assert not explained.fires
    assert "again and again" in explained.reason


def test_what_there_is_no_time_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kanrewrite.why.SECONDS", -1.0)
    asked = why_not("softmax_quotient", [e / e.sum(-1), by_hand])
    assert asked.unseen
    assert not asked.fires
    assert "no time to look" in asked.reason
    assert f"unseen   {asked.unseen} places, for lack of time" in str(asked)


def test_a_place_that_took_all_of_the_time_was_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(_: Any) -> bool:
        time.sleep(1)
        return True

    @relation
    def asked_slowly(x: Float) -> Iterator[Eq]:
        yield eq(T.exp(T.sin(x)), T.cos(x)).when(Guard("Slow", slow)(x))

    monkeypatch.setattr("kanrewrite.why.SECONDS", 0.3)
    asked = why_not(asked_slowly, [at.exp(x), at.exp(at.sin(x))])
    assert asked.unseen == 1
    assert not asked.fires


def test_a_compilation_that_takes_long_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kanrewrite.why._left_as_it_was", lambda *_: time.sleep(1))
    monkeypatch.setattr("kanrewrite.why.SECONDS", 0.2)
    asked = why_not(softmax_quotient, by_hand)
    assert asked.fires
    assert asked.reason == "what a compilation makes of it was not found out in 0.2 s"
