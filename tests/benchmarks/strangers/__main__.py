"""Run the strangers' relations, all or those of the names, or of the files, that are given.

By default each relation is alone; with ``--beside`` the whole library is enabled, too.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import aesara
import numpy as np
from aesara.compile.mode import Mode
from aesara.compile.sharedvalue import SharedVariable
from aesara.graph.basic import Constant, graph_inputs
from aesara.printing import pprint

from kanrewrite import registry, trace, why_not
from kanrewrite.errors import RelationWarning
from tests.benchmarks.strangers.common import STRANGERS, Stranger

MODULES = (
    "activations", "losses", "algebra", "integers", "functions", "arrays", "models", "moments"
)  # fmt: skip
AS_WRITTEN = Mode(linker="py", optimizer="None")
#: What becomes of a spelling; all but the first are failures.
FIRED, WRONG, RAISED, SILENT, UNEXPLAINED, STRAY = (
    "fired", "wrong", "raised", "silent", "silent without a reason", "fired where it must not",
)  # fmt: skip


def drawn(kind: Any, domain: str, rng: np.random.Generator) -> Any:
    """Values for an input: everyday ones, with zeros, ties and negative numbers where allowed."""
    shape = (3,) * kind.ndim
    if kind.dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if kind.dtype.startswith("int"):
        return rng.integers(1, 9, shape).astype(kind.dtype)
    if domain == "unit":
        return rng.uniform(0.05, 0.95, shape).astype(kind.dtype)
    values = np.round(rng.normal(size=shape) * 4) / 2  # sums of them are exact
    if domain == "positive":
        values = np.abs(values) + 0.5
    if domain in ("matrix", "symmetric") and kind.ndim == 2:
        values = values + values.T if domain == "symmetric" else values + 9 * np.eye(3)
    if domain == "real" and values.size:
        values.flat[rng.integers(values.size)] = 0
    return values.astype(kind.dtype)


def wrong(graph: Any, new: Any, domain: str) -> str:
    """How a rewritten graph differs from the written one, empty where it does not."""
    if graph.type.dtype != new.type.dtype or graph.type.ndim != new.type.ndim:
        return f"type {new.type} for {graph.type}"
    leaves = dict.fromkeys(graph_inputs([graph, new]))
    inputs = [i for i in leaves if not isinstance(i, Constant | SharedVariable)]
    f = aesara.function(inputs, [graph, new], mode=AS_WRITTEN, on_unused_input="ignore")
    rng = np.random.default_rng(0)
    tolerance = 2e-4 if "float32" in {getattr(i.type, "dtype", "") for i in inputs} else 1e-8
    for _ in range(3):
        values = [drawn(i.type, domain, rng) for i in inputs]
        with np.errstate(all="ignore"):
            before, after = f(*values)
        finite = np.isfinite(before)
        if before.shape != after.shape:
            return f"shape {after.shape} for {before.shape}"
        scale = tolerance * (1 + np.abs(before[finite]))
        if not np.all(np.abs(after[finite] * 1.0 - before[finite] * 1.0) <= scale):
            return f"{after} for {before}"
    return ""


def judged(stranger: Stranger, graph: Any, expected: bool, beside: bool) -> tuple[str, str]:
    """What becomes of a spelling, and what there is to say of it."""
    name = stranger.relation.name
    with registry.disabled(), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        if beside:
            registry.enable()
        registry.register(stranger.relation)
        registry.enable(name)
        try:
            with trace() as steps:
                (new,) = registry.stabilize([graph])
            problem = wrong(graph, new, stranger.domain)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is counted
            return RAISED, f"{type(error).__name__}: {error}"
        finally:
            registry.unregister(stranger.relation)
    reports = [str(w.message) for w in told if issubclass(w.category, RelationWarning)]
    if reports:
        return RAISED, reports[0]
    if problem:
        return WRONG, problem
    fired = any(event.name == name for event in steps.fired_events)
    if fired:
        return (FIRED, "") if expected else (STRAY, pprint(new))
    try:
        reason = why_not(stranger.relation, graph).reason
    except Exception as error:  # noqa: BLE001
        return RAISED, f"why_not: {type(error).__name__}: {error}"
    return (SILENT if reason else UNEXPLAINED), reason


def verdicts(stranger: Stranger, beside: bool) -> Iterator[tuple[str, str, Any]]:
    """For each graph the verdict, what there is to say, and the graph."""
    for graph in stranger.spellings:
        yield *judged(stranger, graph, True, beside), graph
    for graph in stranger.others:
        verdict, text = judged(stranger, graph, False, beside)
        yield "left alone" if verdict == SILENT else verdict, text, graph


def file_of(stranger: Stranger) -> str:
    """The name of the file that states a relation."""
    return Path(stranger.relation.source).name.partition(".")[0]


def main() -> None:
    """Print what becomes of the spellings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    for module in MODULES:
        import_module(f"tests.benchmarks.strangers.{module}")
    names = set(options.names)
    chosen = [s for s in STRANGERS if not names or names & {s.relation.name, file_of(s)}]
    counts: Counter[str] = Counter()
    for stranger in chosen:
        for verdict, text, graph in verdicts(stranger, options.beside):
            counts[verdict] += 1
            if verdict not in (FIRED, "left alone") or options.verbose:
                written = pprint(graph).replace("DimShuffle", "")
                print(
                    f"{stranger.relation.name}: {verdict}: {written[:160]}: {text[:300]}",
                    flush=True,
                )
    total = sum(counts[x] for x in (FIRED, WRONG, RAISED, SILENT, UNEXPLAINED))
    print(f"{len(chosen)} relations, {total} spellings: {100 * counts[FIRED] / total:.1f} % fire")
    print(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))


if __name__ == "__main__":
    main()
