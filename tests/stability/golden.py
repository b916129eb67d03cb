"""Golden graphs: what the library makes of many graphs, to be kept and compared with later.

Run ``python -m tests.stability.golden write FILE`` before a change, and ``compare FILE`` after it:
every graph that has changed is listed with its numbers of nodes and its largest error.  Value,
gradient and Hessian product of each case of `tests.stability.cases` and of some random graphs are
looked at, and those of a corpus of such cases where ``--corpus FOLDER`` names one.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import aesara
import numpy as np
from aesara.graph.basic import applys_between, graph_inputs
from aesara.printing import debugprint
from aesara.tensor import special

from kanrewrite.registry import stabilize
from tests.stability.cases import CASES
from tests.stability.test_cases import LOGITS, REGIMES, drawn, variables
from tests.view.common import at, enabled, function, grad, truth
from tests.view.test_random import graph as random_graph

#: How many random graphs are looked at.
RANDOM = 60


class Graph(NamedTuple):
    """A graph, and values for its inputs where its errors are measured."""

    name: str
    inputs: list[Any]
    outputs: list[Any]
    values: list[list[Any]]


def own_cases() -> Iterator[Graph]:
    """The cases of the tests, in three kinds."""
    for name, (kinds, build) in CASES.items():
        inputs = variables(kinds)
        y = build(*inputs)
        wrt = [x for x, kind in zip(inputs, kinds, strict=True) if kind in LOGITS]
        gradient = grad(y.sum(), wrt)
        along = [x.type() for x in wrt]
        product = sum(((g * v).sum() for g, v in zip(gradient, along, strict=True)), at.zeros(()))
        try:
            hessian = grad(product, wrt, disconnected_inputs="ignore")
        except aesara.gradient.NullTypeGradError:  # Aesara knows no second derivative of prod
            hessian = []
        values = [drawn(kinds, regime) for regime in REGIMES]
        kind_of = [k for k in kinds if k in LOGITS]
        directions = [[np.cos(v) for v in drawn("".join(kind_of), "benign")] for _ in REGIMES]
        both = [v + d for v, d in zip(values, directions, strict=True)]
        yield Graph(f"{name}.value", inputs, [y], values)
        yield Graph(f"{name}.gradient", inputs, gradient, values)
        if hessian:
            yield Graph(f"{name}.hessian", [*inputs, *along], hessian, both)


def random_cases() -> Iterator[Graph]:
    """Random graphs with their gradients."""
    for seed in range(RANDOM):
        inputs, outputs, values = random_graph(seed)
        yield Graph(f"random.{seed}", inputs, outputs, [values])


def corpus_cases(folder: Path, name: str) -> Iterator[Graph]:
    """The cases of a corpus kept beside the repository; it measures errors itself."""
    sys.path.insert(0, str(folder))
    corpus = importlib.import_module(name)
    library = {k: getattr(at, k) for k in dir(at) if not k.startswith("_")}
    xp = SimpleNamespace(
        **library
        | {
            "at": at,
            "constant": lambda a: at.constant(np.asarray(a, dtype="float64")),
            "softmax": lambda x, axis: special.softmax(x, axis=axis),
            "log_softmax": lambda x, axis: special.log_softmax(x, axis=axis),
            "disconnected_grad": aesara.gradient.disconnected_grad,
            "grad": lambda cost, wrt: grad(cost, wrt, disconnected_inputs="ignore"),
        }
    )
    for case in corpus.cases():
        inputs = [_input(spec, n) for n, spec in enumerate(case.expr.inputs)]
        wrt = [v for v, spec in zip(inputs, case.expr.inputs, strict=True) if spec.wrt]
        outputs = corpus.outputs_for(
            xp, case.expr.build, case.kind, inputs, wrt, lambda role, like: like.type(role)
        )
        yield Graph(f"{name}.{case.name}", inputs, list(outputs), [])


def _input(spec: Any, n: int) -> Any:
    dtype = "float64" if spec.dtype == "float" else spec.dtype
    shape = tuple(1 if d == 1 else None for d in spec.shape)
    shape = shape if spec.static is None else tuple(spec.static)
    return at.TensorType(dtype, shape=shape)(f"i{n}")


def error_of(graph: Graph) -> float:
    """The largest error of a compiled graph, relative to the natural size of each output."""
    compiled = function(graph.inputs, graph.outputs)
    sizes, worst = None, 0.0
    for values in graph.values:
        expected = truth(graph.outputs, graph.inputs, values)
        sizes = sizes or [float(np.abs(e).max(initial=0.0)) or 1.0 for e in expected]
        with np.errstate(all="ignore"):
            found = compiled(*values)
            for f, e, size in zip(found, expected, sizes, strict=True):
                gap = np.where(f == e, 0.0, np.abs(f - e) / (np.abs(e) + size))
                worst = max(worst, float(np.nan_to_num(gap, nan=np.inf).max(initial=0.0)))
    return worst


def described(graph: Graph, errors: bool) -> dict[str, Any]:
    """What is kept of a graph."""
    with enabled():
        made = stabilize(graph.outputs)
    text = re.sub(r" at 0x[0-9a-f]+", "", str(debugprint(made, file="str", id_type="int")))
    nodes = len(list(applys_between(list(graph_inputs(made)), made)))
    found: dict[str, Any] = {"nodes": nodes, "text": text}
    if errors and graph.values:
        found["error"] = error_of(graph)
    return found


def all_of(corpus: str | None) -> Iterator[Graph]:
    yield from own_cases()
    yield from random_cases()
    for name in ("corpus", "corpus2") if corpus else ():
        if (Path(str(corpus)) / f"{name}.py").exists():
            yield from corpus_cases(Path(str(corpus)), name)


def write(arguments: Any) -> None:
    kept = {}
    for graph in all_of(arguments.corpus):
        kept[graph.name] = described(graph, arguments.errors)
    Path(arguments.file).write_text(json.dumps(kept))
    print(f"{len(kept)} graphs, {sum(k['nodes'] for k in kept.values())} nodes")


def compare(arguments: Any) -> None:
    kept = json.loads(Path(arguments.file).read_text())
    seen = changed = 0
    for graph in all_of(arguments.corpus):
        before = kept.get(graph.name)
        if before is None or (arguments.only and arguments.only not in graph.name):
            continue
        seen += 1
        now = described(graph, errors=False)
        if now["text"] == before["text"]:
            continue
        changed += 1
        try:
            error = f"{error_of(graph):.1e}" if graph.values else "see the corpus"
        except ValueError as raised:  # some cases want square matrices, which not all values are
            error = str(raised).splitlines()[0]
        was = f"{before['error']:.1e}" if "error" in before else "unknown"
        print(f"{graph.name}: {before['nodes']} -> {now['nodes']} nodes, error {was} -> {error}")
        if arguments.show:
            print(before["text"], now["text"], sep="\n---\n")
    print(f"{changed} of {seen} graphs have changed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("do", choices=["write", "compare"])
    parser.add_argument("file")
    parser.add_argument("--corpus", help="a folder with corpus.py and corpus2.py")
    parser.add_argument("--errors", action="store_true", help="measure errors while writing")
    parser.add_argument("--only", help="a part of the names of those to compare")
    parser.add_argument("--show", action="store_true", help="print what has changed")
    arguments = parser.parse_args()
    chosen: Callable[[Any], None] = {"write": write, "compare": compare}[arguments.do]
    chosen(arguments)


if __name__ == "__main__":
    main()
