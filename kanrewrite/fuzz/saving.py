"""Saving: a failure as a test that needs neither seed nor generator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from kanrewrite.fuzz.judging import Unjudged, Verdict, compiled
from kanrewrite.fuzz.programs import Program, Values, program_of

_TEMPLATE = '''\
"""Found by ``kanrewrite fuzz`` as program {seed}: {kind} at {where}."""

from numpy import inf, nan  # noqa: F401  # what values are written with

from kanrewrite.fuzz import failure

PROGRAM = """
{program}
"""
VALUES = {values}


def test_program_{name}() -> None:
    assert failure(PROGRAM, VALUES, order={order}) is None
'''


def source(seed: str, program: Program, values: Values, verdict: Verdict) -> str:
    """The text of a file of tests, which fails."""
    return _TEMPLATE.format(
        seed=seed,
        kind=verdict.kind,
        where=verdict.where,
        program=program,
        values={name: value.tolist() for name, value in values.items()},
        name=re.sub(r"\W", "_", seed),
        order=program.order,
    )


def failure(
    text: str, values: Mapping[str, Any], order: int = 1, full: bool = False
) -> Verdict | None:
    r"""How a program fails at some inputs, None if it does not.

    Parameters
    ----------
    text : str
        The program, as `kanrewrite.fuzz.programs.program_of` reads it.
    values : mapping from str to array_like
        The values of its inputs.
    order : int
        0 for the value alone, 1 with gradients, 2 with a product of the Hessian too.
    full : bool
        Whether with fusion and inplace operations.

    Raises
    ------
    Unjudged
        Stock Aesara cannot compile or run it, or nothing says what is true.

    Examples
    --------
    >>> failure("x = at.TensorType('float64', shape=())('x')\nv = at.exp(x)", {"x": 1.0})
    """
    program = program_of(text, order)
    given = {i.name: np.asarray(values[i.name], i.dtype) for i in program.inputs}
    return compiled(program, full).judged(given)


__all__ = ["Unjudged", "failure", "source"]
