"""The reference against the stability corpus's own high-precision truth, where the corpus is."""

import importlib
import json
from pathlib import Path
from typing import Any

import aesara.tensor as at
import numpy as np
import pytest
from aesara.tensor import special
from aesara.tensor.type import TensorType

from kanrewrite import reference

CORPUS = Path(__file__).parents[2] / "shared" / "stability"
CASES = [
    "sm_1d.hvp",
    "ls_log_div.gnorm",
    "sc_weighted.hvp",
    "sg_log_one_minus.grad",  # the corpus's truth of these is stated by other formulas
    "sg_tanh_from_sigmoid.grad",
    "sp_diff.grad",
    "l1m_plain.hvp",
    "at_div_after_recip.grad",
    "ie_sigmoid_inf.fwd",
]

pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason="the stability corpus is not here")


class Dialect:
    """What the corpus's expressions are written with."""

    at = at

    def __getattr__(self, name: str) -> Any:
        return getattr(at, name)

    def constant(self, array: Any) -> Any:
        return at.constant(np.asarray(array, dtype="float64"))

    def softmax(self, x: Any, axis: int) -> Any:
        return special.softmax(x, axis=axis)

    def log_softmax(self, x: Any, axis: int) -> Any:
        return special.log_softmax(x, axis=axis)

    def grad(self, cost: Any, wrt: Any) -> Any:
        return at.grad(cost, wrt, disconnected_inputs="ignore")


def variable(spec: Any) -> Any:
    dtype = "float64" if spec.dtype == "float" else spec.dtype
    shape = spec.static or tuple(1 if n == 1 else None for n in spec.shape)
    return TensorType(dtype, shape=tuple(shape))()


@pytest.mark.parametrize("name", CASES)
def test_the_corpus_has_the_same_truth(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(CORPUS))
    corpus = importlib.import_module("corpus")
    case = next(case for case in corpus.cases() if case.name == name)
    stored = np.load(CORPUS / "truth" / f"{case.expr.name}.npz")
    inputs = [variable(spec) for spec in case.expr.inputs]
    wrt = [v for v, spec in zip(inputs, case.expr.inputs, strict=True) if spec.wrt]
    extras: dict[str, Any] = {}

    def extra(role: str, like: Any) -> Any:
        return extras.setdefault(role, like.type())

    outputs = corpus.outputs_for(Dialect(), case.expr.build, case.kind, inputs, wrt, extra)
    for regime, draws in json.loads(str(stored["meta"]))["regimes"].items():
        for draw in range(draws):
            at_draw = f"{regime}|{draw}"
            known = {v: stored[f"{at_draw}|in{i}"] for i, v in enumerate(inputs)}
            known |= {v: stored[f"{case.kind}|{at_draw}|aux_{r}"] for r, v in extras.items()}
            for i, exact in enumerate(reference.evaluate(outputs, known)):
                truth = stored[f"{case.kind}|{at_draw}|out{i}"]
                got = reference.round_to(exact, "float64")
                np.testing.assert_allclose(got, truth, rtol=3e-16, atol=1e-320)
