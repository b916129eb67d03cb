"""`config.warn_unsafe`: an audit of each function that is compiled."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from aesara.graph.basic import clone_get_equiv
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter

from kanrewrite import errors
from kanrewrite.audit import examined
from kanrewrite.audit.inputs import Input, inputs_of
from kanrewrite.errors import KanrewriteError, UnsafeWarning
from kanrewrite.structure import computable

#: What a compilation is made to wait for.
SECONDS = 5.0
SAMPLES = 32


class WarningPass(GraphRewriter):
    """Warns of the risks of a graph, and leaves the graph alone."""

    name = "kanrewrite_audit"

    def apply(self, fgraph: FunctionGraph) -> None:
        """Audit a graph; whatever happens, the function is compiled."""
        memo = clone_get_equiv([], fgraph.outputs, copy_inputs=False, copy_orphans=False)
        outputs = [memo.get(out, out) for out in fgraph.outputs]
        try:
            written = computable(outputs)
            known = [_of_sizes(i) for i in inputs_of(written, None, None)]
            found = examined(known, written, written, SECONDS, samples=SAMPLES, explaining=0.0)
        except KanrewriteError:  # nothing can be said of this graph
            return
        except Exception as error:  # noqa: BLE001  # a warning must not break a compilation
            warnings.warn(errors.no_audit(error), UnsafeWarning, stacklevel=2)
            return
        told = [risk.headline for risk in found.risks if not risk.harmless]
        if told:
            warnings.warn(errors.unsafe(told), UnsafeWarning, stacklevel=2)


def _of_sizes(i: Input) -> Input:
    """An input of which millions of products can be added: beyond that nearly every graph fails."""
    if not i.is_float:
        return i
    most = 2.0 ** (np.finfo(i.dtype).maxexp // 2 - 12)
    return replace(i, low=-most, high=most)
