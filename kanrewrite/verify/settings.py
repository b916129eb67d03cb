"""Settings: parameters of a relation bound to variables, axes, numbers, with values for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Variable
from aesara.tensor.type import TensorType

from kanrewrite.guards import Condition
from kanrewrite.terms import Operator, Param, T, Term

Graph = Variable[Any, Any]
Array = np.ndarray[Any, Any]
Random = np.random.Generator

REGIMES = ("benign", "wide", "ties", "large", "extreme", "masked")
#: The lengths of the dimensions, and what is asked of them, more often the telling ones.
SHAPES: tuple[tuple[int, ...], ...] = (
    (2, 3), (3,), (2, 2), (3, 2), (2, 3, 2), (1, 3), (2, 1), (2, 2, 2), (), (1,), (3, 3),
    (0, 2), (2, 0), (1, 2, 1, 2), (2, 2, 2, 2),
)  # fmt: skip
LONGEST = 3
OPERATORS = (T.exp, T.neg, T.tanh, T.sqr)


@dataclass(frozen=True)
class Setting:
    """One way of binding the parameters of a relation.

    Parameters
    ----------
    bindings : mapping from Param to anything
        Variables, axes, numbers or operators.
    values : mapping from Variable to ndarray
        The values of the inputs of the bound variables.
    regime : str
        What kind of values they are.
    """

    bindings: Mapping[Any, Any]
    values: Mapping[Graph, Array]
    regime: str

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return sum(value.size for value in self.values.values())

    def with_values(self, values: Mapping[Graph, Array]) -> Setting:
        """The same bindings with other values."""
        return replace(self, values=values)

    def halves(self) -> Iterator[Setting]:
        """Of long vectors of samples each half; of others nothing."""
        lengths = {value.shape for value in self.values.values()}
        if len(lengths) == 1 and len(shape := lengths.pop()) == 1 and shape[0] > LONGEST:
            for half in (slice(None, shape[0] // 2), slice(shape[0] // 2, None)):
                yield self.with_values({v: value[half] for v, value in self.values.items()})


def roles_of(terms: Sequence[Any]) -> dict[Any, str]:
    """What each logic variable stands for: a tensor, an operator, or a parameter of one.

    Examples
    --------
    >>> x, a = Param("roles:x"), Param("roles:a")
    >>> roles_of([T.sum(T.exp(x), a)])
    {x: 'tensor', a: 'axis'}
    """
    roles: dict[Any, str] = {}

    def walk(term: Any, role: str) -> None:
        if isinstance(term, Param):
            # a place that says more than "tensor" decides
            if roles.get(term, "tensor") == "tensor":
                roles[term] = role
        elif isinstance(term, Term):
            head, *operands = term
            walk(head, "operator")
            names = list(head.parameters) if isinstance(head, Operator) else []
            tensors = len(operands) - len(names)
            for i, operand in enumerate(operands[:tensors]):
                walk(operand, "bool" if head is T.switch and i == 0 else "tensor")
            for name, operand in zip(names, operands[tensors:], strict=True):
                walk(operand, name)

    for term in terms:
        walk(term, "tensor")
    return roles


def settings(
    terms: Sequence[Any],
    conditions: Sequence[Condition],
    seed: int,
    dtype: str,
    count: int,
    regimes: Sequence[str] = REGIMES,
) -> Iterator[Setting]:
    """Settings that satisfy some conditions.

    Parameters
    ----------
    terms : sequence of term
        The sides of an equation.
    conditions : sequence of Condition
        What the bindings must satisfy.
    seed : int
        The same seed gives the same settings.
    dtype : str
        Of the tensors whose dtype nothing else decides.
    count : int
        How many are tried; those that no condition refuses are given.
    regimes : sequence of str
        The kinds of values.
    """
    roles = roles_of(terms)
    rng = np.random.default_rng(seed)
    for n in range(count):
        lengths = SHAPES[n % len(SHAPES)]
        regime = regimes[(n + n // len(SHAPES)) % len(regimes)]
        for _ in range(12):  # what the conditions ask is met by chance, mostly at once
            setting = _Draw(rng, roles, conditions, lengths, regime, dtype).setting()
            if all(condition.holds(setting.bindings) for condition in conditions):
                yield setting
                break


def vectors(
    terms: Sequence[Any],
    conditions: Sequence[Condition],
    seed: int,
    dtype: str,
    regimes: Sequence[str] = REGIMES,
) -> Setting | None:
    """A setting of vectors of open length, with values of all regimes.

    The parameters are those of `settings`; None if conditions ask for something else.
    """
    roles, rng = roles_of(terms), np.random.default_rng(seed)
    for _ in range(24):
        setting = _Draw(rng, roles, conditions, (2,), regimes[0], dtype).setting()
        open_vectors = all(v.type.shape == (None,) for v in setting.values)
        if open_vectors and all(condition.holds(setting.bindings) for condition in conditions):
            return setting.with_values(
                {
                    v: np.concatenate([draw(rng, (2,), r, v.type.dtype) for r in regimes])
                    for v in setting.values
                }
            )
    return None


class _Draw:
    """One attempt to bind all parameters."""

    def __init__(
        self,
        rng: Random,
        roles: Mapping[Any, str],
        conditions: Sequence[Condition],
        lengths: tuple[int, ...],
        regime: str,
        dtype: str,
    ) -> None:
        self.rng, self.roles, self.lengths, self.regime = rng, roles, lengths, regime
        self.dtype = dtype
        self.conditions = conditions
        self.bindings: dict[Any, Any] = {}
        self.values: dict[Graph, Array] = {}

    def setting(self) -> Setting:
        # what tensors must be constant along is known first
        for parameter in sorted(self.roles, key=lambda p: self.roles[p] in ("tensor", "bool")):
            self.bindings[parameter] = self._bound(parameter, self.roles[parameter])
        return Setting(self.bindings, self.values, self.regime)

    def _asked(self, parameter: Any) -> set[str]:
        return {c.guard.name for c in self.conditions if c.arguments[0] == parameter}

    def _bound(self, parameter: Any, role: str) -> Any:
        asked = self._asked(parameter)
        if "Axis" in asked or role == "axis":
            return self._axis()
        if role == "operator" or (role == "tensor" and "Elementwise" in asked):
            return OPERATORS[self.rng.integers(len(OPERATORS))]
        if role in _PARAMETERS:
            return _PARAMETERS[role](self.rng, self.lengths)
        if "Constant" in asked:
            return self._constant(asked)
        return self._tensor(parameter, role, asked)

    def _axis(self) -> Any:
        ndim = len(self.lengths)
        single = list(range(-ndim, ndim))
        several = [c for k in range(2, ndim + 1) for c in combinations(range(ndim), k)]
        some = [None] if not single or self.rng.random() < 0.15 else single
        if several and self.rng.random() < 0.2:
            some = several  # type: ignore[assignment]  # an axis is any of these
        return some[self.rng.integers(len(some))]

    def _constant(self, asked: set[str]) -> Any:
        numbers = [2.0, 0.5, 3.0] if asked & _SIGNED else [2.0, -1.0, 0.5, -3.0, 0.0, 1.0]
        number = numbers[self.rng.integers(len(numbers))]
        return at.constant(np.asarray(number, dtype=self._dtype("tensor", asked)))

    def _dtype(self, role: str, asked: set[str]) -> str:
        if "Bool" in asked or (role == "bool" and "Float" not in asked):
            return "bool"
        return "int64" if "Int" in asked else self.dtype

    def _tensor(self, parameter: Any, role: str, asked: set[str]) -> Graph:
        narrow = self._narrow(parameter)
        known = self.rng.random() < 0.2
        shape = tuple(1 if one else n for n, one in zip(self.lengths, narrow, strict=True))
        static = tuple(n if one or known else None for n, one in zip(shape, narrow, strict=True))
        dropped = 0
        if self.rng.random() < 0.1 and not asked & {"ConstantAlong", "Ndim"}:
            dropped = int(self.rng.integers(len(shape) + 1))
        dtype = self._dtype(role, asked)
        variable = TensorType(dtype, shape=static[dropped:])(str(parameter))
        self.values[variable] = draw(self.rng, shape[dropped:], self.regime, dtype)
        return _signed(variable, asked)

    def _narrow(self, parameter: Any) -> list[bool]:
        """Which dimensions are known to have length 1."""
        often = 0.3 if self.rng.random() < 0.3 else 0.0
        narrow = [bool(self.rng.random() < often) for _ in self.lengths]
        for condition in self.conditions:
            if condition.guard.name == "ConstantAlong" and condition.arguments[0] == parameter:
                axis = condition.arguments[1]
                axis = self.bindings.get(axis, axis) if isinstance(axis, Param) else axis
                for d in _axes(axis, len(self.lengths)):
                    narrow[d] = True
        return narrow


_SIGNED = {"positive", "nonnegative", "nonzero"}


def _axes(axis: Any, ndim: int) -> list[int]:
    if axis is None:
        return list(range(ndim))
    return [d % ndim for d in (axis if isinstance(axis, tuple) else (axis,)) if -ndim <= d < ndim]


def _signed(variable: Graph, asked: set[str]) -> Graph:
    """A variable of which what is asked is known: an exponential is positive."""
    if asked & {"positive", "nonzero"}:
        return at.exp(variable)  # type: ignore[no-any-return]
    return at.square(variable) if "nonnegative" in asked else variable


def _order(rng: Random, lengths: tuple[int, ...]) -> tuple[int | str, ...]:
    order: list[int | str] = [int(d) for d in rng.permutation(len(lengths))]
    if rng.random() < 0.5:
        order.insert(int(rng.integers(len(order) + 1)), "x")
    return tuple(order)


def _index(rng: Random, lengths: tuple[int, ...]) -> tuple[Any, ...]:
    some: list[Any] = [0, slice(None), slice(0, 1), slice(None, None, -1), slice(1, None)]
    count = int(rng.integers(len(lengths) + 1))
    return tuple(some[rng.integers(len(some))] for _ in range(count))


def _shape(rng: Random, lengths: tuple[int, ...]) -> tuple[int, ...]:
    return (-1,) if rng.random() < 0.5 else lengths[::-1]


_PARAMETERS: dict[str, Callable[[Random, tuple[int, ...]], Any]] = {
    "order": _order,
    "index": _index,
    "shape": _shape,
    "keepdims": lambda rng, _: bool(rng.random() < 0.5),
}


def draw(rng: Random, shape: tuple[int, ...], regime: str, dtype: str) -> Array:
    """Values of a regime; floats are short, so that one sample serves all float dtypes."""
    if dtype == "bool":
        return np.asarray(rng.random(shape) < 0.6)
    if not dtype.startswith("float"):
        return np.asarray(rng.integers(-3, 4, shape), dtype=dtype)
    normal = np.round(rng.standard_normal(shape) * 64) / 64
    sign = np.where(rng.random(shape) < 0.5, -1.0, 1.0)
    values = {
        "benign": normal,
        "wide": np.round(sign * 10 ** rng.uniform(-2, 2, shape) * 64) / 64,
        "ties": np.asarray(rng.integers(-1, 2, shape), dtype="float64"),
        "large": sign * np.round(rng.uniform(600, 1000, shape) * 8) / 8,
        "extreme": sign * 2.0 ** rng.integers(10, 18 if dtype == "float32" else 60, shape),
        "masked": np.where(rng.random(shape) < 0.3, -np.inf, normal),
    }[regime]
    if dtype == "float16":
        values = np.clip(values, -1e4, 1e4)
    return np.asarray(values, dtype=dtype)
