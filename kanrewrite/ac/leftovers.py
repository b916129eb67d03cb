"""Multisets of variables: what is left of a product when every other operand has its partner.

A multiset with one free variable has one answer or none.  Where several are left, the variable
that most multisets share is given a value first, any part of what they have in common.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kanrewrite.ac.distribution import FAILED
from kanrewrite.ac.program import removing, sharing

if TYPE_CHECKING:
    from kanrewrite.ac.interned import Interned, Symbol
    from kanrewrite.ac.pending import Bag
    from kanrewrite.ac.plan import Plan


#: How many variables are given their values one after the other.
_MANY = 500


def settle(plan: Plan) -> bool:
    """Write what a multiset with at most one free variable leaves no choice about.

    Parameters
    ----------
    plan
        The plan, at a point where no task is open.

    Returns
    -------
    bool
        Whether there was such a multiset.
    """
    for bag in plan.bags:
        if bag.parts:
            continue
        free = [variable for variable in bag.variables if variable not in plan.bound]
        if len(free) > 1:
            continue
        plan.bags.remove(bag)
        if not free:
            _subtract(plan, bag)
            plan.program.fail_if(_rest(plan, bag))
        elif free[0] in plan.open:
            _subtract(plan, bag)
            plan.bound[free[0]] = _rest(plan, bag)
        else:
            _last(plan, bag, free[0])
        return True
    return False


def enumerate_bag(plan: Plan) -> None:
    """Write the choice of a value for the most shared free variable of the multisets left.

    Parameters
    ----------
    plan
        A plan of which nothing but multisets with two or more free variables is left.
    """
    for bag in plan.bags:
        _subtract(plan, bag)
    ending = next((bag for bag in plan.bags if _is_pair(plan, bag)), None)
    if ending is not None and len(plan.bags) == sum(_is_pair(plan, bag) for bag in plan.bags):
        _pairs(plan)
        return
    variable, holders = _most_shared(plan)
    tied = _tied(plan, holders) or _wide(holders)
    if tied:
        _distribute(plan, tied)
    else:
        _choose(plan, variable, holders)


def _rest(plan: Plan, bag: Bag) -> str:
    """The name of what a multiset's parts left."""
    if bag.rest is None:
        taken = _picks(bag)
        some = bag.picks or bag.known
        bag.rest = plan.program.let("r", f"minus({bag.args}, {taken})") if some else bag.args
    return bag.rest


def _picks(bag: Bag) -> str:
    known = f"*{bag.known[0]}, " if bag.known else ""
    return "(" + known + "".join(f"{name}, " * times for name, times, _ in bag.picks) + ")"


def _subtract(plan: Plan, bag: Bag) -> None:
    """Take the variables that are bound out of a multiset."""
    for variable, times in list(bag.variables.items()):
        name = plan.bound.get(variable)
        if name is None or variable in plan.open:
            continue
        del bag.variables[variable]
        symbol = plan.program.constant(bag.symbol)
        if times < 0:
            name = f"invert({symbol}, {name})"
        taken = f"operands({symbol}, {name})"
        taken = taken if abs(times) == 1 else f"{taken} * {abs(times)}"
        if times < -1 or times > 1:
            # Repeating a tuple keeps equal operands apart; `minus` counts, so the order is free.
            taken = f"({taken})"
        bag.rest = plan.program.let("r", f"minus({_rest(plan, bag)}, {taken})")
        plan.program.fail_if(f"{bag.rest} is None")


def _last(plan: Plan, bag: Bag, variable: Interned) -> None:
    """Give a multiset's only free variable all that is left of it."""
    program, times = plan.program, bag.variables[variable]
    symbol = program.constant(bag.symbol)
    if len(bag.variables) == 1 and times == 1 and bag.rest is None and _is_final(plan, variable):
        # The commonest end: all operands but a few, without building an interned term of them.
        value = f"leftover({bag.term}, {symbol}, {_picks(bag)})"
        plan.plain[variable] = program.let("v", value)
        return
    _subtract(plan, bag)
    rest = _rest(plan, bag)
    if abs(times) > 1:
        rest = program.let("r", f"divided({rest}, {abs(times)})")
        program.fail_if(f"{rest} is None")
    if bag.symbol.unit is None:
        program.unless(rest)
    give(plan, bag, variable, rest, times)


def _is_final(plan: Plan, variable: Interned) -> bool:
    """Whether only the answer needs a variable's value."""
    asked = variable in plan.sorts.variables
    return not (plan.interned or asked or variable in plan.waiting())


def give(plan: Plan, bag: Bag, variable: Interned, args: str, times: int) -> None:
    """Bind a variable to a product of operands.

    Parameters
    ----------
    plan
        The plan.
    bag
        The operands of which these are a part.
    variable
        The variable.
    args
        The name of its operands.
    times
        How often it takes them; negative for an inverse.
    """
    program, symbol = plan.program, plan.program.constant(bag.symbol)
    if times > 0 and _is_final(plan, variable):
        plan.plain[variable] = program.let("v", f"product({symbol}, {args})")
        return
    product = f"build({symbol}, {args})"
    if times < 0:
        product = f"invert({symbol}, {product})"
    plan.bind(variable, program.let("v", product))


def _is_pair(plan: Plan, bag: Bag) -> bool:
    """Whether a multiset is shared by two variables that occur nowhere else."""
    if plan.interned or list(bag.variables.values()) != [1, 1] or plan.open & set(bag.variables):
        return False
    if not plan.sorts.variables.isdisjoint(bag.variables):
        return False
    others = [other for other in plan.bags if other is not bag]
    plan.bags, held = others, plan.bags
    waiting = plan.waiting()
    plan.bags = held
    return not waiting & set(bag.variables)


def _pairs(plan: Plan) -> None:
    """Write the loops over multisets that two variables each share between them."""
    program = plan.program
    made = [program.let("q", _shares(plan, bag)) for bag in plan.bags]
    for bag, values in zip(plan.bags, made, strict=True):
        names = [program.new("v") for _ in bag.variables]
        program.loop(", ".join(names), values)
        plan.plain.update(zip(bag.variables, names, strict=True))
    plan.bags.clear()


def _shares(plan: Plan, bag: Bag) -> str:
    """The source of the ways in which two variables share a multiset."""
    symbol, rest = plan.program.constant(bag.symbol), _rest(plan, bag)
    return f"shares({bag.term}, {symbol})" if rest == bag.args else f"pairs({symbol}, {rest})"


def _most_shared(plan: Plan) -> tuple[Interned, list[Bag]]:
    """The variable most multisets of one operator hold, with these multisets."""
    found: dict[tuple[Interned, object, bool], list[Bag]] = {}
    for bag in plan.bags:
        for variable, times in bag.variables.items():
            if variable not in plan.open:
                found.setdefault((variable, bag.symbol, times < 0), []).append(bag)
    if plan.sorts.variables and any(v in plan.sorts.variables for v, *_ in found):
        found = {key: bags for key, bags in found.items() if key[0] in plan.sorts.variables}
    mixed = any(bag.symbol is not plan.bags[0].symbol for bag in plan.bags + plan.joins)
    (variable, *_), holders = max(
        found.items(),
        key=lambda item: (
            mixed and met_by(plan, item[0][0], item[1][0].symbol) is not None,
            len(item[1]),
            max(abs(bag.variables[item[0][0]]) for bag in item[1]),
        ),
    )
    return variable, holders


def met_by(plan: Plan, variable: Interned, symbol: Symbol) -> Bag | None:
    """Operands of another operator that a variable is one of, if it is a product.

    Parameters
    ----------
    plan
        The plan.
    variable
        A free variable.
    symbol
        The operator that the product would have.
    """
    if symbol.inverse is not None or variable in plan.open:
        return None
    for bag in plan.bags + plan.joins:
        other = bag.symbol
        if variable not in bag.variables or other is symbol or other.inverse is not None:
            continue
        # Where the variable is the other's unit, it is not among its operands.
        if other.unit is None or other.unit.symbol is not symbol:
            return bag
    return None


def _tied(plan: Plan, holders: list[Bag]) -> list[Bag]:
    """The multisets of one operator that variables connect, if more than one variable does."""
    if len(plan.bags) == 1:
        return []
    found, before = list(holders), 0
    while len(found) > before:
        before = len(found)
        names = {variable for bag in found for variable in bag.variables}
        found = [
            bag
            for bag in plan.bags
            if bag.symbol is holders[0].symbol and not names.isdisjoint(bag.variables)
        ]
    counts = Counter(variable for bag in found for variable in bag.variables)
    several = sum(count > 1 for count in counts.values()) > 1
    positive = all(times > 0 for bag in found for times in bag.variables.values())
    return found if several and positive else []


def _wide(holders: list[Bag]) -> list[Bag]:
    """The same of one multiset of so many variables that each choice of a value looks at many."""
    variables = holders[0].variables
    alone = len(holders) == 1 and len(variables) > _MANY
    return holders if alone and all(times > 0 for times in variables.values()) else []


def _distribute(plan: Plan, tied: list[Bag]) -> None:
    """Write the choice of values for all variables of multisets that several of them connect."""
    program, first = plan.program, tied[0]
    names = list(dict.fromkeys(variable for bag in tied for variable in bag.variables))
    rows = "".join(
        f"({_rest(plan, bag)}, {tuple(bag.variables.get(v, 0) for v in names)}), " for bag in tied
    )
    needed = [n for n, v in enumerate(names) if first.symbol.unit is None and v not in plan.open]
    parts = [program.new("x") for _ in names]
    every = program.new("x")
    values = f"distributed(({rows}), {needed})"
    program.loop(every, values, sharing(_rest(plan, first)), idle=FAILED)
    program.line(f"{', '.join(parts)}, = {every}")
    plan.bags = [bag for bag in plan.bags if bag not in tied]
    for variable, part in zip(names, parts, strict=True):
        if variable in plan.open:
            plan.bound[variable] = part
        else:
            give(plan, first, variable, part, 1)


def _choose(plan: Plan, variable: Interned, holders: list[Bag]) -> None:
    """Write the choice of a part of what multisets have in common as a variable's value."""
    program, first = plan.program, holders[0]
    part, left = program.new("x"), program.new("r")
    rest = _rest(plan, first)
    least = 0
    if first.symbol.unit is None:
        least = sum(
            abs(times)
            for other, times in first.variables.items()
            if other is not variable and other not in plan.open
        )
    times = abs(first.variables[variable])
    most = f"(len({rest}) - {least}) // {times}" if least else "None"
    met = met_by(plan, variable, first.symbol)
    named = met is not None or plan.sorts.is_single(variable, first.symbol)
    if named:
        symbol, others = program.constant(first.symbol), "()" if met is None else met.args
        values = f"meeting({rest}, {times}, {symbol}, {others})"
    elif len(holders) == 1:
        values = f"splits(runs({rest}), {times}, {most})"
    else:
        others = "".join(
            f", ({_rest(plan, bag)}, {abs(bag.variables[variable])})" for bag in holders[1:]
        )
        values = f"splits(shared({rest}, {times}{others}), 1, {most})"
    steps = (removing if named else sharing)(rest)
    if not named and variable in plan.sorts.variables:
        named = len(holders) > 1
        values = f"singles_first({rest}, {times}, {program.constant(first.symbol)}, {values})"
        steps = f"{removing(rest)} if len({part}) < 2 else {steps}"
    program.loop(f"{part}, {left}", values, steps)
    if first.symbol.unit is None:
        program.unless(part)
    taken = [bag.variables.pop(variable) for bag in holders]
    if len(holders) == 1:
        first.rest = left
    else:
        for bag, often in zip(holders, taken, strict=True):
            part_of = part if abs(often) == 1 else f"{part} * {abs(often)}"
            bag.rest = program.let("r", f"minus({_rest(plan, bag)}, {part_of})")
            if named:
                program.fail_if(f"{bag.rest} is None")
    give(plan, first, variable, part, taken[0])
