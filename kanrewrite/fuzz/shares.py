"""Shares: what is done with the probabilities of rows of a matrix, step upon step, to a loss.

A fourth grammar.  Each step takes what the last one gave, so that every program is one deep
composition: a share is mixed, picked, cut, summed and compared as people do it, and then logged.
Almost all of them are exact in stock Aesara at everyday inputs.
"""

from __future__ import annotations

from kanrewrite.fuzz.recipes import Recipe, equally

_ROWS = "axis=<1|0>, keepdims=True"

#: What scores ``S`` become first.
SHARES = (
    *equally(
        "S",
        4.0,
        "at.exp({0}) / at.exp({0}).sum(axis=1, keepdims=True)",
        "at.exp({0}) * at.exp({0}).sum(axis=1, keepdims=True)**-1",
        "at.exp({0} - at.log(at.exp({0}).sum(axis=1, keepdims=True)))",
        "special.softmax({0}, axis=<1|0>)",
        "at.exp(special.log_softmax({0}, axis=1))",
        "at.exp({0} / 0.7) / at.exp({0} / 0.7).sum(axis=1, keepdims=True)",
    ),
    *equally(
        "S",
        2.0,
        "at.exp({0}) / (1 + at.exp({0}).sum(axis=1, keepdims=True))",
        "1 / (1 + at.exp(-{0}))",
        "at.exp({0}) / (1 + at.exp({0}))",
        "at.sigmoid({0})",
    ),
    *equally("SW", 0.7, "at.exp({0} + {1}) / at.exp({0} + {1}).sum(axis=1, keepdims=True)"),
    *equally(
        "SM",
        0.7,
        "{1} * at.exp({0}) / (1e-3 + ({1} * at.exp({0})).sum(axis=1, keepdims=True))",
        "at.switch({1}, at.exp({0}), 0) / (1 + at.exp({0}).sum(axis=1, keepdims=True))",
    ),
)

#: What the last step ``P`` becomes, with any before it ``Q``, weights ``W`` and conditions ``M``.
STEPS = (
    *equally(
        "P",
        6.0,
        "1 - {0}",
        "{0}**<2|3>",
        "at.sqrt({0})",
        "{0} / (1 - {0})",
        "at.log({0} / (1 - {0}))",
        "at.log(1 + {0})",
        "(1 - {0})**2 * {0}",
        "{0} * at.log({0})",
        "-at.log(1 - {0})",
    ),
    *equally(
        "P",
        6.0,
        "{0}[at.arange(3), [1, 0, 2]]",
        "{0}[at.arange(3), [1, 0, 2]][:, None]",
        "{0}[<[0, 0, 2]|[1, 0, 2]|::-1|1:>]",
        "{0}[:, <[2, 0, 0]|[1, 0, 2]|::-1|1:|:-1|::2|1>]",
        "{0}[<0|-1>]",
        "{0}.T",
        "{0}[:, 1:] - {0}[:, :-1]",
        "{0} - {0}[:, <::-1|[1, 1, 0, 0]>]",
    ),
    *equally(
        "P",
        6.0,
        f"{{0}}.sum({_ROWS})",
        "{0}.sum(axis=<0|1>)",
        f"{{0}}.<max|min>({_ROWS})",
        "at.cumsum({0}, axis=<0|1>)",
        "at.cumsum({0}[:, ::-1], axis=1)[:, ::-1]",
        f"{{0}} / {{0}}.sum({_ROWS})",
        f"{{0}} - {{0}}.mean({_ROWS})",
        f"{{0}}.prod({_ROWS})",
        f"1 - (1 - {{0}}).prod({_ROWS})",
    ),
    *equally(
        "PQ",
        4.0,
        "0.3 * {0} + 0.7 * {1}",
        "0.3 * {0} + 0.7 * {1}[::-1]",
        "{0} * {1}",
        "{0} * {1}[<::-1|:, ::-1>]",
        "1 - (1 - {0}) * (1 - {1})",
        "{0} - {1}",
        "{0} * (1 - {1})",
    ),
    *equally(
        "PW",
        2.0,
        "{0} * at.exp({1})",
        "at.dot({0}, {1})",
        "at.dot({0}, at.exp({1}))",
        "at.sigmoid({1}) * {0} + 1 - at.sigmoid({1})",
        "{0} * {1}[<:|::-1>]",
    ),
    *equally(
        "PM",
        2.0,
        "at.switch({1}, {0}, 0)",
        "at.switch({1}, 2 * {0}, {0})",
        "at.switch({1}, {0}, 1 - {0})",
        "{1} * {0}",
    ),
)

#: What is asked of the last step.
LOSSES = equally(
    "P",
    1.0,
    "{0}.sum()",
    "at.log({0}.sum())",
    "-at.log({0}).<sum|mean>()",
    "-at.log(1 - {0}).<sum|mean>()",
    "at.log(at.exp({0}).sum())",
    "({0}**2).sum()",
    "-at.log({0})",
)

#: All of them.
OF_SHARES: tuple[Recipe, ...] = (*SHARES, *STEPS, *LOSSES)
