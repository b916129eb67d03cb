"""Every replacement of a compilation, Aesara's own and the library's, and the graph after each."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aesara.compile.mode import Mode, get_mode
from aesara.graph.basic import Apply, Variable, clone_get_equiv
from aesara.graph.features import Feature
from aesara.graph.fg import FunctionGraph

from kanrewrite.structure import copied
from kanrewrite.trace import Event, trace

Graph = Variable[Any, Any]

#: What changes no number, hides what is computed, and takes most of the time.
_LEFT_OUT = ("fusion", "inplace", "BlasOpt")


@dataclass(frozen=True)
class Change:
    """One operand, or one output, that was exchanged.

    Attributes
    ----------
    node : Apply or None
        Whose operand; None for an output.
    index : int
        Which.
    old, new : Variable
    """

    node: Apply[Any] | None
    index: int
    old: Graph
    new: Graph


@dataclass(frozen=True)
class Replacement:
    """One variable that was replaced, everywhere at once.

    Attributes
    ----------
    changes : list of Change
    reason : object
        The rewrite that did it, as Aesara has it: a rewriter or a name.
    events : list of Event
        What the library says it did there.
    """

    changes: list[Change]
    reason: Any
    events: list[Event]

    @property
    def name(self) -> str:
        """The name of the rewrite."""
        return self.events[-1].name if self.events else reason_text(self.reason)


class Recording(Feature):
    """The replacements of one compilation, which can be taken back and made again.

    Parameters
    ----------
    inputs, outputs : sequence of Variable
        They stay as they are.
    mode : Mode or str, optional
        As for ``aesara.function``.
    """

    def __init__(self, inputs: Sequence[Graph], outputs: Sequence[Graph], mode: Any = None):
        self.replacements: list[Replacement] = []
        self._said = 0
        self._recorder = trace(refusals=False)
        chosen = Mode(linker="py", optimizer="fast_run") if mode is None else get_mode(mode)
        fgraph = copied(inputs, outputs)
        fgraph.attach_feature(self)
        with self._recorder:
            chosen.excluding(*_LEFT_OUT).optimizer.rewrite(fgraph)
        self.outputs: list[Graph] = list(fgraph.outputs)
        self._at = len(self.replacements)

    def __len__(self) -> int:
        return len(self.replacements)

    def on_change_input(
        self, fgraph: FunctionGraph, node: Any, i: int, old: Any, new: Any, reason: Any = None
    ) -> None:
        """Keep a change; those of one variable for one reason are one replacement."""
        change = Change(None if node == "output" else node, i, old, new)
        events = self._recorder.fired_events[self._said :]
        self._said += len(events)
        last = self.replacements[-1] if self.replacements else None
        if last is not None and not events and last.reason is reason:
            before = last.changes[-1]
            if before.old is old and before.new is new:
                last.changes.append(change)
                return
        self.replacements.append(Replacement([change], reason, events))

    def after(self, count: int) -> list[Graph]:
        """The outputs after so many replacements, until the next call."""
        while self._at > count:
            self._at -= 1
            for change in reversed(self.replacements[self._at].changes):
                self._put(change, change.old)
        while self._at < count:
            for change in self.replacements[self._at].changes:
                self._put(change, change.new)
            self._at += 1
        return list(self.outputs)

    def _put(self, change: Change, variable: Graph) -> None:
        if change.node is None:
            self.outputs[change.index] = variable
        else:
            change.node.inputs[change.index] = variable


def copies(variables: Sequence[Graph]) -> list[Graph]:
    """Graphs that later changes leave alone, over the same inputs."""
    memo = clone_get_equiv([], list(variables), copy_inputs=False, copy_orphans=False)
    return [memo.get(v, v) for v in variables]  # type: ignore[misc]


def reason_text(reason: Any) -> str:
    """What a rewrite of Aesara's is called."""
    name = getattr(reason, "__name__", None) or getattr(reason, "name", None)
    return str(name or reason)


def source_of_rewrite(reason: Any) -> str:
    """``file:line`` of a rewrite of Aesara's, empty where it is not known."""
    made = getattr(reason, "fn", None) or getattr(reason, "fct", None) or type(reason)
    if isinstance(reason, str):
        return ""
    try:
        file = inspect.getsourcefile(made)
        line = inspect.getsourcelines(inspect.unwrap(made))[1]
    except (TypeError, OSError):
        return ""
    return f"{file}:{line}"
