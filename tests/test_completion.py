"""Completion: derived rules, and what relations do to each other."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from unification import var

from kanrewrite import ac
from kanrewrite.completion import Finding, check, coherence, derived
from kanrewrite.completion.prepared import Frozen, Prepared, frozen, may_overlap
from kanrewrite.completion.reached import Steps
from kanrewrite.completion.terms import apart, canonical, flat, replaced, text, written
from kanrewrite.errors import Incomplete
from kanrewrite.guards import Axis, ConstantAlong, Float, positive
from kanrewrite.relation import Eq, Relation, eq, relation
from kanrewrite.terms import Param, T, show
from kanrewrite.theory import Theory
from tests.benchmarks.check_cost import users

X, Y = Param("test_completion:x"), Param("test_completion:y")


@relation(direction=None)
def sum_lifts(a: Annotated[Float, ConstantAlong["axis"]], b: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(a * b, axis, keepdims=True), a * T.sum(b, axis, keepdims=True))


@relation
def softmax_quotient(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(x) / T.sum(T.exp(x), axis, keepdims=True), T.softmax(x, axis))


@relation
def log_exp(x: Float) -> Iterator[Eq]:
    yield eq(T.log(T.exp(x)), x)


def kinds(*relations: Relation) -> list[tuple[str, ...]]:
    return [(f.kind, *(r.name for r in f.relations)) for f in check(relations)]


# -- derived rules --------------------------------------------------------------------------------


def test_a_quotient_that_lifting_has_taken_apart_has_a_rule() -> None:
    (rule,) = derived(softmax_quotient, [sum_lifts])
    assert show(rule.pattern) == (
        "sum(exp(x) * z, axis=axis, keepdims=True) / sum(exp(x), axis=axis, keepdims=True)"
    )
    assert show(rule.replacement) == "sum(softmax(x, axis=axis) * z, axis=axis, keepdims=True)"
    assert [str(c) for c in rule.conditions] == ["x: Float", "axis: Axis"]
    assert rule.origin.startswith("sum_lifts (test_completion.py:")
    assert "over softmax_quotient (test_completion.py:" in rule.origin
    assert rule.relation is softmax_quotient


def test_a_pair_is_overlapped_once_whatever_else_is_registered() -> None:
    rules = derived(softmax_quotient, [sum_lifts])
    computed = coherence._of_pair.cache_info().misses
    assert derived(softmax_quotient, [log_exp, sum_lifts]) == rules
    assert coherence._of_pair.cache_info().misses == computed


def test_what_lifting_leaves_whole_needs_no_rule() -> None:
    @relation
    def product_of_exps(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.exp(x) * T.exp(y), T.exp(x + y))

    assert derived(product_of_exps, [sum_lifts]) == []
    assert derived(log_exp, [sum_lifts]) == []
    assert derived(softmax_quotient, [log_exp]) == []


# -- check ----------------------------------------------------------------------------------------


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    found = check([log_exp])
    assert not found
    assert str(found) == "nothing found"
    assert not check(log_exp)


def test_relations_that_undo_each_other() -> None:
    @relation
    def there(x: Float) -> Iterator[Eq]:
        yield eq(T.sinh(x), T.cosh(x))

    @relation
    def back(x: Float) -> Iterator[Eq]:
        yield eq(T.cosh(x), T.sinh(x))

    (finding,) = check([there, back])
    assert finding.kind == "undo each other"
    assert str(finding) == (
        f"undo each other: there ({there.source}) and back ({back.source}): "
        "rewrite sinh(x) to cosh(x) and back again"
    )


def test_a_relation_in_both_directions_undoes_itself() -> None:
    @relation(direction="both")
    def both(x: Float) -> Iterator[Eq]:
        yield eq(T.sinh(x), T.cosh(x))

    assert kinds(both) == [("undo each other", "both")]


def test_a_relation_that_grows() -> None:
    @relation
    def grows(x: Float) -> Iterator[Eq]:
        yield eq(T.exp(x), T.exp(T.log(T.exp(x))))

    (finding,) = check(grows)
    assert finding.kind == "loop"
    assert text(finding.term) == "exp(x)"
    assert "rewrites exp(x) to exp(log(exp(x))), in which it matches again" in str(finding)


def test_a_relation_that_shrinks_its_own_result_is_no_loop() -> None:
    @relation
    def twice(x: Float) -> Iterator[Eq]:
        yield eq(T.abs(T.abs(x)), T.abs(x))

    assert kinds(twice) == []


def test_a_needless_relation() -> None:
    @relation
    def special(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.log(T.exp(x * y)), x * y)

    (finding,) = check([log_exp, special])
    assert finding.kind == "subsumed"
    assert {r.name for r in finding.relations} == {"log_exp", "special"}
    assert text(finding.term) == "log(exp(x * y))"


def test_stronger_conditions_make_no_relation_needless() -> None:
    @relation
    def guarded(x: Float) -> Iterator[Eq]:
        yield eq(T.log(T.exp(x)), x).when(positive(x))

    assert kinds(guarded, log_exp) == [("subsumed", "log_exp", "guarded")]


def test_a_critical_pair_that_does_not_join() -> None:
    @relation
    def log1p_log(x: Float) -> Iterator[Eq]:
        yield eq(T.log(1 + x), T.log1p(x))

    @relation
    def softplus_log(x: Float) -> Iterator[Eq]:
        yield eq(T.log(1 + T.exp(x)), T.softplus(x))

    (finding,) = check([log1p_log, softplus_log])
    assert finding.kind == "critical pair"
    assert text(finding.term) in ("log(1 + exp(x))", "log(1 + exp(z))")
    assert len(finding.results) == 2

    @relation
    def log1p_of_exp(x: Float) -> Iterator[Eq]:
        yield eq(T.log1p(T.exp(x)), T.softplus(x))

    assert not [f for f in check([log1p_log, softplus_log, log1p_of_exp]) if pair_of(f)]


def pair_of(finding: Finding) -> bool:
    return finding.kind == "critical pair"


def test_pairs_inside_of_products_are_found() -> None:
    @relation
    def square(x: Float) -> Iterator[Eq]:
        yield eq(T.exp(x) * T.exp(x), T.exp(2 * x))

    @relation
    def other(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.exp(x) * T.sin(y), T.cos(x * y))

    assert ("critical pair", "square", "other") in kinds(square, other)


def test_rules_that_have_no_operator_in_common_are_not_overlapped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at: list[Any] = []
    original = ac.overlaps

    def counted(*sides: Any, **limits: Any) -> Any:
        looked_at.append(sides)
        return original(*sides, **limits)

    monkeypatch.setattr(ac, "overlaps", counted)
    several = [relation_of(op) for op in (T.sin, T.cos, T.tan, T.sinh, T.cosh, T.tanh, T.erf)]
    assert not check(several)
    assert len(looked_at) == len(several)  # each with itself


def relation_of(op: Any) -> Relation:
    """A relation of one operator, of the name of the operator."""

    def stated(x: Float) -> Iterator[Eq]:
        yield eq(op(x + 1), T.log(x))

    stated.__name__ = op.name
    return relation(stated)


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        (T.log(X * Y), T.exp(X) * T.exp(Y), True),
        (T.log(1 + X), T.log(1 + T.exp(X)), True),
        (T.log(2 + T.exp(X)), T.log(1 + T.exp(X)), False),
        (T.exp(X) * T.sin(Y), T.exp(X) * T.exp(X), True),
        (T.cos(X) * T.sin(Y), T.exp(X) * T.exp(X), False),
        (T.exp(T.sin(X)), T.cos(X), False),
    ],
)
def test_what_may_overlap_is_told_by_operators(outer: Any, inner: Any, expected: bool) -> None:
    assert may_overlap(outer, inner) is expected


def test_a_pair_that_does_not_meet_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[Any] = []
    original = Steps.join

    def counted(self: Steps, left: Any, right: Any) -> bool:
        searched.append((left, right))
        return original(self, left, right)

    monkeypatch.setattr(Steps, "join", counted)
    found = check(users(12))
    assert {f.kind for f in found} == {"critical pair"}
    assert len(found) == 58
    assert len(searched) == len(found) + 12  # each with itself meets


def test_what_becomes_of_a_term_is_found_once() -> None:
    steps = Steps(Prepared(apart(rule, "check")) for rule in log_exp.rules())
    term = steps.instance(frozen(T.log(T.exp(T.log(T.exp(X)))) + T.log(T.exp(X))), {})
    steps.join(term, steps.instance(0, {}))
    before = steps.tried
    steps.join(term, steps.instance(1, {}))
    assert steps.tried == before > 0


def test_numbers_of_terms_are_computed() -> None:
    steps = Steps([])
    x = Frozen("x")
    assert steps.instance(T.mul(2, x, 0.5), {}) is steps.instance(x, {})
    assert steps.instance(T.add(2, x, 3), {}) is steps.instance(T.add(x, 5), {})


def test_a_check_ends_in_time_and_says_what_it_has_left_out() -> None:
    found = check(users(60), seconds=0.05)
    assert found.left_out > 0
    assert f"{found.left_out} pairs of rules are not compared" in str(found)
    assert not check(users(2)).left_out


# -- terms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (X / Y, "x * reciprocal(y)"),
        (1 / X, "reciprocal(x)"),
        (X - Y, "x + -1 * y"),
        (X / (2 * Y), "x * reciprocal(2) * reciprocal(y)"),
        (-(X / Y), "-1 * x * reciprocal(y)"),
        (X, "x"),
    ],
)
def test_quotients_are_products(term: Any, expected: str) -> None:
    assert show(flat(term)) == expected


def test_products_are_written_as_quotients() -> None:
    assert show(written(flat(X / (2 * Y)))) == "x / (2 * y)"
    assert show(written(flat(1 / X))) == "1 / x"
    assert written(X) is X


def test_equal_terms_have_one_canonical_form() -> None:
    assert canonical(flat(X * Y * 2 * 3)) == canonical(flat(6 * (Y * X)))
    assert canonical(flat(T.exp(X - X * 0 + 1 - 1))) == canonical(flat(T.exp(X + 0 * X)))
    assert canonical(flat(T.neg(T.neg(X)))) == X
    assert canonical(flat(X + Y)) != canonical(flat(X * Y))


def test_one_part_is_replaced() -> None:
    term = T.exp(X * Y) + T.log(Y * X)
    assert show(replaced(term, Y * X, T.sin(X))) == "exp(sin(x)) + log(y * x)"
    assert replaced(term, T.cos(X), X) is term


def test_overlaps_are_looked_for_with_bounded_effort() -> None:
    names = [var(f"v{n}") for n in range(12)]
    theory = Theory("sums").ac("add")
    left = ("add", *(("f", x) for x in names[:6]), *names[6:9])
    right = ("add", *(("f", x) for x in names[3:9]), *names[9:])
    few = list(ac.overlaps(left, right, theory, steps=50))
    assert len(few) < 200  # there are millions
    with pytest.raises(Incomplete):
        list(ac.unify([(left, right)], theory, steps=50))
