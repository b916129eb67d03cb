"""Operands of an idempotent operator: parts and variables hold them together, and may share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanrewrite.ac.distribution import FAILED
from kanrewrite.ac.leftovers import give, met_by
from kanrewrite.ac.program import through

if TYPE_CHECKING:
    from kanrewrite.ac.interned import Interned
    from kanrewrite.ac.pending import Bag
    from kanrewrite.ac.plan import Plan


def settle_join(plan: Plan) -> bool:
    """Write that parts hold a whole set, where no part and no variable of it is open.

    Parameters
    ----------
    plan
        The plan, at a point where no task is open.

    Returns
    -------
    bool
        Whether there was such a set.
    """
    for join in plan.joins:
        if join.parts or _free(plan, join):
            continue
        plan.joins.remove(join)
        rest = _rest(plan, join)
        around = _around(plan, join)
        if around is None:
            plan.program.fail_if(rest)
        else:
            plan.bound[around] = rest
        return True
    return False


def enumerate_join(plan: Plan) -> None:
    """Write the choice of values for the free variables of all sets of one operator.

    Parameters
    ----------
    plan
        A plan of which nothing but sets with free variables is left.
    """
    program, symbol = plan.program, plan.joins[0].symbol
    joins = [join for join in plan.joins if join.symbol is symbol]
    plan.joins = [join for join in plan.joins if join.symbol is not symbol]
    free = list(dict.fromkeys(v for join in joins for v in _free(plan, join)))
    viewed = next((v for v in free if plan.is_viewed(v)), None)
    if viewed is not None:
        # What it holds says what its own variables are: they need not be guessed beside it.
        plan.joins.extend(joins)
        holder = next(join for join in joins if viewed in join.variables)
        part = program.new("x")
        program.loop(part, f"subsets({holder.args}, {symbol.unit is None})", through(holder.args))
        give(plan, holder, viewed, part, 1)
        return
    for v in free:
        met = met_by(plan, v, symbol)
        if met is not None:
            plan.joins.extend(joins)
            holder = next(join for join in joins if v in join.variables)
            part = program.new("x")
            known = program.constant(symbol)
            program.loop(part, f"within({holder.args}, {known}, {met.args})", through(holder.args))
            give(plan, holder, v, part, 1)
            return
    rests = [_rest(plan, join) for join in joins]
    rows = "".join(
        f"({join.args}, {rest if _around(plan, join) is None else '()'}, "
        f"{[free.index(v) for v in _free(plan, join)]}), "
        for join, rest in zip(joins, rests, strict=True)
    )
    needed = list(range(len(free))) if symbol.unit is None else []
    parts = [program.new("x") for _ in free]
    every = program.new("x")
    values = f"joined(({rows}), {len(free)}, {needed})"
    program.loop(every, values, through(joins[0].args), idle=FAILED)
    program.line(f"{', '.join(parts)}, = {every}")
    given = dict(zip(free, parts, strict=True))
    for join, rest in zip(joins, rests, strict=True):
        around = _around(plan, join)
        if around is not None:
            held = " + ".join(given[v] for v in _free(plan, join))
            plan.bound[around] = program.let("r", f"beyond({rest}, {held})")
    for variable, part in given.items():
        give(plan, joins[0], variable, part, 1)


def _free(plan: Plan, join: Bag) -> list[Interned]:
    """The variables of a set that have no value yet."""
    return [v for v in join.variables if v not in plan.bound and v not in plan.open]


def _around(plan: Plan, join: Bag) -> Interned | None:
    """The variable that stands for what is left around the pattern, if the set has it."""
    return next((v for v in join.variables if v in plan.open), None)


def _rest(plan: Plan, join: Bag) -> str:
    """The name of the operands that no part holds, and no variable that is bound."""
    symbol = plan.program.constant(join.symbol)
    held = [f"({name},)" for name, _, _ in join.picks]
    if join.known:
        held.append(join.known[0])
    known = [plan.bound[v] for v in join.variables if v in plan.bound]
    held.extend(f"operands({symbol}, {name})" for name in known)
    if not held:
        return join.args
    rest = plan.program.let("r", f"without({join.args}, ({', '.join(held)},))")
    plan.program.fail_if(f"{rest} is None")
    return rest
