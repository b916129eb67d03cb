"""Typed random programs, and values for their inputs."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanrewrite.fuzz.graphs import GRAPHS, RESULT
from kanrewrite.fuzz.idioms import IDIOMS, SORTS
from kanrewrite.fuzz.numbers import NAMESPACE
from kanrewrite.fuzz.programs import Array, Input, Line, Program, Values, run
from kanrewrite.fuzz.recipes import Recipe, recipes
from kanrewrite.fuzz.shares import LOSSES, SHARES, STEPS

#: Beyond it a number that a program comes to is no everyday one.
LARGE = 1e60
#: How many times a line is tried.
_TRIES = 200
#: What seeds of programs made of idioms, of graphs, and of shares contain.
IDIOM, GRAPH, SHARE = "idiom ", "graph ", "share "


@dataclass(frozen=True)
class Regime:
    """How inputs are drawn.

    Attributes
    ----------
    name : str
    scale, offset : float
        Normal numbers times the one plus the other.
    special : tuple of float
        What some elements are replaced by.
    first : bool
        Whether scale and offset are those of the first input alone.
    rows : bool
        Whether now and then two rows of a matrix are equal, or a column is zero.
    """

    name: str
    scale: float = 1.0
    offset: float = 0.0
    special: tuple[float, ...] = ()
    first: bool = False
    rows: bool = False


EVERYDAY = (
    Regime("everyday"),
    Regime("small", 0.4),
    Regime("wide", 2.5),
    Regime("zeros", 1.0, special=(0.0, 1.0)),
)
EXTREME = (
    Regime("large", 300.0),
    Regime("shifted", 1.0, offset=-900.0),
    Regime("shifted up", 1.0, offset=800.0),
    Regime("huge", 1e6),
    Regime("masked", 1.0, special=(-np.inf,)),
    Regime("infinite", 1.0, special=(np.inf,)),
    Regime("nan", 1.0, special=(np.nan,)),
)
#: Where graphs are judged: one large input beside everyday ones, so that not all saturates.
GRAPHS_EVERYDAY = (Regime("everyday", rows=True), Regime("wide", 3.0, first=True, rows=True))
GRAPHS_EXTREME = (
    Regime("large", 40.0, first=True, rows=True),
    Regime("far", 40.0, offset=800.0, first=True, rows=True),
    Regime("far below", 40.0, offset=-800.0, first=True, rows=True),
)
#: Where shares are: at scores that saturate them more and more.
SHARES_AT = (
    Regime("everyday"),
    *(Regime(f"times {s:g}", s, first=True) for s in (4.0, 12.0, 30.0)),
)
#: How many extreme regimes a program is judged in, besides all everyday ones.
EXTREMES = 3


def regimes(seed: str, r: random.Random) -> list[Regime]:
    """Where a program is judged."""
    if GRAPH in seed:
        return [*GRAPHS_EVERYDAY, *GRAPHS_EXTREME]
    if SHARE in seed:
        return list(SHARES_AT)
    return [*EVERYDAY, *r.sample(EXTREME, EXTREMES)]


@dataclass(frozen=True)
class Shapes:
    """The values of the inputs of a program: their lengths, whatever the regime."""

    lengths: tuple[tuple[str, str, tuple[int, ...]], ...]

    def values(self, regime: Regime, r: random.Random) -> Values:
        """Values for each input."""
        drawn: Values = {}
        rows = regime.rows
        for name, dtype, shape in self.lengths:
            drawn[name] = _drawn(dtype, shape, regime, r)
            regime = EVERYDAY[0] if regime.first else regime
        _tie(drawn, r)
        if rows:
            _tie_rows(drawn, r)
        return drawn


def _drawn(dtype: str, shape: tuple[int, ...], regime: Regime, r: random.Random) -> Array:
    size = int(np.prod(shape))
    if dtype in ("bool", "int8"):
        return np.array([r.randrange(2) for _ in range(size)], dtype).reshape(shape)
    numbers = [round(r.gauss(0, 1) * regime.scale, 3) + regime.offset for _ in range(size)]
    if regime.special and size:
        for _ in range(r.randrange(1, size + 1)):
            numbers[r.randrange(size)] = r.choice(regime.special)
    return np.array(numbers, dtype).reshape(shape)


def _tie(drawn: Values, r: random.Random) -> None:
    """Some elements are equal, within an input or across two."""
    floats = [v for v in drawn.values() if v.dtype.kind == "f" and v.size]
    if floats and r.random() < 0.3:
        flat = r.choice(floats).ravel()
        flat[r.randrange(flat.size)] = flat[0]
    if len(floats) > 1 and r.random() < 0.2:
        a, b = r.sample(floats, 2)
        a.ravel()[0] = b.ravel()[0]


def _tie_rows(drawn: Values, r: random.Random) -> None:
    """Rows that are equal, and a column of zeros."""
    for matrix in (v for v in drawn.values() if v.ndim == 2):
        if r.random() < 0.15:
            matrix[0] = matrix[1]
        if r.random() < 0.1:
            matrix[:, -1] = 0


def generated(seed: str, longest: int = 9) -> tuple[Program, Shapes]:
    """A random program, and how to draw its inputs.

    Parameters
    ----------
    seed : str
        The same seed gives the same program; of idioms, graphs or shares if it says so, else of
        operators.
    longest : int
        How many lines it has at most.
    """
    r = random.Random(seed)
    growth, lines = _begun(seed, r, longest)
    for _ in range(lines):
        growth.grow()
    growth.finish()
    order = r.choices((0, 1, 2), (1, 6, 2))[0]
    program = Program(growth.inputs, tuple(growth.lines), order).trimmed()
    names = {i.name for i in program.inputs}
    return program, Shapes(tuple(s for s in growth.shapes if s[0] in names))


def _begun(seed: str, r: random.Random, longest: int) -> tuple[Growth, int]:
    """What grows by a seed, and by how many lines; those of idioms are several operators each."""
    if GRAPH in seed:
        return Pool(r), r.randrange(3, longest + 1)
    if SHARE in seed:
        return Chain(r), r.randrange(2, 6)
    if IDIOM in seed:
        return Growth(r, IDIOMS), r.randrange(2, 7)
    return Growth(r, recipes()), r.randrange(3, longest + 1)


class Growth:
    """A program while it grows, with what each of its variables is worth somewhere."""

    def __init__(self, r: random.Random, grammar: tuple[Recipe, ...]):
        self.r = r
        self.grammar = grammar
        self.weights = [recipe.weight for recipe in grammar]
        self.lines: list[Line] = []
        self.shapes = self.inputs_of(r)
        known = r.random() < 0.3
        self.inputs = tuple(Input(name, d, self._typed(s, known)) for name, d, s in self.shapes)
        draw = Shapes(tuple(self.shapes))
        self.values: dict[str, Array] = dict(draw.values(EVERYDAY[0], random.Random(1)))
        self.sorts: dict[str, str] = {}

    def inputs_of(self, r: random.Random) -> list[tuple[str, str, tuple[int, ...]]]:
        """The inputs: names, dtypes and shapes."""
        n, m = (r.choice((0, 1, 2, 3, 3, 3, 3)), r.choice((1, 2, 3, 3, 3, 3)))
        dtype = "float32" if r.random() < 0.2 else "float64"
        return [
            ("x", dtype, (n,)), ("y", dtype, (n,)), ("X", dtype, (m, n)), ("s", dtype, ()),
            ("t", dtype, ()), ("m", "int8", (n,)), ("b", "bool", (n,)), ("M", "bool", (m, n)),
        ]  # fmt: skip

    def _typed(self, shape: tuple[int, ...], known: bool) -> tuple[int | None, ...]:
        """Lengths that a type states; what is to be broadcast must be stated."""
        return tuple(length if known or length == 1 else None for length in shape)

    def grow(self) -> None:
        """One line more."""
        for _ in range(_TRIES):
            (recipe,) = self.r.choices(self.grammar, self.weights)
            if self._taken(recipe):
                return

    def finish(self) -> None:
        """The last variables that nothing uses meet in the result."""
        used = {o for line in self.lines for o in line.operands}
        loose = [line.name for line in self.lines if line.name not in used]
        loose = [name for name in loose if self.values[name].dtype.kind == "f"][-3:]
        while len(loose) > 1:
            right, left = loose.pop(), loose.pop()
            sums = Recipe("{0}.sum() <+|-|*> {1}.sum()", "")
            if not self._added(sums, (left, right)):
                loose.append(right)
                break
            loose.append(self.lines[-1].name)
        if loose and self.lines[-1].name != loose[0]:
            self._added(Recipe("at.tensor_copy({0})", ""), (loose[0],))

    def _taken(self, recipe: Recipe) -> bool:
        operands: list[str] = []
        for kind in recipe.kinds:
            fitting = [name for name in self.values if self._fits(name, kind, operands)]
            if not fitting:
                return False
            # What came last is taken more often, so that programs grow deep; numbers seldom.
            odds = [(1 + n) * (1 + 2 * bool(self.values[v].ndim)) for n, v in enumerate(fitting)]
            operands.append(self.r.choices(fitting, odds)[0])
        return self._added(recipe, tuple(operands))

    def _fits(self, name: str, kind: str, operands: list[str]) -> bool:
        value = self.values[name]
        if kind in "ciMI":
            return value.dtype.kind in ("bi" if kind in "cM" else "i")
        if value.dtype.kind != "f":
            return False
        if kind[0] in SORTS:
            fitting = (self.sorts.get(name) or "S") in SORTS[kind[0]]
            return fitting and kind[1:] in ("", str(value.ndim))
        if kind == "p":
            return bool((value > 0).all()) or self.r.random() < 0.02
        first = self.values[operands[0]].shape if operands else ()
        fits: dict[str, bool] = {
            "f": True,
            "v": value.ndim > 0,
            "m": value.ndim == 2,
            "1": value.ndim == 1,
            "s": value.ndim == 0,
            "l": value.shape == first[1:],
        }
        return fits[kind]

    def _added(self, recipe: Recipe, operands: tuple[str, ...]) -> bool:
        text = recipe.written(self.r)
        used = tuple(o for place, o in enumerate(operands) if f"{{{place}}}" in text)
        line = Line(f"v{len(self.lines) + 1}", text, used)
        if "axis=" in text and not self.values[operands[0]].ndim:
            return False  # NumPy finds axes in a number, Aesara does not
        value = self.values[operands[0]] if recipe.like else self._worth(line)
        if value is None:
            return False
        if value.dtype.kind == "f" and self.r.random() > 0.02 and not _everyday(value):
            return False
        self.lines.append(line)
        self.values[line.name] = value
        self.sorts[line.name] = recipe.sort
        return True

    def _worth(self, line: Line) -> Array | None:
        names: dict[str, Any] = {name: self.values[name] for name in line.operands}
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = np.asarray(run(line.code, {**names, **NAMESPACE}))
        except (ValueError, IndexError, TypeError, ZeroDivisionError):
            return None  # the operands do not fit
        if value.dtype == object or value.ndim > 3 or value.size > 64:
            return None
        return value


class Pool(Growth):
    """A graph while it grows: of two matrices and a number, and of all that they became."""

    def __init__(self, r: random.Random):
        super().__init__(r, GRAPHS)

    def inputs_of(self, r: random.Random) -> list[tuple[str, str, tuple[int, ...]]]:
        """The inputs: names, dtypes and shapes."""
        return [("x", "float64", (3, 3)), ("y", "float64", (3, 3)), ("s", "float64", ())]

    def finish(self) -> None:
        """The last step is the result; what it does not need is left out."""
        self._added(RESULT, (self.lines[-1].name,))


class Chain(Growth):
    """Shares while they grow: each step is of the last one."""

    def __init__(self, r: random.Random):
        super().__init__(r, SHARES)

    def inputs_of(self, r: random.Random) -> list[tuple[str, str, tuple[int, ...]]]:
        """The inputs: names, dtypes and shapes."""
        matrix = (3, 4)
        return [
            ("x", "float64", matrix), ("y", "float64", matrix), ("w", "float64", matrix[1:]),
            ("m", "bool", matrix),
        ]  # fmt: skip

    def grow(self) -> None:
        """One line more: scores become shares first, now and then twice."""
        super().grow()
        if self.grammar is SHARES and self.r.random() < 0.8:
            self._of(STEPS)

    def finish(self) -> None:
        """A loss of the last step."""
        self._of(LOSSES)
        super().grow()

    def _of(self, grammar: tuple[Recipe, ...]) -> None:
        self.grammar, self.weights = grammar, [recipe.weight for recipe in grammar]

    def _fits(self, name: str, kind: str, operands: list[str]) -> bool:
        value = self.values[name]
        if kind == "M":
            return bool(value.dtype.kind == "b")
        if kind == "W":
            return name == "w"
        if kind == "S":
            return name in "xy"
        if kind == "P":
            return name == self.lines[-1].name
        return name not in operands and any(line.name == name for line in self.lines)


def _everyday(value: Array) -> bool:
    masked = value == -np.inf
    return bool(((np.abs(value) < LARGE) | masked).all())
