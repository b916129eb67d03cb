"""Audits of small graphs: what is flagged, where, and what is left alone."""

from functools import partial
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode
from aesara.tensor import special

import kanrewrite
from kanrewrite.audit import audit as audit_of
from kanrewrite.audit import searching
from kanrewrite.audit.inputs import needed
from kanrewrite.clock import now
from kanrewrite.errors import NoSuchInput, NothingRan, UnusableRange
from kanrewrite.limits import OutOfTime
from kanrewrite.trace import source_of

x: Any = at.dvector("x")
y: Any = at.dvector("y")
s: Any = at.dscalar("s")
m: Any = at.dmatrix("m")
PLAIN: Any = {"linker": "py", "optimizer": None}
#: Each kind of inputs once.
audit = partial(audit_of, samples=24, explain=False)
WIDE = (-1000.0, 1000.0)


def by_hand(v: Any) -> Any:
    e = at.exp(v)
    return e / e.sum()


@pytest.mark.parametrize(
    ("graph", "ranges", "kind", "operator"),
    [
        (at.log(at.exp(x).sum()), {x: (0, 1000)}, "overflow", "exp"),
        (at.log(at.exp(x).sum()), {x: (-1000, 0)}, "vanishing", "exp"),
        (at.exp(x) * at.exp(x).sum() ** -1, {x: (0, 1000)}, "overflow", "exp"),
        (at.log(by_hand(x)), {x: (-1000, 0)}, "vanishing", "exp"),
        (at.sqrt(x + 1) - at.sqrt(x), {x: (0, 1e16)}, "cancellation", "sub"),
        (at.exp(s) - at.exp(-s), {s: (-1e-8, 1e-8)}, "cancellation", "sub"),
        (at.log(x), {x: (-1, 1)}, "invalid", "log"),
        (at.sqrt(y), {y: (-1, 1)}, "invalid", "sqrt"),
        (at.exp(x), {x: WIDE}, "overflow", "exp"),
        (x * x * x * x, {x: (-1e100, 1e100)}, "overflow", "mul"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else str(value)[:24],
)
def test_a_risk_is_found_and_named(graph: Any, ranges: Any, kind: str, operator: str) -> None:
    found = audit(graph, ranges, as_written=True)
    risk = next(r for r in found.risks if r.kind == kind)
    assert found.ok is risk.harmless
    assert risk.variable.owner.op.scalar_op.name == operator
    assert risk.digits > 1


@pytest.mark.parametrize(
    ("graph", "ranges"),
    [
        (at.log(at.exp(x).sum()), {x: (-50, 50)}),
        (by_hand(x), {x: (-30, 30)}),
        (at.tanh(m).sum(), {m: WIDE}),
        (at.log(x), {x: (0.5, 1e300)}),
        (at.mean(m, axis=0), {m: WIDE}),
        (at.logsumexp(m, axis=1), {m: (-1e5, 1e5)}),
        (at.expm1(s), {s: (-1e-8, 1e-8)}),
        (x - y, {x: (-1, 1), y: (-1, 1)}),
    ],
    ids=str,
)
def test_what_is_right_is_ok(graph: Any, ranges: Any) -> None:
    found = audit(graph, ranges)
    assert found.ok, str(found)
    assert bool(found)


def test_what_no_float_holds_is_told_and_ok() -> None:
    found = audit(at.exp(x), {x: WIDE})
    assert found.ok
    assert [(r.kind, r.truth) for r in found.risks] == [("overflow", np.inf)]
    assert "1 where the exact result is no float" in str(found)


def test_single_points_without_a_number_are_no_risk() -> None:
    assert audit(x / at.abs(x), {x: (-5, 5)}).ok
    assert not audit(at.log(x), {x: (-1, 5)}).ok


def test_a_witness_shows_it() -> None:
    graph = at.exp(x) / at.exp(x + y).sum()
    found = audit(graph, {x: WIDE, "y": (-1, 1)}, as_written=True)
    assert not found.ok
    compute = aesara.function([x, y], graph, mode=Mode(**PLAIN))
    for risk in found.risks:
        assert list(risk.witness) == [x, y]
        assert risk.witness["y"] is risk.witness[y]
        assert np.all(np.abs(risk.witness[y]) <= 1)
        with np.errstate(all="ignore"):
            value = compute(*risk.witness.values())
        assert not np.isfinite(value).all() or risk.silent


def test_the_graph_of_a_compilation_is_audited() -> None:
    graph = at.exp(x) * at.exp(x).sum() ** -1
    assert not audit(graph, {x: WIDE}).ok
    with kanrewrite.disabled():
        kanrewrite.enable()
        found = audit(graph, {x: WIDE})
        assert found.ok, str(found)
        assert not audit(graph, {x: WIDE}, as_written=True).ok


def test_gradients_are_audited_when_asked() -> None:
    graph = at.log(1 + at.exp(s))
    with kanrewrite.disabled():
        assert audit(graph, {s: WIDE}).ok  # Aesara makes it a softplus
        found = audit(graph, {s: WIDE}, as_written=True, gradient=True)
    outputs = {risk.output.name for risk in found.risks}
    assert "d/ds" in outputs or len(found.written) == 2
    assert len(found.written) == 2
    assert not found.ok


def test_a_number_that_is_wrong_and_finite_comes_first() -> None:
    graphs = [at.log(at.exp(s)), at.sqrt(s + 1e17) - 1e17**0.5]
    found = audit(graphs, {s: (0, 1000)}, as_written=True)
    assert found.risks[0].silent
    assert found.risks[0].output is graphs[1]
    assert any(not risk.silent for risk in found.risks)


def test_conditioning_is_no_error() -> None:
    assert audit(at.sin(s), {s: (-1e18, 1e18)}).ok
    assert audit(at.exp(s), {s: (0, 700)}).ok


def test_without_ranges_what_no_float_holds_is_no_risk() -> None:
    assert audit(at.exp(x)).ok
    assert audit(at.log(x)).ok


def test_an_audit_is_the_same_each_time() -> None:
    graph = at.log(by_hand(m))
    first, second = (audit(graph, {m: WIDE}, as_written=True) for _ in range(2))
    assert str(first) == str(second)


def test_float32_has_its_own_ends() -> None:
    v: Any = at.fvector("v")
    found = audit(by_hand(v), {v: (-200, 200)}, as_written=True)
    assert {r.kind for r in found.risks} >= {"overflow"}
    assert audit(by_hand(x), {x: (-200, 200)}, as_written=True).ok


def test_indices_and_shapes() -> None:
    k: Any = at.lvector("k")
    table: Any = at.matrix("table", dtype="float64")
    graph = table[at.arange(k.shape[0]), k].reshape((2, 2)).sum()
    found = audit(graph, {k: (0, 4), table: (-1, 1)}, shapes={k: (4,), "table": (4, 5)})
    assert found.ok
    assert found.tried > 10
    with pytest.raises(NothingRan, match="Give `shapes="):
        audit(graph)


def test_a_constant_graph_is_tried_once() -> None:
    found = audit(at.exp(at.constant(1.0)))
    assert found.ok
    assert found.tried == 1


@pytest.mark.parametrize(
    ("ranges", "error"),
    [
        ({y: (0, 1)}, NoSuchInput),
        ({"z": (0, 1)}, NoSuchInput),
        ({x: (1, 0)}, UnusableRange),
        ({x: 3.0}, UnusableRange),
        ({x: (np.nan, 1)}, UnusableRange),
    ],
)
def test_what_is_no_range_is_refused(ranges: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="x"):
        audit(at.exp(x), ranges)


def test_text_says_what_where_and_how_bad() -> None:
    text = str(audit(at.log(at.exp(x).sum()), {x: (0, 1000)}, as_written=True))
    assert text.startswith("1 risk: ")
    for part in ("overflow at exp(x)", "exactly 8", "15.7 digits wrong", "x = [", "64.0 bits"):
        assert part in text


def test_inputs_of_one_range_share_a_line() -> None:
    names: list[Any] = [at.dscalar(f"w{n}") for n in range(30)]
    ranges = {**dict.fromkeys(names, (-1.0, 1.0)), x: (0.0, 2.0)}
    text = str(audit(at.exp(x) + sum(names), ranges))
    other, shared = (line for line in text.splitlines() if " in [" in line)
    assert shared.startswith("  w0, w1, w2, ")
    assert shared.endswith("… in [-1, 1]")
    assert other == "  x in [0, 2]"


def test_inputs_are_needed_once() -> None:
    assert needed([x + x, x * y]) == [x, y]


def test_softmaxes_of_integers_have_exact_values() -> None:
    k: Any = at.bmatrix("k")
    functions: list[Any] = [special.softmax, special.log_softmax]
    for function in functions:
        found = audit(function(k, axis=1), {k: (-60, 80)}, as_written=True)
        assert found.judged == found.tried


MODEL = """
emissions, transitions = at.dmatrices("emissions", "transitions")
first = emissions[0][:, None]
total = at.log(at.exp(at.log(at.exp(first + transitions).sum(0))).sum())
slope = aesara.grad(at.log(at.exp(total + emissions[1]).sum()), emissions)
"""


def test_what_a_compilation_makes_is_of_the_lines_of_the_model() -> None:
    """Not of the line that asked for the audit, nor of that which asked for the gradient."""
    scope: dict[str, Any] = {"at": at, "aesara": aesara}
    exec(compile(MODEL, "/somewhere/model.py", "exec"), scope)
    with kanrewrite.disabled():
        kanrewrite.enable()
        found = audit(scope["slope"], samples=8)
    lines = {source_of(part.variable) for part in found.parts if part.variable.owner is not None}
    assert any(line.startswith("/somewhere/model.py:") for line in lines)
    assert not any(__file__ in line for line in lines)


def heavy() -> tuple[Any, Any]:
    """A graph of which the exact value takes minutes."""
    v: Any = at.dmatrix("v")
    weight = at.constant(np.random.default_rng(0).normal(size=(8, 1000)))
    return v, at.log(at.exp(at.tanh(v @ weight) @ weight.T).sum(1)).mean()


def test_time_is_kept_also_by_the_first_comparison() -> None:
    v, out = heavy()
    began = now()
    found = audit_of(out, {v: (-1, 1)}, shapes={v: (3000, 8)}, seconds=0.5, as_written=True)
    assert now() - began < 4
    assert not found.ok
    assert found.judged == 0
    assert "0 compared with exact results; it ran out of time before one of them was" in str(found)


def test_what_is_left_when_time_is_over_is_told() -> None:
    v, out = heavy()
    found = audit_of(out, {v: (-1, 1)}, shapes={v: (3, 8)}, seconds=1.0, as_written=True)
    assert found.judged > 0
    assert found.stopped.startswith("it ran out of time, with ")


def test_a_risk_is_told_also_where_there_is_no_time_to_find_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(*_: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(searching, "Localised", none)
    (risk,) = audit(at.log(at.exp(x).sum()), {x: (0, 1000)}, as_written=True).risks
    assert risk.kind == "wrong"
    assert risk.found == np.inf
