"""Graphs: short straight lines over two matrices and a number, each step one idiom.

A third grammar.  It has neither the sorts of `idioms` nor the many types and shapes of `recipes`:
what is squashed, gated, normalised and summed is squashed, gated and normalised again, along
either axis, as no model does and every rewrite should bear.
"""

from __future__ import annotations

from kanrewrite.fuzz.recipes import Recipe, equally

_AXES = ("axis=0", "axis=-1")

UNARY = equally(
    "f",
    4.0,
    "at.exp({0})",
    "at.exp(-{0})",
    "at.exp(-0.5 * {0}**2)",
    "at.expm1({0})",
    "at.log(at.abs({0}) + 0.1)",
    "at.log1p({0} * {0})",
    "at.log(1 + at.exp({0}))",
    "at.log(at.exp({0}) * 2 + 0.5)",
    "at.log(at.exp({0}) + at.exp(-{0}))",
    "1 / (1 + at.exp(-{0}))",
    "at.exp({0}) / (1 + at.exp({0}))",
    "at.tanh({0})",
    "at.sin({0})",
    "at.sqrt({0} * {0} + 1)",
    "at.square({0})",
    "{0}**3",
    "-{0}",
    "1 / ({0} * {0} + 0.5)",
    "at.abs({0})",
    "at.maximum({0}, 0)",
    "at.clip({0}, -1.5, 1.5)",
    "at.switch(at.gt({0}, 0), at.exp({0}), {0})",
)

BINARY = equally(
    "ff",
    3.0,
    "{0} + {1}",
    "{0} - {1}",
    "{0} * {1}",
    "{0} / (1 + at.abs({1}))",
    "{0} / at.exp({1})",
    "at.maximum({0}, {1})",
    "at.minimum({0}, {1})",
    "at.log(at.exp({0}) + at.exp({1}))",
    "at.exp({0}) / (at.exp({0}) + at.exp({1}))",
    "at.exp({0}) * {1} / (at.exp({0}).sum() + 1)",
    "at.switch(at.gt({0}, {1}), {0}, {1} * 0.5)",
    "at.cast(at.gt({0}, {1}), 'float64') * {0}",
)

#: What gives a number for each row or column, and what is done along them.
ALONG = equally(
    "v",
    3.0,
    "{0}.sum(axis=<0|-1>, keepdims=<True|False>)",
    "{0}.mean(axis=<0|-1>)",
    "{0}.var(axis=<0|-1>)",
    "{0}.max(axis=<0|-1>, keepdims=<True|False>)",
    "{0}.min(axis=<0|-1>)",
    "{0}.prod(axis=<0|-1>)",
    "at.cumsum({0}, axis=<0|-1>)",
    "at.log(at.exp({0}).sum(axis=<0|-1>))",
    "at.log(at.mean(at.exp({0}), axis=<0|-1>))",
    "{0} - at.log(at.exp({0}).sum(axis=<0|-1>, keepdims=True))",
    "at.exp({0}) / at.exp({0}).sum(axis=<0|-1>, keepdims=True)",
    "{0} / at.sqrt(({0}**2).sum(axis=<0|-1>, keepdims=True) + 1e-6)",
    "at.abs({0}) / (at.abs({0}).sum(axis=<0|-1>, keepdims=True) + 0.01)",
    "-(at.exp({0}) / at.exp({0}).sum() * at.log(at.exp({0}) / at.exp({0}).sum() + 1e-9)).sum()",
    "{0}[<0|1>]",
    "{0}[..., -1:]",
    "{0}[::-1]",
    "{0}[[0, 1, 1]]",
    "{0}.T",
)

#: A softmax of what is centred, with the inverse of its sum for a quotient.
CENTRED = tuple(
    Recipe(
        f"at.exp({{0}} - {{0}}.mean({axis}, keepdims=True))"
        f" * at.exp({{0}} - {{0}}.mean({axis}, keepdims=True)).sum({axis}, keepdims=True)**-1",
        "v",
        0.08,
    )
    for axis in _AXES
)

#: What is put somewhere: the result has the shape of the operand.
PLACED = tuple(
    Recipe(text, "v", 0.15, like=True)
    for text in (
        "at.set_subtensor({0}[0], 0.0)",
        "at.inc_subtensor({0}[-1], at.exp({0}[0]))",
    )
)

#: What the last step becomes: a sum, one of squares, or itself, with weights for derivatives.
RESULT = Recipe("<{0}.sum()|({0} * {0}).sum()|at.tensor_copy({0})>", "f")

#: All steps.
GRAPHS: tuple[Recipe, ...] = (*UNARY, *BINARY, *ALONG, *CENTRED, *PLACED)
