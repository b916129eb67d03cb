"""How `audit` judges a corpus of graphs whose right and wrong results are known.

    python tests/benchmarks/audit_corpora.py FOLDER [--corpus corpus2] [--stock] [--shard 0/4]

The folder holds the module of the corpus (expressions with ``build``, ``inputs`` and ``kinds``),
``truth*/NAME.npz`` with inputs and exact results of each expression, and with ``--verdicts`` the
JSON file of a run: a list ``cases`` of entries with ``name`` and ``all_ok``.  Each graph is
audited in the ranges that its inputs have there; the corpus's own inputs are not shown to it.  A
graph that the corpus finds right, and audit does not, is right at the few inputs of the corpus: the
compiled function is called at the witness, by Python and as Aesara compiles it by default, and only
where both are right there the alarm is false: integers wrap in one, and not in a fused loop in the
other.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode
from aesara.gradient import disconnected_grad
from aesara.tensor import special

import kanrewrite
from kanrewrite.audit import audit
from kanrewrite.audit.judging import TOLERANCE
from kanrewrite.reference import evaluate, round_to

Array = Any


class Backend:
    """What the builders of the corpus ask for."""

    def __init__(self, dtype: str):
        self.dtype = dtype
        self.at = at

    def __getattr__(self, name: str) -> Any:
        return getattr(at, name)

    def constant(self, value: Any) -> Any:
        return at.constant(np.asarray(value, dtype=self.dtype))

    def softmax(self, x: Any, axis: Any) -> Any:
        return special.softmax(x, axis=axis)

    def log_softmax(self, x: Any, axis: Any) -> Any:
        return special.log_softmax(x, axis=axis)

    def disconnected_grad(self, x: Any) -> Any:
        return disconnected_grad(x)

    def grad(self, cost: Any, wrt: Any) -> Any:
        return aesara.grad(cost, wrt, disconnected_inputs="ignore")


def graph_of(module: Any, case: Any, dtype: str) -> tuple[list[Any], dict[str, Any], list[Any]]:
    """The inputs of a case, those that its kind adds, and its outputs."""
    inputs = []
    for n, spec in enumerate(case.expr.inputs):
        static = (
            spec.static if spec.static is not None else [1 if d == 1 else None for d in spec.shape]
        )
        own = dtype if spec.dtype == "float" else spec.dtype
        inputs.append(at.TensorType(own, shape=tuple(static))(f"i{n}"))
    wrt = [v for v, s in zip(inputs, case.expr.inputs, strict=True) if s.wrt]
    added: dict[str, Any] = {}

    def extra(role: str, like: Any) -> Any:
        if role not in added:
            added[role] = like.type()
            added[role].name = role
        return added[role]

    backend = Backend(dtype)
    outputs = module.outputs_for(backend, case.expr.build, case.kind, inputs, wrt, extra)
    return inputs, added, list(outputs)


def values_of(truth: Any, case: Any, n: int, added: dict[str, Any]) -> list[list[Array]]:
    """All values that each input has in the corpus."""
    draws = [
        (r, d)
        for r, count in json.loads(str(truth["meta"]))["regimes"].items()
        for d in range(count)
    ]
    own = [[truth[f"{r}|{d}|in{i}"] for r, d in draws] for i in range(n)]
    return [*own, *([truth[f"{case.kind}|{r}|{d}|aux_{role}"] for r, d in draws] for role in added)]


def audited(module: Any, case: Any, folder: Path, dtype: str, **options: Any) -> Any:
    """The audit of one case, in the ranges of its inputs."""
    truth = np.load(folder / f"{case.expr.name}.npz")
    inputs, added, outputs = graph_of(module, case, dtype)
    variables = [*inputs, *added.values()]
    values = values_of(truth, case, len(inputs), added)
    used = set(aesara.graph.basic.graph_inputs(outputs))
    pairs = [(v, x) for v, x in zip(variables, values, strict=True) if v in used]
    ranges = {
        v: (min(np.min(a) for a in x), max(np.max(a) for a in x)) for v, x in pairs if x[0].size
    }
    shapes = {v: x[0].shape for v, x in pairs}
    return audit(outputs, ranges, shapes=shapes, explain=False, **options)


def is_wrong(found: Any, case: Any, folder: Path, linkers: Sequence[str] = ("py", "cvm")) -> bool:
    """Whether a function that Aesara compiles is wrong at a witness, by the corpus's measure."""
    return any(_is_wrong_by(linker, found, case, folder) for linker in linkers)


def _is_wrong_by(linker: str, found: Any, case: Any, folder: Path) -> bool:
    mode = Mode(linker=linker, optimizer="fast_run")
    truth = np.load(folder / f"{case.expr.name}.npz")
    for risk in found.risks:
        inputs = list(risk.witness)
        n = next(k for k, out in enumerate(found.written) if out is risk.output)
        run = aesara.function(inputs, risk.output, mode=mode, on_unused_input="ignore")
        with np.errstate(all="ignore"):
            result = np.asarray(run(*risk.witness.values()))
            (exact,) = evaluate([risk.output], risk.witness)
            rounded = round_to(exact, result.dtype)
            everyday = np.abs(truth[f"{case.kind}|benign|0|out{n}"])
            scale = float(everyday[np.isfinite(everyday)].max(initial=0.0)) or 1.0
            near = np.abs(result - rounded) <= TOLERANCE[str(result.dtype)] * (
                np.abs(rounded) + scale
            )
            if not (near | (result == rounded) | np.isnan(rounded)).all():
                return True
    return False


def main() -> None:
    """Audit a corpus; one line for each case, and a summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", default="corpus")
    parser.add_argument("--verdicts", type=Path)
    parser.add_argument("--stock", action="store_true")
    parser.add_argument("--dtype", default="float64")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--only", default="")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--most", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(given.folder))
    module = import_module(given.corpus)
    suffix = given.corpus.removeprefix("corpus")
    right = {c["name"]: c["all_ok"] for c in json.loads(given.verdicts.read_text())["cases"]}
    if not given.stock:
        kanrewrite.enable()
    shard, shards = map(int, given.shard.split("/"))
    cases = [c for c in module.cases() if any(o in c.name for o in given.only.split(","))]
    counts: dict[str, int] = {}
    for case in cases[shard::shards]:
        start = time.perf_counter()
        found: Any
        flagged: bool | None
        try:
            found = audited(
                module, case, given.folder / f"truth{suffix}", given.dtype,
                samples=given.samples, seconds=given.seconds, most=given.most,
            )  # fmt: skip
            flagged = not found.ok
            questioned = flagged and right[case.name]
            confirmed = questioned and is_wrong(found, case, given.folder / f"truth{suffix}")
        except Exception as error:  # noqa: BLE001  # a finding, too
            found, flagged, confirmed = repr(error)[:200], None, False
        kinds: dict[tuple[bool, bool | None], str] = {
            (True, False): "right",
            (True, True): "FALSE ALARM",
            (False, True): "flagged",
            (False, False): "MISSED",
        }
        if right[case.name] and flagged and confirmed:
            kinds[True, True] = "wrong there"
        kind = kinds.get((right[case.name], flagged), "ERROR")
        counts[kind] = counts.get(kind, 0) + 1
        text = (
            "" if kind in ("right", "flagged", "wrong there") and not given.show else f"\n{found}"
        )
        print(f"{kind:12}{case.name:30}{time.perf_counter() - start:6.1f} s{text}", flush=True)
    print(counts)


if __name__ == "__main__":
    main()
