"""Judging: a program compiled by stock Aesara and by the library, and the truth between them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import aesara
import numpy as np
from aesara.compile.mode import Mode

from kanrewrite import registry
from kanrewrite.errors import FalseStep, KanrewriteError, RelationWarning
from kanrewrite.fuzz.programs import Array, Graph, Program, Values
from kanrewrite.fuzz.rounding import spread
from kanrewrite.limits import OutOfTime, limited
from kanrewrite.reference import round_to

FULL = Mode(linker="py", optimizer="fast_run")
#: Without what only makes Python code faster and compiles slowly.
QUICK = FULL.excluding("fusion", "inplace")
#: How many times the spread of rounding, and how many units in the last place, are no error.
SLACK, UNITS = 64.0, 256.0
#: And how many of those of the largest element of a derivative, whose terms may cancel.
NORM = 64.0
#: How long stock may compile a program, and its truth take: for some graphs neither ever ends.
SECONDS = 20.0


#: How long the library may take in any case, and how many times as long as stock.
LONG, TIMES = 5.0, 20.0


@dataclass(frozen=True)
class Verdict:
    """What is wrong.

    Attributes
    ----------
    kind : str
        ``raises``: the library's function raises, or does not compile, where stock's runs.
        ``false step``: a replacement is false, see ``config.check_steps``.  ``left out``: the
        engine met an error of its own.  ``wrong``: stock is right, the library is not.
        ``worse``: neither is right, the library is farther off.  ``silent``: stock shows by nan
        or infinity that it has failed, the library returns a wrong number.  ``hidden``: what nan
        inputs make nan is no longer.  ``slow``: the library takes too long to compile it.
        ``shape``: other shapes or dtypes.
    where : str
        The output.
    stock, library, truth : str
        What they are worth.
    """

    kind: str
    where: str
    stock: str = ""
    library: str = ""
    truth: str = ""

    def __str__(self) -> str:
        shown = f"{self.kind} at {self.where}"
        for name in ("stock", "library", "truth"):
            text = getattr(self, name)
            shown += f"\n  {name:8}{text}" if text else ""
        return shown


class Unjudged(Exception):
    """Stock cannot compile or run a program, or nothing says what is true."""


@dataclass
class Compiled:
    """A program as a function of stock Aesara and of the library, made once."""

    inputs: list[Graph]
    outputs: dict[str, Graph]
    stock: Any
    library: Any
    problem: Verdict | None = None

    def judged(self, values: Values) -> Verdict | None:
        """What is wrong at some inputs.

        Raises
        ------
        Unjudged
            See there.
        """
        if self.problem is not None:
            return self.problem
        given = [values[v.name] for v in self.inputs if v.name is not None]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                theirs = [np.asarray(v) for v in self.stock(*given)]
            except Exception as error:  # whatever an Op raises at inputs that do not fit
                raise Unjudged(f"stock raises {error!r}") from error
            try:
                ours = [np.asarray(v) for v in self.library(*given)]
            except Exception as error:  # noqa: BLE001  # the finding itself
                return Verdict("raises", "run time", library=repr(error)[:300])
        return self._compared(given, theirs, ours)

    def _compared(
        self, given: list[Array], theirs: list[Array], ours: list[Array]
    ) -> Verdict | None:
        doubtful: list[int] = []
        for place, (name, a, b) in enumerate(zip(self.outputs, theirs, ours, strict=True)):
            if a.shape != b.shape or a.dtype != b.dtype:
                return Verdict("shape", name, f"{a.dtype} {a.shape}", f"{b.dtype} {b.shape}")
            if not _near(a, b):
                doubtful.append(place)
        if not doubtful:
            return None
        exact, apart = self._truth(doubtful, given)
        for place, truth, gap in zip(doubtful, exact, apart, strict=True):
            kind = verdict(theirs[place], ours[place], truth, gap, NORM if place else 0.0)
            if kind in ("hidden", "gone") and not _any_nan(given):
                continue  # inf - inf and 0 / 0 may cancel
            if kind == "gone" and _any_nan(ours):
                continue  # a derivative may be zero whatever its input is
            if kind:
                name = list(self.outputs)[place]
                kind = "hidden" if kind == "gone" else kind
                nearest = round_to(truth, ours[place].dtype)
                return Verdict(kind, name, *map(_shown, (theirs[place], ours[place], nearest)))
        return None

    def _truth(self, places: list[int], given: list[Array]) -> tuple[list[Array], list[Array]]:
        """What some outputs are worth, and how far rounding may carry them."""
        graphs = list(self.outputs.values())
        try:
            with limited(SECONDS):
                return spread(
                    [graphs[i] for i in places], dict(zip(self.inputs, given, strict=True))
                )
        except OutOfTime as error:
            raise Unjudged("the truth takes too long") from error
        except KanrewriteError as error:
            raise Unjudged(f"no truth: {error}") from error
        except (ValueError, IndexError) as error:  # of what stock leaves out as it is not needed
            raise Unjudged(f"as written it raises {error!r}") from error


def _any_nan(values: list[Array]) -> bool:
    return any(v.dtype.kind == "f" and bool(np.isnan(v).any()) for v in values)


def _near(a: Array, b: Array) -> bool:
    """Whether two results are the same but for common rounding."""
    if a.dtype.kind != "f":
        return bool((a == b).all())
    tolerance = UNITS * float(np.finfo(a.dtype).eps)
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance * np.abs(a))
    return bool(same.all())


def verdict(stock: Array, library: Array, truth: Array, gap: Array, beside: float = NORM) -> str:
    """The kind of what is wrong in an output, empty if nothing is.

    ``gone`` is ``hidden`` where what is returned is a derivative of zero.

    Parameters
    ----------
    stock, library : ndarray
        What they computed, of one dtype.
    truth : ndarray of mpf
        The exact result.
    gap : ndarray of float
        How far rounding may carry it.
    beside : float
        How many units in the last place of the largest element are no error of another one.
    """
    if library.dtype.kind != "f":
        return "" if (library == truth).all() or (stock != truth).any() else "wrong"
    info = np.finfo(library.dtype)
    eps, tiny = float(info.eps), float(info.tiny)
    nearest = round_to(truth, library.dtype)
    finite = np.abs(nearest[np.isfinite(nearest)])
    norm = float(finite.max()) if finite.size else 0.0
    if not norm and np.isnan(nearest).any():
        norm = 1.0  # the scale is lost with what is nan: that of the weights of a cost
    gone = ""
    for a, b, t, g in zip(stock.flat, library.flat, nearest.flat, gap.flat, strict=True):
        allowed = SLACK * g + UNITS * eps * abs(t) + beside * eps * norm + tiny
        kind = _element(float(a), float(b), float(t), allowed)
        if kind == "hidden" and beside and not b:
            gone = "gone"
        elif kind:
            return kind
    return gone


def _element(stock: float, library: float, truth: float, allowed: float) -> str:
    """The same of one element."""
    if np.isnan(truth):
        return "hidden" if np.isnan(stock) and not np.isnan(library) else ""
    if _right(library, truth, allowed):
        return ""
    if _right(stock, truth, allowed):
        return "wrong"
    if not np.isfinite(library):
        return ""
    if not np.isfinite(stock):
        return "silent"
    return "worse" if abs(library - truth) > 4 * abs(stock - truth) + allowed else ""


def _right(found: float, truth: float, allowed: float) -> bool:
    if found == truth or not np.isfinite(allowed):
        return True
    return bool(abs(found - truth) <= allowed)


def _shown(value: Array) -> str:
    return np.array2string(np.asarray(value), separator=", ", precision=17).replace("\n", "")


def compiled(program: Program, full: bool = False) -> Compiled:
    """A program compiled twice.

    Parameters
    ----------
    program : Program
    full : bool
        Whether with fusion and inplace operations, which take longer.

    Raises
    ------
    Unjudged
        Stock cannot compile it.
    """
    mode = FULL if full else QUICK
    start = process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            inputs, outputs = program.graph()
            ignoring = aesara.config.change_flags(on_opt_error="ignore")
            with registry.disabled(), ignoring, limited(SECONDS):
                stock = _function(inputs, list(outputs.values()), mode)
    except OutOfTime as error:
        raise Unjudged("stock takes too long to compile") from error
    except Exception as error:  # whatever Aesara raises at a graph that it cannot take
        raise Unjudged(f"stock does not compile: {error!r}") from error
    made = Compiled(inputs, outputs, stock, None)
    theirs, start = process_time() - start, process_time()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            with registry.disabled():
                registry.enable()
                ignoring = aesara.config.change_flags(on_opt_error="ignore")
                with ignoring, limited(4 * SECONDS):
                    made.library = _function(inputs, list(outputs.values()), mode)
        except OutOfTime:
            made.problem = Verdict("slow", "compile time", library=f"over {4 * SECONDS:g} s")
        except FalseStep as error:
            made.problem = Verdict("false step", "compile time", library=str(error))
        except Exception as error:  # noqa: BLE001  # the finding itself
            made.problem = Verdict("raises", "compile time", library=repr(error)[:300])
    ours = process_time() - start
    if ours > max(LONG, TIMES * theirs):
        slow = Verdict("slow", "compile time", f"{theirs:.1f} s", f"{ours:.1f} s")
        made.problem = made.problem or slow
    left_out = [str(w.message) for w in said if issubclass(w.category, RelationWarning)]
    if left_out:
        made.problem = made.problem or Verdict("left out", "compile time", library=left_out[0])
    return made


def _function(inputs: Sequence[Graph], outputs: list[Graph], mode: Mode) -> Any:
    return aesara.function(list(inputs), outputs, mode=mode, on_unused_input="ignore")
