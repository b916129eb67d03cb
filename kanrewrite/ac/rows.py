"""Rows: the operands of an associative application, compared in order.

What stands at either end and has a known length is compared first; then the first variable takes
as many operands as it may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanrewrite.ac.interned import VARIABLE, Interned
from kanrewrite.ac.program import through

if TYPE_CHECKING:
    from kanrewrite.ac.pending import Row
    from kanrewrite.ac.plan import Plan


def row_end(plan: Plan) -> bool:
    """Compare a part at either end of a row whose length is known, if there is one."""
    for row in plan.rows:
        if not row.parts:
            plan.rows.remove(row)
            plan.program.unless(f"{row.start} == {row.stop}")
            return True
        for at in (0, -1):
            part = row.parts[at]
            if part.symbol is VARIABLE and part not in plan.bound:
                continue
            del row.parts[at]
            _take(plan, row, part, first=at == 0)
            return True
        if len(row.parts) == 1:
            _fill(plan, row, row.parts.pop(), row.start, row.stop)
            plan.rows.remove(row)
            return True
    return False


def _take(plan: Plan, row: Row, part: Interned, first: bool) -> None:
    """Compare a part of known length with the operands at one end of a row."""
    program = plan.program
    if part.symbol is VARIABLE:
        segment = program.let("s", f"operands({program.constant(row.symbol)}, {plan.bound[part]})")
        length = f"len({segment})"
    else:
        segment, length = "", "1"
    end = program.let("p", f"{row.start} + {length}" if first else f"{row.stop} - {length}")
    program.fail_if(f"{end} > {row.stop}" if first else f"{end} < {row.start}")
    start, stop = (row.start, end) if first else (end, row.stop)
    if first:
        row.start = end
    else:
        row.stop = end
    if segment:
        program.unless(f"{row.args}[{start}:{stop}] == {segment}")
    else:
        plan.tasks.append((part, program.let("n", f"{row.args}[{start}]")))


def _fill(plan: Plan, row: Row, variable: Interned, start: str, stop: str) -> None:
    """Bind a variable to a segment of a row."""
    program = plan.program
    if variable in plan.open:
        plan.bound[variable] = program.let("s", f"{row.args}[{start}:{stop}]")
        return
    if row.symbol.unit is None:
        program.unless(f"{start} < {stop}")
    part = f"build({program.constant(row.symbol)}, {row.args}[{start}:{stop}])"
    plan.bind(variable, program.let("v", part))


def segment(plan: Plan, row: Row) -> None:
    """Write how many operands the first variable of a row takes, a choice if others are free."""
    if len({id(part) for part in row.parts if part.symbol is VARIABLE}) == 1:
        _share(plan, row)
        return
    least = sum(
        not (part.symbol is VARIABLE and (row.symbol.unit is not None or part in plan.open))
        for part in row.parts[1:]
    )
    variable, end = row.parts.pop(0), plan.program.new("p")
    empty = row.symbol.unit is not None or variable in plan.open
    first = row.start if empty else f"{row.start} + 1"
    values = f"range({first}, {row.stop} + 1 - {least})"
    plan.program.loop(end, values, through(row.args))
    start, row.start = row.start, end
    _fill(plan, row, variable, start, end)


def _share(plan: Plan, row: Row) -> None:
    """The same where one variable takes all that the others leave, several times."""
    program, variable = plan.program, row.parts.pop(0)
    times = 1 + row.parts.count(variable)
    others = len(row.parts) + 1 - times
    length = program.let("p", f"{row.stop} - {row.start} - {others}")
    program.fail_if(f"{length} < 0 or {length} % {times}")
    start, row.start = row.start, program.let("p", f"{row.start} + {length} // {times}")
    _fill(plan, row, variable, start, row.start)
