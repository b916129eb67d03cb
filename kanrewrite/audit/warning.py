"""`config.warn_unsafe`: an audit of each function that is compiled."""

from __future__ import annotations

import warnings

from aesara.graph.basic import clone_get_equiv
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter

from kanrewrite import errors
from kanrewrite.audit import audit
from kanrewrite.errors import KanrewriteError, UnsafeWarning

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
            found = audit(outputs, as_written=True, samples=SAMPLES, seconds=SECONDS, explain=False)
        except KanrewriteError:  # nothing can be said of this graph
            return
        except Exception as error:  # noqa: BLE001  # a warning must not break a compilation
            warnings.warn(errors.no_audit(error), UnsafeWarning, stacklevel=2)
            return
        told = [risk.headline for risk in found.risks if not risk.harmless]
        if told:
            warnings.warn(errors.unsafe(told), UnsafeWarning, stacklevel=2)
