"""Are relations true?  Checked in high precision, where the sides have a value.

A relation is tried in many settings: types, shapes with lengths 1 and 0, axes in every spelling,
values from ties to 1e18 and masked ones. Both sides are evaluated by `kanrewrite.reference`, and
so is the graph that the rewriter really builds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from aesara.graph.rewriting.basic import GraphRewriter

from kanrewrite import registry
from kanrewrite.border import Count, checked
from kanrewrite.guards import has_dtype
from kanrewrite.relation import Relation, Rule
from kanrewrite.verify.checker import Checker, MakeView, turned
from kanrewrite.verify.checks import build
from kanrewrite.verify.mutation import mutations
from kanrewrite.verify.report import Counterexample, Report
from kanrewrite.verify.settings import REGIMES
from kanrewrite.view import View

__all__ = ["Counterexample", "Report", "main_report", "mutations", "verify"]

DTYPES = ("float64", "float32")


@checked
def verify(
    relation: Relation | str,
    *,
    seed: Count = 0,
    samples: Count = 48,
    view: MakeView | None = None,
    rewrite: bool = True,
    passes: Sequence[GraphRewriter] = (),
    derived: Iterable[Rule] = (),
    dtypes: Sequence[str] = DTYPES,
    shrink: bool = True,
    finite: bool = False,
) -> Report:
    """Check that a relation is true, and that its rewriter builds what it states.

    Parameters
    ----------
    relation : Relation or str
        Or the name of a known one. Its equations are checked; of a goal constructor, what it does
        to its examples.
    seed : int
        The same seed tries the same settings.
    samples : int
        How many settings are tried for each equation; a third as many in other dtypes than
        float64.
    view : callable, optional
        Makes the view through which the rewriter reads graphs; the engine's own, following the
        relation itself, unless it is given.
    rewrite : bool
        Whether the relation's rewriter is run. If not, the equations, the derived rules and the
        examples are checked, and what `passes` do.
    passes : sequence of GraphRewriter
        Rewriters of whole graphs, as the library's pass over all enabled relations. What they make
        of the matched side is compared with it too.
    derived : iterable of Rule
        Rules that completion added to those of the relation.
    dtypes : sequence of str
        The dtypes of the tensors.
    shrink : bool
        Whether a counterexample is made small.
    finite : bool
        Whether -inf, the value of a masked logit, is left out. An equation that a view follows
        with exponents that it cancels first, as in ``exp(a) * exp(-a) == 1``, holds of finite ones.

    Returns
    -------
    Report
        `ok` if both sides are equal wherever the side that is matched has a value (is not nan):
        equal values, shapes that broadcast to what was matched, and for what the rewriter built
        the same dtype, broadcast pattern and known lengths.

    Notes
    -----
    An equation that is an approximation, ``eq(...).within(error)``, is held to its error. Exact
    zeros have no sign here, so an infinity of a division by one may have either.

    Sampling finds errors and proves nothing. What is compared are numbers of 25 agreed digits
    (see `kanrewrite.reference.evaluate`). A float constant of many digits stands for the numbers
    that round to it, so ``0.6931471805599453`` is taken for log(2) and ``0.693147`` is not.

    Examples
    --------
    >>> from kanrewrite.guards import Float
    >>> from kanrewrite.relation import eq, relation
    >>> from kanrewrite.terms import T
    >>> @relation
    ... def exp_of_sum(x: Float, y: Float):
    ...     yield eq(T.exp(x + y), T.exp(x) * T.exp(y))
    >>> verify(exp_of_sum).ok
    True
    >>> @relation
    ... def root_of_square(x: Float):
    ...     yield eq(T.sqrt(x * x), x)
    >>> print(verify(root_of_square).failure)
    sqrt(x * x) -> x when x: Float
      the value 1.0 at [0, 0] becomes -1.0
      x = [[-1.0]] (float64, shape (1, 1))
    """
    relation = registry.named(relation)
    report = Report(relation.name, relation.source)
    make_view = (view or partial(View, (relation,))) if rewrite else None
    regimes = [regime for regime in REGIMES if not (finite and regime == "masked")]
    checker = Checker(relation, report, make_view, passes, seed, samples, shrink, regimes)
    with np.errstate(over="ignore"):  # what float64 can hold is infinite in float32
        report.failure = _failure(relation, checker, [*_rules(relation), *derived], dtypes)
        if report.failure is None and not report.settings and not report.problem:
            report.problem = "it has no equation and no example that could be checked"
        if report.ok:
            others = [rule for rule in turned(relation) if rule not in relation.rules()]
            asked = (rule for rule in others if _is_of(rule, dtypes[0]))
            failures = (checker.rule(rule, dtypes[0], used=False) for rule in asked)
            report.backward_failure = next((f for f in failures if f is not None), None)
    return report


def _is_of(rule: Rule, dtype: str) -> bool:
    """Whether a rule is about tensors of a dtype."""
    return not any(c.guard is has_dtype and c.arguments[1] != dtype for c in rule.conditions)


def _rules(relation: Relation) -> list[Rule]:
    """The rules in use; of a relation that is used as a goal only, its equations as stated."""
    if relation.direction is not None:
        return list(relation.rules())
    return [
        Rule(relation, e.lhs, e.rhs, cast(Any, e.guards), e.theory, error=e.error)
        for e in relation.equations
    ]


def _failure(
    relation: Relation, checker: Checker, rules: Sequence[Rule], dtypes: Sequence[str]
) -> Counterexample | None:
    for dtype in dtypes:
        for rule in rules:
            if not _is_of(rule, dtype):
                continue
            found = checker.rule(rule, dtype)
            if found is not None or checker.report.problem:
                return found
    for example in relation.examples:
        graph, expected = (build(side, {}, dtypes[0]) for side in example())
        name = f"{relation.name}'s example {example.__name__}"
        for after in (expected, None) if relation.is_goal else (expected,):
            found = checker.example(graph, after, name)
            if found is not None:
                return found
    return None


def main_report(relations: Iterable[Relation], **options: Any) -> list[Report]:
    """The reports on some relations, for a command line.

    Parameters
    ----------
    relations : iterable of Relation
        Checked one after another.
    **options
        Of `verify`.
    """
    return [verify(relation, **options) for relation in relations]
