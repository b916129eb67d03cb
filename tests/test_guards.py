"""Guards: predicates on values, conditions over bindings, goals that wait for their variables."""

from typing import Annotated, Any

import aesara.tensor as at
import numpy as np
import pytest
from kanren import eq, lall, run
from unification import reify, var

from kanrewrite.guards import (
    Axis,
    Bool,
    Constant,
    ConstantAlong,
    Elementwise,
    Float,
    Guard,
    Int,
    Ndim,
    broadcastable_of,
    constant_along,
    differs,
    dtype_of,
    guards_in,
    nonnegative,
    nonzero,
    normal_axes,
    positive,
    same_shape,
)
from kanrewrite.terms import Param, T

X, Y, AXIS = Param("test_guards:x"), Param("test_guards:y"), Param("test_guards:axis")
MATRIX = at.matrix("m", dtype="float64")


def holds(annotation: Any, value: Any) -> bool | None:
    (guard,) = guards_in(annotation) or ()
    return guard(X).holds({X: value})


@pytest.mark.parametrize(
    ("annotation", "yes", "no"),
    [
        (Float, [MATRIX, 1.5, at.vector(dtype="float16")], [at.ivector(), 2, None, "x"]),
        (Int, [at.ivector(), at.vector(dtype="uint8"), 2], [MATRIX, at.bvector() > 0]),
        (Bool, [at.bvector() > 0, True], [at.ivector(), 1]),
        (Axis, [None, 0, -1, (0, 1), np.int64(2)], [1.0, "0", True, MATRIX]),
        (Constant, [at.constant(2.0), 3, np.ones(2)], [MATRIX, MATRIX + 1, None]),
        (Elementwise, [MATRIX + 1, T.exp, at.exp, T.exp(X)], [MATRIX, MATRIX.sum(), T.sum]),
        (Ndim[2], [MATRIX, np.ones((1, 2))], [at.vector(), 2.0, None]),
        (Ndim[1:], [at.vector(), MATRIX], [at.scalar(), None]),
        (Ndim[1:2], [at.vector()], [MATRIX, at.scalar()]),
    ],
)
def test_each_guard_takes_and_refuses(annotation: Any, yes: list[Any], no: list[Any]) -> None:
    guard = (guards_in(annotation) or ())[0]
    bound = guard.bind(X, {})
    for value in yes:
        if value is not None and isinstance(value, tuple) and value and value[0] is T.exp:
            assert guard.predicate(value)
        else:
            assert bound.holds({X: value}) is True, value
    for value in no:
        assert bound.holds({X: value}) is False, value


def test_an_unbound_condition_is_undecided() -> None:
    assert constant_along(X, AXIS).holds({}) is None
    assert constant_along(X, AXIS).holds({X: MATRIX}) is None
    assert constant_along(X, AXIS).holds({X: MATRIX, AXIS: 1}) is False
    assert constant_along(X, AXIS).variables == (X, AXIS)


@pytest.mark.parametrize(
    ("value", "axis", "expected"),
    [
        (at.col(), 1, True),
        (at.col(), -1, True),
        (at.col(), 0, False),
        (at.col(), None, False),
        (at.col(), (0, 1), False),
        (at.tensor("float64", (1, 1)), None, True),
        (at.scalar(), 5, True),
        (at.vector(), 5, False),
        (2.0, 1, True),
        ("text", 0, False),
    ],
)
def test_constant_along_an_axis(value: Any, axis: Any, expected: bool) -> None:
    assert constant_along(X, AXIS).holds({X: value, AXIS: axis}) is expected


def test_a_guard_names_another_parameter() -> None:
    (_, along) = guards_in(Annotated[Float, ConstantAlong["axis"]]) or ()
    condition = along.bind(X, {"x": X, "axis": AXIS})
    assert condition == constant_along(X, AXIS).__class__(along, (X, AXIS))
    assert str(condition) == "x: ConstantAlong['axis']"
    assert condition.holds({X: at.col(), AXIS: 1})
    with pytest.raises(KeyError, match="axis"):
        along.bind(X, {"x": X})


@pytest.mark.parametrize(
    ("value", "sign"),
    [
        (at.exp(MATRIX), "positive"),
        (at.exp(MATRIX) * at.exp(-MATRIX) / 3, "positive"),
        (at.abs(MATRIX), "nonnegative"),
        (at.sqrt(at.exp(MATRIX)), "positive"),
        (at.constant(-2.0), "negative"),
        (0.0, "nonnegative"),
        (MATRIX, "unknown"),
        (-at.exp(MATRIX), "unknown"),
        (at.exp(at.vector()).dimshuffle("x", 0), "positive"),
        (T.exp(X) + 1, "positive"),
    ],
)
def test_signs(value: Any, sign: str) -> None:
    checks = {"positive": positive, "nonnegative": nonnegative, "nonzero": nonzero}
    found = {name for name, guard in checks.items() if guard.predicate(value)}
    expected = {
        "positive": {"positive", "nonnegative", "nonzero"},
        "nonnegative": {"nonnegative"},
        "negative": {"nonzero"},
        "unknown": set(),
    }
    assert found == expected[sign]


def test_values_of_different_kinds() -> None:
    assert dtype_of(np.float32(1)) == "float32"
    assert broadcastable_of(np.ones((1, 3))) == (True, False)
    assert broadcastable_of(at.row()) == (True, False)
    assert dtype_of(object()) is None
    assert same_shape(X, Y).holds({X: at.row(), Y: at.row()})
    assert not same_shape(X, Y).holds({X: at.row(), Y: at.col()})
    assert differs(X, Y).holds({X: 1, Y: 2})
    assert not differs(X, Y).holds({X: MATRIX, Y: MATRIX})


def test_axes_have_one_spelling() -> None:
    assert normal_axes((-1, 0), 2) == normal_axes(None, 2) == (0, 1)
    assert normal_axes(-2, 3) == (1,)


def test_what_is_not_a_guard() -> None:
    assert guards_in(int) is None
    assert guards_in(Param) == ()


def is_even(value: Any) -> bool:
    return bool(value % 2 == 0)


EVEN = Guard("Even", is_even)
X_Y = Guard("less", lambda a, b: bool(a < b))


def test_a_bound_condition_is_decided_at_once() -> None:
    x = var()
    assert run(0, x, eq(x, 2), EVEN(x)) == (2,)
    assert run(0, x, eq(x, 3), EVEN(x)) == ()


def test_a_condition_waits_until_its_variable_is_bound() -> None:
    x = var()
    assert run(0, x, EVEN(x), eq(x, 2)) == (2,)
    assert run(0, x, EVEN(x), eq(x, 3)) == ()


def test_a_condition_waits_for_its_last_variable() -> None:
    x, y = var(), var()
    assert run(0, (x, y), X_Y(x, y), eq(x, 1), eq(y, 2)) == ((1, 2),)
    assert run(0, (x, y), X_Y(x, y), eq(y, 0), eq(x, 1)) == ()


def test_a_condition_follows_chains_of_variables() -> None:
    x, y = var(), var()
    assert run(0, x, EVEN(x), eq(x, y), eq(y, 3)) == ()
    assert run(0, x, EVEN(x), eq(x, y), eq(y, 4)) == (4,)


def test_branches_do_not_share_what_waits() -> None:
    x = var()
    (state,) = EVEN(x)({})
    assert not list(eq(x, 3)(state))
    assert [reify(x, s) for s in eq(x, 4)(state)] == [4]
    assert [reify(x, s) for s in lall(EVEN(x), eq(x, 6))(state)] == [6]


def test_an_undecided_condition_is_shown() -> None:
    x, y = var("test_guards_shown"), var()
    (state,) = EVEN(x)({y: 1})  # kanren shows variables as they are in an empty state
    assert "Even" in repr(reify(x, state))
