"""What makes forms keeps what they are worth: at random graphs, wherever it was made.

A replacement that is right need not be made of what is: most of what is read is never built.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

import aesara
import numpy as np
import pytest
from aesara.compile.mode import Mode

from kanrewrite.fuzz.generation import EVERYDAY, GRAPH, SHARE, generated
from kanrewrite.view.forms import Form
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.recognise import Recogniser
from tests.view.common import enabled
from tests.view.values import Unknown, Values

QUICK = Mode("py", "fast_run").excluding("fusion", "inplace")

#: Of each constructor, by what its arguments are worth, what its result is.
MADE: dict[tuple[Any, str], Callable[..., Any]] = {
    (Lifting, "add_terms"): lambda v, terms: v.total(terms),
    (Lifting, "_without_logs"): lambda v, terms: v.total(terms),
    (Lifting, "_fractions_added"): lambda v, terms: v.total(terms),
    (Lifting, "_multiplied_out"): lambda v, terms: v.total(terms),
    (Lifting, "mul"): lambda v, *forms: reduce(np.multiply, map(v, forms), np.ones(())),
    (Lifting, "pow"): lambda v, form, k: v(form) ** float(k),
    (Lifting, "sum"): lambda v, form, axes: v(form).sum(tuple(axes), keepdims=True),
    (Lifting, "sums_as_one"): lambda v, a, b, axes: (v(a) + v(b)).sum(tuple(axes), keepdims=True),
    (Lifting, "move"): lambda v, form, move: v.moved(v(form), move.restricted(form.bcast)),
    (Recogniser, "rewrite"): lambda v, form, _: v(form),
}


def watched(
    made: Callable[..., Any], worth: Callable[..., Any], values: Values, wrong: list[str]
) -> Any:
    """A constructor that notes where what it makes is not what it should be."""

    def constructor(self: Any, *args: Any) -> Any:
        form = made(self, *args)
        if isinstance(form, Form):
            try:
                found, right = values(form), np.asarray(worth(values, *args), "float64")
            except (Unknown, ValueError, AttributeError):  # of what is not written out there
                return form
            if np.isfinite(right).all() and right.size:
                tolerance = 1e-7 * np.abs(right) + 1e-9 * np.abs(right).max() + 1e-12
                if not (np.abs(found - right) <= tolerance).all():
                    wrong.append(f"{made.__name__}{args} made {form}")
        return form

    return constructor


SEEDS = [f"5/{kind}{n}" for kind in (SHARE, GRAPH) for n in range(12)]


#: The last has logs among fractions that leave some of the same.
@pytest.mark.spared
@pytest.mark.parametrize("seed", [*SEEDS, f"50/{SHARE}225"])
def test_constructors_keep_the_value(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, shapes = generated(seed)
    inputs, outputs = replace(program, order=2).graph()
    values = Values(shapes.values(EVERYDAY[0], random.Random(seed)))
    wrong: list[str] = []
    for (kind, name), worth in MADE.items():
        monkeypatch.setattr(kind, name, watched(getattr(kind, name), worth, values, wrong))
    with enabled(), np.errstate(all="ignore"):
        aesara.function(inputs, list(outputs.values()), mode=QUICK, on_unused_input="ignore")
    assert not wrong, wrong[0]
