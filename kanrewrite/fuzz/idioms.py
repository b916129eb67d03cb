"""Idioms: what people write with exponentials, and how one is put into another.

A second grammar beside that of single operators (`recipes`).  Its sorts are those of models, not
of arrays: scores become weights by some exponential, weights become shares or probabilities by
some normalisation, and these are masked, picked, mixed, summed in segments and logged.  Programs of
it are deep in what matters and seldom fail by themselves.

A kind is a sort, and a number of dimensions where it matters: any number ``S``, what is not
negative ``W``, what is between 0 and 1 ``P``, a condition ``M``, one in int8 ``I``.
"""

from __future__ import annotations

from kanrewrite.fuzz.recipes import Recipe

#: What sorts may stand for others.
SORTS = {"S": "SWP", "W": "WP", "P": "P"}
_ROWS = "axis=-1, keepdims=True|axis=0, keepdims=True|axis=0|axis=-1|"


def _made(sort: str, *rows: tuple[str, str, float]) -> tuple[Recipe, ...]:
    """Recipes that give one sort, from templates, kinds and weights."""
    return tuple(
        Recipe(text, tuple(kinds.split()), weight, sort=sort) for text, kinds, weight in rows
    )


SCORES = _made(
    "S",
    ("{0} - {1}", "S S", 1.5),
    ("{0} + {1}", "S S", 0.7),
    ("{0} * <2|0.5|-1|-3>", "S", 0.7),
    ("{0} * {1}", "S S", 0.5),
    ("-0.5 * ({0} - {1})**2", "S S", 0.8),
    ("-at.abs({0} - {1})", "S S", 0.5),
    ("<|-0.5 * >({0}[:, None] - {1}[None, :])<|**2>", "S1 S1", 0.8),
    ("{0}[:, None] + {1}[None, :]", "S1 S1", 0.3),
    ("at.dot({0}, {1})", "S2 S1", 0.5),
    ("at.dot({0}, {1}.T)", "S2 S2", 0.2),
    ("at.minimum({0} - {1}, <{1}|0|{1} - {0}>)", "S S", 0.6),
    ("at.maximum({0} - {1}, <0|{1}|{1} - {0}>)", "S S", 0.6),
    ("at.maximum({0}, 0) + {1}", "S S", 0.3),
    ("{0} / at.exp({1})", "S S", 0.5),
    ("({0} - {1}) * at.exp(<-|>{1})", "S S", 0.4),
    ("at.switch({0}, {1}, <-np.inf|-30.0|0>)", "M S", 0.6),
    ("{1} + (1 - {0}) * -40.0", "I S", 0.3),
    ("{1} - 30.0 * {0}", "M S", 0.2),
    ("at.cumsum({0}, axis=-1)", "S1", 0.3),
    ("{0} - {0}.max(axis=<-1|0>, keepdims=True)", "S", 0.5),
    ("{0} - {0}.mean()", "S", 0.3),
    ("at.log({0})", "W", 1.0),
    ("(at.cosh({0}) * {1}).sum(axis=-1, keepdims=True)", "S S", 0.2),
    ("at.tanh({0})", "S", 0.3),
    ("{0}.T", "S2", 0.4),
)

WEIGHTS = _made(
    "W",
    ("at.exp({0})", "S", 4.0),
    ("at.exp(-{0})", "S", 1.0),
    ("at.exp(at.exp({0}))", "S", 0.5),
    ("at.exp(-at.exp({0}))", "S", 0.4),
    ("at.cosh({0})", "S", 0.3),
    ("at.log(1 + at.exp({0}))", "S", 0.7),
    ("1 + at.exp({0})", "S", 0.6),
    ("<2.0|10.0>**{0}", "S", 0.3),
    ("at.exp({0})**<2|0.5|-1|3>", "S", 0.4),
    ("at.exp({0} - {0}.max(axis=<-1|0>, keepdims=True))", "S", 0.7),
    ("at.exp({0}) * {1}", "S W", 0.7),
    ("at.exp({0}) + at.exp({1})", "S S", 0.7),
    ("at.exp(-0.5 * (({0} - {1}) / at.exp({2}))**2) / at.exp({2})", "S S S", 0.4),
    ("{0} * {1}", "W W", 1.0),
    ("{0} + {1}", "W W", 0.8),
    ("{0} / {1}", "W W", 0.6),
    ("{0}**<2|0.5|1.5>", "W", 0.4),
    ("{0}**at.exp({1})", "W S", 0.15),
    ("at.abs(at.exp({0}) - at.exp({1}))", "S S", 0.2),
    ("at.clip({0}, 0.1, <5|0.9>)", "W", 0.3),
    ("at.maximum({0}, {1})", "W W", 0.3),
)

MASKED = _made(
    "W",
    ("at.switch({0}, {1}, 0)", "M W", 1.2),
    ("at.switch({0}, 0, {1})", "M W", 0.9),
    ("at.switch({0}, {1}, {2})", "M W W", 0.6),
    ("{0} * {1}", "M W", 1.2),
    ("(1 - {0}) * {1}", "M W", 0.9),
    ("at.cast({0}, 'float64') * {1}", "M W", 0.3),
    ("at.gt({0}, 0) * {1}", "S W", 0.5),
    ("at.le({0}, 0) * {1}", "S W", 0.5),
    ("at.switch(at.ge({0}, {1}), {2}, 0)", "S S W", 0.4),
    ("at.eq({0}, {0}.max()) * {0}", "W", 0.2),
)

SUMS = _made(
    "W",
    (f"{{0}}.sum(<{_ROWS}>)", "W", 2.5),
    ("({0} * {1}).sum(<axis=-1|axis=-1, keepdims=True|>)", "W W", 1.0),
    ("at.dot({0}, {1})", "W W", 0.7),
    ("at.dot({0}, {1})", "P2 W1", 0.4),
    ("{0}.mean(<axis=-1|axis=0|>)", "W", 0.5),
    ("{0}.max(<axis=-1|axis=0|axis=-1, keepdims=True|>)", "W", 0.3),
    ("{0}.prod(<axis=-1|>)", "W", 0.3),
    ("at.cumsum({0}, axis=<-1|0>)", "W", 0.3),
    ("at.cumsum({0}[::-1], axis=0)[::-1]", "W", 0.2),
    ("at.dot(at.eq(at.arange(2)[:, None], at.arange({0}.shape[0]) % 2), {0})", "W", 0.4),
    ("at.concatenate([{0}[:1], {0}[1:] + {0}[:-1]])", "W", 0.2),
)

#: What is put somewhere: their results have the shape of the operand.
PLACED = tuple(
    Recipe(text, ("W",), weight, like=True, sort="W")
    for text, weight in (
        ("at.inc_subtensor(at.zeros_like({0})[at.arange({0}.shape[0]) // 2], {0})", 0.4),
        ("at.set_subtensor({0}[<0|-1|1:>], <0.0|1.0>)", 0.4),
        ("at.inc_subtensor({0}[<0|1:|[0, -1, 0]>], 0.5)", 0.3),
    )
)

#: Differences that lose digits where their terms overlap.
DIFFERENCES = _made(
    "S",
    ("at.switch({0}, {1}, 0).sum() - at.switch({0}, 0, {1}).sum()", "M W", 0.7),
    ("({0} * {1}).sum() - ((1 - {0}) * {1}).sum()", "M W", 0.7),
    ("(at.gt({0}, 0) * {1}).sum() - (at.le({0}, 0) * {1}).sum()", "S W", 0.5),
    ("{0}.sum(axis=-1, keepdims=True) - {0}", "W", 0.7),
    ("{0}.sum() - {0}[<0|[0, 0]|1:|::2>].sum()", "W", 0.6),
    ("{0}.sum() - at.switch({1}, {0}, 0).sum()", "W M", 0.5),
    ("{0}.sum()**2 - ({0}**2).sum()", "W", 0.5),
    ("{0} - {0}.mean(<axis=-1, keepdims=True|>)", "W", 0.4),
    ("{0}[1:].sum() - {0}[:-1].sum()", "W", 0.3),
    ("{0} - {1}", "W W", 0.7),
    ("1 - {0}", "W", 0.4),
    ("{0}[1:] - {0}[:-1]", "W", 0.3),
)

SHARES = _made(
    "P",
    ("at.exp({0}) / at.exp({0}).sum(axis=<-1|0>, keepdims=True)", "S", 2.0),
    ("{0} / {0}.sum(<axis=-1, keepdims=True|axis=0, keepdims=True|>)", "W", 2.5),
    ("{0} * {0}.sum()**-1", "W", 0.3),
    ("{0} / (<1e-8|1|1e-3> + {0}.sum(axis=-1, keepdims=True))", "W", 0.5),
    ("{0} * {1} / ({0} * {1}).sum(<axis=-1, keepdims=True|>)", "W W", 0.8),
    ("{0} / ({0} + {1})", "W W", 0.8),
    ("{0} / (1 + {0})", "W", 0.6),
    ("{0}**<2|0.5|3> / ({0}**<2|0.5|3>).sum(axis=-1, keepdims=True)", "W", 0.3),
    ("at.switch({0}, {1}, 0) / at.switch({0}, {1}, 0).sum(<axis=-1, keepdims=True|>)", "M W", 0.7),
    ("{0} * {1} / ({0} * {1}).sum(<axis=-1, keepdims=True|>)", "M W", 0.6),
    ("at.exp({0} - at.log(at.exp({0}).sum(<axis=-1, keepdims=True|>)))", "S", 0.5),
    ("special.softmax({0}, axis=<-1|0>)", "S", 0.5),
    ("1 / (1 + at.exp(-{0}))", "S", 1.0),
    ("at.exp({0}) / (1 + at.exp({0}))", "S", 0.7),
    ("at.sigmoid({0})", "S", 0.4),
    ("(1 + at.tanh({0} / 2)) / 2", "S", 0.2),
    ("1 - at.exp(-at.exp({0}))", "S", 0.3),
    ("at.exp(-at.log(1 + at.exp({0})))", "S", 0.3),
    ("1 / at.exp({0}[None, :] - {0}[:, None]).sum(axis=1)", "S1", 0.3),
)

PROBABILITIES = _made(
    "P",
    ("1 - {0}", "P", 1.5),
    ("{0} * {1}", "P P", 1.0),
    ("{1} * {0} + (1 - {1}) * {2}", "P P P", 0.8),
    ("1 - (1 - {0}) * (1 - {1})", "P P", 0.5),
    ("1 - (1 - {0}).prod(<axis=-1|>)", "P", 0.3),
    ("at.cumprod(1 - {0}, axis=-1)", "P1", 0.15),
    ("{0}.mean(axis=<-1|0>)", "P", 0.4),
    ("{0}[<0|-1|1:|::-1|[0, 0]|[0, -1, 0]>]", "P", 1.5),
    ("{0}[:, <0|-1|[0, -1, 0]|1:>]", "P2", 0.7),
    ("{0}[at.arange({0}.shape[0]), <0|-1>]", "P2", 0.7),
    ("{0}[0] * {0}[-1][<[0, -1, 0]|::-1>]", "P2", 0.4),
    ("at.diagonal({0})", "P2", 0.3),
    ("{0}.T", "P2", 0.3),
    ("at.dot({0}, {1})", "P2 P1", 0.3),
    ("{0}**<2|{1}>", "P P", 0.3),
    ("at.clip({0}, 1e-7, 1 - 1e-7)", "P", 0.2),
)

LOGS = _made(
    "S",
    ("<-|>at.log({0})", "P", 2.0),
    ("<-|>at.log(1 - {0})", "P", 1.0),
    ("at.log(<1e-9|1e-3> + {0})", "P", 0.3),
    ("at.log({0}.sum(<axis=-1|axis=0|>))", "W", 1.0),
    ("at.log({0} / {1})", "W W", 0.4),
    ("at.log({0} / (1 - {0}))", "P", 0.4),
    ("{0} * at.log({0})", "P", 0.6),
    ("-({0} * at.log({0})).sum(<axis=-1|>)", "P", 0.6),
    ("at.switch(at.eq({0}, 0), 0, {0} * at.log({0}))", "P", 0.3),
    ("at.switch({0}, at.log({1}), at.log(1 - {1}))", "M P", 0.5),
    ("{0} * at.log({1}) + (1 - {0}) * at.log(1 - {1})", "M P", 0.4),
    ("({0} * (at.log({0}) - at.log({1}))).sum()", "P P", 0.4),
    ("at.exp(-({0} * at.log({0})).sum(<axis=-1|>))", "P", 0.3),
    ("at.log(1 + at.exp(at.log({0}.sum())))", "W", 0.3),
    ("(({0} / {0}.sum())**2).sum()", "W", 0.3),
    ("-at.log({0}[<0|-1>]).mean()", "P", 0.4),
)

#: All idioms.
IDIOMS: tuple[Recipe, ...] = (
    *SCORES, *WEIGHTS, *MASKED, *SUMS, *PLACED, *DIFFERENCES, *SHARES, *PROBABILITIES, *LOGS,
)  # fmt: skip
