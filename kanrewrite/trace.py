"""What the rewriters did: every rewrite in order, while `trace` is on.

A rewriter that is about to replace something asks::

    if trace.recorder is not None:
        if not trace.recorder.allow():
            return None
        trace.recorder.fired(name, where, before, after, bindings, seconds)

so tracing that is off costs one attribute look-up.  The recorder is kept on the class, and read
through the module as well, so that ``from kanrewrite.trace import trace`` and
``import kanrewrite.trace`` see the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import aesara
from aesara.graph.basic import Variable, clone_get_equiv

from kanrewrite.border import Count, checked
from kanrewrite.display import Pictured, brief
from kanrewrite.errors import NoSuchStep

if TYPE_CHECKING:
    from typing_extensions import Self

Graph = Variable[Any, Any]


@dataclass(frozen=True, slots=True, repr=False)
class Event(Pictured):
    """One thing that a rewriter did or refused to do.

    Attributes
    ----------
    name : str
        The relation.
    kind : {"fired", "refused"}
        Whether ``before`` became ``after``, or the relation matched and was refused.
    where : str
        The place in the graph, in the emitter's words.
    before, after : Variable or None
        Copies of the graph from the moment of the event: the graph itself changes later.
    bindings : Mapping
        The relation's parameters and what they stood for.
    reason : str
        Why it was refused.
    seconds : float
        Time spent on this rewrite.
    source : str
        ``file:line`` of the user's code that made ``before``, where Aesara knows it.
    followed : tuple of str
        The relations that were followed while ``before`` was read and ``after`` built: what
        operators mean and what leaves them, each with its ``file:line``.
    """

    name: str
    kind: Literal["fired", "refused"]
    where: str
    before: Graph
    after: Graph | None = None
    bindings: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    seconds: float = 0.0
    source: str = ""
    followed: tuple[str, ...] = ()

    def __str__(self) -> str:
        place = f" [{self.source}]" if self.source else ""
        if self.after is None:
            return f"{self.name} refused {brief(self.before)}: {self.reason}{place}"
        by = f"\n     by {', '.join(self.followed)}" if self.followed else ""
        return f"{self.name}: {brief(self.before)} -> {brief(self.after)}{place}{by}"

    __repr__ = __str__


def source_of(variable: Graph) -> str:
    """``file:line`` of the user's code that made a variable, empty where unknown.

    The innermost line that belongs neither to Aesara nor to kanrewrite is the user's.  What a
    compilation has made is of the lines of what it is made from, the nearest first.
    """
    waiting, seen = [variable], {variable}
    for made in waiting:
        line = _line_of(made)
        if line or len(waiting) > _NEAREST:
            return line
        inputs = made.owner.inputs if made.owner is not None else []
        fresh = [x for x in dict.fromkeys(inputs) if x not in seen]
        seen.update(fresh)
        waiting.extend(fresh)
    return ""


def _line_of(variable: Graph) -> str:
    for group in getattr(variable.tag, "trace", None) or ():
        for file, line, *_ in reversed(group):
            owner = _owner_of(file)
            if owner == "compiler":
                break  # no line of the user's made it: one of theirs asked for the compilation
            if owner == "user":
                return f"{file}:{line}"
    return ""


@lru_cache(maxsize=4096)
def _owner_of(file: str) -> Literal["compiler", "library", "user"]:
    """Whose code a file is."""
    path = Path(file)
    if any(path.is_relative_to(part) for part in _COMPILING):
        return "compiler"
    return "library" if any(path.is_relative_to(part) for part in _PASSED) else "user"


_AESARA = Path(aesara.__file__).parent
_OURS = Path(__file__).parent
#: Rooms in which graphs are compiled or rewritten; Aesara leaves its own files out of traces.
_ROOMS = (
    "audit", "blame", "cli", "fuzz", "improve", "inner", "registry", "report", "rewriter",
    "search", "verify", "view", "why",
)  # fmt: skip
#: Where variables are made while a function is compiled, or by a command.
_COMPILING = (_AESARA / "graph" / "rewriting", *(_OURS / room for room in _ROOMS))
#: What stands between a variable and the line of the user's that asked for it.
_PASSED = (_AESARA, _OURS)
#: How many variables are asked for a line of the user's.
_NEAREST = 64


class Recorder(Pictured):
    """The events of one run, and how many rewrites it may still make.

    Parameters
    ----------
    limit : int, optional
        Let only the first ``limit`` rewrites happen.
    refusals : bool
        Record refusals as well as rewrites.
    """

    def __init__(self, limit: int | None = None, refusals: bool = True):
        self.limit = limit
        self.refusals = refusals
        self.events: list[Event] = []
        self.withheld = 0
        self._allowed = 0
        self._refused: set[tuple[str, str, str]] = set()

    @property
    def fired_events(self) -> list[Event]:
        """The rewrites alone, in order."""
        return [event for event in self.events if event.kind == "fired"]

    def allow(self) -> bool:
        """Whether one more rewrite may happen; asking takes one of the limit."""
        if self.limit is not None and self._allowed >= self.limit:
            self.withheld += 1
            return False
        self._allowed += 1
        return True

    def fired(
        self,
        name: str,
        where: object,
        before: Graph,
        after: Graph,
        bindings: Mapping[str, Any],
        seconds: float,
        followed: tuple[str, ...] = (),
    ) -> None:
        """Record that ``before`` is being replaced by ``after``, and what was followed for that."""
        source = source_of(before)
        bound = {key: value for key, value in bindings.items() if isinstance(value, Variable)}
        copies = _snapshot([before, after, *bound.values()])
        held = {**bindings, **dict(zip(bound, copies[2:], strict=True))}
        made = (held, "", seconds, source, followed)
        self.events.append(Event(name, "fired", str(where), copies[0], copies[1], *made))

    def refused(self, name: str, before: Graph, reason: str) -> None:
        """Record that a relation matched ``before`` and was refused; once for each text."""
        key = (name, brief(before), reason)
        if not self.refusals or key in self._refused:
            return
        self._refused.add(key)
        source = source_of(before)
        (copy,) = _snapshot([before])
        self.events.append(Event(name, "refused", "", copy, reason=reason, source=source))

    def step(self, n: int) -> Event:
        """The ``n``-th rewrite, counted from 1.

        Raises
        ------
        NoSuchStep
            If fewer rewrites were made.
        """
        fired = self.fired_events
        if not 1 <= n <= len(fired):
            raise NoSuchStep(n, len(fired))
        return fired[n - 1]

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def __str__(self) -> str:
        steps = [f"{n:3}. {event}" for n, event in enumerate(self.fired_events, 1)]
        refused = [f"   - {event}" for event in self.events if event.kind == "refused"]
        if self.withheld:
            steps.append(f"     {self.withheld} more held back by limit={self.limit}")
        return "\n".join(steps + refused) or "no relation fired"

    __repr__ = __str__


def _snapshot(variables: list[Graph]) -> list[Graph]:
    """Copies that share what the originals share and keep inputs and constants themselves."""
    owned = [variable for variable in variables if variable.owner is not None]
    memo = clone_get_equiv([], owned, copy_inputs=False, copy_orphans=False)
    return [cast(Graph, memo.get(variable, variable)) for variable in variables]


@checked
class trace(Recorder):  # noqa: N801  # read as a statement, like contextlib.suppress
    """Record every rewrite that kanrewrite makes inside a ``with`` block.

    Parameters
    ----------
    limit : int, optional
        Let only the first ``limit`` rewrites happen, to find the one at fault.
    refusals : bool
        Record the matches that were refused, with the reason.

    Examples
    --------
    >>> with trace() as steps:
    ...     pass  # aesara.function([x], y)
    >>> print(steps)
    no relation fired
    """

    recorder: ClassVar[Recorder | None] = None

    def __init__(self, limit: Count | None = None, refusals: bool = True):
        super().__init__(limit, refusals)
        self._outer: list[Recorder | None] = []

    def __enter__(self) -> Self:
        self._outer.append(trace.recorder)
        trace.recorder = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        trace.recorder = self._outer.pop()

    @staticmethod
    def bisect(good: Callable[[], bool]) -> Event | None:
        """The first rewrite with which ``good()`` is no longer true.

        Parameters
        ----------
        good : callable
            Compiles and checks; it is run about log2(rewrites) times, each with a limit of its own.

        Returns
        -------
        Event or None
            None if ``good()`` holds with every rewrite applied.

        Raises
        ------
        NoSuchStep
            If it fails without any rewrite: no rewrite is at fault then.

        Notes
        -----
        Binary search: it assumes that once a rewrite has made ``good`` false it stays so.
        """
        with trace(refusals=False) as whole:
            if good():
                return None
        low, high = 0, len(whole.events)
        with trace(limit=0):
            if high == 0 or not good():
                raise NoSuchStep(0, high)
        last = whole
        while high - low > 1:
            middle = (low + high) // 2
            with trace(limit=middle, refusals=False) as tried:
                holds = good()
            low, high, last = (middle, high, last) if holds else (low, middle, tried)
        return last.step(high)


def __getattr__(name: str) -> Recorder | None:
    if name == "recorder":
        return trace.recorder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
