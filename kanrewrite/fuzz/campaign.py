"""Campaigns: many random programs, judged here or by any executor."""

from __future__ import annotations

import gc
import logging
import random
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter

from kanrewrite.border import Amount, Count, checked
from kanrewrite.config import config
from kanrewrite.errors import UnusableArgument
from kanrewrite.fuzz.coverage import possible, reached, seen, wanted
from kanrewrite.fuzz.generation import GRAPH, IDIOM, SHARE, Shapes, generated, regimes
from kanrewrite.fuzz.judging import Compiled, Unjudged, Verdict, compiled
from kanrewrite.fuzz.programs import Program, Values
from kanrewrite.fuzz.saving import source
from kanrewrite.fuzz.shrinking import shrunk

#: How many programs an executor is given at once.
CHUNK = 20
#: What the seeds of programs of even and of odd number contain.
_GRAMMARS = {
    "operators": ("", ""), "idioms": (IDIOM, IDIOM), "both": ("", IDIOM), "graphs": (GRAPH, GRAPH),
    "shares": (SHARE, SHARE),
}  # fmt: skip
#: One program in so many is compiled with fusion and inplace operations.
FULL = 8


@dataclass(frozen=True)
class Finding:
    """A program that fails, made small.

    Attributes
    ----------
    seed : str
        Of the program as it was generated.
    program : Program
    values : dict
    verdict : Verdict
    step : str
        The first replacement that is false at everyday inputs, with its equations, if one is.
    """

    seed: str
    program: Program
    values: Values
    verdict: Verdict
    step: str = ""

    def source(self) -> str:
        """A test that fails, see `kanrewrite.fuzz.saving`."""
        return source(self.seed, self.program, self.values, self.verdict)

    def __str__(self) -> str:
        given = "\n".join(f"{n} = {v.dtype} {v.tolist()}" for n, v in self.values.items())
        step = f"\n{self.step}" if self.step else ""
        return f"program {self.seed}\n{self.program}\n{given}\n{self.verdict}{step}"


@dataclass
class Campaign:
    """What came of many programs.

    Attributes
    ----------
    programs, judgements : int
        How many were judged, and at how many inputs in all.
    findings : list of Finding
        In the order of the programs.
    unjudged : Counter
        Why others were not: stock cannot run them, or nothing says what is true.
    operators : Counter
        How often each operator was in a graph.
    lines : set
        Lines of the engine that were reached, if that was asked for.
    seconds : float
    """

    programs: int = 0
    judgements: int = 0
    findings: list[Finding] = field(default_factory=list)
    unjudged: Counter[str] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)
    lines: set[tuple[str, int]] = field(default_factory=set)
    seconds: float = 0.0

    def add(self, other: Campaign) -> None:
        """Take in what came of others."""
        self.programs += other.programs
        self.judgements += other.judgements
        self.findings += other.findings
        self.unjudged += other.unjudged
        self.operators += other.operators
        self.lines |= other.lines

    @property
    def missing(self) -> list[str]:
        """Operators that the library reads and no graph had."""
        return sorted(wanted() - self.operators.keys())

    def __str__(self) -> str:
        count, of = len(wanted()) - len(self.missing), len(wanted())
        text = (
            f"{self.programs} programs, {self.judgements} judgements, {len(self.findings)} wrong, "
            f"{self.seconds:.0f} s; operators: {count} of {of}"
        )
        if self.missing:
            text += f" (not {', '.join(self.missing)})"
        if self.lines:
            lines = possible()
            text += f"; lines of the engine: {len(self.lines & lines)} of {len(lines)}"
        for why, times in self.unjudged.most_common(5):
            text += f"\nnot judged, {times} times: {why}"
        return text


def examine(seed: str, lines: bool = False) -> Campaign:
    """One program, generated, judged and if it fails shrunk.

    Parameters
    ----------
    seed : str
        The same seed gives the same program, inputs and verdicts.
    lines : bool
        Whether lines of the engine are counted.
    """
    found = Campaign()
    program, shapes = generated(seed)
    full = random.Random(seed).randrange(FULL) == 0
    try:
        with _quiet(), _counted(found, lines):
            made = compiled(program, full)
    except Unjudged as why:
        found.unjudged[_short(why)] += 1
        return found
    found.programs = 1
    found.operators = seen(made.outputs.values())
    failure = _judged(made, shapes, seed, found)
    if failure is not None:
        with _quiet():
            small = shrunk(program, *failure, full=full)
            found.findings.append(Finding(seed, *small, false_step(small[0], full)))
    return found


def false_step(program: Program, full: bool = False) -> str:
    """The first replacement of a program that is false at everyday inputs, if one is."""
    with config.change(check_steps=True):
        try:
            problem = compiled(program, full).problem
        except Unjudged:
            return ""
    return problem.library if problem is not None and problem.kind == "false step" else ""


def _judged(
    made: Compiled, shapes: Shapes, seed: str, found: Campaign
) -> tuple[Values, Verdict] | None:
    """Where a program fails first."""
    for values in _settings(shapes, seed):
        try:
            verdict = made.judged(values)
        except Unjudged as why:
            found.unjudged[_short(why)] += 1
            continue
        found.judgements += 1
        if verdict is not None:
            return values, verdict
    return None


def _settings(shapes: Shapes, seed: str) -> Iterator[Values]:
    r = random.Random(f"{seed}, values")
    for regime in regimes(seed, r):
        yield shapes.values(regime, r)


def _short(why: Exception) -> str:
    return str(why).partition("\n")[0][:70]


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the log of rewrites of stock's that fail."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@contextmanager
def _counted(found: Campaign, lines: bool) -> Iterator[None]:
    if not lines:
        yield
        return
    with reached(found.lines):
        yield


def examine_all(seeds: list[str], lines: bool = False) -> Campaign:
    """Several programs, one after another."""
    found = Campaign()
    for lot in _each(seeds, lines):
        found.add(lot)
    return found


def _each(seeds: list[str], lines: bool) -> Iterator[Campaign]:
    """Program by program; what a program leaves behind is collected after it, not during it.

    Compilation makes so many objects that a tenth of the time would go into looking through them.
    """
    enabled = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        for seed in seeds:
            yield examine(seed, lines)
            gc.collect()
    finally:
        gc.unfreeze()
        if enabled:
            gc.enable()


@checked
def fuzz(
    n: Count = 200,
    seed: int = 0,
    seconds: Amount | None = None,
    executor: Executor | None = None,
    lines: bool = False,
    progress: Callable[[Campaign], None] | None = None,
    grammar: str = "both",
) -> Campaign:
    """Judge random programs against stock Aesara and high precision.

    Parameters
    ----------
    n : int
        How many programs.
    seed : int
        The same seed gives the same programs in the same order, whoever computes them.
    seconds : float, optional
        No program is begun after it.
    executor : concurrent.futures.Executor, optional
        Any: of processes, or of a cluster. Without one, programs are judged here.
    lines : bool
        Whether the lines of the engine that are reached are counted, which takes longer.
    progress : callable, optional
        Is told what was found so far, after each lot of programs.
    grammar : str
        What programs are made of: ``"operators"``, ``"idioms"`` (what people write), ``"both"``
        in turn, ``"graphs"`` (short compositions of two matrices and a number), or ``"shares"``
        (what is done with probabilities, step upon step, to a loss).

    Returns
    -------
    Campaign

    Raises
    ------
    UnusableArgument
        For another grammar.

    Examples
    --------
    >>> from kanrewrite import fuzz
    >>> fuzz(n=2, grammar="operators").findings
    []
    """
    if grammar not in _GRAMMARS:
        raise UnusableArgument("grammar of fuzz", f"one of {', '.join(_GRAMMARS)}", grammar)
    start = perf_counter()
    found = Campaign()
    seeds = [f"{seed}/{_GRAMMARS[grammar][i % 2]}{i}" for i in range(n)]
    for lot in _lots(seeds, executor, lines):
        found.add(lot)
        found.seconds = perf_counter() - start
        if progress is not None:
            progress(found)
        if seconds is not None and found.seconds > seconds:
            break
    return found


def _lots(seeds: list[str], executor: Executor | None, lines: bool) -> Iterator[Campaign]:
    """The programs in lots, in their order; an executor has some lots ahead, not all."""
    if executor is None:
        yield from _each(seeds, lines)
        return
    lots = iter([seeds[i : i + CHUNK] for i in range(0, len(seeds), CHUNK)])
    ahead = [executor.submit(examine_all, lot, lines) for lot in islice(lots, 64)]
    try:
        while ahead:
            yield ahead.pop(0).result()
            ahead += [executor.submit(examine_all, lot, lines) for lot in islice(lots, 1)]
    finally:
        for future in ahead:
            future.cancel()
