"""Inputs of a graph, and what stock Aesara, kanrewrite and mathematics make of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import aesara
import numpy as np
from aesara.compile.mode import Mode
from aesara.compile.sharedvalue import SharedVariable
from aesara.graph.basic import Constant, Variable, graph_inputs

from kanrewrite import errors
from kanrewrite.errors import KanrewriteError, ScriptError
from kanrewrite.ranges import LENGTHS, shapes_for
from kanrewrite.reference import evaluate
from kanrewrite.registry import disabled

Graph = Variable[Any, Any]
Array = np.ndarray[Any, Any]

MODE = Mode(linker="py", optimizer="fast_run").excluding("fusion", "inplace")


@dataclass(frozen=True)
class Comparison:
    """The outputs at one choice of inputs.

    Parameters
    ----------
    title : str
        How the inputs were chosen.
    inputs : dict of str to ndarray
        Their values.
    stock, ours : list of ndarray
        Without and with the relations.
    truth : list of ndarray or str
        Exact numbers, or why they are not known.
    """

    title: str
    inputs: Mapping[str, Array]
    stock: Sequence[Array]
    ours: Sequence[Array]
    truth: Sequence[Array] | str


def inputs_of(outputs: Sequence[Graph]) -> dict[str, Graph]:
    """The inputs of a graph by name; one without a name is called ``input0``, ``input1`` ..."""
    found = [
        variable
        for variable in dict.fromkeys(graph_inputs(list(outputs)))
        if not isinstance(variable, Constant | SharedVariable)
    ]
    return {variable.name or f"input{n}": variable for n, variable in enumerate(found)}


def given(texts: Iterable[str], inputs: Mapping[str, Graph]) -> dict[str, Array]:
    """The values of ``NAME=VALUE`` texts.

    Raises
    ------
    ScriptError
        If there is no such input, or its value cannot be read.
    """
    values = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if name not in inputs:
            raise ScriptError(errors.no_such_input(name, list(inputs)))
        values[name] = _read(name, value, inputs[name])
    return values


def _read(name: str, text: str, variable: Graph) -> Array:
    try:
        value = np.load(text) if text.endswith(".npy") else ast.literal_eval(text)
        value = np.asarray(value, dtype=variable.type.dtype)
        return np.asarray(variable.type.filter(value, allow_downcast=True))
    except (ValueError, SyntaxError, TypeError, OSError) as error:
        raise ScriptError(errors.unusable_value(name, text, error)) from error


def ranges_of(
    texts: Iterable[str], inputs: Mapping[str, Graph]
) -> dict[Graph, tuple[float, float]]:
    """The ranges of ``NAME=LOW:HIGH`` texts.

    Raises
    ------
    ScriptError
        If a text is none, or of no input.
    """
    found = {}
    for text in texts:
        name, _, bounds = (part.strip() for part in text.partition("="))
        try:
            low, high = map(float, bounds.split(":"))
            found[inputs[name]] = (low, high)
        except (KeyError, ValueError):
            raise ScriptError(errors.no_range(text, list(inputs))) from None
    return found


def generated(
    variable: Graph, scale: float, rng: np.random.Generator, shape: tuple[int, ...]
) -> Array:
    """A value for an input: normal numbers times a scale, small counts, or coins."""
    dtype = np.dtype(variable.type.dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return rng.integers(0, LENGTHS[0], shape).astype(dtype)
    return np.asarray(rng.normal(size=shape) * scale).astype(dtype)


def compare(
    outputs: Sequence[Graph], fixed: Mapping[str, Array], scales: Sequence[float], seed: int
) -> list[Comparison]:
    """The outputs at given inputs, those not given being generated once for each scale.

    Raises
    ------
    ScriptError
        If the graph cannot be evaluated at these inputs.
    """
    inputs = inputs_of(outputs)
    with disabled():
        stock = aesara.function(list(inputs.values()), list(outputs), mode=MODE)
    ours = aesara.function(list(inputs.values()), list(outputs), mode=MODE)
    free = inputs.keys() - fixed.keys()
    known = {inputs[name]: value for name, value in fixed.items()}
    shapes = shapes_for(outputs, list(inputs.values()), known)
    found = []
    for scale in scales if free else scales[:1]:
        rng = np.random.default_rng(seed)
        values = {
            n: fixed[n] if n in fixed else generated(v, scale, rng, shapes[v])
            for n, v in inputs.items()
        }
        title = f"normal numbers times {scale:g}" if free else "the inputs given"
        try:
            with np.errstate(all="ignore"):
                results = [[np.asarray(x) for x in f(*values.values())] for f in (stock, ours)]
        except Exception as error:  # what an Op raises at values that do not fit it
            raise ScriptError(errors.unusable_inputs(sorted(free), error)) from error
        stocks, news = results
        found.append(Comparison(title, values, stocks, news, _truth(outputs, inputs, values)))
    return found


def _truth(
    outputs: Sequence[Graph], inputs: Mapping[str, Graph], values: Mapping[str, Array]
) -> list[Array] | str:
    try:
        return evaluate(outputs, {inputs[name]: value for name, value in values.items()})
    except KanrewriteError as error:
        return str(error)
