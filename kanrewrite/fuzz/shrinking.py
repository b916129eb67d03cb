"""Shrinking: a failure with fewer lines, fewer derivatives and rounder numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter

import numpy as np

from kanrewrite.fuzz.judging import Compiled, Unjudged, Verdict, compiled
from kanrewrite.fuzz.programs import Line, Program, Values

#: Seconds that a failure is shrunk for.
SECONDS = 20.0


def shrunk(
    program: Program, values: Values, verdict: Verdict, seconds: float = SECONDS, full: bool = False
) -> tuple[Program, Values, Verdict]:
    """A smaller program that fails in the same way.

    Parameters
    ----------
    program : Program
    values : dict
        Where it fails.
    verdict : Verdict
        How it fails; what is found fails as the same kind.
    seconds : float
        How long smaller programs are tried.
    full : bool
        See `compiled`.
    """
    end = perf_counter() + seconds
    found = (program, values, verdict)
    smaller = True
    while smaller and perf_counter() < end:
        smaller = False
        for candidate in _smaller(found[0]):
            if perf_counter() > end:
                break
            seen = _fails(candidate, found[1], verdict.kind, full)
            if seen is not None:
                found, smaller = (candidate, _kept(candidate, found[1]), seen), True
                break
    return _rounder(*found, full=full)


def _kept(program: Program, values: Values) -> Values:
    return {i.name: values[i.name] for i in program.inputs}


def _fails(program: Program, values: Values, kind: str, full: bool) -> Verdict | None:
    try:
        seen = compiled(program, full).judged(_kept(program, values))
    except Unjudged:
        return None
    return seen if seen is not None and seen.kind == kind else None


def _smaller(program: Program) -> Iterator[Program]:
    """Programs with one thing less, the largest cuts first."""
    for order in range(program.order):
        yield replace(program, order=order)
    lines = program.lines
    for end in range(1, len(lines)):
        yield replace(program, lines=lines[:end]).trimmed()
    for place, line in enumerate(lines):
        for operand in line.operands:
            rest = [x.renamed({line.name: operand}) for x in lines[place + 1 :]]
            if rest:
                yield replace(program, lines=(*lines[:place], *rest)).trimmed()
    for place, line in enumerate(lines):
        for other in _plainer(line, program):
            yield replace(program, lines=(*lines[:place], other, *lines[place + 1 :])).trimmed()


def _plainer(line: Line, program: Program) -> Iterator[Line]:
    """A line with an input in place of an operand that was computed."""
    inputs = {i.name: i for i in program.inputs}
    for operand in dict.fromkeys(line.operands):
        if operand not in inputs:
            for name, i in inputs.items():
                if i.dtype.startswith("float"):
                    yield line.renamed({operand: name})


def _rounder(
    program: Program, values: Values, verdict: Verdict, full: bool
) -> tuple[Program, Values, Verdict]:
    """Values with fewer digits; one compilation serves them all."""
    try:
        made = compiled(program, full)
    except Unjudged:
        return program, values, verdict
    fails = _check(made, verdict.kind)
    for name, value in values.items():
        for where in np.ndindex(value.shape):
            for simple in _simpler(value[where]):
                tried = {**values, name: value.copy()}
                tried[name][where] = simple
                seen = fails(tried)
                if seen is not None:
                    values, value, verdict = tried, tried[name], seen
                    break
    return program, values, verdict


def _check(made: Compiled, kind: str) -> Callable[[Values], Verdict | None]:
    def check(values: Values) -> Verdict | None:
        try:
            seen = made.judged(values)
        except Unjudged:
            return None
        return seen if seen is not None and seen.kind == kind else None

    return check


def _simpler(number: float) -> list[float]:
    if not np.isfinite(number) or number in (0, 1):
        return []
    tries = [0.0, 1.0, float(round(float(number))), round(float(number), 1)]
    return [t for t in tries if t != number]
