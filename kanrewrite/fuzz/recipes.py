"""Recipes: the lines that a random program can have.

Elementwise operators come from the tables of the engine by themselves.  Each class of Ops that the
view reads has recipes here, and what people combine them to has some of its own: masks and their
complements, shares, differences of sums that overlap, picks with repeats.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

import aesara.tensor as at
from aesara.tensor.elemwise import Elemwise

from kanrewrite import registry
from kanrewrite.laws import Laws
from kanrewrite.terms import Operator
from kanrewrite.view.algebra import MONOTONE, NONNEGATIVE
from kanrewrite.view.candidates import ALONE, COMPARISONS, SOURCES
from kanrewrite.view.readers import ELEMWISE

#: What Aesara prefers to call an operator.
_NAMES = {"true_div": "true_divide", "sqr": "square", "tensor_copy": "tensor_copy", "abs": "abs"}
_SIGNS = {"add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "true_div": "{0} / {1}"}


@dataclass(frozen=True)
class Recipe:
    r"""A line to be: its template and what its operands are.

    Attributes
    ----------
    template : str
        With ``{0}`` for the first operand, and in angle brackets choices: ``<0|1>``.
    kinds : str or tuple of str
        A letter for each operand: any number ``f``, one of ``v``\ ector or ``m``\ atrix, ``p``
        for one that is positive where it was tried, ``c`` for a condition; or the kinds of
        `kanrewrite.fuzz.idioms`.
    weight : float
        How often it is taken.
    like : bool
        Whether the result has the shape of the first operand, which NumPy would not say.
    sort : str
        Of the result, for idioms.
    """

    template: str
    kinds: str | tuple[str, ...]
    weight: float = 1.0
    like: bool = False
    sort: str = ""

    def written(self, r: random.Random) -> str:
        """The template with its choices made."""
        text = self.template
        while "<" in text:
            before, _, rest = text.partition("<")
            choices, _, after = rest.partition(">")
            text = before + r.choice(choices.split("|")) + after
        return text


def equally(kinds: str, weight: float, *texts: str) -> tuple[Recipe, ...]:
    """Recipes of the same kinds that are taken equally often, of one weight in all."""
    return tuple(Recipe(text, kinds, weight / len(texts)) for text in texts)


@cache
def operators() -> frozenset[Operator]:
    """The elementwise operators that the library reads, from the tables that it reads them by."""
    library = [r for r in registry.relations() if r.bundled]
    read = {*Laws(library).rows, *ELEMWISE, *SOURCES, *COMPARISONS}
    read |= {*ALONE, *NONNEGATIVE, *MONOTONE}
    return frozenset(op for op in read if isinstance(getattr(at, name_of(op), None), Elemwise))


def name_of(op: Operator) -> str:
    """What `aesara.tensor` calls an operator."""
    return _NAMES.get(op.name, op.name)


@cache
def elementwise() -> tuple[Recipe, ...]:
    """One recipe for each elementwise operator."""
    return tuple(_of_operator(op) for op in sorted(operators(), key=lambda op: op.name))


#: What is asked of the operands of an operator that is not defined for all numbers.
_KINDS = {"log": "p", "log2": "p", "log10": "p", "sqrt": "p", "pow": "pf", "switch": "cff"}


def _of_operator(op: Operator) -> Recipe:
    if op in COMPARISONS and op.name != "sgn":
        return Recipe(f"at.{op.name}({{0}}, <{{1}}|0|0.5>)", "ff", 0.2)
    if op.name in _SIGNS:
        return Recipe(_SIGNS[op.name], "ff", 2.0)
    if op.name == "clip":
        return Recipe("at.clip({0}, <-1|0|0.1>, <1|2.5|5>)", "f", 0.5)
    if op.name == "log1mexp":
        return Recipe("at.log1mexp(-{0})", "p", 0.3)
    if op.name == "pow":
        return Recipe("{0}**<{1}|2|3|0.5|-1|-2|1.5>", "pf", 0.7)
    arity = {"fill": 2, "switch": 3}.get(op.name, getattr(at, name_of(op)).scalar_op.nin)
    places = ", ".join(f"{{{n}}}" for n in range(arity))
    kinds = _KINDS.get(op.name, "f" * arity)
    return Recipe(f"at.{name_of(op)}({places})", kinds, 4.0 if op.name == "exp" else 0.6)


#: By the class of Ops that reads them, see the tables of `kanrewrite.view`.
STRUCTURE: tuple[Recipe, ...] = (
    Recipe("{0}.sum(<axis=-1|axis=0|axis=-1, keepdims=True|axis=0, keepdims=True|>)", "v", 3.0),
    Recipe("at.exp({0}).sum(<axis=-1|axis=0|axis=-1, keepdims=True|>)", "v", 2.0),
    Recipe("{0}.max(<axis=-1|axis=0|axis=-1, keepdims=True|>)", "v", 0.7),
    Recipe("{0}.min(<axis=-1|axis=0|>)", "v", 0.3),
    Recipe("{0}.mean(<axis=-1|axis=0|>)", "v", 0.5),
    Recipe("{0}.prod(<axis=-1|axis=0|>)", "v", 0.3),
    Recipe("at.cumsum({0}, axis=<0|-1>)", "v", 0.4),
    Recipe("{0}.T", "m", 0.5),
    Recipe("{0}[:, None]", "1", 0.7),
    Recipe("{0}[None, :]", "1", 0.5),
    Recipe("{0}[:, None] <-|*|+> {1}[None, :]", "11", 1.0),
    Recipe("{0}[<0|-1|1:|:-1|::-1|::2>]", "v", 1.0),
    Recipe("{0}[<[0, 1, 0]|[2, 2, 1]|[1]|[0, 0]>]", "v", 0.8),
    Recipe("{0}[:, <[0, 1, 0]|[1, 1]|0|1:|::-1>]", "m", 0.5),
    Recipe("{0}[at.arange({0}.shape[0]), <0|-1>]", "m", 0.4),
    Recipe("{0}[<[0, 1, 0], [1, 0, 1]|[1, 1], [0, 2]>]", "m", 0.3),
    Recipe("{0}.flatten()", "m", 0.3),
    Recipe("{0}.reshape((-1, 1))", "v", 0.2),
    Recipe("at.diagonal({0})", "m", 0.3),
    Recipe("at.fill_diagonal({0}, <0.0|1.0>)", "m", 0.3, like=True),
    Recipe("at.inc_subtensor({0}[<0|1:|-1>], <{1}|1.0>)", "vs", 0.3, like=True),
    Recipe("at.set_subtensor({0}[<0|1:|-1>], <{1}|0.0>)", "vs", 0.4, like=True),
    Recipe("at.inc_subtensor({0}[[0, 1, 0]], {1})", "vs", 0.3, like=True),
    Recipe("at.set_subtensor({0}[at.arange({0}.shape[0]), 0], {1})", "ms", 0.2, like=True),
    Recipe("at.alloc({0}, 2, {0}.shape[0])", "1", 0.2),
    Recipe("at.broadcast_to({0}, (2, {0}.shape[0]))", "1", 0.2),
    Recipe("at.specify_shape({0}, {0}.shape)", "v", 0.1),
    Recipe("at.concatenate([{0}, {1}], axis=<0|-1>)", "vv", 0.5),
    Recipe("at.split({0}, [1, {0}.shape[0] - 1], 2, axis=0)[<0|1>]", "v", 0.2),
    Recipe("at.stack([{0}, {1}])", "11", 0.3),
    Recipe("at.dot({0}, {1})", "vv", 1.0),
    Recipe("at.batched_dot({0}[None], {1}[None])[0]", "mm", 0.2),
    Recipe("special.softmax({0}, axis=<-1|0|None>)", "v", 0.6),
    Recipe("special.log_softmax({0}, axis=<-1|0|None>)", "v", 0.4),
    Recipe("at.logsumexp({0}, axis=<-1|0>)", "v", 0.3),
)

#: What people write, and where overlaps, zeros and repeats are.
MOTIFS: tuple[Recipe, ...] = (
    Recipe("at.exp({0}) / at.exp({0}).sum(axis=<-1|0>, keepdims=True)", "v", 2.0),
    Recipe("{0} / {0}.sum(<axis=-1, keepdims=True|axis=0|>)", "v", 1.5),
    Recipe("at.switch({0}, {1}, 0)", "cf", 1.5),
    Recipe("at.switch({0}, 0, {1})", "cf", 1.0),
    Recipe("at.switch({0}, {1}, -np.inf)", "cf", 0.3),
    Recipe("{0} * {1}", "cf", 1.0),
    Recipe("(1 - {0}) * {1}", "if", 0.8),
    Recipe("at.switch({0}, {1}, 0).sum() - at.switch({0}, 0, {1}).sum()", "cf", 0.4),
    Recipe("{0}.sum() - {0}[<0|[0, 0]|1:>].sum()", "v", 0.5),
    Recipe("{0}.sum(axis=-1, keepdims=True) - {0}", "v", 0.6),
    Recipe("{0}.sum()**2 - ({0}**2).sum()", "v", 0.3),
    Recipe("1 - {0}", "f", 1.0),
    Recipe("1 + {0}", "f", 0.7),
    Recipe("1 / (1 + at.exp(<-|>{0}))", "f", 0.7),
    Recipe("at.log(1 + at.exp({0}))", "f", 0.7),
    Recipe("at.log(at.exp({0}) + at.exp({1}))", "ff", 0.7),
    Recipe("at.log(at.exp({0}).sum(axis=<-1|0>))", "v", 1.0),
    Recipe("at.exp(at.exp({0}))", "f", 0.2),
    Recipe("at.exp(<{0} - {1}|{0} + {1}|-{0}>)", "ff", 1.5),
    Recipe("{0} / at.exp({1})", "ff", 0.7),
    Recipe("at.<maximum|minimum>({0}, <{1}|0>)", "ff", 0.7),
    Recipe("{0} - {0}.max(axis=<-1|0>, keepdims=True)", "v", 0.6),
    Recipe("-(at.log({0}) * {1}).sum()", "pv", 0.3),
    Recipe("({0}**2).sum()", "v", 0.4),
    Recipe("{0} * <0.5|2.0|-1.0>", "f", 0.4),
    Recipe("at.cast({0}, '<float32|float64>')", "f", 0.1),
    Recipe("at.log(1 + at.exp(<-3|3|-2> * at.dot(special.softmax({0}, axis=-1), {1})))", "mv", 0.4),
    Recipe("at.log(1 + at.exp(<-3|2> * {0}) + at.exp(<-2|3> * {1}))", "ff", 0.4),
    Recipe("at.log((at.exp({0}) * at.exp(-{1}))[:, 0])", "mf", 0.3),
    Recipe("(at.switch({0}, {1}, 0).T / at.switch({0}, {1}, 0).sum(axis=-1)).T", "cf", 0.4),
    Recipe("at.log(at.set_subtensor({0}[<0|-1>], <{1}|0.5>))", "ps", 0.3, like=True),
    Recipe("{0} * {0}.sum(axis=-1, keepdims=True)**-1", "v", 0.4),
)

#: Steps of loops; each compiles slowly.
LOOPS: tuple[Recipe, ...] = tuple(
    Recipe(f"aesara.scan(lambda a, b: {step}, sequences=[{{0}}], outputs_info=[{{1}}])[0]", "vl", w)
    for step, w in (
        ("at.log(at.exp(a) + at.exp(b))", 0.06),
        ("at.exp(a) / (at.exp(a) + at.exp(b))", 0.04),
        ("at.switch(a > 0, at.exp(a) * b, b)", 0.04),
        ("at.exp(b - a) / (1 + at.exp(b))", 0.04),
    )
)


@cache
def recipes() -> tuple[Recipe, ...]:
    """All recipes."""
    return (*elementwise(), *STRUCTURE, *MOTIFS, *LOOPS)
