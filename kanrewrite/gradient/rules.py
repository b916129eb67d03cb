"""Derivatives of expressions, given by users."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from aesara.graph.basic import ancestors

from kanrewrite.errors import RuleLosesDerivative, RuleTermMismatch
from kanrewrite.gradient.marks import Override
from kanrewrite.gradient.names import Node, Var
from kanrewrite.gradient.path import closed_path, continuous, dependence, path_nodes

#: ``rule(expr, wrt, upstream)``: for an expression on the way to `wrt` and the gradient that
#: arrives at it, the gradient each variable below it receives; None if the rule has no opinion.
Rule = Callable[[Var, Sequence[Var], Var], "Mapping[Var, Var] | None"]

_rules: list[Rule] = []


def register_gradient(rule: Rule) -> Rule:
    """Give expressions a derivative of their own; usable as a decorator.

    Every expression on the way from a cost to its variables is shown to the rule, the largest
    first, once as the user wrote it and once as Aesara and the library have rewritten it, right
    before its derivative is expanded. The first rule that answers decides. Forward mode is the
    transpose of reverse mode, so the same rule serves `jvp`.

    Parameters
    ----------
    rule : callable
        ``rule(expr, wrt, upstream)`` returns None, or a mapping from variables below ``expr`` to
        their gradients, made of ``upstream`` and of variables of the graph.

    Returns
    -------
    callable
        The rule.

    Raises
    ------
    RuleLosesDerivative
        When a derivative is expanded: if ``expr`` depends on ``wrt`` in a way that passes none
        of the variables that the rule names.
    RuleTermMismatch
        When a derivative is expanded: if a term is not a tensor like the variable it is for.

    Examples
    --------
    >>> import aesara.tensor as at, kanrewrite
    >>> def straight_through(expr, wrt, upstream):
    ...     \"\"\"Differentiate ``round(x)`` as if it were ``x``.\"\"\"
    ...     if expr.owner.op == at.round_half_to_even:
    ...         return {expr.owner.inputs[0]: upstream}
    >>> x = at.vector("x")
    >>> with registered_gradient(straight_through):
    ...     kanrewrite.grad((3 * at.round(x)).sum(), x).eval({x: [0.2, 1.7]})
    array([3., 3.])
    """
    if rule not in _rules:
        _rules.append(rule)
    return rule


def unregister_gradient(rule: Rule) -> None:
    """Take back `register_gradient`.

    Parameters
    ----------
    rule
        A registered rule.

    Raises
    ------
    ValueError
        If it is not registered.
    """
    _rules.remove(rule)


@contextmanager
def registered_gradient(rule: Rule) -> Iterator[None]:
    """Register a rule for the functions compiled inside a ``with`` block.

    Parameters
    ----------
    rule
        See `register_gradient`.
    """
    register_gradient(rule)
    try:
        yield
    finally:
        unregister_gradient(rule)


def override(
    outputs: Sequence[Var], wrt: Sequence[Var], stops: Sequence[Var]
) -> tuple[list[Var], list[Var], list[Var]]:
    """The same graph with every expression that a rule recognises put under an `Override`.

    Parameters
    ----------
    outputs, wrt, stops
        What is differentiated with respect to what, and not through what.

    Returns
    -------
    outputs, wrt, stops : list of Variable
        The very same ones where no rule answers.
    """
    found = _matches(outputs, wrt, stops) if _rules else {}
    env = _rebuilt(path_nodes(outputs, wrt, stops), found) if found else {}
    return tuple([env.get(v, v) for v in vs] for vs in (outputs, wrt, stops))  # type: ignore[return-value]


def _matches(outputs: Sequence[Var], wrt: Sequence[Var], stops: Sequence[Var]) -> dict[Var, Var]:
    """Expression to overridden expression; nothing within an expression that matched."""
    found: dict[Var, Var] = {}
    covered: set[Var] = set()
    for node in reversed(path_nodes(outputs, wrt, stops)):
        for expr in node.outputs:
            if expr in covered or isinstance(node.op, Override) or not continuous(expr):
                continue
            new, vars_ = _ask(expr, wrt)
            if new is not None:
                found[expr] = new
                covered.update(v for n in path_nodes([expr], vars_, vars_) for v in n.outputs)
    return found


def _ask(expr: Var, wrt: Sequence[Var]) -> tuple[Var | None, list[Var]]:
    upstream = expr.type()
    for rule in _rules:
        terms = rule(expr, wrt, upstream)
        if terms is not None:
            return _overridden(rule, expr, wrt, upstream, terms), list(terms)
    return None, []


def _overridden(
    rule: Rule,
    expr: Var,
    wrt: Sequence[Var],
    upstream: Var,
    terms: Mapping[Var, Var],
) -> Var:
    name = getattr(rule, "__name__", repr(rule))
    below = set(ancestors([expr]))
    if not below.issuperset(terms) or path_nodes([expr], set(wrt) - set(terms), terms):
        raise RuleLosesDerivative(name, expr, list(terms))
    for v, term in terms.items():
        if term.type.ndim != v.type.ndim:
            raise RuleTermMismatch(name, v, term)
    cast = [t.astype(v.type.dtype) if continuous(v) else t for v, t in terms.items()]
    path, outside, _ = closed_path(cast, [upstream], pattern_of=dependence)
    extras = [v for v in outside if v is not upstream]
    result: Var = Override(rule, path).make_node(expr, *terms, *extras).outputs[0]
    return result


def _rebuilt(nodes: Sequence[Node], found: Mapping[Var, Var]) -> dict[Var, Var]:
    """What the results of `nodes` are when some of them are overridden."""
    env: dict[Var, Var] = {}
    for node in nodes:
        inputs = [env.get(v, v) for v in node.inputs]
        if any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
            env.update(zip(node.outputs, node.clone_with_new_inputs(inputs).outputs, strict=True))
        for out in node.outputs:
            if out in found:
                over = found[out].owner
                rest = [env.get(v, v) for v in over.inputs[1:]]
                env[out] = over.op.make_node(env.get(out, out), *rest).outputs[0]
    return env
