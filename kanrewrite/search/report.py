"""The account of a search: what each relation did, and why it ended."""

from __future__ import annotations

import io
from collections import defaultdict
from dataclasses import dataclass, field
from html import escape

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table

_COLUMNS = ("relation", "tried", "matched", "new graphs", "seconds")


@dataclass(slots=True)
class Row:
    """One relation's account.

    Attributes
    ----------
    tried : int
        Subgraphs at which it was tried; equal subgraphs once.
    matched : int
        Rewrites it offered there.
    new : int
        Graphs it was the first to find.
    seconds : float
        Time spent in it.
    """

    tried: int = 0
    matched: int = 0
    new: int = 0
    seconds: float = 0.0


@dataclass(slots=True, repr=False)
class Report:
    """What a search did.

    Attributes
    ----------
    rows : dict of str to Row
        Each relation's account.
    graphs : int
        How many graphs were found.
    seconds : float
        How long it took.
    stopped : str
        Why it ended, empty while it has not.
    notes : list of str
        What could not be used, and why.
    """

    rows: defaultdict[str, Row] = field(default_factory=lambda: defaultdict(Row))
    graphs: int = 0
    seconds: float = 0.0
    stopped: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """One line."""
        state = f"stopped: {self.stopped}" if self.stopped else "not at its end yet"
        graphs = f"{self.graphs} graph{'s' * (self.graphs != 1)}"
        return f"{graphs} in {self.seconds:.2f} s, {state}"

    def _lines(self) -> list[tuple[str, ...]]:
        rows = sorted(self.rows.items(), key=lambda item: (-item[1].new, -item[1].matched, item[0]))
        return [
            (name, str(row.tried), str(row.matched), str(row.new), f"{row.seconds:.3f}")
            for name, row in rows
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(*_COLUMNS)
        for line in self._lines():
            table.add_row(*line)
        yield self.summary
        yield table
        yield from self.notes

    def __str__(self) -> str:
        out = io.StringIO()
        Console(file=out, width=120, color_system=None, force_jupyter=False).print(self)
        return out.getvalue().rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>"
            for line in self._lines()
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return (
            f"<table><caption>{escape(self.summary)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{notes}"
        )
