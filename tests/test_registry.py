"""Switching relations on and off in Aesara's database, and leaving no trace of it."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode, optdb
from aesara.graph.basic import equal_computations, graph_inputs

from kanrewrite import registry
from kanrewrite.display import brief
from kanrewrite.errors import (
    DuplicateRelation,
    NotAGraph,
    NotARelation,
    RelationWarning,
    UnknownRelation,
)
from kanrewrite.guards import Float
from kanrewrite.registry import database, sources
from kanrewrite.relation import Eq, Relation, eq, relation
from kanrewrite.rewriter import RelationRewriter
from kanrewrite.rewriter.heads import name_of
from kanrewrite.terms import T
from tests.standin import TermView

FAST_RUN = Mode(linker="py", optimizer="fast_run").excluding("fusion", "inplace")
X = at.matrix("x", dtype="float64")


@relation(family="hyperbolic")
def sinh_is_tan(x: Float) -> Iterator[Eq]:
    yield eq(T.sinh(x), T.tan(x))


@relation(family="hyperbolic")
def cosh_is_sin(x: Float) -> Iterator[Eq]:
    yield eq(T.cosh(x), T.sin(x))


@relation(family="other")
def erf_is_cos(x: Float) -> Iterator[Eq]:
    yield eq(T.erf(x), T.cos(x))


#: Falsehoods, which no stock rewrite states: what happened can be read off the names.
SHELF = (sinh_is_tan, cosh_is_sin, erf_is_cos)
STOCK = {"sinh", "cosh", "erf"}
REWRITTEN = {"tan", "sin", "cos"}


@pytest.fixture(autouse=True)
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A library of three relations, a plain view, and nothing enabled, before and after."""
    registry.disable()
    monkeypatch.setattr(database.DATABASE, "relations", {})
    monkeypatch.setattr(registry, "_loaded", [])
    monkeypatch.setattr(sources, "of_library", lambda: iter(SHELF))
    monkeypatch.setattr(sources, "of_other_packages", lambda: iter(()))
    monkeypatch.setattr(database, "make_view", lambda relations: TermView())
    database._pass_of.cache_clear()
    yield
    registry.disable()
    database._pass_of.cache_clear()


def compiled(mode: Any = FAST_RUN) -> set[str]:
    """The operators of a compiled function that computes the three stock operators."""
    f = aesara.function([X], [at.sinh(X), at.cosh(X), at.erf(X)], mode=mode)
    return {name_of(node.op) for node in f.maker.fgraph.toposort()}


# -- on and off -----------------------------------------------------------------------------------


def test_enable_and_disable_everything() -> None:
    assert compiled() == STOCK
    registry.enable()
    assert compiled() == REWRITTEN
    registry.disable()
    assert compiled() == STOCK


def test_enable_one_relation_or_one_family() -> None:
    registry.enable("erf_is_cos")
    assert compiled() == {"sinh", "cosh", "cos"}
    registry.enable("hyperbolic")
    assert compiled() == REWRITTEN
    registry.disable("hyperbolic")
    assert compiled() == {"sinh", "cosh", "cos"}
    registry.disable("erf_is_cos")
    assert compiled() == STOCK


def test_enabling_twice_is_harmless() -> None:
    registry.enable()
    registry.enable()
    registry.enable("erf_is_cos")
    assert registry.enabled() == SHELF
    registry.disable("erf_is_cos")
    registry.disable("erf_is_cos")
    assert registry.enabled() == SHELF[:2]


def test_disabling_restores_the_stock_set_of_rewrites() -> None:
    def rewrites() -> list[str]:
        return [r.name for r in FAST_RUN.optimizer]

    def ours(name: str) -> bool:
        return (name or "").startswith("kanrewrite")

    before = rewrites()
    registry.enable()
    with_library = rewrites()
    assert [r for r in with_library if not ours(r)] == [r for r in before if not ours(r)]
    # Companions of the pass, and the stages of a derivative made by another test, stand around it.
    stages = [r for r in with_library if r and not r.startswith("kanrewrite_")]
    place = stages.index("kanrewrite")
    assert stages[place - 1] == "merge1.2"
    assert stages[place + 1] == "stabilize"
    registry.disable()
    assert rewrites() == before


@pytest.mark.parametrize("optimizer", ["fast_run", "fast_compile", "o1", "o3"])
def test_disabling_restores_stock_graphs(optimizer: str) -> None:
    mode = Mode(linker="py", optimizer=optimizer)
    y = at.log(at.exp(X) / at.exp(X).sum(axis=1, keepdims=True)) + at.sinh(X)
    z = aesara.grad(y.sum(), X)

    def graph() -> Any:
        return aesara.function([X], [y, z], mode=mode).maker.fgraph

    before = graph()
    registry.enable()
    between = graph()
    registry.disable()
    after = graph()
    assert equal_computations(before.outputs, after.outputs, before.inputs, after.inputs)
    assert not equal_computations(before.outputs, between.outputs, before.inputs, between.inputs)


def test_the_names_work_in_a_mode() -> None:
    registry.enable()
    assert compiled(FAST_RUN.excluding("kanrewrite")) == STOCK
    assert compiled(FAST_RUN.excluding("hyperbolic")) == {"sinh", "cosh", "cos"}
    assert compiled(FAST_RUN.excluding("sinh_is_tan")) == {"sinh", "sin", "cos"}
    assert compiled() == REWRITTEN


def test_an_explicit_include_brings_nothing_that_is_not_enabled() -> None:
    registry.enable("erf_is_cos")
    registry.disable()
    assert compiled(FAST_RUN.including("kanrewrite")) == STOCK


def test_disabled_restores_what_was_enabled() -> None:
    registry.enable("hyperbolic")
    with registry.disabled("sinh_is_tan"):
        assert compiled() == {"sinh", "sin", "erf"}
        with registry.disabled():
            assert compiled() == STOCK
        assert registry.enabled() == (cosh_is_sin,)
    assert registry.enabled() == (sinh_is_tan, cosh_is_sin)
    with pytest.raises(ZeroDivisionError), registry.disabled():
        raise ZeroDivisionError
    assert registry.enabled() == (sinh_is_tan, cosh_is_sin)


def test_what_a_block_enables_is_undone() -> None:
    with registry.disabled():
        registry.enable()
    assert registry.enabled() == ()


def test_unknown_names_are_refused_with_a_suggestion() -> None:
    for switch in (registry.enable, registry.disable):
        with pytest.raises(UnknownRelation, match=r"'hyperbollic' is neither.*mean 'hyperbolic'"):
            switch("hyperbollic")
    with pytest.raises(UnknownRelation, match="'qwxyz' is neither"), registry.disabled("qwxyz"):
        pass


# -- registering ----------------------------------------------------------------------------------


def another() -> Relation:
    @relation(family="mine")
    def erf_is_cos(x: Float) -> Iterator[Eq]:
        yield eq(T.erf(x), T.sin(x))

    return erf_is_cos


def test_registering_enables() -> None:
    @relation
    def mine(x: Float) -> Iterator[Eq]:
        yield eq(T.sinh(x), T.exp(x))

    registry.register(mine)
    registry.register(mine)
    assert registry.enabled() == (mine,)
    assert compiled() == {"exp", "cosh", "erf"}
    assert mine in registry.relations()


def test_a_duplicate_name_says_where_both_are() -> None:
    with pytest.raises(DuplicateRelation) as caught:
        registry.register(another())
    message = str(caught.value)
    assert message.startswith(f"relation erf_is_cos ({another().source}): the name is taken by")
    assert f"{__file__}:{inspect.getsourcelines(erf_is_cos.function)[1]}" in message
    assert compiled() == STOCK
    registry.register(another(), replace=True)
    assert compiled() == {"sinh", "cosh", "sin"}


def test_only_relations_are_registered() -> None:
    with pytest.raises(NotARelation, match=r"is not a relation: decorate its function"):
        registry.register(lambda x: x)  # type: ignore[arg-type]


def test_the_database_has_an_entry_for_each_relation() -> None:
    registry.enable()
    entry = optdb["kanrewrite"]["erf_is_cos"]
    assert isinstance(entry, RelationRewriter)
    assert str(entry) == entry.name == "erf_is_cos"
    assert "erf_is_cos" in optdb["kanrewrite"]
    assert "nothing" not in optdb["kanrewrite"]


# -- what goes wrong ------------------------------------------------------------------------------


def test_a_compile_succeeds_without_a_relation_that_fails() -> None:
    @relation
    def boolean(x: Float) -> Iterator[Eq]:
        yield eq(T.sinh(x), T.gt(x, 0))

    @relation
    def grows(x: Float) -> Iterator[Eq]:
        yield eq(T.cosh(x), T.log(T.tan(x)))
        yield eq(T.tan(x), T.exp(T.cosh(x)))

    @relation
    def raises(in_lv, out_lv):  # type: ignore[no-untyped-def]
        raise ZeroDivisionError

    for each in (boolean, grows, raises):
        registry.register(each)
    with pytest.warns(RelationWarning) as caught:
        f = aesara.function([X], [at.sinh(X), at.cosh(X)], mode=FAST_RUN)
    texts = [str(w.message) for w in caught]
    assert len(texts) == 3
    for each in (boolean, grows, raises):
        assert sum(f"{each.name} ({each.source})" in text for text in texts) == 1
    value = np.array([[0.5, -1.0]])
    for result, expected in zip(f(value), (np.sinh(value), np.cosh(value)), strict=True):
        np.testing.assert_array_equal(result, expected)


# -- where relations come from --------------------------------------------------------------------


def entry_point(value: Any) -> EntryPoint:
    class Point(EntryPoint):
        def load(self) -> Any:
            if isinstance(value, Exception):
                raise value
            return value

    return Point("family", "package.relations", sources.GROUP)


def test_other_packages_offer_relations(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType(__name__)
    module.__dict__.update(erf_is_cos=erf_is_cos, something="else")
    points = [entry_point(v) for v in (module, sinh_is_tan, [cosh_is_sin], lambda: erf_is_cos)]
    monkeypatch.undo()
    monkeypatch.setattr(sources, "entry_points", lambda group: points)
    found = list(sources.of_other_packages())
    assert found == [erf_is_cos, sinh_is_tan, cosh_is_sin, erf_is_cos]


def test_a_broken_package_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [entry_point(v) for v in (ZeroDivisionError("at import"), 5, erf_is_cos)]
    monkeypatch.undo()
    monkeypatch.setattr(sources, "entry_points", lambda group: points)
    with pytest.warns(RelationWarning) as caught:
        assert list(sources.of_other_packages()) == [erf_is_cos]
    first, second = (str(w.message) for w in caught)
    assert "'family' of another package (package.relations) were left out" in first
    assert "ZeroDivisionError: at import" in first
    assert "5 is not a relation" in second


def test_a_module_gives_the_relations_that_it_defines() -> None:
    module = ModuleType("elsewhere")
    module.__dict__["erf_is_cos"] = erf_is_cos
    assert list(sources.relations_in(module)) == []


def test_importing_registers_nothing() -> None:
    code = (
        "import kanrewrite, kanrewrite.registry; from aesara.compile.mode import optdb;"
        "raise SystemExit('kanrewrite' in optdb)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_relations_by_name_and_family() -> None:
    registry.enable()
    assert registry.named("sinh_is_tan") is sinh_is_tan
    assert registry.named(erf_is_cos) is erf_is_cos
    assert registry.some("hyperbolic") == [sinh_is_tan, cosh_is_sin]
    assert registry.some(["other", sinh_is_tan, "sinh_is_tan"]) == [erf_is_cos, sinh_is_tan]
    with pytest.raises(UnknownRelation, match="Did you mean 'sinh_is_tan'"):
        registry.named("sinh_is_tam")
    wrong: Any
    for wrong in (5, [5]):
        with pytest.raises(NotARelation, match="5 is not a relation"):
            registry.some(wrong)


# -- the rewritten graph --------------------------------------------------------------------------


def test_stabilize_gives_the_rewritten_graph_over_the_same_inputs() -> None:
    y = at.sinh(X) + 1
    registry.enable()
    (new,) = registry.stabilize([y])
    assert brief(new) in ("tan(x) + 1.0", "1.0 + tan(x)")
    assert X in graph_inputs([new])
    assert y.owner.inputs[0].owner.op == at.sinh
    (same,) = registry.stabilize(y)
    assert equal_computations([same], [new])


@pytest.mark.parametrize("wrong", [42, [42], "y", [[X], 3.5]])
def test_what_is_no_graph_is_refused(wrong: Any) -> None:
    registry.enable()
    with pytest.raises(NotAGraph, match=r"is no graph\. Give an Aesara variable"):
        registry.stabilize(wrong)


def test_stabilize_without_relations_is_aesaras_canonical_form() -> None:
    y = at.sinh(X) * X / X
    with pytest.warns(RelationWarning, match=r"nothing is enabled.*kanrewrite\.enable\(\)"):
        (new,) = registry.stabilize([y])
    assert equal_computations([new], [at.sinh(X)])


def test_shared_variables_and_constants_stay() -> None:
    w = aesara.shared(np.ones((2, 2)), name="w")
    registry.enable()
    (new,) = registry.stabilize([at.sinh(w) * 2])
    assert w in graph_inputs([new])


def test_relations_are_enabled_by_themselves_and_unregistered_by_name() -> None:
    @relation
    def of_tests_only(x: Float) -> Iterator[Eq]:
        yield eq(T.sinh(T.arcsinh(x)), x)

    with registry.disabled():
        with pytest.raises(UnknownRelation, match="'of_tests_only' is neither"):
            registry.enable(of_tests_only)
        registry.register(of_tests_only)
        registry.disable(of_tests_only)
        assert of_tests_only not in registry.enabled()
        registry.enable(of_tests_only)
        assert registry.enabled() == (of_tests_only,)
        registry.unregister("of_tests_only")
        assert "of_tests_only" not in registry.registered()


@pytest.mark.parametrize("use", [registry.enable, registry.disable, registry.unregister])
def test_what_is_no_relation_is_told_without_its_address(use: Any) -> None:
    with pytest.raises(NotARelation, match=r"^an object of type object is not a relation"):
        use(object())
