"""Inner graphs unify under renaming, in both directions, modulo theories."""

from __future__ import annotations

from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.builders import OpFromGraph
from kanren import lall, run, var

from kanrewrite import T, Theory
from kanrewrite.inner.alpha import Around, Slot, alphao, body_of, bodyo, op_of
from kanrewrite.inner.canonical import Canonical

PRODUCTS = Theory("products").ac(T.mul)


def op(step: Any) -> Any:
    x = at.vector()
    return aesara.scan(step, sequences=[x], outputs_info=[at.zeros(())])[0].owner.inputs[0].owner.op


A = op(lambda a, s: a * at.exp(s))
RENAMED = op(lambda b, t: b * at.exp(t))
COMMUTED = op(lambda a, s: at.exp(s) * a)
OTHER = op(lambda a, s: s * at.exp(a))


def test_names_do_not_matter() -> None:
    assert run(0, True, alphao(A, RENAMED)) == (True,)
    assert run(0, True, alphao(A, OTHER)) == ()


def test_a_theory_is_heeded_where_it_is_given() -> None:
    assert run(0, True, alphao(A, COMMUTED)) == ()
    assert run(0, True, alphao(A, COMMUTED, PRODUCTS)) == (True,)
    assert run(0, True, alphao(A, OTHER, PRODUCTS)) == ()


def test_patterns_with_logic_variables_match_bodies() -> None:
    x, y, around = var("x"), var("y"), var("around")
    pattern = ("body", around, (T.mul, (T.exp, x), y))
    ((exponent, factor, how),) = run(0, (x, y, around), alphao(A, pattern, PRODUCTS))
    assert isinstance(exponent, Slot)
    assert isinstance(factor, Slot)
    assert isinstance(how, Around)
    assert (exponent.place, factor.place) == (1, 0)
    assert run(0, x, alphao(A, ("body", around, (T.add, x, y)), PRODUCTS)) == ()


def test_answers_are_a_stream() -> None:
    product = op(lambda a, s: at.exp(a) * at.exp(s))
    x, y, around = var("x"), var("y"), var("around")
    pattern = ("body", around, (T.mul, (T.exp, x), (T.exp, y)))
    places = run(0, (x, y), alphao(product, pattern, PRODUCTS))
    assert {(a.place, b.place) for a, b in places} == {(0, 1), (1, 0)}
    assert len(list(run(1, (x, y), alphao(product, pattern, PRODUCTS)))) == 1


def test_an_op_is_found_for_a_body() -> None:
    found, body = var("op"), var("body")
    ((made,),) = [run(1, found, lall(bodyo(A, body), bodyo(found, body)))]
    assert made is not A
    assert made == A
    (same,) = run(0, found, alphao(found, A))
    assert same == A


def test_a_step_is_rewritten_by_a_relation_between_bodies() -> None:
    """``a * exp(s)`` becomes ``exp(s) / exp(-log(a))``: what the relation says, in another Op."""
    x, y, around, made = var("x"), var("y"), var("around"), var("made")
    before = ("body", around, (T.mul, y, (T.exp, x)))
    after = ("body", around, (T.exp, (T.add, x, (T.log, y))))
    (found,) = run(1, made, lall(alphao(A, before), bodyo(made, after)))
    v, n = at.vector(), at.iscalar()
    start = at.zeros((4,))
    outputs = [o(n, v, start) for o in (A, found)]
    one, other = aesara.function([n, v], outputs)(3, np.array([1.0, 2.0, 0.5]))
    np.testing.assert_allclose(one, other)


def test_ops_made_from_graphs() -> None:
    a, b = at.vectors("ab")
    one, other = OpFromGraph([a, b], [a * at.exp(b)]), OpFromGraph([b, a], [b * at.exp(a)])
    assert run(0, True, alphao(one, other)) == (True,)
    assert op_of(body_of(one)).inner_outputs[0].owner.op == at.mul


def test_canonical_numbers() -> None:
    assert [Canonical().of(o) for o in (A,)] == [0]
    plain, modulo = Canonical(), Canonical(PRODUCTS)
    assert [plain.of(o) for o in (A, RENAMED, COMMUTED, OTHER)] == [0, 0, 1, 2]
    assert [modulo.of(o) for o in (A, RENAMED, COMMUTED, OTHER)] == [0, 0, 0, 1]


def test_an_op_is_looked_at_once() -> None:
    canonical = Canonical()
    canonical.of(A)
    visited = canonical.numbers.visited
    canonical.of(A)
    assert canonical.numbers.visited == visited == 2
